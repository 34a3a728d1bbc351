"""A screen of the panel, as data: the machine builds it, the display worker draws it.

A screen has no notion of pixels, clock or language. Whatever moves (tumbling dice, blinking tiles) is only
named here; the display worker animates it. Texts are messages: `Screen.localize` turns them into text for the
panel, `shutthebox.speech.sentences` into speech.
"""

from enum import Enum
from typing import NamedTuple, TypeVar

from shutthebox.game.lever_tiles import LeverTile
from shutthebox.game.messages import Text, Translate, localize
from shutthebox.game.mode import Mode


class TileState(Enum):
    """How one tile of the row is drawn."""

    OPEN = "open"  # lever up, and nothing to do with it now
    SHUT = "shut"  # shut by an earlier throw, or shut from the start
    VIABLE = "viable"  # open, and part of a move that the levers still allow: blinks
    FLIPPED = "flipped"  # flipped since the throw, and part of a legal move
    OPENABLE = "openable"  # shut, and part of a move that opens it: blinks (`Turn.opens`)
    OPENED = "opened"  # opened since the throw, and part of a legal move
    WRONG = "wrong"  # the lever stands where it must not: to lift, or to put back


LIST_ROWS = 3
"""Rows of a list that are seen at a time."""


class Screen(NamedTuple):
    """The content of one screen.

    Attributes:
        mode: what the box is doing.
        title: top line, left: whose turn it is, or the heading. Lists to choose from and screens that are
            only a paragraph have no such line: there the heading alternates with the prompts.
        aside: top line, right: the round or the score. In a list to choose from: how many more options
            there are, at the right of the bottom line.
        dice: faces to draw, in the order thrown; up to nine, 1 to 20 each. Above 6 they're numbers.
        total: the total of the throw, drawn as large as fits; None for no total.
        tumbling: the dice are still rolling; draw them moving, with unknown faces.
        big: a word or number to draw large when there are no dice ("15", "SHUT!").
        rows: lines of a list or table (menu, scores), drawn when there are no dice and no big word.
        cursor: index of the highlighted row; None for none.
        paragraph: a sentence or two below the rows, in small letters if needed. Text that still doesn't fit
            turns its pages.
        code: an address for phones, drawn as a QR code with the text beside it; printed as text
            if the panel is too small for the code.
        tiles: the row of tiles, (lever, state) in rising order; empty for no row.
        lever_tiles: the tiles that these levers move, where they don't simply bear the levers' numbers.
        alert: bottom line, highlighted: what's wrong, or why the last input did nothing; about 16
            characters. It alternates with the prompt and never replaces it.
        prompt: bottom line: what to do next; about 16 characters.
        also: what else can be done, about 16 characters each; they alternate with the prompt.
        lit: a press does something now, so the button's lamp is lit.
        celebrates: something to cheer about: a second of animation that delays nobody.
        is_list: the levers move a list's cursor in this mode.
    """

    mode: Mode
    title: Text = ""
    aside: Text = ""
    dice: tuple[int, ...] = ()
    total: int | None = None
    tumbling: bool = False
    big: Text = ""
    rows: tuple[Text, ...] = ()
    cursor: int | None = None
    paragraph: Text = ""
    code: str = ""
    tiles: tuple[tuple[int, TileState], ...] = ()
    lever_tiles: tuple[LeverTile, ...] = ()
    alert: Text = ""
    prompt: Text = ""
    also: tuple[Text, ...] = ()
    lit: bool = False
    celebrates: bool = False
    is_list: bool = False

    @property
    def chooses(self) -> bool:
        """Whether the rows are a list to choose from, rather than one to read page by page."""
        return self.is_list and bool(self.rows) and self.cursor is not None

    @property
    def reads(self) -> bool:
        """Whether the screen is only a paragraph to read."""
        return bool(self.paragraph) and not (
            self.rows or self.big or self.dice or self.tumbling or self.tiles
        )

    @property
    def prompts(self) -> tuple[Text, ...]:
        """The texts that the bottom line alternates between besides the alert, which isn't repeated."""
        return _without(self.alert, (self.prompt, *self.also))

    def led_by(self, prompt: Text | None) -> "Screen":
        """The screen with this prompt before all others; None changes nothing."""
        return self._replace(prompt=prompt, also=(self.prompt, *self.also)) if prompt else self

    def alerted(self, why: Text) -> "Screen":
        """The screen with this alert in its bottom line."""
        beneath = (self.prompt, *self.also)
        return (
            self._replace(alert=why, prompt=self.alert, also=beneath)
            if self.alert
            else self._replace(alert=why)
        )

    def localize(self, translate: Translate) -> "LocalizedScreen":
        """The screen in the panel's language."""
        values = self._asdict()
        words = {name: localize(values[name], translate) for name in _TEXTS}
        lists = {name: tuple(localize(text, translate) for text in values[name]) for name in _LISTS}
        return LocalizedScreen(**{**values, **words, **lists})


_AnyText = TypeVar("_AnyText", Text, str)


def _without(said: _AnyText, texts: tuple[_AnyText, ...]) -> tuple[_AnyText, ...]:
    return tuple(text for text in texts if text and text != said)


_TEXTS = ("title", "aside", "big", "paragraph", "alert", "prompt")
_LISTS = ("rows", "also")


class LocalizedScreen(Screen):
    """A localized screen, ready to draw. Text after a tab in a row is right-aligned."""

    __slots__ = ()

    title: str
    aside: str
    big: str
    rows: tuple[str, ...]
    paragraph: str
    alert: str
    prompt: str
    also: tuple[str, ...]

    @property
    def prompts(self) -> tuple[str, ...]:
        """The texts that the bottom line alternates between besides the alert, which isn't repeated."""
        return _without(self.alert, (self.prompt, *self.also))

    @property
    def text(self) -> str:
        """All text on the screen, one item per line, top to bottom."""
        body = (self.big, *self.rows, self.paragraph, self.code)
        parts = (self.title, self.aside, *body, self.alert, *self.prompts)
        return "\n".join(part for part in parts if part)
