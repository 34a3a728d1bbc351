"""Ready: the levers fit, the throw is awaited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from shutthebox.game.effects import Ask, Effect
from shutthebox.game.facts import Began, Left
from shutthebox.game.inputs import DiceCame, HintCame
from shutthebox.game.judge import VerdictKind
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, entering, raising, rolling, turn_over
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.play import MatchInPlay, begun, conditions_of, is_computers_turn, judged
from shutthebox.game.questions import AskDice, AskHint, plain_dice
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, View, kept, refused
from shutthebox.game.wording import cost_text, fault_text, player_name
from shutthebox.odds.strengths import simple_dice
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match
from shutthebox.rules.match import begin as begin_match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.tiles import sum_of
from shutthebox.rules.turn import Refusal

COMPUTER_NS = 1_200_000_000
"""How long the computer waits before it throws, so that people can follow."""


@dataclass(frozen=True, slots=True)
class Ready(MatchMode):
    """The throw is awaited.

    Attributes:
        since_ns: since when the box has been waiting for it, the levers as they are.
        best_dice: how many dice are best, and what the other number costs; None where
            there is no choice, no advice, or no hints.
        computers_dice: how many dice the computer throws; None where the odds have not said.
    """

    name: ClassVar[Mode] = Mode.READY

    since_ns: int
    best_dice: tuple[int, Text] | None = None
    computers_dice: int | None = None

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock shows another second, or the computer throws; None where neither does."""
        if self.play.clock:
            return self.play.clock.next_ns
        waits = self.play.verdict.kind is VerdictKind.OK and not shared.asleep
        return self.since_ns + COMPUTER_NS if waits and is_computers_turn(self.play, shared) else None

    def screen(self, view: View) -> Screen:
        """Whose turn it is, or what is left; how to throw."""
        lit = self.play.verdict.kind is VerdictKind.OK
        prompt, *also = _prompts(self.play.match)
        big = _big(self, view.shared)
        return turn_screen(self.name, self.play, view, prompt=prompt, also=tuple(also), big=big, lit=lit)


def begin(profile: Profile, context: Context) -> Step[raising.Raise | Ready]:
    """A new match of the usual number of players and rounds."""
    settings = context.settings
    players = 1 if profile.is_solo else settings.players
    return begin_anew(begin_match(profile, players, settings.rounds), context)


def begin_anew(
    match: Match, context: Context, tally: tuple[Fraction, ...] = ()
) -> Step[raising.Raise | Ready]:
    """This match from its beginning."""
    play, asked = begun(match, context.settings, tally)
    began = Began(match, conditions_of(match, context.settings))
    return await_throw(play, context).preceded_by(*kept(began), *asked)


def await_throw(play: MatchInPlay, context: Context) -> Step[raising.Raise | Ready]:
    """Raise until the levers fit the player's row, then ready."""
    play, effects = judged(play, context)
    if play.verdict.kind is not VerdictKind.OK:
        return Step(raising.Raise(play), effects)
    return Step(Ready(play, context.now_ns), effects + _questions(play, context.shared))


def leave(mode: MatchMode, context: Context) -> Step[attract.Attract]:
    """Abandons the match, or leaves a decided one: by a hand, or after a long time without one."""
    return attract.enter(context).preceded_by(*kept(Left()))


def _questions(play: MatchInPlay, shared: Shared) -> tuple[Effect, ...]:
    """The question to the odds where the number of dice is a choice."""
    match = play.match
    if len(dice_allowed(match.rules, match.turn.open, match.turn.behind)) < 2:
        return ()
    if is_computers_turn(play, shared):
        return (Ask(AskDice(match, shared.settings.strength)),)
    return (Ask(AskHint(match)),) if shared.settings.hints else ()


def press(mode: Ready, context: Context) -> Step[Ready | rolling.Rolling | entering.EnteringThrow]:
    """Throws the usual number of dice."""
    return throw(mode, context, one_die=False)


def hold(mode: Ready, context: Context) -> Step[Ready | rolling.Rolling | entering.EnteringThrow]:
    """Throws one die, where that is a choice."""
    match = mode.play.match
    if len(dice_allowed(match.rules, match.turn.open, match.turn.behind)) > 1:
        return throw(mode, context, one_die=True)
    refusal = turns.dice_refusal(match.rules, match.turn, 1) or Refusal.ONE_DIE_ONLY
    return refused(mode, Message(refusal))


def levers(mode: Ready, context: Context) -> Step[Ready]:
    """A lever down is a fault until it is put right; the computer waits anew."""
    play, effects = judged(mode.play, context)
    return Step(replace(mode, play=play, since_ns=context.now_ns), effects)


def time(mode: Ready, context: Context) -> Step[Ready | rolling.Rolling | turn_over.TurnOver]:
    """The player's clock goes on, or the computer throws."""
    if mode.play.clock:
        return turn_over.tick(mode, context)
    deadline_ns = mode.deadline_ns(context.shared)
    if deadline_ns is None or context.now_ns < deadline_ns:
        return Step(mode)
    match = mode.play.match
    dice = mode.computers_dice or simple_dice(match.rules, match.turn)
    return rolling.enter(mode.play, context, dice)


def hint_came(mode: Ready, came: HintCame, context: Context) -> Step[Ready]:
    """The best number of dice is shown."""
    hint = came.hint
    if came.match != mode.play.match or hint is None or len(hint.options) < 2:
        return Step(mode)
    best, other = hint.options
    return Step(replace(mode, best_dice=(best.choice, cost_text(other.cost, hint.unit))))


def dice_came(mode: Ready, came: DiceCame, context: Context) -> Step[Ready]:
    """The computer has chosen its number of dice."""
    return Step(replace(mode, computers_dice=came.dice) if came.match == mode.play.match else mode)


def throw(
    mode: Ready, context: Context, *, one_die: bool
) -> Step[Ready | rolling.Rolling | entering.EnteringThrow]:
    """A throw of the box, or the entering of one of real dice; refused while levers are wrong."""
    play, settings = mode.play, context.settings
    if play.verdict.kind is not VerdictKind.OK:
        return refused(mode, fault_text(play.verdict, context.shared))
    dice = 1 if one_die else plain_dice(play.match)
    if settings.real_dice and not is_computers_turn(play, context.shared):
        return Step(entering.enter(play, context, dice, pressed=not one_die))
    return rolling.enter(play, context, dice)


def _big(mode: Ready, shared: Shared) -> Text:
    match = mode.play.match
    if mode.best_dice is not None:
        dice, cost = mode.best_dice
        if dice == 1:
            return message("1 die: {cost}", cost=cost)
        return message("{dice} dice: {cost}", dice=dice, cost=cost)
    if match.turn.throws == 0:
        return player_name(match.player, shared)
    return message("{sum} left", sum=sum_of(match.turn.open) + sum_of(match.turn.behind))


def _prompts(match: Match) -> tuple[Text, ...]:
    if match.rules.draw is Draw.DOMINOES:
        return (message("Press to draw"),)
    allowed = dice_allowed(match.rules, match.turn.open, match.turn.behind)
    if len(allowed) > 1:
        return message("Press: {dice} dice", dice=allowed[0]), message("Hold: 1 die")
    if allowed == (1,) and match.rules.dice > 1:
        return (message("Press: one die"),)
    return (message("Press to throw"),)
