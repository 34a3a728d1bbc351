"""The menu: a list of settings, each with its options, the statistics, and the way to service."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.menu_items import GAME, Item, MenuLine, ToPuzzle, ToService, ToStatistics, entries
from shutthebox.game.menu_items import menu as listed
from shutthebox.game.messages import message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import picked, picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, kept, refused
from shutthebox.game.targets import BackToAttract, OpenMenu, OpenPuzzle, OpenService
from shutthebox.game.wording import Sentence, Summary
from shutthebox.game.wording import listed as listed_tiles
from shutthebox.rules.profile import Profile
from shutthebox.rules.words import explain


@dataclass(frozen=True, slots=True)
class Menu(BoxMode):
    """The list, or the options of one of its entries.

    Attributes:
        picker: the choice so far.
        entry: whose options are chosen from; None in the list.
        sentence: which sentence of the rules is shown, for the game at the cursor; None for none.
    """

    name: ClassVar[Mode] = Mode.MENU

    picker: Picker
    entry: MenuLine | None = None
    sentence: int | None = None

    def game(self, settings: Settings) -> Profile | None:
        """The game at the cursor; None where no game is chosen."""
        return settings.games[self.picker.cursor] if self.entry is GAME else None

    def screen(self, shared: Shared) -> Screen:
        """The list, the options, or the rules of a game."""
        settings = shared.settings
        game = self.game(settings)
        if game is None:
            return picker_screen(self.name, self.picker, reads=isinstance(self.entry, ToStatistics))
        if self.sentence is None:
            hold = message("Hold: its rules")
            return picker_screen(self.name, self.picker, paragraph=Summary(game), hold=hold)
        return Screen(
            self.name,
            title=title_text(game, settings.language),
            aside=message("{page}/{pages}", page=self.sentence + 1, pages=len(explain(game))),
            paragraph=Sentence(game, self.sentence),
            prompt=message("Press: read on"),
            also=(message("Hold: back"),),
            lit=True,
        )


def enter(target: OpenMenu, context: Context) -> Step[Menu]:
    """The list from its top."""
    return Step(Menu(listed(context.shared.settings)))


def levers(mode: Menu, context: Context) -> Step[Menu]:
    """A lever moved and put back is a choice; it closes the rules."""
    picker, effects, why = picked(mode.picker, context)
    reading = mode.sentence if picker.cursor == mode.picker.cursor else None
    return Step(replace(mode, picker=picker, sentence=reading), effects, refusal=why)


def press(mode: Menu, context: Context) -> Step[Menu | OpenPuzzle | OpenService]:
    """In the list opens the entry; in an entry takes the option and goes back to the list; reads on."""
    settings, game = context.shared.settings, mode.game(context.shared.settings)
    if game is not None and mode.sentence is not None:
        return Step(replace(mode, sentence=(mode.sentence + 1) % len(explain(game))))
    match mode.entry:
        case None:
            return _open(mode, entries(settings)[mode.picker.cursor], context)
        case Item() as item:
            settings, facts = item.choose(settings, mode.picker.cursor)
            shared = replace(context.shared, settings=settings)
            return Step(Menu(listed(settings, item)), kept(*facts), shared)
        case entry:
            return Step(Menu(listed(settings, entry)))


def reopen(mode: Menu, context: Context) -> Step[Menu]:
    """The list as it now is, at the same entry: a setting was chosen elsewhere."""
    settings = context.shared.settings
    at = min(mode.picker.cursor, len(entries(settings)) - 1)
    return Step(Menu(listed(settings, mode.entry or entries(settings)[at])))


def hold(mode: Menu, context: Context) -> Step[Menu | BackToAttract]:
    """Back to the list without a change, or to attract; on a game's name opens its rules and closes them."""
    if mode.entry is None:
        return Step(BackToAttract())
    if mode.entry is GAME:
        return Step(replace(mode, sentence=0 if mode.sentence is None else None))
    return Step(Menu(listed(context.shared.settings, mode.entry)))


def _open(mode: Menu, entry: MenuLine, context: Context) -> Step[Menu | OpenPuzzle | OpenService]:
    match entry:
        case Item():
            return Step(Menu(entry.picker(context.shared.settings), entry))
        case ToStatistics():
            lines = tuple(context.statistics()) or ("-",)
            return Step(Menu(Picker(message("Statistics"), lines, 0, context.shared.settings.levers), entry))
        case ToPuzzle():
            daily = context.daily()
            if daily is None:
                return refused(mode, message("No puzzle today"))
            if missing := daily.missing_levers(context.shared.settings.levers, context.shared.settings.out):
                return refused(mode, message("Needs lever {tiles}", tiles=listed_tiles(missing)))
            return Step(OpenPuzzle(daily))
        case ToService():
            return Step(OpenService(unlocked=False))
