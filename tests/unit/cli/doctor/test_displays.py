"""`doctor --display`: panels on a bus modelled transfer by transfer, with smbus2's real messages."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import smbus2
from tests.support.bus import OpenedBus
from tests.support.command import Said, command, printed
from tests.support.fake_gpiod import FakeKernel

from shutthebox.adapters.display import opening
from shutthebox.cli.doctor import hardware, outputs
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import DisplayConfig, Interface, parse_config
from shutthebox.simulator.hardware.panel_model import PanelModel


class Chip:
    """One panel: its memory, the column, and what it lets the bus read."""

    def __init__(self, *, readable: bool, status: int | None = None) -> None:
        self.readable, self.verdict = readable, status
        self.memory = bytearray(b"\x77" * 132)
        self.column = 0
        self.dummy = True

    def take(self, data: bytes) -> None:
        assert data[0] in (0x00, 0x40), "the control bytes"
        if data[0] == 0x00:
            for command in data[1:]:
                if command < 0x10:
                    self.column, self.dummy = self.column & 0xF0 | command, True
                elif command < 0x20:
                    self.column, self.dummy = self.column & 0x0F | (command & 0x0F) << 4, True
                else:
                    assert command == 0xE3 or 0xB0 <= command <= 0xB7, "nothing, or a page of the memory"
        else:
            self.memory[self.column : self.column + len(data) - 1] = data[1:]
            self.column += len(data) - 1

    def give(self, length: int, *, data: bool) -> bytes:
        if not data:
            if self.verdict is None:
                raise OSError(121, "Remote I/O error")
            return bytes([self.verdict]) * length
        if not self.readable:
            return bytes([self.verdict or 0]) * length
        dummy, self.dummy = b"\xee" * self.dummy, False
        first, self.column = self.column, self.column + length - len(dummy)
        return dummy + bytes(self.memory[first : self.column])


class Bus(OpenedBus):
    """smbus2's SMBus with panels on it."""

    chips: dict[int, Chip]

    def read_byte(self, address: int) -> int:
        return self.chip(address).give(1, data=False)[0]

    def chip(self, address: int) -> Chip:
        if address not in self.chips:
            raise OSError(121, "Remote I/O error")
        return self.chips[address]

    def i2c_rdwr(self, *messages: Any) -> None:
        data = False
        for message in messages:
            chip = self.chip(message.addr)
            if message.flags & 1:
                for k, value in enumerate(chip.give(message.len, data=data)):
                    message.buf[k] = bytes([value])
            else:
                sent = bytes(message)
                data = sent[0] == 0x40
                chip.take(sent)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hardware, "DEV", tmp_path)
    (tmp_path / "i2c-32").touch()
    fake = SimpleNamespace(SMBus=Bus, i2c_msg=smbus2.i2c_msg)
    monkeypatch.setitem(sys.modules, "smbus2", fake)
    file = tmp_path / "config.toml"
    file.write_text("[display]\nbus = 32\n")
    return file


def told(config: Path, chips: dict[int, Chip]) -> str:
    Bus.chips = chips
    return printed("doctor", "--display", "--config", config)


@pytest.mark.parametrize(
    ("status", "kinds"),
    [(0x48, "sh1106"), (0x47, "sh1107"), (0x43, "sh1106 or sh1107"), (None, "sh1106 or sh1107")],
)
def test_memory_that_reads_back_is_an_sh_and_its_status_says_which(
    status: int | None, kinds: str, config: Path
) -> None:
    out = told(config, {0x3D: Chip(readable=True, status=status)})
    assert out.startswith(f"0x3D: {kinds}: its memory can be read back")
    lines, may_choose, _ = out.partition("\n\n")[2].partition("It depends on the panel")
    read = parse_config(lines, "test").display
    assert (read.controller, read.address) == (kinds[:6], 0x3D)
    assert bool(may_choose) == (" or " in kinds), "perhaps nothing is left to choose"


@pytest.mark.parametrize(
    ("status", "first"), [(0x43, "ssd1306"), (0x41, "ssd1309"), (0x04, "ssd1306"), (None, "ssd1306")]
)
def test_what_cannot_be_known_is_said(status: int | None, first: str, config: Path) -> None:
    out = told(config, {0x3D: Chip(readable=False, status=status)})
    (panel,) = json.loads(printed("doctor", "--display", "--json", "--config", config))["panels"]
    assert panel["controllers"][0] == first
    assert {"ssd1306", "ssd1309"} <= set(panel["controllers"])
    assert "2.42 inch panels: ssd1309" in out
    assert "--outputs" in out


@pytest.mark.parametrize(
    ("written", "fits"),
    [
        ('controller = "sh1106"', True),
        ('controller = "ssd1306"', False),
        ('controller = "sh1106"\naddress = 0x3D', False),
    ],
)
def test_a_config_that_fits_is_left(written: str, fits: bool, config: Path) -> None:
    config.write_text(f"[display]\nbus = 32\n{written}\n")
    first, second, *rest = told(config, {0x3C: Chip(readable=True)}).splitlines()
    assert first.startswith("0x3C: ")
    assert (second == "The config already says so.") == fits == (not rest)
    assert (second == "Write into the config:") == (not fits)


def test_nobody_answers(config: Path) -> None:
    Bus.chips = {}
    said = command("doctor", "--display", "--config", config)
    assert said == Said(1, said.out, "")
    assert said.out.startswith(
        "no display answers at 0x3C or 0x3D on /dev/i2c-32: check its lead and the ord"
    )
    assert "reset = 7" in said.out, "a module with RES answers only after its reset"
    assert 'interface = "spi"' in said.out, "most 2.42 inch panels come set to SPI"


def test_a_panel_that_answers_only_after_its_reset_is_found(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = FakeKernel(tmp_path)
    monkeypatch.setattr("gpiozero_gpiod.chips.DEV", tmp_path)
    reset = kernel.add("pinctrl-bcm2711", 54).lines[7]

    class Resettable(Bus):
        def chip(self, address: int) -> Chip:
            if reset.request is None or [level for _, level in reset.history][-2:] != [0, 1]:
                raise OSError(121, "Remote I/O error")
            return super().chip(address)

    monkeypatch.setattr(sys.modules["smbus2"], "SMBus", Resettable)
    config.write_text("[display]\nbus = 32\nreset = 7\n")
    with ExitStack() as stack:
        for patch in kernel.patches():
            stack.enter_context(patch)
        assert told(config, {0x3C: Chip(readable=True, status=0x48)}).startswith("0x3C: sh1106: ")
    assert reset.request is None, "the line is free again, for the box"


def test_over_spi_a_panel_is_shown_a_picture(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most 2.42 inch panels come set to SPI; nothing can be asked there, so eyes decide."""
    config.write_text('[display]\ninterface = "spi"\ncontroller = "ssd1309"\n')
    monkeypatch.setattr(hardware, "DEV", tmp_path)
    missing = f"no {tmp_path}/spidev0.0: dtparam=spi=on and dtoverlay=spi0-1cs,no_miso in config.txt"
    assert command("doctor", "--display", "--config", config) == Said(1, missing + "\n", "")
    (tmp_path / "spidev0.0").touch()
    model = PanelModel(Controller.SSD1309)
    monkeypatch.setattr(opening, "open_serial", lambda display, backend: model)
    first, *rest = printed("doctor", "--display", "--config", config).splitlines()
    assert first.startswith("spidev0.0: SPI can't be read back; a picture was sent: a thin frame")
    assert "sh1106 (most 1.3 inch panels)" in rest[-1]
    assert model.lit
    assert model.picture() == outputs.picture(Controller.SSD1309, DisplayConfig(interface=Interface.SPI))
    (panel,) = json.loads(printed("doctor", "--display", "--json", "--config", config))["panels"]
    assert panel["controllers"][0] == "ssd1309"
