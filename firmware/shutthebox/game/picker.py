"""Choosing with the levers: a lever moved and put back is one choice, whichever way it stood before."""

from typing import NamedTuple

from shutthebox.game.messages import Message, Text, message
from shutthebox.rules.tiles import Tiles, to_numbers


class Flicks(NamedTuple):
    """Levers on their way: moved once, and not put back yet.

    A lever that stands down at the start is flicked by lifting it and putting it down again.
    """

    away: Tiles = 0

    def follow(self, levers: Tiles) -> "tuple[Flicks, tuple[int, ...]]":
        """The flicks after these levers have moved, and the levers that are back where they stood, rising."""
        return Flicks(self.away ^ levers), to_numbers(self.away & levers)

    @property
    def reminder(self) -> Message | None:
        """The movement that the one moving lever still needs; None if none moves, or several."""
        if self.away.bit_count() != 1:
            return None
        return message("Put {tile} back", tile=self.away.bit_length())


class Picker(NamedTuple):
    """A list to choose from.

    Lever n chooses option n. In a list that is longer than the box has levers, and in one that leaves two
    levers free, the last lever goes on by one and the lever before it goes back by one.

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
    def steps(self) -> dict[int, int]:
        """Per lever that walks through the list, by how many options."""
        if len(self.options) <= self.levers < len(self.options) + 2:
            return {}
        # A box with a single lever has one that goes on, and none that goes back.
        return {self.levers - 1: -1, self.levers: 1} if self.levers > 1 else {self.levers: 1}

    @property
    def choosing(self) -> int:
        """Lever n chooses option n, up to this one."""
        return min(len(self.options), self.levers - len(self.steps))

    def follow(self, levers: Tiles) -> "tuple[Picker, tuple[int, ...]]":
        """The picker after these levers have moved, and the levers that have been flicked."""
        flicks, flicked = self.flicks.follow(levers)
        picker = self._replace(flicks=flicks)
        for lever in flicked:
            picker = picker.choose(lever) or picker
        return picker, flicked

    def move_cursor(self, by: int) -> "Picker":
        """The picker with its cursor so many options on; after the last comes the first."""
        return self._replace(cursor=(self.cursor + by) % len(self.options))

    def choose(self, lever: int) -> "Picker | None":
        """The picker after lever n was flicked; None for a lever that means nothing here."""
        if lever in self.steps:
            return self._replace(cursor=(self.cursor + self.steps[lever]) % len(self.options))
        return self._replace(cursor=lever - 1) if lever <= self.choosing else None

    @property
    def help(self) -> Message:
        """The levers' effects."""
        if self.steps and self.levers > 1:
            return message("Lever {back}: < {on}: >", back=self.levers - 1, on=self.levers).say_as(
                "Lever {back}: the one before, {on}: the next"
            )
        return (
            message("Lever 1 to {last}", last=self.choosing)
            if self.choosing
            else message("Lever 1: >").say_as("Lever 1: the next")
        )
