"""The match that people play on the virtual Pi."""

from __future__ import annotations

import itertools
from fractions import Fraction

from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.board import read_board
from shutthebox.game.judge import judge
from shutthebox.game.machine import State
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.ready import Ready
from shutthebox.game.modes.turn_over import TurnOver
from shutthebox.game.play import MatchInPlay
from shutthebox.game.settings import Settings
from shutthebox.game.state import Shared
from shutthebox.odds.coach import MatchReview, review
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Moved, Thrown
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.position import Stage
from shutthebox.rules.tiles import Tiles

from .table import LEVERS, Table

CONFIG = f'[game]\nprofile = "pub"\nsetup = "usual"\nplayers = 2\n[box]\nlevers = {LEVERS}\n'
SETTINGS = settings_for(parse_config(CONFIG, "test"), LEVERS, "test")


class Play:
    """One match for two; the table is in attract when it begins, and throws are read off the display."""

    def __init__(self, table: Table, settings: Settings = SETTINGS) -> None:
        self.table = table
        self.match: Match = begin(settings.profile, players=2, rounds=settings.game.rounds)
        self._settings, self._profile = settings, settings.profile
        self._levers: Tiles = 0
        self._press_to_throw = True
        self._turn: list[Action] = []
        self._beginning = self._turns_beginning = self.match
        self._given = [Fraction(0)] * 2
        self._luck = [Fraction(0)] * 2
        # Pictures with a pointer and those without one: a box that was started within the match tells none.
        self._untold = frozenset(Mode)
        table.press()
        self.see()

    def see(self) -> None:
        shown = self._shown(self.match)
        # A box that has just been started may end a turn before it knows the odds.
        without = [shown]
        if isinstance(shown.mode, TurnOver):
            play = shown.mode.play._replace(review=None)
            without = [shown._replace(mode=TurnOver(play))]
        if isinstance(shown.mode, MatchOver):
            # Nor has it seen the beginning of the match, which the coach would need.
            without = [shown._replace(mode=MatchOver(shown.mode.play._replace(beginning=None)))]
        self.table.see([shown, *without])

    def press_for_throw(self) -> None:
        """Has the box throw; it may have done so by itself, with the move before."""
        assert self.match.stage is Stage.THROW
        if self._press_to_throw:
            self.table.press()

    def read_throw(self) -> None:
        """Reads off the glass which throw it is."""
        dice = dice_allowed(self._profile, self.match.turn.open)[0]
        throws = list(itertools.product(range(1, 7), repeat=dice))
        seen = self.table.see([self._shown(self.match.throw(faces), faces) for faces in throws])
        assert seen.match is not None
        self.match = seen.match
        self._untold -= {Mode.READY}
        self._turn.append(Thrown(self.match.turn.throw or ()))

    def throw(self) -> None:
        self.press_for_throw()
        self.read_throw()

    def answer(self) -> None:
        """Flips the first legal move and commits it."""
        before, move = self.match, turns.answers(self._profile, self.match.turn)[0]
        self._levers |= move
        self.table.stand(self._levers)
        self.match = before.move(move)
        self._untold -= {Mode.FLIPPING}
        self._turn.append(Moved(move))
        if self.match.stage is Stage.THROW:
            board = read_board(self._profile, before.turn, self._levers)
            play = self._play(before)._replace(verdict=judge(board), board=board)
            self.table.see([self._shown(before)._replace(mode=Flipping(play))])
            self.table.press()
            # With a choice of dice the box waits for it, else it throws again by itself.
            self._press_to_throw = len(dice_allowed(self._profile, self.match.turn.open)) > 1
            if self._press_to_throw:
                self.see()

    def pass_on(self) -> None:
        """Sees the end of a turn, presses, and raises the levers for the next player."""
        self.see()
        points = self._reviewed(self._turn).players[self.match.player].points
        self._given[self.match.player] += points.given_away
        self._luck[self.match.player] += points.luck
        self._turn.clear()
        self.table.press()
        self.match = self._turns_beginning = self.match.advance()
        if self.match.stage is Stage.THROW:
            self._levers, self._press_to_throw = 0, True
            self.table.stand(0)
        self.see()

    def go_on(self) -> None:
        match self.match.stage:
            case Stage.THROW:
                self.throw()
            case Stage.ANSWER:
                self.answer()
            case Stage.ADVANCE:
                self.pass_on()

    def finish(self) -> None:
        while self.match.stage is not Stage.FINISHED:
            self.go_on()

    def _play(self, match: Match, faces: Throw | None = None) -> MatchInPlay:
        turn = [*self._turn, Thrown(faces)] if faces else self._turn
        over = match.stage is Stage.ADVANCE
        return MatchInPlay(
            match,
            beginning=self._beginning,
            review=self._reviewed(turn) if over else None,
            given_away=tuple(self._given),
            luck=tuple(self._luck),
        )

    def _reviewed(self, turn: list[Action]) -> MatchReview:
        return review(self._turns_beginning, turn, for_win=False)

    def _shown(self, match: Match, faces: Throw | None = None) -> State:
        play = self._play(match, faces)
        modes: dict[Stage, BoxMode] = {
            Stage.THROW: Ready(play, since_ns=0),
            Stage.ANSWER: Flipping(play),
            Stage.ADVANCE: TurnOver(play),
            Stage.FINISHED: MatchOver(play),
        }
        shared = Shared(self._settings, self._levers, touched_ns=0, untold=self._untold)
        return State(shared, modes[match.stage])
