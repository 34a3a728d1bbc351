"""Writes bills of materials and part positions in the formats of the usual assembly houses.

JLCPCB rotates some parts relative to KiCad, because its library has them the other way round on the tape.
PCBWay uses KiCad's rotations. Aisler reads the board file itself.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hwtools import kicad
from hwtools.pinout import HARDWARE

#: By the start of the footprint's name: how far JLCPCB's library is rotated from KiCad's (degrees,
#: counter-clockwise). From the tables of two KiCad plug-ins; JLCPCB shows the result before you order.
JLCPCB_TURNS = {"SOT-23": 180, "SW_SPST_B3U": 90, "R_Array_Convex": 90, "SOIC": 270}
#: The assembly drawing is printed this much larger than the board.
_DRAWING_SCALE = 2.7


#: The houses' columns, filled from a line of the bill with its shop numbers, or from a part's position.
_COLUMNS = {
    "jlcpcb/bom": {
        "Comment": "{comment}", "Designator": "{References}", "Footprint": "{Footprint}",
        "JLCPCB Part #": "{lcsc}", "Manufacturer": "{Manufacturer}", "Manufacturer Part Number": "{MPN}",
    },
    "jlcpcb/positions": {
        "Designator": "{Ref}", "Mid X": "{x:.3f}mm", "Mid Y": "{y:.3f}mm", "Layer": "Top",
        "Rotation": "{turned:g}",
    },
    "pcbway/bom": {
        "Item #": "{number}", "Designator": "{References}", "Qty": "{Quantity}",
        "Manufacturer": "{Manufacturer}", "Mfg Part #": "{MPN}", "Description / Value": "{Value}",
        "Package/Footprint": "{Footprint}", "Type": "SMD", "Mouser Part #": "{mouser}",
        "Your Instructions / Notes": "{note}",
    },
    "pcbway/positions": {
        "Designator": "{Ref}", "Footprint": "{Package}", "Mid X": "{x:.3f}", "Mid Y": "{y:.3f}", "Layer": "T",
        "Rotation": "{rotation:g}",
    },
}  # fmt: skip


def read_bill() -> list[dict[str, Any]]:
    """Return the lines of board/bom.csv that an assembly house fits, with our shop numbers.

    Raises:
        KeyError: a maker's number is missing in board/shops.toml.
    """
    board = kicad.read()
    shops = tomllib.loads((HARDWARE / "board" / "shops.toml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = []
    with (HARDWARE / "board" / "bom.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            refs = [r for r in row["References"].split(",") if board.parts[r].smd and board.parts[r].fitted]
            if refs:
                more = {"References": ",".join(refs), "Quantity": len(refs), "number": len(found) + 1}
                more["Footprint"] = row["Footprint"].partition(":")[2]
                more["note"] = "; ".join(filter(None, (row["Note"], f"or {row['Alternative']}")))
                numbers = {"lcsc": "", "mouser": ""} | shops[row["MPN"]]
                unknown = "" if numbers["lcsc"] else f"; no LCSC number known: search for {row['MPN']}"
                found.append(row | more | numbers | {"comment": row["Value"] + unknown})
    return found


def _positions(exported: Path) -> Iterator[dict[str, Any]]:
    """Read KiCad's position file, in mm and degrees counter-clockwise, without the fiducials."""
    with exported.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            turn = next((t for start, t in JLCPCB_TURNS.items() if row["Package"].startswith(start)), 0)
            x, y, rotation = (float(row[key]) for key in ("PosX", "PosY", "Rot"))
            if not row["Ref"].startswith("FID"):
                turned = (rotation + turn) % 360
                yield row | {"x": x, "y": y, "rotation": rotation % 360, "turned": turned}


def write(exported: Path, folder: Path) -> None:
    """Write a folder for each house into *folder*, from KiCad's position file."""
    rows = {"bom": read_bill(), "positions": list(_positions(exported))}
    for name, columns in _COLUMNS.items():
        target = folder / f"{name}.csv"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for row in rows[target.stem]:
                writer.writerow(form.format_map(row) for form in columns.values())


def read_listed_parts(page: str) -> set[str]:
    """Return the references of the parts that the interactive bill of materials lists.

    Raises:
        ValueError: the page has no list, or a compressed one.
    """
    found = re.search(r"(?m)^var pcbdata = (\{.*?\});?$", page)
    if not found:
        raise ValueError("interactive-bom.html has no list that can be read")
    groups = json.loads(found[1])["bom"]["both"]
    return {ref for group in groups for ref, _ in group}


def write_drawing(exported: Path, target: Path) -> None:
    """Write KiCad's assembly drawing, enlarged to A4 and without its timestamp."""
    text = exported.read_text(encoding="utf-8")
    text = re.sub(r"<title>.*?</title>", "<title>Assembly drawing; crossed out: not fitted</title>", text)

    def larger(found: re.Match[str]) -> str:
        wide, high = (float(found[i]) * _DRAWING_SCALE for i in (1, 2))
        return f'width="{wide:.1f}mm" height="{high:.1f}mm"'

    target.write_text(
        re.sub(r'width="([\d.]+)mm" height="([\d.]+)mm"', larger, text, count=1), encoding="utf-8"
    )
