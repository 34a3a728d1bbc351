"""Writes an STL of every printed part as it lies on the bed, named with the number of pieces."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from hwtools.box import check, printed
from hwtools.box.dimensions import COUNTS, DISPLAYS, Dimensions
from hwtools.box.solids import block, joined, polygon, post

Numbers: TypeAlias = "NDArray[np.float64]"
Indices: TypeAlias = "NDArray[np.int64]"

#: Parts that fit any number of levers and any display.
_COMMON = ("body", "base", "tray", "spout")


def printed_parts() -> dict[str, tuple[Manifold, int]]:
    """Return every printed part by file name, with the pieces a box needs."""
    found: dict[str, tuple[Manifold, int]] = {}
    for levers in COUNTS:
        d = Dimensions(levers=levers)
        found[f"{levers}-levers/test-bay"] = test_bay(d), 1
        found[f"{levers}-levers/wire-jig"] = wire_jig(d), 1
        for name, solid in check.lay_on_bed(d).items():
            pieces = check.count_pieces(d, name)
            if name in _COMMON:
                found[name] = solid, pieces
            elif name not in ("bezel", "clamp"):
                found[f"{levers}-levers/{name}"] = solid, pieces
    for display in DISPLAYS.values():
        d = replace(Dimensions(), display=display)
        for name in ("bezel", "clamp"):
            found[f"display-{display.key}/{name}"] = check.lay_on_bed(d)[name], check.count_pieces(d, name)
    return found


def test_bay(d: Dimensions) -> Manifold:
    """Return the test bay, to be printed first: one bay with an insert's hole and two threads."""
    left, right = d.bay_left(1) - d.rib, d.bay_left(1) + d.bay + d.rib
    bay = printed.bank(d) ^ block((left, d.axle_y - 20, 0), (right, d.axle_y + 18.5, d.height + 20))
    screws = block((0, 0, 0), (22, 10, 8)) - post((5, 5, 8.01 - d.insert - 0.3), 9, d.insert_hole)
    screws -= post((5, 5, -1), 10, printed.LOOSE) + post((12.5, 5, 1.2), 9, 1.8)
    screws -= post((18.5, 5, -1), 10, 2.8)
    placed, y = [], 0.0
    for part in (bay.rotate((180, 0, 0)), screws):
        x0, y0, z0, _, y1, _ = part.bounding_box()
        placed.append(part.translate((-x0, y - y0, -z0)))
        y += y1 - y0 + 4
    return joined(placed)


def wires(d: Dimensions) -> dict[str, tuple[float, float, tuple[float, float]]]:
    """Return each wire to be bent: its thickness, its straight part, its two ends."""
    slope = d.finger_line(d.finger_end) - d.finger_line(d.finger_tip)
    leg = d.detent_free + d.detent_held
    return {
        "finger": (
            d.micro.wire,
            math.hypot(d.finger_tip - d.finger_end, slope),
            (d.finger_foot - d.finger_at, d.finger_bar - d.finger_at),
        ),
        "staple": (d.detent_wire, d.bay + 2 * d.detent_groove - d.detent_wire, (leg, leg)),
    }


#: Where each wire goes on the jig.
JIG = {"finger": 0.0, "staple": 14.0}


def wire_jig(d: Dimensions) -> Manifold:
    """Return the jig for bending and checking fingers and staples.

    A wire goes between a wall and a block; its ends are bent round the block's corners, and spring back. If
    it's right, each end lies between two ridges, 1 mm to either side of where it belongs.
    """
    parts = [block((-8, -6, -2.4), (46, 60, 0))]
    for kind, (thick, straight, ends) in wires(d).items():
        low = JIG[kind]
        inner, deep = straight - thick, min(12.0, min(ends) / 2)
        lean = deep / 4  # room to bend an end too far, as it springs back
        form = polygon([(0, 0), (inner, 0), (inner - lean, deep), (lean, deep)])
        parts.append(
            form.offset(-1, circular_segments=24)
            .offset(1, circular_segments=24)
            .extrude(3)
            .translate((0, low, 0))
        )
        front = low - thick - 0.15
        parts.append(block((inner * 0.2, front - 3, -0.1), (inner * 0.8, front, 3)))
        for middle, long in zip((-thick / 2, inner + thick / 2), ends, strict=True):
            for side in (-1, 1):
                near = middle + side * (thick / 2 + 1.0)
                x0, x1 = sorted((near, near + side * 1.2))
                parts.append(
                    block((x0, low + long - thick / 2 - 2.0, -0.1), (x1, low + long - thick / 2, 1.2))
                )
    solid = joined(parts)
    return solid - printed.strokes("±1", 6, 1.0).extrude(2).translate((38, 45, -0.6))


#: A facet lower than this is degenerate, in mm.
FLAT = 1e-4


def facets(solid: Manifold) -> tuple[Numbers, Indices]:
    """Return a solid's corners and triangles for an STL, without degenerate triangles.

    Where several edges lie on one line, the kernel leaves triangles with no area. Flipping the edge that one
    shares with its neighbour removes it; the surface stays the same, and closed.
    """
    mesh = solid.simplify(0.01).to_mesh()
    rounded = np.round(np.asarray(mesh.vert_properties)[:, :3], 3)
    corners, same = np.unique(rounded.astype(np.float32), axis=0, return_inverse=True)
    points = corners.astype(float)
    triangles = [t for t in same.reshape(-1)[np.asarray(mesh.tri_verts)].tolist() if len(set(t)) == 3]
    edges = {(t[k], t[k - 2]): n for n, t in enumerate(triangles) for k in range(3)}
    for _ in range(20):
        flat = np.flatnonzero(_heights(points[np.asarray(triangles)]) < FLAT).tolist()
        if not flat:
            break
        for n in flat:
            t = triangles[n]
            if _heights(points[[t]])[0] >= FLAT:
                continue
            sides = [float(np.linalg.norm(points[t[k]] - points[t[k - 2]])) for k in range(3)]
            k = sides.index(max(sides))
            first, second, middle = t[k], t[k - 2], t[k - 1]
            other = edges[second, first]
            far = next(v for v in triangles[other] if v not in (first, second))
            if (far, middle) in edges or (middle, far) in edges:
                continue  # two flat ones side by side: next time round
            for old in (n, other):
                for j in range(3):
                    edges.pop((triangles[old][j], triangles[old][j - 2]), None)
            triangles[n], triangles[other] = [first, far, middle], [far, second, middle]
            for new in (n, other):
                for j in range(3):
                    edges[triangles[new][j], triangles[new][j - 2]] = new
    return points, np.asarray(triangles)


def _heights(corners: Numbers) -> Numbers:
    """Return the triangles' heights over their longest sides."""
    sides = corners - np.roll(corners, 1, axis=1)
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return np.asarray(area / np.linalg.norm(sides, axis=2).max(axis=1))


def write_stl(solid: Manifold, target: Path) -> None:
    """Write a solid as binary STL; ValueError if a facet is degenerate or the surface isn't closed."""
    import trimesh

    points, triangles = facets(solid)
    mesh = trimesh.Trimesh(points, triangles, process=False)
    if not mesh.is_watertight or float(_heights(points[triangles]).min()) < FLAT:
        raise ValueError(f"{target.name}: the surface is not closed or has degenerate facets")
    target.parent.mkdir(parents=True, exist_ok=True)
    mesh.export(target)


def main(folder: Path) -> None:
    """Write all parts into *folder*."""
    for name, (solid, pieces) in printed_parts().items():
        write_stl(solid, folder / "stl" / f"{name}_x{pieces}.stl")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
