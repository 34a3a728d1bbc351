"""Setup: the questions before a match, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Play, Sound
from shutthebox.game.menu_items import Item, questions
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, ready, service
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.raising import Raise
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Step, View


@dataclass(frozen=True, slots=True)
class Setup(BoxMode):
    """One of the questions before a match.

    Attributes:
        item: what is asked.
        picker: the choice so far.
    """

    name: ClassVar[Mode] = Mode.SETUP

    item: Item
    picker: Picker


def enter(settings: Settings) -> Setup:
    """The first question."""
    return _ask(questions(settings)[0], settings)


def levers(mode: Setup, context: Context) -> Step[Setup]:
    """A lever moved and put back is a choice."""
    picker, chosen = mode.picker.moved(context.flipped | context.lifted)
    return Step(replace(mode, picker=picker), (Play(Sound.CHOICE),) if chosen else ())


def press(mode: Setup, context: Context) -> Step[Setup | Raise | ready.Ready]:
    """Takes the choice for this match; begins after the last question."""
    asked = questions(context.settings)
    settings, _ = mode.item.choose(context.settings, mode.picker.cursor)
    context = replace(context, shared=replace(context.shared, settings=settings))
    at = asked.index(mode.item) + 1
    if at < len(asked):
        return Step(_ask(asked[at], settings), shared=context.shared)
    assert settings.game is not None, "attract does not begin a game that cannot be played"
    return replace(ready.begin(settings.game, context), shared=context.shared)


def hold(mode: Setup, context: Context) -> Step[Setup | attract.Attract]:
    """Back to the question before, or to attract."""
    asked = questions(context.settings)
    at = asked.index(mode.item)
    return Step(_ask(asked[at - 1], context.settings)) if at else attract.enter(context)


def time(mode: Setup, context: Context) -> Step[attract.Attract]:
    """Nobody has touched the box for long."""
    return attract.enter(context)


def service_press(mode: Setup, context: Context) -> Step[service.Service]:
    """Opens service."""
    return Step(service.enter(context.shared))


def screen(mode: Setup, view: View) -> Screen:
    """The question and its options."""
    return picker_screen(mode.name, mode.picker, view)


def _ask(item: Item, settings: Settings) -> Setup:
    return Setup(item, item.picker(settings))
