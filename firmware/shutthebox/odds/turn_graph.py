"""The positions of one turn as a graph: the results of each throw, for any rules.

The table of `shutthebox.odds.one_pass` needs neither a graph nor its memory, but it fits only
throws of dice that shut tiles or are passed. The graph fits all rules: dominoes, whose bag is part
of the position, and tiles that are opened again, which bring positions back.

Ends have the lowest numbers. The positions follow, those with smaller sets of tiles first, so
that all that can follow a position comes before it, unless a throw is passed or opens a tile.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from shutthebox.odds.rolls import Roll, rolls_by_position
from shutthebox.odds.rolls import roll as roll_of
from shutthebox.odds.state_space import Space
from shutthebox.odds.values import End, TooLargeError
from shutthebox.rules.moves import can_ever_move, dice_allowed, legal_moves
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Scoring
from shutthebox.rules.score import MAX_THROWS
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.rules.turn import DOMINOES, Turn

MOST_POSITIONS = 50_000
"""Most positions of a graph: some ten seconds of work. The games on the sheets have 5,159 at most."""

MOST_EVENTS = 60_000
"""Most events that are iterated on, where positions come back: some seconds of work. The games on
the sheets have 41,733 at most."""

_ALL_DOMINOES = (1 << len(DOMINOES)) - 1

Event: TypeAlias = tuple[int, tuple[int, ...]]
"""A number of throws, and the positions (or the end) of which the player chooses one after them."""


_Numbers: TypeAlias = dict[tuple[int, int], int]
"""The number of a position by its open tiles, as dense bits, and the insurances in hand."""


class Position(NamedTuple):
    """A turn that awaits a throw.

    Attributes:
        mask: the open tiles, as dense bits.
        bag: the dominoes left, as bits; 0 where dice are thrown.
        is_first: no move has been made, and the first one must shut a certain tile.
        insured: insurances in hand.
    """

    mask: int
    bag: int = 0
    is_first: bool = False
    insured: int = 0


@dataclass(frozen=True, slots=True)
class Way:
    """One way to throw at a position.

    Attributes:
        dice: how many dice.
        total: how many throws there are, each equally likely.
        events: what they lead to; their numbers of throws add up to `total`.
    """

    dice: int
    total: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """Dominoes that are alike at some set of open tiles.

    Attributes:
        dominoes: which, as bits.
        after: the sets of tiles, as dense bits, that their moves leave; empty if there are none.
        ends: drawing one ends the turn.
        least: for each number of them left, the bits that stand for it.
    """

    dominoes: int
    after: tuple[int, ...]
    ends: bool
    least: tuple[int, ...]


class TurnGraph:
    """The positions that can be met, numbered, and their throws.

    Where throws count, every end has a score of 0, and the solver counts them; but for those of `uncounted`.

    Attributes:
        space: the row.
        ends: how a turn can end; their indices are the lowest numbers.
        lost: the number of the end of a turn lost on its first move.
        uncounted: the numbers of the ends that have their score after however many throws.
        positions: by number; the ends have none and come first.
        ways: by number, the ways to throw, the usual number of dice first; none for ends.
        stops: by number, the end if the turn ended there.
        comes_back: a position can be met again after another one.
    """

    def __init__(self, space: Space, turn: Turn | None = None) -> None:
        """Goes through all positions once.

        Args:
            space: the row.
            turn: dominoes are followed from this turn only; with dice, all positions are there.

        Raises:
            TooLargeError: for more positions than can be gone through.
        """
        self.space = space
        profile = space.profile
        self._must = space.bit(profile.first_move_must_include or 0)
        self._draws = profile.draw is Draw.DOMINOES
        end_numbers: dict[End, int] = {}
        self._ends_at = {
            mask: end_numbers.setdefault(end, len(end_numbers))
            for mask, end in zip(space.masks, space.ends, strict=True)
        }
        # Apart, as a lost turn has the same score for every throw.
        self.lost = len(end_numbers)
        self.ends = (*end_numbers, space.lost)
        self.uncounted = [self.lost]
        if profile.score is Scoring.THROWS:
            # Who throws on with dice that can change nothing gets all throws.
            self.uncounted.append(len(self.ends))
            self.ends = (*self.ends, End(MAX_THROWS, False))
        self.positions = [Position(0)] * len(self.ends)
        self.ways: list[tuple[Way, ...]] = [()] * len(self.ends)
        self.stops = list(range(len(self.ends)))
        self.comes_back = False
        self._numbers: dict[Position, int] = {}
        if self._draws:
            ends_turn = profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES) and not profile.insurance
            if not ends_turn or profile.rows == 2:
                raise TooLargeError("a bag that is drawn from again and again has too many positions")
            assert turn is not None, "dominoes are followed from a turn"
            self._kinds: dict[int, tuple[_Kind, ...]] = {}
            self._follow(self.position(turn))
        else:
            self._add_dice()

    def number(self, turn: Turn) -> int | None:
        """The number of a turn that awaits a throw; None if its position is not in the graph."""
        return self._numbers.get(self.position(turn))

    def position(self, turn: Turn) -> Position:
        """The position of a turn that awaits a throw."""
        mask = self.space.mask(turn.open, turn.behind)
        is_first = turn.moves == 0 and self.space.profile.first_move_must_include is not None
        if not self._draws:
            return Position(mask, is_first=is_first, insured=turn.insured)
        return Position(mask, self._reduced(mask, _ALL_DOMINOES & ~turn.drawn or _ALL_DOMINOES), is_first)

    def way(self, number: int, dice: int) -> int:
        """Which of a position's ways to throw is that of so many dice.

        Raises:
            ValueError: if the rules do not allow that number of dice here.
        """
        for at, way in enumerate(self.ways[number]):
            if way.dice == dice:
                return at
        raise ValueError(f"{dice} dice cannot be thrown at {self.positions[number]}")

    def _add(self, position: Position, ways: tuple[Way, ...]) -> int:
        number = len(self.positions)
        self._numbers[position] = number
        self.positions.append(position)
        self.ways.append(ways)
        self.stops.append(self._ends_at[position.mask])
        return number

    def _add_dice(self) -> None:
        profile, space = self.space.profile, self.space
        rolls_at = self._rolls_at()
        tiles = len(space.numbers) * profile.rows
        # More insurances than tiles shut cannot be in hand: a double earns one, and shuts one at least.
        order = [
            Position(mask, insured=insured)
            for mask in space.masks
            if mask
            for insured in range(1 + (tiles - mask.bit_count()) * profile.insurance)
        ]
        numbers: _Numbers = {(each.mask, each.insured): n for n, each in enumerate(order, len(self.ends))}
        # The shut box is an end.
        numbers |= {(0, insured): self._ends_at[0] for insured in range(tiles + 1)}
        if self._must:
            start = space.mask(profile.starting, profile.starting_behind)
            order.append(Position(start, is_first=True))
        count = 0
        for position in order:
            rolls = rolls_at(position.mask)
            ways = tuple(
                [
                    Way(roll.dice, roll.total, tuple(self._events(position, roll, rolls, numbers)))
                    for roll in rolls
                ]
            )
            self._add(position, ways)
            count += sum([len(way.events) for way in ways])
            if self.comes_back and count > MOST_EVENTS:
                raise TooLargeError(f"more than {MOST_EVENTS} events are too many for exact odds")

    def _rolls_at(self) -> Callable[[int], tuple[Roll, ...]]:
        """The rolls that a player may choose from at each set of tiles."""
        profile, space = self.space.profile, self.space
        if profile.rows == 1:
            far, near = rolls_by_position(space)
            return lambda mask: near[mask] if mask < len(near) else far
        by_dice = {profile.dice: roll_of(space, profile.dice)}

        def rolls(mask: int) -> tuple[Roll, ...]:
            allowed = dice_allowed(profile, *space.tiles_of(mask))
            return tuple(
                [by_dice.get(dice) or by_dice.setdefault(dice, roll_of(space, dice)) for dice in allowed]
            )

        return rolls

    def _events(
        self, position: Position, roll: Roll, rolls: tuple[Roll, ...], numbers: "_Numbers"
    ) -> Iterator[Event]:
        mask, insured, space = position.mask, position.insured, self.space
        blocked, blocked_doubles = roll.idle, roll.idle_doubles
        for answers in roll.classes:
            moves = answers.moves(mask)
            if position.is_first:
                moves = tuple(move for move in moves if move & self._must)
            others = answers.weight - answers.doubles
            if not moves:
                blocked += others
                blocked_doubles += answers.doubles
                continue
            after = [space.after(mask, move) for move in moves]
            if others:
                yield others, tuple([numbers[each, insured] for each in after])
            if answers.doubles:
                yield answers.doubles, tuple([numbers[each, insured + 1] for each in after])
        if roll.ended:
            yield roll.ended, (self._ends_at[mask],)
        if blocked:
            # Of dice that can change nothing the turn takes all its throws.
            stuck = len(rolls) > 1 and not roll.live(mask)
            yield blocked, self._after_blocked(position, numbers, stuck=stuck)
        if blocked_doubles:
            # The throw uses up the insurance that it has just earned.
            yield blocked_doubles, (self.lost if position.is_first else numbers[mask, insured],)

    def _after_blocked(self, position: Position, numbers: "_Numbers", *, stuck: bool) -> tuple[int, ...]:
        """The result of a throw without a move."""
        profile, space, mask = self.space.profile, self.space, position.mask
        if position.is_first:
            return (self.lost,)
        if position.insured:
            return (numbers[mask, position.insured - 1],)
        if profile.blocked is Blocked.OPENS_ONE:
            shut = space.dense(profile.starting) & ~mask
            if shut:
                self.comes_back = True
                bits = (1 << i for i in range(len(space.numbers)))
                return tuple([numbers[mask | bit, 0] for bit in bits if shut & bit])
        ends = profile.blocked in (Blocked.ENDS_TURN, Blocked.LOSES)
        if stuck and not ends and profile.score is Scoring.THROWS:
            return (self.uncounted[-1],)
        front, behind = space.tiles_of(mask)
        if ends or stuck or not can_ever_move(profile, front, behind=behind):
            return (self._ends_at[mask],)
        return (numbers[mask, 0],)

    def _follow(self, position: Position) -> int:
        """The number of a position with dominoes; the positions that can follow are numbered first.

        Moves only shut tiles, so this calls itself at most once for every tile.
        """
        known = self._numbers.get(position)
        if known is not None:
            return known
        if len(self._numbers) >= MOST_POSITIONS:
            raise TooLargeError("dominoes reach too many positions for exact odds here")
        mask, bag, is_first, _ = position
        events: list[Event] = []
        for kind in self._kinds_at(mask):
            left = bag & kind.dominoes
            if not left:
                continue
            after, rest = kind.after, bag & ~(left & -left)
            if is_first:
                after = tuple(each for each in after if (mask ^ each) & self._must)
            following: tuple[int, ...]
            if after:
                following = tuple([self._after_domino(each, rest) for each in after])
            else:
                following = (self.lost if is_first and not kind.ends else self._ends_at[mask],)
            events.append((left.bit_count(), following))
        return self._add(position, (Way(self.space.profile.dice, bag.bit_count(), tuple(events)),))

    def _after_domino(self, mask: int, bag: int) -> int:
        return self._follow(Position(mask, self._reduced(mask, bag))) if mask else self._ends_at[0]

    def _reduced(self, mask: int, bag: int) -> int:
        """The bag that stands for all that are alike at these tiles."""
        reduced = 0
        for kind in self._kinds.get(mask) or self._kinds_at(mask):
            reduced |= kind.least[(bag & kind.dominoes).bit_count()]
        return reduced

    def _kinds_at(self, mask: int) -> tuple[_Kind, ...]:
        """The dominoes by their moves at these tiles, and so at all sets that can follow."""
        if mask in self._kinds:
            return self._kinds[mask]
        profile = self.space.profile
        alike: dict[tuple[bool, Tiles, tuple[int, ...]], int] = {}
        tiles: Tiles = self.space.sparse(mask)
        # Two open faces that are one tile too many for a move are one move once one is shut.
        later = profile.move is MoveKind.FACES and profile.max_tiles is not None
        for i, domino in enumerate(DOMINOES):
            ends = sum(domino) in profile.ends_turn_on
            moves = () if ends else legal_moves(profile, tiles, domino)
            after = tuple(sorted(mask ^ self.space.dense(move) for move in moves))
            named = to_tiles(domino) & tiles if later and not ends else 0
            alike[ends, named, after] = alike.get((ends, named, after), 0) | 1 << i
        kinds = []
        for (ends, _, after), dominoes in alike.items():
            least = [0]
            for i in range(len(DOMINOES)):
                if dominoes >> i & 1:
                    least.append(least[-1] | 1 << i)
            kinds.append(_Kind(dominoes, after, ends, tuple(least)))
        return self._kinds.setdefault(mask, tuple(kinds))
