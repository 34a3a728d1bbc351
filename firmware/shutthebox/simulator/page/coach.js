// Shows the coach's text for a turn or a match, and draws every choice: the dice, and the row as it stood.

import { face, made } from "./parts.js";

export function show(section, coach, texts) {
  section.hidden = coach === null;
  if (coach === null) {
    return;
  }
  const marks = made("p", "coach-marks", texts.coach_marks);
  const moves = made("ol", "moves");
  moves.append(...coach.moves.map(move));
  section.replaceChildren(made("summary", "", texts.coach), ...coach.pages.map(page), marks, moves);
}

function page([title, rows]) {
  const section = made("section", "coach-page");
  const list = made("dl", "");
  for (const [term, value] of rows) {
    list.append(made("dt", "", term), made("dd", "", value));
  }
  section.append(made("h3", "", title), list);
  return section;
}

// A drawing, and one sentence for people who can't see it.
function move({ player, dice, better_dice: better, row, cost, text }) {
  const item = made("li", cost ? "move costly" : "move");
  const drawn = made("span", "drawn");
  drawn.setAttribute("aria-hidden", "true");
  const thrown = made("span", "thrown");
  thrown.append(...dice.map((value) => face(value)));
  if (better.length) {
    const other = made("span", "thrown better");
    other.append(...better.map((value) => face(value)));
    thrown.append(other);
  }
  const tiles = made("span", "row");
  tiles.append(...row.map(tile));
  drawn.append(made("span", "who", player), thrown, tiles, made("span", "cost", cost || "\u2713"));
  item.append(drawn, made("span", "unseen", text));
  item.title = text;
  return item;
}

function tile([number, open, chosen, best]) {
  const kinds = [open ? "open" : "", chosen ? "chosen" : "", best ? "best" : ""];
  return made("span", ["tile", ...kinds].filter(Boolean).join(" "), String(number));
}
