"""Writes the wooden box's plates as DXF and SVG, and cutting plans for whole sheets, all at 1:1."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hwtools.box.assembly import felt_shape
from hwtools.box.dimensions import Dimensions
from hwtools.box.wooden import SHEET, Plate, plates, wooden

if TYPE_CHECKING:
    from manifold3d import CrossSection

#: Space between plates, and to the sheet's edge, in mm.
_ROOM = 4.0
_STYLE = 'fill="none" stroke="#000" stroke-width="0.2"'


def plan(found: list[Plate]) -> list[list[tuple[Plate, CrossSection]]]:
    """Lay the plates on sheets in rows, tallest first; return each sheet's plates where they lie."""
    flat = []
    for plate in found:
        outline = plate.outline()
        _, _, x, y = outline.bounds()
        flat.append((plate, outline.rotate(-90).translate((0, x)) if y > x else outline))
    flat.sort(key=lambda item: -item[1].bounds()[3])
    sheets: list[list[tuple[Plate, CrossSection]]] = []
    rows: list[tuple[int, float, float, float]] = []  # sheet, y of the row, its height, x that is free
    for plate, outline in flat:
        _, _, x, y = outline.bounds()
        for k, (sheet, low, high, free) in enumerate(rows):
            if y <= high and free + x + _ROOM <= SHEET[0]:
                sheets[sheet].append((plate, outline.translate((free, low))))
                rows[k] = sheet, low, high, free + x + _ROOM
                break
        else:
            above = [low + high + _ROOM for sheet, low, high, _ in rows if sheet == len(sheets) - 1]
            low = max(above, default=SHEET[1])
            if low + y + _ROOM > SHEET[1]:
                sheets.append([])
                low = _ROOM
            sheets[-1].append((plate, outline.translate((_ROOM, low))))
            rows.append((len(sheets) - 1, low, y, _ROOM + x + _ROOM))
    return sheets


def _path(outline: CrossSection, high: float) -> str:
    words = []
    for ring in outline.to_polygons():
        points = " L ".join(f"{x:.2f} {high - y:.2f}" for x, y in ring)
        words.append(f"M {points} Z")
    return " ".join(words)


def _svg(placed: list[tuple[Plate, CrossSection]], size: tuple[float, float], *, names: bool) -> str:
    width, high = size
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{high:g}mm" '
        f'viewBox="0 0 {width:g} {high:g}">'
    ]
    for plate, outline in placed:
        out.append(f'<path d="{_path(outline, high)}" {_STYLE}/>')
        if names:
            x0, y0, x1, y1 = outline.bounds()
            out.append(
                f'<text x="{(x0 + x1) / 2:.1f}" y="{high - (y0 + y1) / 2:.1f}" font-size="5" fill="#c00" '
                f'font-family="sans-serif" text-anchor="middle">{plate.name}</text>'
            )
    return "\n".join([*out, "</svg>\n"])


def _circle(ring: Sequence[Sequence[float]]) -> tuple[float, float, float] | None:
    """Return centre and radius of a ring that stands for a circle, or None."""
    if len(ring) < 12:
        return None
    x, y = ((min(p[k] for p in ring) + max(p[k] for p in ring)) / 2 for k in (0, 1))
    far = [math.dist(p, (x, y)) for p in ring]
    return (x, y, max(far)) if max(far) - min(far) < 0.05 else None


def _dxf(placed: list[tuple[Plate, CrossSection]], target: Path) -> None:
    import ezdxf

    # No timestamps or random identifiers, so that builds are reproducible.
    ezdxf.options.write_fixed_meta_data_for_testing = True
    document = ezdxf.new("R2010", units=4)  # millimetres
    space = document.modelspace()
    for plate, outline in placed:
        for ring in outline.to_polygons():
            circle = _circle(ring)
            if circle:
                space.add_circle(circle[:2], circle[2])
            else:
                space.add_lwpolyline([(float(x), float(y)) for x, y in ring], close=True)
        if len(placed) > 1:
            x0, y0, x1, y1 = outline.bounds()
            label = space.add_text(plate.name, height=5, dxfattribs={"layer": "NAMES", "color": 1})
            label.set_placement(((x0 + x1) / 2, (y0 + y1) / 2))
    document.saveas(target)


def write(folder: Path) -> None:
    """Write every plate and the plans into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    found = plates(wooden(Dimensions()))
    for plate in found:
        outline = plate.outline()
        name = plate.name.replace(" ", "-")
        _, _, x, y = outline.bounds()
        (folder / f"{name}.svg").write_text(_svg([(plate, outline)], (x, y), names=False), encoding="utf-8")
        _dxf([(plate, outline)], folder / f"{name}.dxf")
    for number, sheet in enumerate(plan(found), start=1):
        (folder / f"plan-{number}.svg").write_text(_svg(sheet, SHEET, names=True), encoding="utf-8")
        _dxf(sheet, folder / f"plan-{number}.dxf")
    felt = felt_shape(Dimensions())
    x0, y0, x1, y1 = felt.bounds()
    felt = felt.translate((-x0, -y0))
    piece = Plate("felt", felt.extrude(1), "z", "shell")
    (folder / "felt.svg").write_text(_svg([(piece, felt)], (x1 - x0, y1 - y0), names=False), encoding="utf-8")
    _dxf([(piece, felt)], folder / "felt.dxf")
    thick = f"{Dimensions().wood:g} mm"
    print(f"{len(found)} plates of {thick} on {len(plan(found))} sheets of {SHEET[0]:g} x {SHEET[1]:g} mm")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
