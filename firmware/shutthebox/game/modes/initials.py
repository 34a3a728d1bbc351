"""Initials: the winner signs for the hall of fame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.letters import Letters
from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step
from shutthebox.game.targets import BackToAttract, ShowResult, SignResult


@dataclass(frozen=True, slots=True, eq=False)
class Initials(MatchMode):
    """The winner signs.

    Attributes:
        player: the winner, from 0.
        letters: the letters being entered.
    """

    name: ClassVar[Mode] = Mode.INITIALS
    asks_to_leave: ClassVar[bool] = False
    awaits_press: ClassVar[bool] = False

    player: int
    letters: Letters = field(default_factory=Letters)

    def screen(self, shared: Shared) -> Screen:
        """The letters so far and the next one."""
        title = message("Player {number}", number=self.player + 1)
        return self.letters.screen(self.name, title, message("Hold: back"))

    def levers(self, context: Context) -> Step[Initials]:
        """Scrolls through the letters."""
        letters, effects, why = self.letters.follow(context)
        return Step(replace(self, letters=letters), effects, refusal=why)

    def press(self, context: Context) -> Step[Initials | ShowResult]:
        """Takes the letter; the last one completes the signature."""
        letters = self.letters.take()
        if not letters.complete:
            return Step(replace(self, letters=letters))
        return Step(ShowResult(self.play, {self.player: letters.taken}))

    def hold(self, context: Context) -> Step[Initials | ShowResult]:
        """Goes back a letter; before the first one, leaves without signing."""
        if self.letters.taken:
            return Step(replace(self, letters=self.letters.back()))
        return Step(ShowResult(self.play, {}))

    def deserted(self, context: Context) -> Step[BackToAttract]:
        """Leaves the match without signing."""
        return self.leave(context)


def enter(target: SignResult, context: Context) -> Step[Initials]:
    """Starts with the first letter."""
    return Step(Initials(target.play, target.player))
