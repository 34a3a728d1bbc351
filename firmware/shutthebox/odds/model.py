"""The model of a turn: its positions, where each throw leads, and how the turn can end.

A position is a turn that awaits a throw: the open tiles, and the insurances, or the dominoes left in the bag.
Its throws are grouped into classes with the same moves (`shutthebox.odds.throw_classes`). Ends have the
lowest numbers. The positions follow, smaller sets of tiles first, so everything that can follow a position
has a lower number, unless tiles can open again. A throw that leads back to its own position is repeated, so
only the other throws count.

The model understands every key in `TURN_KEYS`; no position depends on those that `Profile` declares as keys
of the match. A game with any other key has no odds until somebody teaches the model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from math import lcm
from operator import xor
from typing import NamedTuple, TypeAlias

from shutthebox.odds.row import TileRow
from shutthebox.odds.throw_classes import ThrowClass, Throws, throws_of
from shutthebox.odds.worths import End, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import (
    can_ever_move,
    dice_allowed,
    ends_turn,
    is_one_die_ever_allowed,
    legal_moves,
)
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile, Scoring
from shutthebox.rules.rows import bearing, reach
from shutthebox.rules.score import MAX_THROWS, lost_score, score
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.rules.turn import BAGS, Turn, draws_again

TURN_KEYS = frozenset(
    {
        "tiles", "rows", "back", "through", "row_points",
        "start_open", "dice", "sides", "draw", "bag", "one_die", "one_die_at", "one_die_tiles", "move",
        "min_tiles", "max_tiles", "operations", "difference", "first_move_must_include", "ends_turn_on",
        "blocked", "insurance", "doubles", "strikes", "turns", "score", "lost_score", "add_throw",
        "win",
    }
)  # fmt: skip
"""The keys of a game that affect how a turn continues, or its worth."""

MAX_EXACT_TILES = {1: 12, 2: 9}
"""The longest row by the number of rows: 4,096 and 19,683 positions."""

MAX_POSITIONS = 50_000
"""The most positions with a bag of dominoes: some ten seconds of work. The sheets' games have 5,159 at
most."""

MAX_EVENTS = 60_000
"""The most events to iterate over if positions repeat: some seconds of work. The sheets' games have 41,733 at
most."""

AnsweredThrows: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Throws with several answers: how many throws; the tiles of each answer, as dense bits (negative if they're
opened); and the position or end that each leads to.
"""


class DiceChoice(NamedTuple):
    """One choice of dice at a position.

    Attributes:
        dice: how many dice.
        total: how many throws there are, each equally likely.
        lively: how many don't lead back to the position.
        forced: what follows throws with one answer.
        weights: how many throws lead to each of `forced`.
        several: how many throws share the same several answers. These are kept in columns, because there
            are tens of thousands of them.
        moves: for each of `several`, its answers.
        after: for each of `several`, where its answers lead.
        idle: these dice can't do anything here, but others can. Thrown once, they change nothing; thrown
            again and again, they use up a turn's throws.
    """

    dice: int
    total: int
    lively: int
    forced: tuple[int, ...]
    weights: tuple[int, ...]
    several: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    idle: bool = False

    @property
    def answered(self) -> Iterator[AnsweredThrows]:
        """The throws with several answers."""
        return zip(self.several, self.moves, self.after, strict=True)


PositionPlay: TypeAlias = tuple[DiceChoice, tuple[int, ...]]
"""The play at a position: the choice of dice, and for each of its `several`, the position to go to."""


class TurnPosition(NamedTuple):
    """A turn that awaits a throw.

    Attributes:
        mask: the open tiles, as dense bits.
        misses_left: how many throws without a move don't end the turn.
        bag: the dominoes left, as bits; 0 with dice.
        is_first: whether no move has been made yet, and the first one must shut a certain tile.
    """

    mask: int
    misses_left: int = 0
    bag: int = 0
    is_first: bool = False


def check_keys(rules: Profile) -> None:
    """Checks that all keys of a game are understood.

    Raises:
        OddsError: one isn't, and differs from its default; or dominoes are drawn in rotation.
    """
    for key in fields(rules):
        known = key.name in TURN_KEYS or key.metadata.get("of_match")
        if not known and getattr(rules, key.name) != key.default:
            raise OddsError(f"{rules.name} has no odds: they don't know the key {key.name}")
    if rules.draw is Draw.DOMINOES and not order_of(rules).one_turn_each:
        raise OddsError(f"{rules.name} has no odds: they don't know what the others draw from the bag")


class TurnModel:
    """The positions of a turn, numbered, and where their throws lead.

    Attributes:
        rules: the game.
        row: the tiles that can be open.
        counts: whether throws are the score. Then every end scores 0, except `lost` and `worn_out`, and each
            throw adds one.
        ends: how the turn can end, by number.
        lost: the number of the end of a turn lost on its first move; its score doesn't depend on throws.
        worn_out: the end of a turn with dice that can't change anything, which uses up all throws; None if
            throws aren't the score.
        choices: by number, the choices of dice, the usual number of dice first; none for ends.
        stops: by number, the end if the turn ended there.
        comes_back: whether a position can repeat.
        unit: a common denominator of all chances and expected scores; 0 if it would be too long, or if
            positions repeat.
    """

    def __init__(self, rules: Profile, turn: Turn | None = None) -> None:
        """Enumerates all positions.

        Args:
            rules: the game.
            turn: where to start; by default, a whole turn.

        Raises:
            OddsError: a key of the game isn't understood.
            TooLargeError: there are too many tiles or positions.
        """
        check_keys(rules)
        self.rules, turn = rules, turn or turns.start(rules)
        opens = rules.blocked is Blocked.OPENS_ONE
        self.row = TileRow(turn.open | rules.starting if opens else turn.open)
        most = MAX_EXACT_TILES[rules.rows]
        if self.row.count > most:
            raise TooLargeError(f"{self.row.count} tiles are too many for exact odds; {most} are the limit")
        self.counts = rules.score is Scoring.THROWS
        self.comes_back = False
        must = rules.first_move_must_include
        self._must = self.row.dense_move(bearing(rules, must), reach(rules)) if must else 0
        self._draws = rules.draw is Draw.DOMINOES
        self._one_row = rules.rows == 1
        self._whole = (1 << rules.bag) - 1
        self._ends_turn = rules.blocked in (Blocked.ENDS_TURN, Blocked.LOSES)
        self._by_dice = lru_cache(maxsize=2)(partial(throws_of, rules, self.row))
        self._bags: dict[TurnPosition, int] = {}
        self._kept: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._add_ends()
        if self._draws:
            if not self._ends_turn or rules.insurance or rules.rows == 2:
                raise TooLargeError("a bag that is drawn from again and again has too many positions")
            self._kinds: dict[int, tuple[_Kind, ...]] = {}
            self._follow(self._position(turn))
        else:
            self._add_dice()
            self._ends_at.clear()
            self._by_dice.cache_clear()
            if self.comes_back and self._with_throw:
                raise TooLargeError(
                    "where tiles open again, there are no exact odds for the throw that's added"
                )
        self.unit = self._unit()

    @property
    def uncounted(self) -> tuple[int, ...]:
        """The ends whose score doesn't depend on throws."""
        return (self.lost,) if self.worn_out is None else (self.lost, self.worn_out)

    def number(self, turn: Turn) -> int:
        """The number of a turn that awaits a throw.

        Positions with dominoes already drawn are added when they're first asked for.

        Raises:
            OddsError: tiles that can never be open, or more insurances than possible.
            TooLargeError: there are too many positions.
        """
        number = None
        if turn.open and not turn.open & ~self.row.tiles:
            position = self._position(turn)
            if self._draws:
                number = self._follow(position)
            elif position.is_first:
                number = self._first
            elif position.misses_left < len(self._numbers):
                number = self._numbers[position.misses_left].get(position.mask)
        if number is None:
            raise OddsError(f"{turn.to_text()} can't be reached")
        return number

    def choice(self, number: int, dice: int) -> DiceChoice:
        """The choice of this many dice at a position.

        Raises:
            ValueError: the rules don't allow that number of dice here.
        """
        for choice in self.choices[number]:
            if choice.dice == dice:
                return choice
        raise ValueError(f"{dice} dice can't be thrown here")

    def _position(self, turn: Turn) -> TurnPosition:
        mask = self.row.mask(turn.open, turn.behind)
        is_first = turn.moves == 0 and self.rules.first_move_must_include is not None
        if not self._draws:
            return TurnPosition(mask, turn.misses_left, is_first=is_first)
        bag = self._whole & ~turn.drawn or self._whole
        return TurnPosition(mask, turn.misses_left, self._reduce(mask, bag), is_first)

    def _add_ends(self) -> None:
        rules, numbers = self.rules, dict[End, int]()
        has_points = order_of(rules).has_points
        self._ends_at: dict[int, int] = {}
        for mask in self.row.masks(rules.rows):
            front, behind = self.row.tiles_of(mask)
            # Without points, the tiles left decide how the other player continues.
            points = score(rules, front, 0, behind) if has_points else mask
            end = End(points, not mask)
            self._ends_at[mask] = numbers.setdefault(end, len(numbers))
        # Separate, because a lost turn scores the same after any number of throws.
        self.lost = len(numbers)
        self.ends = (*numbers, End(lost_score(rules), False))
        # By an end with tiles open, and what a throw adds to its score.
        self._with_throw: dict[tuple[int, int], int] = {}
        if rules.add_throw and not self.counts:
            self._add_ends_by_throw()
        self.worn_out = len(self.ends) if self.counts else None
        if self.counts:
            self.ends = (*self.ends, End(MAX_THROWS, False))
        self.choices: list[tuple[DiceChoice, ...]] = [()] * len(self.ends)
        self.stops = list(range(len(self.ends)))

    def _add_ends_by_throw(self) -> None:
        dice = {self.rules.dice, 1} if is_one_die_ever_allowed(self.rules) else {self.rules.dice}
        added = {each for throws in map(self._by_dice, dice) for each in throws.added}
        ends = list(self.ends)
        for number, end in enumerate(self.ends):
            for more in sorted(added) if not end.shut else ():
                after = End(end.score + more, False)
                if after not in ends:
                    ends.append(after)
                self._with_throw[number, more] = ends.index(after)
        self.ends = tuple(ends)

    def _unit(self) -> int:
        # Each throw that counts shuts a tile, or uses up an insurance that a move earned.
        depth = self.row.count * self.rules.rows * (2 if self.rules.insurance else 1)
        depth += self.rules.spare_throws + self.rules.has_blanks
        lively = {choice.lively for choices in self.choices for choice in choices}
        unit = lcm(*range(1, self.rules.bag + 1)) if self._draws else lcm(*lively)
        return 0 if self.comes_back or unit.bit_length() * depth > _MAX_BITS else unit**depth

    def _add(self, position: TurnPosition, choices: tuple[DiceChoice, ...]) -> int:
        number = len(self.choices)
        self.choices.append(choices)
        self.stops.append(self._ends_at[position.mask])
        return number

    def _choice(self, number: int, dice: int, total: int, events: "_Events") -> DiceChoice:
        again = events.forced.pop(number, 0)
        several, moves, after = zip(*events.answered, strict=True) if events.answered else ((), (), ())
        # Interned, because the same few counts repeat.
        weights, several = (
            self._kept.setdefault(each, each) for each in (tuple(events.forced.values()), several)
        )
        forced = tuple(events.forced)
        return DiceChoice(dice, total, total - again, forced, weights, several, moves, after, events.idle)

    def _add_dice(self) -> None:
        rules, tiles = self.rules, self.row.count * self.rules.rows
        # There can't be more insurances than shut tiles: a double earns one, and shuts at least one.
        spare = 1 + rules.spare_throws
        order = [
            TurnPosition(mask, misses_left)
            for mask in list(self._ends_at)[1:]
            for misses_left in range(spare + (tiles - mask.bit_count()) * rules.insurance)
        ]
        # By insurances in hand: the number of each set of tiles. The shut box is an end.
        self._numbers = [{0: self._ends_at[0]} for _ in range(spare + (tiles + 1) * rules.insurance)]
        numbers, self._first = self._numbers, None
        for number, position in enumerate(order, len(self.ends)):
            numbers[position.misses_left][position.mask] = number
        start = TurnPosition(list(self._ends_at)[-1], is_first=True)
        if self._must:
            order.append(start)
        events = 0
        for position in order:
            allowed = dice_allowed(rules, *self.row.tiles_of(position.mask))
            number = len(self.choices)
            choices = []
            for dice in allowed:
                throws = self._by_dice(dice)
                found = self._events(position, number, throws, numbers)
                choices.append(self._choice(number, dice, throws.total, found))
                events += len(choices[-1].forced) + len(choices[-1].several)
            self._add(position, tuple(choices))
            if position.is_first:
                self._first = number
            if self.comes_back and events > MAX_EVENTS:
                raise TooLargeError(f"more than {MAX_EVENTS} events are too many for exact odds")

    def _events(
        self, position: TurnPosition, number: int, throws: Throws, numbers: list[dict[int, int]]
    ) -> "_Events":
        """Where throws of these dice lead from the position with this number."""
        mask, misses_left, _, is_first = position
        here, one_row = numbers[misses_left], self._one_row
        shut = xor if one_row else self.row.after
        blocked = blocked_doubles = 0
        found = _Events({}, [])
        forced, answered, _ = found
        classes = self._first_classes(position, throws) if is_first else throws.classes
        for weight, relevant, table, doubles, _ in classes:
            moves = table[mask & relevant]
            if not moves:
                blocked += weight - doubles
                blocked_doubles += doubles
                continue
            if doubles:
                more = numbers[misses_left + 1]
                found.add(doubles, moves, tuple([more[shut(mask, move)] for move in moves]))
                weight -= doubles
            if len(moves) == 1:
                after = here[shut(mask, moves[0])]
                forced[after] = forced.get(after, 0) + weight
            elif weight:
                # The hot path: no function call with one row.
                following = tuple(
                    [here[mask ^ move] for move in moves]
                    if one_row
                    else [here[shut(mask, move)] for move in moves]
                )
                answered.append((weight, moves, following))
        if is_first:
            blocked, blocked_doubles = blocked + blocked_doubles, 0
        stop = (self._ends_at[mask],)
        if throws.ended:
            for added, weight in throws.ended.items():
                found.add(weight, (), (self._with_throw.get((stop[0], added), stop[0]),))
        if blocked:
            moves, following = (), stop
            if misses_left or is_first or not self._ends_turn:
                moves, following = self._after_blocked(position, numbers)
            if following == (number,) and blocked == throws.total:
                following = stop if self.worn_out is None else (self.worn_out,)
                found = found._replace(idle=True)
            if self._with_throw and following[0] < len(self.ends):
                for added, weight in self._blocked(position, throws):
                    found.add(weight, (), (self._with_throw[following[0], added],))
            else:
                found.add(blocked, moves, following)
        if blocked_doubles:
            # The throw uses up the insurance it has just earned.
            found.add(blocked_doubles, (), (here[mask],))
        return found

    def _first_classes(self, position: TurnPosition, throws: Throws) -> Sequence[ThrowClass]:
        """The classes of first throws, with no moves but those that may be the first."""
        found = [(each, each.table[position.mask & each.relevant]) for each in throws.classes]
        must = self._must
        return [
            each._replace(relevant=0, table=[tuple([move for move in moves if move & must])])
            for each, moves in found
        ]

    def _blocked(self, position: TurnPosition, throws: Throws) -> Iterator[tuple[int, int]]:
        """The throws that end the turn for want of a move: what each adds to the score, and how many do."""
        is_first = position.is_first
        for each in self._first_classes(position, throws) if is_first else throws.classes:
            if not each.table[position.mask & each.relevant]:
                # A turn lost on its first move isn't saved by an insurance.
                yield each.added, each.weight - each.doubles * (not is_first)

    def _after_blocked(
        self, position: TurnPosition, numbers: list[dict[int, int]]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tiles that may be opened after a throw without a move, and where that leads."""
        rules, mask = self.rules, position.mask
        if position.is_first:
            return (), (self.lost,)
        if position.misses_left:
            return (), (numbers[position.misses_left - 1][mask],)
        shut = self.row.dense(rules.starting) & ~mask
        if rules.blocked is Blocked.OPENS_ONE and shut:
            self.comes_back = True
            bits = [1 << i for i in range(self.row.count) if shut >> i & 1]
            return tuple([-bit for bit in bits]), tuple([numbers[0][mask | bit] for bit in bits])
        front, behind = self.row.tiles_of(mask)
        if not can_ever_move(rules, front, behind=behind):
            return (), (self._ends_at[mask],)
        return (), (numbers[0][mask],)

    def _follow(self, position: TurnPosition) -> int:
        """The number of a position with dominoes. Positions that can follow get theirs first.

        Moves only shut tiles, so the recursion is no deeper than the number of tiles.
        """
        known = self._bags.get(position)
        if known is not None:
            return known
        if len(self._bags) >= MAX_POSITIONS:
            raise TooLargeError("dominoes reach too many positions for exact odds here")
        found = _Events({}, [])
        for kind in self._kinds_at(position.mask):
            left = position.bag & kind.dominoes
            if not left:
                continue
            moves, rest, misses_left = kind.moves, position.bag & ~(left & -left), position.misses_left
            if position.is_first:
                moves = tuple(move for move in moves if move & self._must)
            if moves:
                following = tuple(
                    [self._after_domino(position.mask ^ move, rest, misses_left) for move in moves]
                )
            elif kind.again:
                following = (
                    self._follow(position._replace(bag=self._reduce(position.mask, rest or self._whole))),
                )
            elif misses_left and not kind.ends:
                following = (self._after_domino(position.mask, rest, misses_left - 1),)
            else:
                lost = position.is_first and not kind.ends
                following = (self.lost if lost else self._ends_at[position.mask],)
            found.add(left.bit_count(), moves, following)
        choice = self._choice(len(self.choices), self.rules.dice, position.bag.bit_count(), found)
        number = self._bags[position] = self._add(position, (choice,))
        return number

    def _after_domino(self, mask: int, bag: int, misses_left: int) -> int:
        if not mask:
            return self._ends_at[0]
        return self._follow(TurnPosition(mask, misses_left, self._reduce(mask, bag or self._whole)))

    def _reduce(self, mask: int, bag: int) -> int:
        """The bag that stands for all equivalent ones with these tiles."""
        reduced = 0
        for kind in self._kinds_at(mask):
            reduced |= kind.least[(bag & kind.dominoes).bit_count()]
        return reduced

    def _kinds_at(self, mask: int) -> "tuple[_Kind, ...]":
        """Groups the dominoes by their moves with these tiles, and so with all sets that can follow."""
        if mask in self._kinds:
            return self._kinds[mask]
        rules = self.rules
        alike: dict[tuple[bool, bool, Tiles, tuple[int, ...]], int] = {}
        tiles = self.row.sparse(mask)
        # Two faces may be one tile too many for a move until one of them is shut.
        later = rules.move is MoveKind.FACES and rules.max_tiles is not None
        for i, domino in enumerate(BAGS[rules.bag]):
            ends, again = ends_turn(rules, domino), draws_again(rules, domino)
            legal = () if ends else legal_moves(rules, tiles, domino)
            moves = tuple(sorted(map(self.row.dense, legal), reverse=True))
            named = to_tiles(end for end in domino if end) & tiles if later and not ends else 0
            kind = ends, again, named, moves
            alike[kind] = alike.get(kind, 0) | 1 << i
        kinds = []
        for (ends, again, _, moves), dominoes in alike.items():
            least = [0]
            for i in range(rules.bag):
                if dominoes >> i & 1:
                    least.append(least[-1] | 1 << i)
            kinds.append(_Kind(dominoes, moves, ends, tuple(least), again))
        return self._kinds.setdefault(mask, tuple(kinds))


_MAX_BITS = 1 << 13
"""A longer common denominator is replaced by a power of two, with rounding."""


class _Events(NamedTuple):
    """Where some throws lead: with one answer, with several, and as `DiceChoice.idle`."""

    forced: dict[int, int]
    answered: list[AnsweredThrows]
    idle: bool = False

    def add(self, weight: int, moves: tuple[int, ...], after: tuple[int, ...]) -> None:
        if len(after) == 1:
            self.forced[after[0]] = self.forced.get(after[0], 0) + weight
        else:
            self.answered.append((weight, moves, after))


@dataclass(frozen=True, slots=True)
class _Kind:
    """Dominoes that are equivalent with some set of open tiles.

    Attributes:
        dominoes: which, as bits.
        moves: their moves, as dense bits; may be empty.
        ends: whether drawing one ends the turn.
        again: whether the player draws again.
        least: for each number of them left, the bits that represent it.
    """

    dominoes: int
    moves: tuple[int, ...]
    ends: bool
    least: tuple[int, ...]
    again: bool = False
