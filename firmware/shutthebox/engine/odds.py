"""Exact odds: what a turn is worth under best play, what each move costs, and who wins."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from shutthebox.engine.game import Game
from shutthebox.engine.match import Match
from shutthebox.engine.turn import Turn
from shutthebox.odds import coach
from shutthebox.odds import odds as solved
from shutthebox.odds.bank import Bank
from shutthebox.odds.pick import pick
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.solver import About
from shutthebox.odds.worths import Objective
from shutthebox.rules import match as matches
from shutthebox.rules import turn as turns
from shutthebox.rules.orders import order_of
from shutthebox.rules.tiles import Tiles, to_numbers

Aim: TypeAlias = Literal["score", "shut"]
"""What a player plays for: the best expected score, or the best chance to shut the box."""


class Value(NamedTuple):
    """What a turn is worth.

    Attributes:
        score: the expected score.
        shut: the chance to shut the box, from 0 to 1.
    """

    score: Fraction | float
    shut: Fraction | float


class RankedMove(NamedTuple):
    """A legal move, and what it's worth.

    Attributes:
        move: the tiles, as in `Turn.legal_moves`.
        score: the expected score after it.
        shut: the chance to shut the box after it.
        cost: what it gives away compared with the best move: points, or chance to shut the box; 0 or more.
    """

    move: tuple[int, ...]
    score: float
    shut: float
    cost: float


class Odds:
    """The exact odds of a game, for best play. Each method takes a turn of the game, at any point.

    Solving a game takes milliseconds to seconds, at the first question. Games with up to twelve tiles have
    exact odds, unless they share one row.

    Example:
        >>> game = Game.from_name("traditional")
        >>> odds = Odds(game)
        >>> round(odds.value(Turn.start(game)).score, 6)
        11.009209
        >>> odds.best_move(Turn.start(game).throw(6, 4))
        (1, 9)

    Attributes:
        game: what's played.
    """

    def __init__(self, game: Game) -> None:
        """Finds all positions.

        Raises:
            OddsError: the game is too large, or its turns have no odds.
        """
        self.game = game
        self._odds = solved.odds_for_points(game.profile)

    @property
    def is_exact(self) -> bool:
        """Whether values are known as fractions; otherwise they're good to nine digits."""
        return self._odds.exact

    def value(self, turn: Turn | None = None, aim: Aim = "score") -> Value:
        """What a turn is worth; with a throw on the table, after the best move.

        Args:
            turn: None for a whole turn.
            aim: what's played for.

        Raises:
            OddsError: no turn of this game can get there.
        """
        return Value(*self._odds.value(self._state(turn), Objective(aim)))

    def exact_value(self, turn: Turn | None = None, aim: Aim = "score") -> Value:
        r"""`value` as fractions.

        >>> game = Game.from_text('like = "traditional"\none_die = "never"')
        >>> Odds(game).exact_value(aim="shut").shut
        Fraction(466473281, 6530347008)

        Raises:
            OddsError: these odds have no fractions (`is_exact`).
        """
        return Value(*self._odds.fractions(self._state(turn), Objective(aim)))

    def rank(self, turn: Turn, aim: Aim = "score") -> tuple[RankedMove, ...]:
        """Every legal move for the throw on the table, best first; none if there's nothing to decide."""
        is_opening = bool(turns.reopenings(turn.game.profile, turn.state))
        return tuple(
            RankedMove(_move(each.tiles, is_opening), *each.value, each.cost)
            for each in self._odds.ranked(turn.state, Objective(aim))
        )

    def best_move(self, turn: Turn, aim: Aim = "score") -> tuple[int, ...]:
        """The best move for the throw on the table; the empty one if the throw can only be passed.

        Raises:
            ValueError: there's no throw on the table.
        """
        if not turn.awaits_move:
            raise ValueError("no move is next")
        ranked = self.rank(turn, aim)
        return ranked[0].move if ranked else ()

    def best_dice(self, turn: Turn, aim: Aim = "score") -> int:
        """How many dice to throw.

        Raises:
            ValueError: no throw is next.
        """
        if not turn.awaits_throw:
            raise ValueError("no throw is next")
        return self._odds.best_dice(turn.state, Objective(aim))

    def distribution(self, turn: Turn | None = None, aim: Aim = "score") -> dict[int, float]:
        """The chance of every final score, by rising score."""
        found = self._odds.distribution(self._state(turn), Objective(aim))
        return dict(sorted(found.items()))

    def _state(self, turn: Turn | None) -> turns.Turn:
        return turns.start(self._odds.rules) if turn is None else turn.state


def chances_to_win(game: Game, players: int) -> tuple[float, ...]:
    """Each seat's chance to win a round if all play their best for the win, in the order of play.

    >>> [round(chance, 6) for chance in chances_to_win(Game.from_name("thai"), 2)]
    [0.497132, 0.502868]

    Raises:
        OddsError: nobody's chance is known in this game; the text says why.
        ValueError: that number of players isn't allowed.
    """
    beginning = matches.begin(game.profile, players)
    winner = pick(game.profile).win
    winner.check(players, About.ROUND)
    if isinstance(winner, Bank):
        return tuple(winner.seat_outlook(seat)[0] for seat in range(players))
    if order_of(game.profile).one_turn_each:
        return Equilibrium(game.profile, players).chances(beginning.totals)
    return winner.chances(beginning)


class Decision(NamedTuple):
    """A choice between two moves or more, or of a number of dice, and what it cost.

    Attributes:
        player: who chose, from 0.
        round: of the match, from 1.
        open: the tiles that were open.
        thrown: the faces on the table; None for a choice of dice.
        chosen: the move; for a choice of dice, a tuple of their number.
        best: the best choice, likewise.
        points: what it gave away in points; 0 for the best choice.
        win: what it gave away in chance to win, from 0 to 1; None if that's unknown.
    """

    player: int
    round: int
    open: tuple[int, ...]
    thrown: tuple[int, ...] | None
    chosen: tuple[int, ...]
    best: tuple[int, ...]
    points: float
    win: float | None


def review(match: Match, *, for_win: bool = True) -> tuple[Decision, ...]:
    """Every decision of a match so far, in order, and what it cost.

    >>> match = Match.start(Game.from_name("traditional"), players=1).throw(6, 4).move(4, 6)
    >>> [(decision.best, round(decision.points, 3)) for decision in review(match)]
    [((1, 9), 2.517)]

    Args:
        match: at any point.
        for_win: also in chance to win, which may take seconds.

    Raises:
        OddsError: the game has no exact odds.
    """
    beginning = match.record().contents.beginning
    found = coach.review(beginning, match.actions, for_win=for_win)
    return tuple(
        Decision(
            each.player,
            each.round,
            to_numbers(each.open),
            each.throw,
            (each.chosen,) if each.throw is None else each.numbers(each.chosen),
            (each.best,) if each.throw is None else each.numbers(each.best),
            float(each.points),
            None if each.win is None else float(each.win),
        )
        for each in found.decisions
    )


def _move(tiles: Tiles, is_opening: bool) -> tuple[int, ...]:
    return tuple(-tile for tile in to_numbers(tiles)) if is_opening else to_numbers(tiles)
