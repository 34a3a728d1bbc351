// The drawer for makers: it breaks and mends the simulated hardware, nothing else.

import { answer, byId, made } from "./parts.js";
import { send } from "./wire.js";

const MAX_SCENARIO = 64 * 1024; // bytes of the message that contains a scenario
const LOG_LINES = 200;
const STATES = ["works", "stuck", "cut"];

const drawer = byId("workshop");
let texts = {};
let pins = [];
let hardware = null;
let power = null;
let levers = [];
const parts = {};

// Called once.
export function build() {
  byId("workshop-parts").innerHTML = `
    <p data-text="workshop_note"></p>
    <p><button type="button" data-part="mend" data-text="mend"></button></p>
    <p hidden><button type="button" data-part="service" data-text="press_service"></button></p>
    <h3 data-text="power"></h3>
    <p><button type="button" data-part="plug" data-text="pull_plug"></button> <span data-text="pull_plug_note"></span></p>
    <h3 data-text="hardware"></h3>
    <p><label><input type="checkbox" data-part="display_unplugged"> <span data-text="display_unplugged"></span></label></p>
    <p><label><input type="checkbox" data-part="disk_full"> <span data-text="disk_full"></span></label></p>
    <p><label><span data-part="bounce_text"></span> <input type="range" min="0" max="100" data-part="bounce_ms"></label></p>
    <p><label><span data-part="lost_text"></span> <input type="range" min="0" max="100" data-part="lost_percent"></label></p>
    <div data-part="contacts" class="contacts"></div>
    <h3 data-text="scenario"></h3>
    <p><button type="button" data-part="record"></button> <span data-part="record_note"></span></p>
    <p data-part="recorded">
      <button type="button" data-part="replay" data-text="replay_recorded"></button>
      <a href="recording.scn" download="recording.scn" data-text="download"></a>
    </p>
    <p><label><span data-text="replay_file"></span> <input type="file" accept=".scn,text/plain" data-part="file"></label>
      <span data-part="too_large" role="alert"></span></p>
    <h3 data-text="pins"></h3>
    <table><thead><tr data-part="columns"></tr></thead><tbody data-part="pins"></tbody></table>
    <h3 id="log-title" data-text="log"></h3>
    <pre data-part="log" tabindex="0" role="region" aria-labelledby="log-title"></pre>
  `;
  for (const element of drawer.querySelectorAll("[data-part]")) {
    parts[element.dataset.part] = element;
  }
  parts.mend.addEventListener("click", () => send({ mend: true }));
  parts.service.addEventListener("click", () => send({ press_service: true }));
  parts.plug.addEventListener("click", () => send({ pull_plug: true }));
  parts.record.addEventListener("click", () => send({ record: !power.recording }));
  parts.replay.addEventListener("click", () => send({ replay: "" }));
  for (const key of ["display_unplugged", "disk_full"]) {
    parts[key].addEventListener("change", () => send({ [key]: parts[key].checked }));
  }
  for (const key of ["bounce_ms", "lost_percent"]) {
    parts[key].addEventListener("input", showAmounts);
    parts[key].addEventListener("change", () => send({ [key]: parts[key].valueAsNumber }));
  }
  parts.file.addEventListener("change", replayFile);
}

export function isOpen() {
  return !drawer.hidden;
}

// Opens or closes the drawer, and returns whether it is open.
export function toggle() {
  drawer.hidden = !drawer.hidden;
  parts.log.textContent = "";
  send({ workshop: isOpen() });
  if (isOpen()) {
    drawer.scrollIntoView({ block: "nearest" });
  }
  return isOpen();
}

function replayFile() {
  const [file] = parts.file.files;
  parts.file.value = ""; // so that the same file can be taken again
  if (file) {
    replay(file);
  }
}

// Shows what is in a file on another box: a scenario, or the record of a match.
export async function replay(file) {
  const scenario = file.size > MAX_SCENARIO ? "" : await file.text();
  const fits = file.size <= MAX_SCENARIO && new Blob([JSON.stringify({ replay: scenario })]).size <= MAX_SCENARIO;
  answer(parts.too_large, fits ? "" : texts.too_large.replace("{amount}", MAX_SCENARIO / 1024));
  if (scenario && fits) {
    send({ replay: scenario });
  }
}

export function showTexts(given) {
  texts = given;
  byId("workshop-title").textContent = texts.workshop;
  for (const element of drawer.querySelectorAll("[data-text]")) {
    element.textContent = texts[element.dataset.text];
  }
  const columns = texts.pin_columns[0].map((column) => {
    const cell = made("th", "", column);
    cell.scope = "col";
    return cell;
  });
  parts.columns.replaceChildren(...columns);
  showAmounts();
  levers = [];
  showContacts();
  showPins();
  showPower();
}

export function show(state, complete) {
  if (complete) {
    parts.log.textContent = "";
  }
  if (state.levers && state.levers.length !== levers.length) {
    levers = [];
  }
  hardware = state.hardware ?? hardware;
  pins = state.pins ?? pins;
  if (state.hardware) {
    for (const key of ["display_unplugged", "disk_full"]) {
      parts[key].checked = hardware[key];
    }
    for (const key of ["bounce_ms", "lost_percent"]) {
      parts[key].value = hardware[key];
    }
    parts.service.parentElement.hidden = !hardware.service;
    showAmounts();
  }
  if (state.pins) {
    showPins();
  }
  if (state.hardware || state.pins) {
    showContacts();
  }
  if (state.power !== undefined) {
    power = state.power;
    showPower();
  }
  if (state.log) {
    showLog(state.log);
  }
}

function showAmounts() {
  if (texts.bounce) {
    parts.bounce_text.textContent = texts.bounce.replace("{amount}", parts.bounce_ms.value);
    parts.lost_text.textContent = texts.lost_edges.replace("{amount}", parts.lost_percent.value);
  }
}

function showContacts() {
  if (!hardware || !texts.lever) {
    return;
  }
  const numbers = pins.map(([, wiredTo]) => Number(wiredTo)).filter(Boolean);
  if (numbers.length !== levers.length) {
    levers = numbers;
    parts.contacts.replaceChildren(...levers.map(makeContact));
  }
  for (const select of parts.contacts.querySelectorAll("select")) {
    const number = Number(select.dataset.number);
    const [stuck, cut] = [hardware.stuck, hardware.cut].map((broken) => broken.includes(number));
    select.value = (cut && "cut") || (stuck && "stuck") || "works";
  }
}

function makeContact(number) {
  const label = made("label", "", `${texts.lever.replace("{number}", number)} `);
  const select = document.createElement("select");
  select.dataset.number = number;
  for (const state of STATES) {
    select.append(new Option(texts[`contact_${state}`], state));
  }
  select.addEventListener("change", () => send({ lever: number, state: select.value }));
  label.append(select);
  return label;
}

function showPins() {
  if (!texts.lever) {
    return;
  }
  const named = { button: texts.button, service: texts.service, lamp: texts.lamp, buzzer: texts.buzzer };
  const rows = pins.map(([line, wiredTo, value, isOpen, edges]) => {
    const row = document.createElement("tr");
    const level = value === 1 ? texts.high : value === 0 ? texts.low : `${Math.round(value * 100)} %`;
    const name = named[wiredTo] ?? texts.lever.replace("{number}", wiredTo);
    row.append(...[line, name, isOpen ? level : texts.closed, edges].map((text) => made("td", "", text)));
    row.classList.toggle("low", isOpen && value === 0);
    return row;
  });
  parts.pins.replaceChildren(...rows);
}

function showPower() {
  for (const part of ["plug", "record"]) {
    parts[part].disabled = !power;
  }
  parts.record.parentElement.hidden = power?.recording === null; // nothing can be recorded there
  parts.record.textContent = power?.recording ? texts.stop_recording : texts.record;
  parts.record_note.textContent = power?.recording ? texts.recording : texts.record_note;
  parts.recorded.hidden = !power?.recorded;
}

function showLog(lines) {
  const { scrollTop, scrollHeight, clientHeight } = parts.log;
  const atEnd = scrollTop + clientHeight > scrollHeight - 8;
  const all = parts.log.textContent.split("\n").filter(Boolean).concat(lines);
  parts.log.textContent = all.slice(-LOG_LINES).join("\n");
  if (atEnd) {
    parts.log.scrollTop = parts.log.scrollHeight;
  }
}
