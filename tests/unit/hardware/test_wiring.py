"""pinout.toml against everything that repeats it: board, txt, harness, perfboard, firmware."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hwtools import kicad, pinout
from hwtools.generated import ROOT
from hwtools.pinout import CHANNELS
from hwtools.places import SIGNALS, find_disagreements
from shutthebox.cli.check_config import HEADER
from shutthebox.config.schema import BOARD_LINES, SECTIONS, SPI_LINES, GpioConfig
from shutthebox.game.switches.switch import BUTTONS

WIRING = pinout.load()


@pytest.fixture(scope="module")
def board() -> kicad.Board:
    return kicad.read()


@pytest.mark.parametrize("name", ["ROLL_LED", "BUZZER"])
def test_outputs_drive_a_gate_that_is_low_at_boot(name: str, board: kicad.Board) -> None:
    signal = WIRING.signal(name)
    assert signal.boot == "op,dl"
    assert not [key for key, net in board.pads.items() if net == name and key[0].startswith("Q")], (
        "through a resistor"
    )


def test_plugs_that_must_not_be_swapped_differ() -> None:
    """Only the lever plugs look alike; swapping two of them is harmless and seen at bring-up."""
    seen: dict[tuple[str, int], str] = {}
    for connector in WIRING.connectors:
        kind = (connector.family, len(connector.pins))
        other = seen.setdefault(kind, connector.name)
        assert other == connector.name or (other.startswith("LEVERS") and connector.name.startswith("LEVERS"))


def test_everything_says_the_same() -> None:
    assert find_disagreements(WIRING) == []


def test_every_line_of_the_configuration_has_its_signal_on_the_board() -> None:
    """A key without one would be missing from every table that a maker wires by."""
    assert SECTIONS["gpio"].keys() - {"backend", "levers", "inverted"} == SIGNALS.keys()


def test_the_build_guide_has_every_channel_of_the_board_and_every_button() -> None:
    """Who solders it needs to know which parts belong to what, and how to switch on what is optional."""
    guide = (ROOT / "docs/build.md").read_text("utf-8")
    (listed,) = re.findall(r"\*\*nn\*\*, printed between them:\s+([^.]*)\.", guide)
    channels = {str(number): name.lower() for number, name in CHANNELS.items() if not name.startswith("TILE")}
    assert dict(re.findall(r"(?<![–\d])(\d+) (\w+)", listed)) == channels, (
        "docs/build.md, 3. Solder the board"
    )
    optional = {
        f"`{row.key} = {row.line}`" for row in BUTTONS.values() if getattr(GpioConfig(), row.key) is None
    }
    assert {line for line in optional if line not in guide} == set(), "docs/build.md, 8. Bench test"


def test_the_configuration_refuses_the_lines_that_the_board_itself_has() -> None:
    """A lever on the shutdown line would switch the Pi off."""
    levers = (f"TILE{number}" for number in range(1, len(WIRING.levers) + 1))
    keyed = {*SIGNALS.values(), *levers, "DC", "RST"}
    own = {signal.bcm for signal in WIRING.signals if signal.name not in keyed}
    assert own == BOARD_LINES.keys() | SPI_LINES.keys()


def changed(what: str, **values: object) -> pinout.Pinout:
    """The wiring with one signal changed."""
    signals = tuple(replace(s, **values) if s.name == what else s for s in WIRING.signals)  # type: ignore[arg-type]
    levers = tuple(s.bcm for s in signals if s.name.startswith("TILE"))
    return replace(WIRING, signals=signals, levers=levers)


def test_fail__a_changed_pin_is_told_as_the_places_to_change() -> None:
    told = "\n".join(find_disagreements(changed("TILE2", bcm=14, header_pin=8)))
    assert "J1 pin 11 carries TILE2, pinout.toml says nothing" in told
    assert "J1 pin 8 carries" in told
    assert "pin map: the row of TILE2" in told
    for file in ("config.txt", "docs/hardware.md", "default.toml", "perfboard.svg"):
        assert file in told


def test_fail__a_changed_plug_is_told() -> None:
    connectors = tuple(
        replace(c, pins=(*c.pins[:2], "SDA", "GND")) if c.ref == "J2" else c for c in WIRING.connectors
    )
    told = "\n".join(find_disagreements(replace(WIRING, connectors=connectors)))
    assert "J2 pin 3 carries SW_TILE3, pinout.toml says SDA" in told
    assert "the table of plugs has no row" in told
    assert "harness.yml" in told


def test_fail__a_wrong_value_a_wrong_net_and_a_missing_part_are_told(board: kicad.Board) -> None:
    parts = dict(board.parts)
    parts["R103"] = replace(parts["R103"], value="33k")
    parts["C105"] = replace(parts["C105"], has_courtyard=False)
    del parts["D107"]
    pads = {**board.pads, ("C104", "2"): "+5V"}
    told = "\n".join(find_disagreements(WIRING, replace(board, parts=parts, pads=pads)))
    assert "R103 is 33k, a channel has 3.3k there" in told
    assert "no D107 for TILE7" in told
    assert "C104 joins ['+5V', 'TILE4']" in told
    assert "C105 has no courtyard" in told


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("bcm = 17\n", "bcm = 4\n", "TILE1 and TILE2 have the same bcm: 4"),
        ("bcm = 17\n", "bcm = 44\n", "TILE2: bcm is 44; the header has 0 to 27"),
        ("header_pin = 11\n", "header_pin = 39\n", "TILE2: BCM 17 is header pin 11, not 39"),
        ("bcm = 17\n", "", "a key is missing or unknown: .*bcm"),
        ("bcm = 17\n", "bcm = seventeen\n", "Invalid value .at line"),
        ("pins = [4, 17,", "pins = [17, 4,", "levers.pins and the TILE signals differ"),
    ],
)
def test_fail__a_mistake_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (pinout.HARDWARE / "pinout.toml").read_text(encoding="utf-8")
    broken = tmp_path / "pinout.toml"
    broken.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(pinout.PinoutError, match=f"^pinout.toml: {said}.*$"):
        pinout.load(broken)


def test_the_pins_command_counts_the_headers_pins_as_the_board_does() -> None:
    for wired in WIRING.signals:
        if wired.bcm in HEADER:
            assert HEADER[wired.bcm] == wired.header_pin
