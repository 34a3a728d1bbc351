"""A screen of the panel, as data: the machine makes it, the display worker draws it.

A screen holds no pixel, no clock and no language. Everything that moves (tumbling dice, blinking tiles)
is named here; the display worker animates it. Its texts are messages: `Screen.localize` puts them into the
words of the panel, `shutthebox.speech.sentences` into those of the voice.
"""

from enum import Enum
from typing import NamedTuple, TypeVar

from shutthebox.game.messages import Text, Translate, localize
from shutthebox.game.mode import Mode


class TileState(Enum):
    """How one tile of the row is drawn."""

    OPEN = "open"  # lever up, and nothing to do with it now
    SHUT = "shut"  # shut by an earlier throw, or shut from the start
    VIABLE = "viable"  # open, and part of a move that the levers still allow: blinks
    FLIPPED = "flipped"  # flipped since the throw, and part of a legal move
    WRONG = "wrong"  # the lever stands where it must not: to lift, or to put back


LIST_ROWS = 3
"""Rows of a list that are seen at a time."""


class Screen(NamedTuple):
    """One picture's worth of content.

    Attributes:
        mode: what the box is doing.
        title: top line, left: whose turn it is, or the heading. In a list to choose from and above a
            paragraph alone there is no such line: the heading takes turns with the prompts.
        aside: top line, right: the round or the score; in a list to choose from, how many more
            there are, at the right of the bottom line.
        dice: faces to draw, in the order thrown; up to nine, 1 to 20 each. Above 6 as numbers.
        total: the total of the throw, drawn as large as it gets; None for no total.
        tumbling: the dice are still rolling: draw them moving, their faces unknown.
        big: a word or number to draw large where there are no dice ("15", "SHUT!").
        rows: lines for lists and tables (menu, scores), drawn where there are no dice and no big word.
        cursor: index into rows of the one that is marked; None for none.
        paragraph: a sentence or two to read, below the rows; in small letters if it needs them. What is too
            long for these, too, turns its pages.
        code: an address for telephones, drawn as a QR code with the words beside it; the address in letters
            where the panel is too small for the code.
        tiles: the row of tiles, (number, state) in rising order; empty for no row.
        alert: bottom line, so that it is noticed: what is wrong, or why the last input did nothing; some 16
            characters. It takes turns with the prompt, which it never replaces.
        prompt: bottom line: what to do next; as long.
        also: what else can be done, as long; each takes its turn with the prompt.
        lit: a press of the button does something now, so its lamp is lit.
        celebrates: something to cheer about: a second of show, which delays nobody.
        is_list: hands move the cursor of a list in this mode.
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
    alert: Text = ""
    prompt: Text = ""
    also: tuple[Text, ...] = ()
    lit: bool = False
    celebrates: bool = False
    is_list: bool = False

    @property
    def chooses(self) -> bool:
        """Whether the rows are a list to choose from; another list is to be read, page after page."""
        return self.is_list and bool(self.rows) and self.cursor is not None

    @property
    def reads(self) -> bool:
        """Whether there is a paragraph to read, and nothing else."""
        return bool(self.paragraph) and not (
            self.rows or self.big or self.dice or self.tumbling or self.tiles
        )

    @property
    def prompts(self) -> tuple[Text, ...]:
        """What the bottom line says in turns without the alert; nothing that the alert says already."""
        return _without(self.alert, (self.prompt, *self.also))

    def led_by(self, prompt: Text | None) -> "Screen":
        """The screen with this to do before everything else; None for nothing."""
        return self._replace(prompt=prompt, also=(self.prompt, *self.also)) if prompt else self

    def alerted(self, why: Text) -> "Screen":
        """The screen with this before everything else that the bottom line says."""
        beneath = (self.prompt, *self.also)
        return (
            self._replace(alert=why, prompt=self.alert, also=beneath)
            if self.alert
            else self._replace(alert=why)
        )

    def localize(self, translate: Translate) -> "LocalizedScreen":
        """The screen in the words of the panel."""
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
    """A screen in words, to be drawn. A tab in a row sets the rest of it against the right edge."""

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
        """What the bottom line says in turns without the alert; nothing that the alert says already."""
        return _without(self.alert, (self.prompt, *self.also))

    @property
    def text(self) -> str:
        """All words of the screen, one line each, top to bottom."""
        body = (self.big, *self.rows, self.paragraph, self.code)
        parts = (self.title, self.aside, *body, self.alert, *self.prompts)
        return "\n".join(part for part in parts if part)
