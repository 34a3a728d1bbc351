"""Sets of tiles as bitmasks: tile n is bit n - 1, so a set is an int and a subset test one `&`."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from shutthebox.errors import quoted
from shutthebox.validation import count

Tiles: TypeAlias = int
"""A set of tiles, tile n as bit n - 1."""

MAX_TILE = 54
"""The highest number a tile can have: a pack of cards with its jokers."""


def to_tiles(numbers: Iterable[int]) -> Tiles:
    """The set of these tile numbers (from 1 up); repeats count once."""
    tiles = 0
    for number in numbers:
        tiles |= 1 << (number - 1)
    return tiles


@lru_cache(maxsize=1 << 13)
def to_numbers(tiles: Tiles) -> tuple[int, ...]:
    """The tile numbers of a set, rising."""
    return tuple(number for number in range(1, tiles.bit_length() + 1) if tiles >> (number - 1) & 1)


def sum_of(tiles: Tiles) -> int:
    """The sum of a set's tile numbers."""
    return sum(to_numbers(tiles))


def to_text(tiles: Tiles) -> str:
    """A set as text: ``1,7``, or ``-`` for none. `from_text` reads it back."""
    return ",".join(map(str, to_numbers(tiles))) or "-"


def from_text(text: str) -> Tiles:
    """The set that `to_text` wrote.

    Raises:
        ValueError: for anything else: a number outside 1..108 (there may be two rows), one twice, stray
            signs, zeros in front.
    """
    if text == "-":
        return 0
    numbers = []
    for word in text.split(","):
        number = count(word, 2 * MAX_TILE)
        if number is None:
            raise ValueError(f"{quoted(word)} is not a tile: tiles are numbers from 1 to {MAX_TILE}")
        numbers.append(number)
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"{quoted(text)} names a tile twice")
    return to_tiles(numbers)
