"""A store in which a match was played, and what has been done to it since; all of it at noon."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.support.kept import NOON, alter

from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin

KEPT = f"{STORE_FILE}.2026-11-21T12-00-00.damaged"


def clock() -> float:
    return NOON


def play_a_little(folder: Path) -> None:
    with closing(Store(folder, clock)) as store:
        store.keep(Began(begin(builtin("traditional"), 2)))
        store.keep(Thrown((3, 5)))
        store.keep(Moved(0b10000000))


def change(*statements: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        play_a_little(folder)
        alter(folder, *statements)

    return damage
