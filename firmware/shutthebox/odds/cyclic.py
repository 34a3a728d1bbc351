"""Rules that open tiles again: positions come round, so their worths are found by iteration.

A throw without a move opens a tile, and a position can follow itself. The best play is found by
policy iteration: the worths of a fixed way to play are the solution of a linear system, better
answers are chosen on them, and so on until no answer can be bettered. It starts from play for
the fewest throws, which ends; an improvement never makes play that goes round for ever.

Where to stay is better than to shut (the highest sum of open tiles wins), play that ends is
not best. Then the rules' own limit of throws in a turn is played back from its last throw.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from shutthebox.odds.linear_system import Rows, solve, solve_exactly
from shutthebox.odds.policy_iteration import best_play, fewest_throws, mean
from shutthebox.odds.state_space import Space
from shutthebox.odds.transitions import Events
from shutthebox.odds.values import End, Goal, Number, OddsError, Worth
from shutthebox.rules.profile import Scoring
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Turn

_EXACT_POSITIONS = 128
_NEGLIGIBLE = 1e-14
_STEADY, _STEADY_FOR = 1e-13, 12

Chances: TypeAlias = tuple[list[tuple[int, float]], float]
"""What follows a position, each with its probability, and the chance that nothing does."""


class Cycle:
    """Every position of a profile whose blocked throws open a tile."""

    exact = False

    def __init__(self, space: Space, goals: tuple[Goal, Goal]) -> None:
        self._space = space
        self._profile = space.profile
        self._goals = goals
        self._scores = space.scores()
        self._events = Events(space)
        soonest = fewest_throws(self._events)
        self._plays = [best_play(self._events, goal, soonest) for goal in goals]

    def worth(self, turn: Turn, goal: int) -> Worth:
        """What the position is worth; throws already made do not count."""
        return self._with_roll(turn, goal, self._roll(turn, goal))

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """What it is worth if so many dice are thrown now, and play is best afterwards.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        return self._with_roll(turn, goal, self._events.index(self._space.dense(turn.open), dice))

    def best_dice(self, turn: Turn, goal: int) -> int:
        """How many dice to throw."""
        return self._events.rolls(self._space.dense(turn.open))[self._roll(turn, goal)].dice

    def fractions(self, turn: Turn, goal: int) -> Worth:
        """The worth under the play found, as fractions.

        Raises:
            OddsError: on a row too long for that, or where play has no end.
        """
        if self._space.size > _EXACT_POSITIONS or self._is_first(turn):
            raise OddsError("fractions of rules that open tiles again are for rows of up to 7 tiles")
        play, aim = self._plays[goal], self._goals[goal]
        rows: list[dict[int, Fraction]] = [{}]
        stops: list[Fraction] = [Fraction(1)]
        for mask in range(1, self._space.size):
            total = self._events.rolls(mask)[play.dice[mask]].total
            row: dict[int, Fraction] = {}
            events = self._events.at[mask][play.dice[mask]]
            for (weight, _), after in zip(events, play.after[mask], strict=True):
                row[after] = row.get(after, Fraction(0)) + Fraction(weight, total)
            rows.append(row)
            stops.append(1 - sum(row.values(), Fraction(0)))
        solved = []
        for part in (0, 1):
            constants = [
                stop * aim.ends[mask][part] + (aim.per_throw[part] if mask else 0)
                for mask, stop in enumerate(stops)
            ]
            try:
                solved.append(solve_exactly(rows, constants)[self._space.dense(turn.open)])
            except ZeroDivisionError:
                raise OddsError("play for this goal has no end, so it has no fractions") from None
        return Worth(*solved)

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Raises:
            OddsError: if fractions are asked for.
        """
        if exact:
            raise OddsError("a turn without a last throw has no list of ends in fractions")
        counts = self._profile.score is Scoring.THROWS
        ends: dict[End, float] = {}

        def end(score: int, shut: bool, mass: float) -> None:
            if mass:
                ends[End(score, shut)] = ends.get(End(score, shut), 0.0) + mass

        start = self._space.dense(turn.open)
        layer = {start: 1.0}
        throws = turn.throws
        if self._is_first(turn):
            throws += 1
            layer, stopped, lost = self._first(turn, goal, self._roll(turn, goal))
            end(self._space.lost(), False, lost)
            end(throws if counts else self._scores[start], False, stopped)
        chances = [self._chances(mask, goal) for mask in range(self._space.size)]
        if not counts:
            for mask, visits in enumerate(self._visits(layer, chances)):
                end(self._scores[mask], not mask, visits * chances[mask][1])
            return ends
        end(throws, True, layer.pop(0, 0.0))
        left = sum(layer.values())
        ratios = [0.0] * _STEADY_FOR
        while layer and throws < MAX_THROWS:
            throws += 1
            following: dict[int, float] = {}
            stopped = 0.0
            for mask, mass in layer.items():
                after, stop = chances[mask]
                for position, chance in after:
                    following[position] = following.get(position, 0.0) + mass * chance
                stopped += mass * stop
            shut = following.pop(0, 0.0)
            end(throws, True, shut)
            end(throws, False, stopped)
            layer = following
            before, left = left, sum(layer.values())
            if left < _NEGLIGIBLE:
                break
            ratios = [*ratios[1:], left / before]
            if max(ratios) < 1.0 and max(ratios) - min(ratios) < _STEADY:
                # From here on every throw leaves the same share of what is left.
                for number in range(throws + 1, MAX_THROWS + 1):
                    shut, stopped = shut * ratios[-1], stopped * ratios[-1]
                    end(number, True, shut)
                    end(number, False, stopped)
                break
        return ends

    def _visits(self, start: dict[int, float], chances: list[Chances]) -> list[float]:
        """How often each position is met; one that ends the turn is met once or never."""
        size = self._space.size
        # Play goes down most of the time, and the system is solved in rising order.
        rows: Rows = [[] for _ in range(size)]
        for mask in range(size):
            for after, chance in chances[mask][0]:
                rows[size - 1 - after].append((size - 1 - mask, chance))
        constants = [start.get(size - 1 - at, 0.0) for at in range(size)]
        visits = solve(rows, constants, constants)
        if visits is None:
            raise OddsError("play for this goal has no end, so there is no list of ends")
        return visits[::-1]

    def _chances(self, mask: int, goal: int) -> Chances:
        """What follows a position under best play, and the chance that nothing does."""
        if not mask:
            return [], 1.0
        play = self._plays[goal]
        at = play.dice[mask]
        total = self._events.rolls(mask)[at].total
        weights: dict[int, int] = {}
        for (weight, _), after in zip(self._events.at[mask][at], play.after[mask], strict=True):
            weights[after] = weights.get(after, 0) + weight
        stopped = total - sum(weights.values())
        return [(after, weight / total) for after, weight in weights.items()], stopped / total

    def _is_first(self, turn: Turn) -> bool:
        return turn.moves == 0 and self._profile.first_move_must_include is not None

    def _roll(self, turn: Turn, goal: int) -> int:
        mask = self._space.dense(turn.open)
        if self._is_first(turn):
            count = len(self._events.rolls(mask))
            return max(range(count), key=lambda at: self._with_roll(turn, goal, at))
        return self._plays[goal].dice[mask]

    def _with_roll(self, turn: Turn, goal: int, at: int) -> Worth:
        play, aim = self._plays[goal], self._goals[goal]
        mask = self._space.dense(turn.open)
        if self._is_first(turn):
            layer, stopped, lost = self._first(turn, goal, at)
            first, second = (
                sum(chance * play.worths[part][after] for after, chance in layer.items())
                + stopped * aim.ends[mask][part]
                + lost * aim.lost[part]
                + aim.per_throw[part]
                for part in (0, 1)
            )
        elif at == play.dice[mask]:
            first, second = play.worths[0][mask], play.worths[1][mask]
        else:
            events = self._events.at[mask][at]
            best = [play.choose(after, after[0]) for _, after in events]
            total = self._events.rolls(mask)[at].total
            first, second, _ = mean(events, best, total, aim, mask, play.worths)
        return Worth(first, second)

    def _first(self, turn: Turn, goal: int, at: int) -> tuple[dict[int, float], float, float]:
        """A turn's first throw: where it leads, the chance that it ends the turn, that it is lost."""
        mask = self._space.dense(turn.open)
        roll = self._events.rolls(mask)[at]
        events, lost = self._events.first(mask, at)
        layer: dict[int, float] = {}
        for weight, after in events:
            best = self._plays[goal].choose(after, after[0])
            layer[best] = layer.get(best, 0.0) + weight / roll.total
        return layer, roll.ended / roll.total, lost / roll.total
