"""What play, the switch's own spread and a printer's error do to a lever: worst corners and a Monte Carlo.

Every figure below moves within its range at once. The extremes are found twice: at the corners of the ranges,
where the worst of a sum of such errors lies, and among random boxes, which also says how rare they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hwtools.box.dimensions import Dimensions

__all__ = ["RANGES", "Outcome", "faults", "outcomes", "worst"]

Numbers: TypeAlias = "NDArray[np.float64]"

#: Least and greatest of what varies, in mm, N or as named.
RANGES: dict[str, tuple[float, float]] = {
    "operating position": (-0.8, 0.8),  # data sheet, around 8.8
    "operating force, N": (0.1, 0.49),  # data sheet: at most 0.49
    "overtravel": (1.2, 1.8),  # data sheet: at least 1.2
    "finger, printed": (-0.2, 0.2),  # where its tip comes out, towards the switch
    "finger's thickness": (-0.05, 0.05),
    "switch's holes in the rib": (-0.2, 0.2),
    "stop's hole in the rib": (-0.2, 0.2),
    "axle in its holes": (-0.15, 0.15),  # bore 3.3, holes 3.2, rod 3.0
    "switch on its rods": (-0.2, 0.2),  # holes 2.4 and 2.2, rods 2.0
    "rib to rib": (-0.2, 0.2),
    "lever's width": (-0.2, 0.2),
    "drum's radius": (-0.2, 0.2),
    "slot's edge": (-0.2, 0.2),
    "nose, printed": (-0.2, 0.2),
}

#: Stiffness of PETG along its layers in N/mm²; printed, by rule of thumb.
_MODULUS = 2000.0
#: A printed spring may be strained by so much for years.
STRAIN = 0.025


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has to be positive, or is a fault: mm, N mm or a share."""

    name: str
    unit: str
    margin: Numbers


def _spring(width: float, thickness: Numbers | float, length: float) -> Numbers:
    """Stiffness of a leaf held at one end, in N/mm."""
    return np.asarray(3 * _MODULUS * (width * np.asarray(thickness) ** 3 / 12) / length**3)


def outcomes(d: Dimensions, v: Mapping[str, Numbers]) -> list[Outcome]:
    """Return the margins of boxes with these deviations."""
    length = d.finger_tip - d.finger_root
    width = min(d.finger_width, d.lever_width)
    finger = _spring(width, d.finger + v["finger's thickness"], length)
    # the tip's place without a switch, over the line of the switch's holes; the stop's error is magnified
    error = (
        v["finger, printed"]
        + v["switch's holes in the rib"]
        + v["axle in its holes"]
        + v["switch on its rods"]
        + v["stop's hole in the rib"] * d.finger_tip / d.stop_radius
    )
    tip = d.switch_press + error
    operates = d.switch_operates + v["operating position"]
    # contact: the spring gives way by force / stiffness before the switch does
    contact = operates - v["operating force, N"] / finger - tip
    # at the end of its travel the switch is stiff: all else is the spring's
    bend = np.maximum(operates - v["overtravel"] - tip, v["operating force, N"] / finger)
    strain = 1.5 * (d.finger + v["finger's thickness"]) * bend / length**2
    push = finger * bend * d.finger_tip
    # the detent: an arm of some length bends by what is left of the nose's lift where it rests
    lift = d.nose_lift + v["nose, printed"] - v["stop's hole in the rib"]
    both = d.nose + d.rod / 2
    slope = d.nose_rest / both
    rest = np.maximum(lift - both * (1 - np.sqrt(1 - slope**2)), 0.0)
    arm_length = np.radians(104 - d.nose_at) * (d.drum - d.arm_thick / 2)
    arm = _spring(d.lever_width, d.arm_thick, float(arm_length))
    hold = arm * rest * slope / np.sqrt(1 - slope**2) * (d.stop_radius - d.rod / 2)
    arm_strain = 1.5 * d.arm_thick * lift / arm_length**2
    # the peak that a finger on the tile has to overcome
    slopes = np.linspace(0.05, 0.95, 40)[:, None]
    left = np.maximum(lift - both * (1 - np.sqrt(1 - slopes**2)), 0.0)
    peak = (arm * left * slopes / np.sqrt(1 - slopes**2)).max(axis=0) * (d.stop_radius - d.rod / 2)
    force = (peak + push) / (d.handle - 5)
    # up: the tip's way from the switch, by the swing between the stops
    swing = np.radians(d.down - d.up)
    away = tip + d.finger_tip * np.sin(min(float(swing), np.pi / 2))
    return [
        Outcome("contact is made with the tile down", "mm", contact - 0.1),
        Outcome("the switch is free with the tile up", "mm", away - d.switch_free),
        Outcome("the switch's spring is not overstrained", "%", 100 * (STRAIN - strain)),
        Outcome("the detent holds the tile down against the switch", "N mm", hold - push),
        Outcome("the detent's arm is not overstrained", "%", 100 * (STRAIN - arm_strain)),
        Outcome("a child's finger flips the tile: 6 N at most", "N", 6.0 - force),
        Outcome(
            "the tile does not jam between its ribs",
            "mm",
            2 * d.side_gap + v["rib to rib"] - v["lever's width"] - 0.2,
        ),
        Outcome(
            "the drum does not rub on the plate",
            "mm",
            d.drum_gap - v["drum's radius"] + v["slot's edge"] - np.abs(v["axle in its holes"]) - 0.1,
        ),
        Outcome(
            "the gap before the tile stays within 2 mm",
            "mm",
            2.0 - (d.drum_gap - v["drum's radius"] + v["slot's edge"] + np.abs(v["axle in its holes"])),
        ),
    ]  # fmt: skip


def _corners() -> dict[str, Numbers]:
    """Every combination of least and greatest."""
    grid = np.array(list(itertools.product((0, 1), repeat=len(RANGES))), dtype=np.float64).T
    return {n: low + (high - low) * row for (n, (low, high)), row in zip(RANGES.items(), grid, strict=True)}


def _random(count: int) -> dict[str, Numbers]:
    chance = np.random.default_rng(1)
    return {name: chance.uniform(low, high, count) for name, (low, high) in RANGES.items()}


def worst(d: Dimensions) -> list[dict[str, object]]:
    """Return, for each outcome, the least margin, the combination that makes it, and its 0.1 % quantile."""
    corners = _corners()
    at_corners, at_random = outcomes(d, corners), outcomes(d, _random(20_000))
    found: list[dict[str, object]] = []
    for corner, chance in zip(at_corners, at_random, strict=True):
        margin = np.broadcast_to(corner.margin, next(iter(corners.values())).shape)
        k = int(margin.argmin())
        # name only what matters: what makes a difference when it goes to its other end
        cause = {}
        for position, name in enumerate(RANGES):
            other = k ^ (1 << (len(RANGES) - 1 - position))
            if abs(float(margin[other] - margin[k])) > 1e-9:
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


def faults(d: Dimensions) -> Iterator[str]:
    """Every combination keeps contact, jams nowhere, breaks nothing."""
    for row in worst(d):
        if float(str(row["worst"])) < 0:
            short = f"{-float(str(row['worst'])):g} {row['unit']}"
            yield f"tolerance: {row['check']}: short of it by {short} with {row['combination']}"
