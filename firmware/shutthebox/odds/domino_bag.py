"""Dominoes from a bag: what is left in it is part of the position.

A domino is drawn without replacement, so a position is the open tiles and the bag. Dominoes
whose moves are the same at a position, and so at every later one, are alike; those without a
move are alike too. Only how many of each kind are left counts, and positions are made as play
reaches them. A bag of r has r equally likely draws: worths multiplied by r! are whole numbers,
and a position's is the plain sum of what its draws lead to.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from shutthebox.odds.backward_induction import Scale
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import End, Goal, Number, TooLargeError, Worth, exact_one
from shutthebox.rules.moves import legal_moves
from shutthebox.rules.profile import Blocked, MoveKind, Scoring
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.rules.turn import DOMINOES, Turn

MOST_POSITIONS = 250_000
"""Most positions that are solved exactly: some ten seconds of work."""

_FULL = (1 << len(DOMINOES)) - 1


@dataclass(frozen=True, slots=True)
class Kind:
    """Dominoes that are alike at some set of open tiles.

    Attributes:
        dominoes: which, as bits.
        after: the positions that their moves lead to; empty if there are none.
        ends: drawing one ends the turn.
        least: for each number of them left, the set that stands for it.
    """

    dominoes: int
    after: tuple[int, ...]
    ends: bool
    least: tuple[int, ...]


class Bag:
    """Every position of a profile that draws dominoes, made as it is asked for."""

    exact = True

    def __init__(self, space: Space, goals: tuple[Goal, Goal]) -> None:
        self._space = space
        self._profile = space.profile
        if self._profile.blocked is not Blocked.ENDS_TURN:
            raise TooLargeError("a bag that is drawn from on and on has too many positions for exact odds")
        self._goals = goals
        unit = factorial(len(DOMINOES))
        self._scales = []
        for goal in goals:
            largest = max(abs(second) for _, second in goal.ends) + abs(goal.lost[1])
            largest += len(DOMINOES) * abs(goal.per_throw[1])
            self._scales.append(Scale(1, (unit * (largest + 1)).bit_length() + 2, True))
        self._stops = [
            [scale.key(*end) for end in goal.ends] for scale, goal in zip(self._scales, goals, strict=True)
        ]
        self._per_throw = [
            scale.key(*goal.per_throw) for scale, goal in zip(self._scales, goals, strict=True)
        ]
        self._lost = [scale.key(*goal.lost) for scale, goal in zip(self._scales, goals, strict=True)]
        self._scores = space.scores()
        self._kinds: dict[int, tuple[Kind, ...]] = {}
        self._keys: dict[tuple[int, int], tuple[int, int]] = {}
        self._factorial = [factorial(count) for count in range(len(DOMINOES) + 1)]

    def worth(self, turn: Turn, goal: int) -> Worth:
        """What the position is worth; draws already made do not count.

        Raises:
            TooLargeError: if play from here can reach too many positions.
        """
        mask, bag = self.position(turn)
        solve = self._first if self._is_first(turn) else self._solve
        key = solve(mask, bag)[goal]
        count = self._factorial[bag.bit_count()]
        return Worth(*(Fraction(part, count) for part in self._scales[goal].split(key)))

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """The same: there is no choice of dice with dominoes.

        Raises:
            ValueError: if `dice` is not what the profile says.
        """
        if dice != self._profile.dice:
            raise ValueError(f"{dice} dice cannot be thrown at {turn.to_text()}")
        return self.worth(turn, goal)

    def best_dice(self, turn: Turn, goal: int) -> int:
        """The two ends of a domino."""
        return self._profile.dice

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability."""
        one = exact_one(exact)
        counts = self._profile.score is Scoring.THROWS
        self.worth(turn, goal)
        ends: dict[End, Number] = {}
        layer: dict[tuple[int, int], Number] = {self.position(turn): one}
        throws, is_first = turn.throws, self._is_first(turn)
        while layer:
            throws += 1
            following: dict[tuple[int, int], Number] = {}
            for (mask, bag), mass in layer.items():
                left = bag.bit_count()
                for kind, count, rest in self.draws(mask, bag):
                    chance = mass * count / left
                    after = kind.after
                    if is_first:
                        after = self.firsts(mask, after)
                    if kind.ends or not after:
                        points = throws if counts else self._scores[mask]
                        lost = is_first and not kind.ends
                        end = End(self._space.lost() if lost else points, False)
                        ends[end] = ends.get(end, 0 * one) + chance
                        continue
                    best = max(after, key=lambda position: self._follow(position, rest)[goal])
                    if best:
                        key = best, self.reduced(best, rest)
                        following[key] = following.get(key, 0 * one) + chance
                    else:
                        end = End(throws if counts else self._scores[0], True)
                        ends[end] = ends.get(end, 0 * one) + chance
            layer, is_first = following, False
        return ends

    def position(self, turn: Turn) -> tuple[int, int]:
        """The open tiles and the bag of a turn, reduced."""
        left = _FULL & ~turn.drawn or _FULL
        mask = self._space.dense(turn.open)
        return mask, self.reduced(mask, left)

    def _is_first(self, turn: Turn) -> bool:
        return turn.moves == 0 and self._profile.first_move_must_include is not None

    def firsts(self, mask: int, after: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the positions after a move that a turn's first move may lead to."""
        must = self._space.bit(self._profile.first_move_must_include or 0)
        return tuple(position for position in after if (mask ^ position) & must)

    def _first(self, mask: int, bag: int) -> tuple[int, int]:
        """The worths of a turn's first draw, where its move must include a certain tile."""
        left = self._factorial[bag.bit_count() - 1]
        sums = [0, 0]
        for kind, count, rest in self.draws(mask, bag):
            after = self.firsts(mask, kind.after)
            for goal in (0, 1):
                if kind.ends:
                    worth = left * self._stops[goal][mask]
                else:
                    worth = max(
                        (self._follow(position, rest)[goal] for position in after),
                        default=left * self._lost[goal],
                    )
                sums[goal] += count * worth
        one, two = (left * bag.bit_count() * each for each in self._per_throw)
        return sums[0] + one, sums[1] + two

    def _solve(self, mask: int, bag: int) -> tuple[int, int]:
        known = self._keys.get((mask, bag))
        if known is not None:
            return known
        if len(self._keys) >= MOST_POSITIONS:
            raise TooLargeError("dominoes reach too many positions for exact odds here")
        size = bag.bit_count()
        left = self._factorial[size - 1]
        one, two = (left * size * each for each in self._per_throw)
        for kind, count, rest in self.draws(mask, bag):
            if kind.after:
                follow = [self._follow(position, rest) for position in kind.after]
                one += count * max([keys[0] for keys in follow])
                two += count * max([keys[1] for keys in follow])
            else:
                one += count * left * self._stops[0][mask]
                two += count * left * self._stops[1][mask]
        self._keys[mask, bag] = one, two
        return one, two

    def _follow(self, mask: int, bag: int) -> tuple[int, int]:
        if mask:
            return self._solve(mask, self.reduced(mask, bag))
        left = self._factorial[bag.bit_count()]
        return left * self._stops[0][0], left * self._stops[1][0]

    def draws(self, mask: int, bag: int) -> Iterator[tuple[Kind, int, int]]:
        """What can be drawn: the kind, how many of it, and the bag without one of them."""
        for kind in self._kinds_at(mask):
            left = bag & kind.dominoes
            if left:
                yield kind, left.bit_count(), bag & ~(left & -left)

    def reduced(self, mask: int, bag: int) -> int:
        """The bag that stands for all that are alike at this position."""
        reduced = 0
        for kind in self._kinds_at(mask):
            reduced |= kind.least[(bag & kind.dominoes).bit_count()]
        return reduced

    def _kinds_at(self, mask: int) -> tuple[Kind, ...]:
        kinds = self._kinds.get(mask)
        if kinds is None:
            kinds = self._kinds[mask] = self._make_kinds(mask)
        return kinds

    def _make_kinds(self, mask: int) -> tuple[Kind, ...]:
        alike: dict[tuple[bool, Tiles, tuple[int, ...]], int] = {}
        tiles: Tiles = self._space.sparse(mask)
        # Two open faces that are one tile too many for a move are one move once one is shut.
        later = self._profile.move is MoveKind.FACES and self._profile.max_tiles is not None
        for i, domino in enumerate(DOMINOES):
            ends = sum(domino) in self._profile.ends_turn_on
            moves = () if ends else legal_moves(self._profile, tiles, domino)
            after = tuple(sorted(mask ^ self._space.dense(move) for move in moves))
            named = to_tiles(domino) & tiles if later and not ends else 0
            alike[ends, named, after] = alike.get((ends, named, after), 0) | 1 << i
        kinds = []
        for (ends, _, after), dominoes in alike.items():
            least = [0]
            for i in range(len(DOMINOES)):
                if dominoes >> i & 1:
                    least.append(least[-1] | 1 << i)
            kinds.append(Kind(dominoes, after, ends, tuple(least)))
        return tuple(kinds)
