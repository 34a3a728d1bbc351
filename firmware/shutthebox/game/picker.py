"""Choosing with the levers: a lever moved and put back is one choice, whichever way it stood before."""

from dataclasses import dataclass, replace

from shutthebox.game.messages import Text
from shutthebox.rules.tiles import Tiles, to_numbers


@dataclass(frozen=True, slots=True)
class Flicks:
    """Levers on their way: moved once, and not put back yet.

    A lever that stands down at the start is flicked by lifting it and putting it down again.
    """

    away: Tiles = 0

    def moved(self, levers: Tiles) -> "tuple[Flicks, tuple[int, ...]]":
        """The flicks after these levers have moved, and the levers that are back where they stood, rising."""
        return Flicks(self.away ^ levers), to_numbers(self.away & levers)


@dataclass(frozen=True, slots=True)
class Picker:
    """A list to choose from.

    Attributes:
        heading: what is chosen.
        options: as shown.
        cursor: index of the choice so far.
        levers: how many levers there are to choose with.
        flicks: levers on their way.
    """

    heading: Text
    options: tuple[Text, ...]
    cursor: int
    levers: int
    flicks: Flicks = Flicks()

    @property
    def page_size(self) -> int:
        """Options that have a lever of their own at a time; with more pages the last lever turns them."""
        return self.levers if len(self.options) <= self.levers else max(1, self.levers - 1)

    @property
    def page(self) -> int:
        """Index of the first option of the page shown."""
        return self.cursor - self.cursor % self.page_size

    def moved(self, levers: Tiles) -> "tuple[Picker, bool]":
        """The picker after these levers have moved, and whether one of them was a choice."""
        flicks, chosen = self.flicks.moved(levers)
        picker = replace(self, flicks=flicks)
        for lever in chosen:
            picker = picker.choose(lever)
        return picker, bool(chosen)

    def choose(self, lever: int) -> "Picker":
        """The picker after lever n was chosen; a lever without an option changes nothing."""
        if len(self.options) > self.levers and lever == self.levers:
            # On a box with a single lever this is the only one: it walks through the options.
            following = self.page + self.page_size
            return replace(self, cursor=following if following < len(self.options) else 0)
        at = self.page + lever - 1
        return replace(self, cursor=at) if lever <= self.page_size and at < len(self.options) else self
