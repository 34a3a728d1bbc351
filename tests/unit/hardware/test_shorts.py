"""What a short of two wires does, as the owner's table has it: of today's board, complete, and borne."""

from __future__ import annotations

import shutil

import pytest

import shorts
from hwtools import kicad
from hwtools.pinout import I2C_RESISTORS, SPI_RESISTORS, load

FOUND = shorts.read()


def between(a: str, b: str) -> shorts.Finding:
    return next(f for f in FOUND if set(f.wires) == {a, b})


def test_the_result_is_of_this_board() -> None:
    text = shorts.RESULT.read_text(encoding="utf-8")
    assert shorts.digest() in text, "run make -C hardware shorts"


def test_the_page_has_the_result() -> None:
    page = shorts.PAGE.read_text(encoding="utf-8")
    assert shorts.table(FOUND) in page, "run make -C hardware shorts"


def test_every_wire_is_beside_every_other() -> None:
    wires = {net for connector in load().connectors for net in connector.pins}
    assert sum(f.pairs for f in FOUND) == len(wires) * (len(wires) - 1) // 2


def test_parts_bear_every_short_that_no_fuse_ends_within_a_plug() -> None:
    for finding in FOUND:
        if finding.plugs and not finding.fuse:
            assert finding.watts <= finding.limit, finding


def test_a_shorted_lamp_or_buzzer_trips_no_fuse_and_its_resistor_bears_it() -> None:
    """What the guide says under Safety."""
    for wires, part in ((("GND", "LAMP_A"), "R5"), (("3V3_FUSED", "GND"), "F2")):
        assert part in (between(*wires).part or between(*wires).fuse)
    for wires in (("GND", "LAMP_A"), ("BUZZER_A", "GND"), ("BUZZER_A", "BUZZER_K")):
        finding = between(*wires)
        assert finding.fuse == ""
        assert not finding.limit or finding.watts < 0.7 * finding.limit, "a margin for a warm box"


def test_no_short_destroys_the_pi() -> None:
    """R2 and R5 lie before their plugs, and each bus has resistors: no lead has bare 5 V, or bare pins."""
    assert [set(f.wires) for f in FOUND if f.pi] == []
    wired = {net for connector in load().connectors for net in connector.pins}
    assert not {"+5V", "5V_FUSED", *I2C_RESISTORS.values(), *SPI_RESISTORS.values()} & wired


def test_the_bus_resistors_leave_the_display_a_low_level() -> None:
    """UM10204: what lies in series may take a tenth of the supply, or panels that sink little drop out."""
    supply, sinks_to = 3.3, 0.4
    for ref in I2C_RESISTORS:
        ohms = float(kicad.read().parts[ref].value.removesuffix("R"))
        drop = ohms * (supply - sinks_to) / (shorts.PULL_UP + ohms)
        assert drop <= 0.1 * supply, f"{ref}: {drop:.2f} V"
        assert sinks_to + drop < 0.8, "what the Pi surely reads as low"


def test_a_shorted_supply_trips_its_fuse() -> None:
    assert between("3V3_FUSED", "GND").fuse == "F2 trips"


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_ngspice_finds_the_same_again() -> None:
    if not shutil.which("ngspice"):
        pytest.skip("NOT CHECKED: no ngspice here")
    assert shorts.differences(FOUND, shorts.short_all_pairs()) == []
