"""The card's boot script, run by U-Boot in an emulated machine, with systems that only name themselves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support import debian
from tests.system.image.uboot import COMMANDS, IMAGE, STARTS_S, STATE_AT, card, starts, state

LACKING = debian.missing(*COMMANDS)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(STARTS_S + 60),
    pytest.mark.skipif(bool(LACKING), reason=f"NOT TRIED: {LACKING}"),
]


def test_a_confirmed_system_starts_again_and_again_and_nothing_is_written(tmp_path: Path) -> None:
    path = card(tmp_path, "A B", (9, 9))
    before = path.read_bytes()
    assert starts(path, 2) == "AA"
    assert path.read_bytes() == before


def test_an_update_that_does_not_come_to_play_is_started_three_times_and_given_up(tmp_path: Path) -> None:
    path = card(tmp_path, "B A", (9, 3))
    assert starts(path, 5) == "BBBAA"
    assert state(path) == {"BOOT_ORDER": "B A", "BOOT_A_LEFT": "9", "BOOT_B_LEFT": "0"}


def test_an_update_that_is_confirmed_meanwhile_stays(tmp_path: Path) -> None:
    path = card(tmp_path, "B A", (9, 9))
    assert starts(path, 4) == "BBBB"


def test_an_update_that_cannot_be_read_costs_no_start(tmp_path: Path) -> None:
    path = card(tmp_path, "B A", (9, 3), systems="A")
    assert starts(path, 2) == "AA"


@pytest.mark.parametrize(("update", "before"), ["AB", "BA"])
def test_an_update_whose_files_cannot_be_read_gives_way_and_stays_the_wanted_one(
    update: str, before: str, tmp_path: Path
) -> None:
    """So the card's script finds a system at work that is not wanted, and says that the update failed."""
    path = card(tmp_path, f"{update} {before}", (9, 9))
    # What the first program of the update writes when it gives up.
    state_file = tmp_path / f"start-{before}.env"
    subprocess.run(["make", "-C", IMAGE, f"BUILD={tmp_path}", state_file], check=True, capture_output=True)
    with path.open("r+b") as disk:
        disk.seek(STATE_AT)
        disk.write(state_file.read_bytes())
    assert starts(path, 2) == before * 2
    assert state(path)["BOOT_ORDER"].startswith(update)


def test_a_card_on_which_no_system_may_be_started_starts_one_all_the_same(tmp_path: Path) -> None:
    path = card(tmp_path, "B A", (0, 0), systems="A")
    assert starts(path, 1) == "A"


def test_a_state_that_was_torn_starts_the_first_system(tmp_path: Path) -> None:
    path = card(tmp_path, "B A", (9, 9))
    with path.open("r+b") as file:
        file.seek(STATE_AT + 100)
        file.write(b"torn")
    assert starts(path, 1) == "A"
