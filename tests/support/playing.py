"""Matches of the scripted player under the eyes of the tally, on a box in virtual time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.support.clumsy_player import Habits, Player
from tests.support.tally import Tally

from shutthebox.config.schema import Config, with_value
from shutthebox.game.effects import Effect
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.virtual_box import VirtualBox


@dataclass(frozen=True)
class Table:
    """Who plays what, and how.

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


def config_for(table: Table) -> Config:
    config = Config()
    values = {"game.profile": table.game, "game.players": table.players, "game.setup": "usual"}
    for key, value in values.items():
        config = with_value(config, key, value, "table")
    return config


def play(table: Table, matches: int) -> Iterator[Tally]:
    """Plays so many matches at one box, one after the other; yields after each.

    Raises:
        FaultError: if the box did anything wrong.
    """
    tally = Tally(table.game, table.players)

    def looks_on(what: Effect | SwitchChanged | None, t_ns: int) -> None:
        if what is None:
            tally.restarted(player.box.box.levers_down)
        else:
            tally.watch(what, t_ns)

    player = Player(Random(f"{table.seed} player"), table.habits, looks_on)
    box = VirtualBox(
        config_for(table), table.state, seed=table.seed, observers=[player.observe], advised=False
    )
    box.box.lose_edges(table.lost_edges)
    player.sit_down(box)
    played = 0
    try:
        while played < matches:
            player.play_match()
            player.look_again()
            played += 1
            assert tally.matches == played + tally.given_up
            assert tally.winners
            yield tally
    except Exception as error:
        raise FaultError(f"{table}, match {played + 1}, at {box.now_ns / 1e9:.3f} s: {error}") from error
    finally:
        box.close()
