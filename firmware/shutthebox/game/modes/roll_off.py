"""Roll-off: before a match everyone throws once, and the highest throw begins (`First.ROLL`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.messages import Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.play import TUMBLE_NS
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step
from shutthebox.game.targets import BeginMatch, RollForFirst
from shutthebox.game.wording import player_name
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Draw


@dataclass(frozen=True, slots=True, eq=False)
class RollOff(BoxMode):
    """A player throws for the first turn. These throws aren't part of the match, nor of a tournament's.

    Attributes:
        match: the match before its first throw; who begins is still open.
        tally: what each player owes from earlier matches this evening.
        seats: players (from 0) who still have to throw, the next one first.
        thrown: what the others threw, by player.
        tumbling: the throw not yet shown; None before it.
        since_ns: when it was made.
    """

    name: ClassVar[Mode] = Mode.ROLL_OFF

    match: Match
    tally: tuple[Fraction, ...]
    seats: tuple[int, ...]
    thrown: tuple[tuple[int, Throw], ...] = ()
    tumbling: Throw | None = None
    since_ns: int = 0

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the dice stop rolling."""
        return None if self.tumbling is None else self.since_ns + TUMBLE_NS

    def screen(self, shared: Shared) -> Screen:
        """Who throws, and the highest throw so far."""
        title, lit = player_name(self.seats[0], shared), True
        if self.tumbling is not None:
            dice = (1,) * len(self.tumbling)
            return Screen(self.name, title=title, dice=dice, tumbling=True, lit=lit)
        best: Text = ""
        if self.thrown:
            score = max(sum(faces) for _, faces in self.thrown)
            best = message("best {score}", score=score).say_as("Best so far: {score}")
        draws = self.match.game.draw is Draw.DOMINOES
        prompt = message("Press to draw") if draws else message("Press to throw")
        return Screen(self.name, title=title, aside=best, big=message("Who begins?"), prompt=prompt, lit=lit)

    def press(self, context: Context) -> Step[RollOff | BeginMatch]:
        """Throws all dice, or shows the throw at once."""
        if self.tumbling is not None:
            return self._reveal(self.tumbling)
        game = self.match.game
        if game.draw is Draw.DOMINOES:
            faces = context.dice.draw(turns.bag(self.match.rules, self.match.turn))
        else:
            faces = context.dice.throw(game.dice, game.sides)
        return Step(replace(self, tumbling=faces, since_ns=context.now_ns), (PlaySound(Sound.ROLL),))

    def hold(self, context: Context) -> Step[RollOff | BeginMatch]:
        """Does the same as a press."""
        return self.press(context)

    def levers(self, context: Context) -> Step[RollOff]:
        """Ignores the levers until the match begins."""
        return Step(self)

    def time(self, context: Context) -> Step[RollOff | BeginMatch]:
        """Goes on once the dice have stopped."""
        if self.tumbling is None or context.now_ns < self.since_ns + TUMBLE_NS:
            return Step(self)
        return self._reveal(self.tumbling)

    def _reveal(self, faces: Throw) -> Step[RollOff | BeginMatch]:
        """Goes on to the next player. After the last, the highest begins; players tied for it throw again."""
        player, *later = self.seats
        thrown = (*self.thrown, (player, faces))
        if later:
            return Step(replace(self, seats=tuple(later), thrown=thrown, tumbling=None))
        highest = max(sum(each) for _, each in thrown)
        tied = tuple(seat for seat, each in thrown if sum(each) == highest)
        if len(tied) > 1:
            again = message("Tied: throw again")
            return Step(replace(self, seats=tied, thrown=(), tumbling=None), refusal=again)
        match = begin(self.match.game, self.match.players, self.match.rounds, tied[0])
        return Step(BeginMatch(match, self.tally, rolled=True))


def enter(target: RollForFirst, context: Context) -> Step[RollOff]:
    """Starts the roll-off."""
    return Step(RollOff(target.match, target.tally, target.match.everybody))
