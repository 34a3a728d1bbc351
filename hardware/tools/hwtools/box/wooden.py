"""The wooden shell and base: plywood plates, laser-cut or sawn, with the printed box's figures.

What moves stays printed: lever bank, levers, bezel, tray and spout are the same parts in both boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from manifold3d import CrossSection

from hwtools.box import printed
from hwtools.box.solids import block, disc, joined, post, rounded

if TYPE_CHECKING:
    from manifold3d import Manifold

    from hwtools.box.dimensions import Dimensions

#: The sheet that the plates are cut from, in mm.
SHEET = (600.0, 400.0)
#: Holes for wood screws 3x12, and dowels under the tray.
PILOT = 2.4
DOWEL = 8.0
#: Least width of a web of plywood, in mm.
WEB = 2.0


@dataclass(slots=True)
class Plate:
    """A plate in its place; *across* is the axis of its thickness."""

    name: str
    solid: Manifold
    across: str
    group: str

    def outline(self) -> CrossSection:
        """Return its outline on the sheet, from the origin."""
        turn = {"x": (0, 90, 0), "y": (90, 0, 0), "z": (0, 0, 0)}[self.across]
        lying = self.solid.rotate(turn)
        x0, y0, z0, _, _, z1 = lying.bounding_box()
        return lying.slice((z0 + z1) / 2).translate((-x0, -y0))


def wooden(d: Dimensions) -> Dimensions:
    """Return the figures of a box with a plywood shell and base."""
    t = d.wood
    # 20 mm screws are too short for more than 6.6 mm, so their heads are sunk
    recess = 0.5 if t > 6.6 else 0.0
    return replace(d, wooden=True, deck=t, base=t, dam=t, boss=0.0, pi_recess=recess, pi_screw_low=20.0)


def _joint(a: Manifold, b: Manifold, along: int, count: int) -> tuple[Manifold, Manifold]:
    """Cut finger joints: share the bar where two plates meet between them, finger by finger."""
    low = list((a ^ b).bounding_box())
    step = (low[3 + along] - low[along]) / count
    fingers: tuple[list[Manifold], list[Manifold]] = ([], [])
    for k in range(count):
        start, end = low[:3], low[3:]
        start[along], end[along] = low[along] + k * step, low[along] + (k + 1) * step
        fingers[k % 2].append(block((start[0], start[1], start[2]), (end[0], end[1], end[2])))
    return a - joined(fingers[1]), b - joined(fingers[0])


def _inner(d: Dimensions) -> float:
    """Return x of the left side's inner face, which leaves the rods some play."""
    return min(5.0, d.bank_left - d.rib / 2 - 0.6 - d.wood)


def plates(d: Dimensions) -> list[Plate]:
    """Return all plates, in their places."""
    w, dep, h, t = d.width, d.depth, d.height, d.wood
    # the inner faces stay where they are: thicker plywood grows outwards
    inner = _inner(d)
    x0, x1, y0, y1 = inner - t, w - inner + t, 3.0 - t, dep - 3.0 + t
    deck = block((x0, y0, h - t), (x1, y1, h))
    front, back = block((x0, y0, 0), (x1, y0 + t, h)), block((x0, y1 - t, 0), (x1, y1, h))
    left, right = block((x0, y0, 0), (x0 + t, y1, h)), block((x1 - t, y0, 0), (x1, y1, h))
    corners = joined(block((x, y, h - t), (x + t, y + t, h)) for x in (x0, x1 - t) for y in (y0, y1 - t))
    front, left = _joint(front, left, 2, 7)
    front, right = _joint(front, right, 2, 7)
    back, left = _joint(back, left, 2, 7)
    back, right = _joint(back, right, 2, 7)
    sides = []
    for side, along, count in ((front, 0, 11), (back, 0, 11), (left, 1, 11), (right, 1, 11)):
        deck, side = _joint(deck, side, along, count)
        sides.append(side - corners)
    deck += corners
    front, back, left, right = (side - deck for side in sides)
    left, right = left - front - back, right - front - back

    deck -= _deck_holes(d)
    lx, lz = d.lock_at
    front -= printed.lock_hole(d).extrude(t + 2).rotate((90, 0, 0)).translate((lx, y0 + t + 1, lz))
    for x, width in printed.TONGUES:
        back -= block((x - 0.4, y1 - t - 1, d.base - 0.1), (x + width + 0.4, y1 + 1, d.base + t + 0.4))
    back -= block(
        (printed.CABLE[0], y1 - t - 1, -1), (printed.CABLE[0] + printed.CABLE[1], y1 + 1, d.base + 5)
    )
    return [
        Plate("deck", deck, "z", "shell"),
        Plate("front", front, "y", "shell"),
        Plate("back", back, "y", "shell"),
        Plate("left", left, "x", "shell"),
        Plate("right", right, "x", "shell"),
        *_glued(d),
        *_base_plates(d),
    ]


def _deck_holes(d: Dimensions) -> Manifold:
    screws = [place for places in printed.deck_screws(d).values() for place in places]
    holes = [post((x, y, d.height - d.wood - 1), d.wood + 2, PILOT) for x, y in screws]
    return joined([*printed.deck_openings(d, -25.5), *holes])


def _glued(d: Dimensions) -> list[Plate]:
    """Return what's glued under the deck and to the sides: tray frame, buzzer ring, rod stops."""
    under, t = d.height - d.wood, d.wood
    x0, y0, x1, y1 = d.tray
    frame = block((x0 - 6, y0 - 6, under - t), (x1 + 6, y1 + 6, under), 5)
    frame -= block((x0 - 0.4, y0 - 0.4, under - t - 1), (x1 + 0.4, y1 + 0.4, under + 1), 5)
    for x, y in printed.deck_screws(d)["bezel"]:
        frame -= post((x, y, 0), 90, 3.2)
    bx, by = d.buzzer_at
    ring = (disc(24) - disc(d.buzzer + 0.2)).extrude(t).translate((bx, by, under - t))
    found = [Plate("tray frame", frame, "z", "shell"), Plate("buzzer ring", ring, "z", "shell")]
    for name, low in (("rod stop left", _inner(d)), ("rod stop right", d.width - _inner(d) - t)):
        stop = block(
            (low, d.axle_y + printed.OPENING[0], d.axle_z + d.rib_low),
            (low + t, d.axle_y + printed.OPENING[1], under),
        )
        found.append(Plate(name, stop, "x", "shell"))
    return found


def _base_plates(d: Dimensions) -> list[Plate]:
    t = d.wood
    plate = block((5.3, 6.1, 0), (d.width - 5.3, d.depth - 3.3, t))
    px, py = d.pi_at
    dam = rounded(98, 72, 4).translate((px - 5, py - 5))
    for x, y in printed.PILLARS[:2]:
        dam += disc(DOWEL + 6).translate((x, y))
    x, y = printed.PILLARS[0]  # open to the front, where the shell slides by
    dam -= CrossSection.square((40, 30)).translate((x - 20, y - 5.7 - 25)) + CrossSection.square(
        (DOWEL, 10)
    ).translate((x - DOWEL / 2, y - 10))
    dam = (dam - rounded(89, 62.1, 3).translate((px - 0.5, py + 0.4))).extrude(t)
    lx, lz = d.lock_at
    low, high = printed.CAM, printed.CAM + d.cam[1]
    top = lz + d.cam[0] / 2 + 0.4
    gate = block((lx + 12, low - 7, 0), (lx + 12 + t, high + 8, top + 7))
    gate -= block((lx + 11, low - d.gate, -1), (lx + 20, high + d.gate, top))
    plate -= block((lx + 12, low - 7, -1), (lx + 12 + t, low - d.gate, t + 1))
    plate -= block((lx + 12, high + d.gate, -1), (lx + 12 + t, high + 8, t + 1))
    for x, y in printed.pi_holes(d):
        plate -= post((x, y, -1), t + 2, 2.8) + post((x, y, -1), 1 + d.pi_recess, 6.0)
    for x, y in printed.PILLARS:
        plate -= post((x, y, -1), t + 2, DOWEL)
    plate -= printed.base_cuts(d)
    dam = dam.translate((0, 0, t))
    for x, y in printed.PILLARS:
        dam -= post((x, y, 0), 30, DOWEL)
    for x, y in printed.pi_holes(d):
        dam -= post((x, y, 0), 30, 7.0)
    found = [
        Plate("base", plate, "z", "base"),
        Plate("dam", dam, "z", "base"),
        Plate("gate", gate, "x", "base"),
    ]
    back = d.depth - 3.3
    for k, (x, width) in enumerate(printed.TONGUES, start=1):
        tongue = block((x, back - 14, t), (x + width, back + 2.3, 2 * t))
        found.append(Plate(f"tongue {k}", tongue, "z", "base"))
    return found


def body(d: Dimensions) -> Manifold:
    """Return the glued shell."""
    return joined(plate.solid for plate in plates(d) if plate.group == "shell")


def base(d: Dimensions) -> Manifold:
    """Return the glued base, with its dowels and the Pi's spacers."""
    top = d.height - d.deck - d.gasket - d.tray_height
    added = [plate.solid for plate in plates(d) if plate.group == "base"]
    added += [post((x, y, 0), top, DOWEL) for x, y in printed.PILLARS]
    for x, y in printed.pi_holes(d):
        added.append(post((x, y, d.wood), d.pi_post, 6.0) - post((x, y, 0), 30, 2.7))
    return joined(added)


def check_plates(d: Dimensions) -> Iterator[str]:
    """Check that every plate is one piece, fits the sheet and has no narrow webs, and that no two overlap."""
    found = plates(d)
    for plate in found:
        outline = plate.outline()
        _, _, x, y = outline.bounds()
        if len(outline.extrude(1).decompose()) != 1:
            yield f"cut: {plate.name} falls apart"
        if not any(a <= SHEET[0] and b <= SHEET[1] for a, b in ((x, y), (y, x))):
            yield f"cut: {plate.name} of {x:.0f} x {y:.0f} mm does not fit the sheet"
        narrow = outline - outline.offset(-WEB / 2).offset(WEB / 2 + 0.03)
        for part in narrow.decompose() if not narrow.is_empty() else ():
            a, b, c, e = part.bounds()
            if part.area() > 3.0:
                yield f"cut: {plate.name} has a web narrower than {WEB:g} mm over {max(c - a, e - b):.1f} mm"
    for k, one in enumerate(found):
        for other in found[k + 1 :]:
            shared = abs(float((one.solid ^ other.solid).volume()))
            if shared > 0.5:
                yield f"cut: {one.name} and {other.name} share {shared:.1f} mm3"
