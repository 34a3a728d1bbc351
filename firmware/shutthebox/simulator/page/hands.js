// What hands do on the page: pointers and keys at the levers, the dice button and a list's cursor, as messages.

import { byId } from "./parts.js";
import { send } from "./wire.js";

const KEYS = [
  "Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6",
  "Digit7", "Digit8", "Digit9", "Digit0", "Minus", "Equal",
];
const SIGNS = [..."1234567890-="];
const SLIP_PX = 28; // how far a finger may slide off the button and still hold it
const STEP_PX = 8; // steps between two events of a sweep, short enough to skip no lever
const FIELD = "input[type=text], textarea";
const CLICK_MS = 120;
const HOLD_MS = 1000;

const bank = byId("bank");
const dice = byId("dice");

export const levers = new Map(); // number -> {element, down, wanted}
let list = null; // on the display, while its cursor can be moved
let command = {}; // what keys ask of the page: close, help, mute, sayOpen

export function obey(commands) {
  command = commands;
}

export function setList(shown) {
  list = shown;
}

// The connection is lost, and with it whatever was held.
export function letGo() {
  held.clear();
}

// -- the levers --------------------------------------------------------------------

function move(number, down) {
  levers.get(number).wanted = down;
  send({ lever: number, down });
}

function liftAll() {
  for (const [number, { wanted }] of levers) {
    if (wanted) {
      move(number, false);
    }
  }
}

byId("lift").addEventListener("click", liftAll);

function flip(number) {
  move(number, !levers.get(number).wanted); // so that two quick clicks move the lever there and back
}

// A finger or a mouse that goes on to another lever takes all levers on its way along.
let sweep = null; // {pointer, first, x, y, down}: down is undefined while only one lever is touched

bank.addEventListener("pointerdown", (event) => {
  const number = leverAt(event.clientX, event.clientY);
  if (event.isPrimary && event.button === 0 && number !== undefined) {
    sweep = { pointer: event.pointerId, first: number, x: event.clientX, y: event.clientY };
  }
});
window.addEventListener("pointermove", (event) => {
  if (sweep?.pointer !== event.pointerId || event.buttons === 0) {
    return;
  }
  const { x, y } = sweep;
  const steps = Math.ceil(Math.hypot(event.clientX - x, event.clientY - y) / STEP_PX);
  for (let step = 1; step <= steps; step += 1) {
    sweepOver(leverAt(x + ((event.clientX - x) * step) / steps, y + ((event.clientY - y) * step) / steps));
  }
  sweep.x = event.clientX;
  sweep.y = event.clientY;
});
window.addEventListener("pointerup", (event) => {
  if (sweep?.pointer === event.pointerId) {
    if (sweep.down === undefined && leverAt(event.clientX, event.clientY) === sweep.first) {
      flip(sweep.first);
    }
    sweep = null;
    pointed = true;
  }
});
// A finger that scrolls the page moves no lever.
window.addEventListener("pointercancel", () => {
  sweep = null;
});
// Keys and screen readers click without a pointer; the click that follows a pointer is ignored.
let pointed = false;

bank.addEventListener("click", (event) => {
  const number = Number(event.target.closest(".lever")?.dataset.number);
  if (levers.has(number) && !(pointed && event.detail !== 0)) {
    flip(number);
  }
  pointed = false;
});
bank.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch asks for it

function leverAt(x, y) {
  const lever = document.elementFromPoint(x, y)?.closest(".lever");
  return lever ? Number(lever.dataset.number) : undefined;
}

function sweepOver(number) {
  if (number === undefined || (number === sweep.first && sweep.down === undefined)) {
    return;
  }
  if (sweep.down === undefined) {
    sweep.down = !levers.get(sweep.first).wanted;
    move(sweep.first, sweep.down);
  }
  if (levers.get(number).wanted !== sweep.down) {
    move(number, sweep.down);
  }
}

// -- the dice button ---------------------------------------------------------------

const held = new Set(); // everything that holds the button: a pointer's id, a key's code

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

export function releaseAll() {
  [...held].forEach(release);
}

dice.addEventListener("pointerdown", (event) => {
  if (event.button === 0) {
    hold(event.pointerId);
    dice.setPointerCapture(event.pointerId);
  }
});
// The window gets the pointer's events even where a browser releases the capture.
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
// A screen reader clicks without pointer or key.
dice.addEventListener("click", (event) => {
  if (event.detail === 0) {
    click();
  }
});

export function click(lastsMs = CLICK_MS) {
  if (!held.size) {
    hold("click");
    setTimeout(() => release("click"), lastsMs);
  }
}

byId("long").addEventListener("click", () => click(HOLD_MS)); // it can't hold either
window.addEventListener("blur", releaseAll);
window.addEventListener("pagehide", releaseAll);
document.addEventListener("visibilitychange", () => document.hidden && releaseAll());

// -- the keyboard ------------------------------------------------------------------

// A pointer must not leave the focus on a control, or the space bar would use it again instead of throwing
// the dice. A field to type in keeps it, and a select while its list is open.
let byPointer = false;
let pointedSelect = null;

for (const gesture of ["pointerdown", "keydown"]) {
  document.addEventListener(gesture, () => (byPointer = gesture === "pointerdown"), { capture: true });
}
document.addEventListener("focusin", (event) => {
  pointedSelect = byPointer && event.target.matches("select") ? event.target : null;
});
document.addEventListener("mousedown", (event) => {
  if (event.target.closest("button, summary")) {
    event.preventDefault();
    document.activeElement?.blur();
  }
});
for (const end of ["click", "change"]) {
  document.addEventListener(end, (event) => {
    const control = event.target.closest(end === "click" ? "a, input" : "input, select");
    if (byPointer && control && !control.matches(FIELD)) {
      document.activeElement?.blur();
    }
  });
}

// What is typed into a field is its own, and so are the keys of a select that is open or was reached by keys.
const knowsOpen = CSS.supports("selector(:open)");

function isListOpen(focus) {
  return focus?.matches("select") && knowsOpen && focus.matches(":open");
}

function isTyping(focus) {
  const closed = focus === pointedSelect && knowsOpen && !isListOpen(focus);
  return focus?.matches(FIELD) || (focus?.matches("select") && !closed);
}

// Levers have keys by their place, and screen readers name a key by its sign: on a French keyboard, that of lever 1
// is &. Without knowing the keyboard, none is named.
const signs = new Map(); // code -> sign

async function readKeyboard() {
  signs.clear();
  try {
    (await navigator.keyboard?.getLayoutMap())?.forEach((sign, code) => signs.set(code, sign));
    if (signs.size && ![...signs.values()].includes("l")) {
      byId("lift").removeAttribute("aria-keyshortcuts"); // a keyboard of another script
    }
  } catch {
    // a page within another one may not ask
  }
  nameKeys();
}

function learnKey(event) {
  const isPlain = !event.shiftKey && !event.getModifierState("AltGraph") && [...event.key].length === 1;
  if (isPlain && KEYS.includes(event.code) && signs.get(event.code) !== event.key) {
    if (signs.has(event.code)) {
      signs.clear(); // another keyboard
    }
    signs.set(event.code, event.key);
    nameKeys();
  }
}

export function nameKeys() {
  [...levers.values()].forEach(({ element }, index) => {
    const sign = signs.get(KEYS[index]);
    if (sign === undefined || [...sign].length !== 1) {
      element.removeAttribute("aria-keyshortcuts");
    } else {
      element.setAttribute("aria-keyshortcuts", sign === "+" ? "Plus" : sign);
    }
  });
}

readKeyboard();

document.addEventListener("keydown", (event) => {
  const focus = document.activeElement;
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) {
    return;
  }
  learnKey(event);
  if (event.key === "Escape" && !isListOpen(focus)) {
    command.close();
    return;
  }
  if (isTyping(focus)) {
    return;
  }
  if (event.code === "Space" || event.code === "Enter" || event.code === "NumpadEnter") {
    const control = focus?.closest("button, summary, a, input");
    if (!control || control === dice) {
      event.preventDefault();
      if (!event.repeat) {
        hold(event.code);
      }
    }
    return;
  }
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
  if (step && list && !focus?.matches("input, pre")) {
    event.preventDefault();
    moveCursor(step);
    return;
  }
  if (event.key === "?") {
    event.preventDefault();
    command.help();
    return;
  }
  if (event.key.toLowerCase() === "o" && !event.repeat) {
    command.sayOpen();
    return;
  }
  if (event.key.toLowerCase() === "m" && !event.repeat) {
    command.mute();
    return;
  }
  if (event.key.toLowerCase() === "l" && !event.repeat) {
    liftAll();
    return;
  }
  // By the key's place, not by its sign: on a French keyboard the digits need shift. Keyboards
  // on a touch screen report no places.
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

// -- a list's cursor ---------------------------------------------------------------

export function moveCursor(by) {
  if (by) {
    send({ cursor: by });
  }
}
