"""Renders the pictures of the guide from the model: one a step, and views of the whole. Needs no screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from manifold3d import Manifold

from hwtools.box import printed
from hwtools.box.assembly import STEPS, Assembly, Item, assemble
from hwtools.box.dimensions import Dimensions
from hwtools.box.solids import Point, at_axis
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

    def save(self, target: Path, towards: Point, zoom: float = 1.0) -> None:
        self.plotter.view_vector(towards, viewup=(0, 0, 1))
        self.plotter.reset_camera()
        self.plotter.camera.zoom(1.25 * zoom)
        self.plotter.screenshot(str(target))
        self.plotter.close()
        shrink(target)


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
    scene.save(target, (-0.5, -1.2, 1.0), 0.95)


def _exploded(target: Path) -> None:
    box = _box()
    scene = _Scene()
    lift = {"base": 0.0, "bar": -25.0, "electronics": 35.0, "plugs": 55.0, "tray": 120.0, "closing": 150.0,
            "deck": 190.0, "display": 270.0, "levers": 330.0, "switches": 330.0, "bank": 400.0}  # fmt: skip
    for item in box.items:
        high = lift[STEPS[item.step]]
        if item.name in ("supply cable", "levers' leads", "cable tie"):
            continue
        scene.items([item], (0, 0, high))
    scene.save(target, (-0.6, -1.2, 0.55), 0.8)


def _levers(target: Path) -> None:
    box = _box(15.0)
    scene = _Scene()
    scene.items(i for i in box.items if i.name == "bank")
    scene.items(i for i in box.items if 0 < i.lever < 6)
    scene.items((i for i in box.items if i.lever == 6), (0, 0, -55))
    for item in _of(box, "levers"):
        if item.name in ("axle", "rod up", "rod down", "rod detent"):
            scene.items([item], (75 if item.name == "axle" else 140, 0, 0))
    scene.save(target, (0.6, -1.0, -0.5), 1.25)


def _switches(target: Path) -> None:
    box = _box(-17.0)
    scene = _Scene()
    scene.items(_of(box, "levers"))
    for item in _of(box, "switches"):
        if item.name.startswith("switch rod"):
            scene.items([item], (60, 0, 0))
        elif item.name.rsplit(" ", 1)[-1] in ("8", "9"):
            scene.items([item], (0, 0, -40))
        else:
            scene.items([item])
    scene.save(target, (0.55, 1.0, -0.6))


def _display(target: Path) -> None:
    box = _box()
    scene = _Scene()
    for item in _of(box, "display"):
        down = {"bezel": 0, "window": -12, "display": -28, "clamp left": -45, "clamp right": -45}.get(
            item.name, -62
        )
        scene.items([item], (0, 0, down))
    scene.save(target, (-0.5, -1.0, -0.8), 0.9)


def _deck(target: Path) -> None:
    box = _box()
    scene = _Scene()
    for item in _of(box, "deck", "display"):
        if item.name == "body":
            scene.items([item])
        elif "insert" in item.name:
            scene.items([item], (0, 0, -18))
        elif item.step == STEPS.index("display") or item.name.startswith("bezel screw"):
            scene.items([item], (0, 0, 45))
        elif item.name == "button":
            scene.items([item], (0, 0, 30))
        elif item.name in ("button nut", "buzzer"):
            scene.items([item], (0, 0, -45))
        elif item.name == "lock":
            scene.items([item], (0, -30, 0))
        else:
            scene.items([item], (0, 20, -60))
    scene.save(target, (-0.6, -1.0, -0.75), 1.1)


def _bank(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "deck", "display"))
    scene.items(_of(box, "levers", "switches"), (0, 0, 90))
    scene.items(_of(box, "bank"), (0, 0, 130))
    scene.save(target, (-0.6, -1.2, 0.8), 0.85)


def _tray(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "deck", "display", "levers", "switches", "bank"))
    scene.items(_of(box, "tray"), (0, 0, -75))
    scene.save(target, (-0.6, -1.2, -0.8))


def _base(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base"))
    for item in _of(box, "electronics"):
        high = {"Pi": 25, "board": 75}.get(item.name, 45 if "spacer" in item.name else 100)
        scene.items([item], (0, 0, -30 if "low" in item.name else high))
    scene.save(target, (-0.6, -1.2, 0.7))


def _plugs(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base", "electronics", "plugs"))
    scene.save(target, (0.3, 1.0, 1.3))


def _bar(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base", "electronics", "plugs"))
    for item in _of(box, "bar"):
        scene.items([item], (0, 0, 70 if "bolt" in item.name else -25))
    scene.save(target, (-0.5, -1.2, 0.3))


def _closing(target: Path) -> None:
    box = _box()
    scene = _Scene()
    scene.items(_of(box, "base", "electronics", "plugs", "bar"))
    scene.items(
        (i for i in box.items if i.group in ("shell", "bank") and i.step < STEPS.index("closing")), (0, 3, 70)
    )
    scene.items(_of(box, "closing"), (0, 3, 150))
    scene.save(target, (-0.9, -1.2, 0.35), 0.85)


def _section(target: Path) -> None:
    """One bay cut open beside its switch: a tile up, and one down."""
    scene = _Scene()
    for number, angle, x in ((2, Dimensions().up, 0.0), (2, Dimensions().down, 110.0)):
        box = _box(angle)
        d = box.dimensions
        cut = d.bay_left(number) + 4.0
        for item in box.items:
            near = item.lever == number or item.name in (
                f"switch {number}",
                f"switch lever {number}",
                "bank",
                "body",
            )
            if near or item.name in printed.bank_rods(d):
                half = item.solid.trim_by_plane((1, 0, 0), cut)
                half = half.trim_by_plane((-1, 0, 0), -cut - 14)
                half = half.trim_by_plane((0, 1, 0), d.axle_y - 45).trim_by_plane((0, 0, 1), 20)
                if not half.is_empty():
                    scene.add(half.translate((0, -x, 0)), item.colour)
    scene.save(target, (-1, 0, 0), 1.2)


#: File name -> what draws it. The first eleven are the guide's steps, in order.
PICTURES: dict[str, Callable[[Path], None]] = {
    "step-levers": _levers,
    "step-switches": _switches,
    "step-display": _display,
    "step-deck": _deck,
    "step-bank": _bank,
    "step-tray": _tray,
    "step-electronics": _base,
    "step-plugs": _plugs,
    "step-bar": _bar,
    "step-closing": _closing,
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
