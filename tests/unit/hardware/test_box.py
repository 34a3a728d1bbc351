"""The box: the check's result is of today's model, and the check sees what is wrong on boxes made wrong.

The solids need manifold3d, which `make -C hardware test` brings; without it those tests are skipped.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hwtools.box.dimensions import COUNTS, DISPLAYS, SWITCHES, Dimensions
from hwtools.box.result import RESULT, digest
from hwtools.pinout import HARDWARE

if TYPE_CHECKING:
    from hwtools.box.assembly import Assembly

# solids take their time on a small or busy machine
pytestmark = pytest.mark.timeout(240)
solids = pytest.mark.skipif(
    not importlib.util.find_spec("manifold3d"),
    reason="NOT CHECKED: no manifold3d here: make -C hardware test",
)
REPORT: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8"))


def test_the_check_was_made_of_this_model_and_found_nothing() -> None:
    assert REPORT["model"] == digest(), "the model changed: run make -C hardware box"
    assert set(REPORT["sizes"]) == {str(n) for n in COUNTS}
    assert len(REPORT["faults"]) == 2 * len(COUNTS) + len(DISPLAYS) + len(SWITCHES) - 1 + 2
    assert not any(REPORT["faults"].values())


def test_the_guides_measures_are_the_models() -> None:
    """A maker cuts, glues and buys by these."""
    d, guide = (
        Dimensions(),
        " ".join((HARDWARE.parent / "docs" / "build.md").read_text(encoding="utf-8").split()),
    )
    bill = {**REPORT["bill"]["9"], **REPORT["wooden bill"]}
    (rods,) = {name.partition(", ")[2] for name in bill if name.startswith("stainless rod")}
    (dowels,) = (name.rpartition(" x ")[2] for name in bill if name.startswith("beech dowel"))
    low, most = (d.micro.operates + sign * d.micro.spread for sign in (-1, 1))
    for words in (
        f"each {rods.removesuffix(' mm')} mm long",
        f"stand {dowels} above the underside",
        "at most {:g} x {:g} mm".format(*REPORT["largest module"]),
        f"between {low:.1f} and {most:.1f} mm",
        f"(at most {d.cam[0]:g} mm wide and {d.cam[1]:g} mm thick)",
        f"M2.5x{d.pi_screw_low:g} from below",
        f"{d.spacer:g} mm spacers on top, the board, the M2.5x{d.pi_screw_high:g}",
        f"put {d.micro.wire:g} mm wire between wall and block",
        f"Bend a {d.detent_wire:g} mm staple",
    ):
        assert words in guide, words


def wrong(**figures: Any) -> Dimensions:
    return replace(Dimensions(), **figures)


def of_solids(name: str) -> Callable[[Dimensions], Iterable[str]]:
    """Run one check of hwtools.box.check on a box of these figures."""

    def run(d: Dimensions) -> Iterable[str]:
        from hwtools.box import check, tolerances
        from hwtools.box.assembly import assemble

        if name in ("collisions", "screws"):
            found: Iterable[str] = getattr(check, f"check_{name}")(assemble(d))
        elif name == "tolerances":
            found = tolerances.check_tolerances(d)
        else:
            found = getattr(check, f"check_{name}")(d)
        return found

    return run


#: What is made wrong, the check that has to see it, and what it has to say.
FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "screws too long for their holes": (
        {"clamp_screw": 20.0}, "screws", r"screw: clamp screw 1 comes .* mm out of the box"),
    "a hole too small for the switches' rods": (
        {"switch_hole": 1.6}, "collisions", r"bank cuts into switch rod low"),
    "rods that can't be pushed in": ({"rod_hole": 2.4}, "assembling", r"step levers: axle meets bank"),
    "no hard stop": ({"tail_over": -4.0}, "sweep", r"stop: nothing stops lever 1"),
    "a switch that its tile does not reach": (
        {"switch_reach": -3.0}, "sweep", r"nothing presses switch 1"),
    "a finger that slides in behind the switch's lever": (
        {"switch_end": 2.0}, "tolerances", r"gets behind the lever of \d+ of 1,000"),
    "a slammed tile lands on the microswitch": (
        {"tail_over": 8.0}, "sweep", r"lever 1 meets switch 1"),
    "a body too large for a bed of 220 mm": ({"width": 244.0}, "printing", r"bed: body of 244 x 204"),
    "a slot in which the finger can't bend": (
        {"finger_bend": 2.0}, "springs", r"its slot has room for 2 mm"),
    "a finger that breaks within a million flips": (
        {"switch_reach": 5.0}, "tolerances", r"the finger bears a million flips: short of it"),
    "a switch under the gap beside its tile": (
        {"switch_at": 2.0}, "beer", r"switch 1 lies 0\.4 mm beside the gap"),
    "tiles too loose between the ribs": ({"side_gap": 1.4}, "gaps", r"2\.8 mm are open beside a tile"),
    "a driver that does not reach its screw": (
        {"button_at": (22.0, 150.0)}, "screws", r"button is in the way of the driver of bank screw"),
    "nothing that holds the locked shell": ({"gate": 3.0}, "holding", r"slides off its tongues"),
    "a detent too weak for its switch": (
        {"detent_preload": 0.9}, "tolerances", r"the detent holds the tile down"),
    "a tile that jams when printed 0.2 mm wide": ({"side_gap": 0.2}, "tolerances", r"does not jam"),
}  # fmt: skip


@solids
@pytest.mark.parametrize("what", FAULTS)
def test_fail__the_check_sees(what: str) -> None:
    figures, check, said = FAULTS[what]
    found: list[str] = []
    for fault in of_solids(check)(wrong(**figures)):  # no further than to what is expected
        found.append(fault)
        if re.search(said, fault):
            return
    pytest.fail(f"not seen; found {found[:5]}")


def box(levers: int = 9) -> Assembly:
    from hwtools.box.assembly import assemble

    return assemble(Dimensions(levers=levers))


@solids
def test_fail__leads_too_short_for_the_open_box(monkeypatch: pytest.MonkeyPatch) -> None:
    from hwtools import harness
    from hwtools.box import check

    monkeypatch.setitem(harness.LENGTHS, "J6", 0.25)
    monkeypatch.setitem(harness.LENGTHS, "J9", 0.20)
    found = list(check.check_opening(Dimensions()))
    assert [fault.partition(" needs")[0] for fault in found] == [
        "open: the lead of J6",
        "open: the lead of J9",
    ]


@solids
def test_fail__a_ceiling_cannot_be_printed_without_supports() -> None:
    from hwtools.box import check
    from hwtools.box.solids import block

    def tub(inside: float) -> list[str]:
        solid = block((0, 0, 0), (inside + 4, inside + 4, 20)) - block(
            (2, 2, -1), (inside + 2, inside + 2, 15)
        )
        return list(check.check_overhangs("tub", solid))

    assert tub(15) == []
    (fault,) = tub(38)
    assert fault.startswith("overhang: tub has a ceiling of")


@solids
def test_fail__plywood_thicker_than_the_box_can_take() -> None:
    from hwtools.box import check
    from hwtools.box.assembly import assemble
    from hwtools.box.wooden import wooden

    assert list(check.check_screws(assemble(wooden(wrong(wood=9.0)))))


@solids
def test_fail__a_wooden_plate_that_falls_apart_or_does_not_fit() -> None:
    from hwtools.box import wooden

    found = list(wooden.check_plates(wooden.wooden(wrong(deck_lip=-9.0, width=620.0))))
    assert any("does not fit the sheet" in fault for fault in found), found
    assert any("web narrower" in fault or "falls apart" in fault for fault in found), found


@solids
def test_the_cutting_plan_has_every_plate_once_and_none_on_another() -> None:
    from hwtools.box import cutting, wooden

    found = wooden.plates(wooden.wooden(Dimensions()))
    sheets = cutting.plan(found)
    names = sorted(plate.name for sheet in sheets for plate, _ in sheet)
    assert names == sorted(plate.name for plate in found)
    for sheet in sheets:
        for k, (_, one) in enumerate(sheet):
            x0, y0, x1, y1 = one.bounds()
            assert x0 >= 0
            assert y0 >= 0
            assert x1 <= wooden.SHEET[0]
            assert y1 <= wooden.SHEET[1]
            assert all((one ^ other).is_empty() for _, other in sheet[k + 1 :])


@solids
@pytest.mark.parametrize("levers", COUNTS)
def test_a_wire_lies_in_the_jig_only_if_it_is_right(levers: int) -> None:
    """A staple whose legs lean by 1.5 degrees loses its hold in the grooves, and a tile falls by itself."""
    from hwtools.box import fab
    from hwtools.box.solids import overlap, wire

    d = Dimensions(levers=levers)
    jig = fab.wire_jig(d)
    for kind, (thick, straight, ends) in fab.wires(d).items():
        left, right, low = -thick / 2, straight - thick / 2, fab.JIG[kind]
        front, high = low - thick / 2 - 0.02, thick / 2 + 0.02
        for off in (-1.4, -0.9, 0.0, 0.9, 1.4):
            points = [(left + off, front + ends[0], high), (left, front, high), (right, front, high)]
            bent = wire([*points, (right - off, front + ends[1], high)], thick - 0.02)
            assert (overlap(bent, jig) < 0.02) == (abs(off) < 1), f"{kind}, {off} mm off"


@solids
def test_the_bill_is_counted_from_the_model() -> None:
    for levers in COUNTS:
        bill = box(levers).bill()
        assert bill == REPORT["bill"][str(levers)]
        assert bill["microswitch Omron D2SW-01L1H, sealed"] == levers
        assert bill["screw M3x12, countersunk, pin-in-Torx"] == 8
        assert bill["heat-set insert M3x5.7"] == 8


@solids
def test_left_right_front_and_back_of_the_guide_are_the_models() -> None:
    """Who mounts nine switches the wrong way round finds out when no lever works."""
    from hwtools.box import assembly, printed
    from hwtools.box.assembly import assemble
    from hwtools.box.pictures import view

    guide = " ".join((HARDWARE.parent / "docs" / "build.md").read_text(encoding="utf-8").split())
    for words in (
        "contacts to the back; the narrow spacer with the slope on its left, the wide one on its right",
        "slot on the tile's left side",
        "push the axle, which comes from the right",
        "Push in the two other rods of 3 mm, from the right, in front of and below the axle",
        "header to the front, supply socket to the back",
        "pins to the upper edge",
        "points down when open and right when locked",
        "12 mm behind the base",
        "Keep the 8 mm under the box free",
    ):
        assert words in guide
    box = assemble(Dimensions())

    def middle(name: str) -> tuple[float, ...]:
        low, high = box.item(name).solid.bounding_box()[:3], box.item(name).solid.bounding_box()[3:]
        return tuple((a + b) / 2 for a, b in zip(low, high, strict=True))

    assert middle("switch spacer left 1")[0] < middle("switch 1")[0] < middle("switch spacer right 1")[0]
    narrow, wide = (box.item(f"switch spacer {side} 1").solid.volume() for side in ("left", "right"))
    assert narrow < wide
    assert middle("switch lever 1")[1] < middle("switch 1")[1], "the lever in front, the contacts behind"
    assert middle("finger 1")[0] < middle("lever 1")[0]
    for rod in ("axle", "rod up", "rod down", "switch rod low", "switch rod high", "switch rod back"):
        assert box.item(rod).path[-1][0] > 0, f"{rod} comes from the right"
    for rod in ("rod up", "rod down"):
        assert middle(rod)[1] < middle("axle")[1] or middle(rod)[2] < middle("axle")[2]
    header, supply = middle("board"), middle("supply plug")
    assert header[1] < supply[1]
    assert (assembly.OPEN_GAP, assembly.FOOT) == (12.0, -8.0)
    locked, unlocked = (
        printed.lock(Dimensions(), locked=on)["lock cam"].bounding_box() for on in (True, False)
    )
    assert locked[3] > unlocked[3], "right"
    assert unlocked[2] < locked[2], "down"
    assert view((0.5, -1.0, -0.75)) == "Seen from the front, the right, below"
    assert view((0.3, 1.0, 1.3)) == "Seen from behind, above: here the left is at the right"
