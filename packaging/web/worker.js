// Python in a worker: the box, or the odds, by the worker's name.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const MEMORY = "/memory";
const MOST_WAIT_MS = 1000;

const queue = [];
let take = (data) => queue.push(data);
self.addEventListener("message", ({ data }) => take(data));

function tell(part, progress) {
  postMessage({ part, progress });
}

async function fetched(path) {
  const answer = await fetch(new URL(path, import.meta.url));
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status}`);
  }
  return answer.arrayBuffer();
}

async function python() {
  tell("Python", 0.1);
  const program = fetched("box.zip");
  const found = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  tell("Shut the Box", 0.7);
  found.unpackArchive(await program, "zip", { extractDir: "/program" });
  found.runPython("import sys; sys.path.insert(0, '/program')");
  return found;
}

// The files of the memory are kept in the browser's database after every step that kept something. Writes
// that come while it is busy are kept in one go after it.
function memory(files) {
  let busy = false;
  let again = false;
  files.mkdirTree(MEMORY);
  files.mount(files.filesystems.IDBFS, {}, MEMORY);
  function keep() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    files.syncfs(false, () => {
      busy = false;
      if (again) {
        again = false;
        keep();
      }
    });
  }
  return {
    keep,
    read: () => new Promise((done) => files.syncfs(true, (fault) => done(!fault))),
  };
}

async function playBox(address) {
  const found = await python();
  const store = memory(found.FS);
  await store.read();
  tell("Shut the Box", 0.9);
  const tab = found.pyimport("shutthebox.simulator.tab");
  const start = performance.now();
  const now = () => Math.round((performance.now() - start) * 1e6);
  let timer = 0;
  let stale = false;
  const box = tab.Tab(
    address,
    MEMORY,
    Date.now() / 1000,
    (state) => postMessage({ state }),
    (question) => postMessage({ question }),
    () => (stale = true),
  );
  function advance() {
    clearTimeout(timer);
    const due = box.advance(now());
    if (stale) {
      stale = false;
      store.keep();
    }
    timer = setTimeout(advance, Math.min(Math.max((due - now()) / 1e6, 0), MOST_WAIT_MS));
  }
  take = (data) => {
    if (data.message !== undefined) {
      box.take(data.message, now());
    } else if (data.answer !== undefined) {
      box.answered(data.answer, now());
    }
    advance();
  };
  advance();
  queue.splice(0).forEach(take);
}

async function thinkOdds() {
  const found = await python();
  const tab = found.pyimport("shutthebox.simulator.tab");
  take = ({ question }) => postMessage({ answer: tab.answer_text(question) });
  queue.splice(0).forEach(take);
}

// The reason in one line: of a Python error its last line, without the names of modules.
const reason = (error) => String(error.message).trim().split("\n").pop().replace(/^[\w.]+Error: /, "");

if (self.name === "odds") {
  thinkOdds();
} else {
  take = ({ address }) => {
    take = (data) => queue.push(data);
    // Two tabs must not write one memory.
    navigator.locks.request("shutthebox", { ifAvailable: true }, async (lock) => {
      if (lock === null) {
        postMessage({ refusal: "The box is open in another tab." });
        return;
      }
      try {
        await playBox(address);
        await new Promise(() => {}); // the lock is held as long as the worker lives
      } catch (error) {
        postMessage({ refusal: reason(error) });
      }
    });
  };
  queue.splice(0).forEach(take);
}
