// The part of the settings where house rules are given: written, or in a file.

import { answer, byId } from "./parts.js";
import { send } from "./wire.js";

const MOST = 60 * 1024; // bytes; the box takes somewhat more
const EXAMPLE = 'like = "pub"\ntitle.en = "Friday night"\nshut_wins = "no"\n';

const part = byId("house-rules");
const text = byId("rules-text");
const said = byId("rules-said");
let texts = {};

export function showTexts(given) {
  texts = given;
  part.querySelector("summary").textContent = texts.house_rules;
  byId("rules-note").textContent = texts.rules_note;
  byId("rules-play").textContent = texts.play_rules;
  part.querySelector("label span").textContent = texts.rules_file;
  text.placeholder = EXAMPLE;
}

// What the box says to the rules that were given last.
export function show(text) {
  answer(said, text);
}

function play(file) {
  const rules = text.value || EXAMPLE;
  text.value = rules;
  show("");
  send({ rules, file });
}

export async function give(file) {
  part.open = true;
  part.scrollIntoView({ block: "nearest" });
  if (file.size > MOST) {
    show(texts.too_large.replace("{amount}", MOST / 1024));
    return;
  }
  text.value = await file.text();
  play(file.name);
}

byId("rules-play").addEventListener("click", () => play(""));
byId("rules-file").addEventListener("change", ({ target }) => {
  const [file] = target.files;
  target.value = "";
  if (file) {
    give(file);
  }
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    text.blur();
    event.stopPropagation();
  }
});
