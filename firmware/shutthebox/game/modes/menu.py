"""The menu: a list of settings, each with its options, the statistics, and the way to service."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Play, Sound
from shutthebox.game.menu_items import Entry, Item, ToService, ToStatistics, entries
from shutthebox.game.menu_items import menu as listed
from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, service
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Step, View, kept


@dataclass(frozen=True, slots=True)
class Menu(BoxMode):
    """The list, or the options of one of its entries.

    Attributes:
        picker: the choice so far.
        entry: whose options are chosen from; None in the list.
    """

    name: ClassVar[Mode] = Mode.MENU

    picker: Picker
    entry: Entry | None = None


def enter(settings: Settings) -> Menu:
    """The list from its top."""
    return Menu(listed(settings))


def levers(mode: Menu, context: Context) -> Step[Menu]:
    """A lever moved and put back is a choice."""
    picker, chosen = mode.picker.moved(context.flipped | context.lifted)
    return Step(replace(mode, picker=picker), (Play(Sound.CHOICE),) if chosen else ())


def press(mode: Menu, context: Context) -> Step[Menu | service.Service]:
    """In the list opens the entry; in an entry takes the option and goes back to the list."""
    settings = context.settings
    match mode.entry:
        case None:
            return _open(entries(settings)[mode.picker.cursor], context)
        case Item() as item:
            settings, facts = item.choose(settings, mode.picker.cursor)
            shared = replace(context.shared, settings=settings)
            return Step(Menu(listed(settings, item)), kept(*facts), shared)
        case entry:
            return Step(Menu(listed(settings, entry)))


def hold(mode: Menu, context: Context) -> Step[Menu | attract.Attract]:
    """Back to the list without a change, or to attract."""
    if mode.entry is None:
        return attract.enter(context)
    return Step(Menu(listed(context.settings, mode.entry)))


def time(mode: Menu, context: Context) -> Step[attract.Attract]:
    """Nobody has touched the box for long."""
    return attract.enter(context)


def service_press(mode: Menu, context: Context) -> Step[service.Service]:
    """Opens service."""
    return Step(service.enter(context.shared))


def screen(mode: Menu, view: View) -> Screen:
    """The list, or the options."""
    return picker_screen(mode.name, mode.picker, view)


def _open(entry: Entry, context: Context) -> Step[Menu | service.Service]:
    match entry:
        case Item():
            return Step(Menu(entry.picker(context.settings), entry))
        case ToStatistics():
            lines = tuple(context.statistics()) or ("-",)
            return Step(Menu(Picker(message("Statistics"), lines, 0, context.settings.levers), entry))
        case ToService():
            return Step(service.enter(context.shared))
