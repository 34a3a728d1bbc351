// Plays evenings in Pyodide whose storage ends at a random write: evenings.mjs PYODIDE BOX.zip PLAYER.py COUNT
// Prints a line for each: what was kept last, and what a box finds that starts again.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, program, player, count] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const { openMemory } = await import(new URL("../../../packaging/web/memory.js", import.meta.url));
const python = await loadPyodide({ indexURL: `${folder}/` });
python.unpackArchive(new Uint8Array(readFileSync(program)), "zip", { extractDir: "/program" });
python.FS.writeFile("/program/player.py", readFileSync(player, "utf8"));
python.runPython(`
import sys
sys.path.insert(0, "/program")

from pathlib import Path
from random import Random

from player import Habits, Player
from shutthebox.adapters.store.recovery import first_fault
from shutthebox.config.schema import Config, with_value
from shutthebox.simulator.virtual_box import VirtualBox

class Evening:
    def __init__(self, folder, seed):
        self.player = Player(Random(seed), Habits(cuts=0.02))
        config = with_value(Config(), "game.setup", "usual", "evening")
        self.box = VirtualBox(config, Path(folder), seed=seed, observers=[self.player.observe], advised=False)
        self.player.sit_down(self.box)

    def step(self):
        self.player._step()

    def kept(self):
        store = self.box.store
        assert store is not None, "the box forgets"
        facts = store.connection.execute("select max(number), text from fact").fetchone()
        return f"{facts[0]}: {facts[1]}"

    def starts_again(self):
        store, mode = self.box.store, self.player.seen.mode
        found = first_fault(store.connection, None)
        return f"{mode} {found}"

    def plays_a_match(self):
        self.player.play_match()
        return "and plays on"
`);

// A browser's database that is gone after so many writes.
function database(kept, writes) {
  const storage = {
    gone: false,
    read: async () =>
      [...kept].map(([path, { size, pages }]) => ({ path, size, pages: [...pages].map(([n, bytes]) => [n, bytes]) })),
    async write(changes) {
      await null;
      storage.gone ||= writes-- <= 0;
      if (storage.gone) {
        return new Promise(() => {}); // the browser is gone: nobody is told
      }
      for (const { path, anew, size, pages = [] } of changes) {
        if (anew) {
          kept.delete(path);
        }
        if (size !== undefined) {
          const file = kept.get(path) ?? { pages: new Map() };
          file.size = size;
          pages.forEach(([page, bytes]) => file.pages.set(page, bytes));
          kept.set(path, file);
        }
      }
    },
  };
  return storage;
}

const Evening = python.globals.get("Evening");
for (let seed = 1; seed <= Number(count); seed += 1) {
  const kept = new Map();
  const storage = database(kept, 2 + ((seed * 7919) % 60));
  const memory = await openMemory(python.FS, `/evening-${seed}`, storage);
  const evening = Evening(`/evening-${seed}/box`, seed);
  let last = "";
  while (!storage.gone) {
    evening.step();
    const now = evening.kept();
    await Promise.race([memory.save().then(() => (last = now)), new Promise((done) => setTimeout(done))]);
  }
  await openMemory(python.FS, `/again-${seed}`, database(kept, Infinity));
  const again = Evening(`/again-${seed}/box`, seed + 1000);
  const found = again.kept();
  console.log(found === last ? "same" : `kept ${last}, found ${found}`, again.starts_again(), again.plays_a_match());
}
process.exit(0);
