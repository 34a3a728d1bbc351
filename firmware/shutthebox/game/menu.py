"""The choices that are made at the box: the menu's items and the questions of setup."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from shutthebox.game.picker import Picker
from shutthebox.game.settings import Settings
from shutthebox.rules.match import MAX_PLAYERS
from shutthebox.rules.profile import MatchFormat

Translate: TypeAlias = Callable[[str], str]
"""Gives a text in the players' language."""

LANGUAGES = {"en": "English", "fr": "Français"}
"""The languages of the screens, each by its own name."""

MAX_ROUNDS_AT_THE_BOX = 9
SETTLE = "settle"
STATISTICS = "statistics"
SERVICE = "service"

CHOOSABLE = frozenset(
    {
        "game.profile",
        "game.players",
        "game.rounds",
        "game.computers",
        "box.language",
        "box.sound",
        "box.out_of_play",
    }
)
"""The keys of the config that can be changed at the box, in the menu or in service; no others."""


def items(settings: Settings, ledger: Sequence[Fraction]) -> tuple[str, ...]:
    """The menu's items in order; most are the key of the config that they change.

    What there is to settle is asked only where somebody owes something. Service is the last, so
    that no other item is at another lever where it is missing.
    """
    game = ("game.profile", "game.players", "game.rounds", "box.language")
    choices = (*game, "box.sound", STATISTICS, "game.computers")
    settle = (SETTLE,) if any(ledger) else ()
    service = () if settings.service_button else (SERVICE,)
    return *choices, *settle, *service


def menu(settings: Settings, words: Translate, ledger: Sequence[Fraction], item: str = "") -> Picker:
    """The menu's list of items, the cursor on `item` where it is there."""
    _ = words
    labels = {
        "game.profile": _("Game"),
        "game.players": _("Players"),
        "game.rounds": _("Rounds"),
        "game.computers": _("Computer"),
        "box.language": _("Language"),
        "box.sound": _("Sound"),
    }
    listed = items(settings, ledger)

    def line(key: str) -> str:
        if key == STATISTICS:
            return _("Statistics")
        if key == SETTLE:
            return _("Settle the stakes")
        if key == SERVICE:
            return _("Service")
        return f"{labels[key]}: {options_of(key, settings, words)[cursor_of(key, settings)]}"

    cursor = listed.index(item) if item in listed else 0
    return Picker(_("Menu"), tuple(map(line, listed)), cursor, settings.levers)


def question(key: str, settings: Settings, words: Translate) -> Picker:
    """The choice of one item."""
    _ = words
    headings = {
        "game.profile": _("Which game?"),
        "game.players": _("How many players?"),
        "game.rounds": _("How many rounds?"),
        "game.computers": _("Computer's seat?"),
        "box.language": _("Language"),
        "box.sound": _("Sound"),
        SETTLE: _("All paid?"),
    }
    options = options_of(key, settings, words)
    return Picker(headings[key], options, cursor_of(key, settings), settings.levers)


def options_of(key: str, settings: Settings, words: Translate) -> tuple[str, ...]:
    """What can be chosen for an item, as shown."""
    _ = words
    match key:
        case "game.profile":
            return tuple(profile.title(settings.language) for profile in settings.games)
        case "game.players":
            return tuple(map(str, range(1, MAX_PLAYERS + 1)))
        case "game.rounds":
            return tuple(map(str, range(1, MAX_ROUNDS_AT_THE_BOX + 1)))
        case "game.computers":
            return _("none"), *map(str, range(1, MAX_PLAYERS + 1))
        case "box.language":
            return tuple(LANGUAGES.values())
        case "settle":
            return _("no"), _("yes")
        case _:
            return _("on"), _("off")


def cursor_of(key: str, settings: Settings) -> int:
    """The index of what is chosen now."""
    match key:
        case "game.profile":
            return settings.games.index(settings.game) if settings.game else 0
        case "game.players":
            return settings.players - 1
        case "game.rounds":
            return min(settings.rounds or settings.profile.rounds, MAX_ROUNDS_AT_THE_BOX) - 1
        case "game.computers":
            return settings.computers[0] if settings.computers else 0
        case "box.language":
            return list(LANGUAGES).index(settings.language)
        case "settle":
            return 0
        case _:
            return 0 if settings.sound else 1


def choose(key: str, cursor: int, settings: Settings) -> tuple[Settings, str | int | bool | tuple[int, ...]]:
    """The settings after a choice, and the value that the config's key takes."""
    match key:
        case "game.profile":
            name = settings.games[cursor].name
            profile = next(profile for profile in settings.profiles if profile.name == name)
            return replace(settings, profile=profile, rounds=None), profile.name
        case "game.players":
            return replace(settings, players=cursor + 1), cursor + 1
        case "game.rounds":
            return replace(settings, rounds=cursor + 1), cursor + 1
        case "game.computers":
            seats = (cursor,) if cursor else ()
            return replace(settings, computers=seats), seats
        case "box.language":
            language = list(LANGUAGES)[cursor]
            return replace(settings, language=language), language
        case _:
            return replace(settings, sound=cursor == 0), cursor == 0


def setup_questions(settings: Settings) -> tuple[str, ...]:
    """What setup asks before a match, in order.

    Rounds are asked where the variant is played over several; elsewhere the menu sets them.
    """
    several = max(settings.rounds or 1, settings.profile.rounds) > 1
    if settings.profile.match is MatchFormat.TOTAL and several:
        return ("game.players", "game.rounds")
    return ("game.players",)
