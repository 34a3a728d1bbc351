"""Puts the whole box together, printed and bought parts down to the last screw, in the guide's order."""

from __future__ import annotations

from dataclasses import dataclass, field

from manifold3d import CrossSection, Manifold

from hwtools.box import printed, wooden
from hwtools.box.dimensions import Dimensions
from hwtools.box.solids import (
    Point,
    at_axis,
    block,
    countersunk,
    joined,
    polygon,
    post,
    prism_x,
    rod,
    rounded,
    wire,
)

#: The steps of docs/build.md in order, and the group each one adds to.
GROUPS = {"levers": "bank", "detents": "bank", "switches": "bank", "display": "shell", "deck": "shell",
           "bank": "shell", "tray": "shell", "base": "base", "electronics": "base", "plugs": "base",
           "bar": "base", "closing": "shell"}  # fmt: skip
STEPS = tuple(GROUPS)

UP: Point = (0.0, 0.0, 1.0)
DOWN: Point = (0.0, 0.0, -1.0)


@dataclass(slots=True)
class Item:
    """A part, printed or bought, in its final place."""

    name: str
    """Unique."""
    solid: Manifold
    step: int
    """When it's added: an index of STEPS."""
    path: tuple[Point, ...]
    """How it gets there, backwards: vectors in mm from its place outwards."""
    part: str = ""
    """Its name in the bill of materials; empty if it's printed."""
    colour: str = "gray"
    lever: int = 0
    """The lever it belongs to, or 0."""
    relaxed: Manifold | None = None
    """The shape of a spring before it's fitted and bends."""

    @property
    def group(self) -> str:
        """What it's attached to and moves with: "bank", "shell" or "base"."""
        return GROUPS[STEPS[self.step]]


@dataclass(frozen=True, slots=True)
class Screw:
    """A screw. Its head seats at *start*; *axis* points from head to tip."""

    name: str
    start: Point
    axis: Point
    length: float
    diameter: float
    head: tuple[float, float]  # diameter, height; a countersunk head has height 0
    into: str  # the item with the thread; empty: the bar under the box
    driver: float  # diameter of the driver's shaft
    step: str
    plastic: bool = False  # cuts its thread into plastic


@dataclass(slots=True)
class Assembly:
    """Every part of a box, in place."""

    dimensions: Dimensions
    items: list[Item] = field(default_factory=list)
    screws: list[Screw] = field(default_factory=list)
    #: Pieces to buy that aren't items, by part.
    extra: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        name: str,
        solid: Manifold,
        step: str,
        *path: Point | float,
        part: str = "",
        colour: str,
        lever: int = 0,
    ) -> None:
        """Add an item at *step*. In *path*, a number means straight up."""
        ways = tuple((0.0, 0.0, way) if isinstance(way, float) else way for way in path)
        self.items.append(Item(name, solid, STEPS.index(step), ways, part, colour, lever))

    def screw(self, part: str, screw: Screw) -> None:
        """Add a screw. Its solid has the thread's core, so it fits a thread but not a wall."""
        wide, high = screw.head
        core = screw.diameter * (0.75 if screw.plastic else 0.96)
        x, y, z = (-a for a in screw.axis)
        if high:
            head = rod(screw.start, (x, y, z), high, wide, 24)
        else:
            head = countersunk(screw.start, screw.axis, (wide - screw.diameter) / 2, wide, screw.diameter)
        shank = rod(screw.start, screw.axis, screw.length, core, 24)
        self.screws.append(screw)
        self.add(
            screw.name, shank + head, screw.step, (x * 40.0, y * 40.0, z * 40.0), part=part, colour="silver"
        )

    def item(self, name: str) -> Item:
        """Return the item called *name*; KeyError if there is none."""
        for item in self.items:
            if item.name == name:
                return item
        raise KeyError(name)

    def bill(self) -> dict[str, int]:
        """Return how many pieces of each part to buy."""
        counted: dict[str, int] = {}
        for item in self.items:
            if item.part:
                counted[item.part] = counted.get(item.part, 0) + 1
        for part, number in self.extra.items():
            counted[part] = counted.get(part, 0) + number
        return dict(sorted(counted.items()))


def assemble(d: Dimensions, angles: dict[int, float] | None = None) -> Assembly:
    """Put the box together.

    Args:
        d: the figures.
        angles: of levers, by number; the others are down.
    """
    box = Assembly(d)
    _levers(box, angles or {})
    _switches(box, angles or {})
    _display(box)
    _deck(box)
    _bank(box)
    _tray(box)
    _base(box)
    _electronics(box)
    _plugs(box)
    box.items.sort(key=lambda item: item.step)  # the order in which they come in
    return box


def _levers(box: Assembly, angles: dict[int, float]) -> None:
    d = box.dimensions
    box.add("bank", printed.bank(d), "levers", colour="dimgray")
    for n in range(1, d.levers + 1):
        angle = angles.get(n, d.down)
        body = at_axis(printed.lever_body(d, n), angle, d.axle_y, d.axle_z)
        below = -90.0
        box.add(f"lever {n}", body, "levers", below, colour="burlywood", lever=n)
        box.add(
            f"finger {n}",
            printed.finger(d, n, angle),
            "levers",
            below,
            part=f"spring wire 1.4310, {d.micro.wire:g} mm: a finger",
            colour="firebrick",
            lever=n,
        )
        box.add(
            f"staple {n}",
            printed.detent(d, n, angle),
            "detents",
            -70.0,
            part=f"spring wire 1.4310, {d.detent_wire:g} mm: a staple",
            colour="darkorange",
        )
        box.items[-1].relaxed = printed.detent(d, n, None)
    _rods(box, "levers")


def _rods(box: Assembly, step: str) -> None:
    """Add a step's rods: those for the switches and under the staples, or all the others."""
    d = box.dimensions
    for name, (y, z, diameter) in printed.bank_rods(d).items():
        if name.startswith("switch") != (step == "switches"):
            continue
        length = d.bank_width + d.rib + 0.4
        start = (d.bank_left - d.rib / 2 - 0.2, d.axle_y + y, d.axle_z + z)
        part = f"stainless rod A2 {diameter:g} mm, {length:.0f} mm"
        solid = rod(start, (1, 0, 0), length, diameter, 24)
        box.add(name, solid, step, (200.0, 0.0, 0.0), part=part, colour="silver")


def switch_solid(d: Dimensions, n: int, angle: float) -> tuple[Manifold, Manifold]:
    """Return a switch's case with its tabs, and its lever, pressed by the tile at *angle*."""
    micro = d.micro
    w, depth, high = micro.case
    x = d.bay_left(n) + d.switch_at
    y, low = d.axle_y + d.switch_y, d.axle_z + d.switch_low
    front = y - micro.top
    case = block((x, front, low), (x + w, front + depth, low + high))
    tabs = [
        block(
            (x + w / 2 - 1.6, front + depth - 0.1, low + high / 2 + dz - 0.25),
            (x + w / 2 + 1.6, front + depth + micro.tabs, low + high / 2 + dz + 0.25),
        )
        for dz in (-8, 0, 8)
    ]
    holes = [rod((x - 1, y, d.axle_z + z), (1, 0, 0), w + 2, micro.hole, 24) for z in d.switch_holes]
    end, _ = d.pressed(angle)
    at, hinge = micro.hinge
    top = micro.end_at(end)
    strip = polygon(
        [
            (y - hinge, low + at),
            (y - end, low + top),
            (y - end + micro.lever_thick, low + top),
            (y - hinge + micro.lever_thick, low + at),
        ]
    )
    lever = prism_x(strip, x + (w - micro.lever_width) / 2, micro.lever_width)
    return joined([case, *tabs]) - joined(holes), lever - case


def _switches(box: Assembly, angles: dict[int, float]) -> None:
    d = box.dimensions
    for n in range(1, d.levers + 1):
        case, lever = switch_solid(d, n, angles.get(n, d.down))
        box.add(f"switch {n}", case, "switches", -60.0, part=f"microswitch {d.micro.name}", colour="black")
        for side, spacer in zip(("left", "right"), printed.spacers(d, n), strict=True):
            name = f"switch spacer {side} {n}"
            box.add(name, spacer, "switches", -60.0, colour="tan")
        box.add(f"switch lever {n}", lever, "switches", -60.0, colour="silver")
    _rods(box, "switches")


def _display(box: Assembly) -> None:
    d = box.dimensions
    module = d.display
    cx, cy = d.bezel_at
    box.add("bezel", printed.bezel(d), "display", colour="saddlebrown")
    z = printed.board_back(d)

    def plate(size: tuple[float, float], thick: float, up: float, low: float) -> Manifold:
        return CrossSection.square(size, True).extrude(thick).translate((cx, cy + up, low))

    pw, ph = printed.window_size(d)
    window = plate((pw, ph), d.window_glass, module.picture_up, d.height)
    part = f"acrylic {pw:.0f} x {ph:.0f} x {d.window_glass:g} mm"
    box.add("window", window, "display", -30.0, part=part, colour="lightblue")
    shown = plate(module.board[:2], module.board[2], 0.0, z)
    shown += plate(module.glass[:2], module.glass[2], module.glass_up, z + module.board[2])
    # its pins at the upper edge, with the sockets of the lead
    edge, half = cy + module.board[1] / 2, module.pins * 2.54 / 2
    shown += block((cx - half, edge - 3, z - 14), (cx + half, edge - 0.4, z))
    box.add("display", shown, "display", -30.0, part=f"display {module.name}", colour="midnightblue")
    for side, name in ((-1, "left"), (1, "right")):
        part, foam = "foam strip 1 mm, self-adhesive, 2 x 40 mm", printed.clamp_foam(d, side)
        box.add(f"clamp foam {name}", foam, "display", -30.0, part=part, colour="black")
        box.add(f"clamp {name}", printed.clamp(d, side), "display", -30.0, colour="saddlebrown")
    for k, (x, y) in enumerate(printed.clamp_holes(d), start=1):
        part = f"screw 2.2x{d.clamp_screw:g}, self-tapping, pan head"
        start = (x, y, printed.clamp_top(d) - d.clamp_bar)
        screw = Screw(
            f"clamp screw {k}", start, UP, d.clamp_screw, 2.2, (4.0, 1.6), "bezel", 5.0, "display", True
        )
        box.screw(part, screw)


def _insert(box: Assembly, name: str, x: float, y: float) -> None:
    d = box.dimensions
    low = d.height - d.deck - d.boss
    solid = post((x, y, low), d.insert, d.insert_hole, 24) - post((x, y, low - 1), d.insert + 2, 3.0, 24)
    box.add(name, solid, "deck", -30.0, part="heat-set insert M3x5.7", colour="gold")


def _deck_screw(box: Assembly, name: str, x: float, y: float, step: str, into: str) -> None:
    d = box.dimensions
    start, into = (x, y, d.height + d.plate - 0.3), "body" if d.wooden else into
    part = f"{'wood screw 3' if d.wooden else 'screw M3'}x{d.deck_screw:g}, countersunk, pin-in-Torx"
    box.screw(part, Screw(name, start, DOWN, d.deck_screw, 3.0, (5.6, 0.0), into, 6.5, step, d.wooden))


def _deck(box: Assembly) -> None:
    d = box.dimensions
    under = d.height - d.deck
    shell = wooden.body(d) if d.wooden else printed.body(d)
    box.add("body", shell, "deck", colour="peru")
    places = printed.deck_screws(d)
    for kind in () if d.wooden else ("bank", "bezel"):
        for k, (x, y) in enumerate(places[kind], start=1):
            _insert(box, f"{kind} insert {k}", x, y)
    for k, (x, y) in enumerate(places["bezel"], start=1):
        _deck_screw(box, f"bezel screw {k}", x, y, "deck", f"bezel insert {k}")
    bx, by = d.button_at
    button = joined(
        [
            post((bx, by, d.height), 5, 33.4),
            post((bx, by, under - 24), d.deck + 24.1, d.button - 0.6),
            post((bx, by, under - 36), 12.5, 20),
        ]
    )
    box.add("button", button, "deck", 60.0, part="roll button 30 mm with nut, 5 V lamp", colour="red")
    nut = post((bx, by, under - 8), 8, 38) - post((bx, by, under - 9), 10, d.button - 0.5)
    box.add("button nut", nut, "deck", -60.0, colour="darkred")
    zx, zy = d.buzzer_at
    buzzer = post((zx, zy, under - d.buzzer_height), d.buzzer_height, d.buzzer)
    legs = [
        block(
            (zx + s * 3.25 - 0.3, zy - 0.3, under - d.buzzer_height - 6),
            (zx + s * 3.25 + 0.3, zy + 0.3, under - d.buzzer_height + 0.1),
        )
        for s in (-1, 1)
    ]
    box.add(
        "buzzer", joined([buzzer, *legs]), "deck", -40.0, part="transducer CUI CEM-1203(42)", colour="black"
    )
    parts = printed.lock(d)
    box.add(
        "lock",
        parts["lock"],
        "deck",
        (0.0, -60.0, 0.0),
        part="cam lock M19, 20 mm long, straight cam of 20 x 10 x 3 mm",
        colour="silver",
    )
    box.add("lock nut", parts["lock nut"], "deck", (0.0, 18.0, 0.0), -60.0, colour="silver")
    box.add("lock cam", parts["lock cam"], "deck", (0.0, 2.0, 0.0), -60.0, colour="silver")


def _bank(box: Assembly) -> None:
    for k, (x, y) in enumerate(printed.deck_screws(box.dimensions)["bank"], start=1):
        _deck_screw(box, f"bank screw {k}", x, y, "bank", f"bank insert {k}")


def _tray(box: Assembly) -> None:
    d = box.dimensions
    x0, y0, x1, y1 = d.tray
    top = d.height - d.deck
    box.add("tray", printed.tray(d), "tray", -80.0, colour="tan")
    ring = rounded(x1 - x0, y1 - y0, 5).translate((x0, y0))
    ring = ring.offset(-0.3) - ring.offset(-d.tray_wall)
    box.add(
        "gasket",
        ring.extrude(d.gasket).translate((0, 0, top - d.gasket)),
        "tray",
        part="foam tape 2 mm, double-sided, 2 mm wide, 0.45 m",
        colour="black",
    )
    box.add("spout", printed.spout(d), "closing", 60.0, colour="tan")
    felt = felt_shape(d)
    low = top - d.gasket - d.tray_height + d.tray_wall
    box.add(
        "felt",
        felt.extrude(d.felt).translate((0, 0, low)),
        "closing",
        60.0,
        part=f"felt {x1 - x0 - 5:.0f} x {y1 - y0 - 5:.0f} x {d.felt:g} mm",
        colour="darkgreen",
    )


def felt_shape(d: Dimensions) -> CrossSection:
    """Return the outline of the felt in the tray, with its hole over the drain."""
    x0, y0, x1, y1 = d.tray
    t = d.tray_wall + 0.5
    felt = rounded(x1 - x0 - 2 * t, y1 - y0 - 2 * t, 3).translate((x0 + t, y0 + t))
    return felt - CrossSection.circle(8.5, 48).translate(d.drain_at)


def _base(box: Assembly) -> None:
    d = box.dimensions
    solid = wooden.base(d) if d.wooden else printed.base(d)
    box.add("base", solid, "base", colour="dimgray")
    if d.wooden:
        top = d.height - d.deck - d.gasket - d.tray_height
        box.extra[f"beech dowel {wooden.DOWEL:g} x {top:g} mm"] = len(printed.PILLARS)
        box.extra[f"nylon spacer M2.5x{d.pi_post:g}, no thread"] = 4
    for k, (x, y) in enumerate(printed.FEET, start=1):
        foot = post((x, y, -8), 8, 20) - post((x, y, -9), 10, 5.4)
        part = "rubber foot 20x8 mm with hole 5 mm"
        box.add(f"foot {k}", foot, "bar", -30.0, part=part, colour="black")
        bolt = Screw(f"bolt {k}", (x, y, d.base), DOWN, 40.0, 5.0, (10.0, 4.0), "", 6.0, "bar")
        box.screw("wood screw 5x40, pan head, or M5x40 with nut", bolt)
    foot = post((*printed.STUCK_FOOT, -8), 8, 20)
    part = "rubber foot 20x8 mm, self-adhesive"
    box.add("stuck foot", foot, "bar", -30.0, part=part, colour="black")


def _electronics(box: Assembly) -> None:
    d = box.dimensions
    x, y = d.pi_at
    z = d.base + d.pi_post
    part = "Raspberry Pi 4B (or 3B+, 5, Zero 2 WH)"
    board = block((x, y, z), (x + 85, y + 56, z + 1.4))
    usb = block((x - 2.5, y + 2, z + 1.4), (x + 18, y + 54, z + 17.4))
    power = block((x + 85 - 15.7, y + 49, z + 1.4), (x + 85 - 6.7, y + 57.3, z + 4.6))
    below = block((x + 8, y + 8, z - 2), (x + 70, y + 45, z + 0.1))
    holes = [post((px, py, z - 5), 30, 2.75, 24) for px, py in printed.pi_holes(d)]
    header = block((x + 85 - 58, y + 1, z + 1.3), (x + 85 - 7, y + 6, z + 11.2))
    solid = joined([board, usb, power, below, header]) - joined(holes)
    box.add("Pi", solid, "electronics", 60.0, part=part, colour="green")
    part = "spacer M2.5x11, female-female, hexagonal 5 mm"
    for k, (px, py) in enumerate(printed.pi_holes(d), start=1):
        spacer = post((px, py, z + 1.4), d.spacer, 5.0, 6) - post((px, py, z), 30, 2.5, 24)
        box.add(f"spacer {k}", spacer, "electronics", 60.0, part=part, colour="gold")
    hat_z = z + 1.4 + d.spacer
    hat = block((x + 20, y, hat_z), (x + 85, y + 56.5, hat_z + 1.6))
    hat -= joined(post((px, py, hat_z - 5), 30, 2.75, 24) for px, py in printed.pi_holes(d))
    box.add("board", hat, "electronics", 60.0, part="lever board, fitted", colour="darkgreen")
    ends = {"low": (d.pi_recess, UP, d.pi_screw_low), "high": (hat_z + 1.6, DOWN, d.pi_screw_high)}
    for k, (px, py) in enumerate(printed.pi_holes(d), start=1):
        for end, (level, axis, long) in ends.items():
            name, into, head = f"Pi screw {end} {k}", f"spacer {k}", (4.5, 1.8)
            screw = Screw(name, (px, py, level), axis, long, 2.5, head, into, 5.2, "electronics")
            box.screw(f"screw M2.5x{long:g}, pan head", screw)


#: Plugs of the board: middle x, y from the board's left upper corner, ways along x, ways along y, pitch.
_PLUGS = {
    "J2": (13.2, 52.4, 4, 1),
    "J3": (27.15, 52.4, 4, 1),
    "J4": (41.1, 52.4, 4, 1),
    "J8": (52.35, 52.4, 2, 1),
    "J5": (61.2, 42.25, 1, 4),
    "J6": (61.2, 27.5, 1, 5),
    "J7": (61.2, 14.0, 1, 3),
    "J9": (3.5, 15.5, 1, 4),
    "J11": (3.5, 34.05, 1, 7),
}


def opened(d: Dimensions, solid: Manifold) -> Manifold:
    """Move a part of the shell to where it is when the box is open: on its back wall, behind the base."""
    turned = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, d.depth + OPEN_GAP), (0.0, -1.0, 0.0, _back(d) + FOOT))
    return solid.transform(turned)


#: The open shell stands so far behind the base, and the box so high over the bar.
OPEN_GAP, FOOT = 12.0, -8.0


def _back(d: Dimensions) -> float:
    """Return the outer face of the back wall."""
    return d.depth - d.wall + d.wood if d.wooden else d.depth


def leads(box: Assembly) -> dict[str, list[list[Point]]]:
    """Return each lead's path from its plug to its part in the open shell, one per wire."""
    d = box.dimensions
    x, y = d.pi_at
    z = d.base + d.pi_post + 1.4 + d.spacer + 1.6

    def at(px: float, py: float, pz: float) -> Point:
        return px, d.depth + OPEN_GAP + pz, _back(d) + FOOT - py

    ends: dict[str, list[Point]] = {}
    for n in range(1, d.levers + 1):
        plug = f"J{2 + (n - 1) // 3}"
        tab = d.axle_y + d.switch_y - d.micro.top + d.micro.case[1] + d.micro.tabs
        end = at(d.bay_left(n) + d.switch_at + d.micro.case[0] / 2, tab, d.axle_z + d.switch_z)
        ends.setdefault(plug, []).append(end)
    under = d.height - d.deck
    ends["J6"] = [at(*d.button_at, under - 36)]
    ends["J8"] = [at(*d.buzzer_at, under - d.buzzer_height - 6)]
    cx, cy = d.bezel_at
    ends["J11" if d.spi else "J9"] = [at(cx, cy + d.display.board[1] / 2 - 2, printed.board_back(d) - 14)]
    found: dict[str, list[list[Point]]] = {}
    for plug, places in ends.items():
        bx, by, _, _ = _PLUGS[plug]
        start = (x + 85 - bx, y + by, z + 12)
        over = (start[0], start[1] + 6, z + 22)
        found[plug] = [[start, over, (end[0], end[1] - 12, end[2]), end] for end in places]
    return found


def _plugs(box: Assembly) -> None:
    d = box.dimensions
    x, y = d.pi_at
    z = d.base + d.pi_post + 1.4 + d.spacer + 1.6
    for name, (bx, by, wide, deep) in _PLUGS.items():
        if name == ("J9" if d.spi else "J11") or (name == "J5" and d.levers == 9):
            continue
        px, py = x + 85 - bx, y + by
        w, h = (wide * 2.5 + 2.4) / 2 if wide > 1 else 2.9, (deep * 2.5 + 2.4) / 2 if deep > 1 else 2.9
        solid = block((px - w, py - h, z), (px + w, py + h, z + 14))  # with the bend of its leads
        part = f"plug {'PHR' if name in ('J9', 'J11') else 'XHP'}-{max(wide, deep)}"
        box.add(name, solid, "plugs", 30.0, part=part, colour="ivory")
    box.extra["contact SXH-001T-P0.6"] = 4 * (3 if d.levers == 9 else 4) + 5 + 3 + 2
    box.extra["contact SPH-002T-P0.5S"] = 7 if d.spi else 4
    # the supply's plug, 12 x 7 mm and 28 mm long, and its cable to the tie and out
    ux, uz = x + 85 - 11.2, d.base + d.pi_post + 1.4 + 1.6
    plug = block((ux - 6, y + 57.3, uz - 3.5), (ux + 6, y + 85.3, uz + 3.5))
    box.add("supply plug", plug, "plugs", (0.0, 40.0, 0.0), part="supply 5 V with its lead", colour="black")
    cable = wire([(ux, y + 85, uz), (ux + 4, y + 102, uz - 4), (118, 160, d.base + 2.4),
                  (118, 184, d.base + 2.4),
                  (122.5, 198, d.base + 2.4), (122.5, 214, d.base + 2.4)], 4.5)  # fmt: skip
    box.add("supply cable", cable, "plugs", 40.0, colour="black")
    tie = (
        block((112 - 0.8, 176 - 1.5, -1), (112 + 0.8, 177.5, 8))
        + block((124 - 0.8, 174.5, -1), (124.8, 177.5, 8))
        + block((111.2, 174.5, 7.6), (124.8, 177.5, 9))
    )
    box.add("cable tie", tie, "plugs", 30.0, part="cable tie 3 mm", colour="white")
    # the levers' leads: down from the bank, along the base, up to the plugs
    lead = wire([(60, y + 54, z + 8), (60, y + 72, z + 8), (60, 140, 20), (60, 150, 18)], 6.0)
    box.add("levers' leads", lead, "plugs", 40.0, colour="gray")
    box.extra["wire 0.14 mm2, m"] = 25
