"""Groups throws into classes with the same moves.

If only the total counts, the 36 throws of two dice are 11 classes, each with one table of moves. Tiles above
the total never take part, so the table is short: its index is the low bits of a position.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import NamedTuple

from shutthebox.odds.row import TileRow
from shutthebox.odds.worths import TooLargeError
from shutthebox.rules.moves import Throw, ends_turn, is_double, legal_moves, totals
from shutthebox.rules.profile import Doubles, MoveKind, Profile
from shutthebox.rules.rows import are_plain, reach
from shutthebox.rules.score import added_score
from shutthebox.rules.tiles import to_numbers, to_tiles

MAX_ENTRIES = 2_000_000
"""The most pairs of a position and a class of throws to solve exactly: some seconds of work. The sheets'
games have 86,016 at most."""


_MAX_STATES = 100_000


class ThrowClass(NamedTuple):
    """A class of throws with the same moves everywhere; those without a move anywhere are a class, too.

    Attributes:
        weight: how many throws it has.
        relevant: the tiles that its moves can shut, as dense bits.
        table: the moves, as dense bits, by the open tiles among `relevant`.
        doubles: how many of its throws earn an insurance.
        added: what each adds to the score if it ends the turn.
    """

    weight: int
    relevant: int
    table: list[tuple[int, ...]] | dict[int, tuple[int, ...]]
    doubles: int = 0
    added: int = 0

    @property
    def moves_somewhere(self) -> bool:
        """Whether it has a move at some position."""
        return any(self.table.values() if isinstance(self.table, dict) else self.table)


@dataclass(frozen=True, slots=True)
class Throws:
    """All throws of a number of dice.

    Attributes:
        dice: how many.
        total: how many throws there are, each equally likely.
        ended: how many end the turn at every position, by what they add to the score.
        classes: the others.
    """

    dice: int
    total: int
    ended: Mapping[int, int]
    classes: tuple[ThrowClass, ...]

    @property
    def added(self) -> frozenset[int]:
        """Everything that one of them may add to the score."""
        return frozenset((*self.ended, *(each.added for each in self.classes)))


def throws_of(rules: Profile, row: TileRow, dice: int) -> Throws:
    """The throws of this many dice on this row.

    Raises:
        TooLargeError: there are too many classes of throws.
    """
    if not are_plain(rules):
        ended, classes = _in_columns(rules, row, dice)
    elif rules.move is MoveKind.SET:
        ended, classes = _by_total(rules, row, dice)
    else:
        ended, classes = _by_faces(rules, row, dice)
    merged = [each for each in classes if each.moves_somewhere]
    for added in sorted({each.added for each in classes if not each.moves_somewhere}):
        idle = [each for each in classes if each.added == added and not each.moves_somewhere]
        weight, doubles = sum(each.weight for each in idle), sum(each.doubles for each in idle)
        merged.append(ThrowClass(weight, 0, [()], doubles, added))
    return Throws(dice, rules.sides**dice, ended, tuple(merged))


def _doubles(rules: Profile, dice: int) -> list[Throw]:
    """The throws that earn an insurance."""
    return [(face,) * dice for face in range(1, rules.sides + 1)] if rules.insurance and dice > 1 else []


def _by_total(rules: Profile, row: TileRow, dice: int) -> tuple[Counter[int], list[ThrowClass]]:
    """The classes if any set of open tiles that adds up to one of the totals will do."""
    ended, weights = Counter[int](), Counter[tuple[int, tuple[int, ...]]]()
    if dice == 1 or not _faces_count(rules):
        sums = Counter({0: 1})
        for _ in range(dice):
            longer = Counter[int]()
            for total, weight in sums.items():
                for face in range(1, rules.sides + 1):
                    longer[total + face] += weight
            sums = longer
        for total, weight in sums.items():
            added = added_score(rules, (total,))
            if ends_turn(rules, (total,)):
                ended[added] += weight
            else:
                weights[added, (total,)] = weight
    else:
        for throw, weight in _every_throw(rules, dice):
            added = added_score(rules, throw)
            if ends_turn(rules, throw):
                ended[added] += weight
            else:
                weights[added, tuple(sorted(totals(rules, throw)))] += weight
    largest = max((read[-1] for _, read in weights if read), default=0)
    top = min(largest, sum(row.numbers))
    doubles = Counter(
        (added_score(rules, throw), tuple(sorted(totals(rules, throw))))
        for throw in _doubles(rules, dice)
        if not ends_turn(rules, throw)
    )
    tables = sets_by_total(row.numbers, top)
    if rules.max_tiles is not None or rules.min_tiles > 1:
        sizes = range(rules.min_tiles, (rules.max_tiles or row.count) + 1)
        tables = [
            [tuple([move for move in moves if move.bit_count() in sizes]) for moves in table]
            for table in tables
        ]
    classes = []
    for (added, read), weight in sorted(weights.items()):
        found = [tables[total] for total in read if total <= top]
        # A throw's totals differ, so no set is in two of their tables.
        table, *others = sorted(found, key=len, reverse=True) or [[()]]
        for other in others:
            low = len(other) - 1
            table = [moves + other[i & low] for i, moves in enumerate(table)]
        classes.append(ThrowClass(weight, len(table) - 1, table, doubles[added, read], added))
    return ended, classes


def _faces_count(rules: Profile) -> bool:
    """Whether the faces matter for what a throw can mean, or whether it ends the turn."""
    return not rules.only_adds or rules.doubles is not Doubles.PLAIN


def _every_throw(rules: Profile, dice: int) -> list[tuple[Throw, int]]:
    """Each throw regardless of order, and how many throws it stands for."""
    if comb(rules.sides + dice - 1, dice) > _MAX_STATES:
        raise TooLargeError(f"{dice} dice of {rules.sides} sides show too much for exact odds")
    ways = factorial(dice)
    return [
        (throw, ways // prod(map(factorial, Counter(throw).values())))
        for throw in combinations_with_replacement(range(1, rules.sides + 1), dice)
    ]


def sets_by_total(numbers: tuple[int, ...], top: int) -> list[list[tuple[int, ...]]]:
    """For every total up to `top`, the sets of open tiles that add up to it, by position.

    The entry is `[total][position & (len - 1)]`, with dense bits; tiles above a total aren't in its index.
    Built tile by tile: a set either leaves out the new tile, or is that tile and a set for the rest of the
    total.
    """
    tables: list[list[tuple[int, ...]]] = [[(0,)]]
    tables += [[()] for _ in range(top)]
    for i, number in enumerate(numbers):
        bit = 1 << i
        longer = tables[:number]
        for total in range(number, top + 1):
            without, rest = tables[total], tables[total - number]
            low, low_rest = len(without) - 1, len(rest) - 1
            if low < bit - 1:
                without = [without[mask & low] for mask in range(bit)]
            within = [
                sets + tuple([move | bit for move in rest[mask & low_rest]])
                if rest[mask & low_rest]
                else sets
                for mask, sets in enumerate(without)
            ]
            longer.append(without + within)
        tables = longer[: top + 1]
    return tables


def _in_columns(rules: Profile, row: TileRow, dice: int) -> tuple[Counter[int], list[ThrowClass]]:
    """The classes if a tile's number may differ from its column's: the moves of every set of columns."""
    ended, alike = Counter[int](), dict[tuple[tuple[int, ...], tuple[int, ...], int], list[int]]()
    by_sum = rules.move is MoveKind.SET
    for throw, weight in _every_throw(rules, dice):
        added = added_score(rules, throw)
        if ends_turn(rules, throw):
            ended[added] += weight
            continue
        read = tuple(sorted(totals(rules, throw)))
        counted = alike.setdefault((read, () if by_sum else throw, added), [0, 0])
        counted[0] += weight
        counted[1] += rules.insurance and is_double(throw)
    masks = row.masks(rules.rows)
    if len(alike) * len(masks) > MAX_ENTRIES:
        raise TooLargeError(f"{dice} dice of {rules.sides} sides show too much for exact odds")
    if by_sum:
        adding_up = _adding_up(rules, row, max((read[-1] for read, _, _ in alike if read), default=0))
    classes, full = [], (1 << 2 * row.count) - 1
    for (read, throw, added), (weight, doubles) in alike.items():
        table: dict[int, tuple[int, ...]] = {}
        for mask in masks:
            if by_sum:
                sums = adding_up[mask]
                moves = [move for total in read for move in sums.get(total, ())]
                table[mask] = tuple([move for move in moves if move.bit_count() >= rules.min_tiles])
            else:
                front, behind = row.tiles_of(mask)
                legal = legal_moves(rules, front, throw, behind=behind)
                table[mask] = tuple(row.dense_move(move, reach(rules)) for move in legal)
        classes.append(ThrowClass(weight, full, table, doubles, added))
    return ended, classes


def _adding_up(rules: Profile, row: TileRow, most: int) -> dict[int, dict[int, list[int]]]:
    """For each set of columns, the moves for every total up to the highest.

    Built column by column, so that sets with the same lower columns share the work.
    """
    largest = rules.max_tiles or 2 * row.count
    found: dict[int, dict[int, list[int]]] = {}

    def add(at: int, mask: int, sums: dict[int, list[int]]) -> None:
        if at == row.count:
            found[mask] = sums
            return
        low, high, number = 1 << at, 1 << at + row.count, row.numbers[at]
        back = rules.back_numbers[number]
        add(at + 1, mask, sums)
        add(at + 1, mask | low, _with(sums, ((back, low),)))
        ways = ((number, low), (number + back, low | high)) if rules.through else ((number, low),)
        add(at + 1, mask | low | high, _with(sums, ways))

    def _with(sums: dict[int, list[int]], ways: tuple[tuple[int, int], ...]) -> dict[int, list[int]]:
        longer = {total: list(moves) for total, moves in sums.items()}
        for more, bits in ways:
            for total, moves in sums.items():
                if total + more <= most:
                    fit = [move | bits for move in moves if (move | bits).bit_count() <= largest]
                    if fit:
                        longer.setdefault(total + more, []).extend(fit)
        return longer

    add(0, 0, {0: [0]})
    return found


def _by_faces(rules: Profile, row: TileRow, dice: int) -> tuple[Counter[int], list[ThrowClass]]:
    """The classes if faces count: one throw stands for all that name the same tiles."""
    ended, classes = Counter[int](), []
    doubles = Counter(_alike(rules, row, throw, _names(rules, row, throw)) for throw in _doubles(rules, dice))
    for alike, (weight, throw) in _throws(rules, row, dice).items():
        if alike.ends:
            ended[alike.added] += weight
            continue
        classes.append(_answers(rules, row, throw, weight, doubles[alike])._replace(added=alike.added))
    return ended, classes


class _Alike(NamedTuple):
    """The common properties of a class of throws: how it ends a turn, and the tiles it names."""

    ends: bool
    added: int
    named: tuple[int, ...]


def _throws(rules: Profile, row: TileRow, dice: int) -> dict[_Alike, tuple[int, Throw]]:
    """One throw for each class, with the number of throws in it.

    Two throws are in the same class if they name the same tiles by face, total and difference. With
    `MoveKind.EXACT`, a repeated face, or one without a tile, names none.
    """
    largest = dice * rules.sides if rules.add_throw else max(row.numbers[-1], *rules.ends_turn_on, 0)
    # By dice: faces named (or -1), and total (capped where it no longer matters).
    states: dict[tuple[int, int], tuple[int, Throw]] = {(0, 0): (1, ())}
    for _ in range(dice):
        longer: dict[tuple[int, int], tuple[int, Throw]] = {}
        for (named, total), (weight, throw) in states.items():
            for face in range(1, rules.sides + 1):
                key = _with_face(rules, row, named, face), min(total + face, largest + 1)
                known, shown = longer.get(key, (0, (*throw, face)))
                longer[key] = known + weight, shown
        states = longer
        if len(states) > _MAX_STATES:
            raise TooLargeError(f"{dice} dice of {rules.sides} sides show too much for exact odds")
    thrown = [(named, weight, throw) for (named, _), (weight, throw) in states.items()]
    if dice > 1 and _faces_count(rules):
        thrown = [(_names(rules, row, throw), weight, throw) for throw, weight in _every_throw(rules, dice)]
    merged: dict[_Alike, tuple[int, Throw]] = {}
    for named, weight, throw in thrown:
        alike = _alike(rules, row, throw, named)
        known, shown = merged.get(alike, (0, throw))
        merged[alike] = known + weight, shown
    if len(merged) * row.size > MAX_ENTRIES:
        raise TooLargeError(f"{dice} dice of {rules.sides} sides show too much for exact odds")
    return merged


def _alike(rules: Profile, row: TileRow, throw: Throw, named: int) -> _Alike:
    """The class of a throw whose faces name these tiles."""
    ends = ends_turn(rules, throw)
    named_by_sums = [row.bit(number) for number in totals(rules, throw)]
    return _Alike(ends, added_score(rules, throw), () if ends else (named, *sorted(named_by_sums)))


def _names(rules: Profile, row: TileRow, throw: Throw) -> int:
    """The tiles that a throw's faces name, as dense bits; -1 if all must be used and one has none."""
    named = 0
    for face in throw:
        named = _with_face(rules, row, named, face)
    return named


def _with_face(rules: Profile, row: TileRow, named: int, face: int) -> int:
    """The tiles named by faces, with another face."""
    bit = row.bit(face)
    if rules.move is MoveKind.EXACT and (named < 0 or not bit or named & bit):
        return -1
    return named | bit


def _answers(rules: Profile, row: TileRow, throw: Throw, weight: int, doubles: int) -> ThrowClass:
    """The moves for a throw at every set of the tiles it names, from the rules themselves."""
    named = to_tiles({*throw, *totals(rules, throw)}) & row.tiles
    table = {}
    numbers = to_numbers(named)
    for choice in range(1 << len(numbers)):
        tiles = to_tiles(number for i, number in enumerate(numbers) if choice >> i & 1)
        moves = legal_moves(rules, tiles, throw)
        table[row.dense(tiles)] = tuple(row.dense(move) for move in moves)
    return ThrowClass(weight, row.dense(named), table, doubles)
