"""The legal moves for a throw, as sets of open tiles, for every kind of move on the sheets.

There's no search during play. For boxes of up to twelve tiles, the sets of distinct tiles that add up to each
total are enumerated once and cached; a position only filters them. For longer rows they are enumerated per
position, with a small cache: a pack of cards has thousands of moves, and a small computer little memory.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from math import isqrt, prod
from typing import TypeAlias

from shutthebox.rules import rows
from shutthebox.rules.profile import Doubles, Draw, MoveKind, OneDie, Operation, Profile
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles

Throw: TypeAlias = tuple[int, ...]
"""The faces of one throw in the order thrown. A single number may stand for a total whose
faces nobody reads (real dice, `MoveKind.SET`)."""

TABLE_TILES = 12
"""The longest row whose sets are all kept: the largest box that is sold."""


def dice_allowed(rules: Profile, open_tiles: Tiles, behind: Tiles = 0) -> tuple[int, ...]:
    """How many dice may be thrown in this position, the usual number first.

    Two entries mean the player chooses. Sheets 000 and 004 force one die depending on the sum, sheet 003
    depending on the high tiles; sheets 001 and 002 let the player choose.

    Args:
        rules: what the player plays by.
        open_tiles: the numbers with an open tile.
        behind: those whose back tile is open, too.
    """
    if rules.dice == 1 or rules.draw is Draw.DOMINOES or not _is_few(rules, open_tiles, behind):
        return (rules.dice,)
    return (rules.dice, 1) if rules.one_die.is_optional else (1,)


def _is_few(rules: Profile, open_tiles: Tiles, behind: Tiles) -> bool:
    """Whether so little is open that one die may be thrown."""
    most, front = rules.one_die_limit, rows.numbers_in_play(rules, open_tiles, behind)
    every = front + rows.numbers_hidden(rules, behind)
    match rules.one_die:
        case OneDie.NEVER:
            return False
        case OneDie.OPTIONAL_HIGH | OneDie.FORCED_HIGH:
            return max(every, default=0) <= most
        case OneDie.OPTIONAL_SUM | OneDie.FORCED_SUM:
            return sum(every) <= most
        case OneDie.OPTIONAL_TILES | OneDie.FORCED_TILES:
            return len(every) <= most
        case OneDie.OPTIONAL_FRONT | OneDie.FORCED_FRONT:
            return sum(front) <= most
        case OneDie.OPTIONAL_SHUT | OneDie.FORCED_SHUT:
            return not to_tiles(every) & rules.one_die_once_shut
        case OneDie.ONLY_ONE:
            return set(every) == {1}


def is_one_die_ever_allowed(rules: Profile) -> bool:
    """Whether a turn can reach a position in which a single die may be thrown."""
    last = (to_tiles([number]) for number in to_numbers(rules.starting))
    return rules.dice > 1 and any(1 in dice_allowed(rules, tile) for tile in last)


def totals(rules: Profile, throw: Throw) -> tuple[int, ...]:
    """The totals a throw may be read as, in the order of the operations; may be empty."""
    if rules.only_adds or len(throw) == 1:
        read: tuple[int, ...] = (sum(throw),) if any(throw) else ()
    else:
        read = _readings(rules.readings, tuple(sorted(throw, reverse=True)))
    if rules.doubles is Doubles.DOUBLED and is_double(throw):
        return tuple(2 * total for total in read)
    return read


def is_double(throw: Throw) -> bool:
    """Whether two dice or more, or both ends of a domino, all show the same."""
    return len(throw) > 1 and len(set(throw)) == 1


def ends_turn(rules: Profile, throw: Throw) -> bool:
    """Whether a throw ends the turn even if a move exists."""
    if rules.doubles is Doubles.ENDS_TURN and is_double(throw):
        return True
    return bool(rules.ends_turn_on) and ending_total(rules, throw) in rules.ends_turn_on


def ending_total(rules: Profile, throw: Throw) -> int | None:
    """What a throw is read as by `Profile.ends_turn_on`; None if it makes no total.

    With one operation this is its result, otherwise the sum; 0 for the double blank.
    """
    read = _one_operation(rules)
    if read is None or not any(throw):
        return sum(throw) * (2 if rules.doubles is Doubles.DOUBLED and is_double(throw) else 1)
    return next(iter(totals(rules, throw)), None)


def ending_totals(rules: Profile) -> frozenset[int]:
    """The totals that `Profile.ends_turn_on` can find."""
    alike = replace(rules, operations=(_one_operation(rules) or Operation.SUM,), difference=False)
    found = _possible_totals(alike, rules.dice)
    if is_one_die_ever_allowed(rules):
        found |= _possible_totals(alike, 1)
    return found | {0} if rules.has_blanks else found


def totals_of_doubles(rules: Profile) -> frozenset[int]:
    """The totals that `Profile.ends_turn_on` finds in doubles only."""
    if rules.dice == 1:
        return frozenset()
    one_die = range(1, rules.sides + 1) if is_one_die_ever_allowed(rules) else ()
    if rules.dice > _MAX_DICE_TRIED:
        return frozenset({rules.dice, rules.dice * rules.sides}.difference(one_die))
    lowest = 0 if rules.has_blanks else 1
    throws = list(combinations_with_replacement(range(lowest, rules.sides + 1), rules.dice))
    doubles = {ending_total(rules, throw) for throw in throws if is_double(throw)}
    others = {ending_total(rules, throw) for throw in throws if not is_double(throw)}
    return frozenset(total for total in doubles.difference(others, one_die) if total is not None)


def has_one_ending_total(rules: Profile) -> bool:
    """Whether it's clear which total of a throw `Profile.ends_turn_on` means."""
    return Operation.SUM in rules.readings or _one_operation(rules) is not None


def _one_operation(rules: Profile) -> Operation | None:
    """The operation that gives every throw one total at most; None if several are possible."""
    one = len(rules.readings) == 1
    several = rules.readings == (Operation.DIFFERENCE,) and rules.dice > 2
    return rules.readings[0] if one and not several else None


@lru_cache(maxsize=4096)
def _readings(operations: tuple[Operation, ...], falling: Throw) -> tuple[int, ...]:
    found: list[int] = []
    for operation in operations:
        match operation:
            case Operation.SUM:
                found += [sum(falling)] * any(falling)
            case Operation.DIFFERENCE:
                found += sorted(_differences(falling), reverse=True)
            case Operation.PRODUCT:
                found += [prod(falling)] * all(falling)
            case Operation.QUOTIENT:
                larger, smaller = falling
                found += [larger // smaller] if smaller and larger % smaller == 0 else []
    return tuple(dict.fromkeys(found))


def _differences(faces: Throw) -> set[int]:
    """The positive results of combining the faces with any signs, at least one of them minus."""
    found = {(0, False)}
    for face in faces:
        found = {(total + sign * face, minus or sign < 0) for total, minus in found for sign in (1, -1)}
    return {total for total, minus in found if minus and total > 0}


def _possible_totals(rules: Profile, dice: int) -> frozenset[int]:
    """The totals that a throw of this many dice, or a domino, can make."""
    lowest = 0 if rules.has_blanks else 1
    doubled = rules.doubles is Doubles.DOUBLED
    return _possible_readings(rules.readings, dice, rules.sides, lowest, doubled=doubled)


@lru_cache(maxsize=256)
def _possible_readings(
    operations: tuple[Operation, ...], dice: int, sides: int, lowest: int, *, doubled: bool
) -> frozenset[int]:
    if dice == 1:
        return frozenset(range(1, sides + 1))
    if dice <= _MAX_DICE_TRIED:
        throws = combinations_with_replacement(range(sides, lowest - 1, -1), dice)
        return frozenset(
            total * (2 if doubled and is_double(throw) else 1)
            for throw in throws
            for total in _readings(operations, throw)
        )
    found: set[int] = set()
    if Operation.SUM in operations:
        # Only doubles are all ones or all of the highest face; any other sum has a throw that is none.
        found |= set(range(dice + doubled, dice * sides + 1 - doubled))
        found |= {2 * dice * face for face in range(1, sides + 1) if doubled}
    if Operation.DIFFERENCE in operations:
        # All but one die may count either way.
        found |= set(range(1, (dice - 1) * sides))
    return frozenset(found)


def legal_moves(
    rules: Profile, open_tiles: Tiles, throw: Throw, *, is_first: bool = False, behind: Tiles = 0
) -> tuple[Tiles, ...]:
    """Every set of open tiles that may be shut for this throw, each once, none empty.

    Args:
        rules: what the player plays by.
        open_tiles: tiles open before the move.
        throw: the faces on the table.
        is_first: the turn has made no move yet, so `first_move_must_include` holds.
        behind: with two rows, the columns whose front tile is open.
    """
    must = 0
    if is_first and rules.first_move_must_include is not None:
        must = to_tiles([rules.first_move_must_include])
    most = rules.max_tiles or len(rules.tiles)
    # A blank half matches no tile.
    faces = () if rules.move is MoveKind.SET else tuple(sorted(set(throw) - {0}))
    if rules.move is MoveKind.EXACT and len(faces) < len(throw):
        faces = ()  # a double is no pair of tiles
    if not rows.are_plain(rules):
        wanted = rules.first_move_must_include if must else None
        found = rows.legal_moves(rules, open_tiles, behind, totals(rules, throw), faces, wanted)
    else:
        look_up = _legal_moves if open_tiles >> TABLE_TILES == 0 else _legal_moves_long
        found = look_up(rules.move, totals(rules, throw), faces, open_tiles, most, must)
    if rules.min_tiles == 1:
        return found
    return tuple(move for move in found if move.bit_count() >= rules.min_tiles)


def _find_moves(
    kind: MoveKind, sums: tuple[int, ...], faces: tuple[int, ...], open_tiles: Tiles, most: int, must: Tiles
) -> tuple[Tiles, ...]:
    found = dict.fromkeys(_candidates(kind, sums, faces, open_tiles, most))
    return tuple(
        tiles
        for tiles in found
        if not tiles & ~open_tiles and not must & ~tiles and tiles.bit_count() <= most
    )


_legal_moves = lru_cache(maxsize=32_768)(_find_moves)
_legal_moves_long = lru_cache(maxsize=128)(_find_moves)


def _candidates(
    kind: MoveKind, sums: tuple[int, ...], faces: tuple[int, ...], open_tiles: Tiles, most: int
) -> Iterator[Tiles]:
    """Sets that the kind of move allows; some of their tiles may not be open."""
    if kind is MoveKind.SET:
        for total in sums:
            yield from _sets_of(open_tiles, total, most)
        return
    for total in sums:
        yield to_tiles([total])
    match kind:
        case MoveKind.SINGLE:
            yield from (to_tiles([face]) for face in faces)
        case MoveKind.EXACT:
            if faces:
                yield to_tiles(faces)
        case MoveKind.FACES:
            # One face alone counts only when the others can't be shut any more, and so all
            # faces still open go together (sheet 003: 5 and 4 with 5 and 9 shut leave the 4).
            if still_open := to_tiles(faces) & open_tiles:
                yield still_open
        case MoveKind.FACES_FREE:
            yield from _some_of(faces)
        case MoveKind.KNIPSEN:
            yield from _some_of(faces)
            for total in sums:
                yield from _some_of((*faces, total))


def _some_of(numbers: tuple[int, ...]) -> Iterator[Tiles]:
    """Every set of one or more of these numbers."""
    for size in range(1, len(numbers) + 1):
        yield from map(to_tiles, combinations(numbers, size))


def _sets_of(open_tiles: Tiles, total: int, most: int) -> Iterable[Tiles]:
    """Sets for a total whose tiles may be shut, or a few more: the caller filters."""
    if open_tiles >> TABLE_TILES == 0:
        return _table(total)
    return _partitions(open_tiles, total, most)


@cache
def _table(total: int) -> tuple[Tiles, ...]:
    return tuple(sorted(_partitions((1 << TABLE_TILES) - 1, total, TABLE_TILES)))


def _partitions(tiles: Tiles, total: int, most: int) -> list[Tiles]:
    """All subsets of at most `most` tiles that add up to `total`, as partitions into distinct parts."""
    numbers = to_numbers(tiles)
    reach = [0]
    for number in numbers:
        reach.append(reach[-1] + number)
    found: list[Tiles] = []

    def part(count: int, rest: int, taken: Tiles, left: int) -> None:
        # Largest parts first; a branch ends where the largest tiles that may still be taken can't fill the
        # rest.
        count = bisect_right(numbers, rest, hi=count)
        if count and numbers[count - 1] == rest:
            count -= 1
            found.append(taken | 1 << (rest - 1))
        while left > 1 and reach[count] - reach[max(0, count - left)] >= rest:
            count -= 1
            number = numbers[count]
            part(count, rest - number, taken | 1 << (number - 1), left - 1)

    if total > 0:
        part(len(numbers), total, 0, most)
    return found


def most_moves(rules: Profile) -> int:
    """The most moves any throw has at the start of a turn, if moves are sets for a total.

    Counted without enumerating them, so that a row with too many moves is refused quickly.
    """
    if rules.move is not MoveKind.SET:
        return 1
    possible = _possible_totals(rules, rules.dice)
    highest = min(max(possible, default=0), sum_of(rules.starting))
    # k distinct tiles add up to more than k * k / 2.
    most = min(rules.max_tiles or highest, rules.starting.bit_count(), isqrt(2 * highest))
    # ways[k][t]: sets of k of the tiles so far that add up to t.
    ways = [[0] * (highest + 1) for _ in range(most + 1)]
    ways[0][0] = 1
    for number in to_numbers(rules.starting):
        for size in range(most, 0, -1):
            for total in range(number, highest + 1):
                ways[size][total] += ways[size - 1][total - number]
    if not rows.are_plain(rules):
        # An upper bound: each tile in front may go with the one behind it, or be replaced by it.
        ways = [[way * 3**size for way in each] for size, each in enumerate(ways)]
    moves = {total: sum(sizes[total] for sizes in ways) for total in possible if total <= highest}
    if rules.only_adds and rules.doubles is not Doubles.DOUBLED:
        return max(moves.values(), default=0)
    if rules.dice > _MAX_DICE_TRIED:
        return sum(moves.values())
    thrown = combinations_with_replacement(range(1, rules.sides + 1), rules.dice)
    return max(sum(moves.get(total, 0) for total in totals(rules, throw)) for throw in thrown)


def most_in_a_move(rules: Profile) -> int:
    """A number of tiles that no move exceeds, whatever `Profile.max_tiles` says."""
    match rules.move:
        case MoveKind.SINGLE:
            return 1
        case MoveKind.EXACT | MoveKind.FACES | MoveKind.FACES_FREE:
            return rules.dice
        case MoveKind.KNIPSEN:
            return rules.dice + 1
        case MoveKind.SET:
            if not rows.are_plain(rules):
                return len(rules.tiles) * rules.rows
            possible = _possible_totals(rules, rules.dice) | _possible_totals(rules, 1)
            sizes = _sizes(rules.starting, sum_of(rules.starting))
            found = (sizes[total] for total in possible if total < len(sizes))
            return max((counts.bit_length() - 1 for counts in found), default=0)


_MAX_DICE_TRIED = 3
"""With more dice there are too many throws to try, so one throw is assumed to make every total."""


def can_ever_move(rules: Profile, open_tiles: Tiles, must: Tiles = 0, *, behind: Tiles = 0) -> bool:
    """Whether any allowed throw has a legal move that shuts all of `must`.

    Needed where a throw without a move doesn't end the turn, since a position that no throw can change would
    otherwise go on forever. `must` has at most one tile.
    """
    allowed = dice_allowed(rules, open_tiles, behind)
    return any(_can_move_with(rules, open_tiles, dice, must, behind) for dice in allowed)


def _can_move_with(rules: Profile, open_tiles: Tiles, dice: int, must: Tiles, behind: Tiles) -> bool:
    sides, most = rules.sides, rules.max_tiles or len(rules.tiles)
    if not rows.are_plain(rules):
        return _can_move_in_columns(rules, open_tiles, behind, dice, must)
    sums = _possible_totals(rules, dice)
    numbers = to_numbers(must or open_tiles)
    if must & ~open_tiles or not numbers:
        return False
    if rules.min_tiles == 1 and not sums.isdisjoint(numbers):
        return True
    match rules.move:
        case MoveKind.SET:
            sums &= frozenset(range(sum_of(open_tiles) + 1))
            sizes = _sizes(open_tiles & ~must, max(sums, default=0))
            need, allowed = sum_of(must), (1 << most + 1) - (1 << rules.min_tiles)
            return any(total >= need and sizes[total - need] << must.bit_count() & allowed for total in sums)
        case MoveKind.EXACT:
            faces = sum(number <= sides for number in to_numbers(open_tiles))
            return dice <= min(most, faces) and any(number <= sides for number in numbers)
        case _:
            return any(number <= sides for number in numbers)


def _can_move_in_columns(rules: Profile, open_tiles: Tiles, behind: Tiles, dice: int, must: Tiles) -> bool:
    """The same where a tile's number may differ from its column's."""
    number = must.bit_length() or None
    if rules.move is MoveKind.EXACT and _can_shut_faces(rules, open_tiles, behind, dice, number):
        return True
    faces = tuple(range(1, rules.sides + 1)) if rules.move not in (MoveKind.SET, MoveKind.EXACT) else ()
    alone = rules if rules.move is MoveKind.SET else replace(rules, move=MoveKind.SINGLE)
    # A single face or total is enough for every other kind of move.
    return any(
        move.bit_count() >= rules.min_tiles
        for total in sorted(_possible_totals(rules, dice))
        for move in rows.legal_moves(alone, open_tiles, behind, (total,), faces, number)
    )


def _can_shut_faces(rules: Profile, open_tiles: Tiles, behind: Tiles, dice: int, number: int | None) -> bool:
    """Whether this many dice can show different faces that are all in play, among them `number`, if any."""
    ways = (way for column in rows.ways_of(rules, open_tiles, behind) for way in column)
    shut = {face for _, numbers in ways if max(numbers) <= rules.sides for face in numbers}
    return dice <= min(rules.max_tiles or dice, len(shut)) and (number is None or number in shut)


def _sizes(tiles: Tiles, highest: int) -> list[int]:
    """For each total from 0 to `highest`, how many of the tiles may add up to it: bit n is for n tiles."""
    sizes = [1] + [0] * highest
    for number in to_numbers(tiles):
        for total in range(highest, number - 1, -1):
            sizes[total] |= sizes[total - number] << 1
    return sizes
