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
from tests.support.controllers import unless_known
from tests.support.fake_gpiod import FakeKernel

from shutthebox.adapters.display import opening
from shutthebox.cli.doctor import hardware
from shutthebox.cli.doctor.interactive import outputs
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import DisplayConfig, Interface, parse_config
from shutthebox.simulator.hardware.panel_model import PanelModel


class Chip:
    """One panel: its memory, the column, and whether it lets the bus read it."""

    def __init__(self, *, readable: bool) -> None:
        self.readable = readable
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
        assert data, "nobody asks for its status"
        if not self.readable:
            return bytes(length)
        dummy, self.dummy = b"\xee" * self.dummy, False
        first, self.column = self.column, self.column + length - len(dummy)
        return dummy + bytes(self.memory[first : self.column])


class Bus(OpenedBus):
    """smbus2's SMBus with panels on it, which take no start-up from luma."""

    chips: dict[int, Chip]

    def write_i2c_block_data(self, *sent: object) -> None:
        raise OSError(121, "Remote I/O error")

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


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> PanelModel:
    """The panel that a picture is sent to."""
    model = PanelModel(Controller.SH1106)
    monkeypatch.setattr(opening, "open_serial", lambda display, backend: model)
    return model


def told(config: Path, chips: dict[int, Chip]) -> str:
    Bus.chips = chips
    return printed("doctor", "--display", "--config", config)


@pytest.mark.parametrize(
    ("readable", "configured", "kinds"),
    [
        (True, "ssd1306", ["sh1106", "sh1107"]),
        pytest.param(True, "sh1107", ["sh1107", "sh1106"], marks=unless_known(Controller.SH1107)),
        (False, "sh1106", ["sh1106", "ssd1306", "ssd1309", "sh1107"]),
        (False, "ssd1315", ["ssd1315", "ssd1306", "ssd1309", "sh1106", "sh1107"]),
    ],
)
def test_eyes_judge_by_a_picture_as_the_likeliest_controller_shows_it(
    readable: bool, configured: str, kinds: list[str], config: Path, model: PanelModel
) -> None:
    """Memory that reads back is an SH's; otherwise nothing on the bus says more than the config."""
    config.write_text(f'[display]\nbus = 32\ncontroller = "{configured}"\n')
    first, right, others, *more = told(config, {0x3D: Chip(readable=readable)}).splitlines()
    assert first.startswith("ok    display         at 0x3D on /dev/i2c-32: its memory can")
    assert first.endswith(f"; a picture was sent as to {kinds[0]}")
    assert right.startswith("Right: a thin frame along all four edges")
    tried = others.removeprefix("Dark, broken or two columns off: try ").split("), ")
    assert [kind.split(" ")[0] for kind in tried] == kinds[1:]
    read = parse_config("\n".join(more[1:]), "test").display
    assert (read.controller, read.address) == (kinds[0], 0x3D)
    (result,) = json.loads(printed("doctor", "--display", "--json", "--config", config))
    assert result["verdict"] == "ok"


def test_the_picture_of_the_right_controller_is_whole(config: Path, model: PanelModel) -> None:
    assert "as to sh1106" in told(config, {0x3C: Chip(readable=True)})
    assert model.lit
    assert model.picture() == outputs.picture(Controller.SH1106, DisplayConfig())


def test_a_panel_that_goes_while_the_picture_is_sent_is_a_fault(config: Path) -> None:
    Bus.chips = {0x3C: Chip(readable=True)}
    said = command("doctor", "--display", "--config", config)
    assert said.code == 1
    assert said.out.startswith("FAIL  display         ")


@pytest.mark.parametrize(
    ("written", "fits"),
    [
        ('controller = "sh1106"', True),
        ('controller = "ssd1306"', False),
        ('controller = "sh1106"\naddress = 0x3D', False),
    ],
)
def test_a_config_that_fits_is_left(written: str, fits: bool, config: Path, model: PanelModel) -> None:
    config.write_text(f"[display]\nbus = 32\n{written}\n")
    _, _, _, said, *rest = told(config, {0x3C: Chip(readable=True)}).splitlines()
    assert (said == "The config already says so.") == fits == (not rest)
    assert (said == "Write into the config:") == (not fits)


def test_nobody_answers(config: Path) -> None:
    Bus.chips = {}
    said = command("doctor", "--display", "--config", config)
    assert said == Said(1, said.out, "")
    assert said.out.startswith("FAIL  display         none answers at 0x3C or 0x3D on ")
    assert "i2c-32: check its lead and the ord" in said.out
    assert "reset = 7" in said.out, "a module with RES answers only after its reset"
    assert 'interface = "spi"' in said.out, "most 2.42 inch panels come set to SPI"


def test_a_panel_that_answers_only_after_its_reset_is_found(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: PanelModel
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
        assert "as to sh1106" in told(config, {0x3C: Chip(readable=True)})
    assert reset.request is None, "the line is free again, for the box"


def test_over_spi_a_panel_is_shown_a_picture(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most 2.42 inch panels come set to SPI; nothing can be asked there, so eyes decide."""
    config.write_text('[display]\ninterface = "spi"\ncontroller = "ssd1309"\n')
    monkeypatch.setattr(hardware, "DEV", tmp_path)
    missing = f"no {tmp_path}/spidev0.0: dtparam=spi=on and dtoverlay=spi0-1cs,no_miso in config.txt"
    refusal = Said(1, f"FAIL  display         {missing}\n", "")
    assert command("doctor", "--display", "--config", config) == refusal
    (tmp_path / "spidev0.0").touch()
    model = PanelModel(Controller.SSD1309)
    monkeypatch.setattr(opening, "open_serial", lambda display, backend: model)
    first, right, dark, others, said = printed("doctor", "--display", "--config", config).splitlines()
    assert first.endswith("/dev/spidev0.0: SPI can't be read back; a picture was sent as to ssd1309")
    assert right.startswith("Right: a thin frame")
    assert dark.startswith("Dark: check its leads (D/C and reset first)")
    assert "sh1106 (most 1.3 inch panels)" in others
    assert said == "The config already says so."
    assert model.lit
    assert model.picture() == outputs.picture(Controller.SSD1309, DisplayConfig(interface=Interface.SPI))
