// The box in the browser. It draws what the server says and sends what a hand does;
// it knows no rule, and moves no lever before the server has moved its contact.

import { keepAwake } from "./awake.js";
import * as coach from "./coach.js";
import * as thrown from "./dice.js";
import { click, letGo, levers, moveCursor, nameKeys, obey, releaseAll, setList } from "./hands.js";
import { answer, byId, made, name } from "./parts.js";
import * as houseRules from "./house_rules.js";
import * as settings from "./settings.js";
import { isMuted, knock, setMuted, setTone, unlock } from "./sounds.js";
import * as turns from "./turns.js";
import { connect, send } from "./wire.js";
import * as workshop from "./workshop.js";

const ONE_ROW = 12; // levers of a wooden box stand in one row, however narrow the window is
const FINGER_PX = 44; // with more, a lever is never narrower
const NARROW_PX = 450; // on a narrower box the display takes the whole width, but for its bezel
const BEZEL_PX = 40;
const LIT = [190, 232, 255];

const box = byId("box");
const bank = byId("bank");
const tray = bank.nextElementSibling;
const dice = byId("dice");
const panel = byId("panel");
const mute = byId("mute");
const help = byId("help");
const helpToggle = byId("help-toggle");
const turnsToggle = byId("turns-toggle");
const settingsToggle = byId("settings-toggle");
const workshopToggle = byId("workshop-toggle");
const notice = byId("notice");

let texts = null;
let words = "";
let openTiles = "";
let isVisitor = false; // of another machine: hands only
let list = null; // on the display, while its cursor can be moved
let tiles = new Map(); // lever -> the tile that it moves now, where that has another number

// For tests: 128 x 64 pixels, row by row, 1 where lit.
window.panelBits = new Uint8Array(128 * 64);

// -- the box -----------------------------------------------------------------------

function opened() {
  if (workshop.isOpen()) {
    send({ workshop: true });
  }
}

function lost() {
  setTone(null);
  keepAwake(false);
  letGo();
  document.body.classList.add("away");
  notice.hidden = false;
}

function show(state) {
  const complete = state.type === "box";
  if (complete) {
    notice.hidden = true;
    document.body.classList.remove("away");
  }
  if (state.texts) {
    texts = state.texts;
    showTexts(state.language ?? document.documentElement.lang);
  }
  if (state.game) {
    showRules(state.game);
  }
  if (state.levers) {
    showLevers(state.levers, complete);
  }
  if (state.tiles) {
    tiles = new Map(state.tiles.map((tile) => [tile.lever, tile]));
  }
  if (state.tiles || state.levers || state.texts) {
    nameLevers();
  }
  if (state.button !== undefined) {
    dice.classList.toggle("down", state.button);
    dice.setAttribute("aria-pressed", String(state.button));
  }
  if (state.panel !== undefined) {
    showPanel(panel, state.panel);
  }
  if (state.turns) {
    turns.show(state.turns);
  }
  if (state.playing !== undefined) {
    keepAwake(state.playing);
  }
  if (state.match !== undefined) {
    showLink(byId("match-link"), state.match);
  }
  if (state.rules !== undefined) {
    houseRules.show(state.rules);
  }
  if (state.boxes !== undefined) {
    settings.showBoxes(state.boxes);
  }
  if (state.form !== undefined) {
    settings.show(state.form);
  }
  if (state.list !== undefined) {
    list = state.list;
    setList(list);
    panel.classList.toggle("rows", Boolean(list?.rows));
  }
  if (state.dice) {
    thrown.show(state.dice);
  }
  if (state.words !== undefined) {
    words = state.words;
  }
  if (state.words !== undefined || state.texts) {
    panel.setAttribute("aria-label", [texts.display, words].filter(Boolean).join(": "));
  }
  if (state.open !== undefined) {
    if (byId("said").textContent.trim() === openTiles) {
      byId("said").textContent = ""; // as it was
    }
    openTiles = state.open;
  }
  if (state.said !== undefined) {
    announce(...state.said);
  }
  if (state.lamp !== undefined) {
    dice.style.setProperty("--lamp", state.lamp);
  }
  if (state.sound !== undefined) {
    setTone(state.sound);
  }
  if (state.broken !== undefined) {
    workshopToggle.classList.toggle("broken", state.broken);
    name(workshopToggle, state.broken ? texts.broken : texts.workshop);
  }
  if (state.watching !== undefined) {
    document.body.classList.toggle("watching", state.watching);
    byId("watching").hidden = !state.watching;
  }
  if (state.maker !== undefined) {
    isVisitor = !state.maker;
    workshopToggle.hidden = isVisitor;
    settings.lock(isVisitor);
  }
  if (state.beside !== undefined) {
    showBeside(state.beside);
  }
  if (state.film !== undefined) {
    showFilm(state.film);
  }
  if (state.coach !== undefined) {
    coach.show(byId("coach"), state.coach, texts);
    turnsToggle.classList.toggle("news", state.coach !== null);
  }
  workshop.show(state, complete);
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
      lever.element.setAttribute("aria-pressed", String(down));
      if (!complete) {
        knock(down);
      }
    }
  }
}

function buildBank(states) {
  levers.clear();
  bank.replaceChildren();
  bank.style.setProperty("--numeral", states.length > 9 ? "50cqi" : "66cqi");
  states.forEach(({ number }) => {
    const lever = { element: makeLever(number), down: false, wanted: false };
    levers.set(number, lever);
    bank.append(lever.element);
  });
  nameKeys();
  fit();
}

function makeLever(number) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "lever";
  element.dataset.number = number;
  element.style.setProperty("--grain", `${-((number * 137) % 400)}px ${-((number * 71) % 300)}px`);
  element.setAttribute("aria-pressed", "false");
  const flap = made("span", "flap");
  const front = made("span", "front");
  const back = made("span", "back");
  // The number again on the back, and what else is on a flap, is drawn by the style: the lever has one
  // name, and shows one number.
  front.append(made("span", "numeral"));
  back.append(made("span", "numeral"));
  flap.append(front, made("span", "edge"), back);
  element.append(made("span", "shadow"), flap, made("span", "hinge"));
  return element;
}

// In a game with two rows, a lever has the number of the tile that it moves now, and its own below.
function nameLevers() {
  for (const [number, { element }] of levers) {
    const tile = tiles.get(number);
    const [front, back] = element.querySelectorAll(".numeral");
    front.textContent = tile?.tile ?? number;
    back.dataset.number = front.textContent;
    element.classList.toggle("at-back", tile?.back ?? false);
    for (const side of element.querySelectorAll(".front, .back")) {
      side.dataset.lever = tile && tile.tile !== number ? number : "";
      side.dataset.times = tile?.times > 1 ? `×${tile.times}` : "";
    }
    element.setAttribute("aria-label", tile?.name ?? texts.lever.replace("{number}", number));
  }
}

// -- the display -------------------------------------------------------------------

function showPanel(canvas, base64) {
  const bytes = atob(base64);
  const surface = canvas.getContext("2d", { willReadFrequently: true });
  const frame = surface.createImageData(128, 64);
  for (let i = 0; i < 128 * 64; i += 1) {
    const lit = (bytes.charCodeAt(i >> 3) >> (7 - (i & 7))) & 1;
    if (canvas === panel) {
      window.panelBits[i] = lit;
    }
    frame.data.set(LIT, i * 4);
    frame.data[i * 4 + 3] = lit ? 255 : 0;
  }
  surface.putImageData(frame, 0, 0);
}

// Arrow keys, the wheel and a click on a row move the cursor of a list; a click on the row at the cursor
// chooses it. The row at the cursor is the one that is dark on light.
const ROW_PX = 16;
const WHEEL_PX = 40; // of the wheel for one line

let wheeled = 0;

panel.addEventListener("wheel", (event) => {
  if (list) {
    event.preventDefault();
    wheeled += event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_PX : 1);
    const lines = Math.trunc(wheeled / WHEEL_PX);
    wheeled -= lines * WHEEL_PX;
    moveCursor(Math.sign(lines));
  }
});
panel.addEventListener("click", (event) => {
  const { top, height } = panel.getBoundingClientRect();
  const row = Math.floor((((event.clientY - top) / height) * panel.height) / ROW_PX);
  if (!list) {
    sayOpen();
  }
  if (!list?.rows || row > 2) {
    return;
  }
  const chosen = [0, 1, 2].filter(isInverted);
  if (chosen.includes(row)) {
    click();
  } else {
    moveCursor(row < chosen[0] ? row - chosen[0] : row - chosen.at(-1));
  }
});

function isInverted(row) {
  const pixels = window.panelBits.subarray(row * ROW_PX * 128, (row + 1) * ROW_PX * 128);
  return pixels.reduce((lit, pixel) => lit + pixel, 0) > pixels.length / 2;
}

// -- the size ----------------------------------------------------------------------

// Makes one row of levers, or with many of them as many as fingers need, all about equally long, and the box
// as large as fits the window, so that a pixel of the display is a whole number of pixels of the screen.
function fit() {
  if (!levers.size) {
    return;
  }
  box.style.zoom = 1;
  box.style.removeProperty("--pixel");
  const dots = window.devicePixelRatio;
  const most = Math.min(ONE_ROW, Math.max(1, Math.floor(bank.clientWidth / FINGER_PX)));
  const rows = levers.size <= ONE_ROW ? 1 : Math.ceil(levers.size / most);
  bank.style.setProperty("--columns", Math.ceil(levers.size / rows));
  box.dataset.rows = rows > 2 ? "many" : String(rows);
  if (bank.clientWidth < NARROW_PX && rows < 3) {
    box.style.setProperty("--pixel", Math.max(2, Math.floor(((bank.clientWidth - BEZEL_PX) / 128) * dots) / dots));
  }
  const style = getComputedStyle(document.body);
  const room = {
    x: document.body.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
    y: window.innerHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom),
  };
  const pixel = parseFloat(getComputedStyle(box).getPropertyValue("--pixel")) * dots;
  const grown = Math.min(room.x / box.offsetWidth, room.y / box.offsetHeight);
  box.style.zoom = Math.max(1, Math.floor(grown * pixel) / pixel);
  // An element that gets the focus must not lie behind the tray.
  document.documentElement.style.scrollPaddingBottom = rows > 2 ? `${tray.offsetHeight}px` : "";
  // Where the whole page is in view, a finger on the levers can't scroll it.
  bank.classList.toggle("in-view", document.documentElement.scrollHeight <= window.innerHeight);
}

window.addEventListener("resize", fit);

// -- sound, help, words ------------------------------------------------------------

function showMute() {
  mute.setAttribute("aria-pressed", String(isMuted()));
}

function toggleMute() {
  setMuted(!isMuted());
  showMute();
}

function openHelp() {
  releaseAll();
  help.showModal();
  help.scrollTop = 0;
}

mute.addEventListener("click", toggleMute);
helpToggle.addEventListener("click", openHelp);
byId("help-close").addEventListener("click", () => help.close());
// The dialog's padding belongs to it; a click outside is a click on its backdrop.
help.addEventListener("click", (event) => {
  const { left, right, top, bottom } = help.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  if (event.target === help && (x < left || x > right || y < top || y > bottom)) {
    help.close();
  }
});
// One drawer at a time is open beside the box.
const drawers = new Map([[turnsToggle, turns], [settingsToggle, settings], [workshopToggle, workshop]]);
let openedByKey = false;

// A key, or a screen reader, takes the focus into the drawer that it opens, and back when that closes.
function toggleDrawer(toggle, byKey = false) {
  const drawer = byId(toggle.getAttribute("aria-controls"));
  const goesBack = !drawer.hidden && (openedByKey || drawer.querySelector(":focus-visible"));
  for (const [other, drawer] of drawers) {
    if (other === toggle || other.getAttribute("aria-expanded") === "true") {
      other.setAttribute("aria-expanded", String(drawer.toggle()));
    }
  }
  openedByKey = byKey && !drawer.hidden;
  document.body.classList.toggle("in-drawer", !drawer.hidden);
  fit();
  if (openedByKey) {
    drawer.querySelector("h2").focus();
  } else if (goesBack) {
    toggle.focus();
  }
}

function closeDrawer() {
  const open = [...drawers.keys()].find((toggle) => toggle.getAttribute("aria-expanded") === "true");
  if (open) {
    toggleDrawer(open);
  }
}

for (const toggle of drawers.keys()) {
  toggle.addEventListener("click", (event) => toggleDrawer(toggle, event.detail === 0));
}
for (const close of ["turns-close", "settings-close", "workshop-close"]) {
  byId(close).addEventListener("click", closeDrawer);
}
// The box asks on its display, which a drawer may hide.
byId("leave").addEventListener("click", () => {
  send({ leave: true });
  closeDrawer();
});
for (const gesture of ["pointerdown", "pointerup", "keydown"]) {
  document.addEventListener(gesture, unlock, { capture: true });
}

// A screen reader does not read a text that has not changed; but an announcement may be repeated.
function announce(number, text) {
  byId("said").textContent = number % 2 || !text ? text : `${text}\u00a0`;
}

function sayOpen() {
  announce(byId("said").textContent === openTiles ? 0 : 1, openTiles);
}

function showFilm(film) {
  byId("film").hidden = film === null;
  document.body.classList.toggle("in-film", film !== null);
  if (film !== null) {
    answer(byId("film-text"), film.complaint || (film.over ? texts.replay_over : texts.replaying));
    byId("film-stop").textContent = texts.stop_replay;
    showLink(byId("film-link"), film.link ?? "");
  } else {
    showBeside(null);
  }
}

// The other box of a film of two that are linked: its panel, and its levers, of which some are down.
function showBeside(other) {
  byId("beside").hidden = other === null;
  if (other !== null) {
    showPanel(byId("beside-panel"), other.panel);
    name(byId("beside-panel"), [texts.display, other.words].filter(Boolean).join(": "));
    byId("beside-levers").replaceChildren(
      ...other.levers.map(({ number, down }) => made("li", down ? "down" : "", String(number))),
    );
  }
}

// A link to a match or a scenario, which is in the fragment: it goes to no server. A click copies it.
function showLink(place, packed) {
  const [link, said] = place.children;
  place.hidden = !packed;
  link.textContent = texts.link;
  link.href = packed ? `${location.pathname}#replay=${packed}` : "";
  answer(said, "");
}

for (const place of [byId("film-link"), byId("match-link")]) {
  const [link, said] = place.children;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      await (navigator.share && matchMedia("(pointer: coarse)").matches
        ? navigator.share({ url: link.href })
        : navigator.clipboard.writeText(link.href));
      answer(said, texts.link_copied);
    } catch {
      location.assign(link.href); // where nothing can be copied, the address has it
    }
  });
}

byId("film-stop").addEventListener("click", () => send({ replay: null }));

function showTexts(language) {
  document.documentElement.lang = language;
  notice.textContent = texts.lost;
  byId("watching").textContent = texts.watching;
  bank.setAttribute("aria-label", texts.levers);
  name(dice, texts.button);
  name(byId("long"), texts.hold);
  byId("lift").firstElementChild.textContent = texts.lift;
  name(mute, texts.mute);
  name(helpToggle, texts.help);
  for (const close of document.querySelectorAll(".close")) {
    name(close, texts.close);
  }
  name(turnsToggle, texts.turns);
  name(settingsToggle, texts.settings);
  name(workshopToggle, workshopToggle.classList.contains("broken") ? texts.broken : texts.workshop);
  byId("help-title").textContent = texts.help_title;
  byId("help-keys").textContent = texts.keys;
  byId("help-rows").replaceChildren(
    ...texts.help_rows.flatMap(([term, meaning]) => [made("dt", "", term), made("dd", "", meaning)]),
  );
  turns.showTexts(texts);
  settings.showTexts(texts);
  houseRules.showTexts(texts);
  workshop.showTexts(texts);
}

function showRules({ title, rules }) {
  byId("rules-title").textContent = texts.rules_title.replace("{game}", title);
  byId("rules").replaceChildren(...rules.map((rule) => made("li", "", rule)));
  byId("rules-title").hidden = byId("rules").hidden = !rules.length;
}

// A file that is dropped on the page: house rules, or something to replay.
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) {
    return;
  }
  event.preventDefault();
  if (!isVisitor && !/\.toml$/i.test(file.name)) {
    workshop.replay(file);
    return;
  }
  if (settingsToggle.getAttribute("aria-expanded") !== "true") {
    toggleDrawer(settingsToggle);
  }
  if (!isVisitor) {
    houseRules.give(file);
  }
});

showMute();
obey({ close: closeDrawer, help: openHelp, mute: toggleMute, sayOpen });
workshop.build();
connect({ show, opened, lost });
