"""The table of a profile played with dice, looked up and followed to the ends of a turn."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from shutthebox.odds.backward_induction import Plan, Side, first, solve
from shutthebox.odds.rolls import Roll
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import End, Goal, Number, OddsError, TooLargeError, Worth, exact_one
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import Scoring
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Turn

NEGLIGIBLE = 1e-15
"""Probability that is left undistributed where a turn has no last throw."""

MOST_THROWS = 20_000
"""Most throws that a list of ends goes to. The rules cut a turn off long before, but values are
those of a turn that is not, and a list has to agree with them."""

MOST_FOLLOWED = 10_000_000
"""Most steps from a position to one that follows it, for a list of ends by throws: some seconds of work."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The results of one throw at a position.

    Attributes:
        total: throws that there are, each equally likely.
        after: the positions that follow, each once, with how many of the throws.
        ended: how many of them end the turn.
        lost: how many of them lose it.
        stuck: the turn ends only because it has had all its throws.
    """

    total: int
    after: tuple[tuple[int, int], ...]
    ended: int
    lost: int
    stuck: bool


class Table:
    """Every position of a profile whose throws only ever shut tiles (or are passed).

    All positions are solved at once, when it is made. The methods look up; only `ends` follows the best
    play through all positions.
    """

    def __init__(self, space: Space, goals: tuple[Goal, Goal]) -> None:
        self._space = space
        self._profile = space.profile
        self._plan = Plan(space)
        self._sides = solve(self._plan, goals)
        self._scores = space.scores

    @property
    def exact(self) -> bool:
        """Whether a `Worth` consists of exact fractions."""
        return all(side.scale.exact for side in self._sides)

    def worth(self, turn: Turn, goal: int) -> Worth:
        """The worth of the position; throws already made do not count."""
        side, mask = self._sides[goal], self._space.dense(turn.open)
        if self._is_first(turn):
            return side.scale.worth(max(first(self._plan, side, mask, roll) for roll in self._rolls(mask)))
        return side.scale.worth(side.keys[mask])

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """Its worth if so many dice are thrown now, and play is best afterwards.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        side, mask = self._sides[goal], self._space.dense(turn.open)
        for roll in self._rolls(mask):
            if roll.dice == dice:
                if self._is_first(turn):
                    return side.scale.worth(first(self._plan, side, mask, roll))
                return self._once(side, mask, roll)
        raise ValueError(f"{dice} dice cannot be thrown at {turn.to_text()}")

    def best_dice(self, turn: Turn, goal: int) -> int:
        """How many dice to throw."""
        mask = self._space.dense(turn.open)
        return self._roll(turn, mask, goal).dice

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Raises:
            OddsError: if fractions are asked for where throws count and may be passed for ever.
            TooLargeError: if too many throws have to be followed to too many positions.
        """
        if self._profile.score is Scoring.THROWS:
            return self._ends_by_throws(turn, goal, exact)
        return self._ends_by_tiles(turn, goal, exact)

    def _is_first(self, turn: Turn) -> bool:
        return turn.moves == 0 and self._profile.first_move_must_include is not None

    def _rolls(self, mask: int) -> tuple[Roll, ...]:
        return self._plan.rolls(mask)

    def _roll(self, turn: Turn, mask: int, goal: int) -> Roll:
        side, rolls = self._sides[goal], self._rolls(mask)
        if self._is_first(turn) and len(rolls) > 1:
            return max(rolls, key=lambda roll: first(self._plan, side, mask, roll))
        return rolls[side.dice[mask]]

    def _once(self, side: Side, mask: int, roll: Roll) -> Worth:
        """The worth of one throw with this roll and best play afterwards."""
        total, dead = roll.ended * side.stops[mask], roll.idle
        for answers in roll.classes:
            moves = answers.moves(mask)
            if moves:
                total += answers.weight * max(side.keys[mask ^ move] for move in moves)
            else:
                dead += answers.weight
        # After a pass the player may change to the better number of dice.
        lasts = self._plan.passes and self._can_move(mask)
        total += dead * (side.keys[mask] if lasts else side.stops[mask])
        mean = side.scale.split(total + roll.total * side.per_throw)
        return Worth(*(Fraction(part, side.scale.unit * roll.total) for part in mean))

    def _follow(
        self, turn: Turn, mask: int, goal: int, *, is_first: bool
    ) -> tuple[Roll, list[tuple[int, int]], int]:
        """The best roll, the following positions with their numbers of throws, the throws without a move."""
        side = self._sides[goal]
        if is_first:
            roll = self._roll(turn, mask, goal)
            must = self._space.bit(self._profile.first_move_must_include or 0)
        else:
            roll, must = self._rolls(mask)[side.dice[mask]], -1
        after, dead = [], roll.idle
        for cell, answers in enumerate(roll.classes, mask * side.width):
            moves = answers.moves(mask)
            if is_first:
                moves = tuple(move for move in moves if move & must)
            if not moves:
                dead += answers.weight
            elif len(moves) == 1:
                after.append((mask ^ moves[0], answers.weight))
            elif is_first:
                best = max(moves, key=lambda move: side.keys[mask ^ move])
                after.append((mask ^ best, answers.weight))
            else:
                after.append((mask ^ side.best[cell], answers.weight))
        return roll, after, dead

    def _ends_by_tiles(self, turn: Turn, goal: int, exact: bool) -> dict[End, Number]:
        one = exact_one(exact)
        start = self._space.dense(turn.open)
        mass: list[Number] = [0 * one] * (start + 1)
        mass[start] = one
        ends: dict[End, Number] = {}
        is_first = self._is_first(turn)
        for mask in range(start, 0, -1):
            if not mass[mask]:
                continue
            roll, after, dead = self._follow(turn, mask, goal, is_first=is_first)
            total, ended = roll.total, roll.ended
            end = End(self._scores[mask], False)
            if is_first:
                lost = self._space.lost
                ends[lost] = ends.get(lost, 0 * one) + mass[mask] * dead / total
            elif self._plan.passes and roll.total > dead:
                total -= dead
            elif self._plan.passes:
                ended = total
            else:
                ended += dead
            is_first = False
            share = mass[mask] / total
            for position, weight in after:
                mass[position] += share * weight
            if ended:
                ends[end] = ends.get(end, 0 * one) + share * ended
        if mass[0]:
            ends[End(self._scores[0], True)] = mass[0]
        return {end: chance for end, chance in ends.items() if chance}

    def _ends_by_throws(self, turn: Turn, goal: int, exact: bool) -> dict[End, Number]:
        if exact and self._plan.passes:
            raise OddsError("a turn without a last throw has no list of ends in fractions")
        one = exact_one(exact)
        ends: dict[End, Number] = {}
        layer: dict[int, Number] = {self._space.dense(turn.open): one}
        known: dict[int, _Step] = {}
        followed = 0
        for throws, is_first in self._throw_numbers(turn):
            following: dict[int, Number] = {}
            for mask, mass in layer.items():
                if mask not in known:
                    known[mask] = self._step(turn, mask, goal, is_first=is_first)
                step = known[mask]
                followed += len(step.after) + 1
                share = mass / step.total
                for position, weight in step.after:
                    following[position] = following.get(position, 0 * one) + share * weight
                if step.lost:
                    lost = self._space.lost
                    ends[lost] = ends.get(lost, 0 * one) + share * step.lost
                if step.ended:
                    end = End(throws - 1 + MAX_THROWS if step.stuck else throws, False)
                    ends[end] = ends.get(end, 0 * one) + share * step.ended
            if shut := following.pop(0, None):
                ends[End(throws, True)] = shut
            layer = {mask: mass for mask, mass in following.items() if mass > NEGLIGIBLE * (not exact)}
            if not layer:
                break
            if is_first:
                known.clear()
            if followed > MOST_FOLLOWED:
                raise TooLargeError("the turn goes on for too many throws for a list of its ends")
        return {end: chance for end, chance in ends.items() if chance}

    def _step(self, turn: Turn, mask: int, goal: int, *, is_first: bool) -> _Step:
        roll, after, dead = self._follow(turn, mask, goal, is_first=is_first)
        weights: Counter[int] = Counter()
        for position, weight in after:
            weights[position] += weight
        ended, lost = roll.ended, 0
        alive = bool(roll.live(mask))
        passes = self._plan.passes and self._can_move(mask)
        if is_first:
            lost = dead
        elif passes and alive:
            weights[mask] += dead
        else:
            ended += dead
        return _Step(roll.total, tuple(weights.items()), ended, lost, stuck=passes and not alive)

    def _can_move(self, mask: int) -> bool:
        return can_ever_move(self._profile, self._space.sparse(mask))

    def _throw_numbers(self, turn: Turn) -> Iterator[tuple[int, bool]]:
        for throws in range(turn.throws + 1, turn.throws + MOST_THROWS):
            yield throws, throws == turn.throws + 1 and self._is_first(turn)
