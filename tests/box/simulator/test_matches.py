"""Matches of a clumsy player: no wrong verdict, no wrong score, the right winner, no hang."""

from pathlib import Path
from random import Random

import pytest
from tests.support.box import config_with
from tests.support.clumsy_player import MS, Habits, Player
from tests.support.fast import fast_among
from tests.support.referee import Referee, Seen

from shutthebox.game.effects import Effect
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.virtual_box import VirtualBox

CLUMSY = Habits()

GAMES = ("traditional", "pub", "jouhet", "digits", "trac", "lucky-seven", "open-one")
"""Each is scored, won or blocked in a way of its own."""

LONG = {"open-one", "jouhet"}
"""Games with long matches: two players play them as well as four do."""


def play(
    game: str,
    players: int,
    seed: int,
    habits: Habits = CLUMSY,
    *,
    lost_edges: float = 0.02,
    state: Path | None = None,
) -> Seen:
    """Two matches at one box; what the referee has seen. A fraction of the edges is lost."""
    config, seen = config_with(game__profile=game, game__players=players), Seen()
    sleep_ns = round(config.box.sleep_min * 60_000 * MS)
    referee = Referee(lambda: None, lambda: (), lambda: 0, levers=9, sleep_ns=sleep_ns, seen=seen)

    def looks_on(what: Effect | SwitchChanged | None, t_ns: int) -> None:
        if what is None:
            referee.restarted(player.box.box.levers_down, t_ns)
        else:
            referee.watch(what, t_ns)

    player = Player(Random(f"{seed} player"), habits, looks_on)
    box = VirtualBox(config, state, seed=seed, observers=[player.observe], advised=False)
    box.box.lose_edges(lost_edges)
    player.sit_down(box)
    for played in (1, 2):
        player.play_match()
        player.look_again()
        assert (seen.finished, seen.begun) == (played, played + seen.left)
    box.close()
    return seen


@pytest.mark.parametrize(
    "sitting",
    fast_among(
        [(game, players) for game in GAMES for players in (1, 2, 3, 4)],
        [(game, players) for game in GAMES if game not in LONG for players in (2,)],
    ),
    ids=str,
)
def test_the_box_and_the_referee_agree(sitting: tuple[str, int]) -> None:
    game, players = sitting
    seen = play(game, players, players)
    assert seen.checks["the verdict"] >= 2 * (players + 2)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["jouhet", "pub", "open-one"])
def test_they_agree_when_the_plug_is_pulled(game: str, tmp_path: Path) -> None:
    assert play(game, 2, 5, Habits(cuts=0.05), state=tmp_path).cuts
