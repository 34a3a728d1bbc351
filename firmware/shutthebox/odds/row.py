"""A row as dense bits: the tiles that can be open, numbered 0, 1, 2 … in rising order.

Tiles may have any numbers up to 54, but only those that can be open matter in a turn. Numbered densely, their
sets are the integers below 2 ** count, and a move, which only clears bits, leads to a smaller one. With two
rows, the bits of tiles behind open ones come above those of the numbers with an open tile.
"""

from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


class TileRow:
    """The tiles that can be open.

    Attributes:
        tiles: the tiles.
        numbers: their numbers, rising; the index is the dense bit.
        count: how many there are.
        size: how many sets of them there are.
    """

    def __init__(self, tiles: Tiles) -> None:
        self.tiles = tiles
        self.numbers = to_numbers(tiles)
        self.count = len(self.numbers)
        self.size = 1 << self.count
        self._contiguous = tiles == self.size - 1

    def dense(self, tiles: Tiles) -> int:
        """A set as dense bits, without tiles that can never be open."""
        if self._contiguous:
            return tiles & (self.size - 1)
        return sum(1 << i for i, number in enumerate(self.numbers) if tiles >> (number - 1) & 1)

    def sparse(self, mask: int) -> Tiles:
        """The set of tiles for some dense bits."""
        if self._contiguous:
            return mask
        return to_tiles(number for i, number in enumerate(self.numbers) if mask >> i & 1)

    def bit(self, number: int) -> int:
        """The dense bit of a tile's number; 0 if that tile can't be open."""
        return 1 << self.numbers.index(number) if number in self.numbers else 0

    def mask(self, open_tiles: Tiles, behind: Tiles) -> int:
        """The dense bits of the tiles that are open, and of those behind open ones."""
        return self.dense(open_tiles) | self.dense(behind) << self.count

    def dense_move(self, move: Tiles, reach: int) -> int:
        """A move in dense bits: the columns, and above them those whose tile behind goes with it.

        Args:
            move: with a tile behind numbered `reach` higher than its column.
            reach: of the profile, `shutthebox.rules.rows.reach`.
        """
        return self.dense(move & ((1 << reach) - 1)) | self.dense(move >> reach) << self.count

    def tiles_of(self, mask: int) -> tuple[Tiles, Tiles]:
        """The tiles that are open, and those behind open ones."""
        return self.sparse(mask & (self.size - 1)), self.sparse(mask >> self.count)

    def after(self, mask: int, move: int) -> int:
        """The set that a move leads to, with two rows."""
        columns = move & (self.size - 1)
        in_front = mask >> self.count & columns
        return mask ^ (in_front << self.count) ^ (columns ^ in_front | in_front & move >> self.count)

    def masks(self, rows: int) -> list[int]:
        """The sets that can come up in a turn, rising."""
        if rows == 1:
            return list(range(self.size))
        met = [0]
        for i in range(self.count):
            # Of a number, both tiles are shut, the back one is open, or both are.
            low, high = 1 << i, 1 << (i + self.count)
            met += [mask | low for mask in met] + [mask | low | high for mask in met]
        return sorted(met)
