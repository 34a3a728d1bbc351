"""Setup: the questions before a match, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.menu_items import MENU_LINES, Item, setup_questions
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import follow_flicks, picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step
from shutthebox.game.targets import AskNames, AskQuestions, BackToAttract


@dataclass(frozen=True, slots=True, eq=False)
class Setup(BoxMode):
    """One of the questions before a match.

    Attributes:
        item: the item being asked about.
        picker: its options.
    """

    name: ClassVar[Mode] = Mode.SETUP
    is_list: ClassVar[bool] = True
    has_cursor: ClassVar[bool] = True

    item: Item
    picker: Picker

    def move_cursor(self, by: int) -> Setup:
        """Moves the cursor by so many options."""
        return replace(self, picker=self.picker.move_cursor(by))

    def screen(self, shared: Shared) -> Screen:
        """The question and its options."""
        return picker_screen(self.name, self.picker)

    def levers(self, context: Context) -> Step[Setup]:
        """A flick chooses."""
        picker, effects, why = follow_flicks(self.picker, context)
        return Step(replace(self, picker=picker), effects, refusal=why)

    def press(self, context: Context) -> Step[Setup | AskNames]:
        """Takes the choice for this match; after the last question, asks for names or begins the match."""
        settings, _ = self.item.choose(context.shared.settings, self.picker.cursor)
        # A choice can remove questions, its own too: no teams, say.
        at = MENU_LINES.index(self.item)
        following = tuple(item for item in setup_questions(settings) if MENU_LINES.index(item) > at)
        return _next(following, settings)._replace(shared=context.shared._replace(own_settings=settings))

    def hold(self, context: Context) -> Step[Setup | BackToAttract]:
        """Goes back to the previous question, or leaves setup."""
        at = MENU_LINES.index(self.item)
        before = [item for item in setup_questions(context.shared.settings) if MENU_LINES.index(item) < at]
        return Step(_ask(before[-1], context.shared.settings) if before else BackToAttract())


def enter(target: AskQuestions, context: Context) -> Step[Setup | AskNames]:
    """Asks the first question, or begins at once if there is none."""
    return _next(setup_questions(context.shared.settings), context.shared.settings)


def _next(following: tuple[Item, ...], settings: Settings) -> Step[Setup | AskNames]:
    if following:
        return Step(_ask(following[0], settings))
    assert settings.usual_game is not None, "attract does not begin a game that can't be played"
    return Step(AskNames(settings.usual_game))


def _ask(item: Item, settings: Settings) -> Setup:
    return Setup(item, item.picker(settings))
