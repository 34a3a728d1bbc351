"""The doctor, on a machine that is no Pi."""

import json
import os
import sqlite3
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.pins.fake_gpiod import FakeKernel

from shutthebox.adapters.store.database import Store
from shutthebox.cli.doctor import hardware
from shutthebox.cli.doctor import store as memory
from shutthebox.cli.doctor.result import CheckResult
from shutthebox.cli.main import main
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import Config, with_value
from shutthebox.game.facts import Began, Chosen
from shutthebox.rules.match import begin


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A box with a panel on a bus that is not there, and no chip."""
    monkeypatch.setattr("gpiozero_gpiod.chips.DEV", tmp_path)
    monkeypatch.setattr(hardware, "DEV", tmp_path)
    file = tmp_path / "config.toml"
    file.write_text(f'[display]\nbus = 32\n[store]\nfolder = "{tmp_path / "state"}"\n')
    return file


def results(config: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, str]]:
    assert main(["doctor", "--json", "--config", str(config)]) == 1
    document = json.loads(capsys.readouterr().out)
    return {entry["check"]: (entry["verdict"], entry["reason"]) for entry in document}


def test_a_laptop_fails_with_reasons(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = results(config, capsys)
    assert found["python"][0] == found["gpiozero"][0] == found["clock"][0] == "ok"
    assert found["chip"][0] == "FAIL"
    assert "no GPIO chip" in found["chip"][1]
    assert found["lines"][0] == "skip"
    assert found["display"] == ("FAIL", f"no {tmp_path}/i2c-32: dtparam=i2c_arm=on in config.txt, or i2c-dev")
    assert found["store"][0] == "ok"
    assert found["dice"][0] == "skip"


def test_one_check_a_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(config)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} <= {"ok", "FAIL", "skip"}


def test_a_store_is_read(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(tmp_path / "state", lambda: 0.0).close()
    assert results(config, capsys)["store"][1].endswith("0 matches")


def test_a_broken_store_is_a_fault(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "box.sqlite3").write_bytes(b"no database" * 100)
    with (
        closing(sqlite3.connect(tmp_path / "state" / "box.sqlite3")) as db,
        pytest.raises(sqlite3.DatabaseError),
    ):
        db.execute("select * from match")
    assert results(config, capsys)["store"][0] == "FAIL"


# -- pins --------------------------------------------------------------------------------------


def test_lines_are_free_or_busy_by_name(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = FakeKernel(tmp_path)
    chip = kernel.add("pinctrl-bcm2711", 54)
    chip.lines[17].consumer = "lirc"
    chip.lines[27].consumer = "shutthebox"
    with ExitStack() as stack:
        for patch in kernel.patches():
            stack.enter_context(patch)
        found = results(config, capsys)
    assert found["chip"] == ("ok", f"{tmp_path}/gpiochip0, pinctrl-bcm2711")
    assert found["lever 1"] == ("ok", "line 4 is free")
    assert found["lever 2"] == ("FAIL", "line 17 is busy: lirc has it")
    assert found["lever 3"] == ("ok", "line 27 is held by the running box")
    assert found["permission"] == ("ok", f"{tmp_path}/gpiochip0")


def test_who_may_not_open_the_devices_is_told_the_group(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gpiochip0").touch()
    access = os.access

    def refuses(path: Any, mode: int) -> bool:
        return Path(path).name != "gpiochip0" and access(path, mode)

    monkeypatch.setattr(os, "access", refuses)
    group = (tmp_path / "gpiochip0").group()
    verdict, reason = results(config, capsys)["permission"]
    assert verdict == "FAIL"
    assert reason.startswith(f"{tmp_path}/gpiochip0 is the group {group}'s: sudo usermod -aG {group} ")


# -- display -----------------------------------------------------------------------------------


class Bus:
    """smbus2's, with a panel that says its status, or nothing."""

    status: int | None = None

    def __init__(self, number: int) -> None:
        assert number == 32

    def __enter__(self) -> "Bus":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def write_byte(self, address: int, value: int) -> None:
        assert (address, value) == (0x3C, 0x00)

    def read_byte(self, address: int) -> int:
        if self.status is None:
            raise OSError(121, "Remote I/O error")
        return self.status


@pytest.mark.parametrize(
    ("status", "controller", "verdict", "words"),
    [
        (0x43, "ssd1306", "ok", "ssd1306"),
        (0x06, "ssd1306", "ok", "ssd1306"),
        (0x03, "ssd1315", "ok", "ssd1306"),
        (0x08, "sh1106", "ok", "sh1106"),
        (0x41, "ssd1309", "ok", "ssd1309"),
        (0x48, "ssd1306", "FAIL", "looks like sh1106 (status 0x48), configured as ssd1306"),
        (0x03, "sh1106", "FAIL", "looks like ssd1306 (status 0x03), configured as sh1106"),
        (0xFF, "ssd1306", "skip", "says status 0xFF of its type; configured as ssd1306"),
        (None, "sh1106", "skip", "says nothing of its type; configured as sh1106"),
    ],
)
def test_the_panels_type_by_its_status(
    status: int | None,
    controller: str,
    verdict: str,
    words: str,
    config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "i2c-32").touch()
    config.write_text(config.read_text().replace("[display]", f'[display]\ncontroller = "{controller}"'))
    monkeypatch.setitem(sys.modules, "smbus2", SimpleNamespace(SMBus=Bus))
    monkeypatch.setattr(Bus, "status", status)
    found = results(config, capsys)
    assert found["display"] == ("ok", f"answers at 0x3C on {tmp_path}/i2c-32")
    assert found["panel"][0] == verdict
    assert words in found["panel"][1]


# -- levers, store, clock ----------------------------------------------------------------------


def test_levers_out_of_play_are_said_wherever_it_was_settled(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert results(config, capsys)["levers"][1].startswith("9, all in play")
    config.write_text(config.read_text() + "[box]\nout_of_play = [3]\n")
    assert results(config, capsys)["levers"][1].startswith("9, out of play: 3")
    store = Store(tmp_path / "state", time.time)
    store.keep(Chosen("box.out_of_play", (8, 4)))
    store.close()
    assert results(config, capsys)["levers"][1].startswith("9, out of play: 4, 8"), "the latest word"


def test_lever_health_from_the_store(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def kept(presses: dict[int, int], chatter: dict[int, int]) -> tuple[str, str]:
        store = Store(tmp_path / "state", time.time)
        store.keep_health(presses, chatter)
        store.close()
        return results(config, capsys)["lever health"]

    sound = dict.fromkeys(range(10), 30)
    assert kept(sound | {4: 0}, {})[0] == "skip"
    assert kept(sound | {4: 0}, {}) == ("FAIL", "lever 4 was never pressed: is its wire cut?")
    assert kept({4: 1}, {7: 2000}) == ("ok", "up to 60 presses each, none chatters")
    assert kept({}, {7: 2000}) == ("FAIL", "lever 7 chatters: 4000 edges in 60 presses")
    store = Store(tmp_path / "state", time.time)
    store.keep(Chosen("box.out_of_play", (7,)))
    store.close()
    assert results(config, capsys)["lever health"][0] == "ok"
    assert main(["stats", "--state", str(tmp_path / "state")]) == 0
    assert "lever 7         60 presses     4000 edges  out of play" in capsys.readouterr().out


def test_a_full_disk_is_a_fault(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path / "state", time.time).close()
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1 << 20))
    verdict, reason = results(config, capsys)["store"]
    assert verdict == "FAIL"
    assert "1024 KiB are free" in reason


def clock(config: Path) -> CheckResult:
    state = with_value(Config(), "store.folder", str(config.parent / "state"), "test")
    (found,) = memory.clock(state)
    return found


@pytest.mark.parametrize(
    ("now", "verdict", "words"),
    [
        (1_800_000_000, "ok", "nothing here keeps it right"),
        (1_800_000_000 - 3600, "FAIL", "it has been set back, or was ahead"),
        (1_800_000_000 + 31_536_000, "ok", "nothing here keeps it right"),
        (12, "FAIL", "it has never been set"),
    ],
)
def test_the_clock_against_the_last_match(
    now: float, verdict: str, words: str, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "KEPT_RIGHT", tmp_path / "synchronized")
    store = Store(tmp_path / "state", lambda: 1.8e9)
    store.keep(Began(begin(builtin("pub"), 2)))
    store.close()
    monkeypatch.setattr(time, "time", lambda: now)
    assert clock(config).verdict == verdict
    assert words in clock(config).reason
    if verdict == "ok":
        (tmp_path / "synchronized").touch()
        assert "set by the network" in clock(config).reason
