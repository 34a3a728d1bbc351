"""`doctor --display`: panels on a bus modelled transfer by transfer, with smbus2's real messages."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import smbus2

from shutthebox.cli.doctor import hardware
from shutthebox.cli.main import main
from shutthebox.config.schema import parse_config


class Chip:
    """One panel: its memory, the column, and what it lets the bus read."""

    def __init__(self, *, readable: bool, status: int | None = None) -> None:
        self.readable, self.verdict = readable, status
        self.memory = bytearray(b"\x77" * 132)
        self.column = 0
        self.dummy = True

    def take(self, data: bytes) -> None:
        if data[0] == 0x00:
            for command in data[1:]:
                if command < 0x10:
                    self.column, self.dummy = self.column & 0xF0 | command, True
                elif command < 0x20:
                    self.column, self.dummy = self.column & 0x0F | (command & 0x0F) << 4, True
        elif data[0] == 0x40:
            for value in data[1:]:
                self.memory[self.column] = value
                self.column += 1

    def give(self, length: int, *, data: bool) -> bytes:
        if not data:
            if self.verdict is None:
                raise OSError(121, "Remote I/O error")
            return bytes([self.verdict]) * length
        if not self.readable:
            return bytes([self.verdict or 0]) * length
        answer = bytearray()
        for _ in range(length):
            if self.dummy:
                answer.append(0xEE)
                self.dummy = False
            else:
                answer.append(self.memory[self.column])
                self.column += 1
        return bytes(answer)


class Bus:
    """smbus2's SMBus with panels on it."""

    chips: dict[int, Chip]

    def __init__(self, number: int) -> None:
        assert number == 32

    def __enter__(self) -> "Bus":
        return self

    def __exit__(self, *error: object) -> None:
        pass

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


def told(config: Path, chips: dict[int, Chip], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    Bus.chips = chips
    code = main(["doctor", "--display", "--config", str(config)])
    return code, capsys.readouterr().out


def test_memory_that_reads_back_is_an_sh1106(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(config, {0x3C: Chip(readable=True, status=0x43)}, capsys)
    assert code == 0
    assert '[display]\ncontroller = "sh1106"\naddress = 0x3C\n' in out
    assert "inch" not in out, "nothing is left to choose"


def test_the_lines_are_a_config(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = told(config, {0x3D: Chip(readable=True)}, capsys)
    read = parse_config(out.partition("\n\n")[2], "test").display
    assert (read.controller, read.address) == ("sh1106", 0x3D)


@pytest.mark.parametrize(
    ("status", "first"), [(0x43, "ssd1306"), (0x41, "ssd1309"), (0x04, "ssd1306"), (None, "ssd1306")]
)
def test_what_cannot_be_known_is_said(
    status: int | None, first: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Bus.chips = {0x3D: Chip(readable=False, status=status)}
    assert main(["doctor", "--display", "--json", "--config", str(config)]) == 0
    (panel,) = json.loads(capsys.readouterr().out)["panels"]
    assert panel["controllers"][0] == first
    assert {"ssd1306", "ssd1309"} <= set(panel["controllers"])
    _, out = told(config, Bus.chips, capsys)
    assert "2.42 inch: ssd1309" in out
    assert "--outputs" in out


def test_a_bus_that_floats_high_is_no_memory(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Bus.chips = {0x3C: Chip(readable=False, status=0xFF)}
    _, out = told(config, Bus.chips, capsys)
    assert out.startswith("0x3C: ssd1306 or ssd1309 or sh1106: its status, 0xFF, says nothing")


def test_two_panels_are_both_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = told(config, {0x3C: Chip(readable=True), 0x3D: Chip(readable=False)}, capsys)
    assert "0x3C: sh1106" in out
    assert "0x3D: ssd1306 or ssd1309" in out


def test_a_config_that_fits_is_left(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('[display]\nbus = 32\ncontroller = "sh1106"\n')
    _, out = told(config, {0x3C: Chip(readable=True)}, capsys)
    assert "The config says the same already." in out


def test_nobody_answers(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(config, {}, capsys)
    assert code == 1
    assert out.startswith("no display answers at 0x3C or 0x3D")


def test_no_bus(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "i2c-32").unlink()
    assert main(["doctor", "--display", "--config", str(config)]) == 1
    assert "dtparam=i2c_arm=on" in capsys.readouterr().err
