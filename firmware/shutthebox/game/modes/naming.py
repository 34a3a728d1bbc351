"""Naming: before a match every player gives three letters, where the box is set to ask for them."""

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
from shutthebox.rules.profile import Profile


@dataclass(frozen=True, slots=True)
class Naming(BoxMode):
    """A player gives a name.

    Attributes:
        game: what is played then.
        seat: whose, from 1.
        names: per seat before this one.
        letters: of this one.
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


def enter(target: AskNames, context: Context) -> Step[Naming | BeginMatch]:
    """Asks for names where that is wanted and they are not given yet, else begins the match."""
    if context.shared.settings.game.names and not any(context.shared.names):
        return _next(Naming(target.game, 0), context)
    return Step(BeginMatch(new_match(target.game, context.shared.settings)))


def levers(mode: Naming, context: Context) -> Step[Naming]:
    """A letter back or on."""
    letters, effects, why = mode.letters.follow(context)
    return Step(replace(mode, letters=letters), effects, refusal=why)


def press(mode: Naming, context: Context) -> Step[Naming | BeginMatch]:
    """Takes the letter; after the third comes the next player, after the last the match."""
    mode = replace(mode, letters=mode.letters.take())
    return _next(mode, context) if mode.letters.complete else Step(mode)


def hold(mode: Naming, context: Context) -> Step[Naming | BeginMatch]:
    """A letter back; before the first one this player stays without a name."""
    if mode.letters.taken:
        return Step(replace(mode, letters=mode.letters.back()))
    return _next(replace(mode, letters=Letters()), context)


def _next(mode: Naming, context: Context) -> Step[Naming | BeginMatch]:
    """The next person's seat, or the match."""
    settings, names = context.shared.settings, mode.names
    if mode.seat:
        names = (*names, mode.letters.taken)
    players = 1 if mode.game.is_solo else settings.game.players
    for seat in range(mode.seat + 1, players + 1):
        if seat not in settings.game.computers:
            return Step(Naming(mode.game, seat, names))
        names = (*names, "")
    match = new_match(mode.game, settings)
    return Step(BeginMatch(match), shared=context.shared._replace(names=names))
