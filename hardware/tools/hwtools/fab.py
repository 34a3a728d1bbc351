"""What a workshop needs beside KiCad's own exports: the assembler's pack, kit list, check sums.

``python -m hwtools.fab FOLDER`` adds them to a folder that holds the exports already.
"""

from __future__ import annotations

import hashlib
import html
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hwtools import assembler, kicad
from hwtools.pinout import HARDWARE

if TYPE_CHECKING:
    from manifold3d import Manifold

    from hwtools.box.dimensions import Dimensions

__all__ = ["FLOWS", "grams", "kit", "kit_list", "printing", "sums"]

#: Filament that leaves the nozzle on the mean of a whole print (mm3/s), by the speed of the walls.
FLOWS = {"walls at 100 mm/s": 4.8, "walls at 45 mm/s": 2.7}
#: PETG weighs so much (g/cm3); walls, floors and ceilings are solid so deep below the surface (mm, fitted to
#: the weights that PrusaSlicer 2.5 gives).
_PETG, _WALL = 1.27, 1.25


def kit() -> dict[str, Any]:
    """Read kit.toml: what is bought, and what is needed beside it."""
    return tomllib.loads((HARDWARE / "kit.toml").read_text(encoding="utf-8"))


def grams(solid: Manifold, *, filled: bool) -> float:
    """Return the filament of a printed part, in g: walls solid, the rest with 25 %, or all of it *filled*."""
    volume, surface = float(solid.volume()), float(solid.surface_area())
    walls = min(volume, surface * _WALL)
    return (volume if filled else walls + 0.25 * (volume - walls)) * _PETG / 1000


def printing(d: Dimensions) -> dict[str, tuple[int, float]]:
    """Return a box's printed parts: pieces, and grams of one."""
    from hwtools.box import check

    return {
        name: (check.pieces(d, name), grams(solid, filled=name.startswith("lever-")))
        for name, solid in check.prints(d).items()
    }


def _hours(weight: float) -> tuple[float, ...]:
    return tuple(weight / _PETG * 1000 / flow / 3600 for flow in FLOWS.values())


def _table(head: list[str], rows: Iterable[Iterable[object]]) -> str:
    """A table of HTML. Texts are escaped; the last row of sums is like any other."""
    cells = "".join(f"<th>{html.escape(word)}</th>" for word in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>\n" for row in rows
    )
    return f"<table><tr>{cells}</tr>\n{body}</table>"


def kit_list() -> str:
    """Return the printed list: a box to tick for every line, pieces and weights counted from the model."""
    from hwtools.box.assembly import assemble
    from hwtools.box.dimensions import COUNTS, Dimensions
    from hwtools.box.wooden import plates, wooden

    shops = kit()
    boxes = {f"{n}": Dimensions(levers=n) for n in COUNTS} | {"9, wooden": wooden(Dimensions())}
    bills = {name: assemble(d).bill() for name, d in boxes.items()}
    names = list(dict.fromkeys(name for bill in bills.values() for name in bill))
    buy: list[list[object]] = []
    for name in names:
        entry = shops["buy"][name]
        counts = [bill.get(name, "–") for bill in bills.values()]
        buy.append(["☐", name, *counts, entry["example"], entry["shop"], f"{entry['price']:.2f}"])
    totals = [
        sum(pieces * shops["buy"][name]["price"] for name, pieces in bill.items()) for bill in bills.values()
    ]
    buy.append(["", "all of it, €", *(f"{total:.0f}" for total in totals), "", "", ""])
    beside = [
        ["☐", e["name"], e.get("pieces", 1), e.get("example", ""), f"{e['price']:.0f}"]
        for e in shops["beside"]
    ]
    beside.append(["", "all of it", "", "", f"{sum(e['price'] for e in shops['beside']):.0f}"])

    def simple(key: str) -> str:
        rows = (["☐", e["name"], e.get("pieces", 1), e.get("example", "")] for e in shops[key])
        return _table(["", "part", "pieces", "for example"], rows)

    prints: list[list[object]] = []
    sums: list[list[object]] = []
    for label, d in boxes.items():
        all_grams = 0.0
        for name, (pieces, weight) in printing(d).items():
            all_grams += pieces * weight
            if label == "9":
                hours = (f"{h:.1f}" for h in _hours(weight))
                prints.append(
                    ["☐", name, pieces, f"{weight:.0f}" if weight >= 1 else f"{weight:.1f}", *hours]
                )
        sums.append(
            [
                "",
                f"all of a box of {label} levers",
                "",
                f"{all_grams:.0f}",
                *(f"{h:.0f}" for h in _hours(all_grams)),
            ]
        )
    cuts = ", ".join(plate.name for plate in plates(wooden(Dimensions())))
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Shut the Box: kit list</title>
<style>body{{font:10pt sans-serif;margin:12mm}}table{{border-collapse:collapse;width:100%}}
td,th{{border-bottom:1px solid #bbb;padding:1mm 2mm;text-align:left;vertical-align:top}}
h2{{margin-top:8mm}}tr{{break-inside:avoid}}</style>
<h1>Shut the Box: kit list</h1>
<p>Pieces are counted from the model, for so many levers. Prices in euros are estimates for one piece.</p>
<h2>To buy</h2>
{_table(["", "part", *bills, "for example", "shop", "€"], buy)}
<h2>Beside it</h2>
{_table(["", "part", "pieces", "for example", "€"], beside)}
<h2>Tools</h2>{simple("tool")}
<h2>To print</h2>
<p>Every file lies as it is printed, without supports. The tiles have a folder for each number of levers. Here
are the parts of a box of nine with the 2.42" display. Grams and hours are estimates for one piece, from its
volume and surface; your slicer knows better.</p>
{_table(["", "part", "pieces", "g", *(f"h, {speed}" for speed in FLOWS)], [*prints, *sums])}
<h2>To cut, for the wooden box</h2><p>Plywood 6 mm: {cuts}.</p>
<h2>Prototype on perfboard</h2>{simple("prototype")}
</html>
"""


def sums(folder: Path) -> str:
    """Return the SHA-256 sums of all files below *folder*, as ``sha256sum -c`` reads them."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "SHA256SUMS":
            lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n")
    return "".join(lines)


def main(folder: Path) -> None:
    """Write everything into *folder*."""
    interactive = (folder / "board" / "interactive-bom.html").read_text(encoding="utf-8")
    left_out = {part.ref for part in kicad.read().parts.values() if not part.fitted}
    if wrong := sorted(assembler.listed(interactive) & left_out):
        sys.exit(f"hardware: the interactive bill lists parts that are not fitted: {', '.join(wrong)}")
    exports = HARDWARE / "build" / "exports"
    assembler.write(exports / "positions.csv", folder / "board")
    assembler.drawing(exports / "assembly.svg", folder / "board" / "assembly-drawing.svg")
    (folder / "kit-list.html").write_text(kit_list(), encoding="utf-8")
    (folder / "SHA256SUMS").write_text(sums(folder), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
