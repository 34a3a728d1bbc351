"""A mode: a frozen value with its own data, under the name that scenarios and JSON use."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.mode import Mode
from shutthebox.game.play import MatchInPlay
from shutthebox.game.screen import Screen
from shutthebox.game.state import Shared, View


class BoxMode(ABC):
    """Something that the box is doing.

    Attributes:
        name: for scenarios and JSON.
    """

    __slots__ = ()

    name: ClassVar[Mode]

    @abstractmethod
    def screen(self, view: View) -> Screen:
        """The mode's screen."""

    def deadline_ns(self, shared: Shared) -> int | None:
        """When `TimeCame` is due; None if nothing happens by itself."""
        return None


@dataclass(frozen=True, slots=True)
class MatchMode(BoxMode):
    """A mode in which a match is on the table.

    Attributes:
        play: the match.
    """

    play: MatchInPlay
