"""The odds of a profile: the worth of any position, and its best decisions.

Positions are the rules' own `Turn`s, and every answer is tried with the rules' own functions, so no rule is
repeated here; the model only has the worth of turns that await a throw. For most rules, creating `Odds` takes
some milliseconds. Afterwards everything but a distribution is a look-up.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from shutthebox.odds.evaluate import BestPlay
from shutthebox.odds.model import TurnModel
from shutthebox.odds.options import Unit
from shutthebox.odds.solver import TurnSolver
from shutthebox.odds.worths import (
    End,
    Exact,
    Number,
    Objective,
    OddsError,
    Ranked,
    Value,
    Worth,
    goal_of,
    sign,
)
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Profile, Scoring, ShutWins, Win
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Turn

KEPT_TABLES = 4
"""How many games' tables `odds_for_points` keeps; with twelve tiles, each takes some megabytes."""


def for_points(rules: Profile) -> Profile:
    """The rules that count points: in a race, throws count instead."""
    if not rules.is_race:
        return rules
    return replace(rules, win=Win.LOWEST, score=Scoring.THROWS, shut_wins=ShutWins.NO)


@lru_cache(maxsize=KEPT_TABLES)
def odds_for_points(rules: Profile) -> "Odds":
    """The odds under the rules that count points; cached for the latest games.

    Raises:
        OddsError: the game is too large, or has no exact odds.
    """
    return Odds(for_points(rules))


class Odds:
    """A profile's odds under best play, for both objectives.

    Attributes:
        rules: the game, on the box in play.

    Example:
        The value of a turn of the traditional game, and the best answer to a first throw of 6 and 4.

        >>> from shutthebox.config.profiles import builtin
        >>> from shutthebox.rules import turn as turns
        >>> from shutthebox.rules.tiles import to_numbers
        >>> odds = Odds(builtin("traditional"))
        >>> turn = turns.start(odds.rules)
        >>> round(odds.value(turn).score, 6)
        11.009209
        >>> best, *others = odds.ranked(turns.throw(odds.rules, turn, (6, 4)))
        >>> to_numbers(best.tiles)
        (1, 9)
    """

    def __init__(self, rules: Profile, turn: Turn | None = None) -> None:
        """Enumerates the positions; each objective is solved at its first use.

        Args:
            rules: the game, on the box in play.
            turn: where to start; by default, a whole turn.

        Raises:
            OddsError: a key of the game isn't understood.
            TooLargeError: there are more than 12 tiles, or too many positions; see
                `shutthebox.odds.terminal.estimate`.
        """
        if not order_of(rules).has_points:
            raise OddsError(f'{rules.name}: with turns = "{rules.turns}" a turn is worth no points')
        self.rules = rules
        self._model = TurnModel(rules, turn)
        self._plays: dict[Objective, BestPlay] = {}

    @property
    def exact(self) -> bool:
        """Whether values are exact fractions rather than good to nine digits."""
        return self._model.unit != 0

    def value(self, turn: Turn, objective: Objective = Objective.SCORE) -> Value:
        """The value of a turn; with a throw on the table, after the best answer to it."""
        return self._value(self.play(objective).worth(turn), objective)

    def fractions(self, turn: Turn, objective: Objective = Objective.SCORE) -> Exact:
        """`value` as exact fractions.

        Raises:
            OddsError: the values come from an iteration, or the fractions are too long.
        """
        if not self.exact:
            raise OddsError("the values of these rules are not fractions; they are good to nine digits")
        worth = self.play(objective).worth(turn)
        first, second = Fraction(worth.main), Fraction(worth.tie_breaker)
        best = sign(self.rules)
        return Exact(best * second, first) if objective is Objective.SHUT else Exact(best * first, second)

    def with_dice(self, turn: Turn, dice: int, objective: Objective = Objective.SCORE) -> Value:
        """The value of a turn that awaits a throw, if this many dice are thrown now.

        Raises:
            ValueError: the rules don't allow that number of dice here.
        """
        return self._value(self.play(objective).with_dice(turn, dice), objective)

    def best_dice(self, turn: Turn, objective: Objective = Objective.SCORE) -> int:
        """How many dice to throw in a turn that awaits a throw."""
        return self.play(objective).best_dice(turn)

    def most_throws(self, objective: Objective = Objective.SCORE) -> int | None:
        """From which throw on one without a move ends the turn, if turns last so long; else None."""
        return MAX_THROWS if self.play(objective).is_limited else None

    def one_die(self, turn: Turn, objective: Objective = Objective.SCORE) -> bool | None:
        """Whether one die is best; None if there's no choice, or no throw to make."""
        return self.play(objective).one_die(turn)

    def ranked(self, turn: Turn, objective: Objective = Objective.SCORE) -> tuple[Ranked, ...]:
        """Every answer to the throw on the table, best first; may be empty.

        If a blocked player opens a tile, the answers are the tiles that may be opened.
        """
        if not turn.awaits_answer:
            return ()
        ranked = self.play(objective).ranked(turn)
        best = ranked[0][2]
        return tuple(
            Ranked(tiles, self._value(worth, objective), max(0.0, float(best.main - worth.main)))
            for tiles, _, worth in ranked
            if tiles
        )

    def ends(
        self, turn: Turn, objective: Objective = Objective.SCORE, *, exact: bool = False
    ) -> dict[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Args:
            turn: any turn.
            objective: of the play.
            exact: as fractions.

        Raises:
            OddsError: there are no fractions.
        """
        return self.play(objective).ends(turn, exact=exact)

    def distribution(self, turn: Turn, objective: Objective = Objective.SCORE) -> dict[int, float]:
        """The probability of every final score under best play, by rising score."""
        scores: dict[int, float] = {}
        for end, chance in self.ends(turn, objective).items():
            scores[end.score] = scores.get(end.score, 0.0) + float(chance)
        return scores

    def play(self, objective: Objective = Objective.SCORE) -> BestPlay:
        """The best play."""
        if objective not in self._plays:
            self._plays[objective] = BestPlay(self._model, goal_of(self.rules, objective))
        return self._plays[objective]

    def _value(self, worth: Worth, objective: Objective) -> Value:
        score, shut = worth if objective is Objective.SCORE else reversed(worth)
        # Adding 0.0 turns -0.0 into 0.0; iteration may overshoot a chance by a rounding error.
        return Value(sign(self.rules) * float(score) + 0.0, min(1.0, max(0.0, float(shut))))


class Points(TurnSolver):
    """The score of a turn alone, whatever the others do."""

    def __init__(self, game: Profile) -> None:
        super().__init__(game)
        self.unit = Unit.THROWS if for_points(game).score is Scoring.THROWS else Unit.POINTS

    def prepare(self) -> None:
        """Solves the first throw of a turn."""
        odds_for_points(self.game).value(turns.start(self.game))

    def play(self, match: Match) -> BestPlay:
        """The best play under the rules of the current player's seat."""
        return odds_for_points(match.rules).play()

    def worth(self, match: Match, turn: Turn | None = None) -> Number:
        """The expected score. In a race, that's the number of throws."""
        turn = turn or match.turn
        if turn.outcome is not None and match.game.is_race:
            turn = Turn(turn.open, throws=turn.throws, outcome=turn.outcome, score=turn.throws)
        return super().worth(match, turn)
