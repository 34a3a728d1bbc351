"""Every seat that a box offers is one in the league, too: whoever sits there signs, and is ranked."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.box.league.box import PlayedBox
from tests.box.league.evenings import Evening, post

from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox_uplink.spool import Spool


@pytest.mark.slow
def test_a_player_in_one_of_the_last_seats_signs_and_is_ranked(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    """From the tenth on, the uplink set the signature aside, and a landlord's tick did nothing."""
    with closing(PlayedBox(tmp_path / "box", 1, MAX_PLAYERS)) as box:
        box.play_match()
        for seat, initials in ((1, "ANN"), (12, "PIN"), (MAX_PLAYERS, "BOB")):
            box.sign(seat - 1, initials)
    spool = Spool(box.outbox_folder)
    with closing(Evening(tmp_path / "league", new_database())) as evening:
        evening.protect(["PIN"], 1)
        while waiting := spool.oldest():
            evening.send(waiting.data)
            spool.remove(waiting)
        status, page = post(evening, b"do=confirm&seat=1-12")
        assert (status, "Counted: 1." in page) == (200, True)
        evening.review()
        assert sorted(row.initials for row in evening.table()) == ["ANN", "BOB", "PIN"]
