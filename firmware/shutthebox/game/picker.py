"""Choosing with the levers: to choose, flick a lever (move it and put it back)."""

from typing import NamedTuple

from shutthebox.game.messages import Message, Text, message
from shutthebox.rules.tiles import Tiles, to_numbers


class Flicks(NamedTuple):
    """Levers that were moved once and not put back yet.

    A lever that is down to begin with is flicked by lifting it and putting it down again.
    """

    away: Tiles = 0

    def follow(self, levers: Tiles) -> "tuple[Flicks, tuple[int, ...]]":
        """Returns the flicks after these levers moved, and the levers now back where they were, rising."""
        return Flicks(self.away ^ levers), to_numbers(self.away & levers)

    @property
    def reminder(self) -> Message | None:
        """How to finish the flick of the one lever that is half-way; None if there are none or several."""
        if self.away.bit_count() != 1:
            return None
        return message("Put {tile} back", tile=self.away.bit_length())


class Picker(NamedTuple):
    """A list to choose from.

    Flick lever n to choose option n. If the list is longer than the row of levers, or leaves two levers
    free, the last lever scrolls down by one and the one before it scrolls up.

    Attributes:
        heading: what is chosen.
        options: as shown.
        cursor: index of the current choice.
        levers: how many levers there are to choose with.
        flicks: levers moved and not yet put back.
    """

    heading: Text
    options: tuple[Text, ...]
    cursor: int
    levers: int
    flicks: Flicks = Flicks()

    @property
    def steps(self) -> dict[int, int]:
        """By how many options each scrolling lever moves the cursor."""
        if len(self.options) <= self.levers < len(self.options) + 2:
            return {}
        # A box with a single lever can only scroll forward.
        return {self.levers - 1: -1, self.levers: 1} if self.levers > 1 else {self.levers: 1}

    @property
    def choosing(self) -> int:
        """The highest lever that chooses an option directly."""
        return min(len(self.options), self.levers - len(self.steps))

    def follow(self, levers: Tiles) -> "tuple[Picker, tuple[int, ...]]":
        """Returns the picker after these levers moved, and the levers that were flicked."""
        flicks, flicked = self.flicks.follow(levers)
        picker = self._replace(flicks=flicks)
        for lever in flicked:
            picker = picker.choose(lever) or picker
        return picker, flicked

    def move_cursor(self, by: int) -> "Picker":
        """Moves the cursor by `by` options, wrapping around."""
        return self._replace(cursor=(self.cursor + by) % len(self.options))

    def choose(self, lever: int) -> "Picker | None":
        """The picker after this lever was flicked; None if the lever does nothing here."""
        if lever in self.steps:
            return self._replace(cursor=(self.cursor + self.steps[lever]) % len(self.options))
        return self._replace(cursor=lever - 1) if lever <= self.choosing else None

    @property
    def help(self) -> Message:
        """What the levers do."""
        if self.steps and self.levers > 1:
            return message("Lever {back}: < {on}: >", back=self.levers - 1, on=self.levers).say_as(
                "Lever {back}: previous, {on}: next"
            )
        return (
            message("Lever 1 to {last}", last=self.choosing)
            if self.choosing
            else message("Lever 1: >").say_as("Lever 1: next")
        )
