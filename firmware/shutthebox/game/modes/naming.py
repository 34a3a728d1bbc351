"""Naming: before a match each player enters three letters, if the box is set to ask."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.letters import Letters
from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.play import new_match
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step
from shutthebox.game.targets import AskNames, BeginMatch
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import Profile


@dataclass(frozen=True, slots=True, eq=False)
class Naming(BoxMode):
    """A player enters a name.

    Attributes:
        game: the game to begin afterwards.
        seat: the player's seat, from 1.
        names: the names of the seats before.
        letters: the letters being entered.
    """

    name: ClassVar[Mode] = Mode.NAMING

    game: Profile
    seat: int
    names: tuple[str, ...] = ()
    letters: Letters = field(default_factory=Letters)

    def screen(self, shared: Shared) -> Screen:
        """The player, and the letters so far."""
        title = message("Player {number}", number=self.seat)
        return self.letters.screen(self.name, title, message("Hold: no name"))

    def levers(self, context: Context) -> Step[Naming]:
        """Scrolls through the letters."""
        letters, effects, why = self.letters.follow(context)
        return Step(replace(self, letters=letters), effects, refusal=why)

    def press(self, context: Context) -> Step[Naming | BeginMatch]:
        """Takes the letter; after the third it's the next player's turn, after the last the match begins."""
        mode = replace(self, letters=self.letters.take())
        return mode._next(context) if mode.letters.complete else Step(mode)

    def hold(self, context: Context) -> Step[Naming | BeginMatch]:
        """Goes back a letter; before the first one, this player goes without a name."""
        if self.letters.taken:
            return Step(replace(self, letters=self.letters.back()))
        return replace(self, letters=Letters())._next(context)

    def _next(self, context: Context) -> Step[Naming | BeginMatch]:
        """Goes on to the next person's seat, or begins the match."""
        settings, names = context.shared.settings, self.names
        if self.seat:
            names = (*names, self.letters.taken)
        players = order_of(self.game).seats(self.game, settings.game.players)
        for seat in range(self.seat + 1, players + 1):
            if seat not in settings.game.computers:
                return Step(Naming(self.game, seat, names))
            names = (*names, "")
        match = new_match(self.game, settings)
        return Step(BeginMatch(match), shared=context.shared._replace(names=names))


def enter(target: AskNames, context: Context) -> Step[Naming | BeginMatch]:
    """Asks for names if the box is set to and hasn't got them yet; otherwise begins the match."""
    if context.shared.settings.game.names and not any(context.shared.names):
        return Naming(target.game, 0)._next(context)
    return Step(BeginMatch(new_match(target.game, context.shared.settings)))
