"""The printed parts, in place."""

from __future__ import annotations

import math
from itertools import pairwise

from manifold3d import CrossSection, Manifold, OpType

from hwtools.box.dimensions import Dimensions
from hwtools.box.solids import block, countersunk, disc, joined, polygon, post, prism_x, rod, wire

#: Head of an M3 countersunk screw.
HEAD = 6.0
#: Clearance hole of an M3 screw.
LOOSE = 3.4
#: Radius of a screw's boss.
BOSS = 4.0


# --- lever: profile in (y, z) around the axle, standing straight ----------------------------------------


def _tail_area(d: Dimensions, corners: list[tuple[float, float]]) -> CrossSection:
    return polygon(d.from_tail(s, w) for s, w in corners)


def _slot(d: Dimensions) -> CrossSection:
    """Return the slot for the finger's wire: narrow from end to root, then open to the front."""
    half = (d.micro.wire + d.finger_play) / 2
    back = [(s, d.finger_line(s) + half) for s in (d.finger_end, 40.0)]
    front = [
        (d.finger_end, d.finger_line(d.finger_end) - half),
        (d.finger_root, d.finger_line(d.finger_root) - half),
    ]
    for k in range(1, 9):
        s = d.finger_root + (d.drum - d.finger_root) * k / 8
        part = (s - d.finger_root) / d.finger_length
        away = d.finger_bend * part**2 * (3 - part) / 2
        front.append((s, d.finger_line(s) - half - 1.1 * away))
    front += [(d.drum, -d.tail_half - 9), (40.0, -d.tail_half - 9)]
    return _tail_area(d, [*front, *reversed(back)])


def _notched(d: Dimensions) -> CrossSection:
    """Return the drum with its two notches, edges rounded."""
    hollow = d.notch_hollow + d.detent_wire / 2
    edge = d.notch_edge - d.detent_wire / 2
    drum = disc(2 * d.drum, 192)
    far = d.drum - d.notch + hollow
    for direction in d.notches:
        b = math.radians(direction)
        drum -= disc(2 * hollow, 96).translate((far * math.sin(b), -far * math.cos(b)))
    return drum.offset(-edge, circular_segments=96).offset(edge, circular_segments=96)


def _profiles(d: Dimensions) -> tuple[CrossSection, CrossSection]:
    """Return a lever's profile on the left, beside switch and finger, and the profile elsewhere."""
    t = d.tail_half
    half = d.thick / 2
    top = [disc(3, 24).translate((x, d.handle - 1.5)) for x in (-half + 1.5, half - 1.5)]
    handle = CrossSection.batch_hull([CrossSection.square((d.thick, 1)).translate((-half, 0)), *top])
    end = d.stop_radius + d.tail_over
    tail = _tail_area(d, [(0, -t), (end, -t), (end, t), (0, t)])
    common = _notched(d) + handle - disc(d.bore)
    return common - _slot(d), common + (tail - disc(d.bore))


def lever_body(d: Dimensions, number: int) -> Manifold:
    """Return a lever's printed part, in place and standing straight."""
    beside, elsewhere = _profiles(d)
    x = d.bay_left(number) + d.side_gap
    cut = d.finger_at + (d.micro.wire + d.finger_play) / 2
    solid = prism_x(beside, x, cut) + prism_x(elsewhere, x + cut, d.lever_width - cut)
    foot = disc(d.micro.wire + d.finger_play, 16).translate(
        d.from_tail(d.finger_end, d.finger_line(d.finger_end))
    )
    solid -= prism_x(foot, x, d.finger_foot + 0.2)
    solid -= engraving(number, d).translate((x + d.lever_width / 2, -d.thick / 2, 0))
    return solid.translate((0.0, d.axle_y, d.axle_z))


def finger(d: Dimensions, number: int, angle: float) -> Manifold:
    """Return a lever's finger, in place and bent by its switch, with the lever at *angle*."""
    _, bend = d.pressed(angle)
    x = d.bay_left(number) + d.side_gap

    def point(s: float, side: float) -> tuple[float, float, float]:
        y, z = d.from_tail(s, d.finger_line(s), angle)
        part = max(0.0, (s - d.finger_root) / d.finger_length)
        return x + side, d.axle_y + y - bend * part**2 * (3 - part) / 2, d.axle_z + z

    way = [point(d.finger_end, d.finger_foot), point(d.finger_end, d.finger_at)]
    way += [point(d.finger_root + d.finger_length * k / 10, d.finger_at) for k in range(11)]
    return wire([*way, point(d.finger_tip, d.finger_bar)], d.micro.wire)


def detent(d: Dimensions, number: int, angle: float | None) -> Manifold:
    """Return a staple on the drum of a lever at *angle*, or without a lever (None)."""
    r = d.detent_wire / 2
    left = d.bay_left(number) - d.detent_groove + r
    right = d.bay_left(number) + d.bay + d.detent_groove - r
    y0, z = d.detent_relaxed, d.detent_z
    y1 = y0 if angle is None else detent_back(d, angle)
    leg = []
    for k in range(11):
        part = k / 10
        leg.append((y0 + (y1 - y0) * part**2 * (3 - part) / 2, z - d.detent_free * (1 - part)))
    leg = [(y0, z - d.detent_free - d.detent_held), *leg]
    way = [(left, *p) for p in leg] + [(right, *p) for p in reversed(leg)]
    return wire([(x, d.axle_y + y, d.axle_z + h) for x, y, h in way], d.detent_wire)


def detent_back(d: Dimensions, angle: float) -> float:
    """Return how far behind the axle the staple's back is."""
    drum = _notched(d).rotate(angle)
    low, high = d.detent_relaxed, d.drum + d.detent_wire
    for _ in range(12):
        middle = (low + high) / 2
        back = disc(d.detent_wire, 24).translate((middle, d.detent_z))
        low, high = (middle, high) if (back ^ drum).area() > 1e-4 else (low, middle)
    return high


def lever(d: Dimensions, number: int) -> Manifold:
    """Return a lever as it's printed: on its right side, the finger's slot facing up."""
    body = lever_body(d, number).translate((-d.bay_left(number) - d.side_gap, -d.axle_y, -d.axle_z))
    lying = ((0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    return body.transform(lying).rotate((180, 0, 0))


#: Digits as strokes on a 2 by 4 grid: they need no font, and every stroke is wide enough to print.
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
    "±": [[(1, 1.4), (1, 3.4)], [(0, 2.4), (2, 2.4)], [(0, 0.4), (2, 0.4)]],
    "9": [[(0.3, 0), (1.6, 1.6), (2, 2.8), (1.5, 3.8), (0.6, 4), (0, 3.2), (0.1, 2.3), (0.8, 1.7),
           (1.8, 2.1)]]
}  # fmt: skip


def strokes(text: str, high: float, stroke: float) -> CrossSection:
    """Return digits and ± as strokes, upwards from the origin and centred on x = 0."""
    step = high / 4
    left = -(len(text) * 2 + (len(text) - 1) * 1.2) * step / 2
    parts = [
        CrossSection.batch_hull(
            [disc(stroke, 12).translate((left + (3.2 * place + p[0]) * step, p[1] * step)) for p in ends]
        )
        for place, digit in enumerate(text)
        for line in _DIGITS[digit]
        for ends in pairwise(line)
    ]
    return CrossSection.batch_boolean(parts, OpType.Add)


def engraving(number: int, d: Dimensions) -> Manifold:
    """Return a number as strokes 0.6 mm deep, centred on x = 0, to cut into the face at y = 0."""
    high = min(10.0, d.lever_width * 0.55)
    lying = strokes(str(number), high, max(0.9, high * 0.13)).extrude(1.2)
    return lying.rotate((90, 0, 0)).translate((0, 0.6, d.handle - 15 - high / 2))


# --- bank -----------------------------------------------------------------------------------------------

#: Edges of the bank's plate, from the axle.
PLATE = (-26.5, 26.0)
#: Edges of the deck's opening for the bank, from the axle.
OPENING = (-20.5, 18.5)


def bank_rods(d: Dimensions) -> dict[str, tuple[float, float, float]]:
    """Return the rods through the bank: (y, z) from the axle, and diameter."""
    return {
        "axle": (0.0, 0.0, d.rod),
        "rod down": (*d.rod_down, d.rod),
        "rod up": (*d.rod_up, d.rod),
        # under the staples, so that none can fall out
        "switch rod back": (d.detent_relaxed, d.detent_z - d.detent_free - d.detent_held - 1.2, d.switch_rod),
        "switch rod low": (d.switch_y, d.switch_holes[0], d.switch_rod),
        "switch rod high": (d.switch_y, d.switch_holes[1], d.switch_rod),
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
            post((x, y, top - 20), 21, LOOSE),
            countersunk((x, y, top + 0.01), (0, 0, -1), (HEAD - LOOSE) / 2 + 0.1, HEAD + 0.2, LOOSE),
        )
    )


def bank(d: Dimensions) -> Manifold:
    """Return the lever bank: the plate on the deck, and the ribs that carry the rods."""
    y, z = d.axle_y, d.axle_z
    plate = block((2, y + PLATE[0], z), (d.width - 2, y + PLATE[1], z + d.plate), 4)
    profile = polygon(
        [
            (d.rib_front, d.plate),
            (d.rib_front, -12),
            (-8, d.rib_low),
            (d.detent_relaxed + 3, d.rib_low),
            (d.rib_back, -14),
            (d.rib_back, d.plate),
        ]
    )
    for ry, rz, diameter in bank_rods(d).values():
        wide = d.rod_hole if diameter == d.rod else d.switch_hole
        profile -= disc(wide, 32).translate((ry, rz))
    ribs = []
    for n in range(d.levers + 1):
        x = d.bank_left + n * d.pitch - d.rib / 2
        rib = prism_x(profile, x, d.rib)
        if n:
            rib -= prism_x(_groove(d), x - 1, d.detent_groove + 1)
        if n < d.levers:
            rib -= prism_x(_groove(d), x + d.rib - d.detent_groove, d.detent_groove + 1)
        ribs.append(rib.translate((0, y, z)))
    slots = [
        block((d.bay_left(n), y - d.slot, z - 1), (d.bay_left(n) + d.bay, y + d.slot, z + d.plate + 1))
        for n in range(1, d.levers + 1)
    ]
    # the axle's way in, under the plate
    groove = rod((d.bank_left - 2, y, z), (1, 0, 0), d.width, d.rod_hole, 32)
    return joined([plate - joined(slots) - groove, *ribs]) - _plate_holes(
        d, deck_screws(d)["bank"], z + d.plate
    )


def _groove(d: Dimensions) -> CrossSection:
    """Return the groove for a staple's leg in a rib: tight below, free above, open at the bottom."""
    half = d.detent_wire / 2 + 0.05
    low, top = d.detent_z - d.detent_free, d.detent_z + d.detent_wire / 2 + 0.3
    front, back = d.detent_relaxed - half, d.detent_relaxed + half
    far = d.detent_y(d.notch) + half + 0.5
    return polygon([(front, d.rib_low - 1), (back, d.rib_low - 1), (back, low), (far, top), (front, top)])


def spacers(d: Dimensions, number: int) -> tuple[Manifold, Manifold]:
    """Return the left and right spacers that keep a switch in the middle of its bay, on its two rods.

    The left one lies under the gap beside the tile, and sheds what drips on it towards the rib.
    """
    left, right = d.bay_left(number), d.bay_left(number) + d.bay
    y, (low, high) = d.axle_y + d.switch_y, d.switch_holes
    holes = joined(rod((left - 1, y, d.axle_z + h), (1, 0, 0), 40, d.switch_hole, 24) for h in (low, high))
    bottom, top = d.axle_z + low - 3, d.axle_z + d.switch_low + d.micro.case[2]
    x0, x1 = left + 0.15, left + d.switch_at - 0.15
    edge = CrossSection([[(x0, bottom), (x1, bottom), (x1, top), (x1 - 1.0, top), (x0, top - 1.5)]])
    drip = edge.extrude(5.2).transform(
        ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, y + 2.6), (0.0, 1.0, 0.0, 0.0))
    )
    x = left + d.switch_at + d.micro.case[0] + 0.15
    solid = block((x, y - 2.6, bottom), (right - 0.15, y + 2.6, d.axle_z + high + 2.2))
    return drip - holes, solid - holes


# --- body -----------------------------------------------------------------------------------------------

#: The base's tongues, which hook into the back wall: x, width.
TONGUES = ((36.0, 16.0), (164.0, 16.0))
#: Where the supply's cable comes out: x, width.
CABLE = (118.0, 9.0)


def deck_openings(d: Dimensions, bank_front: float = OPENING[0]) -> list[Manifold]:
    """Return the deck's openings for tray, bank, display, button and buzzer."""
    under, top = d.height - d.deck - 1, d.height + 1
    x0, y0, x1, y1 = d.tray
    lip, ends = d.deck_lip, d.bank_left - d.rib / 2 - 0.8
    (bx, by), (wide, deep), (zx, zy) = d.bezel_at, d.bezel_opening, d.buzzer_at
    ring = [math.radians(60 * k) for k in range(6)]
    return [
        block((x0 + lip, y0 + lip, under), (x1 - lip, y1 - lip, top), 6),
        block((ends, d.axle_y + bank_front, under), (d.width - ends, d.axle_y + OPENING[1], top)),
        block((bx - wide / 2, by - deep / 2, under - 8), (bx + wide / 2, by + deep / 2, top)),
        post((*d.button_at, under), d.deck + 2, d.button),
        *(post((zx + 3.6 * math.cos(a), zy + 3.6 * math.sin(a), under), d.deck + 2, 2.0) for a in ring),
    ]


def body(d: Dimensions) -> Manifold:
    """Return the shell: four walls and the deck."""
    h, w = d.height, d.wall
    under = h - d.deck
    shell = block((0, 0, 0), (d.width, d.depth, h), d.corner)
    shell -= block((w, w, -1), (d.width - w, d.depth - w, under), d.corner - w)
    x0, y0, x1, y1 = d.tray
    screws = [place for places in deck_screws(d).values() for place in places]
    added = [post((x, y, under - d.boss), d.boss + 1, 2 * BOSS) for x, y in screws]
    # beside the bank's ends: no rod can wander out
    ends = d.bank_left - d.rib / 2 - 0.9
    for low, high in ((w - 0.1, ends), (d.width - ends, d.width - w + 0.1)):
        bottom = under + d.axle_z + d.rib_low - h
        added.append(block((low, d.axle_y + OPENING[0], bottom), (high, d.axle_y + OPENING[1], under + 0.1)))
    # fins that guide the tray
    for x in (x0 + 18, x1 - 20):
        for low, high in ((y0 - 2.2, y0 - 0.4), (y1 + 0.4, y1 + 2.2)):
            added.append(block((x, low, under - 10), (x + 2, high, under + 0.1)))
    for y in (y0 + 14, y1 - 16):
        for low, high in ((x0 - 2.2, x0 - 0.4), (x1 + 0.4, x1 + 2.2)):
            added.append(block((low, y, under - 10), (high, y + 2, under + 0.1)))
    buzzer = (*d.buzzer_at, under - d.buzzer_height)
    added.append(post(buzzer, d.buzzer_height, d.buzzer + 4).translate((0, 0, 1)))
    solid = joined([shell, *added])

    cut = deck_openings(d)
    # under the deck: room for the springs' tips in case a tile gets past its stop
    left, front = d.bank_left, d.axle_y + OPENING[0] + 1
    cut.append(block((left, d.axle_y - 27, under - 1), (d.width - left, front, under + 1.4)))
    cut.append(post(buzzer, d.buzzer_height + 1, d.buzzer + 0.2).translate((0, 0, -1)))
    for x, y in screws:
        cut.append(post((x, y, under - d.boss - 1), 30, LOOSE))
        cut.append(post((x, y, under - d.boss - 0.01), d.insert + 0.3, d.insert_hole))
    lx, lz = d.lock_at
    cut.append(lock_hole(d).extrude(w + 2).rotate((90, 0, 0)).translate((lx, w + 1, lz)))
    behind = d.depth - w - 1
    for x, width in TONGUES:
        cut.append(block((x - 0.4, behind, d.base - 0.1), (x + width + 0.4, d.depth - 0.8, d.base + 4.4)))
    cut.append(block((CABLE[0], behind, -1), (CABLE[0] + CABLE[1], d.depth + 1, 9)))
    return solid - joined(cut)


# --- base -----------------------------------------------------------------------------------------------

#: The posts that press the tray against the deck.
PILLARS = ((20.0, 12.2), (22.0, 87.5), (144.0, 15.0), (144.0, 86.0))
#: Centres of the rubber feet, which the bolts to the bar go through.
FEET = ((24.0, 188.0), (196.0, 16.0), (120.0, 40.0), (192.0, 188.0))
#: The foot under the Pi: there's no room for a bolt, so it's stuck on.
STUCK_FOOT = (19.0, 16.0)
#: The lock's cam is behind this, measured from the outer front.
CAM = 20.0
#: Slots for the cable tie.
TIES = ((112.0, 176.0), (124.0, 176.0))


def pi_holes(d: Dimensions) -> list[tuple[float, float]]:
    """Return (x, y) of the Pi's mounting holes; its header is at the front, its supply at the back."""
    x, y = d.pi_at
    return [(x + 85 - hx, y + 56 - hy) for hx in (3.5, 61.5) for hy in (3.5, 52.5)]


def base(d: Dimensions) -> Manifold:
    """Return the base, bolted to the bar; the shell hooks behind its tongues and locks at the front."""
    inset = d.wall + d.gap
    t = d.base
    # room at the front to slide the shell off the tongues
    back = d.depth - inset
    added = [block((inset, inset + 3.2, 0), (d.width - inset, back, t), d.corner - d.wall)]
    hook = [(-8, -0.1), (0, -0.1), (2.1, 2.0), (2.1, 4), (-8, 4)]
    wedge = polygon((back + y, t + z) for y, z in hook)
    added += [prism_x(wedge, x, width) for x, width in TONGUES]
    added += [post((x, y, 0), t + d.pi_post, 6.4) for x, y in pi_holes(d)]
    top = d.height - d.deck - d.gasket - d.tray_height
    for x, y in PILLARS:
        added.append(post((x, y, 0), top, 9.0))
        added.append(countersunk((x, y, t), (0, 0, 1), 3, 10.5, 9))
    px, py = d.pi_at
    frame = block((px - 5, py - 5, 0), (px + 93, py + 67, t + d.dam), 4)
    added.append(frame - block((px - 3.5, py - 3.5, -1), (px + 91.5, py + 65.5, 29), 3))
    # the lock's cam swings into this gate from below, and can't lift or slide then
    lx, lz = d.lock_at
    high = lz + d.cam[0] / 2 + 0.4
    lug = block((lx + 12, CAM - 6, 0), (lx + 17, CAM + d.cam[1] + 7, high + 5))
    added.append(lug - block((lx + 11, CAM - d.gate, t), (lx + 18, CAM + d.cam[1] + d.gate, high)))
    screws = joined(
        post((x, y, -1), 40, 2.8) + post((x, y, -1), 1 + d.pi_recess, 5.6) for x, y in pi_holes(d)
    )
    return joined(added) - screws - base_cuts(d)


def base_cuts(d: Dimensions) -> Manifold:
    """Return a base's openings: bolts, cable tie, drains, air for the Pi."""
    px, py = d.pi_at
    cut = [post((x, y, -1), 20, 5.4) for x, y in FEET]
    cut += [block((x - 1, y - 2, -1), (x + 1, y + 2, 20)) for x, y in TIES]
    cut.append(post((*d.drain_at, -1), 20, 11.0))
    # what runs through the levers' slots drains out under them
    cut += [block((x, d.axle_y - 12, -1), (x + 14, d.axle_y - 8, 20)) for x in range(22, 202, 30)]
    cut += [block((px + k, py + 12, -1), (px + k + 3, py + 44, 20)) for k in range(14, 78, 8)]
    return joined(cut)


# --- tray -----------------------------------------------------------------------------------------------


def tray(d: Dimensions) -> Manifold:
    """Return the dice tray, which the base's pillars press against the deck from below."""
    x0, y0, x1, y1 = d.tray
    top = d.height - d.deck - d.gasket
    low = top - d.tray_height
    t = d.tray_wall
    tub = block((x0, y0, low), (x1, y1, top), 5)
    hollow = block((x0 + t, y0 + t, low + t), (x1 - t, y1 - t, top + t), 3)
    return tub - hollow - post((*d.drain_at, low - 1), 6, 10.4)


def spout(d: Dimensions) -> Manifold:
    """Return the pipe that leads spilt beer from the tray through the base."""
    low = d.height - d.deck - d.gasket - d.tray_height
    flange = post((*d.drain_at, low + d.tray_wall), 1.6, 16)
    pipe = post((*d.drain_at, -2), low + d.tray_wall + 2.1, 10)
    return flange + pipe - post((*d.drain_at, -3), 90, 7.6)


# --- display --------------------------------------------------------------------------------------------


def window_size(d: Dimensions) -> tuple[float, float]:
    """Return width and height of the acrylic window, which is no wider than the module."""
    module = d.display
    return min(module.picture[0] + 7.6, module.board[0] - 0.4), module.picture[1] + 7.6


def clamp_holes(d: Dimensions) -> list[tuple[float, float]]:
    """Return (x, y) of the four screws that hold the display's clamps."""
    module = d.display
    x, y = module.board[0] / 2 + 3.6, module.board[1] / 2 - 6
    return [(d.bezel_at[0] + sx * x, d.bezel_at[1] + sy * y) for sx in (-1, 1) for sy in (-1, 1)]


def board_back(d: Dimensions) -> float:
    """Return z of the back of the display's circuit board."""
    module = d.display
    return d.height + d.plate - 2.0 - d.window_glass - 0.3 - module.glass[2] - module.board[2]


def clamp_top(d: Dimensions) -> float:
    """Return z of the clamps' upper side, below the foam that makes up for different modules."""
    return board_back(d) - d.clamp_foam


def clamp_foam(d: Dimensions, side: int) -> Manifold:
    """Return the foam on a clamp, where the module lies on it."""
    module = d.display
    (cx, cy), edge = d.bezel_at, module.board[0] / 2
    low, high = sorted((cx + side * (edge - 2.2), cx + side * edge))
    half = module.board[1] / 2 - 2
    return block((low, cy - half, clamp_top(d)), (high, cy + half, board_back(d)))


def bezel(d: Dimensions) -> Manifold:
    """Return a display's frame: it lies on the deck; window and module are fixed from below."""
    module = d.display
    (cx, cy), top = d.bezel_at, d.height + d.plate
    half, low = (d.bezel[0] / 2, d.bezel[1] / 2), clamp_top(d)
    parts = [block((cx - half[0], cy - half[1], d.height), (cx + half[0], cy + half[1], top), 4)]
    parts += [post((x, y, low), d.height + 1 - low, 6.0) for x, y in clamp_holes(d)]
    # ribs that hold the board
    bw, bh = module.board[0] / 2 + 0.25, module.board[1] / 2 + 0.2
    for sx in (-1, 1):
        low, high = sorted((cx + sx * bw, cx + sx * (bw + 1.6)))
        parts.append(block((low, cy - bh + 10, board_back(d) + 0.2), (high, cy + bh - 10, d.height + 0.1)))
    # and two above and below, beside its pins
    for sy in (-1, 1):
        low, high = sorted((cy + sy * bh, cy + sy * (bh + 1.2)))
        for sx in (-1, 1):
            x0, x1 = sorted((cx + sx * 7.0, cx + sx * min(bw - 2.0, 16.0)))
            parts.append(block((x0, low, board_back(d) + 0.2), (x1, high, d.height + 0.1)))
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
        cuts.append(post((x, y, clamp_top(d) - 0.1), d.clamp_hole + 0.1, 1.8))
    return joined(parts) - joined(cuts) - _plate_holes(d, deck_screws(d)["bezel"], top)


def clamp(d: Dimensions, side: int) -> Manifold:
    """Return one of the two bars behind the display: left (-1) or right (1)."""
    module = d.display
    cx, cy = d.bezel_at
    edge = module.board[0] / 2
    low, high = sorted((cx + side * (edge - 2.2), cx + side * (edge + 6.6)))
    half = module.board[1] / 2 - 2
    z = clamp_top(d)
    bar = block((low, cy - half, z - d.clamp_bar), (high, cy + half, z))
    holes = [post((x, y, z - 10), 20, 2.5) for x, y in clamp_holes(d) if (x - cx) * side > 0]
    return bar - joined(holes)


def lock_hole(d: Dimensions) -> CrossSection:
    """Return the lock's hole: two flats above and below keep it from turning."""
    return disc(d.lock, 64) ^ CrossSection.square((d.lock + 2, d.lock_flats), True)


def lock(d: Dimensions, *, locked: bool = True) -> dict[str, Manifold]:
    """Return the cam lock; its cam is level when locked and points down when open."""
    lx, lz = d.lock_at
    face = 3.0 - d.wood if d.wooden else 0.0
    inner = d.wall
    thread = disc(d.lock - 0.4) ^ CrossSection.square((d.lock, d.lock_flats - 0.3), True)
    barrel = rod((lx, face - 3, lz), (0, 1, 0), 3, 22)
    barrel += thread.extrude(CAM - face).rotate((90, 0, 0)).translate((lx, CAM, lz))
    nut = rod((lx, inner, lz), (0, 1, 0), 4, 24) - rod((lx, face, lz), (0, 1, 0), 30, d.lock - 0.3)
    cam = block((-6, CAM, -d.cam[0] / 2), (20, CAM + d.cam[1], d.cam[0] / 2))
    if not locked:
        cam = cam.rotate((0, 90, 0))
    return {"lock": barrel, "lock nut": nut, "lock cam": cam.translate((lx, 0, lz))}


def lever_profile(d: Dimensions) -> CrossSection:
    """Return a lever's outline in (y, z) from the axle, standing straight."""
    beside, elsewhere = _profiles(d)
    return beside + elsewhere
