"""An owner's stick, put in while the daemon plays, used by levers and button, pulled out at any moment."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import debian
from tests.system.virtual_pi import VirtualPi
from tests.system.virtual_pi.owner import (
    EMPTY,
    LONG_S,
    OWNERS,
    SETTINGS,
    Owner,
    formatted,
    listed,
    saved_name,
)
from tests.system.virtual_pi.table import Table, install_box

from shutthebox.game.stick import Stick, StickJob, StickOutcome

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(1200)]

FILES = {"memory.sqlite3", "results.csv", "statistics.html", "report.txt"}


@pytest.fixture(scope="module")
def table(pi: VirtualPi) -> Table:
    lacking = debian.missing("mkfs.vfat", "mcopy")
    if lacking:
        pytest.skip(lacking)
    install_box(pi, OWNERS, watchdog_s=120)
    return Table(pi, SETTINGS)


@pytest.fixture
def owner(table: Table) -> Iterator[Owner]:
    table.start_anew()
    found = Owner(table, SETTINGS)
    found.see()
    yield found
    table.pi.run("systemctl stop 'shutthebox-stick@*' shutthebox", check=False, timeout=120)


def test_saved_pulled_out_and_taken_over(owner: Owner, tmp_path: Path) -> None:
    image, pi = formatted(tmp_path), owner.pi
    pi.put_in_stick(image)
    owner.hears(EMPTY)
    mounts = pi.run("cat /proc/mounts").out
    assert "/dev/sd" not in mounts, "nobody but the helper sees the mount"
    owner.opens_service()
    owner.press(sees=False)
    name = saved_name(pi)
    both = (StickJob.SAVE, StickJob.TAKE_OVER)
    saved = Stick(offers=both, memory=name, outcome=StickOutcome.SAVED, detail=name)
    owner.hears(saved, seconds=LONG_S)
    pi.pull_out_stick()
    owner.hears(None)
    assert listed(image) == [name]
    assert set(listed(image, name)) == FILES
    kept = tmp_path / "memory.sqlite3"
    subprocess.run(["mcopy", "-i", str(image), f"::{name}/memory.sqlite3", str(kept)], check=True)
    with closing(sqlite3.connect(kept)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    subprocess.run(["mcopy", "-i", str(image), f"::{name}/report.txt", str(tmp_path)], check=True)
    report = (tmp_path / "report.txt").read_text()
    assert "Journal\n=======\n" in report
    assert "pinctrl" in report or "pins" in report
    owner.hold()

    pi.put_in_stick(image)
    offers = Stick(offers=both, memory=name)
    owner.hears(offers)
    before = owner.table.shown("MainPID")
    owner.opens_service()
    owner.asks(offers, StickJob.TAKE_OVER)
    assert owner.table.back_after(before), owner.table.journal()
    owner.begin()
    owner.hears(Stick(offers=both, memory=name, outcome=StickOutcome.TAKEN_OVER, detail=name), seconds=LONG_S)
    names = pi.run("ls /var/lib/private/shutthebox").out.split()
    assert [found for found in names if found.startswith("box.sqlite3.2")], names
