"""The pins through gpiozero: on the simulator's contacts, and on our back end over a fake kernel."""

import gc
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from gpiozero import InputDevice
from gpiozero.exc import PinInvalidPin
from tests.support.benches import make_bench, reached

from shutthebox.adapters.gpio import Edge, Pins, PinsError, open_factory
from shutthebox.config.schema import Backend, GpioConfig
from shutthebox.config.settings_loader import switch_lines
from shutthebox.game.switches.switch import DICE_BUTTON, SERVICE_BUTTON
from shutthebox.simulator.hardware.box import LAMP_LINE, LeverFault, SimulatedBox


@pytest.fixture
def box() -> SimulatedBox:
    return SimulatedBox(9, real_time=False, clock_ns=lambda: 7_000_000_000, levers_down=[3])


def open_pins(box: SimulatedBox, edges: list[Edge] | None = None, lamp: int = LAMP_LINE) -> Pins:
    put = (edges if edges is not None else []).append
    return Pins(box.factory, box.switch_lines, lamp, put)


# -- wiring ------------------------------------------------------------------------------------


def test_every_switch_has_the_line_of_the_config() -> None:
    lines = switch_lines(GpioConfig(levers=(7, 8, 9), roll=10, service=20), 2)
    assert lines == {DICE_BUTTON: 10, 1: 7, 2: 8, SERVICE_BUTTON: 20}


# -- on contacts -------------------------------------------------------------------------------


def test_a_lever_down_at_boot_is_read_and_no_edge(box: SimulatedBox) -> None:
    edges: list[Edge] = []
    pins = open_pins(box, edges)
    assert pins.active() == {switch: switch == 3 for switch in range(10)}
    assert edges == []


def test_an_inverted_switch_is_down_while_its_line_is_high() -> None:
    """A maker has a normally closed switch: its lever must not read as down for ever."""
    turned = [3, DICE_BUTTON]
    box = SimulatedBox(9, real_time=False, clock_ns=lambda: 7, levers_down=[4], inverted=turned)
    edges: list[Edge] = []
    pins = Pins(box.factory, box.switch_lines, LAMP_LINE, edges.append, frozenset(turned))
    assert not box.factory.level(box.lever_line(3)), "at rest it is closed"
    assert [number for number, down in pins.active().items() if down] == [4]
    box.set_lever(3, True)
    box.set_button(True)
    box.set_lever(5, True)
    box.set_lever(3, False)
    assert [edge[:2] for edge in edges] == [(3, True), (DICE_BUTTON, True), (5, True), (3, False)]
    assert [number for number, down in pins.active().items() if down] == [0, 4, 5]
    box.break_lever(3, LeverFault.CUT)
    assert pins.active()[3], "the pull-up makes a cut wire look like a lever that is down"


# -- lines that can't be had ------------------------------------------------------------------


def test_a_busy_line_costs_its_lever_and_is_named(
    box: SimulatedBox, caplog: pytest.LogCaptureFixture
) -> None:
    other = InputDevice(box.switch_lines[4], pull_up=True, pin_factory=box.factory)
    pins = open_pins(box)
    assert pins.taken.keys() == {4}
    assert pins.taken[4].startswith("line 22: ")
    assert "lever 4: line 22: " in caplog.text
    assert pins.active().keys() == {*range(10)} - {4}, "the box plays on without that lever"
    pins.close()
    other.close()


def test_a_box_without_any_line_says_which_and_why(box: SimulatedBox) -> None:
    others = [InputDevice(line, pull_up=True, pin_factory=box.factory) for line in box.switch_lines.values()]
    with pytest.raises(PinsError, match=r"^gpio: line 12: ") as raised:
        open_pins(box)
    assert "\n" not in str(raised.value)
    assert raised.value.exit_code == 1
    for other in others:
        other.close()


class LibraryError(Exception):
    """lgpio's own error is neither gpiozero's nor an OSError."""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (LibraryError("GPIO busy"), "GPIO busy"),
        (PinInvalidPin("27 is not a valid pin name"), "27 is not a valid pin name"),
        (ValueError(), "ValueError"),
    ],
)
def test_whatever_a_library_raises_is_one_clear_line(
    box: SimulatedBox, monkeypatch: pytest.MonkeyPatch, error: Exception, text: str
) -> None:
    real = box.factory.pin

    def pin(name: int, *args: Any, **keywords: Any) -> object:
        if name == 27:
            raise error
        return real(name, *args, **keywords)

    monkeypatch.setattr(box.factory, "pin", pin)
    pins = open_pins(box)
    assert pins.taken[3].startswith("line 27: ")
    assert text in pins.taken[3]
    assert "\n" not in pins.taken[3]
    pins.close()


# -- back ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", list(Backend))
def test_a_back_end_that_is_not_there_is_one_clear_line(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("lgpio", "RPi", "RPi.GPIO", "gpiod"):
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("gpiozero.pins.lgpio", "gpiozero.pins.rpigpio", "gpiozero_gpiod"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(PinsError, match=rf"^gpio\.backend: {backend.value} can't open the pins: ") as raised:
        open_factory(backend)
    assert "\n" not in str(raised.value)


def test_lgpio_makes_its_pipe_where_temporary_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless somebody has said where. A service may not write to its current directory."""
    monkeypatch.setitem(sys.modules, "gpiozero_gpiod", None)
    for before, after in ((None, tempfile.gettempdir()), ("/run/pipes", "/run/pipes")):
        monkeypatch.setenv("LG_WD", before or "")
        if before is None:
            monkeypatch.delenv("LG_WD")
        with pytest.raises(PinsError):
            open_factory(Backend.GPIOD)
        assert os.environ["LG_WD"] == after


def test_edges_of_our_own_back_end_come_in_order(tmp_path: Path) -> None:
    edges: list[Edge] = []
    with make_bench("gpiod-fake", tmp_path) as bench:
        bench.drive(27, 0)
        pins = Pins(bench.factory, switch_lines(GpioConfig(), 9), LAMP_LINE, edges.append)
        assert [switch for switch, down in pins.active().items() if down] == [3]
        gc.collect()
        for line, level in ((4, 0), (4, 1), (12, 0)):
            bench.drive(line, level)
        assert reached(edges, 3)
        assert [(edge.switch, edge.active) for edge in edges] == [(1, True), (1, False), (DICE_BUTTON, True)]
        assert [edge.t_ns for edge in edges] == sorted(edge.t_ns for edge in edges)
        pins.close()
