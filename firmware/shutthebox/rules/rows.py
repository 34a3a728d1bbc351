"""Two rows of tiles, one behind the other: columns, the tiles in play, and the moves among them.

Columns are named after their front tiles. A turn holds the columns with an open tile, and those of them
whose front tile is open. A move names a column for its foremost tile. If the tile behind goes in the same
throw, it's named, too, by its column plus `reach`: on nine columns, 1 and 10 are both tiles of the first.
"""

from collections.abc import Iterator
from functools import lru_cache

from shutthebox.rules.profile import Back, MoveKind, Profile
from shutthebox.rules.tiles import Tiles, sum_of, to_numbers, to_tiles


def reach(rules: Profile) -> int:
    """What's added to a column's number in a move for the tile behind."""
    return rules.tiles[-1]


def are_plain(rules: Profile) -> bool:
    """Whether tiles in play have their columns' numbers, and a move takes one tile per column."""
    return rules.rows == 1 or (rules.back is Back.SAME and not rules.through)


def numbers_in_play(rules: Profile, open_tiles: Tiles, behind: Tiles) -> tuple[int, ...]:
    """The numbers of these columns' foremost open tiles."""
    if are_plain(rules):
        return to_numbers(open_tiles)
    back = rules.back_numbers
    return tuple(n if behind >> (n - 1) & 1 else back[n] for n in to_numbers(open_tiles))


def numbers_hidden(rules: Profile, behind: Tiles) -> tuple[int, ...]:
    """The numbers of the open tiles behind open ones."""
    return tuple(rules.back_numbers[n] for n in to_numbers(behind))


def by_row(rules: Profile, open_tiles: Tiles, behind: Tiles) -> tuple[tuple[int, ...], ...]:
    """The numbers of all open tiles, by row, the front row first."""
    if rules.rows == 1:
        return (to_numbers(open_tiles),)
    return to_numbers(behind), numbers_hidden(rules, open_tiles)


def parts(rules: Profile, move: Tiles) -> tuple[Tiles, Tiles]:
    """A move's columns, and those whose tile behind goes in the same throw."""
    if not rules.through:
        return move, 0
    return move & ((1 << reach(rules)) - 1), move >> reach(rules)


def bearing(rules: Profile, number: int) -> Tiles:
    """The parts of a turn's first move that shut a tile with this number."""
    behind = (column for column, back in rules.back_numbers.items() if back == number and rules.through)
    return to_tiles([number]) | to_tiles(behind) << reach(rules)


def after(rules: Profile, open_tiles: Tiles, behind: Tiles, move: Tiles) -> tuple[Tiles, Tiles]:
    """The columns with an open tile after a move, and those whose front tile is open."""
    columns, through = parts(rules, move)
    return open_tiles & ~(columns & (~behind | through)), behind & ~columns


def sum_of_move(rules: Profile, open_tiles: Tiles, behind: Tiles, move: Tiles) -> int:
    """The sum of a move's numbers."""
    return sum_of(move) if are_plain(rules) else sum(numbers_of_move(rules, behind, move))


def numbers_of_move(rules: Profile, behind: Tiles, move: Tiles) -> tuple[int, ...]:
    """The numbers on the tiles of a move."""
    columns, through = parts(rules, move)
    return (*numbers_in_play(rules, columns, behind), *numbers_hidden(rules, through))


Way = tuple[Tiles, tuple[int, ...]]
"""A way to shut tiles of one column: the part of the move, and the tiles' numbers."""


def ways_of(rules: Profile, open_tiles: Tiles, behind: Tiles) -> list[list[Way]]:
    """The ways to shut tiles of each column with one throw."""
    found: list[list[Way]] = []
    for number, column in ((n, to_tiles([n])) for n in to_numbers(open_tiles)):
        back = rules.back_numbers[number]
        if not column & behind:
            found.append([(column, (back,))])
            continue
        ways: list[Way] = [(column, (number,))]
        if rules.through:
            ways.append((column | column << reach(rules), (number, back)))
        found.append(ways)
    return found


@lru_cache(maxsize=16)  # Each throw asks for the same moves three times.
def legal_moves(
    rules: Profile,
    open_tiles: Tiles,
    behind: Tiles,
    sums: tuple[int, ...],
    faces: tuple[int, ...],
    must: int | None,
) -> tuple[Tiles, ...]:
    """The moves for a throw if rows aren't plain.

    Args:
        rules: what the player plays by.
        open_tiles: the columns with an open tile.
        behind: those whose front and back tiles are both open.
        sums: what the throw may be read as.
        faces: what the dice show, each once; unused for sets of tiles.
        must: a number that the move has to shut; None for any.
    """
    ways, most = ways_of(rules, open_tiles, behind), rules.max_tiles or 2 * len(rules.tiles)
    found: dict[Tiles, None] = {}
    if rules.move is MoveKind.SET:
        for total in sums:
            found |= dict.fromkeys(_adding_up(ways, total, most, must))
        return tuple(found)
    for wanted in _wanted(rules.move, sums, faces, ways):
        if len(wanted) <= most and (must is None or must in wanted):
            found |= dict.fromkeys(_bearing(ways, wanted))
    return tuple(found)


def _adding_up(ways: list[list[Way]], total: int, most: int, must: int | None) -> Iterator[Tiles]:
    """The moves of at most this many tiles that add up to a total."""

    def search(at: int, rest: int, left: int, taken: Tiles, *, has_must: bool) -> Iterator[Tiles]:
        if rest == 0:
            if has_must:
                yield taken
            return
        if at == len(ways) or left == 0:
            return
        yield from search(at + 1, rest, left, taken, has_must=has_must)
        for part, numbers in ways[at]:
            if sum(numbers) <= rest and len(numbers) <= left:
                yield from search(
                    at + 1,
                    rest - sum(numbers),
                    left - len(numbers),
                    taken | part,
                    has_must=has_must or must in numbers,
                )

    if total > 0:
        yield from search(0, total, most, 0, has_must=must is None)


def _bearing(ways: list[list[Way]], wanted: tuple[int, ...]) -> Iterator[Tiles]:
    """The moves whose tiles have exactly these numbers."""

    def search(at: int, rest: tuple[int, ...], taken: Tiles) -> Iterator[Tiles]:
        if not rest:
            yield taken
            return
        if at == len(ways):
            return
        yield from search(at + 1, rest, taken)
        for part, numbers in ways[at]:
            left = list(rest)
            for number in numbers:
                if number not in left:
                    break
                left.remove(number)
            else:
                yield from search(at + 1, tuple(left), taken | part)

    yield from search(0, wanted, 0)


def _wanted(
    kind: MoveKind, sums: tuple[int, ...], faces: tuple[int, ...], ways: list[list[Way]]
) -> Iterator[tuple[int, ...]]:
    """The numbers a move's tiles may have, by the kind of move."""
    yield from ((total,) for total in sums)
    match kind:
        case MoveKind.SET:
            raise AssertionError("any tiles will do that add up")
        case MoveKind.SINGLE:
            yield from ((face,) for face in faces)
        case MoveKind.EXACT:
            if faces:
                yield faces
        case MoveKind.FACES:
            # All faces that can still be shut go together.
            able = [some for some in _some_of(faces) if any(True for _ in _bearing(ways, some))]
            most = max(map(len, able), default=0)
            yield from (some for some in able if len(some) == most)
        case MoveKind.FACES_FREE:
            yield from _some_of(faces)
        case MoveKind.KNIPSEN:
            yield from _some_of(faces)
            for total in sums:
                yield from _some_of((*faces, total))


def _some_of(numbers: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One or more of these numbers, each at most once."""
    distinct = tuple(dict.fromkeys(numbers))
    return [
        tuple(n for i, n in enumerate(distinct) if choice >> i & 1) for choice in range(1, 1 << len(distinct))
    ]
