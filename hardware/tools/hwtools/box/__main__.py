"""``python -m hwtools.box`` checks every size of the box and writes hardware/box/check.json."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from hwtools.box import check, tolerances
from hwtools.box.assembly import assemble
from hwtools.box.dimensions import COUNTS, DISPLAYS, SWITCHES, Dimensions
from hwtools.box.result import RESULT, digest
from hwtools.box.wooden import wooden


def _examine(d: Dimensions) -> tuple[str, list[str]]:
    kind = (f"wooden {d.wood:g} mm" if d.wooden else "printed") + (", SPI" if d.spi else "")
    same_levers = d.spi or (d.wooden and d != wooden(Dimensions()))
    return f"{d.levers} levers, display {d.display.key}, switch {d.switch}, {kind}", check.find_faults(
        d, levers=not same_levers
    )


def _sizes(d: Dimensions) -> dict[str, list[float]]:
    found = {}
    for name, solid in check.lay_on_bed(d).items():
        x0, y0, z0, x1, y1, z1 = solid.bounding_box()
        found[name] = [round(x1 - x0, 1), round(y1 - y0, 1), round(z1 - z0, 1)]
    return found


def main() -> int:
    """Check every size and display, write the result if it changed, and print the faults."""
    boxes = [Dimensions(levers=n) for n in COUNTS]
    boxes += [replace(Dimensions(), display=module, spi=True) for module in DISPLAYS.values()]
    boxes += [wooden(Dimensions(levers=n)) for n in COUNTS]
    boxes += [wooden(Dimensions(wood=t)) for t in (6.5, 6.8)]
    boxes += [replace(Dimensions(), switch=name) for name in SWITCHES if name != Dimensions().switch]
    with ProcessPoolExecutor(2) as pool:
        largest = pool.submit(check.find_largest_module, boxes[0])
        found = dict(pool.map(_examine, boxes))
    report = {
        "model": digest(),
        "beds": check.BEDS,
        "sizes": {str(d.levers): _sizes(d) for d in boxes[: len(COUNTS)]},
        "bill": {str(d.levers): assemble(d).bill() for d in boxes[: len(COUNTS)]},
        "wooden bill": assemble(wooden(Dimensions())).bill(),
        "largest module": largest.result(),
        "tolerances": tolerances.find_worst_margins(boxes[0]),
        "faults": found,
    }
    text = json.dumps(report, indent=1) + "\n"
    if not RESULT.exists() or text != RESULT.read_text(encoding="utf-8"):
        RESULT.write_text(text, encoding="utf-8")
    faults = [f"{which}: {fault}" for which, several in found.items() for fault in several]
    for fault in faults:
        print(fault, file=sys.stderr)
    for row in tolerances.find_worst_margins(boxes[0]):
        cause = ", ".join(f"{k} {v}" for k, v in row["combination"].items())  # type: ignore[attr-defined]
        print(f"box: {row['check']}: {row['worst']} {row['unit']} to spare at worst ({cause})")
    print(f"box: {len(boxes)} boxes checked, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
