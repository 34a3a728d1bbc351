"""Renders the guide's pictures from the model: one per step, and views of the whole. Needs no screen."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from manifold3d import Manifold
from PIL import ImageFont

from hwtools.box import printed
from hwtools.box.assembly import STEPS, Item, assemble, leads, opened
from hwtools.box.dimensions import Dimensions
from hwtools.box.fab import wires
from hwtools.box.solids import Point, at_axis, wire
from hwtools.box.wooden import plates, wooden
from hwtools.shrink import shrink

#: Largest picture in pixels, and the height of the caption below it.
_MAX, _FOOT = (1000, 900), 34
_FONT = ImageFont.load_default(size=19)
#: Of what is written on the parts themselves; a page shows the picture smaller.
_TAG_FONT = ImageFont.load_default(size=28)


def _mesh(solid: Manifold) -> Any:  # noqa: ANN401  (PyVista has no types)
    import pyvista

    found = solid.to_mesh()
    corners = np.asarray(found.vert_properties)[:, :3]
    faces = np.asarray(found.tri_verts)
    return pyvista.PolyData(corners, np.hstack([np.full((len(faces), 1), 3), faces]))


class _Scene:
    """A picture: solids in their colours, with dark edges, seen from one side."""

    def __init__(self, angle: float | None = None, d: Dimensions | None = None) -> None:
        import pyvista

        d = d or Dimensions()
        self.box = assemble(d, {} if angle is None else dict.fromkeys(range(1, d.levers + 1), angle))

        self.plotter = pyvista.Plotter(off_screen=True)
        self.plotter.set_background("white")
        self.plotter.enable_parallel_projection()
        self.labels: list[tuple[str, Point]] = []
        self.tags: list[tuple[str, Point]] = []
        self.arrows: list[tuple[Point, Point]] = []
        self.corners: list[Any] = []

    def add(self, solid: Manifold, colour: str) -> None:
        if solid.is_empty():
            return
        mesh = _mesh(solid)
        self.corners.append(mesh.points)
        self.plotter.add_mesh(mesh, color=colour, specular=0.1, ambient=0.3)
        edges = mesh.extract_feature_edges(28, manifold_edges=False)
        if edges.n_points:
            self.plotter.add_mesh(edges, color="black", line_width=1.5)

    def items(self, items: Iterable[Item], by: Point = (0, 0, 0)) -> None:
        for item in items:
            self.add(item.solid.translate(by), item.colour)

    def steps(self, *steps: str) -> None:
        """Draw the items of these steps, in place."""
        self.items(i for i in self.box.items if STEPS[i.step] in steps)

    def named(self, pattern: str) -> list[Item]:
        """Return the items whose full name matches."""
        return [i for i in self.box.items if re.fullmatch(pattern, i.name)]

    def move(self, pattern: str, by: Point, label: str, left: float = 0.3) -> None:
        """Draw matching items away from their place, moved *by* a vector, and label the first.

        An arrow points to their place, and stops short of it by a share of the way.
        """
        for k, item in enumerate(self.named(pattern)):
            self.items([item], by)
            start = self.middle(item.name, by)
            if any(by):
                self.arrows.append(
                    (start, self.middle(item.name, (left * by[0], left * by[1], left * by[2])))
                )
            if label and not k:
                self.labels.append((label, start))

    def middle(self, name: str, by: Point = (0, 0, 0)) -> Point:
        """Return the middle of an item, moved *by* a vector."""
        x0, y0, z0, x1, y1, z1 = self.box.item(name).solid.bounding_box()
        return (x0 + x1) / 2 + by[0], (y0 + y1) / 2 + by[1], (z0 + z1) / 2 + by[2]

    def note(self, label: str, name: str, by: Point = (0, 0, 0)) -> None:
        """Label an item at its middle, moved by *by*, in mm."""
        self.labels.append((label, self.middle(name, by)))

    def save(self, target: Path, towards: Point) -> None:
        """Render the picture as large as it fits, with the side it's seen from as its caption."""
        back = np.asarray(towards) / np.linalg.norm(towards)
        across = np.cross((0, 0, 1), back) / np.linalg.norm(np.cross((0, 0, 1), back))
        axes = np.stack([across, np.cross(back, across)])
        spots = np.concatenate([*self.corners, *self.arrows]) @ axes.T
        low, high = spots.min(axis=0), spots.max(axis=0)
        half = float(low[0] + high[0]) / 2
        # labels go to the nearer side, with room for the longest
        left, right = (
            12
            + max(
                (_FONT.getlength(t) + 30 for t, p in self.labels if (axes[0] @ p > half) == side), default=0
            )
            for side in (False, True)
        )
        scale = min(
            (_MAX[0] - left - right) / (high[0] - low[0]), (_MAX[1] - _FOOT - 24) / (high[1] - low[1])
        )
        wide, tall = (high - low) * scale
        size = (round(wide + left + right), round(max(tall + 24, 34.0 * len(self.labels)) + _FOOT))
        middle = (low + high) / 2 + ((right - left) / 2 / scale, -_FOOT / 2 / scale)

        def seen(point: Point) -> _Spot:
            x, y = (axes @ point - middle) * scale
            return size[0] / 2 + x, size[1] / 2 - y

        camera = self.plotter.camera
        camera.focal_point = middle @ axes
        camera.position, camera.up = camera.focal_point + 1000 * back, axes[1]
        camera.parallel_scale = size[1] / 2 / scale
        self.plotter.window_size = size
        self.plotter.reset_camera_clipping_range()
        self.plotter.screenshot(str(target))
        self.plotter.close()
        _annotate(
            target,
            [(text, seen(spot)) for text, spot in self.labels],
            [(text, seen(spot)) for text, spot in self.tags],
            [(seen(start), seen(end)) for start, end in self.arrows],
            left + wide / 2,
            view(towards),
        )
        shrink(target)


_Spot = tuple[float, float]


def view(towards: Point) -> str:
    """Say which side a picture is seen from. Left and right are the player's."""
    x, y, z = towards
    sides = [
        word
        for word, part in (
            ("the front", -y), ("behind", y), ("the left", -x), ("the right", x), ("above", z), ("below", -z),
        )
        if part > 0.4 * max(map(abs, towards))
    ]  # fmt: skip
    return f"Seen from {', '.join(sides)}{': here the left is at the right' if y > 0.4 else ''}"


def _cross(a: _Spot, b: _Spot, c: _Spot, d: _Spot) -> bool:
    """Return whether the lines from a to b and from c to d cross."""

    def turn(p: _Spot, q: _Spot, r: _Spot) -> bool:
        return (q[0] - p[0]) * (r[1] - p[1]) > (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) != turn(a, b, d) and turn(c, d, a) != turn(c, d, b)


def _annotate(
    target: Path,
    labels: list[tuple[str, _Spot]],
    tags: list[tuple[str, _Spot]],
    arrows: list[tuple[_Spot, _Spot]],
    half: float,
    caption: str,
) -> None:
    """Draw arrows, caption, tags, and labels at the nearer side, with lines that don't cross."""
    from PIL import Image, ImageDraw

    image = Image.open(target).convert("RGB")
    draw = ImageDraw.Draw(image)
    across, down = image.size
    draw.text((across / 2, down - 8), caption, fill="black", font=_FONT, anchor="mb")
    for (x0, y0), (x1, y1) in arrows:
        long = max(1.0, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        ux, uy = (x1 - x0) / long, (y1 - y0) / long
        draw.line([(x0, y0), (x1, y1)], fill=(200, 0, 80), width=4)
        wings = [(x1 - 14 * ux + s * 7 * uy, y1 - 14 * uy - s * 7 * ux) for s in (-1, 1)]
        draw.polygon([(x1 + 3 * ux, y1 + 3 * uy), *wings], fill=(200, 0, 80))
    for right in (False, True):
        side = sorted((i for i in labels if (i[1][0] > half) == right), key=lambda i: i[1][1])
        tops, low = [], 8.0
        for k, (_, (_, y)) in enumerate(side):
            tops.append(min(max(low, y - 14), down - 30 - 34.0 * (len(side) - k)))
            low = tops[-1] + 34

        def edge(text: str, right: bool = right) -> float:
            wide = draw.textlength(text, font=_FONT) + 14
            return across - wide - 8 if right else wide + 8

        for _ in side:
            for i in range(len(side)):
                for j in range(i):
                    ends = ((side[k][1], (edge(side[k][0]), tops[k] + 14)) for k in (j, i))
                    if _cross(*(spot for pair in ends for spot in pair)):
                        side[i], side[j] = side[j], side[i]
        for (text, (x, y)), top in zip(side, tops, strict=True):
            left = edge(text) if right else 8.0
            draw.line([(edge(text), top + 14), (x, y)], fill=(0, 60, 160), width=2)
            draw.ellipse([x - 4, y - 4, x + 4, y + 4], fill=(0, 60, 160))
            wide = draw.textlength(text, font=_FONT) + 14
            draw.rectangle([left, top, left + wide, top + 28], fill="white", outline=(0, 60, 160), width=2)
            draw.text((left + 7, top + 3), text, fill="black", font=_FONT)
    for text, spot in tags:
        x0, y0, x1, y1 = draw.textbbox(spot, text, font=_TAG_FONT, anchor="mm")
        draw.rectangle([x0 - 5, y0 - 4, x1 + 5, y1 + 5], fill="white", outline=(0, 60, 160), width=2)
        draw.text(spot, text, fill="black", font=_TAG_FONT, anchor="mm")
    image.save(target)


def _whole(target: Path, levers: int, *, wood: bool = False) -> None:
    d = wooden(Dimensions(levers=levers)) if wood else Dimensions(levers=levers)
    scene = _Scene(d.up, d)
    angles = {n: d.down if n in (3, 5) else d.up for n in range(1, levers + 1)}
    for item in assemble(d, angles).items:
        if item.name == "body" and wood:
            for plate in (p for p in plates(d) if p.group == "shell"):
                scene.add(plate.solid, "burlywood")
        elif not item.name.startswith("bolt"):
            scene.items([item])
    for n, angle in angles.items():  # the numbers are painted in, as a builder does
        x = d.bay_left(n) + d.side_gap + d.lever_width / 2
        digits = printed.engraving(n, d).translate((x, d.axle_y - d.thick / 2 - 0.45, d.axle_z))
        scene.add(at_axis(digits, angle, d.axle_y, d.axle_z), "#301808")
    scene.save(target, (-0.5, -1.2, 1.0))


def _exploded(target: Path) -> None:
    scene = _Scene()
    lift = {"base": 0.0, "bar": -25.0, "electronics": 35.0, "plugs": 55.0, "tray": 120.0, "closing": 150.0,
            "deck": 190.0, "display": 270.0, "levers": 330.0, "detents": 330.0, "switches": 330.0,
            "bank": 400.0}  # fmt: skip
    for item in scene.named("(?!supply cable|levers' leads|cable tie).*"):
        scene.items([item], (0, 0, lift[STEPS[item.step]]))
    scene.save(target, (-0.6, -1.2, 0.55))


def _fingers(target: Path) -> None:
    """Draw one tile from its left, with its finger beside it."""
    scene = _Scene(15.0)
    scene.items(scene.named("lever 1"))
    scene.note("tile 1, its left side", "lever 1")
    scene.move("finger 1", (-22, 0, 0), "finger: into the slot")
    x0, y0, z0, _, y1, z1 = scene.box.item("finger 1").solid.bounding_box()
    _, _, (foot, bar) = wires(scene.box.dimensions)["finger"]
    scene.labels.append((f"foot, {foot:.1f} mm: into the hole", (x0 - 22, y1, z1)))
    scene.labels.append((f"tip, {bar:.1f} mm: stays free", (x0 - 22, y0, z0)))
    scene.save(target, (-1.0, -0.45, 0.35))


def _levers(target: Path) -> None:
    scene = _Scene(15.0)
    scene.items(scene.named("bank|(lever|finger) [1-5]"))
    scene.items(scene.named("finger 6"), (0, 0, -55))
    scene.note("lever bank", "bank", (-80, 0, 20))
    scene.move("lever 6", (0, 0, -55), "tile 6, from below")
    scene.move("axle", (75, 0, 0), "axle: rod 3 mm")
    scene.move("rod up", (110, 0, 0), "stop: rod 3 mm")
    scene.move("rod down", (110, 0, 0), "stop: rod 3 mm")
    scene.save(target, (0.5, -1.0, -0.75))


def _detents(target: Path) -> None:
    scene = _Scene(15.0)
    scene.steps("levers")
    scene.items(scene.named("staple [1-6]"))
    for item in scene.named("staple [7-9]"):
        item.solid = item.relaxed or item.solid
        scene.move(item.name, (0, 0, -45), item.name)
    scene.save(target, (0.5, -1.0, -0.75))


def _switches(target: Path) -> None:
    scene = _Scene(-17.0)
    scene.steps("levers", "detents")
    scene.items(scene.named("switch .*[1-8]"))
    scene.items(scene.named("switch lever 9"), (0, 0, -45))
    scene.move("switch 9", (0, 0, -45), "switch, free end up")
    scene.move("switch spacer left 9", (-10, 0, -45), "narrow spacer, left of it")
    scene.move("switch spacer right 9", (14, 0, -45), "wide spacer, right of it")
    for rod, label in (("low", ""), ("high", ""), ("back", ", under the staples")):
        scene.move(f"switch rod {rod}", (60, 0, 0), f"rod 2 mm{label}")
    scene.save(target, (0.5, -1.0, -0.75))


def _display(target: Path) -> None:
    scene = _Scene()
    scene.items(scene.named("bezel"))
    scene.note("bezel, face away", "bezel", (47, 0, 0))
    scene.move("window", (0, 0, -14), "acrylic, sealed all round")
    scene.move("display", (0, 0, -32), "display")
    scene.move("clamp foam .*", (0, 0, -50), "2 foam strips")
    scene.move("clamp (left|right)", (0, 0, -64), "2 clamps")
    scene.save(target, (-0.5, -1.0, -0.8))


def _deck(target: Path) -> None:
    scene = _Scene()
    scene.items(scene.named("body"))
    scene.note("shell", "body", (-90, 0, -20))
    scene.move("bezel insert 1", (0, 0, -18), "8 inserts M3")
    scene.move("bezel insert [234]|bank insert .*", (0, 0, -18), "")
    scene.move("button", (0, 0, 100), "")
    scene.note("roll button", "button", (0, 0, 117))
    scene.move("button nut", (0, 0, -30), "nut of the button")
    scene.move("buzzer", (0, 0, -45), "buzzer, hole up")
    scene.move("lock", (0, -35, 0), "lock, from the front")
    scene.move("lock nut", (-35, 40, 0), "nut of the lock")
    scene.move("lock cam", (-30, 78, 0), "cam")
    scene.save(target, (-0.45, -0.75, -1.0))


def _bank(target: Path) -> None:
    scene = _Scene()
    scene.steps("deck", "display")
    scene.items((i for i in scene.box.items if i.group == "bank" and i.name != "bank"), (0, 0, 90))
    scene.move("bank", (0, 0, 90), "bank, tiles down")
    scene.save(target, (-0.6, -1.2, 0.8))


def _tray(target: Path) -> None:
    scene = _Scene()
    scene.steps("deck", "display", "levers", "detents", "switches", "bank")
    scene.move("gasket", (0, 0, -45), "foam tape, double-sided")
    scene.move("tray", (0, 0, -100), "tray, between the fins", 0.6)
    scene.save(target, (-0.5, -0.9, -1.0))


def _base(target: Path) -> None:
    scene = _Scene()
    scene.steps("base")
    scene.note("base", "base", (60, 0, -15))
    scene.move("Pi", (0, 0, 25), "Raspberry Pi, header in front")
    scene.move("spacer .*", (0, 0, 45), "4 spacers M2.5x11")
    scene.move("board", (0, 0, 75), "lever board")
    scene.items(scene.named("Pi screw low .*"), (0, 0, -30))
    scene.items(scene.named("Pi screw high .*"), (0, 0, 100))
    scene.save(target, (-0.6, -1.2, 0.7))


def _plugs(target: Path) -> None:
    scene = _Scene()
    for item in scene.box.items:
        if STEPS[item.step] in ("base", "electronics", "plugs") and item.name != "levers' leads":
            near = item.solid.trim_by_plane((-1, 0, 0), -108).trim_by_plane((0, -1, 0), -112)
            scene.add(near.trim_by_plane((1, 0, 0), 10).trim_by_plane((0, 1, 0), 10), item.colour)
    scene.tags.append(("supply", scene.middle("supply plug", (0, 6, 0))))
    for name, (label, by) in _PLUGGED.items():
        scene.tags.append((f"{name} {label}", scene.middle(name, by)))
    scene.save(target, (0.0, 1.0, 1.8))


#: What each plug is for, and where to put its label so that none overlap.
_PLUGGED: dict[str, tuple[str, Point]] = {
    "J2": ("1-3", (0, -9, 0)), "J3": ("4-6", (0, -9, 0)), "J4": ("7-9", (0, -9, 0)),
    "J6": ("button", (-14, 0, 0)), "J7": ("service", (-15, 0, 0)), "J8": ("buzzer", (-7, 10, 0)),
    "J9": ("display", (-16, 0, 0)),
}  # fmt: skip


def _bar(target: Path) -> None:
    scene = _Scene()
    scene.steps("base", "electronics", "plugs")
    scene.move("foot .*", (0, 0, -25), "4 feet with a hole")
    scene.move("stuck foot", (0, 0, -25), "foot that sticks")
    scene.move("bolt .*", (0, 0, 70), "4 bolts into the bar")
    scene.save(target, (-0.5, -1.2, 0.3))


#: Wire colours of each plug, as in the harness.
_WIRES = {
    "J6": ("white", "black", "red", "royalblue", "green"), "J8": ("black", "red"),
    "J9": ("black", "red", "royalblue", "gold"),
}  # fmt: skip
_LEVER_WIRES = ("white", "saddlebrown", "green", "black")


def _open(target: Path) -> None:
    """Draw the open box: the shell on its back wall behind the base, the leads in their colours."""
    scene = _Scene()
    for item in scene.named("(?!levers' leads).*"):
        if item.group == "base":
            scene.items([item])
        elif item.step < STEPS.index("closing"):
            scene.add(opened(scene.box.dimensions, item.solid), item.colour)
    for plug, ways in leads(scene.box).items():
        colours = _WIRES.get(plug, _LEVER_WIRES)
        for k, colour in enumerate(colours):
            aside = (k - (len(colours) - 1) / 2) * 1.8
            way = [(x + aside, y, z) for x, y, z in ways[min(k, len(ways) - 1)]]
            scene.add(wire(way, 1.5), "ivory" if colour == "white" else colour)
        x, y, z = ways[0][0]
        scene.labels.append((f"{plug} {_PLUGGED[plug][0]}: 0.40 m", (x, y, z + 4)))
    scene.save(target, (0.35, -1.0, 1.05))


def _closing(target: Path) -> None:
    scene = _Scene()
    scene.steps("base", "electronics", "plugs", "bar")
    scene.items(
        (
            i
            for i in scene.box.items
            if i.group != "base" and i.step < STEPS.index("closing") and i.name != "body"
        ),
        (0, 3, 70),
    )
    scene.move("body", (0, 3, 70), "1. shell: down, 3 mm to the front, lock")
    scene.move("spout", (0, 3, 160), "2. spout, pushed in, no glue", 0.65)
    scene.move("felt", (0, 3, 190), "3. felt", 0.45)
    scene.save(target, (-0.9, -1.2, 0.35))


def _screw_pair(target: Path, first: int) -> None:
    """Draw two screws on their way in."""
    scene = _Scene()
    # the lower screws of the Pi come before the upper ones
    screws = sorted(scene.box.screws, key=lambda s: (STEPS.index(s.step), "high" in s.name))
    pair, coming = screws[first : first + 2], {screw.name for screw in screws[first:]}
    groups = {"display": {"shell"}, "deck": {"shell"}, "bank": {"shell", "bank"}}.get(pair[0].step, {"base"})
    for item in scene.box.items:
        if item.group in groups and item.step <= STEPS.index(pair[0].step) and item.name not in coming:
            scene.items([item])
    for screw in pair:
        x, y, z = (-a * 30.0 for a in screw.axis)
        part = scene.box.item(screw.name).part.partition(",")[0].removeprefix("screw ")
        scene.move(screw.name, (x, y, z), f"{screw.name}: {part}")
    scene.save(target, (-0.5, -1.1, -0.8 if pair[0].axis[2] > 0 else 0.9))


def _section(target: Path) -> None:
    """Draw a bay cut open beside its switch: a tile up, and one down."""
    scene = _Scene()
    d = scene.box.dimensions
    cut = d.bay_left(2) + 2.0
    for angle, x in ((d.up, 0.0), (d.down, 110.0)):
        for item in _Scene(angle).named(
            f"(lever|finger|switch|switch lever|staple) 2|bank|body|{'|'.join(printed.bank_rods(d))}"
        ):
            half = item.solid.trim_by_plane((1, 0, 0), cut).trim_by_plane((-1, 0, 0), -cut - 14)
            half = half.trim_by_plane((0, 1, 0), d.axle_y - 45).trim_by_plane((0, 0, 1), 20)
            scene.add(half.translate((0, -x, 0)), item.colour)
    scene.save(target, (-1, 0, 0))


#: File name -> the function that draws it: the guide's steps, pairs of screws, and views of the whole.
PICTURES: dict[str, Callable[[Path], None]] = {
    "step-fingers": _fingers,
    "step-levers": _levers,
    "step-detents": _detents,
    "step-switches": _switches,
    "step-display": _display,
    "step-deck": _deck,
    "step-bank": _bank,
    "step-tray": _tray,
    "step-electronics": _base,
    "step-plugs": _plugs,
    "step-bar": _bar,
    "step-open": _open,
    "step-closing": _closing,
    **{f"step-screws-{k + 1:02d}": partial(_screw_pair, first=2 * k) for k in range(12)},
    "lever-section": _section,
    "box": lambda target: _whole(target, 9),
    "box-12": lambda target: _whole(target, 12),
    "box-wooden": lambda target: _whole(target, 9, wood=True),
    "exploded": _exploded,
}


def main(folder: Path, names: Iterable[str] = ()) -> None:
    """Render all pictures, or only *names*, into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        PICTURES[name](folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
