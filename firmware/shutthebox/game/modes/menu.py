"""The menu: a list of settings with their options, and the way to the owner's screens.

Games are listed by group. The last line of each list opens a game's rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.menu_items import GAME, GROUPS, Destination, Item, MenuLine, entries, why_not_linked
from shutthebox.game.menu_items import menu as listed
from shutthebox.game.messages import message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Picker
from shutthebox.game.picker_screen import follow_flicks, picker_screen
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.targets import BackToAttract, OpenLink, OpenMenu, OpenPuzzle, OpenService
from shutthebox.game.wording import Distinction, rules_pages
from shutthebox.game.wording import list_tiles as listed_tiles
from shutthebox.rules.profile import Group, Profile


@dataclass(frozen=True, slots=True, eq=False)
class Menu(BoxMode):
    """The list, or the options of one of its entries.

    Attributes:
        picker: the list on the screen.
        entry: the entry whose options are shown; None in the menu's list.
        group: the group whose games are shown; None elsewhere.
        at: the index in its group of the game last pointed at.
        chose: a line has been chosen since the list was opened.
        page: the page of rules shown, from 0; None for none.
        address: the address of the scoreboard, while that is shown.
    """

    name: ClassVar[Mode] = Mode.MENU
    is_list: ClassVar[bool] = True
    has_cursor: ClassVar[bool] = True

    picker: Picker
    entry: MenuLine | None = None
    group: Group | None = None
    at: int = 0
    chose: bool = False
    page: int | None = None
    address: str = ""

    def game(self, settings: Settings) -> Profile | None:
        """The game last pointed at; None outside a list of games."""
        return dict(settings.groups)[self.group][self.at] if self.group else None

    @property
    def on_rules(self) -> bool:
        """Whether the cursor is at the line for the rules, below the games."""
        return self.group is not None and self.picker.cursor + 1 == len(self.picker.options)

    def move_cursor(self, by: int) -> Menu:
        """Moves the cursor by so many lines, and closes the rules if they're open."""
        return self._with_picker(self.picker.move_cursor(by))

    def _with_picker(self, picker: Picker) -> Menu:
        mode = replace(self, picker=picker)
        if picker.cursor == self.picker.cursor:
            return mode
        return replace(mode, at=self.at if mode.on_rules else picker.cursor, chose=True, page=None)

    def screen(self, shared: Shared) -> Screen:
        """The list, the options, or the rules of a game."""
        settings = shared.settings
        game = self.game(settings)
        if self.entry is Destination.SCOREBOARD:
            return self._scoreboard_screen()
        if game is None:
            return picker_screen(self.name, self.picker, reads=self.entry is Destination.STATISTICS)
        if self.page is None:
            about = title_text(game, settings.box.language) if self.on_rules else Distinction(game)
            return picker_screen(self.name, self.picker, paragraph=about)
        # Imported lazily to keep startup fast.
        from shutthebox.rules.words import explain

        pages, also = rules_pages(game), [message("Hold: back")]
        if self.page + 1 == len(pages) and sum(len(page.places) for page in pages) < len(explain(game)):
            also.append(message("All: rules sheet"))
        return Screen(
            self.name,
            title=message("Rules {page}/{pages}", page=self.page + 1, pages=len(pages)).say_as(
                "Page {page} of {pages}"
            ),
            paragraph=pages[self.page],
            prompt=message("Press: read on"),
            also=tuple(also),
            lit=True,
        )

    def _scoreboard_screen(self) -> Screen:
        """The address of one of the scoreboard's two pages."""
        at, pages = self.picker.cursor, len(self.picker.options)
        return Screen(
            self.name,
            title=self.picker.options[at],
            code=f"{self.address}{_FRAGMENTS[at]}",
            prompt=_OTHER_PAGE[(at + 1) % pages],
            also=(message("Hold: back"),),
            lit=True,
        ).led_by(self.picker.flicks.reminder)

    def levers(self, context: Context) -> Step[Menu]:
        """A flick chooses, and closes the rules."""
        picker, effects, why = follow_flicks(self.picker, context)
        mode = self._with_picker(picker)
        # The line at which the cursor stands already can be chosen, too.
        return Step(replace(mode, chose=mode.chose or (bool(effects) and why is None)), effects, refusal=why)

    def press(self, context: Context) -> Step[Menu | OpenPuzzle | OpenLink | OpenService]:
        """Opens an entry, takes an option and goes back to the list, or turns the page."""
        settings, game = context.shared.settings, self.game(context.shared.settings)
        if game is not None and (self.page is not None or self.on_rules):
            return Step(
                replace(self, page=0 if self.page is None else (self.page + 1) % len(rules_pages(game)))
            )
        if game is not None:
            return _take_option(GAME, settings.games.index(game), context)
        match self.entry:
            case None:
                return self._open(entries(settings)[self.picker.cursor], context)
            case Item() if self.entry is GAME:
                return Step(_games(settings.groups[self.picker.cursor][0], settings))
            case Item() as item:
                return _take_option(item, self.picker.cursor, context)
            case Destination.SCOREBOARD:
                return Step(self.move_cursor(1))
            case entry:
                return Step(Menu(listed(settings, entry)))

    def setting(self, context: Context) -> Step[Menu]:
        """Refreshes the list at the same entry, after a setting was chosen elsewhere."""
        settings = context.shared.settings
        at = min(self.picker.cursor, len(entries(settings)) - 1)
        return Step(Menu(listed(settings, self.entry or entries(settings)[at])))

    def hold(self, context: Context) -> Step[Menu | BackToAttract]:
        """Goes back one list, keeping what was chosen; from the first one, leaves the menu."""
        settings, item = context.shared.settings, self.entry
        if item is None:
            return Step(BackToAttract())
        if self.page is not None:
            return Step(replace(self, page=None))
        game = self.game(settings)
        if game is not None and self.chose and game.name != settings.profile.name:
            return _take_option(GAME, settings.games.index(game), context)
        if game is not None and len(settings.groups) > 1:
            return Step(_groups(settings))
        if isinstance(item, Item) and item is not GAME and self.picker.cursor != item.current_index(settings):
            return _take_option(item, self.picker.cursor, context)
        # Looking isn't choosing: the game's own rounds stay its own.
        return Step(Menu(listed(settings, item)))

    def _open(self, entry: MenuLine, context: Context) -> Step[Menu | OpenPuzzle | OpenLink | OpenService]:
        settings = context.shared.settings
        match entry:
            case Item() if entry is GAME and len(settings.groups) > 1:
                return Step(_groups(settings))
            case Item() if entry is GAME:
                return Step(_games(settings.groups[0][0], settings))
            case Item():
                return Step(Menu(entry.picker(settings), entry))
            case Destination.STATISTICS:
                lines = tuple(context.lookups.statistics()) or ("-",)
                return Step(Menu(Picker(message("Statistics"), lines, 0, settings.levers), entry))
            case Destination.SCOREBOARD:
                pages = (message("Scores"), message("Rules"))
                address = "" if settings.scoreboard is None else settings.scoreboard()
                return Step(Menu(Picker(entry.label, pages, 0, settings.levers), entry, address=address))
            case Destination.PUZZLE:
                daily = context.lookups.daily(settings.games)
                if daily is None:
                    return refuse(self, message("No puzzle today"))
                if missing := daily.missing_levers(settings.levers, settings.out):
                    return refuse(self, message("Needs lever {tiles}", tiles=listed_tiles(missing)))
                return Step(OpenPuzzle(daily))
            case Destination.LINK:
                why = why_not_linked(settings)
                return refuse(self, why) if why else Step(OpenLink())
            case Destination.SERVICE:
                return Step(OpenService(unlocked=False))


_FRAGMENTS = ("", "#rules")
"""The ends of the addresses: the page itself, and its way to the rules of the game on the table."""

_OTHER_PAGE = (message("Press: scores"), message("Press: rules"))


def enter(target: OpenMenu, context: Context) -> Step[Menu]:
    """Opens the list at the top."""
    return Step(Menu(listed(context.shared.settings)))


def _take_option(item: Item, option: int, context: Context) -> Step[Menu]:
    """Takes the option and goes back to the list."""
    settings, facts = item.choose(context.shared.settings, option)
    shared = context.shared._replace(own_settings=settings)
    return Step(Menu(listed(settings, item)), keep(*facts), shared)


def _groups(settings: Settings) -> Menu:
    """The groups of games, with the cursor at the usual game's."""
    groups = [group for group, _ in settings.groups]
    at = groups.index(settings.profile.group) if settings.profile.group in groups else 0
    picker = Picker(GAME.question, tuple(GROUPS[group] for group in groups), at, settings.levers)
    return Menu(picker, GAME)


def _games(group: Group, settings: Settings) -> Menu:
    """A group's games, with the cursor at the usual one if it's there, and the line for the rules."""
    games = dict(settings.groups)[group]
    names = [game.name for game in games]
    at = names.index(settings.profile.name) if settings.profile.name in names else 0
    lines = (*(title_text(game, settings.box.language) for game in games), message("Rules"))
    return Menu(Picker(GROUPS[group], lines, at, settings.levers), GAME, group, at)
