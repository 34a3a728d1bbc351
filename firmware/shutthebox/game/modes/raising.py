"""Raise: the levers have to be set for the player's row before the throw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, ready
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Step, View
from shutthebox.game.wording import player_name


@dataclass(frozen=True, slots=True)
class Raise(MatchMode):
    """The levers do not fit the player's row yet."""

    name: ClassVar[Mode] = Mode.RAISE


def levers(mode: Raise, context: Context) -> Step[Raise | ready.Ready]:
    """Goes on as soon as the levers fit."""
    return ready.await_throw(mode.play, context)


def abandon(mode: Raise, context: Context) -> Step[attract.Attract]:
    """Leaves the match."""
    return ready.leave(mode.play, context)


def screen(mode: Raise, view: View) -> Screen:
    """Which levers are to be set."""
    prompt = message("Lift all levers")
    return turn_screen(mode.name, mode.play, view, prompt=prompt, big=player_name(mode.play.match))
