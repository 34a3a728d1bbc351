// The way to the box, where the box runs in a worker of this tab. Only this module knows that.

let box = null;
let odds = null;

const worker = (role) => new Worker(new URL("worker.js", import.meta.url), { type: "module", name: role });

// Starts the box.
//   show(state): the box has changed; the first state is complete, its type is "box".
//   opened(), lost(): the box can be played, or no longer.
export function connect({ show, opened, lost }) {
  const texts = window.loadingTexts;
  const loading = document.getElementById("loading");
  const [label, bar] = [loading.querySelector("span"), loading.querySelector("progress")];

  function refuse(text) {
    lost();
    loading.hidden = true;
    const notice = document.getElementById("notice");
    notice.textContent = text;
    notice.hidden = false;
  }

  window.isBoxStarting = true;
  showPage = show;
  label.textContent = texts.starting;
  box = worker("box");
  // Such as a browser without workers of modules.
  box.addEventListener("error", (event) =>
    event.message ? refuse(texts.failed.replace("{reason}", event.message)) : window.sayTooOld(),
  );
  box.addEventListener("message", ({ data }) => {
    if (data.state !== undefined) {
      const state = JSON.parse(data.state);
      showBox(state);
      if (state.type === "box") {
        loading.hidden = true;
        opened();
        followLink();
        keepForOffline();
      }
    } else if (data.loaded !== undefined) {
      bar.value = data.loaded;
      label.textContent = data.loaded < bar.max ? texts.loading.replace("{part}", data.part) : texts.starting;
    } else if (data.question !== undefined) {
      ask(data.question);
    } else if (data.elsewhere) {
      refuse(texts.elsewhere);
    } else if (data.refusal !== undefined) {
      refuse(data.isBug ? texts.failed.replace("{reason}", data.refusal) : data.refusal);
    }
  });
  box.postMessage({ address: location.search, isKept: Boolean(navigator.serviceWorker?.controller) });
}

// Fetches every file once more, so not before the box can be played.
function keepForOffline() {
  if ("serviceWorker" in navigator && location.protocol !== "file:") {
    navigator.serviceWorker.register("offline.js");
  }
}

// Sends what a hand does: {lever, down}, {button}, or a wish of the workshop. While a replay is shown, hands
// move nothing.
export function send(message) {
  if (message.replay !== undefined) {
    watch(message.replay);
  } else if (message.build !== undefined) {
    const address = new URLSearchParams(location.search);
    address.set("levers", message.build);
    location.search = address; // each box has an address of its own
  } else if (!(replay && ("down" in message || message.button))) {
    box?.postMessage({ message: JSON.stringify(message) });
  }
}

// -- replays -----------------------------------------------------------------------

const FILMED = ["levers", "button", "panel", "lamp", "sound", "words", "said", "list", "dice"];

let replay = null;
let showPage = () => {};
const hidden = {}; // of the box, what a replay hides

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
  showPage(state);
}

// Shows a script on a box of its own; null ends that.
function watch(script, isPacked = false) {
  replay?.terminate();
  replay = null;
  if (script === null) {
    history.replaceState(null, "", location.pathname + location.search);
    showPage({ type: "change", ...hidden, film: null });
    return;
  }
  send({ button: false });
  replay = worker("replay");
  replay.addEventListener("message", ({ data }) => {
    if (data.state !== undefined) {
      showPage(JSON.parse(data.state));
    } else if (data.complaint !== undefined) {
      showPage({ type: "change", film: { over: true, complaint: data.complaint } });
    }
  });
  replay.postMessage({ script, isPacked });
  showPage({ type: "change", sound: null, list: null, film: { over: false, complaint: window.loadingTexts.starting } });
}

function followLink() {
  const [, packed] = /^#replay=(.*)$/.exec(location.hash) ?? [];
  if (packed !== undefined) {
    watch(packed, true);
  }
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
