"""Matches of the scripted player under the eyes of a referee, on a box in virtual time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.support.box import config_with
from tests.support.clumsy_player import MS, Habits, Player
from tests.support.referee import Referee, Seen

from shutthebox.config.schema import Config
from shutthebox.game.effects import Effect
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.virtual_box import VirtualBox

GAMES = ("traditional", "pub", "jouhet", "digits", "trac", "lucky-seven", "open-one")
"""Each is scored, won or blocked in a way of its own."""


@dataclass(frozen=True)
class Sitting:
    """A game, its players and their habits.

    Attributes:
        game: the profile.
        players: how many.
        seed: of everything.
        habits: of the player's hands.
        lost_edges: the fraction of lever edges that the kernel loses.
        state: folder of the store; None for a box without memory.
    """

    game: str
    players: int
    seed: int
    habits: Habits
    lost_edges: float = 0.02
    state: Path | None = None


class FaultError(AssertionError):
    """The box was wrong; the text says how to see it again."""


def config_for(sitting: Sitting) -> Config:
    return config_with(game__profile=sitting.game, game__players=sitting.players)


def play(sitting: Sitting, matches: int) -> Iterator[Seen]:
    """Plays so many matches at one box, one after the other; yields after each what the referee has seen.

    Raises:
        FaultError: if the box did anything wrong.
    """
    config, seen = config_for(sitting), Seen()
    referee = Referee(
        lambda: None,
        lambda: (),
        lambda: 0,
        levers=9,
        sleep_ns=round(config.box.sleep_min * 60_000 * MS),
        seen=seen,
    )

    def looks_on(what: Effect | SwitchChanged | None, t_ns: int) -> None:
        if what is None:
            referee.restarted(player.box.box.levers_down, t_ns)
        else:
            referee.watch(what, t_ns)

    player = Player(Random(f"{sitting.seed} player"), sitting.habits, looks_on)
    box = VirtualBox(config, sitting.state, seed=sitting.seed, observers=[player.observe], advised=False)
    box.box.lose_edges(sitting.lost_edges)
    player.sit_down(box)
    played = 0
    try:
        while played < matches:
            player.play_match()
            player.look_again()
            played += 1
            assert seen.finished == played
            assert seen.begun == played + seen.left
            yield seen
    except Exception as error:
        raise FaultError(f"{sitting}, match {played + 1}, at {box.now_ns / 1e9:.3f} s: {error}") from error
    finally:
        box.close()
