// Elements that several parts of the page are made of.

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export const byId = (id) => document.getElementById(id);

export function made(tag, kind = "", text = "") {
  const element = document.createElement(tag);
  if (kind) {
    element.className = kind;
  }
  element.textContent = text;
  return element;
}

// Gives a control its name, for those who see it and those who hear it.
export function name(control, text) {
  control.setAttribute("aria-label", text);
  control.title = text;
}

// Says what an action has led to. The same answer is seen, and read aloud, each time it comes: a new element
// appears, where the same text in the old one would be no change.
export function answer(place, text) {
  place.replaceChildren(...(text ? [made("span", "answer", text)] : []));
}

// The side of a die: pips up to six, then a number. A face of 0 is blank.
export function face(value, kind = "die") {
  const element = made("span", kind, value in PIPS || value === 0 ? "" : String(value));
  for (const place of PIPS[value] ?? []) {
    const pip = made("span", "pip");
    pip.style.gridArea = `${Math.floor(place / 3) + 1} / ${(place % 3) + 1}`;
    element.append(pip);
  }
  return element;
}
