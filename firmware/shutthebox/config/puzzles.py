"""Finds the puzzles that are shipped: one for each day, the same on every box."""

from functools import cache, lru_cache
from importlib import resources

from shutthebox.config.profiles import builtin
from shutthebox.odds.puzzles import Puzzle, puzzle_from_text

FILE_NAME = "puzzles.txt"


@cache
def shipped() -> tuple[str, ...]:
    """All puzzles, one line each; they are read when the first is asked for."""
    file = resources.files("shutthebox.odds") / FILE_NAME
    return tuple(file.read_text(encoding="utf-8").splitlines())


@lru_cache(maxsize=2)
def puzzle_of(day: int) -> Puzzle:
    """The puzzle of a day, which is numbered as by `datetime.date.toordinal`; they come round again."""
    lines = shipped()
    return puzzle_from_text(lines[day % len(lines)], builtin)
