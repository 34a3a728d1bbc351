"""What a workshop needs beside KiCad's own exports: assembly files, panel drawing, kit list, check sums.

``python -m hwtools.fab FOLDER`` adds them to a folder that holds the exports already.
"""

from __future__ import annotations

import csv
import hashlib
import html
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hwtools import kicad
from hwtools.pinout import HARDWARE

__all__ = ["assembly_bill", "kit", "panel", "sums"]

_SIZE = (65.0, 56.5)


def kit() -> dict[str, Any]:
    """Read kit.toml: what is bought, and what is needed beside it."""
    return tomllib.loads((HARDWARE / "kit.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the assembly house's bill of materials."""

    comment: str
    designators: str
    footprint: str
    maker: str
    mpn: str


def assembly_bill() -> list[Line]:
    """Return the surface-mounted parts that are fitted, with their makers' numbers."""
    board = kicad.read()
    found = []
    with (HARDWARE / "board" / "bom.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            refs = [r for r in row["References"].split(",") if board.parts[r].smd and board.parts[r].fitted]
            if refs:
                footprint = row["Footprint"].partition(":")[2]
                found.append(Line(row["Value"], ",".join(refs), footprint, row["Manufacturer"], row["MPN"]))
    return found


def panel(columns: int = 2, rows: int = 2, rail: float = 5.0) -> str:
    """Return a drawing of boards side by side, cut by V-grooves, with rails, tooling holes and fiducials."""
    width, height = _SIZE
    wide, high = columns * width + 2 * rail, rows * height + 2 * rail
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + 20:g}mm" height="{high + 30:g}mm" '
        f'viewBox="-10 -10 {wide + 20:g} {high + 30:g}" font-family="sans-serif" font-size="4">',
        f'<rect width="{wide:g}" height="{high:g}" fill="#efe" stroke="#000" stroke-width="0.3"/>',
    ]
    for column in range(columns):
        for row in range(rows):
            x, y = rail + column * width, rail + row * height
            out.append(
                f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
                'fill="none" stroke="#070" stroke-width="0.3"/>'
            )
            out.append(
                f'<text x="{x + width / 2:g}" y="{y + height / 2:g}" text-anchor="middle">'
                f"{width:g} x {height:g} mm</text>"
            )
    cuts = [(rail + c * width, True) for c in range(columns + 1)]
    cuts += [(rail + r * height, False) for r in range(rows + 1)]
    for at, upright in cuts:
        ends = (at, -4, at, high + 4) if upright else (-4, at, wide + 4, at)
        out.append(
            '<line x1="{:g}" y1="{:g}" x2="{:g}" y2="{:g}" stroke="#d00" stroke-width="0.3" '
            'stroke-dasharray="3 1"/>'.format(*ends)
        )
    for x, y in ((8, rail / 2), (wide - 8, rail / 2), (8, high - rail / 2), (wide - 8, high - rail / 2)):
        out.append(f'<circle cx="{x:g}" cy="{y:g}" r="1.5" fill="none" stroke="#00d" stroke-width="0.3"/>')
    for x, y in ((20, rail / 2), (wide - 20, rail / 2), (20, high - rail / 2)):
        out.append(f'<circle cx="{x:g}" cy="{y:g}" r="0.5" fill="#b70"/>')
    note = (
        f"{columns} x {rows} boards, panel {wide:g} x {high:g} mm, 1.6 mm. Red: V-groove, both sides, "
        "web 0.4 mm. Blue: tooling holes 3 mm. Brown: fiducials 1 mm."
    )
    out.append(f'<text x="0" y="{high + 12:g}">{note}</text>')
    return "\n".join([*out, "</svg>\n"])


def kit_list() -> str:
    """Return the printed list: a box to tick for every line, pieces counted from the model."""
    from hwtools.box.assembly import assemble
    from hwtools.box.dimensions import COUNTS, Dimensions
    from hwtools.box.fab import printed_parts
    from hwtools.box.wooden import plates, wooden

    shops = kit()
    bills = {f"{n}": assemble(Dimensions(levers=n)).bill() for n in COUNTS}
    bills["9, wooden"] = assemble(wooden(Dimensions())).bill()
    names = list(dict.fromkeys(name for bill in bills.values() for name in bill))
    rows = []
    for name in names:
        entry = shops["buy"][name]
        counts = "".join(f"<td>{bill.get(name, '–')}</td>" for bill in bills.values())
        rows.append(
            f"<tr><td>☐</td><td>{html.escape(name)}</td>{counts}<td>{html.escape(entry['example'])}</td>"
            f"<td>{html.escape(entry['shop'])}</td><td>{entry['price']:.2f}</td></tr>"
        )

    def simple(key: str) -> str:
        return "".join(
            f"<tr><td>☐</td><td>{html.escape(e['name'])}</td><td>{e.get('pieces', 1)}</td>"
            f"<td>{html.escape(e.get('example', ''))}</td></tr>"
            for e in shops[key]
        )

    prints = "".join(
        f"<tr><td>☐</td><td>{name}.stl</td><td>{pieces}</td></tr>"
        for name, (_, pieces) in sorted(printed_parts().items())
    )
    cuts = ", ".join(plate.name for plate in plates(wooden(Dimensions())))
    head = "".join(f"<th>{n}</th>" for n in bills)
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Shut the Box: kit list</title>
<style>body{{font:10pt sans-serif;margin:12mm}}table{{border-collapse:collapse;width:100%}}
td,th{{border-bottom:1px solid #bbb;padding:1mm 2mm;text-align:left;vertical-align:top}}
h2{{margin-top:8mm}}tr{{break-inside:avoid}}</style>
<h1>Shut the Box: kit list</h1>
<p>Pieces are counted from the model, for so many levers. Prices in euros are estimates for one piece.</p>
<h2>To buy</h2><table><tr><th></th><th>part</th>{head}<th>for example</th><th>shop</th><th>€</th></tr>
{"".join(rows)}</table>
<h2>Beside it</h2><table>{simple("beside")}</table>
<h2>Tools</h2><table>{simple("tool")}</table>
<h2>To print</h2>
<p>Every file lies as it is printed, without supports. The tiles have a folder for each number of levers.</p>
<table>{prints}</table>
<h2>To cut, for the wooden box</h2><p>Plywood 6 mm: {cuts}.</p>
<h2>Prototype on perfboard</h2><table>{simple("prototype")}</table>
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
    with (folder / "board" / "assembly-bom.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Comment", "Designator", "Footprint", "Manufacturer", "Manufacturer Part Number"])
        for line in assembly_bill():
            writer.writerow([line.comment, line.designators, line.footprint, line.maker, line.mpn])
    (folder / "board" / "panel.svg").write_text(panel(), encoding="utf-8")
    (folder / "kit-list.html").write_text(kit_list(), encoding="utf-8")
    (folder / "SHA256SUMS").write_text(sums(folder), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
