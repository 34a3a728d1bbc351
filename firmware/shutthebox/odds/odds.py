"""The odds of a profile: the worth of any position, and its best decisions.

Positions are the rules' own `Turn`s, and every answer is tried with the rules' own functions,
so no rule is repeated here; the solvers only give the worth of a turn that awaits a throw. Making `Odds`
takes some milliseconds for most rules (see `shutthebox.odds.backward_induction`). Afterwards everything but
a distribution is a look-up.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from shutthebox.odds.graph_solver import GraphSolver
from shutthebox.odds.one_pass import Table
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import (
    End,
    Exact,
    Goal,
    Number,
    Objective,
    OddsError,
    Ranked,
    Solver,
    Value,
    Worth,
    sign,
)
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Blocked, Draw, Profile, Scoring, ShutWins, Win
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn

KEPT_TABLES = 4
"""Games whose tables `odds_for_points` keeps: of twelve tiles each takes some two megabytes."""

_GOALS = {Objective.SCORE: 0, Objective.SHUT: 1}


def solver_for(space: Space, goals: tuple[Goal, Goal]) -> Solver:
    """The solver that fits a profile's rules.

    Raises:
        TooLargeError: if none of them would end in reasonable time.
    """
    profile = space.profile
    graph = profile.draw is Draw.DOMINOES or profile.rows == 2 or profile.insurance
    if graph or profile.blocked is Blocked.OPENS_ONE:
        return GraphSolver(space, goals)
    return Table(space, goals)


def for_points(profile: Profile) -> Profile:
    """The rules by which points are counted: a race is won by throws, so throws count instead."""
    if not profile.is_race:
        return profile
    return replace(profile, win=Win.LOWEST, score=Scoring.THROWS, shut_wins=ShutWins.NO)


@lru_cache(maxsize=KEPT_TABLES)
def odds_for_points(profile: Profile) -> "Odds":
    """The odds of the rules by which points are counted; those of the latest games are kept.

    Raises:
        OddsError: if the game is too large, or has no exact odds.
    """
    return Odds(for_points(profile))


def options(profile: Profile, turn: Turn) -> Iterator[tuple[Tiles, Turn]]:
    """The options for the throw on the table: the tiles shut (or opened), and the turn after it.

    A throw that can only be passed has one option, of no tiles.
    """
    answers = turns.answers(profile, turn)
    for shut in answers:
        yield shut, turns.move(profile, turn, shut)
    if answers:
        return
    reopenings = to_numbers(turns.reopenings(profile, turn))
    for tile in reopenings:
        yield to_tiles([tile]), turns.reopen(profile, turn, tile)
    if not reopenings:
        yield 0, turns.move(profile, turn, 0)


class Choices:
    """The best decisions at any position, for the goals of a solver.

    Worths here are those of the whole turn, throws already made included.
    """

    def __init__(self, profile: Profile, solver: Solver, scores: tuple[int, int]) -> None:
        """Makes it.

        Args:
            profile: the game.
            solver: gives the worth of a turn that awaits a throw.
            scores: for each goal the part of its `Worth` that is the score, 0 or 1.
        """
        self.profile = profile
        self.solver = solver
        self._scores = scores
        self._sign = sign(profile)
        self._counts = profile.score is Scoring.THROWS

    def worth(self, turn: Turn, goal: int) -> Worth:
        """The worth of any turn that is not over."""
        if turn.awaits_answer:
            return max((self.after(turn, goal) for _, turn in options(self.profile, turn)), key=self.order)
        return self._made(self.solver.worth(turn, goal), turn, goal)

    def after(self, turn: Turn, goal: int) -> Worth:
        """The worth of a turn after an answer; it may be over."""
        if turn.outcome is None:
            return self.worth(turn, goal)
        return self.over(turn, goal)

    def over(self, turn: Turn, goal: int) -> Worth:
        """The worth of a turn that is over."""
        assert turn.score is not None, "a turn that is over has a score"
        score, other = Fraction(self._sign * turn.score), Fraction(turn.outcome is Outcome.SHUT)
        return Worth(other, score) if self._scores[goal] else Worth(score, other)

    def with_dice(self, turn: Turn, goal: int, dice: int) -> Worth:
        """The worth of a turn if so many dice are thrown now."""
        return self._made(self.solver.worth_with(turn, goal, dice), turn, goal)

    def ranked(self, turn: Turn, goal: int) -> list[tuple[Tiles, Turn, Worth]]:
        """The options for the throw on the table, the best first."""
        found = [(tiles, after, self.after(after, goal)) for tiles, after in options(self.profile, turn)]
        return sorted(found, key=lambda option: self.order(option[2]), reverse=True)

    def order(self, worth: Worth) -> tuple[Number, Number]:
        """The key to compare worths by; those found by iteration are equal if almost equal."""
        if self.solver.exact:
            return worth
        return round(float(worth.first), 9), round(float(worth.second), 9)

    def _made(self, worth: Worth, turn: Turn, goal: int) -> Worth:
        """The worth of the rest of a turn, plus that of the throws already made."""
        if not self._counts:
            return worth
        made = self._sign * turn.throws
        if self._scores[goal]:
            return Worth(worth.first, worth.second + made)
        return Worth(worth.first + made, worth.second)


class Odds:
    """A profile's odds under best play, for both objectives.

    Attributes:
        profile: the game, on the box that is played.
        exact: whether values are exact up to the rounding of a float; else they come from an
            iteration and are good to nine digits.

    Example:
        The value of a turn of the traditional game, and the best answer to a first throw of 6 and 4.

        >>> from shutthebox.config.profiles import builtin
        >>> odds = Odds(builtin("traditional"))
        >>> turn = turns.start(odds.profile)
        >>> round(odds.value(turn).score, 6)
        11.009209
        >>> best, *others = odds.ranked(turns.throw(odds.profile, turn, (6, 4)))
        >>> to_numbers(best.tiles)
        (1, 9)
    """

    def __init__(self, profile: Profile, tiles: Tiles | None = None) -> None:
        """Solves the profile.

        Args:
            profile: the game, on the box that is played.
            tiles: tiles that positions may have open, beside those that a turn starts with.

        Raises:
            TooLargeError: for more than 12 tiles, or rules with too many positions; there is
                `shutthebox.odds.estimate` for them.
        """
        self.profile = profile
        space = Space(profile, tiles)
        solver = solver_for(space, (space.goal(Objective.SCORE), space.goal(Objective.SHUT)))
        self._solver = solver
        self._choices = Choices(profile, solver, (0, 1))
        self.exact = solver.exact
        if profile.draw is Draw.DOMINOES:
            # Solved now, to find out whether there are too many positions.
            solver.worth(turns.start(profile), 0)

    def value(self, turn: Turn, objective: Objective = Objective.SCORE) -> Value:
        """The value of the turn; with a throw on the table, after the best answer to it."""
        return self._value(self._worth(turn, objective), objective)

    def fractions(self, turn: Turn, objective: Objective = Objective.SCORE) -> Exact:
        """`value` as exact fractions.

        Raises:
            OddsError: where the values come from an iteration, or the fractions are too long.
        """
        if not self.exact:
            raise OddsError("the values of these rules are not fractions; they are good to nine digits")
        worth = self._worth(turn, objective)
        first, second = Fraction(worth.first), Fraction(worth.second)
        best = sign(self.profile)
        if objective is Objective.SHUT:
            return Exact(best * second, first)
        return Exact(best * first, second)

    def with_dice(self, turn: Turn, dice: int, objective: Objective = Objective.SCORE) -> Value:
        """The value of a turn that awaits a throw if so many dice are thrown now.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        return self._value(self._choices.with_dice(turn, _GOALS[objective], dice), objective)

    def points(self, turn: Turn) -> Fraction:
        """The expected score as a fraction: exact, or that of the float found by iteration."""
        return sign(self.profile) * Fraction(self._worth(turn, Objective.SCORE).first)

    def points_with(self, turn: Turn, dice: int) -> Fraction:
        """`points` of a turn that awaits a throw, if so many dice are thrown now.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        return sign(self.profile) * Fraction(self._choices.with_dice(turn, 0, dice).first)

    def best_dice(self, turn: Turn, objective: Objective = Objective.SCORE) -> int:
        """How many dice to throw at a turn that awaits a throw."""
        return self._solver.best_dice(turn, _GOALS[objective])

    def one_die(self, turn: Turn, objective: Objective = Objective.SCORE) -> bool | None:
        """Whether one die is best; None where there is no choice, or no throw to be made."""
        if turn.outcome is not None or turn.awaits_answer:
            return None
        if len(dice_allowed(self.profile, turn.open, turn.behind)) < 2:
            return None
        return self.best_dice(turn, objective) == 1

    def ranked(self, turn: Turn, objective: Objective = Objective.SCORE) -> tuple[Ranked, ...]:
        """Every answer to the throw on the table, the best first; none if there is none.

        Where a blocked player opens a tile, the answers are the tiles that may be opened.
        """
        if not turn.awaits_answer:
            return ()
        ranked = self._choices.ranked(turn, _GOALS[objective])
        if not ranked[0][0]:
            return ()
        best = ranked[0][2]
        return tuple(
            Ranked(tiles, self._value(worth, objective), max(0.0, float(best.first - worth.first)))
            for tiles, _, worth in ranked
        )

    def ranked_points(self, turn: Turn) -> tuple[tuple[Tiles, Fraction], ...]:
        """The options for the throw on the table, each with its `points`, the best first.

        A throw that can only be passed has one answer, of no tiles.
        """
        best = sign(self.profile)
        return tuple(
            (tiles, best * Fraction(worth.first)) for tiles, _, worth in self._choices.ranked(turn, 0)
        )

    def follow(self, turn: Turn, objective: Objective = Objective.SCORE) -> Turn:
        """The turn after the best answer to the throw on the table (a pass where there is none)."""
        return self._choices.ranked(turn, _GOALS[objective])[0][1]

    def ends(
        self, turn: Turn, objective: Objective = Objective.SCORE, *, exact: bool = False
    ) -> dict[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Args:
            turn: any turn.
            objective: of the play.
            exact: in fractions.

        Raises:
            OddsError: if fractions are asked for and there are none.
        """
        if turn.awaits_answer:
            turn = self.follow(turn, objective)
        if turn.outcome is not None:
            assert turn.score is not None, "a turn that is over has a score"
            return {End(turn.score, turn.outcome is Outcome.SHUT): Fraction(1) if exact else 1.0}
        ends = self._solver.ends(turn, _GOALS[objective], exact=exact)
        return dict(sorted(ends.items()))

    def distribution(self, turn: Turn, objective: Objective = Objective.SCORE) -> dict[int, float]:
        """The probability of every final score under best play, by rising score."""
        scores: dict[int, float] = {}
        for end, chance in self.ends(turn, objective).items():
            scores[end.score] = scores.get(end.score, 0.0) + float(chance)
        return scores

    def _worth(self, turn: Turn, objective: Objective) -> Worth:
        goal = _GOALS[objective]
        return self._choices.after(turn, goal)

    def _value(self, worth: Worth, objective: Objective) -> Value:
        score, shut = worth if objective is Objective.SCORE else reversed(worth)
        # Adding 0.0 turns -0.0 into 0.0; an iteration may overshoot a chance by a rounding.
        return Value(sign(self.profile) * float(score) + 0.0, min(1.0, max(0.0, float(shut))))
