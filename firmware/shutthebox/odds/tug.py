"""A tug: the current player's chance to move the last tile under best play.

A position is that of a single turn (`shutthebox.odds.model`); its tiles are those that the player still has
to move, shut or open. A turn that ends earlier leaves the rest of the row to the other, whose chance is that
of a turn starting there. Turns can go back and forth forever, so this is solved by iteration
(`shutthebox.odds.iteration`).
"""

from collections.abc import Iterator
from functools import lru_cache

from shutthebox.odds.evaluate import TurnPlay
from shutthebox.odds.iteration import UNIT_BITS, Iteration
from shutthebox.odds.model import TurnModel
from shutthebox.odds.solver import About, TurnSolver
from shutthebox.odds.worths import Goal, OddsError, Worth
from shutthebox.rules.match import Match
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import MatchFormat, Profile
from shutthebox.rules.tiles import Tiles
from shutthebox.rules.turn import Outcome, Turn


class TugPlay(TurnPlay):
    """The best play of a tug: worths are the current player's chances to win."""

    def __init__(self, game: Profile) -> None:
        """Finds it.

        Raises:
            OddsError: it's another game, or a key isn't understood.
            TooLargeError: there are more than 12 tiles, or the worths don't settle.
        """
        order = order_of(game)
        if not order.opens:
            raise OddsError(f"{game.name} isn't a tug")
        Tug(game).check(order.seats(game, 2), About.ROUND)
        model = TurnModel(game)
        super().__init__(model, _worths(model), lambda end: float(end.shut))

    def begins(self, mine: Tiles) -> float:
        """A player's chance at the start of a turn with these tiles to move."""
        return float(self.worth(Turn(mine)).main)

    def worth(self, turn: Turn) -> Worth:
        """The chance of the player whose turn it is, or was: an end is worth what it leaves."""
        if turn.outcome is None or turn.outcome is Outcome.SHUT:
            return super().worth(turn)
        others = self.model.rules.starting & ~turn.open
        return Worth(1 - self.begins(others) if others else self.begins(turn.open))


@lru_cache(maxsize=2)
def tug_play(game: Profile) -> TugPlay:
    """`TugPlay`, cached for the latest games."""
    return TugPlay(game)


class Tug(TurnSolver):
    """The chance to win, for which alone a tug is played."""

    def prepare(self) -> None:
        """Solves the tug."""
        tug_play(self.game)

    def play(self, match: Match) -> TugPlay:
        """The best play of either player."""
        return tug_play(self.game)

    def _chances(self, match: Match) -> tuple[float, ...]:
        own = float(self.worth(match))
        return tuple(own if row.opens is match.turn.opens else 1 - own for row in match.round.rows)

    def _reasons(self, players: int, about: About) -> Iterator[tuple[str, str]]:
        game = self.game
        if about is About.HEAD_START:
            yield from super()._reasons(players, about)
            return
        if players != order_of(game).seats(game, players):
            yield "turns", "it is for two players, or two teams"
        if game.first_move_must_include is not None:
            yield "first_move_must_include", "a tug has no odds with a tile that must go first"
        if game.match is not MatchFormat.TOTAL and about is About.MATCH:
            yield "match", "later rounds only have odds with totals"


def _worths(model: TurnModel) -> list[float]:
    """The chance to win at every position of a turn; the ends come first."""
    whole, row = model.row.size - 1, model.row
    begins = [model.number(Turn(row.sparse(mask))) if mask else 0 for mask in range(row.size)]
    # Each end of a turn that leaves tiles, and where the other player continues. If the other has no tile to
    # move, the same player begins another turn.
    others = [(model.stops[begins[mask]], mask, begins[whole ^ mask]) for mask in range(1, row.size)]

    def ends_of(worths: list[int], one: int) -> None:
        for end, mask, other in others:
            worths[end] = 2 * one - worths[other] if other else worths[begins[mask]]

    # In halves: where nobody can ever move a tile, both keep the even chance that all start with.
    found = Iteration(model, Goal(lambda end: (1 + end.shut, 0)), ends_of).worths[0]
    return [worth / (2 << UNIT_BITS) for worth in found]
