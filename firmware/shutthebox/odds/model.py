"""The model of a turn: its positions, what each throw leads to, and how the turn can end.

A position is a turn that awaits a throw: the open tiles, and the insurances or the dominoes left in the bag.
The throws at it are gathered into classes with the same moves (`shutthebox.odds.throw_classes`). Ends have
the lowest numbers. The positions follow, smaller sets of tiles first: whatever can follow a position has a
lower number, unless tiles are opened again. A throw that leads back to its own position is made again, so
what follows a position are the other throws alone.

The model knows every key of a game in `TURN_KEYS`; no position depends on those in `OTHER_KEYS`. A game with
any other key has no odds, until somebody teaches the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from math import lcm
from operator import xor
from typing import NamedTuple, TypeAlias

from shutthebox.odds.row import TileRow
from shutthebox.odds.throw_classes import Throws, throws_of
from shutthebox.odds.worths import End, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import can_ever_move, dice_allowed, ends_turn, legal_moves
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile, Scoring
from shutthebox.rules.rows import bearing, reach
from shutthebox.rules.score import MAX_THROWS, lost_score, score
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.rules.turn import BAGS, Turn, draws_again

TURN_KEYS = frozenset(
    {
        "tiles", "rows", "back", "through", "row_points",
        "start_open", "dice", "sides", "draw", "bag", "one_die", "one_die_at", "move", "max_tiles",
        "operations", "difference", "first_move_must_include", "ends_turn_on", "blocked", "insurance",
        "doubles", "strikes", "turns", "score", "lost_score", "win",
    }
)  # fmt: skip
"""The keys of a game that decide how a turn goes on, or its worth."""

OTHER_KEYS = frozenset(
    {
        "name", "titles", "source", "group", "boxes", "shut_wins", "shut_others", "rounds", "match", "limit",
        "tie", "stakes", "stake", "pays", "first", "captain", "own_throws", "teams", "handicap",
        "turn_seconds",
    }
)  # fmt: skip
"""The keys on which no position of a turn depends."""

MOST_TILES = {1: 12, 2: 9}
"""The longest row by the number of rows: 4096 positions, and 19,683."""

MOST_POSITIONS = 50_000
"""Most positions of a bag of dominoes: some ten seconds of work. Those of the sheets have 5,159 at most."""

MOST_EVENTS = 60_000
"""Most events that are iterated on, where positions come back: some seconds of work. The games on
the sheets have 41,733 at most."""

AnsweredThrows: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Throws after which the player chooses one of several answers.

How many throws; the tiles of each answer, as dense bits (below 0 where they are opened); and the position or
end that each leads to.
"""


class DiceChoice(NamedTuple):
    """One choice of dice at a position.

    Attributes:
        dice: how many dice.
        total: how many throws there are, each equally likely.
        lively: those of them that do not lead back to the position.
        forced: what follows throws that leave one answer.
        weights: how many throws lead to each of them.
        several: how many throws have the same answers, of which there are several. What the player chooses
            among is kept in columns, as there are tens of thousands of them.
        moves: for each of `several` its answers.
        after: for each of `several` what its answers lead to.
        idle: these dice can do nothing here, others can: if thrown again and again they take all throws that
            a turn may have, which is what follows; thrown once they change nothing.
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
        """The throws after which the player chooses among answers."""
        return zip(self.several, self.moves, self.after, strict=True)


class Position(NamedTuple):
    """A turn that awaits a throw.

    Attributes:
        mask: the open tiles, as dense bits.
        insured: insurances in hand.
        bag: the dominoes left, as bits; 0 where dice are thrown.
        is_first: no move has been made, and the first one must shut a certain tile.
    """

    mask: int
    insured: int = 0
    bag: int = 0
    is_first: bool = False


def check_keys(profile: Profile) -> None:
    """Checks that all keys of a game are understood.

    Raises:
        OddsError: for a key that is not and has another value than its default, and for dominoes in rotation.
    """
    for key in fields(profile):
        known = key.name in TURN_KEYS or key.name in OTHER_KEYS
        if not known and getattr(profile, key.name) != key.default:
            raise OddsError(f"{profile.name} has no odds: they do not know the key {key.name}")
    if profile.draw is Draw.DOMINOES and not order_of(profile).one_turn_each:
        raise OddsError(f"{profile.name} has no odds: they do not know what the others draw from the bag")


class TurnModel:
    """The positions of a turn, numbered, and what their throws lead to.

    Attributes:
        profile: the game.
        row: the tiles that can be open.
        counts: throws are the score. Then every end has a score of 0, but for `lost` and `stuck`, and
            each throw adds one.
        ends: how the turn can end; their places are their numbers.
        lost: the number of the end of a turn lost on its first move; it has its score after any throws.
        stuck: that of a turn with dice that can change nothing, which takes all throws that there are; None
            where throws are not the score.
        choices: by number the choices of dice, the usual number of dice first; none for ends.
        stops: by number the end if the turn ended there.
        comes_back: a position can be met again after another one.
        unit: a number that every chance and every expected score is a whole multiple of one part in; 0 where
            it would be too long, or positions come back.
    """

    def __init__(self, profile: Profile, turn: Turn | None = None) -> None:
        """Goes through all positions once.

        Args:
            profile: the game.
            turn: whose positions, and all that can follow; by default those of a whole turn.

        Raises:
            OddsError: for a key of the game that is not understood.
            TooLargeError: for more tiles or positions than can be gone through.
        """
        check_keys(profile)
        self.profile, turn = profile, turn or turns.start(profile)
        opens = profile.blocked is Blocked.OPENS_ONE
        self.row = TileRow(turn.open | profile.starting if opens else turn.open)
        most = MOST_TILES[profile.rows]
        if self.row.count > most:
            raise TooLargeError(f"{self.row.count} tiles are too many for exact odds, {most} are the most")
        self.counts = profile.score is Scoring.THROWS
        self.comes_back = False
        must = profile.first_move_must_include
        self._must = self.row.dense_move(bearing(profile, must), reach(profile)) if must else 0
        self._draws = profile.draw is Draw.DOMINOES
        self._whole = (1 << profile.bag) - 1
        self._ends_turn = profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES)
        self._bags: dict[Position, int] = {}
        self._kept: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._add_ends()
        if self._draws:
            if not self._ends_turn or profile.insurance or profile.rows == 2:
                raise TooLargeError("a bag that is drawn from again and again has too many positions")
            self._kinds: dict[int, tuple[_Kind, ...]] = {}
            self._follow(self._position(turn))
        else:
            self._add_dice()
            self._ends_at.clear()
        self.unit = self._unit()

    @property
    def uncounted(self) -> tuple[int, ...]:
        """The ends that have their score after however many throws."""
        return (self.lost,) if self.stuck is None else (self.lost, self.stuck)

    def number(self, turn: Turn) -> int:
        """The number of a turn that awaits a throw.

        Dominoes that were drawn before are not in the model at first: their positions are added then.

        Raises:
            OddsError: for tiles that can never be open, or more insurances than can be in hand.
            TooLargeError: for more positions than can be gone through.
        """
        number = None
        if turn.open and not turn.open & ~self.row.tiles:
            position = self._position(turn)
            if self._draws:
                number = self._follow(position)
            elif position.is_first:
                number = self._first
            elif position.insured < len(self._numbers):
                number = self._numbers[position.insured].get(position.mask)
        if number is None:
            raise OddsError(f"{turn.to_text()} can't be reached")
        return number

    def choice(self, number: int, dice: int) -> DiceChoice:
        """The choice of so many dice at a position.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        for choice in self.choices[number]:
            if choice.dice == dice:
                return choice
        raise ValueError(f"{dice} dice can't be thrown here")

    def _position(self, turn: Turn) -> Position:
        mask = self.row.mask(turn.open, turn.behind)
        is_first = turn.moves == 0 and self.profile.first_move_must_include is not None
        if not self._draws:
            return Position(mask, turn.insured, is_first=is_first)
        bag = self._whole & ~turn.drawn or self._whole
        return Position(mask, turn.insured, self._reduced(mask, bag), is_first)

    def _add_ends(self) -> None:
        profile, numbers = self.profile, dict[End, int]()
        has_points = order_of(profile).has_points
        self._ends_at: dict[int, int] = {}
        for mask in self.row.masks(profile.rows):
            front, behind = self.row.tiles_of(mask)
            # Without points, what a turn leaves decides how the other goes on.
            points = score(profile, front, 0, behind) if has_points else mask
            end = End(points, not mask)
            self._ends_at[mask] = numbers.setdefault(end, len(numbers))
        # Apart, as a lost turn has the same score for every throw.
        self.lost = len(numbers)
        self.ends = (*numbers, End(lost_score(profile), False))
        self.stuck = len(self.ends) if self.counts else None
        if self.counts:
            self.ends = (*self.ends, End(MAX_THROWS, False))
        self.choices: list[tuple[DiceChoice, ...]] = [()] * len(self.ends)
        self.stops = list(range(len(self.ends)))

    def _unit(self) -> int:
        # Each throw that counts shuts a tile at least, or uses up an insurance that a move has earned.
        depth = self.row.count * self.profile.rows * (2 if self.profile.insurance else 1)
        depth += self.profile.spare_throws + self.profile.has_blanks
        lively = {choice.lively for choices in self.choices for choice in choices}
        unit = lcm(*range(1, self.profile.bag + 1)) if self._draws else lcm(*lively)
        return 0 if self.comes_back or unit.bit_length() * depth > _MOST_BITS else unit**depth

    def _add(self, position: Position, choices: tuple[DiceChoice, ...]) -> int:
        number = len(self.choices)
        self.choices.append(choices)
        self.stops.append(self._ends_at[position.mask])
        return number

    def _choice(self, number: int, dice: int, total: int, events: "_Events") -> DiceChoice:
        again = events.forced.pop(number, 0)
        several, moves, after = zip(*events.answered, strict=True) if events.answered else ((), (), ())
        # The same few numbers of throws come again and again.
        weights, several = (
            self._kept.setdefault(each, each) for each in (tuple(events.forced.values()), several)
        )
        forced = tuple(events.forced)
        return DiceChoice(dice, total, total - again, forced, weights, several, moves, after, events.idle)

    def _add_dice(self) -> None:
        profile, tiles = self.profile, self.row.count * self.profile.rows
        # More insurances than tiles shut cannot be in hand: a double earns one, and shuts one at least.
        spare = 1 + profile.spare_throws
        order = [
            Position(mask, insured)
            for mask in list(self._ends_at)[1:]
            for insured in range(spare + (tiles - mask.bit_count()) * profile.insurance)
        ]
        # By the insurances in hand: the number of each set of tiles. The shut box is an end.
        self._numbers = [{0: self._ends_at[0]} for _ in range(spare + (tiles + 1) * profile.insurance)]
        numbers, self._first = self._numbers, None
        for number, position in enumerate(order, len(self.ends)):
            numbers[position.insured][position.mask] = number
        start = Position(list(self._ends_at)[-1], is_first=True)
        if self._must:
            order.append(start)
        by_dice = lru_cache(maxsize=2)(partial(throws_of, profile, self.row))
        events = 0
        for position in order:
            allowed = dice_allowed(profile, *self.row.tiles_of(position.mask))
            number = len(self.choices)
            choices = []
            for dice in allowed:
                throws = by_dice(dice)
                found = self._events(position, number, throws, numbers)
                choices.append(self._choice(number, dice, throws.total, found))
                events += len(choices[-1].forced) + len(choices[-1].several)
            self._add(position, tuple(choices))
            if position.is_first:
                self._first = number
            if self.comes_back and events > MOST_EVENTS:
                raise TooLargeError(f"more than {MOST_EVENTS} events are too many for exact odds")

    def _events(
        self, position: Position, number: int, throws: Throws, numbers: list[dict[int, int]]
    ) -> "_Events":
        """What throws of some dice lead to from a position, whose number this is."""
        mask, insured, _, is_first = position
        here, one_row = numbers[insured], self.profile.rows == 1
        shut = xor if one_row else self.row.after
        blocked, blocked_doubles = throws.idle, throws.idle_doubles
        found = _Events({}, [])
        forced, answered, _ = found
        for weight, relevant, table, doubles in throws.classes:
            moves = table[mask & relevant]
            if is_first:
                moves = tuple([move for move in moves if move & self._must])
            if not moves:
                blocked += weight - doubles
                blocked_doubles += doubles
                continue
            if doubles:
                more = numbers[insured + 1]
                found.add(doubles, moves, tuple([more[shut(mask, move)] for move in moves]))
                weight -= doubles
            if len(moves) == 1:
                after = here[shut(mask, moves[0])]
                forced[after] = forced.get(after, 0) + weight
            elif weight:
                # Most of the work: no call where there is one row.
                following = tuple(
                    [here[mask ^ move] for move in moves]
                    if one_row
                    else [here[shut(mask, move)] for move in moves]
                )
                answered.append((weight, moves, following))
        stop = (self._ends_at[mask],)
        if throws.ended:
            found.add(throws.ended, (), stop)
        if blocked:
            moves, following = (), stop
            if insured or is_first or not self._ends_turn:
                moves, following = self._after_blocked(position, numbers)
            if following == (number,) and blocked == throws.total:
                following = stop if self.stuck is None else (self.stuck,)
                found = found._replace(idle=True)
            found.add(blocked, moves, following)
        if blocked_doubles:
            # The throw uses up the insurance that it has just earned.
            found.add(blocked_doubles, (), (self.lost if position.is_first else here[mask],))
        return found

    def _after_blocked(
        self, position: Position, numbers: list[dict[int, int]]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tiles that may be opened after a throw without a move, and what follows it."""
        profile, mask = self.profile, position.mask
        if position.is_first:
            return (), (self.lost,)
        if position.insured:
            return (), (numbers[position.insured - 1][mask],)
        shut = self.row.dense(profile.starting) & ~mask
        if profile.blocked is Blocked.OPENS_ONE and shut:
            self.comes_back = True
            bits = [1 << i for i in range(self.row.count) if shut >> i & 1]
            return tuple([-bit for bit in bits]), tuple([numbers[0][mask | bit] for bit in bits])
        front, behind = self.row.tiles_of(mask)
        if not can_ever_move(profile, front, behind=behind):
            return (), (self._ends_at[mask],)
        return (), (numbers[0][mask],)

    def _follow(self, position: Position) -> int:
        """The number of a position with dominoes; the positions that can follow are numbered first.

        Moves only shut tiles, so this calls itself at most once for every tile.
        """
        known = self._bags.get(position)
        if known is not None:
            return known
        if len(self._bags) >= MOST_POSITIONS:
            raise TooLargeError("dominoes reach too many positions for exact odds here")
        found = _Events({}, [])
        for kind in self._kinds_at(position.mask):
            left = position.bag & kind.dominoes
            if not left:
                continue
            moves, rest, insured = kind.moves, position.bag & ~(left & -left), position.insured
            if position.is_first:
                moves = tuple(move for move in moves if move & self._must)
            if moves:
                following = tuple([self._after_domino(position.mask ^ move, rest, insured) for move in moves])
            elif kind.again:
                following = (
                    self._follow(position._replace(bag=self._reduced(position.mask, rest or self._whole))),
                )
            elif insured and not kind.ends:
                following = (self._after_domino(position.mask, rest, insured - 1),)
            else:
                lost = position.is_first and not kind.ends
                following = (self.lost if lost else self._ends_at[position.mask],)
            found.add(left.bit_count(), moves, following)
        choice = self._choice(len(self.choices), self.profile.dice, position.bag.bit_count(), found)
        number = self._bags[position] = self._add(position, (choice,))
        return number

    def _after_domino(self, mask: int, bag: int, insured: int) -> int:
        if not mask:
            return self._ends_at[0]
        return self._follow(Position(mask, insured, self._reduced(mask, bag or self._whole)))

    def _reduced(self, mask: int, bag: int) -> int:
        """The bag that stands for all that are alike at these tiles."""
        reduced = 0
        for kind in self._kinds_at(mask):
            reduced |= kind.least[(bag & kind.dominoes).bit_count()]
        return reduced

    def _kinds_at(self, mask: int) -> "tuple[_Kind, ...]":
        """The dominoes by their moves at these tiles, and so at all sets that can follow."""
        if mask in self._kinds:
            return self._kinds[mask]
        profile = self.profile
        alike: dict[tuple[bool, bool, Tiles, tuple[int, ...]], int] = {}
        tiles = self.row.sparse(mask)
        # Two open faces that are one tile too many for a move are one move once one is shut.
        later = profile.move is MoveKind.FACES and profile.max_tiles is not None
        for i, domino in enumerate(BAGS[profile.bag]):
            ends, again = ends_turn(profile, domino), draws_again(profile, domino)
            legal = () if ends else legal_moves(profile, tiles, domino)
            moves = tuple(sorted(map(self.row.dense, legal), reverse=True))
            named = to_tiles(end for end in domino if end) & tiles if later and not ends else 0
            kind = ends, again, named, moves
            alike[kind] = alike.get(kind, 0) | 1 << i
        kinds = []
        for (ends, again, _, moves), dominoes in alike.items():
            least = [0]
            for i in range(profile.bag):
                if dominoes >> i & 1:
                    least.append(least[-1] | 1 << i)
            kinds.append(_Kind(dominoes, moves, ends, tuple(least), again))
        return self._kinds.setdefault(mask, tuple(kinds))


_MOST_BITS = 1 << 13
"""A longer common denominator gives way to a power of two, and to rounding."""


class _Events(NamedTuple):
    """What some throws lead to: with one answer, with several, and as `DiceChoice.idle`."""

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
    """Dominoes that are alike at some set of open tiles.

    Attributes:
        dominoes: which, as bits.
        moves: their moves, as dense bits; empty if there are none.
        ends: drawing one ends the turn.
        again: the player draws again.
        least: for each number of them left, the bits that stand for it.
    """

    dominoes: int
    moves: tuple[int, ...]
    ends: bool
    least: tuple[int, ...]
    again: bool = False
