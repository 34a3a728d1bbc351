"""Matches of a clumsy player: no wrong verdict, no wrong score, the right winner, no hang."""

from pathlib import Path
from random import Random

import pytest
from tests.support.clumsy_player import Habits, Player, StuckError
from tests.support.fast import fast_among
from tests.support.playing import GAMES, Sitting, config_for, play

from shutthebox.simulator.virtual_box import VirtualBox

CLUMSY = Habits()


LONG = {"open-one", "jouhet"}
"""Games with long matches: two players play them as well as four do."""


@pytest.mark.parametrize(
    "sitting",
    fast_among(
        [(game, players) for game in GAMES for players in (1, 2, 3, 4)],
        [(game, players) for game in GAMES for players in ((2,) if game in LONG else (1, 3))],
    ),
    ids=str,
)
def test_the_box_and_the_referee_agree(sitting: tuple[str, int]) -> None:
    game, players = sitting
    *_, seen = play(Sitting(game, players, players, CLUMSY), 2)
    assert seen.finished == 2
    assert seen.checks["the verdict"] >= 2 * (players + 2)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["jouhet", "pub", "open-one"])
def test_they_agree_when_the_plug_is_pulled(game: str, tmp_path: Path) -> None:
    *_, seen = play(Sitting(game, 2, 5, Habits(cuts=0.05), state=tmp_path), 2)
    assert (seen.finished, seen.cuts > 0) == (2, True)


def test_half_of_the_edges_lost() -> None:
    *_, seen = play(Sitting("digits", 2, 1, CLUMSY, lost_edges=0.5), 2)
    assert seen.finished == 2


def test_a_box_that_never_sees_a_lever_is_found_out() -> None:
    """The watch itself is watched: with the levers' lines dead nothing may pass as right."""
    player = Player(Random(1), CLUMSY)
    box = VirtualBox(config_for(Sitting("traditional", 1, 1, CLUMSY)), seed=1, observers=[player.observe])
    box.box.lose_edges(1.0)
    box._pins.active = lambda: dict.fromkeys(range(10), False)  # type: ignore[method-assign]
    player.sit_down(box)
    with pytest.raises(StuckError, match="are down"):
        player.play_match()
    box.close()
