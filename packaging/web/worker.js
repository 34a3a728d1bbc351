// Python in a worker: the box, the odds or a replay, by the worker's name.

import { gone, hold } from "./lock.js";
import { browserDatabase, openMemory } from "./memory.js";
import { loadPyodide } from "./pyodide/pyodide.mjs";

const MEMORY = "/memory";
const MAX_WAIT_MS = 1000;
const PATIENCE_MS = 2000; // until a box that has not begun is said to be open elsewhere

const queue = [];
let take = (data) => queue.push(data);
self.addEventListener("message", ({ data }) => take(data));

// Tells how much has been fetched, also of what Pyodide fetches itself. What a service worker has kept comes at
// once and is not counted: a browser has its compiled code too, but only for an answer that nobody has touched.
function countFetched() {
  const fetchUncounted = self.fetch;
  let loaded = 0;
  self.fetch = async (...request) => {
    const answer = await fetchUncounted(...request);
    const part = /box\.zip$/.test(answer.url) ? "Shut the Box" : "Python";
    const counted = new TransformStream({
      transform(bytes, out) {
        loaded += bytes.length;
        postMessage({ part, loaded });
        out.enqueue(bytes);
      },
    });
    return new Response(answer.body.pipeThrough(counted), answer);
  };
}

async function fetched(path) {
  const answer = await fetch(new URL(path, import.meta.url));
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status}`);
  }
  return answer.arrayBuffer();
}

async function python() {
  const program = fetched("box.zip");
  const found = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  found.unpackArchive(await program, "zip", { extractDir: "/program" });
  found.runPython("import sys; sys.path.insert(0, '/program')");
  return found;
}

async function playBox(address) {
  const name = encodeURIComponent(address.replace(/^\?/, "")) || "usual"; // each address has a memory
  const stop = () => postMessage({ stopped: true });
  const database = await inTurn(name, stop);
  postMessage({ starts: true });
  const found = await python();
  const memory = await openMemory(found.FS, MEMORY, database);
  if (memory.isUnreadable) {
    postMessage({ isUnreadable: true });
  }
  found.registerJsModule("resource", memory.resource);
  const tab = found.pyimport("shutthebox.simulator.tab");
  const start = performance.now();
  const now = () => Math.round((performance.now() - start) * 1e6);
  let timer = 0;
  let shown = Promise.resolve();
  // Kept before it is seen: a tab that is closed gives no second chance at a throw.
  function show(state) {
    const kept = memory.save();
    shown = shown.then(() => kept).then(() => postMessage({ state }));
  }
  const box = tab.Tab(
    address,
    MEMORY,
    Date.now() / 1000,
    show,
    (question) => postMessage({ question }),
  );
  function advance() {
    clearTimeout(timer);
    const due = box.advance(now());
    memory.save();
    timer = setTimeout(advance, Math.min(Math.max((due - now()) / 1e6, 0), MAX_WAIT_MS));
  }
  take = (data) => {
    if (data.message !== undefined) {
      box.take(data.message, now());
    } else if (data.answer !== undefined) {
      box.answered(data.answer, now());
    }
    advance();
  };
  if (box.complaint) {
    postMessage({ note: box.complaint });
  }
  advance();
  queue.splice(0).forEach(take);
}

// The box's part of the browser's database, as soon as no other tab plays the box, or the page wants it taken over.
async function inTurn(name, stop) {
  const waits = () => postMessage({ elsewhere: true });
  const late = setTimeout(waits, PATIENCE_MS);
  let isForced = false;
  const forced = new Promise((go) => (take = ({ takeOver }) => takeOver && go())).then(() => (isForced = true));
  const database = await browserDatabase("shutthebox", name, stop);
  if (database) {
    await hold(database.tab);
    let last; // nobody
    for (;;) {
      const other = await database.take((tab) => isForced || tab === last).catch(() => null); // read() tells
      if (other === null) {
        break;
      }
      await Promise.race([gone(other, waits), forced]);
      last = other;
    }
    // Another tab that still plays it stops at once if it hears this, else when it writes next.
    const tabs = new BroadcastChannel("shutthebox");
    tabs.postMessage({ name, tab: database.tab });
    tabs.addEventListener("message", ({ data }) => data.name === name && data.tab !== database.tab && stop());
  }
  clearTimeout(late);
  take = (data) => queue.push(data);
  return database;
}

async function playReplay(script, isPacked, language) {
  const found = await python();
  const { TabFilm } = found.pyimport("shutthebox.simulator.tab_film");
  const now = () => Math.round(performance.now() * 1e6);
  const start = now();
  const replay = TabFilm(script, isPacked, (state) => postMessage({ state }), language);
  function advance() {
    const due = replay.advance(now() - start);
    if (due >= 0) {
      setTimeout(advance, Math.max((due - (now() - start)) / 1e6, 0));
    }
  }
  advance();
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
  take = ({ address, script, isPacked, language, isCounted }) => {
    if (isCounted) {
      countFetched();
    }
    const begun = self.name === "box" ? playBox(address) : playReplay(script, isPacked, language);
    begun.catch((error) => postMessage({ failure: reason(error) }));
  };
  queue.splice(0).forEach(take);
}
