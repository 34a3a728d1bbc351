"""A small writer of KiCad 9 schematics: symbols, wires, labels and sheets, with stable identifiers."""

from __future__ import annotations

import copy
import functools
import itertools
import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from hwtools.sexpr import Node, Quoted, atom, child, children, dumps, loads

__all__ = ["GRID", "Drawing", "Placed", "SheetBox", "library_symbol"]

#: Everything sits on this grid, in mm.
GRID = 1.27
_SPACE = uuid.UUID("6f1c5a54-7d0e-4b52-9a3b-6d6f0c0a51b0")
_LIBRARIES = Path(os.environ.get("KICAD9_SYMBOL_DIR", "/usr/share/kicad/symbols"))

Point = tuple[float, float]


def _q(value: object) -> Quoted:
    return Quoted(str(value))


def _n(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"


@functools.cache
def _library(name: str) -> list[Node]:
    return loads((_LIBRARIES / f"{name}.kicad_sym").read_text(encoding="utf-8"))


@functools.cache
def library_symbol(lib_id: str) -> list[Node]:
    """Return the symbol of ``Library:Name`` as a schematic embeds it, derived symbols flattened.

    Raises:
        KeyError: no such symbol in KiCad's library.
    """
    library, name = lib_id.split(":")
    found = {str(s[1]): s for s in children(_library(library), "symbol")}
    symbol = copy.deepcopy(found[name])
    if children(symbol, "extends"):
        parent = atom(symbol, "extends")
        base = copy.deepcopy(found[parent])
        own = {str(p[1]): p for p in children(symbol, "property")}
        merged: list[Node] = []
        for item in base:
            if isinstance(item, list) and item[0] == "property" and str(item[1]) in own:
                merged.append(own.pop(str(item[1])))
            elif isinstance(item, list) and item[0] == "symbol":
                item[1] = _q(str(item[1]).replace(parent, name, 1))
                merged.append(item)
            else:
                merged.append(item)
        at = next(i for i, x in enumerate(merged) if isinstance(x, list) and x[0] == "symbol")
        symbol = merged[:at] + list(own.values()) + merged[at:]
    symbol[1] = _q(lib_id)
    return symbol


def _turn(x: float, y: float, rotation: int, mirrored: bool = False) -> Point:
    """Library coordinates (y up) to sheet offsets (y down) for a rotation anticlockwise."""
    if mirrored:  # left for right, as KiCad's (mirror y)
        x = -x
    return {0: (x, -y), 90: (-y, -x), 180: (-x, y), 270: (y, x)}[rotation]


@dataclass(frozen=True, slots=True)
class Placed:
    """A symbol on the sheet, with the places of its pins."""

    ref: str
    pins: dict[str, Point]

    def __getitem__(self, number: str | int) -> Point:
        return self.pins[str(number)]


@dataclass(frozen=True, slots=True)
class SheetBox:
    """A box on the first page that stands for another page."""

    name: str
    file: str
    at: Point
    size: Point
    page: str


@dataclass
class Drawing:
    """One page of the schematic."""

    project: str
    title: str
    page: str
    sheet_path: tuple[str, ...]
    root_uuid: str = ""
    comments: tuple[str, ...] = ()
    paper: str = "A3"
    revision: str = "A"
    date: str = ""
    items: list[Node] = field(default_factory=list)
    libraries: dict[str, list[Node]] = field(default_factory=dict)
    boxes: list[SheetBox] = field(default_factory=list)
    _ends: dict[tuple[float, float], int] = field(default_factory=dict)
    _wires: list[tuple[Point, Point]] = field(default_factory=list)
    _count: int = 0

    @property
    def uuid(self) -> str:
        """The identifier of this page's file."""
        return str(uuid.uuid5(_SPACE, f"{self.project}/{self.page}"))

    def _uuid(self, what: str) -> list[Node]:
        self._count += 1
        return ["uuid", _q(uuid.uuid5(_SPACE, f"{self.project}/{self.page}/{what}/{self._count}"))]

    @staticmethod
    def _effects(size: float = 1.27, justify: str = "", hide: bool = False, bold: bool = False) -> list[Node]:
        font: list[Node] = ["font", ["size", _n(size), _n(size)]]
        if bold:
            font.append(["bold", "yes"])
        effects: list[Node] = ["effects", font]
        if justify:
            effects.append(["justify", *justify.split()])
        if hide:
            effects.append(["hide", "yes"])
        return effects

    def symbol(
        self,
        lib_id: str,
        ref: str,
        value: str,
        at: Point,
        rotation: int = 0,
        *,
        footprint: str = "",
        fields: dict[str, str] | None = None,
        ref_at: Point | None = None,
        value_at: Point | None = None,
        justify: str = "left",
        fit: bool = True,
        hide_value: bool = False,
        bom: bool = True,
        mirrored: bool = False,
    ) -> Placed:
        """Place a symbol; *ref_at* and *value_at* are offsets from *at* in mm, y down.

        Args:
            lib_id: ``Library:Name`` in KiCad's own libraries.
            ref: the reference, as R1.
            value: the value that is shown.
            at: place of the symbol's origin in mm.
            rotation: degrees anticlockwise: 0, 90, 180 or 270.
            footprint: ``Library:Name`` of the footprint.
            fields: further fields, hidden: maker's part number, alternatives.
            ref_at: where the reference stands.
            value_at: where the value stands.
            justify: which side the two texts are anchored at.
            fit: False marks "do not populate".
            hide_value: leaves the value out of the drawing.
            bom: False keeps it out of the bill of materials.
            mirrored: swaps left and right (for symbols that are not rotated).
        """
        library = library_symbol(lib_id)
        self.libraries[lib_id] = library
        x, y = at
        power = lib_id.startswith("power:")
        pins: dict[str, Point] = {}
        for unit in children(library, "symbol"):
            for pin in children(unit, "pin"):
                place = child(pin, "at")
                dx, dy = _turn(float(str(place[1])), float(str(place[2])), rotation, mirrored)
                pins[str(child(pin, "number")[1])] = (round(x + dx, 4), round(y + dy, 4))
        texts: list[Node] = []
        upright = "90" if rotation in (90, 270) and not power else "0"

        def text(name: str, content: str, offset: Point | None, hide: bool, side: str) -> None:
            px, py = (x + offset[0], y + offset[1]) if offset else (x, y)
            texts.append(
                [
                    "property",
                    _q(name),
                    _q(content),
                    ["at", _n(px), _n(py), upright],
                    self._effects(justify=side, hide=hide),
                ]
            )

        text("Reference", ref, ref_at, power or ref_at is None, justify)
        text(
            "Value", value, value_at, hide_value or (value_at is None and not power), "" if power else justify
        )
        text("Footprint", footprint, None, True, "")
        text("Datasheet", "", None, True, "")
        text("Description", "", None, True, "")
        for name, content in (fields or {}).items():
            text(name, content, None, True, "")
        path = "/" + "/".join((self.root_uuid or self.uuid, *self.sheet_path[1:]))
        dnp = "no" if fit else "yes"
        mirror: list[Node] = [["mirror", "y"]] if mirrored else []
        pin_nodes: list[Node] = [
            ["pin", _q(number), ["uuid", _q(uuid.uuid5(_SPACE, f"{self.project}/{ref}/{number}"))]]
            for number in pins
        ]
        self.items.append(
            [
                "symbol",
                ["lib_id", _q(lib_id)],
                ["at", _n(x), _n(y), str(rotation)],
                *mirror,
                ["unit", "1"],
                ["exclude_from_sim", "no"],
                ["in_bom", "yes" if bom and not power else "no"],
                ["on_board", "yes"],
                ["dnp", dnp],
                ["uuid", _q(uuid.uuid5(_SPACE, f"{self.project}/symbol/{ref}"))],
                *texts,
                *pin_nodes,
                [
                    "instances",
                    ["project", _q(self.project), ["path", _q(path), ["reference", _q(ref)], ["unit", "1"]]],
                ],
            ]
        )
        for end in set(pins.values()):
            self._ends[end] = self._ends.get(end, 0) + 1
        return Placed(ref, pins)

    def power(self, name: str, at: Point, ref: str, rotation: int = 0) -> None:
        """Place a supply symbol: ``+3V3``, ``+5V``, ``GND`` or ``PWR_FLAG``."""
        down = name == "GND"
        offset = (0.0, 4.2 if down else -4.2) if rotation == 0 else (0.0, 0.0)
        self.symbol(f"power:{name}", ref, name, at, rotation, value_at=offset)

    def wire(self, *points: Point) -> None:
        """Draw a wire through the points."""
        exact = [(round(x, 4), round(y, 4)) for x, y in points]
        for a, b in itertools.pairwise(exact):
            if a == b:
                continue
            self._wires.append((a, b))
            for end in (a, b):
                self._ends[end] = self._ends.get(end, 0) + 1

    def label(
        self, name: str, at: Point, *, everywhere: bool = False, left: bool = False, shape: str = "passive"
    ) -> None:
        """Name a net, on this page or everywhere; *left* makes the text grow to the left."""
        kind = "global_label" if everywhere else "label"
        node: list[Node] = [kind, _q(name)]
        if everywhere:
            node.append(["shape", shape])
        node += [
            ["at", _n(at[0]), _n(at[1]), "180" if left else "0"],
            self._effects(justify=("right" if left else "left") + ("" if everywhere else " bottom")),
            self._uuid("label"),
        ]
        if everywhere:
            node.append(
                [
                    "property",
                    _q("Intersheetrefs"),
                    _q("${INTERSHEET_REFS}"),
                    ["at", _n(at[0]), _n(at[1]), "0"],
                    self._effects(hide=True),
                ]
            )
        self.items.append(node)

    def no_connect(self, at: Point) -> None:
        """Mark a pin that is left open on purpose."""
        self.items.append(["no_connect", ["at", _n(at[0]), _n(at[1])], self._uuid("nc")])

    def text(self, content: str, at: Point, size: float = 1.6, bold: bool = False) -> None:
        """Write a note; its anchor is the upper left."""
        self.items.append(
            [
                "text",
                _q(content),
                ["exclude_from_sim", "no"],
                ["at", _n(at[0]), _n(at[1]), "0"],
                self._effects(size, "left top", bold=bold),
                self._uuid("text"),
            ]
        )

    def frame(self, corner: Point, other: Point) -> None:
        """Draw a dashed box round things that belong together."""
        self.items.append(
            [
                "rectangle",
                ["start", _n(corner[0]), _n(corner[1])],
                ["end", _n(other[0]), _n(other[1])],
                ["stroke", ["width", "0.15"], ["type", "dash"]],
                ["fill", ["type", "none"]],
                self._uuid("frame"),
            ]
        )

    def sheet(self, box: SheetBox) -> str:
        """Draw the box of another page and return its identifier for the paths of that page."""
        ident = str(uuid.uuid5(_SPACE, f"{self.project}/sheet/{box.file}"))
        x, y = box.at
        w, h = box.size
        self.items.append(
            [
                "sheet",
                ["at", _n(x), _n(y)],
                ["size", _n(w), _n(h)],
                ["exclude_from_sim", "no"],
                ["in_bom", "yes"],
                ["on_board", "yes"],
                ["dnp", "no"],
                ["fields_autoplaced", "yes"],
                ["stroke", ["width", "0.2"], ["type", "solid"]],
                ["fill", ["color", "255", "253", "230", "1"]],
                ["uuid", _q(ident)],
                [
                    "property",
                    _q("Sheetname"),
                    _q(box.name),
                    ["at", _n(x), _n(y - 0.8), "0"],
                    self._effects(1.8, "left bottom", bold=True),
                ],
                [
                    "property",
                    _q("Sheetfile"),
                    _q(box.file),
                    ["at", _n(x), _n(y + h + 0.6), "0"],
                    self._effects(1.27, "left top"),
                ],
                [
                    "instances",
                    ["project", _q(self.project), ["path", _q(f"/{self.uuid}"), ["page", _q(box.page)]]],
                ],
            ]
        )
        return ident

    def _wiring(self) -> list[Node]:
        """Junction dots where three ends meet, and the wires, cut there as KiCad cuts them."""

        def inside(p: Point, a: Point, b: Point) -> bool:
            if a[0] == b[0] == p[0]:
                return min(a[1], b[1]) < p[1] < max(a[1], b[1])
            if a[1] == b[1] == p[1]:
                return min(a[0], b[0]) < p[0] < max(a[0], b[0])
            return False

        found: list[Node] = []
        dots: list[Point] = []
        for place, ends in sorted(self._ends.items()):
            through = sum(inside(place, a, b) for a, b in self._wires)
            if ends + 2 * through >= 3:
                dots.append(place)
                found.append(
                    [
                        "junction",
                        ["at", _n(place[0]), _n(place[1])],
                        ["diameter", "0"],
                        ["color", "0", "0", "0", "0"],
                        self._uuid("junction"),
                    ]
                )
        for a, b in self._wires:
            cuts = [
                a,
                *sorted(
                    (d for d in dots if inside(d, a, b)), key=lambda d: abs(d[0] - a[0]) + abs(d[1] - a[1])
                ),
                b,
            ]
            for start, end in itertools.pairwise(cuts):
                found.append(
                    [
                        "wire",
                        ["pts", ["xy", _n(start[0]), _n(start[1])], ["xy", _n(end[0]), _n(end[1])]],
                        ["stroke", ["width", "0"], ["type", "default"]],
                        self._uuid("wire"),
                    ]
                )
        return found

    def write(self, path: Path) -> None:
        """Write the page as a .kicad_sch file."""
        block: list[Node] = [
            "title_block",
            ["title", _q(self.title)],
            ["date", _q(self.date)],
            ["rev", _q(self.revision)],
            ["company", _q("The Shut the Box makers")],
        ]
        for number, comment in enumerate(self.comments, start=1):
            block.append(["comment", str(number), _q(comment)])
        page: list[Node] = [
            "kicad_sch",
            ["version", "20250114"],
            ["generator", _q("eeschema")],
            ["generator_version", _q("9.0")],
            ["uuid", _q(self.uuid)],
            ["paper", _q(self.paper)],
            block,
            ["lib_symbols", *(self.libraries[key] for key in sorted(self.libraries))],
            *self._wiring(),
            *self.items,
        ]
        if len(self.sheet_path) == 1:
            page.append(["sheet_instances", ["path", _q("/"), ["page", _q("1")]]])
        page.append(["embedded_fonts", "no"])
        path.write_text(dumps(page) + "\n", encoding="utf-8")
