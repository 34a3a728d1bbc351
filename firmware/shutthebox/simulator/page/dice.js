// The dice on the felt. The box throws them; here they only roll while its dice do, and lie as it says.

import { byId, face, made } from "./parts.js";

const SIDES = [1, 2, 3, 4, 5, 6];
const TILT_DEG = 14; // no die lies quite straight

const felt = byId("felt");

export function show({ faces, tumbling }) {
  const rows = faces.length > 3 ? 2 : 1;
  felt.style.setProperty("--rows", rows);
  felt.style.setProperty("--columns", Math.max(2, Math.ceil(faces.length / rows)));
  felt.classList.toggle("rolling", tumbling);
  felt.replaceChildren(...faces.map((value) => die(tumbling ? SIDES : [value])));
}

// A cube with all its sides, which rolls, or only the side that is seen.
function die(sides) {
  const cube = made("span", "cube");
  cube.style.setProperty("--tilt", `${(Math.random() - 0.5) * TILT_DEG}deg`);
  cube.style.setProperty("--start", `${-Math.random()}s`);
  cube.append(...sides.map((value) => face(value, "side")));
  const place = made("span", "place");
  place.append(cube);
  return place;
}
