"""The electronic Shut the Box: rules, judge, odds, and the box that plays them.

The names that this module exports are for your own programs: games, matches, records and exact odds.
Everything else in the package may change. Each name loads on first use, so importing the package alone takes
no time.
"""

from typing import TYPE_CHECKING

__version__ = "1.0.1.dev0"

if TYPE_CHECKING:
    from shutthebox.engine.game import Game as Game
    from shutthebox.engine.game import languages as languages
    from shutthebox.engine.match import Match as Match
    from shutthebox.engine.match import Record as Record
    from shutthebox.engine.match import Result as Result
    from shutthebox.engine.match_environment import MatchEnv as MatchEnv
    from shutthebox.engine.odds import Decision as Decision
    from shutthebox.engine.odds import Odds as Odds
    from shutthebox.engine.odds import RankedMove as RankedMove
    from shutthebox.engine.odds import Value as Value
    from shutthebox.engine.odds import chances_to_win as chances_to_win
    from shutthebox.engine.odds import review as review
    from shutthebox.engine.players import BestPlayer as BestPlayer
    from shutthebox.engine.players import Player as Player
    from shutthebox.engine.players import RandomPlayer as RandomPlayer
    from shutthebox.engine.players import SimplePlayer as SimplePlayer
    from shutthebox.engine.players import TurnEnd as TurnEnd
    from shutthebox.engine.players import play_match as play_match
    from shutthebox.engine.players import play_turns as play_turns
    from shutthebox.engine.turn import Turn as Turn
    from shutthebox.engine.turn_environment import TurnEnv as TurnEnv
    from shutthebox.errors import ShutTheBoxError as ShutTheBoxError
    from shutthebox.odds.worths import OddsError as OddsError
    from shutthebox.rules.reader import ProfileError as ProfileError
    from shutthebox.rules.record import RecordError as RecordError

_MODULES = {
    "engine.game": ("Game", "languages"),
    "engine.match": ("Match", "Record", "Result"),
    "engine.match_environment": ("MatchEnv",),
    "engine.odds": ("Decision", "Odds", "RankedMove", "Value", "chances_to_win", "review"),
    "engine.players": (
        "BestPlayer",
        "Player",
        "RandomPlayer",
        "SimplePlayer",
        "TurnEnd",
        "play_match",
        "play_turns",
    ),
    "engine.turn": ("Turn",),
    "engine.turn_environment": ("TurnEnv",),
    "errors": ("ShutTheBoxError",),
    "odds.worths": ("OddsError",),
    "rules.reader": ("ProfileError",),
    "rules.record": ("RecordError",),
}
"""What type checkers read above, by module; `tests/unit/engine` holds the two together."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names}

_WITH_EXTRA = ("MatchEnv", "TurnEnv")
"""They need the extra `learn`."""

__all__ = sorted(_HOMES.keys() - _WITH_EXTRA)


def __getattr__(name: str) -> object:
    """A public name, imported on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The names that aren't loaded yet, too."""
    return sorted({*globals(), *_HOMES})
