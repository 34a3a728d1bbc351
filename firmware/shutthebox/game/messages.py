"""Texts for people: English in the source, translated only when a screen is built."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from shutthebox.rules.profile import Profile

Translate: TypeAlias = Callable[[str], str]
"""Gives an English text in the players' language."""


@dataclass(frozen=True, slots=True)
class Message:
    """A text with blanks and what goes into them; kept in a state, translated on a screen.

    Attributes:
        text: English, with blanks such as ``{points}``; the catalogues have it under this text.
        values: by blank; a message among them is translated too.
    """

    text: str
    values: tuple[tuple[str, "int | str | Message"], ...] = ()

    def told(self, translate: Translate) -> str:
        """The text in the players' language."""
        filled = {
            blank: value.told(translate) if isinstance(value, Message) else value
            for blank, value in self.values
        }
        if not self.text:
            return ""
        text = translate(self.text)
        return text.format(**filled) if filled else text


Text: TypeAlias = Message | str
"""A message, or what is the same in every language: a number, a name."""


def told(text: Text, translate: Translate) -> str:
    """A text in the players' language."""
    return text.told(translate) if isinstance(text, Message) else text


def title_text(profile: Profile, language: str) -> Text:
    """A game's title: its own in this language, else the English one, to be translated."""
    return dict(profile.titles).get(language) or Message(profile.title())


def message(text: str, **values: "int | str | Message") -> Message:
    """The message of this English text; the catalogues' tools look for calls of this name.

    >>> message("{points} to go", points=3).told(str)
    '3 to go'
    """
    return Message(text, tuple(values.items()))


def decimal(value: float, places: int, sign: Literal["-", "+"] = "-") -> Message:
    """A number with so many decimals, to be shown with the decimal sign of the players' language.

    Args:
        value: the number.
        places: decimals.
        sign: "+" gives numbers above 0 their sign, too.

    >>> decimal(6.25, 1).told(str)
    '6.2'
    """
    whole, _, decimals = f"{value:{sign}.{places}f}".partition(".")
    return message("{whole}.{decimals}", whole=whole, decimals=decimals)
