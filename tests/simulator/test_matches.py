"""Matches of a clumsy player: no wrong verdict, no wrong score, the right winner, no hang.

The long run is `python tests/benchmarks/matches.py`.
"""

from pathlib import Path
from random import Random

import pytest
from tests.support.clumsy_player import CAREFUL, Habits, Player, StuckError
from tests.support.playing import FaultError, Table, config_for, play
from tests.support.tally import GAMES

from shutthebox.simulator.virtual_box import VirtualBox

CLUMSY = Habits()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_box_and_the_tally_agree(game: str, players: int) -> None:
    *_, tally = play(Table(game, players, players, CLUMSY), 2)
    assert tally.matches == 2
    assert tally.verdicts >= 2 * (players + 2)


@pytest.mark.parametrize("game", ["jouhet", "pub", "open-one"])
def test_they_agree_when_the_plug_is_pulled(game: str, tmp_path: Path) -> None:
    *_, tally = play(Table(game, 2, 5, Habits(cuts=0.05), state=tmp_path), 2)
    assert tally.matches == 2


def test_a_careful_player_on_good_contacts() -> None:
    *_, tally = play(Table("traditional", 2, 1, CAREFUL, lost_edges=0.0), 5)
    assert tally.matches == 5


def test_half_of_the_edges_lost() -> None:
    *_, tally = play(Table("digits", 2, 1, CLUMSY, lost_edges=0.5), 2)
    assert tally.matches == 2


def test_the_same_seed_plays_the_same() -> None:
    def played(seed: int) -> list[tuple[int, list[int]]]:
        return [(tally.verdicts, list(tally.totals)) for tally in play(Table("trac", 2, seed, CLUMSY), 3)]

    assert played(7) == played(7)
    assert played(7) != played(8)


def test_a_box_that_never_sees_a_lever_is_found_out() -> None:
    """The watch itself is watched: with the levers' lines dead nothing may pass as right."""
    player = Player(Random(1), CLUMSY)
    box = VirtualBox(config_for(Table("traditional", 1, 1, CLUMSY)), seed=1, observers=[player.observe])
    box.box.lose_edges(1.0)
    box._pins.active = lambda: dict.fromkeys(range(10), False)  # type: ignore[method-assign]
    player.sit_down(box)
    with pytest.raises(StuckError, match="are down"):
        player.play_match()
    box.close()


def test_a_wrong_score_is_found_out(tmp_path: Path) -> None:
    """Five tiles left score 5 by the sheet of no game here: the tally says so at the first turn."""
    house = tmp_path / "wrong.toml"
    house.write_text('like = "traditional"\nscore = "count"\n', encoding="utf-8")
    GAMES[str(house)] = GAMES["traditional"]
    try:
        with pytest.raises(FaultError):
            list(play(Table(str(house), 2, 1, CAREFUL), 3))
    finally:
        del GAMES[str(house)]
