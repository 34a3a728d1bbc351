"""Positions that are more than a set of open tiles: a back row of tiles, insurances in hand.

A move shuts tiles, and a throw that an insurance answers uses it up, so that play never comes back
to a position; only a throw that changes nothing does: one that is passed, or a double that earns
the insurance it uses up. Then ``V = sum(p * best) / (1 - p_nothing)``. Positions are made as play
reaches them, in floats.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import product
from typing import NamedTuple, TypeAlias

from shutthebox.odds.state_space import Space
from shutthebox.odds.values import End, Goal, Number, OddsError, TooLargeError, Worth
from shutthebox.rules.moves import Throw, can_ever_move, dice_allowed, legal_moves, totals
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile, Scoring
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.turn import Turn, is_double

MOST_WORK = 1_000_000
"""Most pairs of a position and a class of throws: some seconds of work."""

_MOST_THROWS = 20_000
_NEGLIGIBLE = 1e-15
_DIGITS = 12
"""Worths that differ by less are ties."""

Position: TypeAlias = tuple[int, int]
"""Open tiles as dense bits, those of the back row above those in front, and insurances in hand."""


def is_augmented(profile: Profile) -> bool:
    """Whether a position of the profile is more than its open tiles."""
    return profile.rows == 2 or profile.insurance


class _Throws(NamedTuple):
    """Throws that can be answered alike everywhere: one of them, and how many there are."""

    weight: int
    throw: Throw
    ends: bool
    double: bool


@dataclass(frozen=True, slots=True)
class _Outlook:
    """What a roll at a position can come to.

    Attributes:
        total: throws that there are.
        choices: with how many throws which positions can be chosen from.
        stopped: throws that end the turn.
        lost: throws that lose it.
        unchanged: throws that change nothing.
    """

    total: int
    choices: tuple[tuple[int, tuple[Position, ...]], ...]
    stopped: int
    lost: int
    unchanged: int


class Augmented:
    """Every position of a profile with two rows or insurances, made as it is asked for."""

    exact = False

    def __init__(self, space: Space, goals: tuple[Goal, Goal]) -> None:
        """Prepares it.

        Raises:
            TooLargeError: for more positions than can be gone through.
        """
        profile = space.profile
        if profile.draw is Draw.DOMINOES:
            raise TooLargeError("dominoes with two rows or insurances have too many positions for exact odds")
        self._space, self._profile, self._goals = space, profile, goals
        self._front = (1 << len(space.numbers)) - 1
        self._scores = space.scores()
        self._classes = {dice: _classes(profile, dice) for dice in {profile.dice, 1}}
        count = len(space.numbers)
        positions = 3**count if profile.rows == 2 else 1 << count
        # With every tile shut one insurance more may be in hand.
        positions *= 1 + profile.insurance * count * profile.rows // 2
        if positions * len(self._classes[profile.dice]) > MOST_WORK:
            raise TooLargeError(f"{positions} positions are too many for exact odds of this game")
        self._known: list[dict[Position, tuple[Worth, int]]] = [{}, {}]
        self._moves = cache(self._find_moves)

    def worth(self, turn: Turn, goal: int) -> Worth:
        """What the position is worth; throws already made do not count."""
        dice = self.best_dice(turn, goal)
        return self.worth_with(turn, goal, dice)

    def worth_with(self, turn: Turn, goal: int, dice: int) -> Worth:
        """What it is worth if so many dice are thrown now, and play is best afterwards.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        if dice not in dice_allowed(self._profile, turn.open, turn.behind):
            raise ValueError(f"{dice} dice cannot be thrown at {turn.to_text()}")
        return self._mean(self._position(turn), dice, goal, first=self._is_first(turn))

    def best_dice(self, turn: Turn, goal: int) -> int:
        """How many dice to throw."""
        at = self._position(turn)
        if not self._is_first(turn):
            return self._solved(at, goal)[1]
        allowed = dice_allowed(self._profile, turn.open, turn.behind)
        return max(allowed, key=lambda dice: _order(self._mean(at, dice, goal, first=True)))

    def ends(self, turn: Turn, goal: int, *, exact: bool) -> Mapping[End, Number]:
        """How the turn ends under best play, each end with its probability.

        Raises:
            OddsError: if fractions are asked for: there are none.
        """
        if exact:
            raise OddsError("the fractions of these rules are too long; values are exact to nine digits")
        if self._profile.score is Scoring.THROWS:
            return self._ends_by_throws(turn, goal)
        return self._ends_by_tiles(turn, goal)

    def _position(self, turn: Turn) -> Position:
        row = self._space
        return row.dense(turn.open) | row.dense(turn.behind) << len(row.numbers), turn.insured

    def _is_first(self, turn: Turn) -> bool:
        return turn.moves == 0 and self._profile.first_move_must_include is not None

    def _dice(self, tiles: int) -> tuple[int, ...]:
        front, behind = tiles & self._front, tiles >> len(self._space.numbers)
        return dice_allowed(self._profile, self._space.sparse(front), self._space.sparse(behind))

    def _find_moves(self, throw: Throw, front: int) -> tuple[int, ...]:
        found = legal_moves(self._profile, self._space.sparse(front), throw)
        return tuple(map(self._space.dense, found))

    def _after(self, tiles: int, move: int) -> int:
        """The tiles open after a move: those in front, and behind those that are shut already."""
        shut_in_front = tiles >> len(self._space.numbers) & move
        return tiles ^ (shut_in_front << len(self._space.numbers)) ^ (move ^ shut_in_front)

    def _outlook(self, at: Position, dice: int, *, first: bool = False) -> _Outlook:
        tiles, insured = at
        profile, front = self._profile, tiles & self._front
        must = self._space.bit(profile.first_move_must_include or 0) if first else 0
        choices: list[tuple[int, tuple[Position, ...]]] = []
        stopped = lost = unchanged = 0
        for weight, throw, ends, double in self._classes[dice]:
            held = insured + double
            moves = () if ends else self._moves(throw, front)
            if must:
                moves = tuple(move for move in moves if move & must)
            if moves:
                choices.append((weight, tuple((self._after(tiles, move), held) for move in moves)))
            elif ends:
                stopped += weight
            elif first:
                lost += weight
            elif profile.insurance and held:
                if double:
                    unchanged += weight
                else:
                    choices.append((weight, ((tiles, held - 1),)))
            elif profile.blocked is Blocked.PASSES and self._can_move(tiles):
                unchanged += weight
            else:
                stopped += weight
        return _Outlook(profile.sides**dice, tuple(choices), stopped, lost, unchanged)

    def _can_move(self, tiles: int) -> bool:
        front, behind = tiles & self._front, tiles >> len(self._space.numbers)
        sparse = self._space.sparse
        return can_ever_move(self._profile, sparse(front), behind=sparse(behind))

    def _solved(self, at: Position, goal: int) -> tuple[Worth, int]:
        """The worth of a position that is not a turn's first, and the best number of dice."""
        known = self._known[goal]
        if at not in known:
            found = [(self._mean(at, dice, goal), dice) for dice in self._dice(at[0])]
            known[at] = max(found, key=lambda option: _order(option[0])) if len(found) > 1 else found[0]
        return known[at]

    def _worth_after(self, at: Position, goal: int) -> Worth:
        if at[0]:
            return self._solved(at, goal)[0]
        return Worth(*map(float, self._goals[goal].ends[0]))

    def _best(self, options: tuple[Position, ...], goal: int) -> tuple[Position, Worth]:
        if len(options) == 1:
            return options[0], self._worth_after(options[0], goal)
        found = [(at, self._worth_after(at, goal)) for at in options]
        return max(found, key=lambda option: _order(option[1]))

    def _mean(self, at: Position, dice: int, goal: int, *, first: bool = False) -> Worth:
        outlook, aim = self._outlook(at, dice, first=first), self._goals[goal]
        stop, throws = aim.ends[at[0]], aim.per_throw
        counted = outlook.total - outlook.unchanged
        if not counted:
            # Only the other number of dice can change anything: these ones last to the turn's end.
            return Worth(*(float(stop[part] + MAX_THROWS * throws[part]) for part in (0, 1)))
        sums = [
            outlook.stopped * stop[part] + outlook.lost * aim.lost[part] + outlook.total * throws[part]
            for part in (0, 1)
        ]
        one, two = map(float, sums)
        for weight, options in outlook.choices:
            worth = self._best(options, goal)[1]
            one += weight * worth.first
            two += weight * worth.second
        return Worth(one / counted, two / counted)

    def _follow(
        self, at: Position, dice: int, goal: int, *, first: bool
    ) -> tuple[Counter[Position], _Outlook]:
        """With how many throws which position follows under best play."""
        outlook = self._outlook(at, dice, first=first)
        after: Counter[Position] = Counter()
        for weight, options in outlook.choices:
            after[self._best(options, goal)[0]] += weight
        return after, outlook

    def _ends_by_tiles(self, turn: Turn, goal: int) -> dict[End, Number]:
        ends: dict[End, Number] = {}

        def end(chance: float, score: int, *, shut: bool = False) -> None:
            if chance:
                ends[End(score, shut)] = ends.get(End(score, shut), 0.0) + chance

        start, first = self._position(turn), self._is_first(turn)
        chances: dict[Position, float] = {start: 1.0}
        due = [(-start[0].bit_count(), -start[1], start)]
        while due:
            # Play goes on to fewer tiles, or to as many with fewer insurances.
            *_, at = heappop(due)
            chance = chances.pop(at)
            dice = self.best_dice(turn, goal) if first else self._solved(at, goal)[1]
            after, outlook = self._follow(at, dice, goal, first=first)
            counted = outlook.total - outlook.unchanged
            end(outlook.lost / outlook.total * chance, self._space.lost())
            end(chance * (outlook.stopped / counted if counted else 1.0), self._scores[at[0]])
            for following, weight in after.items():
                share = chance * weight / counted
                if not following[0]:
                    end(share, self._scores[0], shut=True)
                    continue
                if following not in chances:
                    heappush(due, (-following[0].bit_count(), -following[1], following))
                chances[following] = chances.get(following, 0.0) + share
            first = False
        return ends

    def _ends_by_throws(self, turn: Turn, goal: int) -> dict[End, Number]:
        ends: dict[End, Number] = {}

        def end(chance: float, score: int, *, shut: bool = False) -> None:
            if chance:
                ends[End(score, shut)] = ends.get(End(score, shut), 0.0) + chance

        layer, first = {self._position(turn): 1.0}, self._is_first(turn)
        known: dict[Position, tuple[Counter[Position], _Outlook]] = {}
        for throws in range(turn.throws + 1, turn.throws + _MOST_THROWS):
            following: dict[Position, float] = {}
            for at, chance in layer.items():
                if at not in known:
                    dice = self.best_dice(turn, goal) if first else self._solved(at, goal)[1]
                    known[at] = self._follow(at, dice, goal, first=first)
                after, outlook = known[at]
                share = chance / outlook.total
                end(share * outlook.lost, self._space.lost())
                if outlook.unchanged == outlook.total:
                    end(chance, throws - 1 + MAX_THROWS)
                    continue
                end(share * outlook.stopped, throws)
                if outlook.unchanged:
                    following[at] = following.get(at, 0.0) + share * outlook.unchanged
                for position, weight in after.items():
                    if position[0]:
                        following[position] = following.get(position, 0.0) + share * weight
                    else:
                        end(share * weight, throws, shut=True)
            layer = {at: chance for at, chance in following.items() if chance > _NEGLIGIBLE}
            if not layer:
                break
            if first:
                known.clear()
                first = False
        return ends


def _classes(profile: Profile, dice: int) -> tuple[_Throws, ...]:
    if profile.sides**dice > MOST_WORK:
        raise TooLargeError(f"{dice} dice of {profile.sides} sides show too much for exact odds")
    weights: Counter[tuple[object, ...]] = Counter()
    shown: dict[tuple[object, ...], _Throws] = {}
    for throw in product(range(1, profile.sides + 1), repeat=dice):
        faces = () if profile.move is MoveKind.SET else tuple(sorted(set(throw)))
        ends = sum(throw) in profile.ends_turn_on
        double = profile.insurance and is_double(throw)
        key = faces, totals(profile, throw), ends, double
        weights[key] += 1
        shown.setdefault(key, _Throws(0, throw, ends, double))
    return tuple(shown[key]._replace(weight=weight) for key, weight in weights.items())


def _order(worth: Worth) -> tuple[float, float]:
    return round(float(worth.first), _DIGITS), float(worth.second)
