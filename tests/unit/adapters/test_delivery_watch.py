"""The box's look at the way to the league: its owner learns from the screen that matches stay behind."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shutthebox.adapters.delivery_watch import LONG_S, LOOK_S, DeliveryWatch
from shutthebox.adapters.outbox import entry_name
from shutthebox.game.faults import Undelivered
from shutthebox.outbox_entry import UPLINK_STATUS_FILE, DeliveryState, UplinkStatus

NOW_S = 1_800_000_000

FOUND = {
    DeliveryState.GOOD: None,
    DeliveryState.NO_LEAGUE: None,
    DeliveryState.NO_LINE: Undelivered.NO_LINE,
    DeliveryState.HELD: Undelivered.HELD,
    DeliveryState.OLDER_CARD: Undelivered.OLDER_CARD,
    DeliveryState.OTHER: Undelivered.OTHER,
}


@pytest.fixture
def look(tmp_path: Path) -> Callable[[], Undelivered | None]:
    """What the box finds a while later."""
    clock = iter(range(0, 100_000, int(LOOK_S)))
    return DeliveryWatch(tmp_path, lambda: NOW_S, lambda: float(next(clock)))


def left(folder: Path, sequence: int, age_s: float) -> Path:
    path = folder / entry_name(sequence, "a" * 32)
    path.touch()
    os.utime(path, (NOW_S - age_s, NOW_S - age_s))
    return path


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("", None),
        *((UplinkStatus(way, "in any words").to_text(), found) for way, found in FOUND.items()),
        (UplinkStatus(DeliveryState.HELD, "long" * 9999).to_text(), Undelivered.HELD),
        ("not JSON", Undelivered.OTHER),
        ('{"way": "of a later one", "line": ""}', Undelivered.OTHER),
        ('{"way": []}', Undelivered.OTHER),
        ("[" * 2000, Undelivered.OTHER),
        ("x" * 10_000, Undelivered.OTHER),
    ],
)
def test_the_box_knows_what_the_uplink_says(
    tmp_path: Path, look: Callable[[], Undelivered | None], said: str, found: Undelivered | None
) -> None:
    (tmp_path / UPLINK_STATUS_FILE).write_text(said)
    assert look() is found


def test_an_uplink_that_says_nothing_is_noticed_by_what_waits(
    tmp_path: Path, look: Callable[[], Undelivered | None]
) -> None:
    assert look() is None
    oldest = left(tmp_path, 1, LONG_S + 1)
    newest = left(tmp_path, 2, 60)
    assert look() is Undelivered.OTHER
    oldest.unlink()
    assert look() is None
    os.utime(newest, (NOW_S + 10**6, NOW_S + 10**6))  # the clock went back
    assert look() is None
    newest.unlink()
    assert look() is None
    tmp_path.rmdir()
    assert look() is Undelivered.OTHER, "a folder that is gone takes no entry either"
