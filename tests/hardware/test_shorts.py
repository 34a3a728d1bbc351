"""What a short of two wires does, as the owner's table has it: of today's board, complete, and borne."""

from __future__ import annotations

import shutil

import pytest

from hwtools import shorts
from hwtools.pinout import load

FOUND = shorts.read()


def between(a: str, b: str) -> shorts.Finding:
    return next(f for f in FOUND if set(f.wires) == {a, b})


def test_the_result_is_of_this_board() -> None:
    text = shorts.RESULT.read_text(encoding="utf-8")
    assert shorts.digest() in text, "run make -C hardware shorts"


def test_every_wire_is_beside_every_other() -> None:
    wires = {net for connector in load().connectors for net in connector.pins}
    assert sum(f.pairs for f in FOUND) == len(wires) * (len(wires) - 1) // 2


def test_parts_bear_every_short_that_no_fuse_ends_within_a_plug() -> None:
    for finding in FOUND:
        if finding.plugs and not finding.fuse:
            assert finding.watts <= finding.limit, finding


def test_a_shorted_lamp_or_buzzer_trips_no_fuse_and_its_resistor_bears_it() -> None:
    """What the guide says under Safety."""
    for wires, part in ((("GND", "LAMP_A"), "R5"), (("5V_FUSED", "BUZZER_K"), "R2")):
        finding = between(*wires)
        assert (finding.fuse, finding.part) == ("", part)
        assert finding.watts < 0.7 * finding.limit, "a margin for a warm box"


def test_one_short_alone_may_destroy_the_pi() -> None:
    """The guide names it, and R8 and R9 are there for the others."""
    assert [set(f.wires) for f in FOUND if f.pi] == [{"3V3_FUSED", "5V_FUSED"}]


def test_a_shorted_supply_trips_its_fuse() -> None:
    assert between("5V_FUSED", "GND").fuse == "F1 trips"
    assert between("3V3_FUSED", "GND").fuse == "F2 trips"


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_ngspice_finds_the_same_again() -> None:
    if not shutil.which("ngspice"):
        pytest.skip("NOT CHECKED: no ngspice here")
    assert shorts.differences(FOUND, shorts.findings()) == []
