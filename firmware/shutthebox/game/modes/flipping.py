"""Flipping: a throw is on the table, and the levers answer it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Ask, Sound, Sounded
from shutthebox.game.inputs import AnswerCame, HintCame
from shutthebox.game.judge import FINE, VerdictKind, flipped_tiles, lever_of
from shutthebox.game.lever_health import suspect_missing
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes import raising, ready, rolling, turn_over
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.play import MatchInPlay, done, is_computers_turn, judged, row_behind, with_verdict
from shutthebox.game.questions import AskAnswer, AskHint, plain_dice
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, View, refused
from shutthebox.game.wording import answers_text, commit_refusal, hint_lines, hint_title, listed, verdict_text
from shutthebox.odds.strengths import simple_answer
from shutthebox.odds.worths import Advice
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Moved, Reopened
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Turns
from shutthebox.rules.tiles import Tiles, to_numbers

COMPUTER_THINKS_NS = 6_000_000_000
"""How long the computer may think after its throw; then it shuts the highest tiles that fit."""


@dataclass(frozen=True, slots=True)
class Flipping(MatchMode):
    """The levers answer the throw.

    Attributes:
        computers_answer: the tiles that the computer shuts, and a hand sets; None if a person
            plays, or the computer still thinks.
        thinking_ns: since when the computer has been thinking; None when it does not.
        asks_hint: a hint was asked for and has not come.
        hint: on the screen; None for none.
    """

    name: ClassVar[Mode] = Mode.FLIPPING

    computers_answer: Tiles | None = None
    thinking_ns: int | None = None
    asks_hint: bool = False
    hint: Advice | None = None

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock shows another second, or the computer's time to think is over."""
        if self.play.clock:
            return self.play.clock.next_ns
        return None if self.thinking_ns is None else self.thinking_ns + COMPUTER_THINKS_NS

    def screen(self, view: View) -> Screen:
        """The dice, the tiles that still fit, and what to do; or a hint."""
        play, shared, _ = self.play, view.shared, view.translate
        if self.hint is not None:
            title = hint_title(self.hint)
            right = play.verdict.kind is VerdictKind.COMPLETE
            to_do = verdict_text(play.verdict) if right else message("Press: back")
            return Screen(
                self.name,
                title=title.told(_),
                rows=hint_lines(self.hint, _),
                cursor=0,
                prompt=to_do.told(_),
                lit=True,
            )
        kind = play.verdict.kind
        lit = kind is VerdictKind.COMPLETE or (kind is VerdictKind.OK and play.must_pass)
        prompt = message("Working it out …") if self.asks_hint else _prompt(self, shared)
        also = (message("Hold: hint"),) if shared.settings.hints and self.computers_answer is None else ()
        dice, only = play.match.turn.throw or (), self.computers_answer
        if self.thinking_ns is not None:
            only, lit = 0, False
        return turn_screen(self.name, play, view, prompt=prompt, also=also, dice=dice, only=only, lit=lit)


def enter(play: MatchInPlay, context: Context) -> Step[Flipping | turn_over.TurnOver]:
    """A throw that a person answers is on the table; it may have ended the turn."""
    if play.match.stage is Stage.ADVANCE:
        return turn_over.enter(play, context)
    return _settled(Flipping(play), context)


def enter_computers(
    play: MatchInPlay, context: Context, thrown_ns: int, answer: Tiles | None
) -> Step[Flipping | turn_over.TurnOver | raising.Raise | ready.Ready]:
    """A throw of the computer is on the table; it may have ended the turn.

    Args:
        play: the match after the throw.
        context: the world.
        thrown_ns: when the throw was made.
        answer: the computer's; None while it thinks.
    """
    if play.match.stage is Stage.ADVANCE:
        return turn_over.enter(play, context)
    return levers(Flipping(play, answer, thinking_ns=thrown_ns if answer is None else None), context)


def resume(
    play: MatchInPlay, context: Context
) -> Step[Flipping | turn_over.TurnOver | raising.Raise | ready.Ready]:
    """Goes on with a throw that was on the table when the power went."""
    if not is_computers_turn(play, context.shared):
        return enter(play, context)
    asked = (
        (Ask(AskAnswer(play.match, context.settings.strength)),) if play.match.stage is Stage.ANSWER else ()
    )
    return enter_computers(play, context, context.now_ns, None).preceded_by(*asked)


def levers(
    mode: Flipping, context: Context
) -> Step[Flipping | turn_over.TurnOver | raising.Raise | ready.Ready]:
    """Judges the levers; the computer's move is committed as soon as a hand has set it."""
    before = mode.play.verdict
    step = _settled(mode, context)
    after = step.mode
    if not isinstance(after, Flipping) or after.computers_answer is None:
        return step
    if after.play.verdict.kind is not VerdictKind.COMPLETE or after.play.verdict == before:
        return step
    # The computer's next throw waits, so its move never leads to rolling.
    return Step(after, step.effects).then(_commit, context)


def _settled(mode: Flipping, context: Context) -> Step[Flipping | turn_over.TurnOver]:
    """Judges the levers; a box that is shut needs no press."""
    before = mode.play.verdict
    play, effects = judged(mode.play, context, mode.computers_answer)
    mode = replace(mode, play=play, asks_hint=False, hint=None)
    verdict = play.verdict
    if verdict.kind is not VerdictKind.COMPLETE or verdict == before or mode.thinking_ns is not None:
        return Step(mode, effects)
    if verdict.move and verdict.move == play.match.turn.open and not play.match.turn.behind:
        # The box is shut: there is nothing left to choose.
        play, after = done(play, Moved(verdict.move))
        return turn_over.enter(play, context).preceded_by(*effects, *after)
    return Step(mode, (*effects, Sounded(Sound.COMPLETE)))


def press(mode: Flipping, context: Context) -> Step[Flipping | raising.Raise | ready.Ready | rolling.Rolling]:
    """Commits a complete move (or a pass) and throws again; anything else is refused with the reason.

    A hint that is read is put away instead of a refusal.
    """
    play, kind, reads = mode.play, mode.play.verdict.kind, mode.hint is not None
    mode = replace(mode, asks_hint=False, hint=None)
    if mode.thinking_ns is not None:
        return refused(mode, message("Thinking …"))
    if kind is not VerdictKind.COMPLETE and not (kind is VerdictKind.OK and play.must_pass):
        if reads:
            return Step(mode)
        shared = suspect_missing(play, context)
        return replace(refused(mode, commit_refusal(play, shared)), shared=shared)
    step = _commit(mode, context)
    after = step.mode
    if not isinstance(after, ready.Ready):
        return step
    match, shared = after.play.match, context.shared
    choice = len(dice_allowed(match.rules, match.turn.open, match.turn.behind)) > 1
    entered = shared.settings.real_dice or is_computers_turn(after.play, shared)
    if match.rules.turns is not Turns.WHOLE or choice or entered:
        return step
    return Step(after, step.effects).then(_throw_again, context)


def hold(mode: Flipping, context: Context) -> Step[Flipping]:
    """Asks for a hint, where hints are on."""
    if not context.settings.hints:
        return refused(mode, message("Hints are off"))
    return Step(replace(mode, asks_hint=True, hint=None), (Ask(AskHint(mode.play.match)),))


def time(
    mode: Flipping, context: Context
) -> Step[Flipping | turn_over.TurnOver | raising.Raise | ready.Ready]:
    """The player's clock goes on, or the computer has thought for too long: it plays without the odds."""
    if mode.play.clock:
        return turn_over.tick(mode, context)
    deadline_ns = mode.deadline_ns(context.shared)
    if deadline_ns is None or context.now_ns < deadline_ns:
        return Step(mode)
    match = mode.play.match
    answer = simple_answer(match.rules, match.turn)
    return answer_came(mode, AnswerCame(match, answer), context)


def hint_came(mode: Flipping, came: HintCame, context: Context) -> Step[Flipping]:
    """The hint is shown; without odds there is none."""
    if not mode.asks_hint or came.match != mode.play.match:
        return Step(mode)
    mode = replace(mode, asks_hint=False)
    if came.hint is None or not came.hint.options:
        return refused(mode, message("No hint"))
    return Step(replace(mode, hint=came.hint))


def answer_came(
    mode: Flipping, came: AnswerCame, context: Context
) -> Step[Flipping | turn_over.TurnOver | raising.Raise | ready.Ready]:
    """The computer has chosen its move; the levers may already be right for it."""
    if mode.thinking_ns is None or came.match != mode.play.match:
        return Step(mode)
    # Levers that are right by chance count from now on, not since they were moved.
    play = with_verdict(mode.play, FINE)
    return levers(Flipping(play, computers_answer=came.tiles), context)


def _prompt(mode: Flipping, shared: Shared) -> Text:
    match, answer = mode.play.match, mode.computers_answer
    if mode.thinking_ns is not None:
        return message("Thinking …")
    opens = bool(turns.reopenings(match.rules, match.turn))
    if answer is not None:
        return _computers_prompt(match, answer, shared, opens=opens)
    if opens:
        return message("No move: lift one")
    if mode.play.must_pass:
        return message("Insured: press") if match.rules.insurance else message("No move: press")
    return answers_text(match)


def _computers_prompt(match: Match, answer: Tiles, shared: Shared, *, opens: bool) -> Text:
    """The prompt that asks a hand to move levers for the computer."""
    if not answer:
        return message("No move: press")
    if opens:
        return message("Lift {tiles}", tiles=listed(answer))
    behind = row_behind(match, shared)
    left = to_numbers(answer & ~flipped_tiles(match.turn, shared.levers, behind))
    levers_left = tuple(lever_of(match.turn, tile, behind) for tile in left)
    return message("Flip {tiles}", tiles=listed(levers_left))


def _commit(mode: Flipping, context: Context) -> Step[raising.Raise | ready.Ready]:
    """A move that does not shut the box (that needs no press), a tile opened, or a pass."""
    verdict = mode.play.verdict
    passed = verdict.kind is VerdictKind.OK
    action = Moved(0) if passed else Moved(verdict.move) if verdict.move else Reopened(verdict.tiles[0])
    play, effects = done(mode.play, action)
    return ready.await_throw(play, context).preceded_by(*effects)


def _throw_again(mode: ready.Ready, context: Context) -> Step[rolling.Rolling]:
    return rolling.enter(mode.play, context, plain_dice(mode.play.match))
