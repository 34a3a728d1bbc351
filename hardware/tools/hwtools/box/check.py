"""Checks a box for what would trip up somebody building it. Every check yields its faults, each a line.

A fault reads "kind: what's wrong, where, by how much". Checks that are calculated rather than measured on
solids are in [hwtools.box.tolerances][].
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise

from manifold3d import CrossSection, Manifold

from hwtools.box import printed, wooden
from hwtools.box.assembly import (
    FOOT,
    GROUPS,
    STEPS,
    Assembly,
    Item,
    Screw,
    assemble,
    leads,
    opened,
    switch_solid,
)
from hwtools.box.dimensions import Dimensions
from hwtools.box.solids import Point, at_axis, block, overlap, rod, rounded
from hwtools.harness import LENGTHS

#: Common printers' beds, in mm.
BEDS = ((220.0, 220.0, 250.0), (250.0, 210.0, 210.0))
#: Volumes below this (mm³) are rounding.
_NOTHING = 0.3
#: What may cut into what, and by how many mm³: springs where they're held, a tie round its cable.
_ALLOWED = (
    (r"lever (\d+)", r"finger \1", 6.0),  # where the slot holds it
    (r"lever \d+", r"staple \d+", 0.5),
    (r"bank", r"staple \d+", 6.0),
    (r"finger (\d+)", r"switch lever \1", 1.0),
    (r"supply (plug|cable)", r"supply (plug|cable)|cable tie", 1e9),
    (r"button", r"button nut", 200.0),
    (r"felt", r"body|tray|spout", 1e9),
    (r"levers' leads", r"J\d+", 1e9),
)
#: Least thread in plastic, in mm.
THREAD = 5.0
#: Widest gap, in mm, that keeps out fingers, coins and most of the beer.
GAP = 2.0
#: Least thickness of stiff parts, in mm.
THIN = 0.8
#: Leads don't run straight (factor), and their ends are stripped, crimped and soldered (mm).
SLACK, LOOSE_ENDS = 1.1, 25.0
#: Besides slopes of 45 degrees, what prints without support: ledges this wide, bridges this long (mm).
LEDGE, BRIDGE = 2.0, 20.0


def _may(a: str, b: str) -> float:
    for first, second, volume in _ALLOWED:
        for x, y in ((a, b), (b, a)):
            found = re.fullmatch(first, x)
            if found and re.fullmatch(second.replace("\\1", found[1]) if "\\1" in second else second, y):
                return volume
    return _NOTHING


def _cuts(a: Item, b: Item) -> float:
    """Return the volume by which two items overlap too much, or 0."""
    volume = overlap(a.solid, b.solid)
    return volume if volume > _NOTHING and volume > _may(a.name, b.name) else 0.0


def check_collisions(box: Assembly) -> Iterator[str]:
    """Check that nothing cuts into anything else."""
    for a, b in combinations(box.items, 2):
        volume = _cuts(a, b)
        if volume:
            yield f"collision: {a.name} cuts into {b.name} by {volume:.1f} mm3"


def check_screws(box: Assembly) -> Iterator[str]:
    """Check that every screw has enough thread, stays inside the box, and can be reached."""
    d = box.dimensions
    shell = rounded(d.width, d.depth, d.corner).extrude(d.height + d.plate + 10).translate((0, 0, -9))
    for screw in box.screws:
        yield from _driven(box, screw)
        if not screw.into:
            continue
        into = box.item(screw.into).solid
        inner = screw.diameter * (0.75 if screw.plastic else 1.0)
        ring = rod(screw.start, screw.axis, screw.length, screw.diameter + 0.6, 24)
        ring -= rod(screw.start, screw.axis, screw.length, screw.diameter + 0.1, 24)
        held = overlap(ring, into) / (ring.volume() / screw.length)
        least = THREAD if screw.plastic else 4.0
        if held < least - 0.05:
            yield f"screw: {screw.name} has {held:.1f} mm of thread in {screw.into}, {least:g} are needed"
        core = rod(screw.start, screw.axis, screw.length, inner, 24)
        out = float((core - shell).volume()) / (core.volume() / screw.length)
        if out > 0.1:
            yield f"screw: {screw.name} comes {out:.1f} mm out of the box"


def _driven(box: Assembly, screw: Screw) -> Iterator[str]:
    """Check that the driver's shaft reaches the head past everything that's already there."""
    back: Point = (-screw.axis[0], -screw.axis[1], -screw.axis[2])
    above = screw.head[1] + 0.3
    x, y, z = (s + b * above for s, b in zip(screw.start, back, strict=True))
    driver = rod((x, y, z), back, 110, screw.driver, 16)
    for item in _present(box, STEPS.index(screw.step), before=screw.name):
        if overlap(driver, item.solid) > 1.0:
            yield f"driver: {item.name} is in the way of the driver of {screw.name}"


#: What a step is about, beside its own group.
_BESIDE = {"bank": {"bank"}, "tray": {"bank"}, "closing": {"bank", "base"}}


def _present(box: Assembly, step: int, before: str) -> Iterator[Item]:
    """Return what's already there when an item is added: earlier items of the groups the step is about."""
    groups = {GROUPS[STEPS[step]], *_BESIDE.get(STEPS[step], ())}
    for item in box.items:
        if item.name == before:
            if STEPS[step] != "bank":
                return
            continue
        if item.group in groups and item.step <= step:
            yield item


# --- levers ---------------------------------------------------------------------------------------------


def check_sweep(d: Dimensions, step: float = 3.0, past: float = 10.0) -> Iterator[str]:
    """Check that only the stops stop the first and last lever, along their travel and *past* both ends."""
    box = assemble(d)
    neighbours = {n: {a: assemble_lever(d, n, a) for a in (d.up, d.down)} for n in (2, d.levers - 1)}
    for number in (1, d.levers):
        moved = (f"lever {number}", f"finger {number}", f"staple {number}", f"switch lever {number}")
        # only what lies within a lever's reach
        near = block(
            (d.bay_left(number) - d.rib, d.axle_y - 60, d.axle_z - 60),
            (d.bay_left(number) + d.bay + d.rib, d.axle_y + 60, d.axle_z + 60),
        )
        others = [
            replace(i, solid=i.solid ^ near)
            for i in box.items
            if i.name not in moved and abs((i.lever or 99) - number) > 1 and overlap(i.solid, near)
        ]
        beside = neighbours[2 if number == 1 else d.levers - 1]
        seen: set[str] = set()
        count = round((d.down - d.up + 2 * past) / step)
        for k in range(count + 1):
            angle = d.up - past + k * (d.down - d.up + 2 * past) / count
            body = assemble_lever(d, number, angle)
            finger = printed.finger(d, number, angle)
            _, lever = switch_solid(d, number, angle)
            solids = (body, finger, printed.detent(d, number, angle), lever)
            mine = [Item(name, solid, 0, ()) for name, solid in zip(moved, solids, strict=True)]
            for one in mine:
                for other in [*others, *(i for i in mine if i.name > one.name)]:
                    if not _cuts(one, other):
                        continue
                    stop = "rod up" if angle < d.up else "rod down" if angle > d.down else ""
                    key = f"{one.name} {other.name}"
                    if key == f"{moved[0]} {stop}" or key in seen:
                        continue
                    seen.add(key)
                    yield f"sweep: {one.name} meets {other.name} at {angle:.1f} degrees"
            for end, solid in beside.items():
                if overlap(body + finger, solid) > _NOTHING:
                    yield f"sweep: lever {number} at {angle:.1f} degrees meets its neighbour at {end:g}"
        if d.pressed(d.down)[0] > d.micro.operates - d.micro.spread:
            yield f"switch: nothing presses switch {number} when its tile is down"
        if d.pressed(d.up)[0] < d.micro.free:
            yield f"switch: switch {number} is pressed although its tile is up"
        for angle, stop in ((d.up - 2.0, "rod up"), (d.down + 2.0, "rod down")):
            if overlap(assemble_lever(d, number, angle), box.item(stop).solid) < _NOTHING:
                yield f"stop: nothing stops lever {number} at {angle:.1f} degrees"


def assemble_lever(d: Dimensions, number: int, angle: float) -> Manifold:
    """Return a lever's printed part, in place at *angle*."""
    return at_axis(printed.lever_body(d, number), angle, d.axle_y, d.axle_z)


def check_beer(d: Dimensions) -> Iterator[str]:
    """Check that what drips through the gaps beside a tile misses the switch."""
    box = assemble(d, dict.fromkeys(range(1, d.levers + 1), d.up))
    for n in range(1, d.levers + 1):
        switch = box.item(f"switch {n}").solid + box.item(f"switch lever {n}").solid
        left, _, _, right, _, _ = switch.bounding_box()
        # a tile pushed to one side opens the gap on the other
        open_to = (d.bay_left(n) + 2 * d.side_gap, d.bay_left(n) + d.bay - 2 * d.side_gap)
        for side, covered in (("left", left - open_to[0]), ("right", open_to[1] - right)):
            if covered < 1.0:
                where = f"beside the gap on the {side} of its tile"
                yield f"beer: switch {n} lies {covered:.1f} mm {where}; 1 is needed"


def check_gaps(d: Dimensions, step: float = 2.5) -> Iterator[str]:
    """Check the gaps in front of, behind and beside a tile throughout its travel."""
    profile = printed.lever_profile(d)
    widest = {"in front of": 0.0, "behind": 0.0}
    at = dict.fromkeys(widest, 0.0)
    narrowest = 99.0
    count = round((d.down - d.up) / step)
    for k in range(count + 1):
        angle = d.up + k * (d.down - d.up) / count
        turned = profile.rotate(angle)
        opening = {"in front of": 2 * d.slot, "behind": 2 * d.slot}
        for j in range(9):
            z = d.plate * (j + 0.5) / 9
            line = turned ^ CrossSection.square((200, 0.02)).translate((-100, z))
            if line.is_empty():
                continue
            low, _, high, _ = line.bounds()
            opening["in front of"] = min(opening["in front of"], low + d.slot)
            opening["behind"] = min(opening["behind"], d.slot - high)
        for side, wide in opening.items():
            narrowest = min(narrowest, wide)
            if wide > widest[side]:
                widest[side], at[side] = wide, angle
    for side, wide in widest.items():
        if wide > GAP:
            yield f"gap: {wide:.1f} mm are open {side} a tile at {at[side]:.0f} degrees; {GAP:g} are allowed"
    if 2 * d.side_gap > GAP:
        yield f"gap: {2 * d.side_gap:.1f} mm are open beside a tile; {GAP:g} are allowed"
    if narrowest < 0.4:
        yield f"gap: a tile comes as near as {narrowest:.1f} mm to the plate: it would rub"


def check_springs(d: Dimensions) -> Iterator[str]:
    """Check that the springs have room to bend, and enough plastic to hold them."""
    from hwtools.box import tolerances

    bend = tolerances.most_bent(d)
    if bend > d.finger_bend:
        yield f"spring: a finger may bend by {bend:.1f} mm; its slot has room for {d.finger_bend:g} mm"
    far = d.detent_y(d.notch)
    rib = printed.bank(d)
    n = d.levers
    for x, side in ((d.bay_left(n) - 0.3, "left"), (d.bay_left(n) + d.bay - 0.2, "right")):
        back = rod((x, d.axle_y + far, d.axle_z + d.detent_z), (1, 0, 0), 0.5, d.detent_wire, 16)
        if overlap(back, rib) > 0.05:
            yield f"spring: the {side} leg of a staple has no room to give way to the drum"
    if d.rib - 2 * d.detent_groove < THIN - 1e-6:
        left = d.rib - 2 * d.detent_groove
        yield f"spring: {left:.1f} mm of rib are left between two staples; {THIN:g} are needed"


# --- printing -------------------------------------------------------------------------------------------


def _flat(solid: Manifold) -> Manifold:
    x, y, z, *_ = solid.bounding_box()
    return solid.translate((-x, -y, -z))


def lay_on_bed(d: Dimensions) -> dict[str, Manifold]:
    """Return every printed part as it lies on the bed."""
    over = (180, 0, 0)
    found = {
        "body": printed.body(d).rotate(over),
        "base": printed.base(d),
        "bank": printed.bank(d).rotate(over),
        "bezel": printed.bezel(d).rotate(over),
        "clamp": printed.clamp(d, 1),
        "switch-spacer-left": printed.spacers(d, 1)[0].rotate((0, 90, 0)),
        "switch-spacer-right": printed.spacers(d, 1)[1].rotate((0, 90, 0)),
        "spout": printed.spout(d).rotate(over),
        "tray": printed.tray(d),
        **{f"lever-{n}": printed.lever(d, n) for n in range(1, d.levers + 1)},
    }
    if d.wooden:
        del found["body"], found["base"]
    return {name: _flat(solid) for name, solid in found.items()}


def count_pieces(d: Dimensions, name: str) -> int:
    """Return how many pieces of a printed part a box needs."""
    return {"clamp": 2, "switch-spacer-left": d.levers, "switch-spacer-right": d.levers}.get(name, 1)


def check_printing(d: Dimensions) -> Iterator[str]:
    """Check that every part is one closed piece, fits the bed, needs no supports and is thick enough."""
    for name, solid in lay_on_bed(d).items():
        if name.startswith("lever-") and name not in ("lever-1", f"lever-{d.levers}"):
            continue
        if solid.is_empty() or solid.volume() <= 0 or len(solid.decompose()) != 1:
            yield f"print: {name} is not one closed solid"
            continue
        *_, x, y, z = solid.bounding_box()
        for bed in BEDS:
            if not any(a <= bed[0] and b <= bed[1] and z <= bed[2] for a, b in ((x, y), (y, x))):
                yield f"bed: {name} of {x:.0f} x {y:.0f} x {z:.0f} mm does not fit {bed[0]:g} x {bed[1]:g}"
        yield from check_overhangs(name, solid)
        yield from _thin(name, solid)


def check_overhangs(name: str, solid: Manifold, layer: float = 0.5) -> Iterator[str]:
    """Check that a part on the bed has no ledge or bridge that needs support."""
    high = solid.bounding_box()[5]
    below = solid.slice(0.2)
    z = 0.2 + layer
    while z < high:
        here = solid.slice(z)
        new = here - below.offset(layer + 0.15)
        for part in new.decompose() if not new.is_empty() else ():
            if part.area() < 0.5 or (part - below.offset(LEDGE)).area() < 0.5:
                continue
            x0, y0, x1, y1 = part.bounds()
            held = (part.offset(1.2) ^ below).hull()
            if min(x1 - x0, y1 - y0) <= BRIDGE and (part - held.offset(0.3)).area() < 0.15 * part.area():
                continue
            size = f"{x1 - x0:.0f} x {y1 - y0:.0f} mm"
            yield f"overhang: {name} has a ceiling of {size}, {z:.0f} mm over the bed"
        below = here
        z += layer


def _thin(name: str, solid: Manifold) -> Iterator[str]:
    worst = 0.0
    where = ""
    for axis, turn in (("z", (0, 0, 0)), ("x", (0, -90, 0)), ("y", (90, 0, 0))):
        turned = _flat(solid.rotate(turn))
        high = turned.bounding_box()[5]
        for k in range(24):
            area = turned.slice(high * (k + 0.37) / 24)
            lost = area - area.offset(-THIN / 2 + 0.02).offset(THIN / 2 + 0.03)
            for part in lost.decompose() if not lost.is_empty() else ():
                x0, y0, x1, y1 = part.bounds()
                long = max(x1 - x0, y1 - y0)
                if part.area() > 0.8 and long > 2.5 and long > worst:
                    worst, where = long, f"across {axis} at {high * (k + 0.37) / 24:.0f} mm"
    if worst:
        yield f"thin: {name} is thinner than {THIN:g} mm over {worst:.1f} mm, {where}"


# --- putting together -----------------------------------------------------------------------------------


def _way(path: Iterable[Point], pace: float = 3.0) -> Iterator[Point]:
    x = y = z = 0.0
    for dx, dy, dz in path:
        length = max(abs(dx), abs(dy), abs(dz))
        count = max(1, round(length / (pace if length < 150 else 10.0)))
        for k in range(1, count + 1):
            yield x + dx * k / count, y + dy * k / count, z + dz * k / count
        x, y, z = x + dx, y + dy, z + dz


def _blocked(what: str, moving: list[Item], still: list[Item], path: Iterable[Point]) -> Iterator[str]:
    """Yield the first thing in the way, if any."""
    for shift in _way(path):
        for mine in moving:
            solid = mine.solid if mine.relaxed is None else mine.relaxed
            there = replace(mine, solid=solid.translate(shift))
            for other in still:
                if mine.relaxed is not None and other.lever:
                    continue  # it gives way
                volume = _cuts(there, other)
                if volume > 1.0:
                    away = max(abs(v) for v in shift)
                    yield f"{what}: {mine.name} meets {other.name} {away:.0f} mm before its place"
                    return


def check_assembling(d: Dimensions) -> Iterator[str]:
    """Check that each part gets to its place and each group onto the next, in the guide's order."""
    boxes = {
        angle: assemble(d, dict.fromkeys(range(1, d.levers + 1), angle)) for angle in {15.0, d.up, d.down}
    }
    for step, name in enumerate(STEPS):
        angle = {"levers": 15.0, "detents": 15.0, "switches": d.up}.get(name, d.down)
        box = boxes[angle]
        for item in box.items:
            if item.step != step or not item.path or item.lever > 1:
                continue
            if re.fullmatch(r"(switch( lever| spacer \w+)?|staple) ([3-9]|1\d)", item.name):
                continue  # like the second
            still = [
                i for i in _present(box, step, before=item.name) if not (item.lever and i.lever == item.lever)
            ]
            yield from _blocked(f"order: step {name}", [item], still, item.path)
    box = boxes[d.down]
    shell = [i for i in box.items if i.group == "shell" and i.step < STEPS.index("closing")]
    bank = [i for i in box.items if i.group == "bank"]
    below = [i for i in box.items if i.group == "base"]
    yield from _check_display(box)
    bank_less = [i for i in shell if i.step <= STEPS.index("deck")]
    yield from _blocked("order: the bank into the deck, tiles down", bank, bank_less, [(0, 0, 90)])
    upper = _unlocked(d, [*shell, *bank])
    yield from _blocked("order: closing the box", upper, below, [(0, 3, 0), (0, 0, 100)])


def _check_display(box: Assembly) -> Iterator[str]:
    """Check that bezel and module, put together, go into the deck's opening from above."""
    module = [i for i in box.items if i.step == STEPS.index("display")]
    deck = [i for i in box.items if i.step == STEPS.index("deck") and "screw" not in i.name]
    yield from _blocked("order: the display onto the deck", module, deck, [(0, 0, 60)])


def find_largest_module(d: Dimensions, step: float = 0.5) -> tuple[float, float]:
    """Find the largest display board that goes into the box, by trying ever larger ones.

    Args:
        d: the box; its own module, which must fit, is where it begins.
        step: how much larger each board is, in mm.

    Returns:
        Width and height in mm.

    Raises:
        ValueError: the widest and the highest board are two that fit, but not one.
    """

    def fits(board: tuple[float, float]) -> bool:
        module = replace(d.display, board=(*board, d.display.board[2]))
        box = assemble(replace(d, display=module))
        mine = [i for i in box.items if i.step == STEPS.index("display")]
        cut = any(_cuts(a, b) for a in mine for b in box.items if a is not b)
        return not cut and not any(_check_display(box))

    wide, high = d.display.board[:2]
    while fits((wide + step, d.display.board[1])):
        wide += step
    while fits((d.display.board[0], high + step)):
        high += step
    if not fits((wide, high)):
        raise ValueError(f"{wide:g} mm of width and {high:g} mm of height fit, but not together")
    return wide, high


def _unlocked(d: Dimensions, items: Iterable[Item]) -> list[Item]:
    """Return the items with the lock's cam turned to open."""
    cam = printed.lock(d, locked=False)["lock cam"]
    return [replace(i, solid=cam) if i.name == "lock cam" else i for i in items]


def check_opening(d: Dimensions) -> Iterator[str]:
    """Check that a closed box opens: felt and spout out, shell off and behind the base, leads plugged in."""
    box = assemble(d)
    late = STEPS.index("closing")
    for name in ("felt", "spout"):
        mine = box.item(name)
        still = [i for i in box.items if i.name != name and not (name == "spout" and i.name == "felt")]
        yield from _blocked("open", [mine], still, mine.path)
    # the shell comes off the way it came on
    upper = _unlocked(d, (i for i in box.items if i.group in ("shell", "bank") and i.step < late))
    below = [i for i in box.items if i.group == "base" and i.name != "levers' leads"]
    for mine in upper:
        turned = opened(d, mine.solid)
        if turned.bounding_box()[2] < FOOT - 0.1:
            yield f"open: {mine.name} is below the bar when the shell stands behind the base"
        for other in below:
            if overlap(turned, other.solid) > _NOTHING:
                yield f"open: {mine.name} meets {other.name} when the shell stands behind the base"
    for plug, ways in leads(box).items():
        for way in ways:
            long = sum(math.dist(a, b) for a, b in pairwise(way)) * SLACK + LOOSE_ENDS
            if long > 1000 * LENGTHS[plug]:
                yield f"open: the lead of {plug} needs {long:.0f} mm, it has {1000 * LENGTHS[plug]:.0f} mm"


def check_holding(d: Dimensions) -> Iterator[str]:
    """Check that a locked shell can't be lifted at the front or back, or slid off its tongues."""
    made = wooden if d.wooden else printed
    body, lock, base = made.body(d), printed.lock(d)["lock cam"], made.base(d)
    if overlap(lock.translate((0, 0, 3)), base) < 1.0:
        yield "lock: nothing holds the front of the shell down"
    if overlap(body.translate((0, 0, 3)), base) < 1.0:
        yield "lock: nothing holds the back of the shell down"
    if overlap(lock.translate((0, 2, 0)), base) < 1.0:
        yield "lock: the locked shell slides off its tongues"


def find_faults(d: Dimensions, *, levers: bool = True) -> list[str]:
    """Return all of a box's faults; leave out *levers* if another box has the same ones."""
    from hwtools.box import tolerances

    box = assemble(d)
    found = [
        *check_collisions(box),
        *check_screws(box),
        *check_assembling(d),
        *check_holding(d),
        *check_opening(d),
    ]
    if levers:
        found += [
            *check_sweep(d),
            *check_gaps(d),
            *check_springs(d),
            *check_beer(d),
            *check_printing(d),
            *tolerances.check_tolerances(d),
        ]
    return [*found, *(wooden.check_plates(d) if d.wooden else ())]
