// Plays in Pyodide for hours of virtual time and prints its memory: tab_memory.mjs PYODIDE BOX.zip PLAYER.py HOURS

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, program, player, hours] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const { openMemory } = await import(new URL("../../packaging/web/memory.js", import.meta.url));
const python = await loadPyodide({ indexURL: `${folder}/` });
python.unpackArchive(new Uint8Array(readFileSync(program)), "zip", { extractDir: "/program" });
python.FS.writeFile("/program/player.py", readFileSync(player, "utf8"));
const memory = await openMemory(python.FS, "/memory", { read: async () => [], write: async () => {} });
python.runPython(`
import gc
import sys
sys.path.insert(0, "/program")

from random import Random

from player import CAREFUL, Player
from shutthebox.simulator.tab import Tab

posted = 0

def post(state):
    global posted
    posted += len(state)

tab = Tab("?players=2&seed=3", "/memory", 1.7e9, post, lambda question: None)
box, player = tab._box, Player(Random(3), CAREFUL)
box.observe(player.observe)
player.observe(box.show, 0)
player.sit_down(box)

def play(until_ns):
    matches = 0
    while box.now_ns < until_ns:
        player.play_match()
        tab.advance(box.now_ns)
        matches += 1
    gc.collect()
    return f"{matches} matches, {len(gc.get_objects()):,} objects"
`);
const play = python.globals.get("play");
for (let half = 1; half <= 2 * Number(hours); half += 1) {
  const said = play(half * 1800e9);
  await memory.save();
  const megabytes = [python._module.HEAP8.length, process.memoryUsage().rss].map((bytes) => (bytes / 1e6).toFixed(0));
  console.log(`${half / 2} h: ${said}, Python ${megabytes[0]} MB, process ${megabytes[1]} MB`);
}
process.exit(0);
