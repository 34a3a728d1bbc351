"""Reads the KiCad project: what the board's pads carry, its parts, its texts, and the schematic's pin map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hwtools.pinout import HARDWARE
from hwtools.sexpr import Node, child, children, loads

PROJECT = HARDWARE / "board"
BOARD = PROJECT / "shutthebox-board.kicad_pcb"
_ROOT = PROJECT / "shutthebox-board.kicad_sch"


@dataclass(frozen=True, slots=True)
class Part:
    """One footprint on the board."""

    ref: str
    value: str
    footprint: str
    fields: dict[str, str]
    fitted: bool
    smd: bool
    has_courtyard: bool


@dataclass(frozen=True, slots=True)
class Board:
    """A board as made: parts by reference, nets by (reference, pad) without the sheet, texts as printed.

    A solder jumper that's made closed joins its two nets into that of its pad 1.
    """

    parts: dict[str, Part]
    pads: dict[tuple[str, str], str]
    texts: list[str]


def _properties(node: Node) -> dict[str, str]:
    return {str(p[1]): str(p[2]) for p in children(node, "property")}


@cache
def read(path: Path = BOARD) -> Board:
    """Read a board file. The result is cached, so don't change it."""
    board = loads(path.read_text(encoding="utf-8"))
    parts: dict[str, Part] = {}
    pads: dict[tuple[str, str], str] = {}
    for footprint in children(board, "footprint"):
        fields = _properties(footprint)
        ref = fields["Reference"]
        attributes = [str(a) for node in children(footprint, "attr") for a in node[1:]]
        shapes = [
            s for kind in ("fp_line", "fp_rect", "fp_circle", "fp_poly") for s in children(footprint, kind)
        ]
        courtyard = any(str(child(shape, "layer")[1]).endswith(".CrtYd") for shape in shapes)
        parts[ref] = Part(
            ref,
            fields["Value"],
            str(footprint[1]),
            fields,
            "dnp" not in attributes,
            "smd" in attributes,
            courtyard,
        )
        for pad in children(footprint, "pad"):
            if children(pad, "net"):
                pads[ref, str(pad[1])] = str(child(pad, "net")[2]).rsplit("/", 1)[-1]
    texts = [str(text[1]) for text in children(board, "gr_text")]
    joined = {
        pads[ref, "2"]: pads[ref, "1"]
        for ref, part in parts.items()
        if ref.startswith("JP") and "Bridged12" in part.footprint
    }
    return Board(parts, {pad: joined.get(net, net) for pad, net in pads.items()}, texts)


def read_pin_map(path: Path = _ROOT) -> dict[str, list[str]]:
    """Return the rows of the pin table on the schematic's first page, by their first cell."""
    rows: dict[str, list[tuple[float, str]]] = {}
    for text in children(loads(path.read_text(encoding="utf-8")), "text"):
        place = child(text, "at")
        rows.setdefault(str(place[2]), []).append((float(str(place[1])), str(text[1])))
    found = {}
    for cells in rows.values():
        words = [word for _, word in sorted(cells)]
        if len(words) == 4:
            found[words[0]] = words[1:]
    return found
