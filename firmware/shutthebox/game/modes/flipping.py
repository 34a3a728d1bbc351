"""Flipping: the levers answer the throw on the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.board import Board
from shutthebox.game.effects import Ask, PlaySound, Sound
from shutthebox.game.judge import FINE, VerdictKind
from shutthebox.game.lever_health import suspect_missing
from shutthebox.game.match_screen import turn_screen
from shutthebox.game.messages import Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import TurnMode
from shutthebox.game.play import (
    MatchInPlay,
    apply_and_keep,
    board_of,
    confirm_part,
    is_computers_turn,
    judge_levers,
)
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step, refuse
from shutthebox.game.targets import AfterAction, AnswerThrow, AwaitThrow, RollDice, after
from shutthebox.game.tips import tip
from shutthebox.game.wording import (
    answer_tiles,
    answers_text,
    back_texts,
    bag_texts,
    commit_refusal,
    hint_lines,
    hint_title,
    hinted_answers,
    others_texts,
    request_text,
    to_go_text,
    verdict_text,
)
from shutthebox.odds.options import Advice
from shutthebox.odds.questions import (
    AnswerReady,
    AskAnswer,
    AskHint,
    DiceReady,
    HintReady,
    OddsReady,
    ReviewReady,
)
from shutthebox.odds.strengths import simple_answer
from shutthebox.rules import rows
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Moved, Reopened
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MoveKind
from shutthebox.rules.tiles import Tiles

COMPUTER_THINKS_NS = 6_000_000_000
"""How long the computer may think after its throw; then it shuts the highest tiles that fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Flipping(TurnMode):
    """The levers answer the throw.

    Attributes:
        computers_answer: the tiles the computer shuts, which somebody sets for it; None if a person
            plays, or the computer is still thinking.
        thinking_ns: since when the computer has been thinking; None if it isn't.
        asks_hint: a hint was requested and hasn't arrived.
        hint: the hint on the screen; None for none.
    """

    name: ClassVar[Mode] = Mode.FLIPPING

    computers_answer: Tiles | None = None
    thinking_ns: int | None = None
    asks_hint: bool = False
    hint: Advice | None = None

    @property
    def pointer(self) -> Message | None:
        """The tip, except where nothing is shut, or an answer needs no press."""
        match = self.play.match
        shuts = turns.answers(match.rules, match.turn) and not match.turn.opens
        return message("Flip, then press") if shuts and not match.answers_of_others else None

    def deadline_ns(self, shared: Shared) -> int | None:
        """When the player's clock next changes, or the computer's thinking time is up."""
        if self.play.clock:
            return self.play.clock.next_ns
        return None if self.thinking_ns is None else self.thinking_ns + COMPUTER_THINKS_NS

    def screen(self, shared: Shared) -> Screen:
        """The dice, the tiles that still fit and what to do; or the hint."""
        play = self.play
        if self.hint is not None:
            right = play.verdict.kind is VerdictKind.COMPLETE
            to_do = verdict_text(play.verdict) if right else message("Press: back")
            return Screen(
                self.name,
                title=hint_title(self.hint),
                rows=hint_lines(self.hint, lambda answer: answer_tiles(play.match, answer)),
                cursor=0,
                prompt=to_do,
                also=back_texts(play.match, hinted_answers(self.hint), shared),
                lit=True,
            )
        board, kind, thinks = board_of(play, shared), play.verdict.kind, self.thinking_ns is not None
        lit = kind is VerdictKind.COMPLETE or (kind is VerdictKind.OK and board.must_pass)
        lit = lit or (kind is VerdictKind.MISSING and board.confirm() is not None)
        prompt, also = self._prompts(board, shared)
        screen = turn_screen(
            self.name,
            play,
            shared,
            prompt=prompt,
            also=also,
            dice=play.match.turn.throw or (),
            fits=not thinks,
            lit=lit and not thinks,
        )
        return screen.led_by(message("Working it out…") if self.asks_hint else None)

    def levers(self, context: Context) -> Step[Flipping | AfterAction]:
        """Judges the levers; the computer's move is committed as soon as somebody has set it."""
        before = self.play.verdict
        step = self._judge(context)
        flipping = step.mode
        if not isinstance(flipping, Flipping) or flipping.computers_answer is None:
            return step
        if part := confirm_part(flipping.play, board_of(flipping.play, context.shared)):
            # The rest of the computer's answer is behind the tiles that a hand has shut for it.
            play, effects = judge_levers(part, context, flipping.computers_answer)
            return Step(replace(flipping, play=play), (*step.effects, *effects))
        if flipping.play.verdict.kind is not VerdictKind.COMPLETE or flipping.play.verdict == before:
            return step
        # The computer's next throw waits, so its move never leads to rolling.
        return flipping._commit(context).preceded_by(*step.effects)

    def _judge(self, context: Context) -> Step[Flipping | AfterAction]:
        """Judges the levers; shutting the box needs no press."""
        before = self.play.verdict
        play, effects = judge_levers(self.play, context, self.computers_answer)
        mode = replace(self, play=play, asks_hint=False, hint=None)
        verdict = play.verdict
        if verdict.kind is not VerdictKind.COMPLETE or verdict == before or mode.thinking_ns is not None:
            return Step(mode, effects)
        if verdict.move and not turns.left_open(play.match.rules, play.match.turn, verdict.move):
            # The box is shut: there is nothing left to choose.
            play, more = apply_and_keep(play, Moved(verdict.move))
            return Step(after(play), (*effects, *more))
        if play.match.answers_of_others:
            return mode._commit(context).preceded_by(*effects)
        return Step(mode, (*effects, PlaySound(Sound.COMPLETE)))

    def press(self, context: Context) -> Step[Flipping | AfterAction | RollDice]:
        """Commits a complete move (or a pass) and throws again; refuses anything else, saying why.

        If a hint is showing, the press closes it instead of being refused.
        """
        play, kind, reads = self.play, self.play.verdict.kind, self.hint is not None
        mode, board = replace(self, asks_hint=False, hint=None), board_of(play, context.shared)
        if mode.thinking_ns is not None:
            return refuse(mode, message("Thinking…"))
        if kind is not VerdictKind.COMPLETE and not (kind is VerdictKind.OK and board.must_pass):
            if reads:
                return Step(mode)
            if kind is VerdictKind.MISSING and (part := confirm_part(play, board)):
                return replace(mode, play=part)._judge(context)
            shared = suspect_missing(board, context.shared)
            return refuse(mode, commit_refusal(board, play.verdict, shared))._replace(shared=shared)
        step = mode._commit(context)
        if not isinstance(step.mode, AwaitThrow) or not _throws_at_once(step.mode.play, context):
            return step
        play, effects = judge_levers(step.mode.play, context)
        if play.verdict.kind is not VerdictKind.OK:
            return step
        return Step(RollDice(play, play.match.usual_dice), step.effects + effects)

    def hold(self, context: Context) -> Step[Flipping]:
        """Asks for a hint, if hints are on."""
        if not context.shared.settings.game.hints:
            return refuse(self, message("Hints are off"))
        return Step(replace(self, asks_hint=True, hint=None), (Ask(AskHint(self.play.match)),))

    def time(self, context: Context) -> Step[Flipping | AfterAction]:
        """Advances the player's clock, or lets the computer play without odds if it has thought too long."""
        if self.play.clock:
            return self.tick(context)
        if not self.is_due(context):
            return Step(self)
        match = self.play.match
        answer = simple_answer(match.rules, match.turn)
        return self._answer(answer, context)

    def take_advice(self, advice: OddsReady, context: Context) -> Step[Flipping | AfterAction]:
        """Takes the computer's move, or shows the hint."""
        match advice:
            case AnswerReady(about, tiles) if self.thinking_ns is not None and about == self.play.match:
                return self._answer(tiles, context)
            case HintReady(about, hint) if self.asks_hint and about == self.play.match:
                return self._show_hint(hint)
            case AnswerReady() | HintReady() | DiceReady() | ReviewReady():
                return Step(self)

    def _show_hint(self, hint: Advice | None) -> Step[Flipping]:
        """Shows the hint, unless there are no odds."""
        mode = replace(self, asks_hint=False)
        if hint is None or not hint.options:
            return refuse(mode, message("No hint"))
        return Step(replace(mode, hint=hint))

    def _answer(self, tiles: Tiles, context: Context) -> Step[Flipping | AfterAction]:
        """Takes the computer's move; the levers may already match it."""
        # Levers that are right by chance count from now on, not since they were moved.
        play = self.play._replace(verdict=FINE)
        return Flipping(play, computers_answer=tiles).levers(context)

    def _prompts(self, board: Board, shared: Shared) -> tuple[Text, tuple[Text, ...]]:
        """What to do next, and what else can be done."""
        play = self.play
        if self.thinking_ns is not None:
            return message("Thinking…"), ()
        if self.computers_answer is not None:
            return request_text(board, play.verdict), ()
        pointers = tip(self, shared)
        if play.verdict.kind is VerdictKind.MISSING:
            if part := board.confirm():
                # A press takes the flipped tiles. Their levers then stand for those behind.
                through = part.to_lift << rows.reach(board.rules)
                tiles = back_texts(play.match, (part.to_lift | through,), shared)
                return to_go_text(board), (message("Press: behind"), *tiles)
            return to_go_text(board), pointers
        if board.confirmed.move and play.verdict.kind is VerdictKind.OK:
            return to_go_text(board), pointers
        if play.verdict.kind is VerdictKind.COMPLETE:
            return verdict_text(play.verdict), ()
        hint = (message("Hold: hint"),) if shared.settings.game.hints else ()
        back: tuple[Text, ...] = ()
        if board.rules.move is not MoveKind.SET:  # the task names tiles
            back = back_texts(play.match, board.answers, shared)
        stands = (message("No press: it stands once the levers fit"),) if play.match.answers_of_others else ()
        others = others_texts(play.match, shared)
        return _task(play.match, board), (*pointers, *stands, *others, *bag_texts(play.match), *back, *hint)

    def _commit(self, context: Context) -> Step[AfterAction]:
        """Commits a move, an opened tile, or a pass; shutting the box needs no press."""
        verdict = self.play.verdict
        passed = verdict.kind is VerdictKind.OK
        action = Moved(0) if passed else Moved(verdict.move) if verdict.move else Reopened(verdict.tiles[0])
        play, effects = apply_and_keep(self.play, action)
        return Step(after(play), effects)


def enter(target: AnswerThrow, context: Context) -> Step[Flipping | AfterAction]:
    """Shows the throw; asks for the computer's answer, unless that was already asked for."""
    play = target.play
    if not is_computers_turn(play, context.shared):
        return Flipping(play)._judge(context)
    if target.asked_ns is None:
        asked = Ask(AskAnswer(play.match, context.shared.settings.game.strength))
        return Flipping(play, thinking_ns=context.now_ns).levers(context).preceded_by(asked)
    thinking_ns = target.asked_ns if target.answer is None else None
    return Flipping(play, target.answer, thinking_ns).levers(context)


def _task(match: Match, board: Board) -> Message:
    """What the throw requires."""
    if board.to_open:
        return message("No move: lift one")
    if board.must_pass:
        return message("Insured: press") if match.rules.insurance else message("No move: press")
    return answers_text(match)


def _throws_at_once(play: MatchInPlay, context: Context) -> bool:
    """Whether the press that commits a move also throws again, because there's no choice of dice."""
    match = play.match
    choice = len(match.dice_allowed) > 1
    others = context.shared.settings.real_dice or is_computers_turn(play, context.shared)
    return match.order_of_play.whole_turns and not choice and not others
