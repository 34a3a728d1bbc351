// The box in the browser. It draws what the server says and sends what a hand does;
// nothing here knows a rule, and no lever moves before its contact has.

import { isMuted, knock, setMuted, setTone, unlock } from "./sounds.js";
import { language, texts } from "./texts.js";

const COLUMNS = 12;
const KEYS = [
  "Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6",
  "Digit7", "Digit8", "Digit9", "Digit0", "Minus", "Equal",
];
const SIGNS = [..."1234567890-="];
const RETRY_MS = [250, 500, 1000, 2000];
const SLIP_PX = 28; // how far a finger may slide off the button and still hold it
const LIT = [190, 232, 255];

const byId = (id) => document.getElementById(id);
const bank = byId("bank");
const dice = byId("dice");
const panel = byId("panel");
const mute = byId("mute");
const helpToggle = byId("help-toggle");
const help = byId("help");
const notice = byId("notice");

const levers = new Map(); // number -> {element, down, wanted}
let socket = null;
let failures = 0;

// For tests and the curious: 128 x 64 pixels, row by row, 1 where lit.
window.panelBits = new Uint8Array(128 * 64);

// -- the server --------------------------------------------------------------------

function connect() {
  socket = new WebSocket(`ws://${location.host}/box`);
  socket.addEventListener("message", (event) => show(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    setTone(null);
    held.clear();
    document.body.classList.add("away");
    notice.textContent = texts.lost;
    notice.hidden = false;
    setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    failures += 1;
  });
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(message));
  }
}

function show(state) {
  const complete = state.type === "box";
  if (complete) {
    failures = 0;
    notice.hidden = true;
    document.body.classList.remove("away");
  }
  if (state.levers) {
    showLevers(state.levers, complete);
  }
  if (state.button !== undefined) {
    dice.classList.toggle("down", state.button);
    dice.setAttribute("aria-pressed", String(state.button));
  }
  if (state.panel !== undefined) {
    showPanel(state.panel);
  }
  if (state.lamp !== undefined) {
    dice.style.setProperty("--lamp", state.lamp);
  }
  if (state.sound !== undefined) {
    setTone(state.sound);
  }
}

// -- the levers --------------------------------------------------------------------

function showLevers(states, complete) {
  if (states.length !== levers.size || states.some(({ number }) => !levers.has(number))) {
    buildBank(states);
    complete = true;
  }
  for (const { number, down } of states) {
    const lever = levers.get(number);
    lever.wanted = down;
    if (lever.down !== down) {
      lever.down = down;
      lever.element.setAttribute("aria-checked", String(down));
      if (!complete) {
        knock(down);
      }
    }
  }
}

function buildBank(states) {
  levers.clear();
  bank.replaceChildren();
  const columns = Math.min(states.length, COLUMNS);
  const rows = Math.ceil(states.length / COLUMNS);
  bank.style.setProperty("--columns", columns);
  // A narrow screen takes nine in a row, and ten to twelve in two even ones.
  bank.style.setProperty("--narrow", columns <= 9 || rows > 1 ? Math.min(columns, 9) : Math.ceil(columns / 2));
  bank.style.setProperty("--numeral", states.length > 9 ? "50cqi" : "66cqi");
  byId("box").dataset.rows = rows > 2 ? "many" : String(rows);
  states.forEach(({ number }, index) => {
    const lever = { element: makeLever(number, index), down: false, wanted: false };
    lever.element.addEventListener("click", () => flip(number));
    levers.set(number, lever);
    bank.append(lever.element);
  });
}

function makeLever(number, index) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "lever";
  element.dataset.number = number;
  element.style.setProperty("--grain", `${-((number * 137) % 400)}px ${-((number * 71) % 300)}px`);
  element.setAttribute("role", "switch");
  element.setAttribute("aria-checked", "false");
  element.setAttribute("aria-label", texts.lever(number));
  if (index < KEYS.length) {
    element.setAttribute("aria-keyshortcuts", SIGNS[index]);
  }
  const flap = part("flap");
  const front = part("front");
  const back = part("back");
  front.append(part("numeral", number));
  back.append(part("numeral", number));
  flap.append(front, part("edge"), back);
  element.append(part("shadow"), flap, part("hinge"));
  return element;
}

function part(name, text = "") {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

function flip(number) {
  const lever = levers.get(number);
  lever.wanted = !lever.wanted; // so that two quick clicks are there and back
  send({ lever: number, down: lever.wanted });
}

// A mouse must not leave the focus on a lever, or the space bar would flip it again
// instead of throwing the dice.
bank.addEventListener("mousedown", (event) => event.preventDefault());

// -- the dice button ---------------------------------------------------------------

const held = new Set(); // whatever holds it: a pointer's id, a key's code

function hold(what) {
  if (!held.size) {
    send({ button: true });
  }
  held.add(what);
}

function release(what) {
  if (held.delete(what) && !held.size) {
    send({ button: false });
  }
}

function releaseAll() {
  [...held].forEach(release);
}

dice.addEventListener("pointerdown", (event) => {
  if (event.button === 0) {
    hold(event.pointerId);
    dice.setPointerCapture(event.pointerId);
  }
});
// The window hears of a pointer even where a browser lets go of the capture.
window.addEventListener("pointermove", (event) => {
  const { left, right, top, bottom } = dice.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  const slipped = x < left - SLIP_PX || x > right + SLIP_PX || y < top - SLIP_PX || y > bottom + SLIP_PX;
  if (slipped || event.buttons === 0) {
    release(event.pointerId);
  }
});
for (const end of ["pointerup", "pointercancel"]) {
  window.addEventListener(end, (event) => release(event.pointerId));
}
document.documentElement.addEventListener("pointerleave", (event) => release(event.pointerId));
dice.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch asks for it
dice.addEventListener("mousedown", (event) => event.preventDefault());
// A screen reader clicks without pointer or key.
dice.addEventListener("click", (event) => {
  if (event.detail === 0 && !held.size) {
    hold("click");
    setTimeout(() => release("click"), 120);
  }
});
window.addEventListener("blur", releaseAll);
window.addEventListener("pagehide", releaseAll);
document.addEventListener("visibilitychange", () => document.hidden && releaseAll());

// -- the keyboard ------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  if (event.code === "Space" || event.code === "Enter" || event.code === "NumpadEnter") {
    const control = document.activeElement?.closest("button");
    if (!control || control === dice) {
      event.preventDefault();
      if (!event.repeat) {
        hold(event.code);
      }
    }
    return;
  }
  // By place, not by sign: on a French keyboard the digits need shift. A keyboard on the
  // glass knows no places.
  const index = event.code ? KEYS.indexOf(event.code.replace("Numpad", "Digit")) : SIGNS.indexOf(event.key);
  const number = [...levers.keys()][index];
  if (number !== undefined && !event.repeat) {
    event.preventDefault();
    flip(number);
  }
});
document.addEventListener("keyup", (event) => {
  if (held.has(event.code)) {
    event.preventDefault();
    release(event.code);
  }
});

// -- the display -------------------------------------------------------------------

const surface = panel.getContext("2d", { willReadFrequently: true });
const frame = surface.createImageData(128, 64);

function showPanel(base64) {
  const bytes = atob(base64);
  for (let i = 0; i < window.panelBits.length; i += 1) {
    const lit = (bytes.charCodeAt(i >> 3) >> (7 - (i & 7))) & 1;
    window.panelBits[i] = lit;
    frame.data.set(LIT, i * 4);
    frame.data[i * 4 + 3] = lit ? 255 : 0;
  }
  surface.putImageData(frame, 0, 0);
}

// -- sound, help, words ------------------------------------------------------------

function showMute() {
  mute.setAttribute("aria-pressed", String(isMuted()));
  mute.title = isMuted() ? texts.unmute : texts.mute;
}

mute.addEventListener("click", () => {
  setMuted(!isMuted());
  showMute();
});
helpToggle.addEventListener("click", () => {
  help.hidden = !help.hidden;
  helpToggle.setAttribute("aria-expanded", String(!help.hidden));
  if (!help.hidden) {
    help.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
});
for (const control of [mute, helpToggle]) {
  control.addEventListener("mousedown", (event) => event.preventDefault());
}
for (const gesture of ["pointerdown", "pointerup", "keydown"]) {
  document.addEventListener(gesture, unlock, { capture: true });
}

document.documentElement.lang = language;
bank.setAttribute("aria-label", texts.bank);
dice.setAttribute("aria-label", texts.dice);
panel.setAttribute("aria-label", texts.panel);
mute.setAttribute("aria-label", texts.mute);
helpToggle.setAttribute("aria-label", texts.help);
helpToggle.title = texts.help;
byId("help-title").textContent = texts.title;
byId("help-keys").textContent = texts.keys;
for (const [term, meaning] of texts.list) {
  const dt = document.createElement("dt");
  const dd = document.createElement("dd");
  dt.textContent = term;
  dd.textContent = meaning;
  byId("help-list").append(dt, dd);
}
showMute();
connect();
