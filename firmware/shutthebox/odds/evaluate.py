"""Best play on the model of a turn, for given worths of its ends.

`best_worths` is backward induction: everything that can follow a position has a lower number, so one pass in
rising order is enough. It takes any kind of number. For points, the chance to shut, and stakes, `BestPlay`
packs two worths into one integer: exact, with the second breaking ties in the first. Play against others
(`shutthebox.odds.seats`) uses floats.

Why integers are enough: a worth is a weighted mean of the worths of lower positions. So with everything
multiplied by a common denominator (`TurnModel.unit`), each mean divides without remainder, the figures are
exact whatever the order of the sums, and ties are ties. Why one number can carry two worths: both are linear,
so ``first << shift | second`` can be weighed and added as one integer, and comparing it compares the first
and, in a tie, the second.

If tiles can open again, positions repeat, and the best play is found by iteration
(`shutthebox.odds.iteration`).
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import floordiv, mul, truediv
from typing import Any, TypeAlias

from shutthebox.odds.iteration import UNIT_BITS, Iteration
from shutthebox.odds.model import DiceChoice, PositionPlay, TurnModel
from shutthebox.odds.worths import End, Goal, Number, OddsError, TooLargeError, Worth, settled
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Outcome, Turn

_ROUNDED_BITS = 256
"""Bits after the binary point, if the common denominator is too long."""

_NEGLIGIBLE = 1e-15
"""Probability that's neglected if a turn has no last throw."""

_MAX_LISTED_THROWS = 20_000
"""The most throws that a list of ends follows. The rules end a turn long before, but worths assume they
don't, and the list must agree with those."""

_MAX_FOLLOWED = 10_000_000
"""The most steps from one position to the next for a list of ends by throws: some seconds of work."""

Divide: TypeAlias = Callable[[Any, int], Any]


def best_worths(
    model: TurnModel,
    worths: list[float],
    per_throw: float = 0,
    divide: Divide = truediv,
    *,
    settled: Callable[[int], float | None] = lambda number: None,
) -> list[float]:
    """The worth of every position under best play; the ends come first.

    Args:
        model: the positions.
        worths: the known ones, at least those of the ends; the others are appended.
        per_throw: added for every throw.
        divide: turns a weighted sum into a mean.
        settled: returns the worth of a position, by number, if it's known already; else None.
    """
    for number, choices in enumerate(model.choices[len(worths) :], len(worths)):
        best = settled(number)
        if best is None:
            best = max(
                [divide(_sum(choice, worths) + choice.total * per_throw, choice.lively) for choice in choices]
            )
        worths.append(best)
    return worths


def _sum(choice: DiceChoice, worths: Sequence[float]) -> float:
    """The sum of the worths after each throw of a choice of dice, with the best answers."""
    _, _, _, forced, weights, several, _, followings, _ = choice
    get = worths.__getitem__
    total: float = sum(map(mul, weights, map(get, forced)))
    for weight, after in zip(several, followings, strict=True):
        total += weight * max(map(get, after))
    return total


def leads_to(choice: DiceChoice, chosen: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The successors of a choice of dice with these answers: numbers, and how many throws lead to each."""
    yield from zip(choice.forced, choice.weights, strict=True)
    yield from zip(chosen, choice.several, strict=True)


def best_play_at(
    model: TurnModel, number: int, worths: Sequence[float], per_throw: float, divide: Divide
) -> PositionPlay:
    """The best play at a position, from all worths; the first of equals."""
    choices = model.choices[number]
    best = choices[0]
    if len(choices) > 1:
        best = max(
            choices, key=lambda choice: divide(_sum(choice, worths) + choice.total * per_throw, choice.lively)
        )
    return best, tuple([max(after, key=worths.__getitem__) for after in best.after])


def options(rules: Profile, turn: Turn) -> Iterator[tuple[Tiles, Turn]]:
    """The options for the throw on the table: the tiles to shut (or open), and the turn after that.

    If the throw can only be passed, there's one option, without tiles.
    """
    answers = turns.answers(rules, turn)
    for shut in answers:
        yield shut, turns.move(rules, turn, shut)
    if answers:
        return
    reopenings = to_numbers(turns.reopenings(rules, turn))
    for tile in reopenings:
        yield to_tiles([tile]), turns.reopen(rules, turn, tile)
    if not reopenings:
        yield 0, turns.move(rules, turn, 0)


class TurnPlay:
    """The best play of a turn for given worths of its ends; here, in floats, each for the whole turn.

    Attributes:
        model: the positions.
        worth_of: the worth of an end.
    """

    def __init__(
        self,
        model: TurnModel,
        worths: list[float],
        worth_of: Callable[[End], float],
        per_throw: float = 0.0,
        divide: Divide = truediv,
    ) -> None:
        self.model, self.worth_of = model, worth_of
        self._worths, self._per_throw, self._divide = worths, per_throw, divide
        self._plays: dict[int, PositionPlay] = {}
        self._late_plays: list[list[PositionPlay]] = []

    def worth(self, turn: Turn) -> Worth:
        """The worth of any turn.

        Raises:
            OddsError: it awaits a throw and can't be reached.
        """
        if turn.outcome is not None:
            assert turn.score is not None, "a turn that is over has a score"
            return self._read(self.worth_of(End(turn.score, turn.outcome is Outcome.SHUT)))
        if turn.awaits_answer:
            return max((self.worth(after) for _, after in options(self.model.rules, turn)), key=self._order)
        return self._read(self._worths[self._number(turn)] + turn.throws * self._per_throw)

    def with_dice(self, turn: Turn, dice: int) -> Worth:
        """The worth of a turn that awaits a throw, if this many dice are thrown now and play is best after.

        Raises:
            ValueError: the rules don't allow that number of dice here.
        """
        number = self._number(turn)
        choice = self.model.choice(number, dice)
        total = _sum(choice, self._worths) + (choice.total - choice.lively) * self._worths[number]
        if choice.idle:
            total = choice.total * self._worths[number]
        return self._read(total + (1 + turn.throws) * choice.total * self._per_throw, choice.total)

    def best_dice(self, turn: Turn) -> int:
        """How many dice to throw before a throw: the usual number, unless another is better."""
        return self.play_at(self._number(turn))[0].dice

    def one_die(self, turn: Turn) -> bool | None:
        """Whether one die is best; None if there's no choice, or no throw to make."""
        if turn.outcome is not None or turn.awaits_answer:
            return None
        if len(dice_allowed(self.model.rules, turn.open, turn.behind)) < 2:
            return None
        return self.best_dice(turn) == 1

    def ranked(self, turn: Turn) -> list[tuple[Tiles, Turn, Worth]]:
        """The options for the throw on the table, best first: tiles, the turn after them, its worth."""
        if not turn.awaits_answer:
            return []
        found = [(tiles, after, self.worth(after)) for tiles, after in options(self.model.rules, turn)]
        return sorted(found, key=lambda option: self._order(option[2]), reverse=True)

    def choices(self, turn: Turn) -> list[tuple[int, Worth]]:
        """The options with their worths, best first: tiles to move, or how many dice to throw."""
        if turn.awaits_answer:
            return [(tiles, worth) for tiles, _, worth in self.ranked(turn) if tiles]
        best = self.best_dice(turn)
        allowed = dice_allowed(self.model.rules, turn.open, turn.behind)
        return [(dice, self.with_dice(turn, dice)) for dice in sorted(allowed, key=lambda dice: dice != best)]

    def ends(self, turn: Turn, *, exact: bool = False) -> dict[End, Number]:
        """How the turn ends, each end with its probability.

        Args:
            turn: any turn.
            exact: as fractions.

        Raises:
            OddsError: there are no fractions.
            TooLargeError: too many throws would have to be followed to too many positions.
        """
        one: Number = Fraction(1) if exact else 1.0
        if turn.awaits_answer:
            turn = self.ranked(turn)[0][1]
        if turn.outcome is not None:
            assert turn.score is not None, "a turn that is over has a score"
            return {End(turn.score, turn.outcome is Outcome.SHUT): one}
        return dict(sorted(ends_of(self.model, self._number(turn), self.play_at, one, turn.throws).items()))

    @property
    def is_limited(self) -> bool:
        """Whether turns last for as many throws as the rules allow."""
        return bool(self._late_plays)

    def play_at(self, number: int, throw: int = 1) -> PositionPlay:
        """The best play at a position, by its number in the model, for a throw of the turn, from 1."""
        left = max(0, MAX_THROWS - throw)
        if left < len(self._late_plays):
            return self._late_plays[left][number - len(self.model.ends)]
        found = self._plays.get(number)
        if found is None:
            found = best_play_at(self.model, number, self._worths, self._per_throw, self._divide)
            self._plays[number] = found
        return found

    def _number(self, turn: Turn) -> int:
        number = self.model.number(turn)
        if number >= len(self._worths):
            best_worths(self.model, self._worths, self._per_throw, self._divide)
        return number

    def _read(self, value: Any, by: int = 1) -> Worth:  # noqa: ANN401  (whole numbers or floats)
        """The worth that a value, or a sum of `by` values, stands for."""
        return Worth(value / by)

    def _order(self, worth: Worth) -> tuple[Number, Number]:
        """The sort key of a worth."""
        return worth


class BestPlay(TurnPlay):
    """The best play for a goal: two worths, the second breaking ties in the first.

    Attributes:
        exact: whether worths are exact fractions rather than floats good to nine digits.
    """

    def __init__(self, model: TurnModel, goal: Goal) -> None:
        """Solves all positions.

        Args:
            model: the positions.
            goal: of the player.
        """
        self.exact = model.unit != 0
        self._unit = model.unit or 1 << _ROUNDED_BITS
        most = max([model.rules.bag, *(choice.total for choices in model.choices for choice in choices)])
        throws = MAX_THROWS + model.row.count * model.rules.rows * most
        largest = max(abs(goal.worth(end)[1]) for end in model.ends) + throws * abs(goal.per_throw[1])
        self._shift = (self._unit * most * (largest + 1)).bit_length() + 2
        unit, shift = self._unit, self._shift

        def key(first: int, second: int) -> int:
            return ((first << shift) + second) * unit

        per_throw = key(*goal.per_throw)
        divide = floordiv if self.exact else self._round
        worths: list[float] = [key(*goal.worth(end)) for end in model.ends]
        for number in model.uncounted:
            # The throw that leads to it is added again.
            worths[number] -= per_throw
        super().__init__(model, [], lambda end: key(*goal.worth(end)), per_throw, divide)
        if not model.comes_back:
            self._worths = best_worths(model, worths, per_throw, divide)
            return
        found = Iteration(model, goal)
        more = self._unit >> UNIT_BITS
        self._worths = [((one << self._shift) + two) * more for one, two in zip(*found.worths, strict=True)]
        self._plays = dict(enumerate(found.plays(), len(model.ends)))
        self._late_plays = found.late_plays

    def _read(self, value: int, by: int = 1) -> Worth:
        first, second = self._split(value)
        if self.exact:
            return Worth(Fraction(first, by * self._unit), Fraction(second, by * self._unit))
        one, two = first / (by * self._unit), second / (by * self._unit)
        return Worth(settled(one), settled(two)) if self.model.comes_back else Worth(one, two)

    def _order(self, worth: Worth) -> tuple[Number, Number]:
        # Rounded worths count as equal if they're almost equal.
        if self.exact:
            return worth
        return round(float(worth.main), 9), round(float(worth.tie_breaker), 9)

    def _split(self, value: int) -> tuple[int, int]:
        first = (value + (1 << (self._shift - 1))) >> self._shift
        return first, value - (first << self._shift)

    def _round(self, total: int, by: int) -> int:
        first, second = self._split(total)
        return ((first // by) << self._shift) + second // by


def ends_of(
    model: TurnModel, start: int, play_at: Callable[[int, int], PositionPlay], one: Number, made: int = 0
) -> dict[End, Number]:
    """How a turn ends under a given play, each end with its probability.

    Args:
        model: the positions.
        start: the number of the position to start from.
        play_at: returns the play at a position, for a throw of the turn, from 1.
        one: 1, as a fraction for exact probabilities.
        made: throws made before.

    Raises:
        OddsError: there are no fractions, because a turn has no last throw.
        TooLargeError: too many throws would have to be followed to too many positions.
    """
    if model.counts or model.comes_back:
        return _ends_by_throws(model, start, play_at, one, made)
    mass: dict[int, Number] = {start: one}
    ends: dict[End, Number] = {}
    for number in range(start, len(model.ends) - 1, -1):
        here = mass.pop(number, None)
        if here is not None:
            choice, chosen = play_at(number, made + 1)
            share = here / choice.lively
            for after, weight in leads_to(choice, chosen):
                mass[after] = mass.get(after, 0) + share * weight
    for number, chance in mass.items():
        ends[model.ends[number]] = ends.get(model.ends[number], 0) + chance
    return ends


def _ends_by_throws(
    model: TurnModel, start: int, play_at: Callable[[int, int], PositionPlay], one: Number, made: int
) -> dict[End, Number]:
    ends: dict[End, Number] = {}
    layer: dict[int, Number] = {start: one}
    followed = 0
    for throws in range(made + 1, made + _MAX_LISTED_THROWS + 1):
        later: dict[int, Number] = {}
        is_late = model.comes_back and throws >= MAX_THROWS
        for number, mass in layer.items():
            choice, chosen = play_at(number, throws)
            stop = model.stops[number]
            if choice.lively < choice.total:
                if isinstance(one, Fraction):
                    raise OddsError("a turn without a last throw has no list of ends in fractions")
                same = stop if is_late else number
                later[same] = later.get(same, 0) + mass * (choice.total - choice.lively) / choice.total
            share = mass / choice.total
            for after, weight in leads_to(choice, chosen):
                # Only moves lead to lower numbers; without one, a late throw ends the turn.
                to = stop if is_late and (after > number or after == model.worn_out) else after
                later[to] = later.get(to, 0) + share * weight
                followed += 1
        layer = {}
        for number, mass in later.items():
            if number < len(model.ends):
                end = model.ends[number]
                if number == model.worn_out:
                    end = End(throws - 1 + MAX_THROWS, False)
                elif model.counts and number != model.lost:
                    end = End(throws, end.shut)
                ends[end] = ends.get(end, 0) + mass
            elif mass > _NEGLIGIBLE or isinstance(one, Fraction):
                layer[number] = mass
        if followed > _MAX_FOLLOWED:
            raise TooLargeError("the turn goes on for too many throws for a list of its ends")
        if not layer:
            return ends
    for number, mass in layer.items():
        end = model.ends[model.stops[number]]
        end = End(MAX_THROWS if model.counts else end.score, False)
        ends[end] = ends.get(end, 0) + mass
    return ends
