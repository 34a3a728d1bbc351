"""The settings that can be chosen at the box: one object an item, with its question, options and change.

A new item is one more entry of `MENU_LINES`.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from shutthebox.game.facts import Chosen
from shutthebox.game.messages import Message, Text, message, title_text
from shutthebox.game.picker import Picker
from shutthebox.game.settings import Brightness, Settings, ShownStakes
from shutthebox.odds.strengths import Strength
from shutthebox.rules.profile import MAX_PLAYERS, First, Group, HeadStart, Turns
from shutthebox.rules.reader import with_options

MAX_ROUNDS_AT_THE_BOX = 9

LIMITS = (25, 45, 50, 75, 100, 150, 200, 300, 500)
"""Limits to choose from, besides the one that the game says."""


class Item(NamedTuple):
    """A setting that the players can change.

    Attributes:
        key: of the config.
        label: in the menu's list.
        question: above the options.
        about: what it changes, in a line beside the page's form; the display has no room for it.
        options: what can be chosen, as shown.
        chosen: the index of the option that holds now.
        choose: the settings after an option is chosen, by its index, and what is to be kept of it.
        offered: whether the item means anything now.
    """

    key: str
    label: Message
    question: Message
    about: Message
    options: Callable[[Settings], tuple[Text, ...]]
    chosen: Callable[[Settings], int]
    choose: Callable[[Settings, int], tuple[Settings, tuple[Chosen, ...]]]
    offered: Callable[[Settings], bool] = lambda settings: True

    def picker(self, settings: Settings) -> Picker:
        """The choice of this item."""
        return Picker(self.question, self.options(settings), self.chosen(settings), settings.levers)

    def values(self, settings: Settings) -> tuple[object, ...]:
        """Per option the value that the item's key of the config then has."""
        changes = (self.choose(settings, index)[1] for index in range(len(self.options(settings))))
        return tuple(facts[0].value for facts in changes)

    def line(self, settings: Settings) -> Message:
        """The item and its option, as a line of the menu."""
        option = self.options(settings)[self.chosen(settings)]
        return message("{label}: {option}", label=self.label, option=option)


GROUPS = {
    Group.CLASSIC: message("Classic"),
    Group.FRENCH: message("French"),
    Group.QUICK: message("Quick"),
    Group.LONG: message("Long"),
    Group.ODD: message("Odd"),
    Group.CHILDREN: message("For children"),
}
"""The headings of the list of games."""


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
    return settings._replace(profile=profile, rounds=None, limit=None), kept


GAME = Item(
    "game.profile",
    message("Game"),
    message("Games"),
    message("The help, ?, has all its rules."),
    _games,
    _chosen_game,
    _choose_game,
)


def _numbers(settings: Settings) -> tuple[Text, ...]:
    return tuple(map(str, range(1, MAX_PLAYERS + 1)))


PLAYERS = Item(
    "game.players",
    message("Players"),
    message("Players?"),
    message("Seats at the box, the computer's included."),
    _numbers,
    lambda settings: settings.players - 1,
    lambda settings, index: (settings._replace(players=index + 1), (Chosen("game.players", index + 1),)),
)


def _rounds(settings: Settings) -> tuple[Text, ...]:
    most = MAX_ROUNDS_AT_THE_BOX if settings.profile.on_total else 1
    return tuple(map(str, range(1, most + 1)))


ROUNDS = Item(
    "game.rounds",
    message("Rounds"),
    message("Rounds?"),
    message("In a round everybody has a turn; the scores of all rounds are added."),
    _rounds,
    lambda settings: min(settings.rounds or settings.profile.rounds, len(_rounds(settings))) - 1,
    lambda settings, index: (settings._replace(rounds=index + 1), (Chosen("game.rounds", index + 1),)),
    lambda settings: settings.profile.limit is None or settings.profile.is_solo,
)


def _limits(settings: Settings) -> tuple[int, ...]:
    own = {settings.profile.limit, settings.limit} - {None}
    return tuple(sorted({*LIMITS, *(limit for limit in own if limit is not None)}))


def _choose_limit(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    limit = _limits(settings)[index]
    return settings._replace(limit=limit), (Chosen("game.limit", limit),)


LIMIT = Item(
    "game.limit",
    message("Limit"),
    message("Up to how many points?"),
    message("The points that end the match, or put a player out of it."),
    lambda settings: tuple(map(str, _limits(settings))),
    lambda settings: _limits(settings).index(settings.limit or settings.profile.limit or LIMITS[0]),
    _choose_limit,
    lambda settings: settings.profile.limit is not None and not settings.profile.is_solo,
)


def _choose_language(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    language = settings.languages[index][0]
    return settings._replace(language=language), (Chosen("box.language", language),)


LANGUAGE = Item(
    "box.language",
    message("Language"),
    message("Language"),
    message("Of the display, the voice and this page."),
    lambda settings: tuple(name for _, name in settings.languages),
    lambda settings: [code for code, _ in settings.languages].index(settings.language),
    _choose_language,
)


def _one_of(
    key: str,
    label: Message,
    question: Message,
    about: Message,
    options: Mapping[str | bool, Text],
    offered: Callable[[Settings], bool] = lambda settings: True,
) -> Item:
    """An item with fixed options, whose key has the name of its field in `Settings`."""
    field, values = key.rpartition(".")[2], tuple(options)
    kept = [str(value) if isinstance(value, str) else value for value in values]  # the plain value of an enum
    return Item(
        key,
        label,
        question,
        about,
        lambda settings: tuple(options.values()),
        lambda settings: values.index(getattr(settings, field)),
        lambda settings, index: (
            settings._replace(**{field: values[index]}),  # type: ignore[arg-type]
            (Chosen(key, kept[index]),),
        ),
        offered,
    )


def _switch(key: str, label: Message, question: Message, about: Message) -> Item:
    return _one_of(key, label, question, about, {True: message("on"), False: message("off")})


SOUND = _switch(
    "box.sound",
    message("Sound"),
    message("Sound"),
    message("The tones of the box, for throws, mistakes and wins."),
)

BRIGHTNESS = _one_of(
    "display.brightness",
    message("Brightness"),
    message("Brightness"),
    message("Of the display, which lasts longer with less light."),
    {
        Brightness.DIM: message("dim"),
        Brightness.MEDIUM: message("medium"),
        Brightness.BRIGHT: message("bright"),
    },
)


def _computer_seats(settings: Settings) -> tuple[tuple[int, ...], ...]:
    """Every seat there is, so that lever n is seat n; then none."""
    seats = max(settings.players, *settings.computers[:1], 1)
    return (*((seat,) for seat in range(1, seats + 1)), ())


def _choose_computer(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    seats = _computer_seats(settings)[index]
    return settings._replace(computers=seats), (Chosen("game.computers", seats),)


COMPUTER = Item(
    "game.computers",
    message("Computer"),
    message("Which seat?"),
    message("The seat that the box plays; you move the levers for it."),
    lambda settings: tuple(
        message("seat {number}", number=seats[0]) if seats else message("none")
        for seats in _computer_seats(settings)
    ),
    lambda settings: _computer_seats(settings).index(settings.computers[:1]),
    _choose_computer,
)


STRENGTH = _one_of(
    "game.strength",
    message("Computer is"),
    message("How good is it?"),
    message("A beginner shuts the highest tiles; a master plays by the odds."),
    {
        Strength.BEGINNER: message("a beginner"),
        Strength.REGULAR: message("a regular"),
        Strength.MASTER: message("a master"),
    },
    lambda settings: bool(settings.computers),
)

HINTS = _switch(
    "game.hints",
    message("Hints"),
    message("Hints"),
    message("Hold the button after a throw: the display says what is best."),
)

STAKES = _one_of(
    "game.stakes",
    message("Stakes"),
    message("Show stakes?"),
    message("Who owes whom how much, at the end of each match or of the evening."),
    {
        ShownStakes.OFF: message("off"),
        ShownStakes.MATCH: message("per match"),
        ShownStakes.EVENING: message("per evening"),
    },
)


TEAM_COUNTS = (0, 2, 3, 4)


def _teams(settings: Settings) -> int:
    return (settings.teams if settings.teams is not None else settings.profile.teams) or 0


def _choose_teams(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    teams = TEAM_COUNTS[index]
    return settings._replace(teams=teams), (Chosen("game.teams", teams),)


TEAMS = Item(
    "game.teams",
    message("Teams"),
    message("How many teams?"),
    message("The seats belong to the teams in turn; a team's scores are added."),
    lambda settings: (message("none"), *map(str, TEAM_COUNTS[1:])),
    lambda settings: TEAM_COUNTS.index(_teams(settings)),
    _choose_teams,
    lambda settings: with_options(settings.profile, teams=2) != with_options(settings.profile, teams=0),
)

CLOCKS = (0, 10, 15, 20, 30, 45, 60, 90, 120, 180)
"""Seconds for a turn to choose from, besides those that the game or the config says."""


def _seconds(settings: Settings) -> int:
    chosen_seconds, own = settings.turn_seconds, settings.profile.turn_seconds
    return (own if chosen_seconds is None else chosen_seconds) or 0


def _clocks(settings: Settings) -> tuple[int, ...]:
    return tuple(sorted({*CLOCKS, _seconds(settings)}))


def _choose_clock(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    seconds = _clocks(settings)[index]
    return settings._replace(turn_seconds=seconds), (Chosen("game.turn_seconds", seconds),)


CLOCK = Item(
    "game.turn_seconds",
    message("Clock"),
    message("Seconds a turn?"),
    message("The time for a turn, in seconds; then it is over."),
    lambda settings: (message("off"), *map(str, _clocks(settings)[1:])),
    lambda settings: _clocks(settings).index(_seconds(settings)),
    _choose_clock,
)

HEAD_STARTS: tuple[HeadStart, ...] = (2, 5, 8, 10, 15, 20, 30, (1,), (1, 2), (1, 2, 3), (9,))
"""The head starts that players can give to a seat at the box: points, or tiles that start shut."""


def _handicap(settings: Settings) -> tuple[HeadStart, ...]:
    return settings.profile.handicap if settings.handicap is None else settings.handicap


def _head_start_seat(settings: Settings) -> int:
    """The first seat with a head start, from 1; 0 where nobody has one."""
    return next((seat for seat, head in enumerate(_handicap(settings), 1) if head), 0)


def _give(settings: Settings, seat: int, head: HeadStart) -> tuple[Settings, tuple[Chosen, ...]]:
    handicap: tuple[HeadStart, ...] = (*(0,) * (seat - 1), head) if seat else ()
    return settings._replace(handicap=handicap), (Chosen("game.handicap", handicap),)


def _choose_head_start_seat(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    at = _head_start_seat(settings)
    head = _handicap(settings)[at - 1] if at else HEAD_STARTS[1]
    return _give(settings, index, head)


HEAD_START_SEAT = Item(
    "game.handicap",
    message("Head start"),
    message("Who gets a head start?"),
    message("The player who gets something in advance."),
    lambda settings: (message("nobody"), *_numbers(settings)),
    _head_start_seat,
    _choose_head_start_seat,
    lambda settings: not settings.profile.is_solo and settings.profile.turns is not Turns.SHARED,
)


def _head_starts(settings: Settings) -> tuple[HeadStart, ...]:
    at = _head_start_seat(settings)
    own = _handicap(settings)[at - 1] if at else HEAD_STARTS[0]
    return HEAD_STARTS if own in HEAD_STARTS else (*HEAD_STARTS, own)


def _head_start_text(head: HeadStart) -> Text:
    if isinstance(head, int):
        return message("{points} points", points=head)
    return message("without {tiles}", tiles=", ".join(map(str, head)))


def _chosen_head_start(settings: Settings) -> int:
    at = _head_start_seat(settings)
    return _head_starts(settings).index(_handicap(settings)[at - 1]) if at else 0


HEAD_START = Item(
    "game.handicap",
    message("How much"),
    message("How far ahead?"),
    message("Points in advance, or tiles that start every turn shut."),
    lambda settings: tuple(map(_head_start_text, _head_starts(settings))),
    _chosen_head_start,
    lambda settings, index: _give(settings, _head_start_seat(settings), _head_starts(settings)[index]),
    lambda settings: HEAD_START_SEAT.offered(settings) and _head_start_seat(settings) > 0,
)


FIRSTS = {
    First.SEAT_1: message("always seat 1"),
    First.ROTATES: message("in turns"),
    First.LOSER: message("the loser"),
}


def _choose_first(settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
    first = tuple(FIRSTS)[index]
    return settings._replace(first=first), (Chosen("game.first", first.value),)


FIRST = Item(
    "game.first",
    message("First"),
    message("Who begins?"),
    message("Who has the first turn of a round."),
    lambda settings: tuple(FIRSTS.values()),
    lambda settings: tuple(FIRSTS).index(settings.first or settings.profile.first),
    _choose_first,
    lambda settings: not settings.profile.is_solo,
)

NAMES = _switch(
    "game.names",
    message("Names"),
    message("Ask for names?"),
    message("Before a match every player gives three letters."),
)

FAMILY = _switch(
    "game.family",
    message("Family"),
    message("For children"),
    message("Easy games come first, and the end of a turn is told in kinder words."),
)


class Destination(Enum):
    """A line of the menu that leads elsewhere, and changes nothing. The value is its label."""

    STATISTICS = message("Statistics")
    PUZZLE = message("Puzzle")
    #: The addresses of the scoreboard's pages, where there is a scoreboard.
    SCOREBOARD = message("Scoreboard")
    #: The owner's, where the box has no button for it.
    SERVICE = message("Owner")

    @property
    def label(self) -> Message:
        """What the line says."""
        label: Message = self.value
        return label


MenuLine = Item | Destination
"""One line of the menu."""

MENU_LINES: tuple[MenuLine, ...] = (
    GAME,
    PLAYERS,
    ROUNDS,
    LIMIT,
    LANGUAGE,
    SOUND,
    Destination.STATISTICS,
    COMPUTER,
    STRENGTH,
    HINTS,
    STAKES,
    NAMES,
    TEAMS,
    CLOCK,
    HEAD_START_SEAT,
    HEAD_START,
    FAMILY,
    BRIGHTNESS,
    FIRST,
    Destination.PUZZLE,
    Destination.SCOREBOARD,
    Destination.SERVICE,
)
"""The menu in order. Rounds and limit are never there both, so the others keep their levers."""

CHOOSABLE = frozenset({*(entry.key for entry in MENU_LINES if isinstance(entry, Item)), "box.out_of_play"})
"""The keys of the config that can be changed at the box, in the menu or in service; no others."""


def entries(settings: Settings) -> tuple[MenuLine, ...]:
    """The entries of the menu that mean anything now."""
    return tuple(entry for entry in MENU_LINES if _offered(entry, settings))


def _offered(entry: MenuLine, settings: Settings) -> bool:
    match entry:
        case Item():
            return entry.offered(settings)
        case Destination.SCOREBOARD:
            return settings.scoreboard is not None
        case Destination.SERVICE:
            return not settings.service_button
        case Destination.STATISTICS | Destination.PUZZLE:
            return True


def offered(settings: Settings) -> tuple[Item, ...]:
    """The settings of the menu that mean anything now."""
    return tuple(entry for entry in entries(settings) if isinstance(entry, Item))


def item_chosen(settings: Settings, key: str, value: object) -> tuple[Item, int] | None:
    """The item and the index of its option that give a key of the config this value; None without one."""
    for item in offered(settings):
        if item.key == key:
            for index, option in enumerate(item.values(settings)):
                # A bool equals an int in Python.
                if type(option) is type(value) and option == value:
                    return item, index
    return None


def menu(settings: Settings, at: MenuLine | None = None) -> Picker:
    """The menu's list, the cursor on this entry where it is there."""
    listed = entries(settings)
    lines = tuple(entry.line(settings) if isinstance(entry, Item) else entry.label for entry in listed)
    cursor = listed.index(at) if at in listed else 0
    return Picker(message("Menu"), lines, cursor, settings.levers)


def questions(settings: Settings) -> tuple[Item, ...]:
    """The questions of setup before a match, in order.

    Nothing where one player plays alone. Rounds are asked where the game is played over several, a
    limit where it has one, teams and head starts where there are some; elsewhere the menu sets them.
    """
    profile = settings.profile
    if profile.is_solo:
        return ()
    asked = [PLAYERS]
    several = max(settings.rounds or 1, profile.rounds) > 1
    if LIMIT.offered(settings):
        asked.append(LIMIT)
    elif profile.on_total and several:
        asked.append(ROUNDS)
    game = settings.game or profile
    if game.teams is not None:
        asked.append(TEAMS)
    if any(game.handicap):
        asked += [HEAD_START_SEAT, HEAD_START]
    return tuple(asked)
