"""Attract: nobody plays; a press begins, a hold opens the menu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.effects import Ask
from shutthebox.game.faults import FAULT_TEXTS
from shutthebox.game.lever_health import complaint
from shutthebox.game.match_screen import without_text
from shutthebox.game.messages import message, told
from shutthebox.game.mode import Mode
from shutthebox.game.modes import menu, ready, service, setup
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.raising import Raise
from shutthebox.game.questions import Prepare
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Step, View, refused
from shutthebox.game.wording import listed


@dataclass(frozen=True, slots=True)
class Attract(BoxMode):
    """Nobody plays."""

    name: ClassVar[Mode] = Mode.ATTRACT


def enter(context: Context) -> Step[Attract]:
    """Back to waiting for players; the odds of the usual game are got ready."""
    game = context.settings.game
    return Step(Attract(), (Ask(Prepare(game)),) if game else ())


def press(mode: Attract, context: Context) -> Step[Attract | setup.Setup | Raise | ready.Ready]:
    """Begins: at once where the usual game is played, else with the questions of setup."""
    settings = context.settings
    if settings.game is None:
        out = listed(settings.out & settings.profile.all_tiles)
        return refused(mode, message("Not without lever {tiles}", tiles=out))
    return ready.begin(settings.game, context) if settings.usual else Step(setup.enter(settings))


def hold(mode: Attract, context: Context) -> Step[menu.Menu]:
    """Opens the menu."""
    return Step(menu.enter(context.settings))


def service_press(mode: Attract, context: Context) -> Step[service.Service]:
    """Opens service."""
    return Step(service.enter(context.shared))


def screen(mode: Attract, view: View) -> Screen:
    """The usual game, and what is wrong with the box, if anything."""
    settings, _ = view.settings, view.translate
    fault = FAULT_TEXTS[view.shared.fault][0] if view.shared.fault else complaint(view.shared)
    out = settings.out & settings.profile.starting
    return Screen(
        mode.name,
        title=settings.profile.title(settings.language, _),
        aside=told(without_text(out), _) if out else "",
        big=_("SHUT THE BOX"),
        prompt=told(fault or message("Press to play"), _),
        alert=fault is not None,
        lit=True,
    )
