"""Best play if positions can come back: modified policy iteration.

They do if tiles can open again, or if an end's worth depends on where it leaves the other player, as in a
tug. The iteration alternates passes with fixed answers and better answers until no answer can be improved. If
turns under that play can last for as many throws as the rules allow, because nobody can shut the box or
keeping tiles open is better, it starts at the end instead and works backwards: from the last throw that the
rules allow on, a throw without a move ends the turn.

The deciding worth and the tie-breaking worth are combined into one number, the aim: the first is scaled so
that the second only counts if the firsts agree to nine digits or more. Each throw costs a tiny amount, so
that play that ends is better than play in circles.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter, mul, sub
from typing import TypeAlias

from shutthebox.odds.model import DiceChoice, PositionPlay, TurnModel
from shutthebox.odds.worths import Goal, TooLargeError
from shutthebox.rules.score import MAX_THROWS

EndsFromWorths: TypeAlias = Callable[[list[int], int], None]
"""Writes the worths of ends, which depend on those of positions, into a list that has both. The second
argument is the worth of 1."""

UNIT_BITS = 80
"""Bits after the binary point of all worths here."""

_UNIT = 1 << UNIT_BITS
_FIRST_BITS = 36
"""By how many bits the first worth outweighs the largest second one."""
_TRIFLE, _SLACK, _SLACK_ALONE, _SETTLED = _UNIT >> 16, _UNIT >> 28, _UNIT >> 50, _UNIT >> 42
"""A throw's tiny cost; the smallest improvement that isn't rounding, with and without what breaks ties; the
change at which a worth has settled."""

_PASSES_TO_SEE, _NEGLIGIBLE = 32, 1e-12
"""Throws to follow to see how many turns go on for longer; the probability that's neglected."""

_PASSES_A_JUMP, _PASSES_A_ROUND, _MAX_ROUNDS = 6, 12, 400


class Iteration:
    """The best play of a model for one goal.

    Attributes:
        worths: of each position, times 2 ** `UNIT_BITS`; the first list decides, the second breaks ties.
        late_plays: if turns last for as many throws as the rules allow, the play at each position from the
            last of these throws on, then for the throw before it, and so on as long as it changes; else
            empty.
    """

    def __init__(self, model: TurnModel, goal: Goal, ends_of: EndsFromWorths | None = None) -> None:
        """Solves the model.

        Args:
            model: the positions.
            goal: of the player.
            ends_of: if the worths of ends depend on those of positions, writes them; else None. Then the
                goal's are those to start with, and nothing breaks ties.

        Raises:
            TooLargeError: such worths don't settle.
        """
        self._model, self._first, self._ends_of = model, len(model.ends), ends_of
        ends = [goal.worth(end) for end in model.ends]
        for end in model.uncounted:
            # The throw that leads to it is added again.
            ends[end] = ends[end][0] - goal.per_throw[0], ends[end][1] - goal.per_throw[1]
        self._per_throw = [_UNIT * each for each in goal.per_throw]
        seconds = [second for _, second in ends]
        largest = max(seconds) - min(seconds) + MAX_THROWS * abs(goal.per_throw[1]) + 1
        self._first_bits = 0 if ends_of else largest.bit_length() + _FIRST_BITS
        self._slack = _SLACK_ALONE if ends_of else _SLACK
        self.worths = [[_UNIT * ends[stop][part] for stop in model.stops] for part in (0, 1)]
        self._aims = self._aimed()
        self._aim_per_throw = (self._per_throw[0] << self._first_bits) + self._per_throw[1]
        self._aim_per_throw -= 0 if ends_of else _TRIFLE
        self._play: list[PositionPlay] = [
            (choices[0], tuple([after[0] for after in choices[0].after]))
            for choices in model.choices[self._first :]
        ]
        stays = goal.per_throw[0] > 0 or max(ends)[0] > ends[model.stops[0]][0]
        self.late_plays: list[list[PositionPlay]] = []
        if ends_of:
            if not self._converges():
                raise TooLargeError(f"{model.rules.name}: a tug in which so little moves has no exact odds")
        elif stays or not self._converges() or not self._ends_in_time():
            self._to_the_limit()
            return
        self.worths[0] = [aim >> self._first_bits for aim in self._aims]
        for worths, one, per_throw in zip(self.worths, (_UNIT, 0), self._per_throw, strict=True):
            self._settle(worths, one, per_throw, _SETTLED)

    def plays(self) -> Sequence[PositionPlay]:
        """The choice of dice at each position, and the position to go to for each of its `several`."""
        return self._play

    def _aimed(self) -> list[int]:
        return [(first << self._first_bits) + second for first, second in zip(*self.worths, strict=True)]

    def _converges(self) -> bool:
        """Runs modified policy iteration; returns whether it converged."""
        for _ in range(_MAX_ROUNDS):
            changed = self._improve(self._aims, limited=False)
            one = _UNIT << self._first_bits
            settled = self._settle(self._aims, one, self._aim_per_throw, self._slack, _PASSES_A_ROUND)
            if settled and not changed:
                return True
        return False

    def _improve(self, into: list[int], *, limited: bool) -> bool:
        """Chooses the best answers and writes their aims; returns whether anything changed.

        If `limited`, a throw that leads back to its position counts towards a turn's limit of throws.
        """
        changed = False
        for number, choices in enumerate(self._model.choices[self._first :], self._first):
            known, old = self._play[number - self._first]
            best, play = None, (known, old)
            for choice in (known, *(choice for choice in choices if choice is not known)):
                chosen = tuple(
                    [
                        self._choose(after, old[at] if choice is known else after[0])
                        for at, after in enumerate(choice.after)
                    ]
                )
                aim = _total(choice, chosen, self._aims) + choice.total * self._aim_per_throw
                if limited:
                    aim = (aim + (choice.total - choice.lively) * self._aims[number]) // choice.total
                else:
                    aim //= choice.lively
                if best is None or aim > best + self._slack:
                    best, play = aim, (choice, chosen)
            assert best is not None, "a position has a choice of dice"
            into[number] = best
            if play != (known, old):
                changed = True
                self._play[number - self._first] = play
        return changed

    def _choose(self, after: tuple[int, ...], best: int) -> int:
        """The best of some positions; the known best, unless another is better."""
        for position in after:
            if self._aims[position] > self._aims[best] + self._slack:
                best = position
        return best

    def _settle(
        self,
        worths: list[int],
        one: int,
        per_throw: int,
        slack: int,
        most: int = _PASSES_A_ROUND * _MAX_ROUNDS,
    ) -> bool:
        """Makes passes until the worths settle; returns False if that takes too many.

        The error shrinks by nearly the same factor in every pass. So now and then, all later changes are
        added at once (Aitken's extrapolation).
        """
        compiled = []
        for number, (choice, chosen) in enumerate(self._play, self._first):
            after = (*choice.forced, *chosen, number, number)
            weights = (*choice.weights, *choice.several, 0, 0)
            compiled.append((number, itemgetter(*after), weights, choice.lively, choice.total * per_throw))
        change = 0
        for count in range(1, most + 1):
            before = list(worths)
            if self._ends_of:
                self._ends_of(worths, one)
            for number, get, weights, lively, made in compiled:
                worths[number] = (sum(map(mul, weights, get(worths))) + made) // lively
            changes = list(map(sub, worths, before))
            if max(map(abs, changes)) <= slack:
                return True
            last, change = change, sum(changes)
            if count % _PASSES_A_JUMP == 0 and 0 < abs(change) < abs(last):
                for number, each in enumerate(changes):
                    worths[number] += each * change // (last - change)
        return False

    def _ends_in_time(self) -> bool:
        """Whether hardly any turn lasts for as many throws as the rules allow."""
        alive = [0.0] * self._first + [1.0] * len(self._play)
        for _ in range(_PASSES_TO_SEE):
            before = list(alive)
            for number, (choice, chosen) in enumerate(self._play, self._first):
                going: float = sum(map(mul, choice.weights, map(before.__getitem__, choice.forced)))
                going += sum(map(mul, choice.several, map(before.__getitem__, chosen)))
                alive[number] = (going + (choice.total - choice.lively) * before[number]) / choice.total
        lasting: float = max(alive) ** (MAX_THROWS / _PASSES_TO_SEE)
        return lasting <= _NEGLIGIBLE

    def _from_the_limit_on(self) -> None:
        """Finds the best play once any throw without a move ends the turn, so that positions never repeat."""
        model = self._model
        self.worths = [[worths[stop] for stop in model.stops] for worths in self.worths]
        self._aims = self._aimed()
        for number, choices in enumerate(model.choices[self._first :], self._first):
            stop, aims, best = model.stops[number], self._aims, None
            for choice in choices:
                # Only moves lead to lower numbers.
                play = choice._replace(
                    forced=tuple([_earlier(after, number, stop, model.worn_out) for after in choice.forced])
                )
                chosen = tuple([max(after, key=aims.__getitem__) for after in choice.after])
                leads = tuple([_earlier(after, number, stop) for after in chosen])
                again = choice.total - choice.lively
                aim = (_total(play, leads, aims) + again * aims[stop]) // choice.total + self._aim_per_throw
                if best is None or aim > best + self._slack:
                    best, self._play[number - self._first] = aim, (choice, chosen)
                    for worths, per_throw in zip(self.worths, self._per_throw, strict=True):
                        total = _total(play, leads, worths) + again * worths[stop]
                        worths[number] = total // choice.total + per_throw
            assert best is not None, "a position has a choice of dice"
            aims[number] = best
        self.late_plays = [list(self._play)]

    def _to_the_limit(self) -> None:
        """Finds the best play backwards from a turn's last allowed throw."""
        self._from_the_limit_on()
        for _ in range(MAX_THROWS - 1):
            following = list(self._aims)
            self._improve(following, limited=True)
            largest = 0
            for part, (worths, per_throw) in enumerate(zip(self.worths, self._per_throw, strict=True)):
                new = list(worths)
                for number, (choice, chosen) in enumerate(self._play, self._first):
                    total = _total(choice, chosen, worths) + (choice.total - choice.lively) * worths[number]
                    new[number] = total // choice.total + per_throw
                    largest = max(largest, abs(new[number] - worths[number]))
                self.worths[part] = new
            self._aims = following
            self.late_plays.append(list(self._play))
            if largest <= _SETTLED:
                break


def _earlier(after: int, number: int, stop: int, worn_out: int | None = None) -> int:
    """A position with a lower number; else the end if the turn ended here."""
    return after if after < number and after != worn_out else stop


def _total(choice: DiceChoice, chosen: tuple[int, ...], worths: Sequence[int]) -> int:
    """The sum of the worths after the throws of a choice of dice."""
    total: int = sum(map(mul, choice.weights, map(worths.__getitem__, choice.forced)))
    total += sum(map(mul, choice.several, map(worths.__getitem__, chosen)))
    return total
