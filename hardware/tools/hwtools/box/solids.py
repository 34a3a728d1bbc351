"""The few solids the box is made of. Lengths are in mm, angles in degrees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from manifold3d import CrossSection, Manifold, OpType

Point = tuple[float, float, float]

#: Corners of a circle, so many that holes are at most 0.01 mm too small.
_SEGMENTS = 48


def block(low: Point, high: Point, radius: float = 0.0) -> Manifold:
    """Return the cuboid between two opposite corners, with rounded upright edges."""
    wide, deep, tall = (b - a for a, b in zip(low, high, strict=True))
    solid = rounded(wide, deep, radius).extrude(tall) if radius else Manifold.cube((wide, deep, tall))
    return solid.translate(low)


def along(axis: Point, solid: Manifold) -> Manifold:
    """Turn a solid that stands on the origin along +z to another main axis."""
    x, y, z = axis
    if z > 0:
        return solid
    if z < 0:
        return solid.rotate((180, 0, 0))
    return solid.rotate((0, 90 * x, 0)) if x else solid.rotate((-90 * y, 0, 0))


def rod(start: Point, axis: Point, length: float, diameter: float, segments: int = _SEGMENTS) -> Manifold:
    """Return a cylinder from *start* along a main axis."""
    return along(axis, Manifold.cylinder(length, diameter / 2, diameter / 2, segments)).translate(start)


def post(start: Point, length: float, diameter: float, segments: int = _SEGMENTS) -> Manifold:
    """Return an upright cylinder, from *start* up."""
    return rod(start, (0, 0, 1), length, diameter, segments)


def countersunk(start: Point, axis: Point, depth: float, wide: float, narrow: float) -> Manifold:
    """Return a cone that's *wide* at its start."""
    return along(axis, Manifold.cylinder(depth, wide / 2, narrow / 2, _SEGMENTS)).translate(start)


def disc(diameter: float, segments: int = _SEGMENTS) -> CrossSection:
    """Return a circle around the origin."""
    return CrossSection.circle(diameter / 2, segments)


def polygon(points: Iterable[tuple[float, float]]) -> CrossSection:
    """Return the area inside *points*, which go round either way."""
    corners = list(points)
    turned = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
    return CrossSection([corners if turned > 0 else corners[::-1]])


def rounded(width: float, depth: float, radius: float) -> CrossSection:
    """Return a rectangle from the origin, with rounded corners."""
    inner = CrossSection.square((width - 2 * radius, depth - 2 * radius)).translate((radius, radius))
    return inner.offset(radius, circular_segments=_SEGMENTS)


def prism_x(profile: CrossSection, x: float, width: float) -> Manifold:
    """Extrude a profile in (y, z) along x, starting at *x*."""
    turn = ((0.0, 0.0, 1.0, x), (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
    return profile.extrude(width).transform(turn)


def wire(points: Sequence[Point], diameter: float) -> Manifold:
    """Return a wire or cable through *points*: eight-sided, at most *diameter* thick, with sharp bends."""
    ball = Manifold.sphere(diameter / 2, 8)
    return joined(Manifold.batch_hull([ball.translate(p) for p in ends]) for ends in pairwise(points))


def joined(parts: Iterable[Manifold]) -> Manifold:
    """Return the union; no parts give an empty solid."""
    found = list(parts)
    return Manifold.batch_boolean(found, OpType.Add) if found else Manifold()


def at_axis(solid: Manifold, angle: float, y: float, z: float) -> Manifold:
    """Turn a solid about the x axis through (y, z); positive angles bring its top towards the player."""
    return solid.translate((0, -y, -z)).rotate((angle, 0, 0)).translate((0, y, z))


def overlap(a: Manifold, b: Manifold) -> float:
    """Return the volume that two solids share, in mm³."""
    (ax0, ay0, az0, ax1, ay1, az1), (bx0, by0, bz0, bx1, by1, bz1) = a.bounding_box(), b.bounding_box()
    if ax1 <= bx0 or bx1 <= ax0 or ay1 <= by0 or by1 <= ay0 or az1 <= bz0 or bz1 <= az0:
        return 0.0
    return abs(float((a ^ b).volume()))
