"""What a mode is: a frozen value with its own data, under the name that scenarios and JSON use."""

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay


class BoxMode:
    """Something that the box is doing."""

    __slots__ = ()

    name: ClassVar[Mode]


@dataclass(frozen=True, slots=True)
class MatchMode(BoxMode):
    """A mode in which a match is on the table.

    Attributes:
        play: the match.
    """

    play: MatchInPlay
