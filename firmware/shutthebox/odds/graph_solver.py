"""Best play on the graph of a turn: for rules that the one-pass table does not fit.

Without positions that come back, one pass over the graph gives the best play (backward
induction), in whole numbers without any error. Where tiles are opened again, positions come back
and the best play is found by modified policy iteration: some passes with fixed answers, then better
answers, and so on until no answer can be bettered. Where staying is better than shutting (the
highest sum of open tiles wins), the best play has no end. Then the rules' own limit of throws in a
turn is played back from its last throw.

The deciding worth and the tie-breaking worth are one number here, the aim: the first is multiplied by so
much that the second counts only where the firsts are equal to nine digits and more. Where positions come
back, each throw costs a very small amount, so that play that ends is better than play that goes round.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import factorial
from operator import itemgetter, mul, sub
from typing import TypeAlias

from shutthebox.odds.state_space import Space
from shutthebox.odds.turn_graph import TurnGraph, Way
from shutthebox.odds.values import End, Goal, Number, OddsError, Worth, exact_one
from shutthebox.rules.profile import Draw, Scoring
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import DOMINOES, Turn

_BAG_UNIT = factorial(len(DOMINOES))
"""A bag of r dominoes has r equally likely draws, so all worths are whole multiples of one part in 21!."""

_ROUNDED_UNIT = 1 << 80
_FIRST_BITS = 36
"""The first outweighs the second by so many bits, where the second is at its largest."""
_TRIFLE_BITS, _SLACK_BITS, _SETTLED_BITS = 16, 28, 42
"""Bits after the point: of a throw's small cost, of a clearly better aim, of a worth that has settled."""

_PASSES_A_JUMP, _PASSES_A_ROUND, _MOST_ROUNDS = 6, 12, 400
_MOST_GRAPHS = 4
_NEGLIGIBLE = 1e-14

Row: TypeAlias = tuple[list[tuple[int, int]], int, int]
"""A position with its answers fixed: the following positions with their weights, the divisor, the throws
made."""


class Solution:
    """The best play of a graph for one goal, and its worths.

    Attributes:
        unit: the factor of all worths.
        ways: per position, which way to throw.
        worths: per position; the first list decides, the second breaks ties.
    """

    def __init__(self, graph: TurnGraph, goal: Goal, unit: int, like: "Solution | None" = None) -> None:
        """Solves the graph; where positions come back, from the play of a solution for another goal."""
        self.unit = unit
        self._graph = graph
        ends = [goal.worth(end) for end in graph.ends]
        for end in graph.uncounted:
            # The throw that comes to it is added to it again.
            first, second = ends[end]
            ends[end] = first - goal.per_throw[0], second - goal.per_throw[1]
        self._per_throw = [unit * each for each in goal.per_throw]
        self.ways = [0] * len(graph.stops)
        self._answers: list[list[int]] = [[] for _ in graph.stops]
        seconds = [second for _, second in ends]
        largest = max(seconds) - min(seconds) + MAX_THROWS * abs(goal.per_throw[1]) + 1
        # Without any rounding, the two parts of an aim can be told apart again.
        self._rounded = unit == _ROUNDED_UNIT
        bits = _FIRST_BITS if self._rounded else (2 * unit * MAX_THROWS).bit_length()
        self._first_bits = largest.bit_length() + bits
        self.worths = [[unit * ends[stop][part] for stop in graph.stops] for part in (0, 1)]
        self._aims = self._aimed()
        # Where positions come back, each throw costs a trifle.
        trifle = (unit >> _TRIFLE_BITS) * graph.comes_back
        self._aim_per_throw = (self._per_throw[0] << self._first_bits) + self._per_throw[1] - trifle
        # An aim that is better by less may be better by a rounding only.
        self._slack = (unit >> _SLACK_BITS) * self._rounded
        if not graph.comes_back:
            self._improve(self._aims)
            if self._rounded:
                self._pass_once()
            return
        if like is not None:
            self.ways, self._answers = list(like.ways), list(like._answers)
            self._settle(self._aims, self.rows(), self._aim_per_throw, self._slack)
        stays = goal.per_throw[0] > 0 or max(ends)[0] > ends[graph.stops[0]][0]
        if stays or not self._iterate():
            self._aims = self._aimed()
            self._to_the_limit()
            return
        rows = self.rows()
        self.worths[0] = [aim >> self._first_bits for aim in self._aims]
        for values, per_throw in zip(self.worths, self._per_throw, strict=True):
            self._settle(values, rows, per_throw, unit >> _SETTLED_BITS)

    def worth(self, number: int) -> tuple[Fraction, Fraction]:
        """The two worths of a position."""
        if not self._rounded:
            return self._split(self._aims[number], self.unit)
        first, second = (Fraction(values[number], self.unit) for values in self.worths)
        return first, second

    def worth_of(self, way: Way) -> tuple[Fraction, Fraction]:
        """The two worths if this way to throw is chosen once."""
        answers = [self._choose(after) for _, after in way.events]
        divisor = way.total * self.unit
        if not self._rounded:
            return self._split(self._sum(self._aims, way, answers) + way.total * self._aim_per_throw, divisor)
        first, second = (
            Fraction(self._sum(values, way, answers) + way.total * per_throw, divisor)
            for values, per_throw in zip(self.worths, self._per_throw, strict=True)
        )
        return first, second

    def _aimed(self) -> list[int]:
        return [(first << self._first_bits) + second for first, second in zip(*self.worths, strict=True)]

    def _split(self, aim: int, divisor: int) -> tuple[Fraction, Fraction]:
        """The two parts of an aim, or of a sum of aims, as fractions."""
        first = (aim + (1 << (self._first_bits - 1))) >> self._first_bits
        return Fraction(first, divisor), Fraction(aim - (first << self._first_bits), divisor)

    def rows(self) -> list[Row]:
        """The following positions of each one under best play; a throw that is passed is made again."""
        rows: list[Row] = []
        for number, ways in enumerate(self._graph.ways):
            if not ways:
                rows.append(([], 1, 0))
                continue
            way = ways[self.ways[number]]
            weights: dict[int, int] = {}
            for (weight, _), after in zip(way.events, self._answers[number], strict=True):
                weights[after] = weights.get(after, 0) + weight
            divisor = way.total - weights.pop(number, 0)
            rows.append((list(weights.items()), divisor, way.total))
        return rows

    def _choose(self, after: tuple[int, ...], known: int | None = None) -> int:
        """The best of some positions; the known one unless another is better."""
        best = after[0] if known is None else known
        for position in after:
            if self._aims[position] > self._aims[best] + self._slack:
                best = position
        return best

    def _sum(self, values: list[int], way: Way, answers: list[int]) -> int:
        return sum([event[0] * values[after] for event, after in zip(way.events, answers, strict=True)])

    def _improve(self, into: list[int]) -> bool:
        """Chooses the best answers and writes their aims; False if nothing has changed."""
        changed = False
        for number, ways in enumerate(self._graph.ways):
            if not ways:
                continue
            known, best = self.ways[number], None
            for at in (known, *(at for at in range(len(ways)) if at != known)):
                way, old = ways[at], self._answers[number] if at == known else []
                answers = [
                    after[0] if len(after) == 1 else self._choose(after, old[i] if old else None)
                    for i, (_, after) in enumerate(way.events)
                ]
                aim = self._aim(number, way, answers)
                if best is None or aim > best[0] + self._slack:
                    best = aim, at, answers
            assert best is not None, "a position has a way to throw"
            into[number] = best[0]
            if best[1:] != (known, self._answers[number]):
                changed = True
                self.ways[number], self._answers[number] = best[1], best[2]
        return changed

    def _aim(self, number: int, way: Way, answers: list[int]) -> int:
        """The aim of a way to throw with these answers."""
        total, aims = way.total, self._sum(self._aims, way, answers)
        if not self._graph.comes_back and number in answers:
            # A throw that is passed is made again.
            again = sum([w for (w, _), after in zip(way.events, answers, strict=True) if after == number])
            aims += total * self._aim_per_throw - again * self._aims[number]
            return aims // (total - again)
        return aims // total + self._aim_per_throw

    def _pass_once(self) -> None:
        """The worths of the play that has been found, where no position comes back."""
        for number, (row, divisor, throws) in enumerate(self.rows()):
            if row:
                for values, per_throw in zip(self.worths, self._per_throw, strict=True):
                    total = sum([weight * values[after] for after, weight in row])
                    values[number] = (total + throws * per_throw) // divisor

    def _iterate(self) -> bool:
        """Modified policy iteration; False if it does not converge."""
        for _ in range(_MOST_ROUNDS):
            changed = self._improve(self._aims)
            settled = self._settle(self._aims, self.rows(), self._aim_per_throw, self._slack, _PASSES_A_ROUND)
            if settled and not changed:
                return True
        return False

    def _settle(
        self,
        values: list[int],
        rows: list[Row],
        per_throw: int,
        slack: int,
        most: int = _PASSES_A_ROUND * _MOST_ROUNDS,
    ) -> bool:
        """Passes over all positions until no value changes by more; False if that takes too many.

        The remaining error shrinks by nearly the same factor in every pass. So now and then the sum of all
        later changes is added at once (Aitken's extrapolation).
        """
        compiled = [
            (number, itemgetter(*following, following[0]), (*weights, 0), divisor, throws * per_throw)
            for number, (row, divisor, throws) in enumerate(rows)
            if row
            for following, weights in [zip(*row, strict=True)]
        ]
        change = 0
        for count in range(1, most + 1):
            before = list(values)
            for number, get, weights, divisor, made in compiled:
                values[number] = (sum(map(mul, weights, get(values))) + made) // divisor
            changes = list(map(sub, values, before))
            if max(map(abs, changes)) <= slack:
                return True
            last, change = change, sum(changes)
            if count % _PASSES_A_JUMP == 0 and (0 < change < last or last < change < 0):
                for number, each in enumerate(changes):
                    values[number] += each * change // (last - change)
        return False

    def _to_the_limit(self) -> None:
        """The best play of as many throws as a turn may have, from the last one back."""
        for _ in range(MAX_THROWS):
            following = list(self._aims)
            self._improve(following)
            rows, largest = self.rows(), 0
            for part, (values, per_throw) in enumerate(zip(self.worths, self._per_throw, strict=True)):
                new = list(values)
                for number, (row, _, throws) in enumerate(rows):
                    if row:
                        total = sum([weight * values[after] for after, weight in row])
                        total += (throws - sum([weight for _, weight in row])) * values[number]
                        new[number] = total // throws + per_throw
                        largest = max(largest, abs(new[number] - values[number]))
                self.worths[part] = new
            self._aims = following
            if largest <= self.unit >> _SETTLED_BITS:
                break


class GraphSolver:
    """Every position of a profile of dominoes, two rows, insurances, or blocked throws that open a tile."""

    def __init__(self, space: Space, goals: tuple[Goal, Goal]) -> None:
        """Solves the graph of all positions; with dominoes, those of a turn when it is asked about."""
        self._space = space
        self._goals = goals
        self._counts = space.profile.score is Scoring.THROWS
        self.exact = space.profile.draw is Draw.DOMINOES
        self._solved: list[tuple[TurnGraph, tuple[Solution, ...]]] = []
        if not self.exact:
            self._solve(None)

    def worth(self, turn: Turn, goal: int) -> Worth:
        """The worth of the position; throws already made do not count."""
        _, number, solution = self._at(turn, goal)
        return self._worth(solution.worth(number))

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """Its worth if so many dice are thrown now, and play is best afterwards.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        graph, number, solution = self._at(turn, goal)
        at = graph.way(number, dice)
        if at == solution.ways[number]:
            return self._worth(solution.worth(number))
        return self._worth(solution.worth_of(graph.ways[number][at]))

    def best_dice(self, turn: Turn, goal: int) -> int:
        """How many dice to throw."""
        graph, number, solution = self._at(turn, goal)
        return graph.ways[number][solution.ways[number]].dice

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Raises:
            OddsError: if fractions are asked for where a turn has no last throw.
        """
        graph, number, solution = self._at(turn, goal)
        if exact and not self.exact:
            raise OddsError("a turn without a last throw has no list of ends in fractions")
        one = exact_one(exact)
        rows = solution.rows()
        ends: dict[End, Number] = {}
        layer: dict[int, Number] = {number: one}
        for throws in range(turn.throws + 1, MAX_THROWS + 1):
            following: dict[int, Number] = {}
            for position, mass in layer.items():
                row, divisor, total = rows[position]
                if not (self._counts or graph.comes_back):
                    total = divisor  # a throw that is passed is made again at once
                share, left = mass / total, total
                for after, weight in row:
                    left -= weight
                    following[after] = following.get(after, 0 * one) + share * weight
                if left:
                    following[position] = following.get(position, 0 * one) + share * left
            layer = {}
            for position, mass in following.items():
                if position >= len(graph.ends):
                    layer[position] = mass
                    continue
                end = graph.ends[position]
                if self._counts and position not in graph.uncounted:
                    end = End(throws, end.shut)
                ends[end] = ends.get(end, 0 * one) + mass
            if sum(layer.values()) < _NEGLIGIBLE:
                return ends
        for position, mass in layer.items():
            end = graph.ends[graph.stops[position]]
            end = End(MAX_THROWS if self._counts else end.score, False)
            ends[end] = ends.get(end, 0 * one) + mass
        return ends

    def _worth(self, parts: tuple[Fraction, Fraction]) -> Worth:
        first, second = parts
        return Worth(first, second) if self.exact else Worth(float(first), float(second))

    def _solve(self, turn: Turn | None) -> None:
        graph = TurnGraph(self._space, turn)
        unit = _BAG_UNIT if self.exact else _ROUNDED_UNIT
        first = Solution(graph, self._goals[0], unit)
        solutions = first, Solution(graph, self._goals[1], unit, first)
        self._solved = [(graph, solutions), *self._solved[: _MOST_GRAPHS - 1]]

    def _at(self, turn: Turn, goal: int) -> tuple[TurnGraph, int, Solution]:
        """The graph that has the position of a turn, its number there, and the best play."""
        for graph, solutions in self._solved:
            number = graph.number(turn)
            if number is not None:
                return graph, number, solutions[goal]
        self._solve(turn)
        return self._at(turn, goal)
