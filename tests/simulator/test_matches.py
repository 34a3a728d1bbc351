"""Matches of a clumsy player: no wrong verdict, no wrong score, the right winner, no hang."""

from pathlib import Path
from random import Random

import pytest
from tests.support.clumsy_player import CAREFUL, Habits, Player, StuckError
from tests.support.playing import GAMES, Sitting, config_for, play

from shutthebox.simulator.virtual_box import VirtualBox

CLUMSY = Habits()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_box_and_the_referee_agree(game: str, players: int) -> None:
    *_, seen = play(Sitting(game, players, players, CLUMSY), 2)
    assert seen.finished == 2
    assert seen.checks["the verdict"] >= 2 * (players + 2)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["jouhet", "pub", "open-one"])
def test_they_agree_when_the_plug_is_pulled(game: str, tmp_path: Path) -> None:
    *_, seen = play(Sitting(game, 2, 5, Habits(cuts=0.05), state=tmp_path), 2)
    assert (seen.finished, seen.cuts > 0) == (2, True)


def test_a_careful_player_on_good_contacts() -> None:
    *_, seen = play(Sitting("traditional", 2, 1, CAREFUL, lost_edges=0.0), 5)
    assert seen.finished == 5


def test_half_of_the_edges_lost() -> None:
    *_, seen = play(Sitting("digits", 2, 1, CLUMSY, lost_edges=0.5), 2)
    assert seen.finished == 2


def test_the_same_seed_plays_the_same() -> None:
    def played(seed: int) -> list[tuple[int, str]]:
        return [(seen.throws, str(seen.verdicts)) for seen in play(Sitting("trac", 2, seed, CLUMSY), 3)]

    assert played(7) == played(7)
    assert played(7) != played(8)


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
