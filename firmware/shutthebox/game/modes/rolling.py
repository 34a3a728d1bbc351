"""Rolling: the box's dice tumble. The throw has been made and stored, but isn't shown yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Ask, PlaySound, Sound
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import TurnMode, break_off
from shutthebox.game.play import (
    TUMBLE_NS,
    MatchInPlay,
    apply_and_keep,
    is_computers_turn,
    judge_levers,
    tell_peer,
)
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step
from shutthebox.game.targets import AfterAction, AnswerThrow, AwaitLink, BreakOff, RollDice, Tumble, after
from shutthebox.link.match import Rolled
from shutthebox.odds.questions import AnswerReady, AskAnswer, OddsReady
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Thrown
from shutthebox.rules.linked_dice import LINKS
from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Draw
from shutthebox.rules.tiles import Tiles


@dataclass(frozen=True, slots=True, eq=False)
class Rolling(TurnMode):
    """The dice tumble; `play` is the match after the throw already.

    Attributes:
        before: the position before the throw, which the players still see.
        since_ns: when the throw was made.
        computers_answer: the tiles the computer shuts; None until the odds have said.
    """

    name: ClassVar[Mode] = Mode.ROLLING
    hides_throw: ClassVar[bool] = True
    keeps_awake: ClassVar[bool] = True

    before: Match
    since_ns: int
    computers_answer: Tiles | None = None

    @property
    def seen(self) -> MatchInPlay:
        """The match before the throw."""
        return self.play._replace(match=self.before, actions=self.play.actions[:-1])

    def deadline_ns(self, shared: Shared) -> int:
        """When the dice stop rolling."""
        return self.since_ns + TUMBLE_NS

    def screen(self, shared: Shared) -> Screen:
        """Tumbling dice with unknown faces, and nothing to do."""
        faces = self.play.match.turn.throw or ()
        shown = turn_screen(self.name, self.seen, shared, dice=faces)
        return shown._replace(dice=(1,) * len(faces), total=None, tumbling=True, lit=True)

    def press(self, context: Context) -> Step[AfterAction]:
        """Shows the throw at once."""
        return self._reveal()

    def hold(self, context: Context) -> Step[AfterAction]:
        """Shows the throw at once, too."""
        return self._reveal()

    def time(self, context: Context) -> Step[Rolling | AfterAction]:
        """Goes on once the dice have stopped."""
        return self._reveal() if self.is_due(context) else Step(self)

    def levers(self, context: Context) -> Step[Rolling]:
        """Judges the levers as before the throw."""
        seen, effects = judge_levers(self.seen, context)
        play = seen._replace(match=self.play.match, actions=self.play.actions)
        return Step(replace(self, play=play), effects)

    def take_advice(self, advice: OddsReady, context: Context) -> Step[Rolling]:
        """Takes the computer's answer, even before the dice have stopped."""
        if not isinstance(advice, AnswerReady) or advice.match != self.play.match:
            return Step(self)
        return Step(replace(self, computers_answer=advice.tiles))

    def _reveal(self) -> Step[AfterAction]:
        """Shows the throw and, in a linked match, lets the other box show it."""
        target = after(self.play)
        if isinstance(target, AnswerThrow):
            target = target._replace(asked_ns=self.since_ns, answer=self.computers_answer)
        return Step(target, tell_peer(self.play))


def enter(target: RollDice, context: Context) -> Step[Rolling | AwaitLink | BreakOff]:
    """Throws the dice, or draws a domino. In a linked match, the other box has to reveal its link first."""
    play, dice = target.play, target.dice
    if play.linked is not None:
        if play.linked.throws == LINKS:
            return break_off(message("Too many throws. The match doesn't count."))
        play, effects = apply_and_keep(play, Rolled(dice))
        return Step(AwaitLink(play), (*effects, PlaySound(Sound.ROLL)))
    match, tournament = play.match, context.shared.settings.tournament
    if tournament is not None:
        faces = tournament.throw(match, dice)
    elif match.rules.draw is Draw.DOMINOES:
        faces = context.dice.draw(turns.bag(match.rules, match.turn))
    else:
        faces = context.dice.throw(dice, match.rules.sides)
    # Kept before it is seen: pulling the plug doesn't give a second throw.
    play, effects = apply_and_keep(play, Thrown(faces))
    if play.match.stage is Stage.ANSWER and is_computers_turn(play, context.shared):
        effects += (Ask(AskAnswer(play.match, context.shared.settings.game.strength)),)
    return Step(Rolling(play, match, context.now_ns), (*effects, PlaySound(Sound.ROLL)))


def tumble(target: Tumble, context: Context) -> Step[Rolling]:
    """Lets the dice tumble for a throw that both boxes of a linked match have made."""
    return Step(Rolling(target.play, target.seen, context.now_ns))
