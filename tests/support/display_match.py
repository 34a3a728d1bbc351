"""A match for two on any box with a display: its throws are read off the display.

A test brings `Hands`: on a page, or on the lines of a virtual Pi. Every picture of the panel is known
beforehand, but for the throws.
"""

import itertools
from fractions import Fraction
from typing import Protocol

from shutthebox.adapters.display.layout import draw
from shutthebox.game.judge import judge
from shutthebox.game.machine import State
from shutthebox.game.mode import Mode
from shutthebox.game.modes.attract import Attract
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.ready import Ready
from shutthebox.game.modes.turn_over import TurnOver
from shutthebox.game.play import MatchInPlay
from shutthebox.game.pointers import POINTERS
from shutthebox.game.settings import Settings
from shutthebox.game.state import Shared
from shutthebox.game.table import ModeState
from shutthebox.odds.coach import MatchReview, review
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Moved, Thrown
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.tiles import Tiles
from shutthebox.translations import translations


def attract(settings: Settings) -> State:
    """A box that nobody plays at."""
    return State(Shared(settings, 0, 0), Attract())


class Hands(Protocol):
    """Hands and eyes in front of a box."""

    def press(self) -> None:
        """Presses the button for a moment."""

    def stand(self, down: Tiles) -> None:
        """Moves those levers that are not yet as wanted."""

    def see(self, states: list[State]) -> State:
        """Waits until the panel shows one of these states, and says which; fails if it never does."""


def pictures(state: State, every: int = 5) -> set[bytes]:
    """The pictures of a state, phase by phase; in attract every so many tenths of a second, and 1 for all."""
    screen = state.mode.screen(state.shared).told(translations()[state.shared.settings.language])
    # In attract the words drift for minutes, so that nothing burns in.
    phases = range(0, 3000, every) if screen.mode is Mode.ATTRACT else (*range(20), *range(60, 80))
    return {draw(screen, phase * 100_000_000).tobytes() for phase in phases}


class DisplayMatch:
    """One match of the usual game for two, in attract when it is made."""

    def __init__(self, hands: Hands, settings: Settings, *, is_new: bool = False) -> None:
        """Begins with a press; on a new box the players are shown the way."""
        self.hands = hands
        self.match: Match = begin(settings.profile, players=2, rounds=settings.rounds)
        self._settings, self._profile = settings, settings.profile
        self._levers: Tiles = 0
        self._press_to_throw = True
        self._turn: list[Action] = []
        self._beginning = self._turns_beginning = self.match
        self._given = [Fraction(0)] * 2
        self._luck = [Fraction(0)] * 2
        self._untold = frozenset(POINTERS if is_new else ())
        hands.press()
        self.see()

    def see(self) -> None:
        """Waits until the display shows the present position."""
        self.hands.see([self.shown()])

    def press_for_throw(self) -> None:
        """Has the box throw; it may have done so by itself, with the move before."""
        assert self.match.stage is Stage.THROW
        if self._press_to_throw:
            self.hands.press()

    def read_throw(self) -> None:
        """Reads off the glass which throw it is."""
        dice = dice_allowed(self._profile, self.match.turn.open)[0]
        throws = list(itertools.product(range(1, 7), repeat=dice))
        seen = self.hands.see([self._shown(self.match.throw(faces), faces) for faces in throws])
        assert seen.match is not None
        self.match = seen.match
        self._untold -= {Mode.READY}
        self._turn.append(Thrown(self.match.turn.throw or ()))

    def throw(self) -> None:
        """Presses, and reads off the glass what was thrown."""
        self.press_for_throw()
        self.read_throw()

    def answer(self) -> None:
        """Flips the first legal move and commits it."""
        before, move = self.match, turns.answers(self._profile, self.match.turn)[0]
        self._levers |= move
        self.hands.stand(self._levers)
        self.match = before.move(move)
        self._untold -= {Mode.FLIPPING}
        self._turn.append(Moved(move))
        if self.match.stage is Stage.THROW:
            verdict = judge(self._profile, before.turn, self._levers)
            play = self._play(before)._replace(verdict=verdict)
            self.hands.see([self._shown(before)._replace(mode=Flipping(play))])
            self.hands.press()
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
        self.hands.press()
        self.match = self._turns_beginning = self.match.advance()
        if self.match.stage is Stage.THROW:
            self._levers, self._press_to_throw = 0, True
            self.hands.stand(0)
        self.see()

    def go_on(self) -> None:
        """The next step, of any kind."""
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

    def shown(self) -> State:
        """The state that the box should have."""
        return self._shown(self.match)

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
        modes: dict[Stage, ModeState] = {
            Stage.THROW: Ready(play, since_ns=0),
            Stage.ANSWER: Flipping(play),
            Stage.ADVANCE: TurnOver(play),
            Stage.FINISHED: MatchOver(play),
        }
        shared = Shared(self._settings, self._levers, touched_ns=0, untold=self._untold)
        return State(shared, modes[match.stage])
