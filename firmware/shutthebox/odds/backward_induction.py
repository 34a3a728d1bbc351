"""The exact table in one pass over all positions, in whole numbers.

Why one pass in rising order is right: a move only clears bits, so every position that can
follow is a smaller integer, and it is final when a larger one asks for it. Nothing is ever
visited twice, and there is no recursion and no memo.

Why whole numbers are enough: a position's worth is a weighted mean, over the throws, of worths
of smaller positions, so its denominator divides the number of throws, once for every tile that
can still be shut. With everything multiplied by that number to the power of the row's length,
each mean is a division without remainder. Where a throw without a move is passed, the position
returns to itself: ``V = sum(p * best) / (1 - p_passed)``. There the divisor is the number of
throws that do something, and the common denominator is a power of the least common multiple of
those divisors. So the figures are exact whatever the order of the sums, and ties are ties.

Why one number carries two worths: both are linear, so ``first << shift | second`` may be
weighed and added as one integer, and comparing it compares the first and, in a tie, the second.
"""

from array import array
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from shutthebox.odds.rolls import Roll, rolls_by_position
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import Goal, Worth
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import Blocked
from shutthebox.rules.score import MAX_THROWS

_MOST_BITS = 1 << 13
"""Above so many bits the common denominator gives way to a power of two, and to rounding."""

_ROUNDED_BITS = 256

Rolls: TypeAlias = tuple[Roll, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """The form in which a goal's two worths are kept in one integer.

    Attributes:
        unit: the factor of both worths.
        shift: bits kept for the second worth, its sign included.
        exact: every division goes without remainder.
    """

    unit: int
    shift: int
    exact: bool

    def key(self, first: int, second: int) -> int:
        """One integer for two worths that are multiplied by `unit` already."""
        return (first << self.shift) + second

    def split(self, key: int) -> tuple[int, int]:
        """The two worths in an integer, multiplied by `unit`."""
        half = 1 << (self.shift - 1)
        first = (key + half) >> self.shift
        return first, key - (first << self.shift)

    def divide(self, key: int, by: int) -> int:
        """A mean, from its weighted sum."""
        if self.exact:
            return key // by
        first, second = self.split(key)
        return self.key(first // by, second // by)

    def worth(self, key: int) -> Worth:
        """The two worths as fractions."""
        first, second = self.split(key)
        return Worth(Fraction(first, self.unit), Fraction(second, self.unit))


@dataclass(slots=True)
class Side:
    """One goal's half of the table.

    Attributes:
        scale: the form of its integers.
        keys: the worth of every position.
        stops: the worth of every position if the turn ends there.
        lost: the worth of a turn lost on its first move.
        per_throw: added for every throw.
        dice: per position, the index of the best roll among those allowed.
        best: the best move of a position for a class of throws of its best roll, at
            ``position * width + class``; not set where there is only one move.
        width: most classes that a roll has.
    """

    scale: Scale
    keys: list[int]
    stops: list[int]
    lost: int
    per_throw: int
    dice: bytearray
    best: "array[int]"
    width: int


class Plan:
    """The rolls of a profile by position, and the denominators that follow from them.

    Attributes:
        space: the positions.
        passes: a throw without a move is passed.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.passes = space.profile.blocked is Blocked.PASSES
        self._far, self._near = rolls_by_position(space)

    def rolls(self, mask: int) -> Rolls:
        """The rolls that a player may choose from at a position, the usual number of dice first."""
        return self._near[mask] if mask < len(self._near) else self._far

    @property
    def width(self) -> int:
        """Most classes that a roll has."""
        rolls = {id(roll): roll for choice in [self._far, *self._near] for roll in choice}
        return max(len(roll.classes) for roll in rolls.values())

    def scale(self, goal: Goal) -> Scale:
        """Whole numbers that every position's worth for a goal fits."""
        divisors = {roll.total for choice in [self._far, *self._near] for roll in choice}
        most = max(divisors)
        if self.passes:
            divisors |= {
                roll.live(mask) or 1 for mask in range(1, self.space.size) for roll in self.rolls(mask)
            }
        unit = 1
        for divisor in divisors:
            unit = lcm(unit, divisor)
            if unit.bit_length() * len(self.space.numbers) > _MOST_BITS:
                break
        else:
            return self._scale(unit ** len(self.space.numbers), goal, most, True)
        return self._scale(1 << _ROUNDED_BITS, goal, most, False)

    def _scale(self, unit: int, goal: Goal, most: int, exact: bool) -> Scale:
        # A throw does something at least once in `most` throws, and that at most once per tile.
        throws = MAX_THROWS + len(self.space.numbers) * most
        largest = max(abs(goal.worth(end)[1]) for end in {*self.space.ends, self.space.lost})
        largest += throws * abs(goal.per_throw[1])
        return Scale(unit, (unit * most * (largest + 1)).bit_length() + 2, exact)


def solve(plan: Plan, goals: tuple[Goal, Goal]) -> tuple[Side, Side]:
    """Solves every position for both goals at once."""
    one, two = (_side(plan, goal) for goal in goals)
    keys_one, keys_two, best_one, best_two = one.keys, two.keys, one.best, two.best
    width, passes, rolls = one.width, plan.passes, plan.rolls
    for mask in range(1, plan.space.size):
        base = mask * width
        choice = rolls(mask)
        for at, roll in enumerate(choice):
            sum_one = sum_two = 0
            dead = roll.idle
            cell = base
            # Where a second roll can be chosen, its moves are kept only if it is the better one.
            keep = not at
            for answers in roll.classes:
                moves = answers.table[mask & answers.relevant]
                if not moves:
                    dead += answers.weight
                elif len(moves) == 1:
                    after = mask ^ moves[0]
                    sum_one += answers.weight * keys_one[after]
                    sum_two += answers.weight * keys_two[after]
                else:
                    follow = [keys_one[mask ^ move] for move in moves]
                    top = max(follow)
                    sum_one += answers.weight * top
                    if keep:
                        best_one[cell] = moves[follow.index(top)]
                    follow = [keys_two[mask ^ move] for move in moves]
                    top = max(follow)
                    sum_two += answers.weight * top
                    if keep:
                        best_two[cell] = moves[follow.index(top)]
                cell += 1
            if passes:
                mean_one = passed(plan, one, mask, roll, sum_one, dead)
                mean_two = passed(plan, two, mask, roll, sum_two, dead)
            else:
                dead += roll.ended
                mean_one = one.scale.divide(sum_one + dead * one.stops[mask], roll.total) + one.per_throw
                mean_two = two.scale.divide(sum_two + dead * two.stops[mask], roll.total) + two.per_throw
            if not at:
                keys_one[mask], keys_two[mask] = mean_one, mean_two
            else:
                if mean_one > keys_one[mask]:
                    _prefer(one, mask, at, roll, mean_one)
                if mean_two > keys_two[mask]:
                    _prefer(two, mask, at, roll, mean_two)
    return one, two


def passed(plan: Plan, side: Side, mask: int, roll: Roll, answered: int, dead: int) -> int:
    """The worth of a roll where a throw without a move is passed, and the same roll made again.

    Args:
        plan: the rolls.
        side: the goal.
        mask: the position.
        roll: the dice thrown.
        answered: sum over the throws with moves.
        dead: how many throws have none.
    """
    lively = roll.total - dead
    if lively == roll.ended and not can_ever_move(plan.space.profile, plan.space.sparse(mask)):
        # No throw changes this position: the rules end the turn with the first.
        return side.stops[mask] + side.per_throw
    if not lively:
        # Only the other number of dice can change anything: with these the turn would go on until it is cut
        # off.
        return side.stops[mask] + MAX_THROWS * side.per_throw
    total = answered + roll.ended * side.stops[mask] + roll.total * side.per_throw
    return side.scale.divide(total, lively)


def first(plan: Plan, side: Side, mask: int, roll: Roll) -> int:
    """The worth of a roll as a turn's first, where its move must include a certain tile."""
    must = plan.space.bit(plan.space.profile.first_move_must_include or 0)
    total = roll.idle * side.lost + roll.ended * side.stops[mask]
    for answers in roll.classes:
        moves = [move for move in answers.moves(mask) if move & must]
        total += answers.weight * max((side.keys[mask ^ move] for move in moves), default=side.lost)
    return side.scale.divide(total, roll.total) + side.per_throw


def _prefer(side: Side, mask: int, at: int, roll: Roll, mean: int) -> None:
    side.keys[mask], side.dice[mask] = mean, at
    for cell, answers in enumerate(roll.classes, mask * side.width):
        moves = answers.moves(mask)
        if len(moves) > 1:
            side.best[cell] = max(moves, key=lambda move: side.keys[mask ^ move])


def _side(plan: Plan, goal: Goal) -> Side:
    scale = plan.scale(goal)
    size, width = plan.space.size, plan.width
    unit = scale.unit
    stops = [scale.key(first * unit, second * unit) for first, second in map(goal.worth, plan.space.ends)]
    (first, second), (one, two) = goal.worth(plan.space.lost), goal.per_throw
    return Side(
        scale=scale,
        keys=stops[:1] + [0] * (size - 1),
        stops=stops,
        # The throw that loses a turn is added to it again.
        lost=scale.key((first - one) * unit, (second - two) * unit),
        per_throw=scale.key(one * unit, two * unit),
        dice=bytearray(size),
        best=array("H", bytes(2 * size * width)),
        width=width,
    )
