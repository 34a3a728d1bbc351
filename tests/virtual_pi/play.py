"""Two people who play a match at the table, and keep the score on paper as well."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

from shutthebox.config import parse
from shutthebox.game.judge import judge
from shutthebox.game.mode import Mode
from shutthebox.game.state import State
from shutthebox.odds.advice import Step, account
from shutthebox.odds.book import Odds
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.tiles import Tiles
from shutthebox.usual import settings_for

from .table import LEVERS, Table

CONFIG = f'[game]\nprofile = "pub"\nsetup = "usual"\nplayers = 2\n[box]\nlevers = {LEVERS}\n'
SETTINGS = settings_for(parse(CONFIG, "test"), LEVERS, "test")
PROFILE = SETTINGS.profile


class Play:
    """One match. What the box has thrown is read off the glass; all else is known beforehand."""

    def __init__(self, table: Table) -> None:
        """Wakes the box and begins."""
        self.table = table
        self.match: Match = begin(PROFILE, players=2)
        self._levers: Tiles = 0
        self._press_to_throw = True
        self._odds = Odds(PROFILE)
        self._steps: list[Step] = []
        self._given = [Fraction(0)] * 2
        self._luck = [Fraction(0)] * 2
        table.press()
        self.see()

    def see(self) -> None:
        """The glass shows the position that is on paper."""
        shown = self._shown(self.match)
        # A box that has just been started may end a turn before it knows the odds.
        self.table.look_for([shown, replace(shown, account=None)])

    def press_for_throw(self) -> None:
        """Has the box throw; it may have done so by itself, with the move before."""
        assert self.match.stage is Stage.THROW
        if self._press_to_throw:
            self.table.press()

    def read_throw(self) -> None:
        """Reads off the glass which throw it is."""
        dice = dice_allowed(PROFILE, self.match.turn.open)[0]
        throws = list(itertools.product(range(1, 7), repeat=dice))
        seen = self.table.look_for([self._shown(self.match.throw(faces), faces) for faces in throws])
        assert seen.match is not None
        self.match = seen.match
        self._steps.append(Step(self.match.turn.throw or ()))

    def throw(self) -> None:
        """Presses, and reads off the glass what was thrown."""
        self.press_for_throw()
        self.read_throw()

    def answer(self) -> None:
        """Flips the first legal move and commits it."""
        before, move = self.match, turns.answers(PROFILE, self.match.turn)[0]
        self._levers |= move
        self.table.set_levers(self._levers)
        self.match = before.move(move)
        self._steps[-1] = Step(self._steps[-1].faces, move)
        if self.match.stage is Stage.THROW:
            verdict = judge(PROFILE, before.turn, self._levers)
            self.table.look_for([replace(self._shown(before), verdict=verdict)])
            self.table.press()
            # With a choice of dice the box waits for it, else it throws again by itself.
            self._press_to_throw = len(dice_allowed(PROFILE, self.match.turn.open)) > 1
            if self._press_to_throw:
                self.see()

    def pass_on(self) -> None:
        """Sees the end of a turn, presses, and raises the levers for the next player."""
        self.see()
        made = account(self._odds, self._steps)
        self._given[self.match.player] += made.given_away
        self._luck[self.match.player] += made.luck
        self._steps.clear()
        self.table.press()
        self.match = self.match.advance()
        if self.match.stage is Stage.THROW:
            self._levers, self._press_to_throw = 0, True
            self.table.set_levers(0)
        self.see()

    def go_on(self) -> None:
        """Whatever comes next."""
        match self.match.stage:
            case Stage.THROW:
                self.throw()
            case Stage.ANSWER:
                self.answer()
            case Stage.ADVANCE:
                self.pass_on()

    def finish(self) -> None:
        """To the winner on the glass."""
        while self.match.stage is not Stage.FINISHED:
            self.go_on()

    def _shown(self, match: Match, faces: Throw | None = None) -> State:
        """The state of the box in this position."""
        modes = {Stage.ANSWER: Mode.FLIPPING, Stage.ADVANCE: Mode.TURN_OVER, Stage.FINISHED: Mode.MATCH_OVER}
        steps = [*self._steps, Step(faces)] if faces else self._steps
        over = match.stage is Stage.ADVANCE
        return State(
            modes.get(match.stage, Mode.READY),
            self._levers,
            match,
            ledger=match.result.owes if match.result else (),
            account=account(self._odds, steps) if over else None,
            given_away=tuple(self._given),
            luck=tuple(self._luck),
        )
