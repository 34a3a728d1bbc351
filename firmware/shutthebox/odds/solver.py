"""One question to the odds, whatever is played for: what may be done, what's it worth, who'll win?

`shutthebox.odds.pick` picks a game's solvers. Each is a class here or in a module of its own, and says itself
why it doesn't know something: nobody else has to ask what kind of game it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from enum import Enum

from shutthebox.odds.evaluate import TurnPlay
from shutthebox.odds.options import Unit
from shutthebox.odds.worths import Number, OddsError
from shutthebox.rules.handicap import points_off, tiles_off
from shutthebox.rules.match import Match, begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Blocked, First, MatchFormat, Profile, Scoring, Stakes, Tie, Win
from shutthebox.rules.turn import Turn
from shutthebox.rules.writer import to_toml


class About(Enum):
    """A question about the seats.

    `ROUND` is each seat's chance in a single round; `MATCH`, its chance before every turn of a match, for
    hints and reviews; `HEAD_START`, the points that make a round of two fair.
    """

    ROUND = "round"
    MATCH = "match"
    HEAD_START = "head start"


class Solver:
    """The odds of one game, for one thing that its players play for; here, the limits of what's known.

    Creating one is quick; a question may take seconds the first time. Every question may raise an OddsError:
    a key of the game isn't understood, or it has too many positions.

    Attributes:
        game: as agreed at the table, on the box in play.
        unit: of all worths. Higher is always better, so a score that should be low is negative.
    """

    unit = Unit.CHANCE

    def __init__(self, game: Profile) -> None:
        self.game = game

    def why_not(self, players: int, about: About = About.MATCH) -> str | None:
        """Why nobody's chance to win is known, naming the key; None if it is.

        The rules may still have too many positions, which only shows when they're enumerated.
        """
        for key, why in self._reasons(players, about):
            return f"{self.game.name}: {key} = {to_toml(getattr(self.game, key))}: {why}"
        return None

    def check(self, players: int, about: About = About.MATCH) -> None:
        """Checks that the chances to win are known.

        Raises:
            OddsError: they aren't; the text says why.
        """
        if why := self.why_not(players, about):
            raise OddsError(why)

    def prepare(self) -> None:
        """Solves in advance what will be needed first."""

    def options(self, match: Match) -> list[tuple[int, Number]]:
        """Whatever the current player may do, each with its worth, best first.

        Before a throw, these are numbers of dice; after it, the tiles to shut or open. There are none if the
        throw can only be passed.
        """
        raise OddsError(f"{self.game.name}: no option's worth is known")

    def worth(self, match: Match, turn: Turn | None = None) -> Number:
        """The worth of a match to the current player.

        Args:
            match: at any point of a turn.
            turn: another state of that turn, even its end; None as it is.
        """
        raise OddsError(f"{self.game.name}: the worth of a turn isn't known")

    def chances(self, match: Match) -> tuple[float, ...]:
        """Every player's chance to win, at the start of a turn or when the match is decided."""
        if match.result is not None:
            winners = match.result.winners
            return tuple(
                (player in winners) / len(winners) if winners else 0.0 for player in range(match.players)
            )
        return self._chances(match)

    def _chances(self, match: Match) -> tuple[float, ...]:
        """`chances` of an undecided match."""
        raise OddsError(f"{self.game.name}: nobody's chance to win is known")

    def _reasons(self, players: int, about: About) -> Iterator[tuple[str, str]]:
        """The keys that rule out chances to win, and why."""
        yield from _reasons_of_seats(self.game, players, about)
        yield from self._reasons_of_turns(players, about)
        yield from _reasons_of_rounds(self.game, about)

    def _reasons_of_turns(self, players: int, about: About) -> Iterator[tuple[str, str]]:
        """The same, of the keys that say how turns are played."""
        game = self.game
        if game.score is Scoring.THROWS:
            yield "score", "there are no odds against others if throws are the score"
        if game.blocked is Blocked.OPENS_ONE:
            yield "blocked", "there are no odds against others if tiles can open again"
        if not order_of(game).one_turn_each:
            yield "turns", "there are only odds for whole turns, one after the other"
        elif game.win is Win.FIRST_TO_SHUT:
            yield "win", "there are only odds for whole turns that are won by points"


class TurnSolver(Solver):
    """A solver that solves one turn at a time, for given worths of its ends."""

    @abstractmethod
    def play(self, match: Match) -> TurnPlay:
        """The best play of the current turn."""

    def options(self, match: Match) -> list[tuple[int, Number]]:
        """The choices of the best play."""
        play = self.play(match)
        if match.stage is Stage.THROW:
            allowed = match.dice_allowed
            if len(allowed) == 1:
                # A throw for everyone may need all dice where this row alone allows, or forces, one.
                return [(allowed[0], 0)]
        return [(choice, worth.main) for choice, worth in play.choices(match.turn)]

    def worth(self, match: Match, turn: Turn | None = None) -> Number:
        """The worth of the turn under the best play."""
        return self.play(match).worth(turn or match.turn).main


def _reasons_of_rounds(game: Profile, about: About) -> Iterator[tuple[str, str]]:
    if game.tie is Tie.CARRY:
        yield "tie", "there are no odds for a pool or a point that stays"
    if about is About.ROUND:
        return
    if game.match is not MatchFormat.TOTAL:
        yield "match", "later rounds only have odds with totals"
    if game.rounds != 1 and about is About.HEAD_START:
        yield "rounds", "a fair head start is for a single round"
    if game.stakes is Stakes.BANK:
        yield "stakes", "everybody plays against the bank, not against each other"
    if game.shut_others:
        yield "shut_others", "there are no odds for what a shut box costs everyone else"
    if game.rows == 2:
        yield "rows", "two rows have too many positions here"
    if game.insurance and about is About.MATCH:
        yield "insurance", "it has too many positions for each turn of a match"


def _reasons_of_seats(game: Profile, players: int, about: About) -> Iterator[tuple[str, str]]:
    if game.is_solo:
        yield "match", "it is played alone"
    elif players == 1 and about is About.MATCH:
        yield "match", "there is nobody to play against"
    elif begin(game, players).in_teams:
        yield "teams", "there are no odds for teams"
    if any(tiles_off(game, seat) for seat in range(players)):
        yield "handicap", "there are no odds for head starts in tiles; use points"
    if any(points_off(game, seat) for seat in range(players)):
        if about is About.HEAD_START:
            yield "handicap", "the game has head starts of its own"
        if game.shut_others:
            # Without them, whoever has shut the box leads anyway, and the others keep their order.
            yield "shut_others", "there are no odds with head starts in points"
    if game.first is First.WINNER and game.tie is Tie.REPLAY_ALL and players > 2:
        yield "first", 'with tie = "replay-all", there are odds for two players only'
