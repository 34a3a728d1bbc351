"""Finds the shipped puzzles: one for each day, the same on every box that offers their games."""

from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources

from shutthebox.config.profiles import builtin
from shutthebox.odds.puzzles import Puzzle, puzzle_from_text
from shutthebox.rules.profile import Profile

PUZZLES_FILE = "puzzles.txt"


@cache
def shipped() -> tuple[str, ...]:
    """All puzzles, one line each; loaded on first use."""
    file = resources.files("shutthebox.odds") / PUZZLES_FILE
    return tuple(file.read_text(encoding="utf-8").splitlines())


@cache
def _games() -> frozenset[str]:
    return frozenset(line.partition(" ")[0] for line in shipped())


def puzzle_games(offered: Iterable[Profile]) -> tuple[str, ...]:
    """The ids of the games with puzzles that a box offers with exactly the tiles of the puzzles.

    Args:
        offered: the games as the box plays them: on twelve levers *Traditional* has twelve tiles.
    """
    return tuple(game.name for game in offered if game.name in _games() and game == builtin(game.name))


def puzzle_of(day: int, games: Collection[str] = ()) -> Puzzle:
    """The puzzle of a day. Puzzles repeat once all have been used.

    Args:
        day: numbered as by `datetime.date.toordinal`.
        games: the ids of the games that the box plays; puzzles of other games are skipped. If none has a
            puzzle, the first one is returned all the same.
    """
    lines, first = shipped(), day % len(shipped())
    coming = (*lines[first:], *lines[:first])
    found = (line for line in coming if line.partition(" ")[0] in games)
    return puzzle_from_text(next(found, coming[0]), builtin)
