"""What an assembly house gets: bill and positions with the columns and rotations that the usual ones want.

JLCPCB turns some parts against KiCad, because its library draws them otherwise on the tape. PCBWay takes
KiCad's rotations. Aisler reads the project's board file itself.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hwtools import kicad
from hwtools.pinout import HARDWARE

__all__ = ["JLCPCB_TURNS", "Line", "Position", "bill", "drawing", "listed", "positions", "write"]

#: By the start of the footprint's name: how far JLCPCB's library is turned against KiCad's (degrees,
#: counter-clockwise). From the tables of two plug-ins for KiCad; JLCPCB shows the result before one orders.
JLCPCB_TURNS = {"SOT-23": 180, "SW_SPST_B3U": 90, "R_Array_Convex": 90, "SOIC": 270}
#: The assembly drawing is printed this much larger than the board.
_DRAWING_SCALE = 2.7


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the bill: surface-mounted parts that are fitted and alike, with their maker's number."""

    comment: str
    designators: tuple[str, ...]
    footprint: str
    maker: str
    mpn: str
    alternative: str
    note: str
    lcsc: str
    mouser: str


@dataclass(frozen=True, slots=True)
class Position:
    """Where a part's middle is (mm, as in the gerbers) and how it is turned (degrees, counter-clockwise)."""

    ref: str
    footprint: str
    x: float
    y: float
    rotation: float

    def jlcpcb_rotation(self) -> float:
        """Return the rotation as JLCPCB counts it."""
        turn = next((t for start, t in JLCPCB_TURNS.items() if self.footprint.startswith(start)), 0)
        return (self.rotation + turn) % 360


def bill() -> list[Line]:
    """Return the bill.

    Raises:
        KeyError: a maker's number is missing in board/shops.toml.
    """
    board = kicad.read()
    shops = tomllib.loads((HARDWARE / "board" / "shops.toml").read_text(encoding="utf-8"))
    found = []
    with (HARDWARE / "board" / "bom.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            refs = [r for r in row["References"].split(",") if board.parts[r].smd and board.parts[r].fitted]
            if not refs:
                continue
            shop = shops[row["MPN"]]
            found.append(
                Line(
                    row["Value"],
                    tuple(refs),
                    row["Footprint"].partition(":")[2],
                    row["Manufacturer"],
                    row["MPN"],
                    row["Alternative"],
                    row["Note"],
                    shop.get("lcsc", ""),
                    shop.get("mouser", ""),
                )
            )
    return found


def positions(exported: Path) -> list[Position]:
    """Read KiCad's position file; without the fiducials, which nobody places."""
    with exported.open(encoding="utf-8", newline="") as file:
        return [
            Position(row["Ref"], row["Package"], float(row["PosX"]), float(row["PosY"]), float(row["Rot"]))
            for row in csv.DictReader(file)
            if not row["Ref"].startswith("FID")
        ]


def _save(path: Path, head: str, rows: Iterable[Iterable[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head.split("|"))
        writer.writerows(rows)


def write(exported: Path, folder: Path) -> None:
    """Write a folder for each house below *folder*, from KiCad's position file."""
    placed, lines = positions(exported), bill()
    _save(
        folder / "jlcpcb" / "bom.csv",
        "Comment|Designator|Footprint|JLCPCB Part #|Manufacturer|Manufacturer Part Number",
        ((n.comment, ",".join(n.designators), n.footprint, n.lcsc, n.maker, n.mpn) for n in lines),
    )
    _save(
        folder / "jlcpcb" / "positions.csv",
        "Designator|Mid X|Mid Y|Layer|Rotation",
        ((p.ref, f"{p.x:.3f}mm", f"{p.y:.3f}mm", "Top", f"{p.jlcpcb_rotation():g}") for p in placed),
    )
    _save(
        folder / "pcbway" / "bom.csv",
        "Item #|Designator|Qty|Manufacturer|Mfg Part #|Description / Value|Package/Footprint|Type|"
        "Mouser Part #|Your Instructions / Notes",
        (
            (
                number,
                ",".join(n.designators),
                len(n.designators),
                n.maker,
                n.mpn,
                n.comment,
                n.footprint,
                "SMD",
                n.mouser,
                "; ".join(filter(None, (n.note, f"or {n.alternative}"))),
            )
            for number, n in enumerate(lines, start=1)
        ),
    )
    _save(
        folder / "pcbway" / "positions.csv",
        "Designator|Footprint|Mid X|Mid Y|Layer|Rotation",
        ((p.ref, p.footprint, f"{p.x:.3f}", f"{p.y:.3f}", "T", f"{p.rotation % 360:g}") for p in placed),
    )


def listed(page: str) -> set[str]:
    """Return the parts that the interactive bill of materials lists, from its page.

    Raises:
        ValueError: the page has no such list, or one that is packed.
    """
    found = re.search(r"(?m)^var pcbdata = (\{.*?\});?$", page)
    if not found:
        raise ValueError("interactive-bom.html has no list that can be read")
    groups = json.loads(found[1])["bom"]["both"]
    return {ref for group in groups for ref, _ in group}


def drawing(exported: Path, target: Path) -> None:
    """Write KiCad's drawing of the assembly in the size of A4, without the time of its making."""
    text = exported.read_text(encoding="utf-8")
    text = re.sub(r"<title>.*?</title>", "<title>Assembly drawing; crossed out: not fitted</title>", text)

    def larger(found: re.Match[str]) -> str:
        wide, high = (float(found[i]) * _DRAWING_SCALE for i in (1, 2))
        return f'width="{wide:.1f}mm" height="{high:.1f}mm"'

    target.write_text(
        re.sub(r'width="([\d.]+)mm" height="([\d.]+)mm"', larger, text, count=1), encoding="utf-8"
    )
