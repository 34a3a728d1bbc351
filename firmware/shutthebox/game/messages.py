"""Texts for people, as data. Each reader (panel, voice, page, scoreboard) localizes them itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeAlias

from shutthebox.rules.profile import Profile
from shutthebox.texts import DECIMAL, decimal_parts, fill_in, plural

Translate: TypeAlias = Callable[[str], str]
"""Translates an English text into the players' language."""


class Wording(Protocol):
    """A text that's only put into words when it's read."""

    def localize(self, translate: Translate) -> str:
        """The text as the panel shows it, in the players' language."""


Text: TypeAlias = Wording | str
"""A text; a str is the same in every language: a number, the title of a house rule."""


@dataclass(frozen=True, slots=True)
class Message:
    """A text with blanks and the values for them.

    Attributes:
        text: English, with blanks such as ``{points}``; it's the key in the catalogues.
        values: by blank.
        voice: what the voice says if the text is a symbol; empty to say the text.
    """

    text: str
    values: tuple[tuple[str, int | Text], ...] = ()
    voice: str = field(default="", compare=False)

    def say_as(self, voice: str, many: str = "") -> "Message":
        """The same text, with words for the voice. The catalogue tools extract calls by this name.

        Args:
            voice: the words; only for exactly one if `many` has others.
            many: as in `plural`.

        >>> message("won {rounds}", rounds=2).say_as("Points: {rounds}").voice
        'Points: {rounds}'
        """
        return Message(self.text, self.values, plural(voice, many) if many else voice)

    def localize(self, translate: Translate) -> str:
        """The text in the players' language."""
        if not self.text:
            return ""
        filled = {
            blank: value if isinstance(value, int) else localize(value, translate)
            for blank, value in self.values
        }
        return fill_in(self.text, translate, filled) if filled else translate(self.text)


class Numbers(NamedTuple):
    """Tiles or levers, in rising order.

    >>> Numbers((2, 9)).localize(str), Numbers((1, 2, 3, 4, 5, 7, 9)).localize(str)
    ('2, 9', '1-5, 7, 9')
    """

    numbers: tuple[int, ...]

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """First and last number of each run; up to three numbers aren't joined into runs."""
        runs: list[tuple[int, int]] = []
        for number in sorted(self.numbers):
            first, last = runs[-1] if runs else (0, -1)
            if len(self.numbers) > 3 and number == last + 1:
                runs[-1] = (first, number)
            else:
                runs.append((number, number))
        return tuple(
            part
            for first, last in runs
            for part in (((first, last),) if last - first > 1 else ((n, n) for n in range(first, last + 1)))
        )

    def localize(self, translate: Translate) -> str:
        """The numbers with a hyphen for each run."""
        return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in self.runs)


class TileSum(NamedTuple):
    """Tiles that are shut in one move.

    Attributes:
        numbers: of the tiles, but for those of a back row.
        at_back: the numbers of those.

    >>> TileSum((3, 4)).localize(str), TileSum((1,), (9,)).localize(str)
    ('3+4', '1+(9)')
    """

    numbers: tuple[int, ...]
    at_back: tuple[int, ...] = ()

    def localize(self, translate: Translate) -> str:
        """The numbers with plus signs, those at the back in brackets like their tiles on the panel."""
        return "+".join((*map(str, self.numbers), *(f"({number})" for number in self.at_back)))


class Name(NamedTuple):
    """A player's three letters, or what a box calls itself."""

    letters: str

    def localize(self, translate: Translate) -> str:
        """The letters, in capitals."""
        return self.letters


class Spelling(NamedTuple):
    """Letters of a name being entered, and how many it will have."""

    letters: str
    places: int

    def localize(self, translate: Translate) -> str:
        """The letters, with an underscore for an empty place."""
        return self.letters.ljust(self.places, "_")


class Seat(NamedTuple):
    """A player in a table.

    Attributes:
        number: from 1, for narrow columns.
        name: in full.
    """

    number: int
    name: Text

    def localize(self, translate: Translate) -> str:
        """The player's letters, otherwise the seat's number."""
        return self.name.letters if isinstance(self.name, Name) else str(self.number)


class ListRow(NamedTuple):
    """A line of a list: a text, and a value against the right edge."""

    text: Text
    value: Text

    def localize(self, translate: Translate) -> str:
        """Both, with a tab between them."""
        return f"{localize(self.text, translate)}\t{localize(self.value, translate)}"


class ChartBar(NamedTuple):
    """A bar of a chart: its number, and its length in characters."""

    number: int
    length: int

    def localize(self, translate: Translate) -> str:
        """The number, then the bar."""
        return f"{self.number:2} {'=' * self.length}"


class CommaList(NamedTuple):
    """A list of texts."""

    texts: tuple[Text, ...]

    def localize(self, translate: Translate) -> str:
        """The texts, joined by commas."""
        return ", ".join(localize(text, translate) for text in self.texts)


def localize(text: Text, translate: Translate) -> str:
    """A text as the panel shows it, in the players' language."""
    return text if isinstance(text, str) else text.localize(translate)


def title_text(game: Profile, language: str) -> Text:
    """A game's title: its own in this language, otherwise the English one, to be translated."""
    return dict(game.titles).get(language) or Message(game.title())


def message(text: str, **values: int | Text) -> Message:
    """A message with this English text. The catalogue tools extract calls of this function by name.

    >>> message("{points} to go", points=3).localize(str)
    '3 to go'
    """
    return Message(text, tuple(values.items()))


TIMES = plural("once", "{count} times")


def decimal(value: float, places: int, sign: Literal["-", "+"] = "-") -> Message:
    """A number with `places` decimals, shown with the decimal sign of the players' language.

    Args:
        value: the number.
        places: decimals.
        sign: "+" also puts a plus before positive numbers.

    >>> decimal(6.25, 1).localize(str)
    '6.2'
    """
    return Message(DECIMAL, tuple(decimal_parts(value, places, sign).items()))
