"""Puzzle: a position and a throw to answer with the levers. Only the day's first answer counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.board import read_board
from shutthebox.game.daily import Daily
from shutthebox.game.effects import Effect, PlaySound, Sound
from shutthebox.game.judge import FINE, Verdict, VerdictKind, is_setback, judge
from shutthebox.game.messages import Message, Numbers, message, title_text
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.targets import BackToAttract, OpenPuzzle
from shutthebox.game.wording import answer_line, verdict_text
from shutthebox.odds.puzzles import Puzzle
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.rules.turn import Turn


@dataclass(frozen=True, slots=True, eq=False)
class PuzzleMode(BoxMode):
    """The puzzle of the day.

    Attributes:
        daily: the puzzle and its day.
        verdict: the judgement of the levers.
        is_set: the levers have matched the row once, so anything flipped since is an answer.
        answer: the answer just given; None before, and when looking at the puzzle again.
    """

    name: ClassVar[Mode] = Mode.PUZZLE

    daily: Daily
    verdict: Verdict = FINE
    is_set: bool = False
    answer: Tiles | None = None

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of the day, which the box shows."""
        return self.daily.puzzle

    @property
    def turn(self) -> Turn:
        """The puzzle's position, with its throw on the table."""
        return self.daily.puzzle.turn

    @property
    def game(self) -> Profile:
        """The game of the puzzle."""
        return self.daily.puzzle.game

    def is_answered(self, settings: Settings) -> bool:
        """Whether this day's puzzle has been answered."""
        return settings.streak.day == self.daily.day

    def screen(self, shared: Shared) -> Screen:
        """The position with its throw, or the cost of every answer."""
        if self.is_answered(shared.settings):
            return self._answered_screen(shared)
        puzzle, verdict = self.daily.puzzle, self.verdict
        return Screen(
            self.name,
            title=message("Puzzle"),
            aside=title_text(self.game, shared.settings.box.language),
            dice=puzzle.throw,
            total=sum(puzzle.throw),
            tiles=self._row(),
            alert=verdict_text(verdict) if _is_wrong(verdict) else "",
            prompt=self._task(),
            also=(message("Hold: back"),),
            lit=verdict.kind is VerdictKind.COMPLETE,
        )

    def levers(self, context: Context) -> Step[PuzzleMode]:
        """Judges the levers as the answer to the throw."""
        return self._judge(context)

    def press(self, context: Context) -> Step[PuzzleMode | BackToAttract]:
        """Takes a complete answer, the only one of the day; after that, leaves."""
        if self.is_answered(context.shared.settings):
            return Step(BackToAttract())
        if self.verdict.kind is not VerdictKind.COMPLETE:
            return refuse(self, verdict_text(self.verdict) if _is_wrong(self.verdict) else self._task())
        # An answer that ties for the best is right.
        best = {answer.choice for answer in self.daily.puzzle.answers if not answer.cost}
        solved = self.verdict.move in best
        streak = context.shared.settings.streak.after(self.daily.day, solved=solved)
        shared = context.shared._replace(own_settings=context.shared.settings._replace(streak=streak))
        effects = (*keep(streak), PlaySound(Sound.WIN if solved else Sound.BLOCKED))
        return Step(replace(self, answer=self.verdict.move), effects, shared)

    def hold(self, context: Context) -> Step[BackToAttract]:
        """Leaves the puzzle; an answer is kept."""
        return self.leave(context)

    def _answered_screen(self, shared: Shared) -> Screen:
        """Shows the cost of every answer, with the player's highlighted, and the streak."""
        puzzle, streak = self.daily.puzzle, shared.settings.streak
        tiles = [answer.choice for answer in puzzle.answers]
        title = message("Solved!") if streak.days else message("Not the best")
        return Screen(
            self.name,
            title=title,
            aside=message("{count} in a row", count=streak.days) if streak.days > 1 else "",
            rows=tuple(answer_line(answer.choice, answer.cost) for answer in puzzle.answers),
            cursor=tiles.index(self.answer) if self.answer else 0,
            prompt=message("Press: leave"),
            also=(message("Next: tomorrow"),),
            lit=True,
            celebrates=bool(streak.days and self.answer),
        )

    def _judge(self, context: Context) -> Step[PuzzleMode]:
        if self.is_answered(context.shared.settings):
            return Step(self)
        levers = context.shared.levers
        is_set = self.is_set
        if not is_set:
            # Levers are put right before the throw counts, as in a turn.
            unthrown = judge(read_board(self.game, self.turn._replace(throw=None), levers))
            is_set = unthrown == FINE
        verdict = judge(read_board(self.game, self.turn, levers)) if is_set else unthrown
        sounds: tuple[Effect, ...] = ()
        if _is_wrong(verdict) and is_setback(verdict, self.verdict, context.moved, levers):
            sounds = (PlaySound(Sound.FAULT),)
        elif verdict != self.verdict and verdict.kind is VerdictKind.COMPLETE:
            sounds = (PlaySound(Sound.COMPLETE),)
        return Step(replace(self, verdict=verdict, is_set=is_set), sounds)

    def _task(self) -> Message:
        """What to do next."""
        match self.verdict.kind:
            case VerdictKind.PUT_BACK:
                return message("Flip {tiles}", tiles=Numbers(self.verdict.tiles))
            case VerdictKind.COMPLETE:
                return message("Press: answer")
            case VerdictKind.MISSING:
                return verdict_text(self.verdict)
            case VerdictKind.LIFT if not self.is_set:
                return Message("")  # the levers come first
            case _:
                return message("Best answer?")

    def _row(self) -> tuple[tuple[int, TileState], ...]:
        """The tiles as the puzzle and the levers have them. None blink, which would be a hint."""
        verdict, open_tiles = self.verdict, self.daily.puzzle.open
        wrong = to_tiles(verdict.tiles)
        if verdict.kind in (VerdictKind.OVER, VerdictKind.DEAD_END):
            wrong = verdict.move

        def state_of(tile: Tiles) -> TileState:
            if tile & wrong:
                return TileState.WRONG
            if not tile & open_tiles:
                return TileState.SHUT
            return TileState.FLIPPED if tile & verdict.move else TileState.OPEN

        return tuple((number, state_of(to_tiles([number]))) for number in self.game.tiles)


def enter(target: OpenPuzzle, context: Context) -> Step[PuzzleMode]:
    """Opens today's puzzle; if it has been answered, shows the answers with their costs."""
    return PuzzleMode(target.daily)._judge(context)


def _is_wrong(verdict: Verdict) -> bool:
    """Whether the levers can't be an answer. Levers still up while the row is being set aren't a fault."""
    return verdict.is_fault and verdict.kind is not VerdictKind.PUT_BACK
