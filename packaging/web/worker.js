// Python in a worker: the box, the odds or a replay, by the worker's name.

import { browserDatabase, openMemory } from "./memory.js";
import { loadPyodide } from "./pyodide/pyodide.mjs";

const MEMORY = "/memory";
const MOST_WAIT_MS = 1000;

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
  const found = await python();
  const memory = await openMemory(found.FS, MEMORY, await browserDatabase("shutthebox"));
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

async function playReplay(script, isPacked) {
  const found = await python();
  const { TabReplay } = found.pyimport("shutthebox.simulator.tab_replay");
  const now = () => Math.round(performance.now() * 1e6);
  const start = now();
  const replay = TabReplay(script, isPacked, (state) => postMessage({ state }));
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

// Two tabs must not write one memory. Where a browser has no locks, which is where a page came without
// https, the tabs ask each other; of two that ask at once the one with the smaller number plays.
const ANSWER_MS = 300;

function whenAlone(play, refuse) {
  if (navigator.locks) {
    navigator.locks.request("shutthebox", { ifAvailable: true }, async (lock) => {
      await (lock === null ? refuse() : play());
      await (lock && new Promise(() => {})); // the lock is held as long as the worker lives
    });
    return;
  }
  const others = new BroadcastChannel("shutthebox");
  const own = Math.random();
  let [isAlone, isAsking] = [true, true];
  others.addEventListener("message", ({ data: { asks, taken } }) => {
    if (asks !== undefined && isAlone && (!isAsking || own < asks)) {
      others.postMessage({ taken: asks });
    } else if (taken === own && isAsking) {
      isAlone = false;
    }
  });
  others.postMessage({ asks: own });
  setTimeout(() => {
    isAsking = false;
    (isAlone ? play : refuse)();
  }, ANSWER_MS);
}

if (self.name === "odds") {
  thinkOdds();
} else if (self.name === "replay") {
  take = ({ script, isPacked }) =>
    playReplay(script, isPacked).catch((error) => postMessage({ complaint: reason(error) }));
  queue.splice(0).forEach(take);
} else {
  take = ({ address, isKept }) => {
    take = (data) => queue.push(data);
    if (!isKept) {
      countFetched();
    }
    const play = () => playBox(address).catch((error) => postMessage({ refusal: reason(error), isBug: !error.type }));
    whenAlone(play, () => postMessage({ elsewhere: true }));
  };
  queue.splice(0).forEach(take);
}
