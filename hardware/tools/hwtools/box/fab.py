"""Writes what is printed and cut: an STL a part in its printing position, named with the number of pieces."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from manifold3d import Manifold

from hwtools.box import check
from hwtools.box.dimensions import COUNTS, DISPLAYS, Dimensions

__all__ = ["printed_parts", "write_stl"]

#: Parts that are the same for all numbers of levers and all displays.
_COMMON = ("body", "base", "tray", "spout")


def printed_parts() -> dict[str, tuple[Manifold, int]]:
    """Return every printed part by its file's name, with how many pieces a box needs."""
    found: dict[str, tuple[Manifold, int]] = {}
    for levers in COUNTS:
        d = Dimensions(levers=levers)
        for name, solid in check.prints(d).items():
            pieces = check.pieces(d, name)
            if name in _COMMON:
                found[name] = solid, pieces
            elif name not in ("bezel", "clamp"):
                found[f"{levers}-levers/{name}"] = solid, pieces
    for display in DISPLAYS:
        d = replace(Dimensions(), display=display)
        for name in ("bezel", "clamp"):
            found[f"display-{display}/{name}"] = check.prints(d)[name], check.pieces(d, name)
    return found


def write_stl(solid: Manifold, target: Path) -> None:
    """Write a solid as binary STL."""
    import trimesh

    mesh = solid.to_mesh()
    target.parent.mkdir(parents=True, exist_ok=True)
    points = np.asarray(mesh.vert_properties)[:, :3]
    trimesh.Trimesh(points, np.asarray(mesh.tri_verts), process=False).export(target)


def main(folder: Path) -> None:
    """Write all parts below *folder*."""
    for name, (solid, pieces) in printed_parts().items():
        write_stl(solid, folder / "stl" / f"{name}_x{pieces}.stl")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
