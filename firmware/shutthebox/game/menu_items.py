"""What can be chosen at the box: one object an item, each with its question, its options and what it changes.

A new item is one more entry of `ITEMS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shutthebox.game.facts import Chosen
from shutthebox.game.messages import Message, Text, message, title_text
from shutthebox.game.picker import Picker
from shutthebox.game.settings import Settings, ShownStakes
from shutthebox.rules.match import MAX_PLAYERS

MAX_ROUNDS_AT_THE_BOX = 9

LIMITS = (25, 45, 50, 75, 100, 150, 200, 300, 500)
"""Limits to choose from, besides the one that the variant says."""


@dataclass(frozen=True, slots=True)
class Item:
    """A setting that the players can change.

    Attributes:
        key: of the config.
        label: in the menu's list.
        question: above the options.
        options: what can be chosen, as shown.
        chosen: the index of the option that holds now.
        choose: the settings after an option is chosen, by its index, and what is to be kept of it.
        offered: whether the item means anything now.
    """

    key: str
    label: Message
    question: Message
    options: Callable[[Settings], tuple[Text, ...]]
    chosen: Callable[[Settings], int]
    choose: Callable[[Settings, int], tuple[Settings, tuple[Chosen, ...]]]
    offered: Callable[[Settings], bool] = lambda settings: True

    def picker(self, settings: Settings) -> Picker:
        """The choice of this item."""
        return Picker(self.question, self.options(settings), self.chosen(settings), settings.levers)

    def line(self, settings: Settings) -> Message:
        """The item and its option, as a line of the menu."""
        option = self.options(settings)[self.chosen(settings)]
        return message("{label}: {option}", label=self.label, option=option)


def _games(settings: Settings) -> tuple[Text, ...]:
    return tuple(title_text(profile, settings.language) for profile in settings.games)


def _chosen_game(settings: Settings) -> int:
    names = [game.name for game in settings.games]
    return names.index(settings.profile.name) if settings.profile.name in names else 0


def _choose_game(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    name = settings.games[index].name
    profile = next(profile for profile in settings.profiles if profile.name == name)
    # Another game has rounds and a limit of its own.
    kept = (Chosen("game.profile", name), Chosen("game.rounds", None), Chosen("game.limit", None))
    return replace(settings, profile=profile, rounds=None, limit=None), kept


GAME = Item("game.profile", message("Game"), message("Which game?"), _games, _chosen_game, _choose_game)


def _numbers(settings: Settings) -> tuple[Text, ...]:
    return tuple(map(str, range(1, MAX_PLAYERS + 1)))


PLAYERS = Item(
    "game.players",
    message("Players"),
    message("How many players?"),
    _numbers,
    lambda settings: settings.players - 1,
    lambda settings, index: (replace(settings, players=index + 1), (Chosen("game.players", index + 1),)),
)


def _rounds(settings: Settings) -> tuple[Text, ...]:
    most = MAX_ROUNDS_AT_THE_BOX if settings.profile.on_total else 1
    return tuple(map(str, range(1, most + 1)))


ROUNDS = Item(
    "game.rounds",
    message("Rounds"),
    message("How many rounds?"),
    _rounds,
    lambda settings: min(settings.rounds or settings.profile.rounds, len(_rounds(settings))) - 1,
    lambda settings, index: (replace(settings, rounds=index + 1), (Chosen("game.rounds", index + 1),)),
    lambda settings: settings.profile.limit is None,
)


def _limits(settings: Settings) -> tuple[int, ...]:
    own = {settings.profile.limit, settings.limit} - {None}
    return tuple(sorted({*LIMITS, *(limit for limit in own if limit is not None)}))


def _choose_limit(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    limit = _limits(settings)[index]
    return replace(settings, limit=limit), (Chosen("game.limit", limit),)


LIMIT = Item(
    "game.limit",
    message("Limit"),
    message("How many points?"),
    lambda settings: tuple(map(str, _limits(settings))),
    lambda settings: _limits(settings).index(settings.limit or settings.profile.limit or LIMITS[0]),
    _choose_limit,
    lambda settings: settings.profile.limit is not None,
)


def _choose_language(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    language = settings.languages[index][0]
    return replace(settings, language=language), (Chosen("box.language", language),)


LANGUAGE = Item(
    "box.language",
    message("Language"),
    message("Language"),
    lambda settings: tuple(name for _, name in settings.languages),
    lambda settings: [code for code, _ in settings.languages].index(settings.language),
    _choose_language,
)


def _on_off(settings: Settings) -> tuple[Text, ...]:
    return message("on"), message("off")


SOUND = Item(
    "box.sound",
    message("Sound"),
    message("Sound"),
    _on_off,
    lambda settings: 0 if settings.sound else 1,
    lambda settings, index: (replace(settings, sound=index == 0), (Chosen("box.sound", index == 0),)),
)


def _choose_computer(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    seats = (index,) if index else ()
    return replace(settings, computers=seats), (Chosen("game.computers", seats),)


COMPUTER = Item(
    "game.computers",
    message("Computer"),
    message("Computer's seat?"),
    lambda settings: (message("none"), *_numbers(settings)),
    lambda settings: settings.computers[0] if settings.computers else 0,
    _choose_computer,
)


HINTS = Item(
    "game.hints",
    message("Hints"),
    message("Hints"),
    _on_off,
    lambda settings: 0 if settings.hints else 1,
    lambda settings, index: (replace(settings, hints=index == 0), (Chosen("game.hints", index == 0),)),
)


def _choose_stakes(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    stakes = tuple(ShownStakes)[index]
    return replace(settings, stakes=stakes), (Chosen("game.stakes", stakes.value),)


STAKES = Item(
    "game.stakes",
    message("Stakes"),
    message("Show the stakes?"),
    lambda settings: (message("off"), message("per match"), message("per evening")),
    lambda settings: tuple(ShownStakes).index(settings.stakes),
    _choose_stakes,
)


@dataclass(frozen=True, slots=True)
class ToStatistics:
    """The menu's entry for the statistics; it changes nothing."""

    label = message("Statistics")


@dataclass(frozen=True, slots=True)
class ToService:
    """The menu's entry that leads to service, where the box has no button for it."""

    label = message("Service")


Entry = Item | ToStatistics | ToService
"""One line of the menu."""

ENTRIES: tuple[Entry, ...] = (
    GAME,
    PLAYERS,
    ROUNDS,
    LIMIT,
    LANGUAGE,
    SOUND,
    ToStatistics(),
    COMPUTER,
    ToService(),
    HINTS,
    STAKES,
)
"""The menu in order. Rounds and limit are never there both, so the others keep their levers."""

CHOOSABLE = frozenset({*(entry.key for entry in ENTRIES if isinstance(entry, Item)), "box.out_of_play"})
"""The keys of the config that can be changed at the box, in the menu or in service; no others."""


def entries(settings: Settings) -> tuple[Entry, ...]:
    """The entries of the menu that mean anything now."""
    return tuple(entry for entry in ENTRIES if _offered(entry, settings))


def _offered(entry: Entry, settings: Settings) -> bool:
    match entry:
        case Item():
            return entry.offered(settings)
        case ToService():
            return not settings.service_button
        case ToStatistics():
            return True


def menu(settings: Settings, at: Entry | None = None) -> Picker:
    """The menu's list, the cursor on this entry where it is there."""
    listed = entries(settings)
    lines = tuple(entry.line(settings) if isinstance(entry, Item) else entry.label for entry in listed)
    cursor = listed.index(at) if at in listed else 0
    return Picker(message("Menu"), lines, cursor, settings.levers)


def questions(settings: Settings) -> tuple[Item, ...]:
    """What setup asks before a match, in order.

    Rounds are asked where the variant is played over several, a limit where it has one; elsewhere
    the menu sets them.
    """
    profile = settings.profile
    if profile.limit is not None:
        return PLAYERS, LIMIT
    several = max(settings.rounds or 1, profile.rounds) > 1
    return (PLAYERS, ROUNDS) if profile.on_total and several else (PLAYERS,)
