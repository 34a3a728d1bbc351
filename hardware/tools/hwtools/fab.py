"""Writes what a workshop needs besides KiCad's exports: the assembler's files, kit list, checksums.

``python -m hwtools.fab FOLDER`` adds them to a folder that already has the exports.
"""

from __future__ import annotations

import hashlib
import html
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hwtools import assembler, kicad, slicing
from hwtools.pinout import HARDWARE

KIT = HARDWARE / "kit.toml"


def read_kit() -> dict[str, Any]:
    """Read kit.toml: what to buy, and what else you need."""
    return tomllib.loads(KIT.read_text(encoding="utf-8"))


def used_up(shops: dict[str, Any]) -> float:
    """Return the price in euros of what a printed box with an I²C display uses up besides its parts."""
    return sum(float(e["price"]) for e in shops["beside"] if not str(e["pieces"]).endswith(" only"))


def _table(head: list[str], rows: Iterable[Iterable[object]]) -> str:
    """Return an HTML table, its texts escaped."""
    cells = "".join(f"<th>{html.escape(word)}</th>" for word in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>\n" for row in rows
    )
    return f"<table><tr>{cells}</tr>\n{body}</table>"


def render_kit_list() -> str:
    """Return the kit list as HTML, with a box to tick per line; pieces and weights come from the model."""
    from hwtools.box.assembly import assemble
    from hwtools.box.dimensions import COUNTS, Dimensions
    from hwtools.box.wooden import plates, wooden

    shops = read_kit()
    boxes = {f"{n}": Dimensions(levers=n) for n in COUNTS} | {"9, wooden": wooden(Dimensions())}
    bills = {name: assemble(d).bill() for name, d in boxes.items()}
    prices = {name: entry["price"] for name, entry in shops["buy"].items()}
    buy: list[list[object]] = []
    for name in dict.fromkeys(name for bill in bills.values() for name in bill):
        entry, counts = shops["buy"][name], [bill.get(name, "–") for bill in bills.values()]
        buy.append(["☐", name, *counts, entry["example"], entry["shop"], f"{entry['price']:.2f}"])
    totals = (sum(pieces * prices[name] for name, pieces in bill.items()) for bill in bills.values())
    buy.append(["", "all of it, €", *(f"{total:.0f}" for total in totals), "", "", ""])

    def rows(key: str) -> list[list[object]]:
        return [["☐", e["name"], e.get("pieces", 1), e.get("example", "")] for e in shops[key]]

    def simple(key: str) -> str:
        return _table(["", "part", "pieces", "for example"], rows(key))

    beside = [[*row, f"{e['price']:.0f}"] for row, e in zip(rows("beside"), shops["beside"], strict=True)]
    beside.append(["", "all of it, for the printed box", "", "", f"{used_up(shops):.0f}"])
    speeds = list(slicing.SETTINGS["speeds"])

    def printed(
        mark: str, name: str, pieces: object, parts: Iterable[dict[str, Any]], form: str
    ) -> list[object]:
        grams, *hours = (
            sum(part["pieces"] * part[s][unit] for part in parts)
            for s, unit in [(speeds[0], "grams"), *((s, "hours") for s in speeds)]
        )
        return [mark, name, pieces, f"{grams:{form}}", *(f"{h:{form}}" for h in hours)]

    prints = [
        printed("☐", name, part["pieces"], [part | {"pieces": 1}], ".1f")
        for name, part in slicing.read_parts().items()
    ]
    for label, d in boxes.items():
        parts = list(slicing.read_parts(d.levers, wooden=d.wooden).values())
        prints.append(printed("", f"all of a box of {label} levers", "", parts, ".0f"))
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
are the parts of a box of nine with the 2.42" display. Grams and hours are PrusaSlicer's for a piece, with our
profiles; your printer's limits make it longer.</p>
{_table(["", "part", "pieces", "g", *(f"h, walls at {speed}" for speed in speeds)], prints)}
<h2>To cut, for the wooden box</h2><p>Plywood 6 mm: {cuts}.</p>
<h2>Prototype on perfboard</h2>{simple("prototype")}
</html>
"""


def hash_files(folder: Path) -> str:
    """Return the checksums of all files in *folder*, for ``sha256sum -c``."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "SHA256SUMS":
            lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n")
    return "".join(lines)


def main(folder: Path) -> None:
    """Write everything into *folder*."""
    interactive = (folder / "board" / "interactive-bom.html").read_text(encoding="utf-8")
    left_out = {part.ref for part in kicad.read().parts.values() if not part.fitted}
    if wrong := sorted(assembler.read_listed_parts(interactive) & left_out):
        sys.exit(f"hardware: the interactive bill lists parts that are not fitted: {', '.join(wrong)}")
    exports = HARDWARE / "build" / "exports"
    assembler.write(exports / "positions.csv", folder / "board")
    assembler.write_drawing(exports / "assembly.svg", folder / "board" / "assembly-drawing.svg")
    (folder / "slicer").mkdir()
    slicing.write_profiles(folder / "slicer")
    (folder / "kit-list.html").write_text(render_kit_list(), encoding="utf-8")
    (folder / "SHA256SUMS").write_text(hash_files(folder), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
