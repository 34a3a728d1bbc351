"""What the panel says, as data: the machine makes it, the display worker draws it.

A screen holds no pixel and no clock. Everything that moves (tumbling dice, blinking tiles)
is named here and animated by whoever draws it.
"""

from dataclasses import dataclass
from enum import Enum

from shutthebox.game.mode import Mode


class TileState(Enum):
    """How one tile of the row is drawn."""

    OPEN = "open"  # lever up, and nothing to do with it now
    SHUT = "shut"  # shut by an earlier throw, or shut from the start
    VIABLE = "viable"  # open, and part of a move that the levers still allow: blinks
    FLIPPED = "flipped"  # flipped since the throw, and part of a legal move
    WRONG = "wrong"  # the lever stands where it must not: to lift, or to put back


@dataclass(frozen=True, slots=True)
class Screen:
    """One picture's worth of content; every text is already in the players' language.

    Attributes:
        mode: what the box is doing.
        title: top line, left: whose turn it is, or the heading. At most 21 characters are drawn.
        aside: top line, right: the round or the score. Shares the line with the title.
        dice: faces to draw, in the order thrown; up to nine, 1 to 20 each. Above 6 as numbers.
        total: the total of the throw, drawn as large as it gets; None for no total.
        tumbling: the dice are still rolling: draw them moving, their faces unknown.
        big: a word or number to draw large where there are no dice ("15", "SHUT!").
        rows: lines for lists and tables (menu, scores), drawn where there are no dice.
        cursor: index into rows of the chosen one; None where nothing is chosen.
        tiles: the row of tiles, (number, state) in rising order; empty for no row.
        prompt: bottom line: what to do next, or what is wrong.
        alert: the prompt reports a fault; draw it so that it is noticed.
        lit: a press of the button does something now, so its lamp is lit.
    """

    mode: Mode
    title: str = ""
    aside: str = ""
    dice: tuple[int, ...] = ()
    total: int | None = None
    tumbling: bool = False
    big: str = ""
    rows: tuple[str, ...] = ()
    cursor: int | None = None
    tiles: tuple[tuple[int, TileState], ...] = ()
    prompt: str = ""
    alert: bool = False
    lit: bool = False

    @property
    def text(self) -> str:
        """All words of the screen, one line each, top to bottom."""
        parts = (self.title, self.aside, self.big, *self.rows, self.prompt)
        return "\n".join(part for part in parts if part)
