// The drawer of settings: all that the box's menu has, on one form. The box says what can be chosen and
// what holds; a choice goes to the box and is shown when the box has taken it.

import { byId, made } from "./parts.js";
import { send } from "./wire.js";

const PAUSE_MS = 250; // arrow keys walk through options, and only the one where they stop is chosen

const drawer = byId("settings");
const items = byId("settings-items");
const names = byId("settings-names");

let form = null;
let texts = {};
let waiting = null;
let isLocked = false;
let boxes = null;

// Opens or closes the drawer, and returns whether it is open.
export function toggle() {
  drawer.hidden = !drawer.hidden;
  return !drawer.hidden;
}

export function showTexts(given) {
  texts = given;
  byId("settings-title").textContent = texts.settings;
  showWait();
  byId("settings-note").textContent = texts.names_note;
  byId("leave").textContent = texts.leave;
  if (form) {
    show(form);
  }
}

// A visitor from another machine sees the settings, and why they stay.
export function lock(given) {
  isLocked = given;
  byId("house-rules").hidden = given;
  showWait();
}

function showWait() {
  byId("settings-wait").textContent = isLocked ? texts.settings_elsewhere : texts.settings_wait;
}

export function show(given) {
  form = given;
  drawer.classList.toggle("waits", form !== null && !form.open);
  byId("settings-wait").hidden = !form || form.open;
  byId("settings-leave").hidden = !form?.leaves;
  if (!form) {
    return;
  }
  const shown = shownItems();
  fill(items, shown.length, makeItem);
  shown.forEach((item, index) => showItem(items.children[index], item));
  fill(names, form.names.length, makeName);
  form.names.forEach((letters, seat) => showName(names.children[seat], letters, seat));
}

// How many levers a box may have; null where it can't be built anew.
export function showBoxes(given) {
  boxes = given;
  if (form) {
    show(form);
  }
}

// The settings, and after the game the number of levers, for which the box is built anew.
function shownItems() {
  const [game, ...others] = form.items;
  const options = boxes?.options.map((levers) => [String(levers), levers]);
  return options
    ? [game, { key: null, label: texts.levers, about: texts.levers_about, options, chosen: boxes.chosen }, ...others]
    : form.items;
}

// Rows that stay are kept, so that the focus does.
function fill(parent, count, make) {
  while (parent.children.length > count) {
    parent.lastElementChild.remove();
  }
  while (parent.children.length < count) {
    parent.append(make(parent.children.length));
  }
}

function makeItem(index) {
  const row = made("div", "item");
  const select = document.createElement("select");
  const [title, about] = [made("label"), made("small", "about")];
  title.htmlFor = select.id = `setting-${index}`;
  about.id = `about-${index}`;
  select.setAttribute("aria-describedby", about.id);
  select.addEventListener("change", () => {
    const { key, options } = shownItems()[index];
    const [, value] = options[select.selectedIndex];
    clearTimeout(waiting);
    waiting = setTimeout(() => send(key === null ? { build: value } : { set: key, to: value }), PAUSE_MS);
  });
  row.append(title, select, about);
  return row;
}

function showItem(row, { label, about: aboutText, options, groups, chosen, large }) {
  const [title, select, about] = row.children;
  title.textContent = label;
  const shown = JSON.stringify([options.map(([text]) => text), groups]);
  if (row.dataset.shown !== shown) {
    row.dataset.shown = shown;
    select.replaceChildren(...grouped(options.map(([text], index) => new Option(text, index)), groups));
  }
  select.selectedIndex = chosen;
  select.disabled = !form.open;
  row.classList.toggle("large", Boolean(large));
  about.textContent = aboutText;
}

// Options under the headings of their groups: `groups` is how many options each heading has.
function grouped(options, groups) {
  if (!groups) {
    return options;
  }
  const rest = [...options];
  return groups.map(([heading, count]) => {
    const group = document.createElement("optgroup");
    group.label = heading;
    group.append(...rest.splice(0, count));
    return group;
  });
}

function makeName() {
  const row = made("label", "item");
  const input = document.createElement("input");
  input.type = "text";
  input.autocomplete = "off";
  input.autocapitalize = "characters";
  input.spellcheck = false;
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") {
      input.blur();
      event.stopPropagation();
    }
  });
  input.addEventListener("input", () => {
    input.value = lettersOf(input.value).slice(0, form.letters);
    giveNames();
  });
  input.addEventListener("change", () => {
    input.value = input.value.length === form.letters ? input.value : "";
    giveNames();
  });
  row.append(made("span"), input);
  return row;
}

function showName(row, letters, seat) {
  const [title, input] = row.children;
  title.textContent = texts.name.replace("{number}", seat + 1);
  input.maxLength = form.letters;
  input.disabled = !form.open;
  row.hidden = form.computers.includes(seat);
  if (document.activeElement !== input) {
    input.value = letters;
  }
}

function giveNames() {
  const given = [...names.children].map(({ lastElementChild: input }) => input.value);
  send({ names: given.map((letters) => (letters.length === form.letters ? letters : "")) });
}

function lettersOf(text) {
  return text.normalize("NFD").toUpperCase().replace(/[^A-Z]/g, "");
}

for (const sheet of [items, names]) {
  sheet.addEventListener("submit", (event) => event.preventDefault());
}
