"""Finds the learned values of large rows: of each tile, and the score of best play."""

from functools import cache, lru_cache
from importlib import resources

from shutthebox.odds.large_rows import BestPlay, LargeRow, is_plain
from shutthebox.rules.profile import Profile

FILE_NAME = "row_values.txt"


@lru_cache(maxsize=4)
def row_of(profile: Profile) -> LargeRow | None:
    """Strong play of this game; None if its row and dice have no learned values."""
    if not is_plain(profile):
        return None
    lines = [line for *key, line in _lines() if key == [len(profile.tiles), profile.dice, profile.sides]]
    values: dict[int, tuple[float, ...]] = {}
    best_play = None
    for kind, *numbers in (line.split(" ") for line in lines):
        if kind == "best":
            best_play = BestPlay(float(numbers[1]), exact=numbers[0] == "exact")
        else:
            values[int(kind)] = tuple(int(number) / 10 for number in numbers)
    return LargeRow(profile, values, best_play) if values else None


@cache
def _lines() -> tuple[tuple[int, int, int, str], ...]:
    """Every line of the file: tiles, dice, sides, and their learned values.

    That is ``best exact SCORE`` or ``best at-most SCORE``, or the number of open tiles, the constant and the
    values of all tiles in tenths of a point.
    """
    text = (resources.files("shutthebox.odds") / FILE_NAME).read_text(encoding="utf-8")
    found = (line.split(" ", 3) for line in text.splitlines())
    return tuple((int(tiles), int(dice), int(sides), rest) for tiles, dice, sides, rest in found)
