"""Renders the pictures of the guide from the model: one a step, and views of the whole. Needs no screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from manifold3d import Manifold

from hwtools.box import printed
from hwtools.box.assembly import STEPS, Assembly, Item, assemble, leads, opened
from hwtools.box.dimensions import Dimensions
from hwtools.box.solids import Point, at_axis, tube
from hwtools.box.wooden import plates, wooden
from hwtools.shrink import shrink

__all__ = ["PICTURES", "main"]

_GHOST = 0.12
_SIZE = (1000, 700)


def _mesh(solid: Manifold) -> Any:  # noqa: ANN401  (PyVista has no types)
    import pyvista

    found = solid.to_mesh()
    corners = np.asarray(found.vert_properties)[:, :3]
    faces = np.asarray(found.tri_verts)
    return pyvista.PolyData(corners, np.hstack([np.full((len(faces), 1), 3), faces]))


class _Scene:
    """Solids in their colours, with dark edges, seen from one side."""

    def __init__(self) -> None:
        import pyvista

        self.plotter = pyvista.Plotter(off_screen=True, window_size=list(_SIZE))
        self.plotter.set_background("white")
        self.plotter.enable_parallel_projection()
        self.labels: list[tuple[str, Point]] = []
        self.arrows: list[tuple[Point, Point]] = []

    def add(self, solid: Manifold, colour: str, *, ghost: bool = False) -> None:
        mesh = _mesh(solid)
        self.plotter.add_mesh(mesh, color=colour, opacity=_GHOST if ghost else 1.0, specular=0.1, ambient=0.3)
        if not ghost:
            edges = mesh.extract_feature_edges(28, manifold_edges=False)
            if edges.n_points:
                self.plotter.add_mesh(edges, color="black", line_width=1.5)

    def items(self, items: Iterable[Item], by: Point = (0, 0, 0), *, ghost: bool = False) -> None:
        for item in items:
            self.add(item.solid.translate(by), item.colour, ghost=ghost)

    def move(self, items: Iterable[Item], by: Point, label: str) -> None:
        """Draw what comes in where it comes from, with an arrow to its place and its name at the first."""
        for k, item in enumerate(items):
            self.items([item], by)
            x0, y0, z0, x1, y1, z1 = item.solid.bounding_box()
            place = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
            start = (place[0] + by[0], place[1] + by[1], place[2] + by[2])
            if any(by):
                end = tuple(s + 0.7 * (p - s) for s, p in zip(start, place, strict=True))
                self.arrows.append((start, end))
            if not k:
                self.labels.append((label, start))

    def save(self, target: Path, towards: Point) -> None:
        """Draw what was added, as large as it goes, with the side it is seen from written below."""
        from PIL import Image

        self.plotter.view_vector(towards, viewup=(0, 0, 1))
        self.plotter.reset_camera()
        camera = self.plotter.camera
        self.plotter.screenshot(str(target))
        dark = np.argwhere(np.asarray(Image.open(target).convert("L")) < 255)
        (y0, x0), (y1, x1) = dark.min(axis=0), dark.max(axis=0)
        ahead = -np.asarray(towards) / np.linalg.norm(towards)
        right = np.cross(ahead, (0, 0, 1)) / np.linalg.norm(np.cross(ahead, (0, 0, 1)))
        pixel = 2 * camera.parallel_scale / _SIZE[1]
        shift = (
            ((x0 + x1 - _SIZE[0]) * right - (y0 + y1 - _SIZE[1] + 40) * np.cross(right, ahead)) * pixel / 2
        )
        camera.focal_point, camera.position = (
            np.asarray(p) + shift for p in (camera.focal_point, camera.position)
        )
        room = _SIZE[0] - (2 * 170 if self.labels else 20)  # names need room
        camera.zoom(min(room / (x1 - x0), (_SIZE[1] - 60) / (y1 - y0)))
        self.plotter.render()
        self.plotter.screenshot(str(target))
        places = {
            p: self._seen(p) for p in [*(p for _, p in self.labels), *(p for a in self.arrows for p in a)]
        }
        self.plotter.close()
        _annotate(
            target,
            [(t, places[p]) for t, p in self.labels],
            [(places[a], places[b]) for a, b in self.arrows],
            view(towards),
        )
        shrink(target)

    def _seen(self, point: Point) -> tuple[float, float]:
        """Where a point of the scene is on the picture."""
        renderer = self.plotter.renderer
        renderer.SetWorldPoint(*point, 1.0)
        renderer.WorldToDisplay()
        x, y, _ = renderer.GetDisplayPoint()
        return x, _SIZE[1] - y


_Spot = tuple[float, float]


def view(towards: Point) -> str:
    """Return in words the side that a picture is seen from. Left and right are those of a player in front."""
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
    """Say whether the lines from a to b and from c to d cross."""

    def turn(p: _Spot, q: _Spot, r: _Spot) -> bool:
        return (q[0] - p[0]) * (r[1] - p[1]) > (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) != turn(a, b, d) and turn(c, d, a) != turn(c, d, b)


def _annotate(
    target: Path, labels: list[tuple[str, _Spot]], arrows: list[tuple[_Spot, _Spot]], caption: str
) -> None:
    """Draw arrows, the caption, and names at the nearer side of the picture with lines that do not cross."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.open(target).convert("RGB")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=19)
    draw.text((_SIZE[0] / 2, _SIZE[1] - 8), caption, fill="black", font=font, anchor="mb")
    for (x0, y0), (x1, y1) in arrows:
        long = max(1.0, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        ux, uy = (x1 - x0) / long, (y1 - y0) / long
        draw.line([(x0, y0), (x1, y1)], fill=(200, 0, 80), width=4)
        wings = [(x1 - 14 * ux + s * 7 * uy, y1 - 14 * uy - s * 7 * ux) for s in (-1, 1)]
        draw.polygon([(x1 + 3 * ux, y1 + 3 * uy), *wings], fill=(200, 0, 80))
    for right in (False, True):
        side = sorted((i for i in labels if (i[1][0] > _SIZE[0] / 2) == right), key=lambda i: i[1][1])
        tops, low = [], 8.0
        for k, (_, (_, y)) in enumerate(side):
            tops.append(min(max(low, y - 14), _SIZE[1] - 30 - 34.0 * (len(side) - k)))
            low = tops[-1] + 34

        def edge(text: str, right: bool = right) -> float:
            wide = draw.textlength(text, font=font) + 14
            return _SIZE[0] - wide - 8 if right else wide + 8

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
            wide = draw.textlength(text, font=font) + 14
            draw.rectangle([left, top, left + wide, top + 28], fill="white", outline=(0, 60, 160), width=2)
            draw.text((left + 7, top + 3), text, fill="black", font=font)
    image.save(target)


def _box(angle: float | None = None, **figures: Any) -> Assembly:  # noqa: ANN401
    d = Dimensions(**figures)
    return assemble(d, {} if angle is None else dict.fromkeys(range(1, d.levers + 1), angle))


def _of(box: Assembly, *steps: str) -> list[Item]:
    wanted = {STEPS.index(step) for step in steps}
    return [item for item in box.items if item.step in wanted]


def _numbers(scene: _Scene, box: Assembly, angles: dict[int, float]) -> None:
    """Paint in the numbers of the tiles, as a builder does."""
    d = box.dimensions
    for n in range(1, d.levers + 1):
        digits = printed.engraving(n, d).translate(
            (d.bay_left(n) + d.side_gap + d.lever_width / 2, d.axle_y - d.thick / 2 - 0.45, d.axle_z)
        )
        scene.add(at_axis(digits, angles.get(n, d.down), d.axle_y, d.axle_z), "#301808")


def _whole(target: Path, levers: int, *, wood: bool = False) -> None:
    d = wooden(Dimensions(levers=levers)) if wood else Dimensions(levers=levers)
    angles = {n: d.down if n in (3, 5) else d.up for n in range(1, levers + 1)}
    box = assemble(d, angles)
    scene = _Scene()
    for item in box.items:
        if item.name == "body" and wood:
            for plate in plates(d):
                if plate.group == "shell":
                    scene.add(plate.solid, "burlywood")
        elif not item.name.startswith("bolt"):
            scene.items([item])
    _numbers(scene, box, angles)
    scene.save(target, (-0.5, -1.2, 1.0))


def _exploded(target: Path) -> None:
    box = _box()
    scene = _Scene()
    lift = {"base": 0.0, "bar": -25.0, "electronics": 35.0, "plugs": 55.0, "tray": 120.0, "closing": 150.0,
            "deck": 190.0, "display": 270.0, "levers": 330.0, "detents": 330.0, "switches": 330.0,
            "bank": 400.0}  # fmt: skip
    for item in box.items:
        high = lift[STEPS[item.step]]
        if item.name in ("supply cable", "levers' leads", "cable tie"):
            continue
        scene.items([item], (0, 0, high))
    scene.save(target, (-0.6, -1.2, 0.55))


def _fingers(target: Path) -> None:
    """Draw one tile from its left, its finger beside it."""
    box = _box(15.0)
    scene = _Scene()
    scene.items(i for i in box.items if i.name == "lever 1")
    scene.labels.append(("tile 1, its left side", _middle(box, "lever 1")))
    finger = box.item("finger 1")
    scene.move([finger], (-22, 0, 0), "finger: into the slot")
    x0, y0, z0, _, y1, z1 = finger.solid.bounding_box()
    scene.labels.append(("foot, the short end: into the hole", (x0 - 22, y1, z1)))
    scene.labels.append(("tip, the long end: stays free", (x0 - 22, y0, z0)))
    scene.save(target, (-1.0, -0.45, 0.35))


def _middle(box: Assembly, name: str, by: Point = (0, 0, 0)) -> Point:
    x0, y0, z0, x1, y1, z1 = box.item(name).solid.bounding_box()
    return (x0 + x1) / 2 + by[0], (y0 + y1) / 2 + by[1], (z0 + z1) / 2 + by[2]


def _levers(target: Path) -> None:
    box = _box(15.0)
    scene = _Scene()
    scene.items(i for i in box.items if i.name == "bank")
    scene.labels.append(("lever bank", _middle(box, "bank", (-80, 0, 20))))
    scene.items(i for i in box.items if 0 < i.lever < 6)
    scene.move([i for i in box.items if i.name == "lever 6"], (0, 0, -55), "tile 6, from below")
    scene.items((i for i in box.items if i.name == "finger 6"), (0, 0, -55))
    names = {"axle": (75, "axle: rod 3 mm"), "rod up": (140, "stop: rod 3 mm"),
             "rod down": (140, "stop: rod 3 mm")}  # fmt: skip
    for name, (away, label) in names.items():
        scene.move([box.item(name)], (away, 0, 0), label)
    scene.save(target, (0.6, -1.0, -0.5))


def _detents(target: Path) -> None:
    box = _box(15.0)
    scene = _Scene()
    scene.items(_of(box, "levers"))
    for item in _of(box, "detents"):
        number = int(item.name.split()[1])
        if number > 6:
            item.solid = item.relaxed or item.solid
            scene.move([item], (0, 0, -45), f"staple {number}")
        else:
            scene.items([item])
    scene.save(target, (0.5, -1.0, -0.75))


def _switches(target: Path) -> None:
    box = _box(-17.0)
    scene = _Scene()
    scene.items(_of(box, "levers", "detents"))
    labels = {
        "switch 9": "switch, free end up",
        "switch spacer left 9": "narrow spacer, left of it",
        "switch spacer right 9": "wide spacer, right of it",
        "switch rod low": "rod 2 mm", "switch rod high": "rod 2 mm",
        "switch rod back": "rod 2 mm, under the staples",
    }  # fmt: skip
    for item in _of(box, "switches"):
        if item.name.startswith("switch rod"):
            scene.move([item], (60, 0, 0), labels[item.name])
        elif item.name.endswith(" 9"):
            side = 14 if "right" in item.name else -10 if "left" in item.name else 0
            if item.name == "switch lever 9":
                scene.items([item], (0, 0, -45))
            else:
                scene.move([item], (side, 0, -45), labels[item.name])
        else:
            scene.items([item])
    scene.save(target, (0.5, -1.0, -0.75))


def _display(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items([box.item("bezel")])
    scene.labels.append(("bezel, face away", _middle(box, "bezel", (40, 0, 0))))
    for name, down, label in (
        ("window", -14, "acrylic, sealed all round"), ("display", -32, "display"),
        ("clamp foam left", -50, "foam strip"), ("clamp foam right", -50, "foam strip"),
        ("clamp left", -64, "clamp"), ("clamp right", -64, "clamp"),
    ):  # fmt: skip
        scene.move([box.item(name)], (0, 0, down), label)
    scene.save(target, (-0.5, -1.0, -0.8))


def _deck(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items([box.item("body")])
    scene.labels.append(("shell, seen from below", _middle(box, "body", (-90, 0, -20))))
    inserts = [i for i in _of(box, "deck") if "insert" in i.name]
    scene.move(inserts, (0, 0, -18), "8 heat-set inserts M3, from below")
    scene.move([box.item("button")], (0, 0, 30), "roll button, from above")
    scene.move([box.item("button nut")], (0, 0, -45), "nut of the button")
    scene.move([box.item("buzzer")], (0, 0, -45), "buzzer, hole to the deck")
    scene.move([box.item("lock")], (0, -30, 0), "lock, flats above and below")
    scene.move([box.item("lock nut")], (0, 20, -60), "nut of the lock")
    scene.move([box.item("lock cam")], (0, 20, -75), "cam, 10 x 3 mm at most")
    scene.save(target, (-0.6, -1.0, -0.75))


def _bank(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "deck", "display"))
    scene.items((i for i in _of(box, "levers", "detents", "switches") if i.name != "bank"), (0, 0, 90))
    scene.move([box.item("bank")], (0, 0, 90), "lever bank, all tiles down, leads first")
    scene.save(target, (-0.6, -1.2, 0.8))


def _tray(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "deck", "display", "levers", "detents", "switches", "bank"))
    scene.move([box.item("gasket")], (0, 0, -50), "foam tape, double-sided")
    scene.move([box.item("tray")], (0, 0, -75), "tray, between the fins")
    scene.save(target, (-0.6, -1.2, -0.8))


def _base(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base"))
    scene.labels.append(("base", _middle(box, "base", (60, 0, -15))))
    scene.move([box.item("Pi")], (0, 0, 25), "Raspberry Pi, header in front")
    scene.move([i for i in box.items if i.name.startswith("spacer")], (0, 0, 45), "4 spacers M2.5x11")
    scene.move([box.item("board")], (0, 0, 75), "lever board")
    scene.items((i for i in _of(box, "electronics") if "low" in i.name), (0, 0, -30))
    scene.items((i for i in _of(box, "electronics") if "high" in i.name), (0, 0, 100))
    scene.save(target, (-0.6, -1.2, 0.7))


def _plugs(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base", "electronics", "plugs"))
    for name, label in (("supply plug", "supply"), ("cable tie", "tie"), ("board", "lever board")):
        scene.labels.append((label, _middle(box, name)))
    for name, label in _PLUGGED.items():
        if any(i.name == name for i in box.items):
            scene.labels.append((f"{name} {label}", _middle(box, name, (0, 0, 6))))
    scene.save(target, (0.3, 1.0, 1.3))


_PLUGGED = {
    "J2": "tiles 1-3",
    "J3": "tiles 4-6",
    "J4": "tiles 7-9",
    "J6": "button",
    "J8": "buzzer",
    "J9": "display",
}


def _bar(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base", "electronics", "plugs"))
    feet = [i for i in _of(box, "bar") if i.name.startswith("foot")]
    scene.move(feet, (0, 0, -25), "4 feet with a hole")
    scene.move([box.item("stuck foot")], (0, 0, -25), "foot that sticks")
    scene.move([i for i in _of(box, "bar") if i.name.startswith("bolt")], (0, 0, 70), "4 bolts into the bar")
    scene.save(target, (-0.5, -1.2, 0.3))


#: Colours of the wires of a plug, as the harness has them.
_WIRES = {
    "J6": ("white", "black", "red", "royalblue", "green"), "J8": ("black", "red"),
    "J9": ("black", "red", "royalblue", "gold"),
}  # fmt: skip
_LEVER_WIRES = ("white", "saddlebrown", "green", "black")


def _open(target: Path) -> None:
    """Draw the open box: the shell on its back wall behind the base, all leads in their colours."""
    box = _box()
    d = box.dimensions
    scene = _Scene()
    below = [i for i in box.items if i.group == "base" and i.name != "levers' leads"]
    scene.items(below)
    for item in box.items:
        if item.group in ("shell", "bank") and item.step < STEPS.index("closing"):
            scene.add(opened(d, item.solid), item.colour)
    for plug, ways in leads(box).items():
        colours = _WIRES.get(plug, _LEVER_WIRES)
        for k, colour in enumerate(colours):
            way = ways[min(k, len(ways) - 1)]
            aside = (k - (len(colours) - 1) / 2) * 1.8
            scene.add(
                tube([(x + aside, y, z) for x, y, z in way], 1.5), "ivory" if colour == "white" else colour
            )
        start = ways[0][0]
        scene.labels.append((f"{plug} {_PLUGGED.get(plug, '')}: 0.40 m", (start[0], start[1], start[2] + 4)))
    scene.save(target, (0.35, -1.0, 1.05))


def _closing(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base", "electronics", "plugs", "bar"))
    upper = [i for i in box.items if i.group in ("shell", "bank") and i.step < STEPS.index("closing")]
    scene.items((i for i in upper if i.name != "body"), (0, 3, 70))
    scene.move([box.item("body")], (0, 3, 70), "1. shell: down, 3 mm to the front, lock")
    scene.move([box.item("spout")], (0, 3, 160), "2. spout, pushed in, no glue")
    scene.move([box.item("felt")], (0, 3, 190), "3. felt")
    scene.save(target, (-0.9, -1.2, 0.35))


def _screw_pair(target: Path, first: int) -> None:
    """Draw two screws on their way into what holds them."""
    box = _box()
    scene = _Scene()
    # the lower screws of the Pi come before the upper ones
    screws = sorted(box.screws, key=lambda s: (s.step, "high" in s.name))
    pair = screws[first : first + 2]
    step = pair[0].step
    coming = {screw.name for screw in screws[first:]}
    groups = {"display": {"shell"}, "deck": {"shell"}, "bank": {"shell", "bank"}}.get(STEPS[step], {"base"})
    for item in box.items:
        if item.group in groups and item.step <= step and item.name not in coming:
            scene.items([item])
    for screw in pair:
        out = tuple(-a * 30.0 for a in screw.axis)
        item = box.item(screw.name)
        scene.move(
            [item],
            (out[0], out[1], out[2]),
            f"{screw.name}: {item.part.partition(',')[0].removeprefix('screw ')}",
        )
    up = pair[0].axis[2] > 0
    scene.save(target, (-0.5, -1.1, -0.8) if up else (-0.5, -1.1, 0.9))


def _section(target: Path) -> None:
    """One bay cut open beside its switch: a tile up, and one down."""
    scene = _Scene()
    for number, angle, x in ((2, Dimensions().up, 0.0), (2, Dimensions().down, 110.0)):
        box = _box(angle)
        d = box.dimensions
        cut = d.bay_left(number) + 2.0
        for item in box.items:
            near = item.lever == number or item.name in (
                f"switch {number}",
                f"switch lever {number}",
                f"staple {number}",
                "bank",
                "body",
            )
            if near or item.name in printed.bank_rods(d):
                half = item.solid.trim_by_plane((1, 0, 0), cut)
                half = half.trim_by_plane((-1, 0, 0), -cut - 14)
                half = half.trim_by_plane((0, 1, 0), d.axle_y - 45).trim_by_plane((0, 0, 1), 20)
                if not half.is_empty():
                    scene.add(half.translate((0, -x, 0)), item.colour)
    scene.save(target, (-1, 0, 0))


#: File name -> what draws it: the guide's steps, in order, every two screws, and views of the whole.
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
    """Render all pictures, or those named, into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        PICTURES[name](folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
