"""Ready: the levers match; waiting for the throw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Ask, Effect
from shutthebox.game.judge import VerdictKind
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import TurnMode
from shutthebox.game.play import MatchInPlay, apply_and_keep, is_computers_turn, judge_levers
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, refuse
from shutthebox.game.targets import AfterAction, EnterThrow, LeversFit, RollDice, after
from shutthebox.game.tips import tip
from shutthebox.game.typed_throw import TypedThrow
from shutthebox.game.wording import bag_texts, dice_hint, fault_text, player_name
from shutthebox.odds.questions import (
    AnswerReady,
    AskDice,
    AskHint,
    DiceReady,
    HintReady,
    OddsReady,
    ReviewReady,
)
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Thrown
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Draw
from shutthebox.rules.rows import by_row
from shutthebox.rules.turn import Refusal
from shutthebox.texts import plural

COMPUTER_NS = 1_200_000_000
"""How long the computer waits before it throws, so that people can follow."""


@dataclass(frozen=True, slots=True, eq=False)
class Ready(TurnMode):
    """Waiting for the throw.

    Attributes:
        since_ns: since when the levers have been as they are.
        best_dice: the best number of dice, and what the other one costs; None without
            a choice, advice, or hints.
        computers_dice: how many dice the computer throws; None until the odds have said.
        voided: the throw of real dice that a double press has just voided; None if none has.
    """

    name: ClassVar[Mode] = Mode.READY

    since_ns: int
    best_dice: tuple[Message, Message | None] | None = None
    computers_dice: int | None = None
    voided: TypedThrow | None = None

    @property
    def pointer(self) -> Message:
        """The first thing to learn."""
        return message("Press the button")

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock next changes or the computer throws; None if neither will."""
        if self.play.clock:
            return self.play.clock.next_ns
        waits = self.play.verdict.kind is VerdictKind.OK and not shared.asleep
        return self.since_ns + COMPUTER_NS if waits and is_computers_turn(self.play, shared) else None

    def screen(self, shared: Shared) -> Screen:
        """Whose turn it is or what's left, and how to throw."""
        lit = self.play.verdict.kind is VerdictKind.OK
        throws_real = _throws_real(self.play, shared)
        prompt, *also = (_prompts_of_real_dice if throws_real else _prompts)(self.play.match)
        if not lit:
            prompt = ""  # a press throws nothing before the levers are right
        also = [*(() if throws_real else tip(self, shared)), *also]
        also += bag_texts(self.play.match)
        if self.best_dice is not None and self.best_dice[1] is not None:
            also.append(self.best_dice[1])
        if self.play.match.order_of_play.opens:
            also.append(
                message("Open the tiles") if self.play.match.turn.opens else message("Shut the tiles")
            )
        big = self._big(shared)
        return turn_screen(self.name, self.play, shared, prompt=prompt, also=tuple(also), big=big, lit=lit)

    def press(self, context: Context) -> Step[Ready | RollDice | EnterThrow]:
        """Throws the usual number of dice."""
        match = self.play.match
        return self._throw(context, match.usual_dice, pressed=True)

    def hold(self, context: Context) -> Step[Ready | RollDice | EnterThrow]:
        """Throws one die, if that is allowed. A domino being entered begins with a blank."""
        match = self.play.match
        if _has_blanks(match) and _throws_real(self.play, context.shared):
            return self._throw(context, match.usual_dice, pressed=False)
        if len(match.dice_allowed) > 1:
            return self._throw(context, 1, pressed=False)
        refusal = match.dice_refusal(1) or Refusal.ONE_DIE_ONLY
        return refuse(self, Message(refusal))

    def levers(self, context: Context) -> Step[Ready]:
        """A lever down is a fault until it's put right; the computer waits again."""
        play, effects = judge_levers(self.play, context)
        return Step(replace(self, play=play, since_ns=context.now_ns), effects)

    def time(self, context: Context) -> Step[Ready | RollDice | AfterAction]:
        """Advances the player's clock, or lets the computer throw."""
        if self.play.clock:
            return self.tick(context)
        if not self.is_due(context):
            return Step(self)
        match = self.play.match
        dice = self.computers_dice or match.usual_dice
        return Step(RollDice(self.play, dice))

    def take_advice(self, advice: OddsReady, context: Context) -> Step[Ready]:
        """Shows the best number of dice, or takes the computer's."""
        match advice:
            case HintReady():
                return self._show_hint(advice)
            case DiceReady(about, dice):
                return Step(replace(self, computers_dice=dice) if about == self.play.match else self)
            case AnswerReady() | ReviewReady():
                return Step(self)

    def _show_hint(self, advice: HintReady) -> Step[Ready]:
        """Shows the best number of dice."""
        hint = advice.hint
        if advice.match != self.play.match or hint is None or len(hint.options) < 2:
            return Step(self)
        return Step(replace(self, best_dice=dice_hint(hint)))

    def _throw(self, context: Context, dice: int, *, pressed: bool) -> Step[Ready | RollDice | EnterThrow]:
        """Throws the dice, or asks for the throw of real dice; refused while levers are wrong."""
        play = self.play
        if play.verdict.kind is not VerdictKind.OK:
            return refuse(self, fault_text(play.verdict, context.shared))
        if _throws_real(play, context.shared):
            return Step(EnterThrow(play, dice, pressed=pressed, voided=self.voided))
        return Step(RollDice(play, dice))

    def _big(self, shared: Shared) -> Text:
        match = self.play.match
        if self.best_dice is not None:
            return self.best_dice[0]
        if match.turn.throws == 0:
            return player_name(match.player, shared)
        left = by_row(match.rules, match.turn.open, match.turn.behind)
        return message("{sum} left", sum=sum(map(sum, left)))


def enter(target: LeversFit, context: Context) -> Step[Ready | AfterAction]:
    """Waits for the throw, unless everyone answers the same throw and others already have."""
    if target.play.match.round.common is not None:
        play, effects = apply_and_keep(target.play, Thrown(target.play.match.round.common.faces))
        return Step(after(play), effects)
    mode = Ready(target.play, context.now_ns, voided=target.voided)
    return Step(mode, _questions(target.play, context.shared))


def _questions(play: MatchInPlay, shared: Shared) -> tuple[Effect, ...]:
    """Asks for the best number of dice, if there's a choice."""
    match = play.match
    if len(match.dice_allowed) < 2:
        return ()
    if is_computers_turn(play, shared):
        return (Ask(AskDice(match, shared.settings.game.strength)),)
    return (Ask(AskHint(match)),) if shared.settings.game.hints else ()


def _throws_real(play: MatchInPlay, shared: Shared) -> bool:
    """Whether the player throws or draws outside the box."""
    return shared.settings.real_dice and not is_computers_turn(play, shared)


def _has_blanks(match: Match) -> bool:
    """Whether an end of a domino may have no pip to press for."""
    return turns.lowest_face(match.rules) == 0


def _prompts_of_real_dice(match: Match) -> tuple[Text, ...]:
    """What to throw or draw oneself, and how to tell the box."""
    enter = message("Press once a pip")
    if match.rules.draw is Draw.DOMINOES:
        blank = (message("Hold: a blank"),) if _has_blanks(match) else ()
        return message("Draw a domino"), enter, *blank
    allowed = match.dice_allowed
    if len(allowed) > 1:
        return message("Throw your dice"), enter, message("Hold: 1 die")
    return message("Throw one die") if allowed == (1,) else message("Throw your dice"), enter


_PRESS = plural("Press: one die", "Press: {dice} dice")


def _prompts(match: Match) -> tuple[Text, ...]:
    if match.rules.draw is Draw.DOMINOES:
        return (message("Press to draw"),)
    allowed = match.dice_allowed
    if len(allowed) > 1:
        return message(_PRESS, dice=allowed[0]), message("Hold: 1 die")
    if allowed == (1,) and match.rules.dice > 1:
        return (message(_PRESS, dice=1),)
    return (message("Press to throw"),)
