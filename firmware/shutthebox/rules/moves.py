"""The legal moves for a throw: every kind of the sheets, over sets of open tiles.

Nothing searches while people play. The sets of distinct tiles that add up to a total are
enumerated once per box (partitions of the total into distinct parts, cut off as soon as the
rest cannot be reached) and kept; a position only filters them.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

from shutthebox.rules.profile import Draw, MoveKind, OneDie, Profile
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles

Throw: TypeAlias = tuple[int, ...]
"""The faces of one throw in the order thrown. A single number may stand for a total whose
faces nobody reads (real dice, `MoveKind.SET`)."""

HIGH = 6
"""One die can serve only tiles up to its highest face; the sheets speak of six-sided dice."""


def dice_allowed(profile: Profile, open_tiles: Tiles) -> tuple[int, ...]:
    """How many dice may be thrown at this position, the usual number first.

    Two entries mean that the player chooses. Sheets 000 and 004 force one die by the sum,
    sheet 003 by the high tiles; sheets 001 and 002 leave the choice.
    """
    everything, one = (profile.dice,), (1,)
    if profile.dice == 1 or profile.draw is Draw.DOMINOES:
        return everything
    match profile.one_die:
        case OneDie.NEVER:
            return everything
        case OneDie.OPTIONAL_HIGH | OneDie.FORCED_HIGH:
            few = open_tiles >> HIGH == 0
        case OneDie.OPTIONAL_SUM | OneDie.FORCED_SUM:
            few = sum_of(open_tiles) <= HIGH
        case OneDie.ONLY_ONE:
            few = open_tiles == 1
    if not few:
        return everything
    if profile.one_die in (OneDie.OPTIONAL_HIGH, OneDie.OPTIONAL_SUM):
        return (profile.dice, 1)
    return one


def totals(profile: Profile, throw: Throw) -> tuple[int, ...]:
    """The totals that a throw may be read as: its sum, and the difference where that counts."""
    total = sum(throw)
    if profile.difference and len(throw) == 2 and throw[0] != throw[1]:
        return total, abs(throw[0] - throw[1])
    return (total,)


def legal_moves(
    profile: Profile, open_tiles: Tiles, throw: Throw, *, first: bool = False
) -> tuple[Tiles, ...]:
    """Every set of open tiles that may be shut for this throw, each once, none empty.

    Args:
        profile: the variant.
        open_tiles: tiles open before the move.
        throw: the faces on the table.
        first: the turn has made no move yet, so `first_move_must_include` holds.
    """
    must = 0
    if first and profile.first_move_must_include is not None:
        must = to_tiles([profile.first_move_must_include])
    most = profile.max_tiles or len(profile.tiles)
    faces = tuple(sorted(set(throw)))
    return _legal_moves(profile.move, totals(profile, throw), faces, open_tiles, most, must)


@lru_cache(maxsize=1 << 15)
def _legal_moves(
    kind: MoveKind, sums: tuple[int, ...], faces: tuple[int, ...], open_tiles: Tiles, most: int, must: Tiles
) -> tuple[Tiles, ...]:
    found = dict.fromkeys(_candidates(kind, sums, faces, open_tiles))
    return tuple(
        tiles
        for tiles in found
        if not tiles & ~open_tiles and not must & ~tiles and tiles.bit_count() <= most
    )


def _candidates(
    kind: MoveKind, sums: tuple[int, ...], faces: tuple[int, ...], open_tiles: Tiles
) -> Iterator[Tiles]:
    """Sets that the kind of move allows; some of their tiles may not be open."""
    if kind is MoveKind.SET:
        for total in sums:
            yield from _sets_of(open_tiles, total)
        return
    for total in sums:
        yield to_tiles([total])
    match kind:
        case MoveKind.SINGLE:
            yield from (to_tiles([face]) for face in faces)
        case MoveKind.EXACT:
            # A double is no pair of tiles: then `faces`, which has each face once, is too short.
            if sum(faces) == sums[0]:
                yield to_tiles(faces)
        case MoveKind.FACES:
            # One face alone counts only when the others cannot be shut any more, and so all
            # faces still open go together (sheet 003: 5 and 4 with 5 and 9 shut leave the 4).
            if still_open := to_tiles(faces) & open_tiles:
                yield still_open
        case MoveKind.FACES_FREE:
            for size in range(1, len(faces) + 1):
                yield from map(to_tiles, combinations(faces, size))


@lru_cache(maxsize=1 << 12)
def _sets_by_total(tiles: Tiles, total: int) -> tuple[Tiles, ...]:
    """All subsets of `tiles` that add up to `total`, as partitions into distinct parts."""
    numbers = to_numbers(tiles)
    reach = [0]
    for number in numbers:
        reach.append(reach[-1] + number)

    def partitions(count: int, rest: int, taken: Tiles) -> Iterator[Tiles]:
        # Largest parts first; `reach` stops a branch whose remaining tiles cannot fill the rest.
        if rest == 0:
            yield taken
            return
        while count and reach[count] >= rest:
            count -= 1
            if numbers[count] <= rest:
                yield from partitions(count, rest - numbers[count], taken | 1 << (numbers[count] - 1))

    return tuple(sorted(partitions(len(numbers), total, 0)))


_TABLE_TILES = 12


def _sets_of(open_tiles: Tiles, total: int) -> Iterator[Tiles]:
    """Subsets of the open tiles for a total: filtered from the whole box's table, or enumerated."""
    if open_tiles.bit_length() <= _TABLE_TILES:
        return iter(
            tiles for tiles in _sets_by_total((1 << _TABLE_TILES) - 1, total) if not tiles & ~open_tiles
        )
    return iter(_sets_by_total(open_tiles, total))


def can_ever_move(profile: Profile, open_tiles: Tiles) -> bool:
    """Whether any throw that the rules allow here has a legal move.

    Used where a throw without a move does not end the turn: a position that no throw can
    change would otherwise be thrown at for ever.
    """
    return any(_can_move_with(profile, open_tiles, dice) for dice in dice_allowed(profile, open_tiles))


def _can_move_with(profile: Profile, open_tiles: Tiles, dice: int) -> bool:
    sides, most = profile.sides, profile.max_tiles or len(profile.tiles)
    sums = set(range(dice, dice * sides + 1))
    if profile.difference and dice == 2:
        sums |= set(range(1, sides))
    numbers = to_numbers(open_tiles)
    if not sums.isdisjoint(numbers):
        return True
    match profile.move:
        case MoveKind.SET:
            # Every total: with one die or a difference a set may exist though no tile matches.
            return any(tiles.bit_count() <= most for total in sums for tiles in _sets_of(open_tiles, total))
        case MoveKind.EXACT:
            return most >= dice and sum(number <= sides for number in numbers) >= dice
        case _:
            return any(number <= sides for number in numbers)
