// The way to the box, where the box runs in a worker of this tab. Only this module knows that.

let box = null;
let odds = null;

const worker = (role) => new Worker(new URL("worker.js", import.meta.url), { type: "module", name: role });

// Starts the box.
//   show(state): the box has changed; the first state is complete, its type is "box".
//   opened(), lost(): the box can be played, or no longer.
export function connect({ show, opened, lost }) {
  const loading = document.getElementById("loading");
  box = worker("box");
  box.addEventListener("message", ({ data }) => {
    if (data.state !== undefined) {
      const state = JSON.parse(data.state);
      show(state);
      if (state.type === "box") {
        loading.hidden = true;
        opened();
      }
    } else if (data.progress !== undefined) {
      loading.querySelector("progress").value = data.progress;
      loading.querySelector("span").textContent = data.part;
    } else if (data.question !== undefined) {
      ask(data.question);
    } else if (data.refusal !== undefined) {
      lost();
      loading.hidden = true;
      const notice = document.getElementById("notice");
      notice.textContent = data.refusal;
      notice.hidden = false;
    }
  });
  box.postMessage({ address: location.search });
}

// Sends what a hand does: {lever, down}, {button}, or a wish of the workshop.
export function send(message) {
  box?.postMessage({ message: JSON.stringify(message) });
}

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

if ("serviceWorker" in navigator && location.protocol !== "file:") {
  navigator.serviceWorker.register("offline.js");
}
