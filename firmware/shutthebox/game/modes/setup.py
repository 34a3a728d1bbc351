"""Setup: the questions before a match, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.menu_items import ENTRIES, Item, questions
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, naming, raising, ready
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import picked, picker_screen
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

    def screen(self, view: View) -> Screen:
        """The question and its options."""
        return picker_screen(self.name, self.picker, view)


def enter(context: Context) -> Step[Setup | naming.Naming | raising.Raise | ready.Ready]:
    """The first question; begins at once where there is nothing to ask."""
    asked = questions(context.settings)
    return Step(_ask(asked[0], context.settings)) if asked else _begin(context)


def levers(mode: Setup, context: Context) -> Step[Setup]:
    """A lever moved and put back is a choice."""
    picker, effects, why = picked(mode.picker, context)
    return Step(replace(mode, picker=picker), effects, refusal=why)


def press(mode: Setup, context: Context) -> Step[Setup | naming.Naming | raising.Raise | ready.Ready]:
    """Takes the choice for this match; after the last question come the names, if wanted, and the match."""
    settings, _ = mode.item.choose(context.settings, mode.picker.cursor)
    context = replace(context, shared=replace(context.shared, settings=settings))
    # A choice can remove questions, its own too: no teams, say.
    at = ENTRIES.index(mode.item)
    following = next((item for item in questions(settings) if ENTRIES.index(item) > at), None)
    if following is not None:
        return Step(_ask(following, settings), shared=context.shared)
    step = _begin(context)
    return replace(step, shared=step.shared or context.shared)


def hold(mode: Setup, context: Context) -> Step[Setup | attract.Attract]:
    """Back to the question before, or to attract."""
    at = ENTRIES.index(mode.item)
    before = [item for item in questions(context.settings) if ENTRIES.index(item) < at]
    return Step(_ask(before[-1], context.settings)) if before else attract.enter(context)


def _begin(context: Context) -> Step[naming.Naming | raising.Raise | ready.Ready]:
    game = context.settings.game
    assert game is not None, "attract does not begin a game that cannot be played"
    return naming.begin(game, context)


def _ask(item: Item, settings: Settings) -> Setup:
    return Setup(item, item.picker(settings))
