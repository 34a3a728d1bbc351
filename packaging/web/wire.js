// The way to the box, where the box runs in a worker of this tab. Only this module knows that.

const texts = window.loadingTexts;
const loading = document.getElementById("loading");
const [label, bar] = [loading.querySelector("span"), loading.querySelector("progress")];
const notice = document.getElementById("notice");
const note = document.getElementById("note");

const LOADING = "loading";
const ELSEWHERE = "elsewhere";
const PLAYING = "playing";
const FAILED = "failed";

let page = null; // its show(state), opened() and lost()
let hasState = false; // the page has had a complete state
let box = null;
let stage = LOADING; // of the box
let failure = "";
let odds = null;
let replay = null;
const hidden = {}; // of the box, what a replay hides

const worker = (role) => new Worker(new URL("worker.js", import.meta.url), { type: "module", name: role });

// Starts the box.
//   show(state): the box has changed; the first state is complete, its type is "box".
//   opened(), lost(): the box can be played, or no longer.
export function connect(given) {
  page = given;
  window.isBoxStarting = true;
  if (typeof WebAssembly === "undefined") {
    return; // old-browser.js says so
  }
  showStage();
  if (!followLink()) {
    startBox();
  }
}

// A new worker, which begins as soon as no other tab plays this box.
function startBox() {
  box?.terminate();
  odds?.terminate();
  odds = null;
  const started = worker("box");
  box = started;
  box.addEventListener("error", failToStart);
  box.addEventListener("message", ({ data }) => {
    if (box !== started) {
      return; // what it had to say before it was stopped
    }
    if (data.state !== undefined) {
      takeState(JSON.parse(data.state));
    } else if (data.loaded !== undefined) {
      showLoaded(data);
    } else if (data.question !== undefined) {
      ask(data.question);
    } else if (data.starts) {
      enter(LOADING);
    } else if (data.elsewhere || data.stopped) {
      enter(ELSEWHERE);
      if (data.stopped) {
        startBox();
      }
    } else if (data.isUnreadable) {
      showNote(texts.unreadable);
    } else if (data.note !== undefined) {
      showNote(data.note);
    } else if (data.failure !== undefined) {
      fail(data.failure);
    }
  });
  box.postMessage({ address: location.search, isCounted: isCounted() });
}

// What a service worker has comes at once.
const isCounted = () => !navigator.serviceWorker?.controller;

function takeState(state) {
  if (state.type !== "box") {
    showBox(state);
    return;
  }
  enter(PLAYING);
  showBox(state);
  page.opened();
  keepForOffline();
}

function fail(reason) {
  failure = reason;
  enter(FAILED);
}

// An error without a message: such as a browser without workers of modules.
function failToStart({ message }) {
  if (message) {
    fail(message);
  } else {
    window.sayTooOld();
  }
}

function enter(next) {
  stage = next;
  showStage();
}

// Shows how far the box is, but for a replay that is shown in its place.
function showStage() {
  const isBehind = replay !== null && hasState;
  loading.hidden = stage !== LOADING || isBehind;
  if (stage === LOADING) {
    label.textContent = texts.starting;
    bar.removeAttribute("value"); // so it moves
  }
  if (isBehind || stage === PLAYING) {
    notice.hidden = true;
    return;
  }
  page.lost();
  notice.hidden = stage === LOADING;
  if (stage === FAILED) {
    notice.textContent = texts.failed.replace("{reason}", failure);
  } else if (stage === ELSEWHERE) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = texts.play_here;
    button.addEventListener("click", () => box.postMessage({ takeOver: true }));
    notice.replaceChildren(texts.elsewhere, " ", button);
  }
}

function showLoaded({ part, loaded }) {
  if (loaded < bar.max) {
    bar.value = loaded;
    label.textContent = texts.loading.replace("{part}", part);
  } else {
    bar.removeAttribute("value");
    label.textContent = texts.starting;
  }
}

// A line that is in nobody's way, and gone when somebody plays.
function showNote(text) {
  note.textContent = text;
  note.hidden = !text;
}

// Fetches every file once more, so not before the box can be played.
function keepForOffline() {
  if ("serviceWorker" in navigator && location.protocol !== "file:") {
    navigator.serviceWorker.register("offline.js");
  }
}

// A tab that is left, and may be kept for the way back, lets others play.
window.addEventListener("pagehide", () => box?.terminate());
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

// Sends what a hand does: {lever, down}, {button}, or a wish of the workshop. While a replay is shown, hands
// move nothing.
export function send(message) {
  const isOfHand = "down" in message || message.button;
  if (message.replay !== undefined) {
    watch(message.replay);
  } else if (message.build !== undefined) {
    const address = new URLSearchParams(location.search);
    address.set("levers", message.build);
    location.search = address; // each box has an address of its own
  } else if (stage === PLAYING && !(replay && isOfHand)) {
    if (isOfHand) {
      showNote("");
    }
    box.postMessage({ message: JSON.stringify(message) });
  }
}

// -- replays -----------------------------------------------------------------------

const FILMED = ["levers", "button", "panel", "lamp", "sound", "words", "said", "list", "dice"];

function showBox(state) {
  for (const key of FILMED.filter((key) => key in state)) {
    hidden[key] = state[key];
    if (replay) {
      delete state[key];
    }
  }
  if (replay) {
    delete state.film;
  }
  show(state);
}

function show(state) {
  hasState ||= state.type === "box";
  page.show(state);
}

// Shows a script on a box of its own; null ends that. It needs no memory, so no tab has to wait for another.
function watch(script, isPacked = false) {
  replay?.terminate();
  replay = null;
  if (script === null) {
    history.replaceState(null, "", location.pathname + location.search);
    show({ type: "change", ...hidden, film: null });
    showStage();
    return;
  }
  send({ button: false });
  const isAlone = stage !== PLAYING; // it has no page of the box to lie over
  const started = worker("replay");
  replay = started;
  replay.addEventListener("message", ({ data }) => {
    if (replay !== started) {
      return;
    }
    if (data.state !== undefined) {
      show(JSON.parse(data.state));
      showStage();
      if (box === null) {
        startBox();
      }
    } else if (data.loaded !== undefined) {
      showLoaded(data);
    } else if (data.failure !== undefined && hasState) {
      show({ type: "change", film: { over: true, complaint: data.failure } });
    } else if (data.failure !== undefined) {
      fail(data.failure);
    }
  });
  const language = new URLSearchParams(location.search).get("language") ?? "";
  replay.postMessage({ script, isPacked, language: isAlone ? language : null, isCounted: isAlone && isCounted() });
  if (hasState) {
    show({ type: "change", sound: null, list: null, film: { over: false, complaint: texts.starting } });
  } else {
    replay.addEventListener("error", failToStart);
  }
  showStage();
}

// Shows the replay of the page's address, if that has one.
function followLink() {
  const [, packed] = /^#replay=(.*)$/.exec(location.hash) ?? [];
  if (packed !== undefined) {
    watch(packed, true);
  }
  return packed !== undefined;
}

window.addEventListener("hashchange", followLink);

// -- the odds ----------------------------------------------------------------------

// The odds think in a worker of their own, so that no lever is delayed.
function ask(question) {
  if (odds === null) {
    odds = worker("odds");
    odds.addEventListener("message", ({ data }) => {
      if (data.answer) {
        box.postMessage({ answer: data.answer });
      }
    });
  }
  odds.postMessage({ question });
}
