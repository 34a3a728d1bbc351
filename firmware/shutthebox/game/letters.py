"""Three letters, dialled with levers 1 and 2 and confirmed with the button."""

from typing import NamedTuple

from shutthebox.game.effects import Effect, PlaySound, Sound
from shutthebox.game.messages import Message, Spelling, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.picker import Flicks
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LENGTH = 3

_STEPS = {1: -1, 2: 1}
"""Lever 1 is a letter back, lever 2 one on."""

_HELP = message("Lever 1: < 2: >").say_as("Lever 1: previous, 2: next")


def is_name(text: str) -> bool:
    """Whether these letters can be entered at the box; an empty string, for no name, is fine."""
    return not text or (len(text) == LENGTH and set(text) <= set(ALPHABET))


class Letters(NamedTuple):
    """Letters being entered.

    Attributes:
        taken: the letters so far.
        at: the letter a press would take, as an index into `ALPHABET`.
        flicks: levers moved and not yet put back.
    """

    taken: str = ""
    at: int = 0
    flicks: Flicks = Flicks()

    @property
    def complete(self) -> bool:
        """Whether all three letters have been entered."""
        return len(self.taken) == LENGTH

    def follow(self, context: Context) -> "tuple[Letters, tuple[Effect, ...], Message | None]":
        """Returns the letters after these lever moves, the sound to play, and why a lever changed nothing."""
        flicks, flicked = self.flicks.follow(context.moved)
        at = (self.at + sum(_STEPS.get(lever, 0) for lever in flicked)) % len(ALPHABET)
        after = self._replace(flicks=flicks, at=at)
        if not flicked:
            return after, (), None
        if set(flicked) & set(_STEPS):
            return after, (PlaySound(Sound.CHOICE),), None
        return after, (PlaySound(Sound.REFUSED),), _HELP

    def take(self) -> "Letters":
        """Takes the letter at the cursor; the next one starts at A."""
        return self._replace(taken=self.taken + ALPHABET[self.at], at=0)

    def back(self) -> "Letters":
        """Goes back one letter."""
        return self._replace(taken=self.taken[:-1], at=ALPHABET.index(self.taken[-1]))

    def screen(self, mode: Mode, title: Text, hold: Text) -> Screen:
        """The letters so far and the next one.

        Args:
            mode: which.
            title: whose letters they are.
            hold: what a hold does before the first letter; after that it goes back a letter.
        """
        return Screen(
            mode,
            title=title,
            big=Spelling(f"{self.taken}{ALPHABET[self.at]}", LENGTH),
            prompt=message("Press: letter"),
            also=(_HELP, message("Hold: back") if self.taken else hold),
            lit=True,
        ).led_by(self.flicks.reminder)
