"""Draws 1:1 templates on A4: plywood plates for a fret saw, and wires to bend over.

``python -m hwtools.templates FOLDER``. Every page has a bar of 100 mm; larger plates are split, with marks.
"""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hwtools.box.dimensions import COUNTS, SWITCHES, Dimensions
from hwtools.box.fab import wires
from hwtools.box.wooden import Plate, plates, wooden

if TYPE_CHECKING:
    from manifold3d import CrossSection

#: A4 in mm, what every printer leaves free at its edges, and room for the bar below.
_PAGE, _EDGE, _FOOT = (210.0, 297.0), 10.0, 22.0
#: Two pages of one plate show so much of it twice.
_OVERLAP = 10.0
_Window = tuple[float, float, float, float]


def tiles(width: float, height: float) -> list[_Window]:
    """Split a drawing of this size into pages: (left, low, right, high) of each."""
    room = (_PAGE[0] - 2 * _EDGE, _PAGE[1] - 2 * _EDGE - _FOOT)
    counts = [
        max(1, math.ceil((size - _OVERLAP) / (r - _OVERLAP)))
        for size, r in zip((width, height), room, strict=True)
    ]
    steps = [(size - _OVERLAP) / n for size, n in zip((width, height), counts, strict=True)]
    return [
        (c * steps[0], r * steps[1], (c + 1) * steps[0] + _OVERLAP, (r + 1) * steps[1] + _OVERLAP)
        for r in range(counts[1])
        for c in range(counts[0])
    ]


def _page(title: str) -> tuple[Any, Any]:
    """Return the figure of an A4 page and its axes in mm, with title and bar."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_PAGE[0] / 25.4, _PAGE[1] / 25.4))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, _PAGE[0])
    axes.set_ylim(0, _PAGE[1])
    axes.axis("off")
    axes.plot([_EDGE, _EDGE + 100], [_EDGE + 4, _EDGE + 4], color="black", linewidth=1)
    for k in range(11):
        axes.plot(
            [_EDGE + 10 * k] * 2, [_EDGE + 4, _EDGE + (8 if k % 5 == 0 else 6)], color="black", linewidth=0.5
        )
    axes.text(_EDGE, _EDGE + 10, title, fontsize=10)
    axes.text(
        _EDGE + 104,
        _EDGE + 4,
        "This bar is 100 mm. If it is not, print at 100 %, not fitted to the page.",
        fontsize=6,
    )
    return figure, axes


def _rings(axes: Any, outline: CrossSection, window: _Window, at: tuple[float, float]) -> None:  # noqa: ANN401
    from matplotlib.patches import Rectangle

    clip = Rectangle(at, window[2] - window[0], window[3] - window[1], transform=axes.transData)
    for ring in outline.to_polygons():
        x = [*(p[0] for p in ring), ring[0][0]]
        y = [*(p[1] for p in ring), ring[0][1]]
        line = axes.plot(
            [v - window[0] + at[0] for v in x], [v - window[1] + at[1] for v in y], "k", linewidth=0.4
        )[0]
        line.set_clip_path(clip)


def _plate(pages: Any, plate: Plate) -> None:  # noqa: ANN401
    outline = plate.outline()
    _, _, width, height = outline.bounds()
    if width > height and len(tiles(height, width)) <= len(tiles(width, height)):
        outline = outline.rotate(-90).translate((0, width))
        width, height = height, width
    found = tiles(width, height)
    for number, window in enumerate(found, start=1):
        figure, axes = _page(f"{plate.name}, page {number} of {len(found)}" if len(found) > 1 else plate.name)
        at = (_EDGE, _EDGE + _FOOT)
        _rings(axes, outline, window, at)
        for other in found:  # crosses at the corners of what the next page shows too
            for x in (other[0], other[2]) if len(found) > 1 else ():
                for y in (other[1], other[3]):
                    if window[0] <= x <= window[2] and window[1] <= y <= window[3]:
                        px, py = x - window[0] + at[0], y - window[1] + at[1]
                        axes.plot([px - 3, px + 3], [py, py], "r", linewidth=0.3)
                        axes.plot([px, px], [py - 3, py + 3], "r", linewidth=0.3)
        pages.savefig(figure)


def _wires(pages: Any) -> None:  # noqa: ANN401
    """Draw the centre lines of fingers and staples, to bend wire over."""
    fingers = {switch.wire: name for name, switch in reversed(SWITCHES.items())}
    shapes = [
        ("finger", Dimensions(switch=name), f"for {name}; foot below, tip above")
        for name in reversed(fingers.values())
    ]
    shapes += [("staple", Dimensions(levers=n), f"for {n} levers; its legs parallel to 1 mm") for n in COUNTS]
    figure, axes = _page("wires: bend stainless spring wire 1.4310 until it lies on the middle line")
    high = _PAGE[1] - _EDGE - 5
    for kind, d, text in shapes:
        thick, straight, ends = wires(d)[kind]
        if kind == "finger":
            points = [(ends[0], 0.0), (0.0, 0.0), (0.0, straight), (ends[1], straight)]
        else:
            points = [(0.0, 0.0), (0.0, ends[0]), (straight, ends[0]), (straight, 0.0)]
        top = max(y for _, y in points)
        high -= top + 3
        x, y = [p[0] + 25 for p in points], [p[1] + high for p in points]
        axes.plot(x, y, color="0.75", linewidth=thick / 25.4 * 72, solid_capstyle="butt")
        axes.plot(x, y, color="black", linewidth=0.2)
        for (x0, y0), (x1, y1) in pairwise(zip(x, y, strict=True)):
            length, middle = math.hypot(x1 - x0, y1 - y0), ((x0 + x1) / 2 + 1, (y0 + y1) / 2 + 1)
            axes.text(*middle, f"{length:.1f}", fontsize=7)
        cut = straight + sum(ends)
        axes.text(60, high + top / 2, f"{kind}, {thick:g} mm wire, {text}. Cut {cut:.0f} mm", fontsize=7)
        high -= 4
    pages.savefig(figure)


def write(folder: Path) -> None:
    """Write templates.pdf (the plates) and wires.pdf into *folder*."""
    from matplotlib.backends.backend_pdf import PdfPages

    folder.mkdir(parents=True, exist_ok=True)
    same = {"CreationDate": None, "Creator": None, "Producer": None}
    with PdfPages(folder / "templates.pdf", metadata=same) as pages:
        for plate in plates(wooden(Dimensions())):
            _plate(pages, plate)
    with PdfPages(folder / "wires.pdf", metadata=same) as pages:
        _wires(pages)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
