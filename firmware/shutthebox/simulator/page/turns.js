// The drawer of the turns of the match, the latest first: each throw, its tiles, and the score.

import { byId, face, made } from "./parts.js";

const drawer = byId("turns");

// Opens or closes the drawer, and returns whether it is open.
export function toggle() {
  drawer.hidden = !drawer.hidden;
  return !drawer.hidden;
}

export function showTexts(texts) {
  byId("turns-title").textContent = texts.turns;
  byId("no-turns").textContent = texts.no_turns;
}

export function show({ seats, turns }) {
  byId("no-turns").hidden = turns.length > 0;
  byId("turns-list").replaceChildren(...turns.toReversed().map((turn) => turnOf(turn, seats)));
}

function turnOf({ player, throws, score }, seats) {
  const item = made("li", "turn");
  const head = made("p", "turn-head");
  head.append(made("span", "", seats[player] ?? ""), made("span", "score", score === null ? "\u2026" : String(score)));
  item.append(head, ...throws.map(throwOf));
  return item;
}

function throwOf({ dice, tiles, opened }) {
  const row = made("p", "drawn");
  const thrown = made("span", "thrown");
  thrown.setAttribute("aria-hidden", "true");
  thrown.append(...dice.map((value) => face(value)));
  const shut = made("span", "row");
  shut.append(
    ...tiles.map((tile) => made("span", "tile chosen", String(tile))),
    ...opened.map((tile) => made("span", "tile open", String(tile))),
  );
  row.append(made("span", "unseen", `${dice.join("+")}:`), thrown, shut);
  return row;
}
