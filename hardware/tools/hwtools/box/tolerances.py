"""What play, the switch's spread and a printer's errors do to a lever: worst corners and a Monte Carlo.

All figures below vary within their ranges at once. The extremes are found at the corners of the ranges, where
the worst sum of errors is, and among random boxes, which also show how rare they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hwtools.box.dimensions import Dimensions

Numbers: TypeAlias = "NDArray[np.float64]"

#: Ranges of what varies, in mm unless it says otherwise. A switch's own spread is in SWITCHES.
RANGES: dict[str, tuple[float, float]] = {
    "operating position": (-1.0, 1.0),  # share of the data sheet's spread
    "operating force": (0.3, 1.0),  # share of the data sheet's greatest
    "switch's free position": (-1.0, 0.0),  # 2 mm below the data sheet's greatest, up to it
    "overtravel": (1.0, 1.5),  # share of the data sheet's least
    "switch's lever, its end": (-0.4, 0.4),  # data sheet: what has no tolerance of its own
    "switch's lever, its hinge": (-0.95, 0.95),  # not on the drawing
    "finger in its slot": (-0.3, 0.3),  # at its tip
    "plastic's creep": (0.0, 0.3),  # at the tip of a finger: its slot gives way under the load of years
    "wire's thickness": (-0.02, 0.02),
    "wire's modulus, N/mm2": (175_000.0, 195_000.0),  # stainless spring wire 1.4310
    "switch's holes in the rib": (-0.2, 0.2),
    "stop's hole in the rib": (-0.2, 0.2),
    "axle in its holes": (-0.15, 0.15),  # bore 3.3, holes 3.2, rod 3.0
    "switch on its rods": (-0.2, 0.2),  # holes 2.4 and 2.2, rods 2.0
    "rib to rib": (-0.2, 0.2),
    "lever's width": (-0.2, 0.2),
    "drum's radius": (-0.2, 0.2),
    "staple in its groove": (-0.2, 0.2),  # at its back
}
#: How close a finger ends up that's bent by hand until its switch clicks, whatever else is off.
BY_HAND = (-0.3, 0.3)
#: Strength of 1.4310 spring wire in N/mm², up to a thickness in mm (EN 10270-3, normal strength).
_STRENGTH = ((0.65, 2000.0), (0.8, 1950.0), (1.0, 1900.0), (1.25, 1850.0), (1.5, 1800.0))
#: Bent to this share of its strength, a wire survives a million bends (torsion springs, not shot-peened).
FATIGUE = 0.5
#: Shear modulus of the same wire in N/mm².
_SHEAR = 71_000.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Margins of many boxes, in mm, N mm or N; a negative one is a fault."""

    name: str
    unit: str
    margin: Numbers


def strength(diameter: float) -> float:
    """Return a wire's tensile strength in N/mm²; ValueError if it's too thick for the table."""
    for thickest, found in _STRENGTH:
        if diameter <= thickest:
            return found
    raise ValueError(f"spring wire of {diameter:g} mm: up to {_STRENGTH[-1][0]:g} mm are known")


def _wire(diameter: Numbers) -> Numbers:
    """Return a wire's second moment of area in mm⁴."""
    return np.asarray(np.pi * diameter**4 / 64)


def _finger(d: Dimensions, v: Mapping[str, Numbers]) -> Numbers:
    """Return the finger's stiffness at its tip in N/mm: the wire bends, and twists as its tip is off-axis."""
    area = _wire(d.micro.wire + v["wire's thickness"])
    length = d.finger_length
    aside = d.switch_at + d.micro.case[0] / 2 - d.side_gap - d.finger_at
    return np.asarray(
        1
        / (
            length**3 / (3 * v["wire's modulus, N/mm2"] * area)
            + aside**2 * length / (_SHEAR * 2 * area)
            + aside**3 / (3 * v["wire's modulus, N/mm2"] * area)
        )
    )


def _pressing(d: Dimensions, v: Mapping[str, Numbers]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return the tip's travel past the operating position, the switch's force, overtravel, and stiffness."""
    micro = d.micro
    end = micro.lever_end + v["switch's lever, its end"]
    hinge = micro.hinge[0] + v["switch's lever, its hinge"]
    share = (d.touched_at - hinge) / (end - hinge)
    if micro.set_by_hand:
        error = np.asarray(BY_HAND[0] + (BY_HAND[1] - BY_HAND[0]) * (v["finger in its slot"] / 0.6 + 0.5))
        error = error + v["plastic's creep"]
    else:
        # the stop's error is magnified at the tip
        error = np.asarray(
            v["finger in its slot"]
            + v["plastic's creep"]
            + v["switch's holes in the rib"]
            + v["axle in its holes"]
            + v["switch on its rods"]
            + v["stop's hole in the rib"] * d.finger_tip / d.stop_radius
            - (v["operating position"] * micro.spread + micro.operates - micro.hinge[1]) * share
            + (micro.operates - micro.hinge[1]) * micro.share(d.touched_at)
        )
    force = v["operating force"] * micro.force / share
    return d.switch_reach - error, force, v["overtravel"] * micro.overtravel * share, _finger(d, v)


def calculate_margins(d: Dimensions, v: Mapping[str, Numbers]) -> list[Outcome]:
    """Return the margins of boxes with these deviations."""
    micro = d.micro
    past, force, overtravel, finger = _pressing(d, v)
    # at the end of its travel the switch is stiff, so the wire takes the rest
    bend = np.maximum(past - overtravel, force / finger)
    thickness = micro.wire + v["wire's thickness"]
    stress = finger * bend * d.finger_length * thickness / 2 / _wire(thickness)
    push = finger * bend * d.finger_tip
    # touched from the front: when the tip reaches the free lever's end, it's below that end
    free = micro.free + 2.0 * v["switch's free position"]
    hinge = micro.hinge[0] + v["switch's lever, its hinge"]
    length = np.hypot(micro.lever_end + v["switch's lever, its end"] - hinge, micro.operates - micro.hinge[1])
    end = d.switch_low + hinge + np.sqrt(length**2 - (free - micro.hinge[1]) ** 2)
    radius = float(np.hypot(d.finger_tip, d.finger_side)) + v["axle in its holes"]
    error = (
        v["finger in its slot"]
        + v["plastic's creep"]
        + v["switch on its rods"]
        + v["switch's holes in the rib"]
    )
    reached = d.switch_y - free - micro.wire / 2 + error
    tip = -np.sqrt(radius**2 - reached**2) + micro.wire / 2
    away = d.switch_y - free - d.tip(d.up)[0] - micro.wire / 2 - np.abs(error) - 0.3
    # the detent: two legs, and the back between them
    staple = d.detent_wire + v["wire's thickness"]
    stiffness = v["wire's modulus, N/mm2"] * _wire(staple)
    across = d.bay + 2 * d.detent_groove
    spring = 1 / (d.detent_free**3 / (6 * stiffness) + across**3 / (48 * stiffness))
    lean = np.sin(
        np.radians(d.detent_at)
    )  # the drum pushes it out along its radius; it gives way to the back
    preload = d.detent_preload + v["staple in its groove"] + v["drum's radius"] - v["plastic's creep"]
    aside = d.notch_rest + (v["stop's hole in the rib"] + v["axle in its holes"]) * d.drum / d.stop_radius
    far = d.drum + d.detent_wire / 2

    def torque(u: Numbers) -> Numbers:
        rise, slope = _notch(d, u)
        return np.asarray(spring * (preload + rise / lean) / lean * slope * far)

    hold = torque(np.asarray(aside))
    # the crest that a player's finger on the tile has to overcome
    peak = np.max([torque(np.full_like(preload, u)) for u in np.linspace(0.8, 2.6, 10)], axis=0)
    most = spring * (preload + d.notch / lean)
    leg = most / 2 * d.detent_free * staple / 2 / _wire(staple)
    return [
        Outcome("contact is made with the tile down", "mm", past - force / finger - 0.1),
        Outcome("the finger meets the switch's lever from the front", "mm", end - tip - 0.3),
        Outcome("the switch is free with the tile up", "mm", away),
        Outcome("the finger bears a million flips", "N/mm2", FATIGUE * strength(micro.wire) - stress),
        Outcome("the finger has room in its slot", "mm", np.asarray(d.finger_bend - bend)),
        Outcome("the detent holds the tile down against the switch", "N mm", hold - push),
        Outcome("the detent bears a million flips", "N/mm2", FATIGUE * strength(d.detent_wire) - leg),
        Outcome("a child's finger flips the tile: 6 N at most", "N", 6.0 - (peak + push) / (d.handle - 5)),
        Outcome(
            "the tile does not jam between its ribs",
            "mm",
            2 * (d.side_gap - d.detent_wire + d.detent_groove) + v["rib to rib"] - v["lever's width"] - 0.05,
        ),
        Outcome(
            "the drum does not rub on the plate",
            "mm",
            d.drum_gap - v["drum's radius"] - np.abs(v["axle in its holes"]) - 0.2 - 0.1,
        ),
        Outcome(
            "the gap before the tile stays within 2 mm",
            "mm",
            2.0 - (d.drum_gap - v["drum's radius"] + 0.2 + np.abs(v["axle in its holes"])),
        ),
    ]  # fmt: skip


def _notch(d: Dimensions, u: Numbers) -> tuple[Numbers, Numbers]:
    """Return rise and slope of the staple's path, *u* away from a notch's middle."""
    hollow, edge = d.notch_hollow, d.notch_edge
    steepest = np.arccos(1 - d.notch / (hollow + edge))
    wide = (hollow + edge) * np.sin(steepest)
    u = np.clip(np.abs(u), 0.0, wide)
    inside = u <= hollow * np.sin(steepest)
    low = np.arcsin(np.clip(u / hollow, 0, np.sin(steepest)))
    high = np.arcsin(np.clip((wide - u) / edge, 0, np.sin(steepest)))
    rise = np.where(inside, hollow * (1 - np.cos(low)), d.notch - edge * (1 - np.cos(high)))
    return rise, np.where(inside, np.tan(low), np.tan(high))


def most_bent(d: Dimensions) -> float:
    """Return how far a finger's tip bends at worst, in mm."""
    v = _corners()
    past, force, overtravel, finger = _pressing(d, v)
    return float(np.max(np.maximum(past - overtravel, force / finger)))


def count_slips(d: Dimensions, count: int = 1000) -> int:
    """Return on how many of *count* random switches the finger's tip slips behind the free lever.

    The margin above is a formula; this turns each tile step by step until tip and lever meet.
    """
    v, micro = _random(count), d.micro
    free = micro.free + 2.0 * v["switch's free position"]
    start = micro.hinge[0] + v["switch's lever, its hinge"]
    length = np.hypot(micro.lever_end + v["switch's lever, its end"] - start, micro.operates - micro.hinge[1])
    lean = np.arcsin((free - micro.hinge[1]) / length)
    error = (
        v["finger in its slot"]
        + v["plastic's creep"]
        + v["switch on its rods"]
        + v["switch's holes in the rib"]
    )
    met = np.zeros(count, dtype=bool)
    missed = np.zeros(count, dtype=bool)
    for angle in np.arange(d.up, d.down, 0.1):
        y, z = d.tip(float(angle))
        out = d.switch_y - (y + error) - micro.hinge[1]  # over the hinge's height
        along = z + v["axle in its holes"] - d.switch_low - start
        # along the lever, and in front of its outer face
        at, before = along * np.cos(lean) + out * np.sin(lean), out * np.cos(lean) - along * np.sin(lean)
        meets = ~met & ~missed & (before <= micro.wire / 2)
        missed |= meets & (at > length)
        met |= meets & (at <= length)
    return int(missed.sum())


def _corners() -> dict[str, Numbers]:
    """Return every combination of least and greatest."""
    grid = np.array(list(itertools.product((0, 1), repeat=len(RANGES))), dtype=np.float64).T
    return {n: low + (high - low) * row for (n, (low, high)), row in zip(RANGES.items(), grid, strict=True)}


def _random(count: int) -> dict[str, Numbers]:
    chance = np.random.default_rng(1)
    return {name: chance.uniform(low, high, count) for name, (low, high) in RANGES.items()}


def find_worst_margins(d: Dimensions) -> list[dict[str, object]]:
    """Return each outcome's least margin, the combination behind it, and its 0.1 % quantile."""
    corners = _corners()
    at_corners, at_random = calculate_margins(d, corners), calculate_margins(d, _random(20_000))
    found: list[dict[str, object]] = []
    for corner, chance in zip(at_corners, at_random, strict=True):
        margin = np.broadcast_to(corner.margin, next(iter(corners.values())).shape)
        k = int(margin.argmin())
        # only name figures that make a difference when moved to their other end
        cause = {}
        for position, name in enumerate(RANGES):
            other = k ^ (1 << (len(RANGES) - 1 - position))
            if abs(float(margin[other] - margin[k])) > 1e-6:
                cause[name] = round(float(corners[name][k]), 2)
        spread = np.broadcast_to(chance.margin, (20_000,))
        found.append(
            {
                "check": corner.name,
                "unit": corner.unit,
                "worst": round(float(margin[k]), 2),
                "one in 1000": round(float(np.quantile(spread, 0.001)), 2),
                "usual": round(float(np.median(spread)), 2),
                "combination": cause,
            }
        )
    return found


def check_tolerances(d: Dimensions) -> Iterator[str]:
    """Check that no combination loses contact, jams or breaks anything."""
    lost = count_slips(d)
    if lost:
        yield f"switch: the finger gets behind the lever of {lost} of 1,000 random switches"
    for row in find_worst_margins(d):
        if float(str(row["worst"])) < 0:
            short = f"{-float(str(row['worst'])):g} {row['unit']}"
            yield f"tolerance: {row['check']}: short of it by {short} with {row['combination']}"
