"""Hardware that makers break and mend, and that is found again as they left it."""

import errno
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero import InputDevice

from shutthebox.simulator.hardware import disk
from shutthebox.simulator.hardware.box import LeverFault, SimulatedBox
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.simulator.hardware.workshop import (
    HARDWARE_FILE,
    Condition,
    Workshop,
    read_condition,
)

BROKEN = Condition(
    down=(2,),
    stuck=(2,),
    cut=(4, 9),
    bounce_ms=30,
    lost_percent=12,
    display_unplugged=True,
    disk_full=False,
)


@pytest.fixture
def box() -> Iterator[SimulatedBox]:
    with SimulatedBox(9, levers_down=(2,), real_time=False) as box:
        yield box


@pytest.fixture
def workshop(box: SimulatedBox, tmp_path: Path) -> Iterator[Workshop]:
    yield Workshop(box, PanelModel(), tmp_path)
    disk.fill(False)


def test_hardware_is_found_as_it_was_left(workshop: Workshop, tmp_path: Path) -> None:
    workshop.restore(BROKEN)
    assert workshop.condition == read_condition(tmp_path) == BROKEN
    assert not BROKEN.is_sound
    workshop.box.set_lever(3, True)
    assert read_condition(tmp_path) == replace(BROKEN, down=(2, 3))
    with SimulatedBox(9, levers_down=(2, 3), real_time=False) as after:
        again = Workshop(after, PanelModel())
        again.restore(read_condition(tmp_path))
        assert again.condition == replace(BROKEN, down=(2, 3))
        again.restore(Condition())
        assert again.condition == Condition(down=(2, 3))
        assert again.condition.is_sound


def test_a_cut_lever_moves_and_its_line_does_not(box: SimulatedBox) -> None:
    line = box.lever_line(2)
    contact = InputDevice(line, pull_up=True, pin_factory=box.factory)
    assert contact.is_active
    box.break_lever(2, LeverFault.CUT)
    assert not contact.is_active
    box.set_lever(2, False)
    box.set_lever(2, True)
    assert box.levers_down == {2}
    assert not contact.is_active
    box.break_lever(2, None)
    assert contact.is_active
    contact.close()


def test_a_full_disk_takes_no_more_and_lasts_over_a_restart(tmp_path: Path) -> None:
    """In a process of its own, which is replaced as a pulled plug replaces it."""
    again = "import sys\nfrom pathlib import Path\nfrom shutthebox.simulator.hardware import disk\n" + (
        "print(disk.is_full())\ndisk.fill(False)\nprint(disk.is_full())\n"
        "Path(sys.argv[1]).write_bytes(b'x' * 10_000)\n"
    )
    first = (
        "import os, sys\nfrom pathlib import Path\nfrom shutthebox.simulator.hardware import disk\n"
        "disk.fill(True)\n"
        "try:\n    Path(sys.argv[1]).write_bytes(b'x' * 10_000)\n"
        "except OSError as error:\n    print(error.errno, flush=True)\n"
        f"os.execv(sys.executable, [sys.executable, '-c', {again!r}, sys.argv[1]])\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", first, str(tmp_path / "file")], capture_output=True, text=True, check=True
    ).stdout
    assert said.split() == [str(errno.EFBIG), "True", "False"]


def test_a_condition_that_cannot_be_kept_is_forgotten_and_said_once(
    box: SimulatedBox, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder")
    workshop = Workshop(box, PanelModel(), folder)
    workshop.change(lost_percent=1)
    workshop.change(lost_percent=2)
    assert [record.message.count("will forget") for record in caplog.records] == [1]


BAD = {
    "no JSON": "hello",
    "an unknown key": '{"colour": 1}',
    "a lever that is text": '{"down": ["1"]}',
    "a lever that no box has": '{"stuck": [55]}',
    "too long a bounce": '{"bounce_ms": 101}',
    "deep": "[" * 2000,
    "not UTF-8": "\ud800",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_a_sound_box_and_said(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / HARDWARE_FILE).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert read_condition(tmp_path) == Condition()
    (record,) = caplog.records
    assert str(tmp_path / HARDWARE_FILE) in record.message


def test_the_worst_condition_fits_into_its_file() -> None:
    every = tuple(range(1, 55))
    worst = Condition(every, every, every, 100, 100, display_unplugged=True, disk_full=True)
    assert Condition.parse(worst.to_text()) == worst
    assert len(worst.to_text()) <= 1024
