"""A store that is taken away under a running box: noticed within a second, said, and made anew."""

import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.box import MS, BoxUnderTest
from tests.support.fast import fast_among

from shutthebox.adapters.store.contents import FILES
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.game.mode import Mode
from shutthebox.translations import localize_screen

LOG = FILES[1]


def replaced(folder: Path) -> None:
    shutil.copy(folder / STORE_FILE, folder / "copy")
    (folder / "copy").rename(folder / STORE_FILE)


def all_removed(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


DEEDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "removed": (lambda folder: (folder / STORE_FILE).unlink(), f"{STORE_FILE} was removed"),
    "moved": (lambda folder: (folder / STORE_FILE).rename(folder / "moved"), f"{STORE_FILE} was removed"),
    "replaced": (replaced, f"{STORE_FILE} was replaced"),
    "emptied": (
        lambda folder: os.truncate(folder / STORE_FILE, 0),
        f"{STORE_FILE} was cut from {{}} to 0 bytes",
    ),
    "cut": (
        lambda folder: os.truncate(folder / STORE_FILE, 5000),
        f"{STORE_FILE} was cut from {{}} to 5000 bytes",
    ),
    "log removed": (lambda folder: (folder / LOG).unlink(), f"{LOG} was removed"),
    "log emptied": (lambda folder: os.truncate(folder / LOG, 0), f"{LOG} was cut from {{}} to 0 bytes"),
    "index removed": (lambda folder: (folder / FILES[2]).unlink(), f"{FILES[2]} was removed"),
    "all removed": (all_removed, f"{STORE_FILE} was removed"),
    "folder removed": (shutil.rmtree, f"{STORE_FILE} was removed"),
    "folder moved": (
        lambda folder: folder.rename(folder.with_name("elsewhere")),
        f"{STORE_FILE} was removed",
    ),
}
"""Ways of losing a store, and what the box says of each, with the size that the file had."""

WHOLE = ("log removed", "index removed")
"""Ways that lose nothing: the store is opened anew with all that it had."""


@pytest.fixture
def table(tmp_path: Path) -> BoxUnderTest:
    """A box in its second match, with a throw on the table."""
    table = BoxUnderTest(tmp_path / "state")
    store = table.box.store
    assert store is not None
    store.connection.execute("pragma wal_checkpoint(truncate)")
    table.press()
    table.throw(3, 5)
    table.abandon()
    table.press()
    table.throw(6, 5)
    assert localize_screen(table.show).aside == ""
    return table


@pytest.mark.parametrize(
    "deed", fast_among(DEEDS, ["removed", "replaced", "cut", "log removed", "folder removed"])
)
def test_it_is_noticed_within_a_second_and_made_anew(
    deed: str, table: BoxUnderTest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = tmp_path / "state"
    do, said = DEEDS[deed]
    size = (state / said.split()[0]).stat().st_size
    with caplog.at_level(logging.INFO):
        do(state)
        table.wait(1001 * MS)
        assert localize_screen(table.show).aside == "no memory"
        assert caplog.messages == [
            f"{state / STORE_FILE}: {said.format(size)} while the box played; playing without memory"
        ]
        assert table.show.scene.throw == (6, 5), "the match goes on"
        table.wait(5000 * MS)
        assert len(caplog.messages) == 1, "said once"
        # It is made anew at the next match.
        table.abandon()
        table.press()
        table.throw(1, 1)
    assert table.mode in (Mode.FLIPPING, Mode.TURN_OVER)
    assert table.show.scene.throw == (1, 1)
    assert localize_screen(table.show).aside == ("new memory" if deed not in (*WHOLE, *GONE_WITH_ALL) else "")
    store = table.box.store
    assert store is not None
    assert not store.waiting
    (matches,) = store.connection.execute("select count(*) from match").fetchone()
    if deed in WHOLE:
        assert matches == 3
        assert not list(state.glob("*damaged*"))
    table.box.cut_power()
    assert table.show.scene.throw == (1, 1), "it is kept"
    table.box.close()
    with closing(Store(state, lambda: 0.0)) as again:
        assert again.running_match() is not None


GONE_WITH_ALL = ("all removed", "folder removed", "folder moved")
"""Ways that leave no trace of the store; the box has reported each when it happened."""


def test_a_log_that_somebody_writes_back_is_no_loss(
    table: BoxUnderTest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(tmp_path / "state" / STORE_FILE)) as other:
        assert other.execute("pragma wal_checkpoint(truncate)").fetchone()[0] == 0
    assert (tmp_path / "state" / LOG).stat().st_size == 0
    table.wait(3000 * MS)
    assert localize_screen(table.show).aside == ""
    assert caplog.text == ""
    for lever in (5, 6):
        table.box.set_lever(lever, True)
    table.wait(100 * MS)
    table.throw(4, 4)
    table.box.cut_power()
    assert table.show.scene.throw == (4, 4)
    assert localize_screen(table.show).aside == ""
    table.box.close()
