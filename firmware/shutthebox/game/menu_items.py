"""The settings in the box's menu. An item is a key of the config, its options and its label.

To add an item, add an entry to `MENU_LINES`.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from shutthebox.game.facts import Chosen, Value
from shutthebox.game.messages import CommaList, Message, Numbers, Text, decimal, message, title_text
from shutthebox.game.picker import Picker
from shutthebox.game.settings import Brightness, Settings, ShownStakes
from shutthebox.link.invitation import linkable
from shutthebox.odds.strengths import Strength
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import MAX_PLAYERS, First, Group, HeadStart
from shutthebox.rules.reader import with_options
from shutthebox.texts import plural

MAX_ROUNDS_AT_THE_BOX = 9

LIMITS = (25, 45, 50, 75, 100, 150, 200, 300, 500)
"""Limits to choose from, besides the one that the game says."""

ROUNDS_TO_WIN = (2, 3, 5, 7, 10)
"""The same, in points of rounds."""


class Item(NamedTuple):
    """A setting players can change.

    Attributes:
        key: of the config, in one of the sections that `Settings` has.
        label: in the menu's list.
        question: above the options.
        about: what it changes, for the page's form; the panel has no room for it.
        offers: the values to choose from. A value the owner has configured is added to them.
        text: formats a value, any that the config allows.
        now: reads the current value; by default, that of the key.
        offered: whether the item makes sense now.
        forgets: keys that go back to their configured values when another value is chosen.
    """

    key: str
    label: Message
    question: Message
    about: Message
    offers: Callable[[Settings], Sequence[object]]
    text: Callable[[Settings, Any], Text]
    now: Callable[[Settings], object] | None = None
    offered: Callable[[Settings], bool] = lambda settings: True
    forgets: tuple[str, ...] = ()

    def values(self, settings: Settings) -> tuple[object, ...]:
        """The values to choose from, as in the config: the ones offered, and the current one."""
        offers, now = tuple(self.offers(settings)), self._now(settings)
        if now in offers:
            return offers
        values = (*offers, now)
        is_numbers = all(isinstance(value, int | float) for value in values)
        return tuple(sorted(values)) if is_numbers else values  # type: ignore[type-var]

    def options(self, settings: Settings) -> tuple[Text, ...]:
        """The options, as shown."""
        return tuple(self.text(settings, value) for value in self.values(settings))

    def current_index(self, settings: Settings) -> int:
        """The index of the current option."""
        return self.values(settings).index(self._now(settings))

    def choose(self, settings: Settings, index: int) -> tuple[Settings, tuple[Chosen, ...]]:
        """Chooses an option by its index; returns the new settings and the facts to store.

        Choosing the current option keeps a finer value, or one left to the game.
        """
        is_same = index == self.current_index(settings)
        value = settings.value(self.key) if is_same else self.values(settings)[index]
        settings = settings.with_value(self.key, value)
        for key in self.forgets:
            settings = settings.with_value(key, None)
        return settings, (Chosen(self.key, _plain(value)), *(Chosen(key, None) for key in self.forgets))

    def picker(self, settings: Settings) -> Picker:
        """The list to choose this item's option from."""
        return Picker(self.question, self.options(settings), self.current_index(settings), settings.levers)

    def line(self, settings: Settings) -> Message:
        """The item and its option, as a line of the menu."""
        option = self.options(settings)[self.current_index(settings)]
        return message("{label}: {option}", label=self.label, option=option)

    def _now(self, settings: Settings) -> object:
        return settings.value(self.key) if self.now is None else self.now(settings)


def _plain(value: Any) -> Value:  # noqa: ANN401  (a key's value)
    """The value as stored: an enum's value."""
    plain: Value = value.value if isinstance(value, Enum) else value
    return plain


def _value_text(value: object) -> Text:
    """The text of a value that has none of its own."""
    match value:
        case bool():
            return message("on") if value else message("off")
        case float() if not value.is_integer():
            places = len(f"{value:.6g}".partition(".")[2])
            return decimal(value, places)
        case int() | float():
            return str(int(value))
        case None:
            return "-"
        case ():
            return message("none")
        case tuple():
            return CommaList(tuple(map(_value_text, value)))
        case _:
            return str(value)


def _one_of(
    key: str,
    label: Message,
    question: Message,
    about: Message,
    options: Mapping[Any, Text] | Sequence[object],
    *,
    now: Callable[[Settings], object] | None = None,
    offered: Callable[[Settings], bool] = lambda settings: True,
) -> Item:
    """An item with fixed options: values, with a text for each that needs one."""
    texts: Mapping[Any, Text] = options if isinstance(options, Mapping) else {}
    values = tuple(options)
    return Item(
        key,
        label,
        question,
        about,
        lambda settings: values,
        lambda settings, value: texts[value] if value in texts else _value_text(value),
        now,
        offered,
    )


def _switch(key: str, label: Message, question: Message, about: Message) -> Item:
    return _one_of(key, label, question, about, (True, False))


GROUPS = {
    Group.CLASSIC: message("Classic"),
    Group.FRENCH: message("French"),
    Group.QUICK: message("Quick"),
    Group.LONG: message("Long"),
    Group.ODD: message("Odd"),
    Group.CHILDREN: message("For children"),
}
"""The headings of the list of games."""


def _title(settings: Settings, name: str) -> Text:
    game = next(game for game in settings.profiles if game.name == name)
    return title_text(game, settings.box.language)


GAME = Item(
    "game.profile",
    message("Game"),
    message("Games"),
    message("The help (?) has all its rules."),
    lambda settings: tuple(game.name for game in settings.games),
    _title,
    # Another game has rounds and a limit of its own.
    forgets=("game.rounds", "game.limit"),
)

_SEATS = range(1, MAX_PLAYERS + 1)

PLAYERS = _one_of(
    "game.players",
    message("Players"),
    message("Players?"),
    message("How many play, including the computer."),
    _SEATS,
)


ROUNDS = Item(
    "game.rounds",
    message("Rounds"),
    message("Rounds?"),
    message("Everybody has one turn in each round, and the scores are added up."),
    lambda settings: range(1, MAX_ROUNDS_AT_THE_BOX + 1) if settings.profile.has_rounds else (),
    lambda settings, value: str(value),
    lambda settings: (settings.profile.has_rounds and settings.game.rounds) or settings.profile.rounds,
    lambda settings: settings.profile.limit is None or settings.profile.is_solo,
)


def _limits(settings: Settings) -> tuple[int, ...]:
    return ROUNDS_TO_WIN if settings.profile.counts_rounds_won else LIMITS


LIMIT = Item(
    "game.limit",
    message("Limit"),
    message("Up to how many points?"),
    message("The points that end the match, or put a player out."),
    lambda settings: sorted({*_limits(settings), settings.profile.limit or LIMITS[0]}),
    lambda settings, value: str(value),
    lambda settings: settings.game.limit or settings.profile.limit or LIMITS[0],
    lambda settings: settings.profile.limit is not None and not settings.profile.is_solo,
)

LANGUAGE = Item(
    "box.language",
    message("Language"),
    message("Language"),
    message("The language of the display, the voice and this page."),
    lambda settings: tuple(code for code, _ in settings.languages),
    lambda settings, value: dict(settings.languages).get(value, value),
)

SOUND = _switch(
    "box.sound",
    message("Sound"),
    message("Sound"),
    message("The tones for throws, mistakes and wins."),
)

BRIGHTNESS = _one_of(
    "display.brightness",
    message("Brightness"),
    message("Brightness"),
    message("How bright the display is; it lasts longer when dim."),
    {
        Brightness.DIM: message("dim"),
        Brightness.MEDIUM: message("medium"),
        Brightness.BRIGHT: message("bright"),
    },
)


def _seats_text(settings: Settings, seats: tuple[int, ...]) -> Text:
    match seats:
        case ():
            return message("off")
        case (seat,):
            return message("seat {number}", number=seat)
        case _:
            return message("seats {numbers}", numbers=Numbers(seats))


COMPUTER = Item(
    "game.computers",
    message("Computer"),
    message("Which seat?"),
    message("The seat the computer plays; you move the levers for it."),
    # Every seat there is, so that lever n is seat n; then none.
    lambda settings: (*((seat,) for seat in range(1, settings.game.players + 1)), ()),
    _seats_text,
)


STRENGTH = _one_of(
    "game.strength",
    message("Computer is"),
    message("How good is it?"),
    message("A beginner shuts the highest tiles; a master knows the odds."),
    {
        Strength.BEGINNER: message("a beginner"),
        Strength.REGULAR: message("a regular"),
        Strength.MASTER: message("a master"),
    },
    offered=lambda settings: bool(settings.game.computers),
)

HINTS = _switch(
    "game.hints",
    message("Hints"),
    message("Hints"),
    message("Hold the button after a throw, and the display shows the best move."),
)

STAKES = _one_of(
    "game.stakes",
    message("Stakes"),
    message("Show stakes?"),
    message("Who owes whom, at the end of each match or of the evening."),
    {
        ShownStakes.OFF: message("off"),
        ShownStakes.MATCH: message("per match"),
        ShownStakes.EVENING: message("per evening"),
    },
)


def _teams(settings: Settings) -> int:
    return (settings.game.teams if settings.game.teams is not None else settings.profile.teams) or 0


TEAMS = _one_of(
    "game.teams",
    message("Teams"),
    message("How many teams?"),
    message("Seats go to the teams in turn; a team's scores are added up."),
    {0: message("none"), 2: "2", 3: "3", 4: "4"},
    now=_teams,
    offered=lambda settings: (
        with_options(settings.profile, teams=2) != with_options(settings.profile, teams=0)
    ),
)


def _seconds(settings: Settings) -> int:
    chosen_seconds, own = settings.game.turn_seconds, settings.profile.turn_seconds
    return (own if chosen_seconds is None else chosen_seconds) or 0


CLOCK = _one_of(
    "game.turn_seconds",
    message("Clock"),
    message("Seconds a turn?"),
    message("How many seconds a turn may last."),
    {0: message("off")} | {seconds: str(seconds) for seconds in (10, 15, 20, 30, 45, 60, 90, 120, 180)},
    now=_seconds,
)

HEAD_STARTS: tuple[HeadStart, ...] = (2, 5, 8, 10, 15, 20, 30, (1,), (1, 2), (1, 2, 3), (9,))
"""The head starts that players can give to a seat at the box: points, or tiles that start shut."""


def _handicap(settings: Settings) -> dict[int, HeadStart]:
    """The current head starts by seat, from 1."""
    handicap = settings.profile.handicap if settings.game.handicap is None else settings.game.handicap
    return {seat: head for seat, head in enumerate(handicap, 1) if head}


def _by_seat(heads: Mapping[int, HeadStart]) -> tuple[HeadStart, ...]:
    """Head starts in the config's form."""
    return tuple(heads.get(seat, 0) for seat in range(1, max(heads, default=0) + 1))


def _handicaps_by_seat(settings: Settings) -> tuple[object, ...]:
    head = next(iter(_handicap(settings).values()), HEAD_STARTS[1])
    return ((), *(_by_seat({seat: head}) for seat in _SEATS))


def _head_start_seats(settings: Settings, handicap: tuple[HeadStart, ...]) -> Text:
    seats = tuple(seat for seat, head in enumerate(handicap, 1) if head)
    return Numbers(seats) if len(seats) > 1 else str(seats[0]) if seats else message("nobody")


HEAD_START_SEAT = Item(
    "game.handicap",
    message("Head start"),
    message("Who gets a head start?"),
    message("The player who gets a head start."),
    _handicaps_by_seat,
    _head_start_seats,
    lambda settings: _by_seat(_handicap(settings)),
    lambda settings: not settings.profile.is_solo and order_of(settings.profile).has_head_starts,
)


def _handicaps_by_size(settings: Settings) -> tuple[object, ...]:
    seat = next(iter(_handicap(settings)), 1)
    return tuple(_by_seat({seat: head}) for head in HEAD_STARTS)


def _head_start_text(head: HeadStart) -> Text:
    if isinstance(head, int):
        return message(plural("1 point", "{points} points"), points=head)
    return message("without {tiles}", tiles=", ".join(map(str, head)))


def _head_start_sizes(settings: Settings, handicap: tuple[HeadStart, ...]) -> Text:
    heads = {seat: _head_start_text(head) for seat, head in enumerate(handicap, 1) if head}
    if len(heads) == 1:
        return heads.popitem()[1]
    return CommaList(
        tuple(message("{label}: {option}", label=str(seat), option=text) for seat, text in heads.items())
    )


HEAD_START = Item(
    "game.handicap",
    message("How much"),
    message("How far ahead?"),
    message("Points off the total, or tiles that start every turn shut."),
    _handicaps_by_size,
    _head_start_sizes,
    HEAD_START_SEAT.now,
    lambda settings: HEAD_START_SEAT.offered(settings) and bool(_handicap(settings)),
)

FIRST = _one_of(
    "game.first",
    message("First"),
    message("Who begins?"),
    message("Who starts each round."),
    {
        First.SEAT_1: message("always seat 1"),
        First.ROTATES: message("in turns"),
        First.LOSER: message("the loser"),
        First.WINNER: message("the winner"),
        First.ROLL: message("a roll-off"),
    },
    now=lambda settings: settings.game.first or settings.profile.first,
    offered=lambda settings: not settings.profile.is_solo,
)

NAMES = _switch(
    "game.names",
    message("Names"),
    message("Ask for names?"),
    message("Every player enters three letters before a match."),
)

FAMILY = _switch(
    "game.family",
    message("Family"),
    message("For children"),
    message("Easy games come first, and the end of a turn gets kinder words."),
)


class Destination(Enum):
    """A line of the menu that opens something else. The value is its label."""

    STATISTICS = message("Statistics")
    PUZZLE = message("Puzzle")
    #: A match with another box, where the owner allows it.
    LINK = message("Another box")
    #: The addresses of the scoreboard's pages, where there is a scoreboard.
    SCOREBOARD = message("Scoreboard")
    #: The owner's, where the box has no button for it.
    SERVICE = message("Owner")

    @property
    def label(self) -> Message:
        """The menu line that leads to this screen."""
        label: Message = self.value
        return label


MenuLine = Item | Destination
"""One line of the menu."""

MENU_LINES: tuple[MenuLine, ...] = (
    GAME,
    Destination.LINK,
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
    """The menu's entries that make sense now."""
    return tuple(entry for entry in MENU_LINES if _is_offered(entry, settings))


def _is_offered(entry: MenuLine, settings: Settings) -> bool:
    match entry:
        case Item():
            return entry.offered(settings)
        case Destination.SCOREBOARD:
            return settings.scoreboard is not None
        case Destination.LINK:
            return settings.link is not None
        case Destination.SERVICE:
            return not settings.service_button
        case Destination.STATISTICS | Destination.PUZZLE:
            return True


def offered_items(settings: Settings) -> tuple[Item, ...]:
    """The menu's settings that make sense now."""
    return tuple(entry for entry in entries(settings) if isinstance(entry, Item))


def find_option(settings: Settings, key: str, value: object) -> tuple[Item, int] | None:
    """Finds the item that sets this key to this value, and the index of its option; None if none does."""
    for item in offered_items(settings):
        if item.key == key:
            for index, option in enumerate(item.values(settings)):
                if is_value(value, option):
                    return item, index
    return None


def is_value(given: object, option: object) -> bool:
    """Whether a given value equals an option's, type included (in Python, True == 1)."""
    return given == option and isinstance(given, bool) is isinstance(option, bool)


def menu(settings: Settings, at: MenuLine | None = None) -> Picker:
    """The menu's list, with the cursor at this entry if it's there."""
    listed = entries(settings)
    lines = tuple(entry.line(settings) if isinstance(entry, Item) else entry.label for entry in listed)
    cursor = listed.index(at) if at in listed else 0
    return Picker(message("Menu"), lines, cursor, settings.levers)


def setup_questions(settings: Settings) -> tuple[Item, ...]:
    """The questions of setup before a match, in order.

    Solo games ask nothing, and games for two don't ask how many play. Rounds, limit, teams and head starts
    are asked only in games that have them; otherwise they are set in the menu.
    """
    usual = settings.profile
    if usual.is_solo:
        return ()
    game = settings.usual_game or usual
    asked = [PLAYERS] if order_of(game).seats(game, MAX_PLAYERS) == MAX_PLAYERS else []
    several = max(settings.game.rounds or 1, usual.rounds) > 1
    if LIMIT.offered(settings):
        asked.append(LIMIT)
    elif usual.has_rounds and several:
        asked.append(ROUNDS)
    if game.teams is not None:
        asked.append(TEAMS)
    if any(game.handicap):
        asked += [HEAD_START_SEAT, HEAD_START]
    return tuple(asked)


def why_not_linked(settings: Settings) -> Message | None:
    """Why players can't play with another box now; None if they can."""
    if settings.tournament is not None:
        return message("Equal dice are on")
    return message("Real dice are on") if settings.real_dice else None


def why_no_room(settings: Settings) -> Message | None:
    """Why this box can't invite another one to its game; None if it can. It can be invited all the same."""
    game = settings.usual_game
    if settings.game.computers:
        return message("Computer is on")
    if settings.game.stakes is not ShownStakes.OFF:
        return message("Stakes are on")
    if _seconds(settings):
        return message("Clock is on")
    return None if game and linkable(game) else message("Not this game")
