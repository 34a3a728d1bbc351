"""The printed parts, each in its place in the box."""

from __future__ import annotations

import math
from itertools import pairwise

from manifold3d import CrossSection, Manifold

from hwtools.box.dimensions import DISPLAYS, Dimensions
from hwtools.box.solids import (
    block,
    countersunk,
    disc,
    joined,
    polygon,
    prism_x,
    rod,
    rounded,
)

__all__ = [
    "bank",
    "base",
    "base_cuts",
    "bezel",
    "body",
    "clamp",
    "deck_screws",
    "engraving",
    "lever",
    "lever_parts",
    "lever_profile",
    "lock",
    "pi_holes",
    "ring_sector",
    "spacer",
    "spout",
    "tail_point",
    "tray",
    "window_size",
]

#: Head of an M3 countersunk screw.
HEAD = 6.0
#: Clearance hole of an M3 screw.
LOOSE = 3.4
#: From the middle of a hinge screw's boss to its edge.
BOSS = 4.0


# --- lever: profile in (y, z) around the axle, standing straight ----------------------------------------


def tail_point(d: Dimensions, s: float, w: float) -> tuple[float, float]:
    """Return (y, z) from the axle of the point *s* along the tail and *w* behind its middle."""
    b = math.radians(d.tail_at)
    return s * math.sin(b) + w * math.cos(b), -s * math.cos(b) + w * math.sin(b)


def _tail_area(d: Dimensions, corners: list[tuple[float, float]]) -> CrossSection:
    return polygon(tail_point(d, s, w) for s, w in corners)


def ring_sector(low: float, high: float, inner: float, outer: float) -> CrossSection:
    """Ring from one direction to another, in degrees from straight down towards the back."""
    steps = [math.radians(low + (high - low) * k / 24) for k in range(25)]
    return polygon(
        [(outer * math.sin(b), -outer * math.cos(b)) for b in steps]
        + [(inner * math.sin(b), -inner * math.cos(b)) for b in reversed(steps)]
    )


def _arm_cut(d: Dimensions) -> CrossSection:
    """What is cut out of the drum so that the nose can give way: a slit under the rim, open at its end."""
    top, free = d.drum - d.arm_thick, d.nose_at - math.degrees(d.nose / d.drum)
    return ring_sector(free - 7, 104, top - 2.2, top) + ring_sector(free - 7, free, top - 2.2, d.drum + 5)


def _profiles(d: Dimensions) -> tuple[CrossSection, CrossSection, CrossSection, CrossSection]:
    """Return the profile beside the switch, the one elsewhere, the nose on its arm, and the spring finger."""
    t = d.tail_half
    round_drum = disc(2 * d.drum, 128)
    half = d.thick / 2
    top = [disc(3, 24).translate((x, d.handle - 1.5)) for x in (-half + 1.5, half - 1.5)]
    handle = CrossSection.batch_hull([CrossSection.square((d.thick, 1)).translate((-half, 0)), *top])
    end = d.stop_radius + d.tail_over
    tail = _tail_area(d, [(0, -t), (end, -t), (end, t), (0, t)])
    common = round_drum + handle + tail - _arm_cut(d) - disc(d.bore)
    pocket = _tail_area(
        d,
        [(d.finger_root, 0), (end + 1, 0), (end + 1, -t - 7), (d.drum, -t - 7), (d.finger_root, -t - 0.6)],
    )
    finger = _tail_area(
        d,
        [
            (d.finger_root - 1, -t),
            (d.finger_tip, -t),
            (d.finger_tip, -t + d.finger),
            (d.finger_root - 1, -t + d.finger),
        ],
    )
    tip = disc(2 * 0.8, 24).translate(tail_point(d, d.finger_tip, d.finger_back - 0.8))
    finger += CrossSection.batch_hull(
        [tip, disc(d.finger, 16).translate(tail_point(d, d.finger_tip - 2, -t + d.finger / 2))]
    )
    at = math.radians(d.nose_at)
    out = d.stop_radius - d.rod / 2 + d.nose_lift - d.nose
    nose = disc(2 * d.nose, 32).translate((out * math.sin(at), -out * math.cos(at)))
    nose -= disc(2 * (d.drum - 0.3), 96)
    arm = ring_sector(d.nose_at - math.degrees(d.nose / d.drum), 104, d.drum - d.arm_thick, d.drum)
    return common - pocket, common, nose + arm, finger


def lever_parts(d: Dimensions, number: int) -> dict[str, Manifold]:
    """Return a lever in its place, standing straight, as what is stiff, what gives way, and the whole.

    ``stiff`` is all but the springs; ``nose`` the detent's nose with its arm; ``finger`` the switch's spring.
    """
    beside, elsewhere, nose, finger = _profiles(d)
    x = d.bay_left(number) + d.side_gap
    width = min(d.finger_width, d.lever_width)
    open_width = width + d.finger_clear
    stiff = prism_x(beside, x, open_width) + prism_x(elsewhere, x + open_width, d.lever_width - open_width)
    springs = {
        "nose": prism_x(nose, x, d.lever_width),
        "finger": prism_x(finger, x, width),
    }
    place = (0.0, d.axle_y, d.axle_z)
    stiff -= engraving(number, d).translate((x + d.lever_width / 2, -d.thick / 2, 0))
    parts = {"stiff": max((stiff - springs["nose"]).decompose(), key=lambda part: part.volume()), **springs}
    whole = stiff + springs["nose"] + springs["finger"]
    return {name: part.translate(place) for name, part in {**parts, "whole": whole}.items()}


def lever(d: Dimensions, number: int) -> Manifold:
    """Return a lever as it is printed: on its side, so that the layers run along its springs."""
    whole = lever_parts(d, number)["whole"].translate(
        (-d.bay_left(number) - d.side_gap, -d.axle_y, -d.axle_z)
    )
    return whole.transform(((0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0)))


#: Digits as strokes on a grid of 2 by 4, so that no font is needed and every stroke has a print's width.
_DIGITS: dict[str, list[list[tuple[float, float]]]] = {
    "0": [[(0, 1), (0, 3), (1, 4), (2, 3), (2, 1), (1, 0), (0, 1)]],
    "1": [[(0.3, 3.2), (1.2, 4), (1.2, 0)]],
    "2": [[(0, 3.2), (0.6, 4), (1.5, 4), (2, 3.2), (1.8, 2.3), (0, 0), (2, 0)]],
    "3": [[(0, 4), (2, 4), (0.9, 2.5), (1.6, 2.3), (2, 1.4), (1.5, 0.2), (0.8, 0), (0, 0.4)]],
    "4": [[(1.5, 0), (1.5, 4), (0, 1.2), (2.1, 1.2)]],
    "5": [[(2, 4), (0.2, 4), (0, 2.2), (1.2, 2.5), (2, 1.8), (2, 0.8), (1.2, 0), (0, 0.3)]],
    "6": [[(1.7, 4), (0.4, 2.4), (0, 1.2), (0.5, 0.2), (1.4, 0), (2, 0.8), (1.9, 1.7), (1.2, 2.3),
           (0.2, 1.9)]],
    "7": [[(0, 4), (2, 4), (0.7, 0)]],
    "8": [[(1, 2.2), (0.2, 2.9), (0.4, 3.8), (1, 4), (1.6, 3.8), (1.8, 2.9), (1, 2.2), (0.1, 1.4), (0.2, 0.4),
           (1, 0), (1.8, 0.4), (1.9, 1.4), (1, 2.2)]],
    "9": [[(0.3, 0), (1.6, 1.6), (2, 2.8), (1.5, 3.8), (0.6, 4), (0, 3.2), (0.1, 2.3), (0.8, 1.7),
           (1.8, 2.1)]],
}  # fmt: skip


def engraving(number: int, d: Dimensions) -> Manifold:
    """The number as strokes 0.6 mm deep, around x = 0, to be cut into the face at y = 0."""
    text = str(number)
    high = min(10.0, d.lever_width * 0.55)
    step = high / 4
    stroke = max(0.9, high * 0.13)
    parts: list[Manifold] = []
    width = len(text) * 2 * step + (len(text) - 1) * 1.2 * step
    for place, digit in enumerate(text):
        left = -width / 2 + place * 3.2 * step
        for line in _DIGITS[digit]:
            for a, b in pairwise(line):
                ends = [disc(stroke, 12).translate((left + p[0] * step, p[1] * step)) for p in (a, b)]
                parts.append(CrossSection.batch_hull(ends).extrude(1.2))
    lying = joined(parts)
    return lying.rotate((90, 0, 0)).translate((0, 0.6, d.handle - 15 - high / 2))


# --- bank -----------------------------------------------------------------------------------------------

#: Edges of the bank's plate, from the axle.
PLATE = (-26.5, 26.0)
#: The opening for the bank in the deck, from the axle.
OPENING = (-20.5, 18.5)


def bank_rods(d: Dimensions) -> dict[str, tuple[float, float, float]]:
    """Return every rod through the bank: (y, z) from the axle, and its diameter."""
    return {
        "axle": (0.0, 0.0, d.rod),
        "rod down": (*d.rod_down, d.rod),
        "rod up": (*d.rod_up, d.rod),
        "rod detent": (*d.rod_detent, d.rod),
        "switch rod low": (d.switch_y, d.switch_z - d.switch_pitch / 2, d.switch_rod),
        "switch rod high": (d.switch_y, d.switch_z + d.switch_pitch / 2, d.switch_rod),
    }


def deck_screws(d: Dimensions) -> dict[str, list[tuple[float, float]]]:
    """Return (x, y) of the screws that hold the bank and the bezel."""
    x0, x1 = 6.5, d.width - 6.5
    y0, y1 = d.axle_y + PLATE[0] + 3.6, d.axle_y + PLATE[1] - 4.4
    bx, by = d.bezel_at
    w, h = d.bezel[0] / 2 - 4.0, d.bezel[1] / 2 - 4.0
    return {
        "bank": [(x0, y0), (x1, y0), (x0, y1), (x1, y1)],
        "bezel": [(bx + sx * w, by + sy * h) for sx in (-1, 1) for sy in (-1, 1)],
    }


def _plate_holes(d: Dimensions, places: list[tuple[float, float]], top: float) -> Manifold:
    return joined(
        part
        for x, y in places
        for part in (
            rod((x, y, top - 20), (0, 0, 1), 21, LOOSE),
            countersunk((x, y, top + 0.01), (0, 0, -1), (HEAD - LOOSE) / 2 + 0.1, HEAD + 0.2, LOOSE),
        )
    )


def bank(d: Dimensions) -> Manifold:
    """Return the lever bank: the plate on the deck, and the ribs that carry the rods."""
    y, z = d.axle_y, d.axle_z
    plate = rounded(d.width - 4, PLATE[1] - PLATE[0], 4).extrude(d.plate).translate((2, y + PLATE[0], z))
    profile = polygon(
        [
            (d.rib_front, d.plate),
            (d.rib_front, -12),
            (-8, d.rib_low),
            (d.switch_y + 5, d.rib_low),
            (d.rib_back, -14),
            (d.rib_back, d.plate),
        ]
    )
    holes = CrossSection()
    for ry, rz, diameter in bank_rods(d).values():
        wide = d.rod_hole if diameter == d.rod else d.switch_hole
        holes += disc(wide, 32).translate((ry, rz))
    ribs = []
    for n in range(d.levers + 1):
        x = d.bank_left + n * d.pitch - d.rib / 2
        drilled = profile if d.blind_end and n in (0, d.levers) else profile - holes
        ribs.append(prism_x(drilled, x, d.rib).translate((0, y, z)))
    slots = [
        block((d.bay_left(n), y - d.slot, z - 1), (d.bay_left(n) + d.bay, y + d.slot, z + d.plate + 1))
        for n in range(1, d.levers + 1)
    ]
    groove = rod(
        (d.bank_left - 2, y, z), (1, 0, 0), d.width, d.rod_hole, 32
    )  # the axle's way in, under the plate
    return joined([plate - joined(slots) - groove, *ribs]) - _plate_holes(
        d, deck_screws(d)["bank"], z + d.plate
    )


def spacer(d: Dimensions, number: int) -> Manifold:
    """Return what keeps a switch at the left rib of its bay: it sits on the same two rods."""
    x = d.bay_left(number) + d.switch[0] + 0.3
    y, z = d.axle_y + d.switch_y, d.axle_z + d.switch_z
    solid = block((x, y - 2.6, z - 8), (d.bay_left(number) + d.bay - 0.2, y + 2.6, z + 6.7))
    holes = [rod((x - 1, y, z + s * d.switch_pitch / 2), (1, 0, 0), 30, d.switch_hole, 24) for s in (-1, 1)]
    return solid - joined(holes)


# --- body -----------------------------------------------------------------------------------------------

#: The base's tongues: x, width; they hook into the back wall.
TONGUES = ((36.0, 16.0), (164.0, 16.0))
#: The supply's cable leaves here: x, width.
CABLE = (118.0, 9.0)


def body(d: Dimensions) -> Manifold:
    """Return the shell: four walls and the deck."""
    h, w = d.height, d.wall
    under = h - d.deck
    shell = rounded(d.width, d.depth, d.corner).extrude(h) - rounded(
        d.width - 2 * w, d.depth - 2 * w, d.corner - w
    ).extrude(under + 1).translate((w, w, -1))
    x0, y0, x1, y1 = d.tray
    added: list[Manifold] = []
    places = deck_screws(d)
    for x, y in [*places["bank"], *places["bezel"]]:
        added.append(rod((x, y, under - d.boss), (0, 0, 1), d.boss + 1, 2 * BOSS))
    # beside the bank's ends: no rod can wander out
    for low, high in (
        (w - 0.1, d.bank_left - d.rib / 2 - 0.9),
        (d.width - d.bank_left + d.rib / 2 + 0.9, d.width - w + 0.1),
    ):
        added.append(
            block(
                (low, d.axle_y + OPENING[0], under + d.axle_z + d.rib_low - h),
                (high, d.axle_y + OPENING[1], under + 0.1),
            )
        )
    # fins that guide the tray
    for x in (x0 + 18, x1 - 20):
        for low, high in ((y0 - 2.2, y0 - 0.4), (y1 + 0.4, y1 + 2.2)):
            added.append(block((x, low, under - 10), (x + 2, high, under + 0.1)))
    for y in (y0 + 14, y1 - 16):
        for low, high in ((x0 - 2.2, x0 - 0.4), (x1 + 0.4, x1 + 2.2)):
            added.append(block((low, y, under - 10), (high, y + 2, under + 0.1)))
    bx, by = d.buzzer_at
    added.append(rod((bx, by, under - d.buzzer_height + 1), (0, 0, 1), d.buzzer_height, d.buzzer + 4))
    if d.tray_in_body:
        added.append(block((x0, y0, under - 18), (x1, y1, under + 0.1)))
    solid = joined([shell, *added])

    lip = d.deck_lip
    opening = (
        rounded(x1 - x0 - 2 * lip, y1 - y0 - 2 * lip, 6)
        .extrude(20)
        .translate((x0 + lip, y0 + lip, under - 1))
    )
    cut = [opening if not d.tray_in_body else opening.translate((0, 0, -14))]
    cut.append(
        block(
            (d.bank_left - d.rib / 2 - 0.8, d.axle_y + OPENING[0], under - 1),
            (d.width - d.bank_left + d.rib / 2 + 0.8, d.axle_y + OPENING[1], h + 1),
        )
    )
    ox, oy = d.bezel_opening
    cut.append(
        block(
            (d.bezel_at[0] - ox / 2, d.bezel_at[1] - oy / 2, under - 9),
            (d.bezel_at[0] + ox / 2, d.bezel_at[1] + oy / 2, h + 1),
        )
    )
    # under the deck: room for the springs' tips, should a tile ever get past its stop
    cut.append(
        block(
            (d.bank_left, d.axle_y - 27, under - 1),
            (d.width - d.bank_left, d.axle_y + OPENING[0] + 1, under + 1.4),
        )
    )
    cut.append(rod((*d.button_at, under - 1), (0, 0, 1), d.deck + 2, d.button))
    cut.append(rod((bx, by, under - d.buzzer_height - 1), (0, 0, 1), d.buzzer_height + 1, d.buzzer + 0.2))
    for k in range(6):
        a = math.radians(60 * k)
        cut.append(
            rod((bx + 3.6 * math.cos(a), by + 3.6 * math.sin(a), under - 1), (0, 0, 1), d.deck + 2, 2.0)
        )
    for x, y in [*places["bank"], *places["bezel"]]:
        cut.append(rod((x, y, under - d.boss - 1), (0, 0, 1), 30, LOOSE))
        cut.append(rod((x, y, under - d.boss - 0.01), (0, 0, 1), d.insert + 0.3, d.insert_hole))
    lx, lz = d.lock_at
    hole = disc(d.lock, 64) + polygon(
        [(-d.lock * 0.3536, -d.lock * 0.3536), (d.lock * 0.3536, -d.lock * 0.3536), (0, -d.lock * 0.7071)]
    )
    cut.append(hole.extrude(w + 2).rotate((90, 0, 0)).translate((lx, w + 1, lz)))
    for x, width in TONGUES:
        cut.append(
            block((x - 0.4, d.depth - w - 1, d.base - 0.1), (x + width + 0.4, d.depth - 0.8, d.base + 4.4))
        )
    cut.append(block((CABLE[0], d.depth - w - 1, -1), (CABLE[0] + CABLE[1], d.depth + 1, 9)))
    return solid - joined(cut)


# --- base -----------------------------------------------------------------------------------------------

#: The posts under the tray: they press it against the deck.
PILLARS = ((20.0, 12.2), (22.0, 87.5), (144.0, 15.0), (144.0, 86.0))
#: Bolts to the bar, through the rubber feet: their middle.
FEET = ((24.0, 188.0), (196.0, 16.0), (120.0, 40.0), (192.0, 188.0))
#: The corner under the Pi has no room for a bolt: a foot that sticks.
STUCK_FOOT = (19.0, 16.0)
#: The lock's cam: its front and back.
CAM = (20.0, 22.5)
#: Slots for the tie of the supply's cable.
TIES = ((112.0, 176.0), (124.0, 176.0))


def pi_holes(d: Dimensions) -> list[tuple[float, float]]:
    """Return (x, y) of the Pi's mounting holes; its header lies in front, its supply behind."""
    x, y = d.pi_at
    return [(x + 85 - hx, y + 56 - hy) for hx in (3.5, 61.5) for hy in (3.5, 52.5)]


def base(d: Dimensions) -> Manifold:
    """Return the base: it is bolted to the bar; the shell hooks behind its tongues and is locked in front."""
    inset = d.wall + d.gap
    t = d.base
    # in front there is room to slide the shell off the tongues
    plate = rounded(d.width - 2 * inset, d.depth - 2 * inset - 3.2, d.corner - d.wall).extrude(t)
    plate = plate.translate((inset, inset + 3.2, 0))
    added = [plate]
    back = d.depth - inset
    for x, width in TONGUES:
        wedge = polygon(
            [
                (back - 8, t - 0.1),
                (back, t - 0.1),
                (back + 2.1, t + 2.0),
                (back + 2.1, t + 4),
                (back - 8, t + 4),
            ]
        )
        added.append(prism_x(wedge, x, width))
    for x, y in pi_holes(d):
        added.append(rod((x, y, 0), (0, 0, 1), t + d.pi_post, 6.4))
    top = d.height - d.deck - d.gasket - d.tray_height
    for x, y in PILLARS:
        added.append(rod((x, y, 0), (0, 0, 1), top, 9.0))
        added.append(countersunk((x, y, t), (0, 0, 1), 3, 10.5, 9))
    px, py = d.pi_at
    frame = rounded(98, 72, 4).extrude(t + d.dam).translate((px - 5, py - 5, 0))
    hollow = rounded(95, 69, 3).extrude(30).translate((px - 3.5, py - 3.5, -1))
    added.append(frame - hollow)
    # the gate into which the lock's cam swings from below: it neither lifts nor slides then
    lx, lz = d.lock_at
    lug = block((lx + 12, CAM[0] - 6, 0), (lx + 17, CAM[1] + 7, lz + 10))
    added.append(lug - block((lx + 11, CAM[0] - d.gate, t), (lx + 18, CAM[1] + d.gate, lz + 5.3)))
    solid = joined(added)
    cut: list[Manifold] = []
    for x, y in pi_holes(d):
        cut.append(rod((x, y, -1), (0, 0, 1), 40, 2.8))
        cut.append(rod((x, y, -1), (0, 0, 1), 1 + d.pi_recess, 5.6))
    return solid - joined(cut) - base_cuts(d)


def base_cuts(d: Dimensions) -> Manifold:
    """Return what is cut through a base: bolts, the cable's tie, drains, air for the Pi."""
    cut: list[Manifold] = []
    px, py = d.pi_at
    for x, y in FEET:
        cut.append(rod((x, y, -1), (0, 0, 1), 20, 5.4))
    for x, y in TIES:
        cut.append(block((x - 1, y - 2, -1), (x + 1, y + 2, 20)))
    cut.append(rod((*d.drain_at, -1), (0, 0, 1), 20, 11.0))
    # what runs through the slots of the levers runs out under them
    for k in range(6):
        cut.append(block((22 + 30 * k, d.axle_y - 12, -1), (36 + 30 * k, d.axle_y - 8, 20)))
    for k in range(8):
        cut.append(block((px + 14 + 8 * k, py + 12, -1), (px + 17 + 8 * k, py + 44, 20)))
    return joined(cut)


# --- tray -----------------------------------------------------------------------------------------------


def tray(d: Dimensions) -> Manifold:
    """Return the dice tray: a tub that the base's pillars press against the deck from below."""
    x0, y0, x1, y1 = d.tray
    top = d.height - d.deck - d.gasket
    low = top - d.tray_height
    t = d.tray_wall
    tub = rounded(x1 - x0, y1 - y0, 5).extrude(d.tray_height).translate((x0, y0, low))
    hollow = (
        rounded(x1 - x0 - 2 * t, y1 - y0 - 2 * t, 3)
        .extrude(d.tray_height)
        .translate((x0 + t, y0 + t, low + t))
    )
    return tub - hollow - rod((*d.drain_at, low - 1), (0, 0, 1), 6, 10.4)


def spout(d: Dimensions) -> Manifold:
    """Return the pipe that leads spilt beer from the tray through the base."""
    low = d.height - d.deck - d.gasket - d.tray_height
    flange = rod((*d.drain_at, low + d.tray_wall), (0, 0, 1), 1.6, 16)
    pipe = rod((*d.drain_at, -2), (0, 0, 1), low + d.tray_wall + 2.1, 10)
    return flange + pipe - rod((*d.drain_at, -3), (0, 0, 1), 90, 7.6)


# --- display --------------------------------------------------------------------------------------------


def window_size(d: Dimensions) -> tuple[float, float]:
    """Return width and height of the acrylic over the picture: no wider than the module."""
    module = DISPLAYS[d.display]
    return min(module.picture[0] + 7.6, module.board[0] - 0.4), module.picture[1] + 7.6


def clamp_holes(d: Dimensions) -> list[tuple[float, float]]:
    """Return (x, y) of the four screws that hold the display's clamps."""
    module = DISPLAYS[d.display]
    x, y = module.board[0] / 2 + 3.6, module.board[1] / 2 - 6
    return [(d.bezel_at[0] + sx * x, d.bezel_at[1] + sy * y) for sx in (-1, 1) for sy in (-1, 1)]


def board_back(d: Dimensions) -> float:
    """Return z of the back of the display's circuit board."""
    module = DISPLAYS[d.display]
    return d.height + d.plate - 2.0 - d.window_glass - 0.3 - module.glass[2] - module.board[2]


def bezel(d: Dimensions) -> Manifold:
    """Return the frame of one display: it lies on the deck; window and module are fixed from below."""
    module = DISPLAYS[d.display]
    (cx, cy), top = d.bezel_at, d.height + d.plate
    plate = (
        rounded(*d.bezel, 4).extrude(d.plate).translate((cx - d.bezel[0] / 2, cy - d.bezel[1] / 2, d.height))
    )
    parts = [plate]
    for x, y in clamp_holes(d):
        parts.append(rod((x, y, board_back(d)), (0, 0, 1), d.height + 1 - board_back(d), 6.0))
    # ribs in which the board lies
    bw, bh = module.board[0] / 2 + 0.25, module.board[1] / 2 + 0.25
    for sx in (-1, 1):
        low, high = sorted((cx + sx * bw, cx + sx * (bw + 1.6)))
        parts.append(block((low, cy - bh + 10, board_back(d) + 0.2), (high, cy + bh - 10, d.height + 0.1)))
    pw, ph = module.picture[0] + 1.6, module.picture[1] + 1.6
    middle = (cx, cy + module.picture_up)
    window = CrossSection.square((pw, ph), True)
    wide = CrossSection.square((pw + 2.4, ph + 2.4), True)
    bevel = Manifold.batch_hull(
        [
            window.extrude(0.01).translate((*middle, top - 1.2)),
            wide.extrude(0.01).translate((*middle, top + 0.01)),
        ]
    )
    cuts = [bevel, window.extrude(10).translate((*middle, d.height - 1))]
    gw, gh = window_size(d)
    glass = CrossSection.square((gw + 0.4, gh + 0.4), True)
    cuts.append(glass.extrude(d.window_glass + 0.1).translate((*middle, d.height - 0.1)))
    for x, y in clamp_holes(d):
        cuts.append(rod((x, y, board_back(d) - 0.1), (0, 0, 1), d.clamp_hole + 0.1, 1.8))
    return joined(parts) - joined(cuts) - _plate_holes(d, deck_screws(d)["bezel"], top)


def clamp(d: Dimensions, side: int) -> Manifold:
    """Return one of the two bars behind the display, -1 left and 1 right."""
    module = DISPLAYS[d.display]
    cx, cy = d.bezel_at
    edge = module.board[0] / 2
    low, high = sorted((cx + side * (edge - 2.2), cx + side * (edge + 6.6)))
    half = module.board[1] / 2 - 2
    z = board_back(d)
    bar = block((low, cy - half, z - d.clamp_bar), (high, cy + half, z))
    holes = [rod((x, y, z - 10), (0, 0, 1), 20, 2.5) for x, y in clamp_holes(d) if (x - cx) * side > 0]
    return bar - joined(holes)


def lock(d: Dimensions, *, locked: bool = True) -> dict[str, Manifold]:
    """Return the cam lock: its cam lies level where it locks, and points down where it does not."""
    lx, lz = d.lock_at
    face = -3.0 if d.wooden else 0.0
    barrel = rod((lx, face - 3, lz), (0, 1, 0), 3, 22) + rod(
        (lx, face, lz), (0, 1, 0), 20 - face, d.lock - 0.6
    )
    nut = rod((lx, d.wall, lz), (0, 1, 0), 4, 24) - rod((lx, face, lz), (0, 1, 0), 30, d.lock - 0.5)
    cam = block((-6, CAM[0], -5), (20, CAM[1], 5))
    if not locked:
        cam = cam.rotate((0, 90, 0))
    return {"lock": barrel, "lock nut": nut, "lock cam": cam.translate((lx, 0, lz))}


def lever_profile(d: Dimensions) -> CrossSection:
    """Return a lever's outline with its springs in (y, z) from the axle, standing straight."""
    beside, _, nose, finger = _profiles(d)
    return beside + nose + finger
