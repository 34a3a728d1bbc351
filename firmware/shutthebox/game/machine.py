"""The box as a machine: gestures and settled levers in, effects out.

It knows no clock: every input carries its time, and `deadline_ns` says when the machine wants
to be told that time has passed. It owns the match; nothing else changes it. Which input does
what in which mode is in the table of `shutthebox.game.modes`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from shutthebox.game.advisor import Advisor, NoAdvisor
from shutthebox.game.button import Gesture
from shutthebox.game.debounce import Health
from shutthebox.game.dice import Dice
from shutthebox.game.effects import Effect, Faulted, Show
from shutthebox.game.judge import VerdictKind
from shutthebox.game.menu import Translate
from shutthebox.game.mode import Mode
from shutthebox.game.modes import TABLE, Input
from shutthebox.game.playing import COMPUTER_NS, TUMBLE_NS
from shutthebox.game.screens import (
    build_screen,
    open_tiles,
)
from shutthebox.game.serving import Serving
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.game.trouble import Trouble
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import Tiles, to_tiles

SUSPECT_NS = 10_000_000_000
"""A lever that has been wrong for so long when somebody presses is taken for stuck, or dead."""


class Machine(Serving):
    """The game on the box.

    Args:
        settings: what the owner has settled.
        words: per language, how a text is translated.
        dice: where throws come from.
        levers: the levers that are down now.
        t_ns: now.
        match: a match to go on with, at its beginning; None to wait for players.
        ledger: per player the stakes owed from earlier matches; negative: to get.
        actions: what has happened in that match since its beginning.
        advisor: knows the odds.
        statistics: gives the lines of the statistics screen.
        trouble: what has gone wrong around the box before it began.
    """

    def __init__(
        self,
        settings: Settings,
        words: Mapping[str, Translate],
        dice: Dice,
        levers: Tiles,
        t_ns: int,
        match: Match | None = None,
        actions: Sequence[Action] = (),
        ledger: Sequence[Fraction] = (),
        advisor: Advisor | None = None,
        statistics: Callable[[Translate], Sequence[str]] = lambda words: (),
        trouble: Trouble | None = None,
    ) -> None:
        state = State(Mode.ATTRACT, levers, ledger=tuple(ledger), trouble=trouble)
        super().__init__(settings, words, dice, state, t_ns, advisor or NoAdvisor(), statistics)
        self._advisor.prepare(settings.game or settings.profile)
        if match is not None:
            self._resume(match, actions)

    @property
    def state(self) -> State:
        """What the machine remembers now."""
        return self._state

    @property
    def settings(self) -> Settings:
        """The settings now, choices made at the box included."""
        return self._settings

    @property
    def deadline_ns(self) -> int | None:
        """When `elapse` next has something to do; None if nothing will happen by itself."""
        state = self._state
        if state.mode is Mode.ROLLING and state.rolled is not None:
            return state.rolled_ns + TUMBLE_NS
        if self._computer_waits:
            return state.ready_ns + COMPUTER_NS
        return None if state.asleep else self._touched_ns + self._settings.sleep_ns

    def warn(self, trouble: Trouble | None) -> list[Effect]:
        """Something has gone wrong around the box, or None: what had is well again."""
        self._set(trouble=trouble)
        return self._finish()

    def start(self) -> list[Effect]:
        """The effects of being switched on."""
        return self._finish()

    def move_levers(self, down: Tiles, t_ns: int) -> list[Effect]:
        """The levers that are down have changed, and stand now as `down` says."""
        changed = down ^ self._state.levers
        if changed and not changed & ~self._ignored:
            # What is out of play neither wakes the box nor chooses anything, however it rattles.
            self._set(levers=down)
            return []
        self._now = self._touched_ns = t_ns
        before, self._state = self._state, replace(self._state, levers=down)
        if before.asleep:
            self._wake()
        else:
            self._seen()
        self._set(notice="", hint=())
        self._set(stuck=self._state.stuck & ~changed, dead=self._state.dead & ~changed)
        self._flipped, self._lifted = down & ~before.levers, before.levers & ~down
        self._dispatch(Input.LEVERS)
        return self._finish()

    def gesture(self, gesture: Gesture, t_ns: int) -> list[Effect]:
        """The button has been pressed or held."""
        self._now = self._touched_ns = t_ns
        if self._state.asleep:
            self._wake()
            return self._finish()
        self._seen()
        self._set(notice="", hint=())
        if gesture is Gesture.PRESS:
            self._suspect()
        if gesture is Gesture.LONG_HOLD:
            self._set(offering=(self._state.mode, Input.ABANDON) in TABLE)
        elif self._state.offering:
            self._set(offering=False)
            if gesture is Gesture.PRESS:
                self._dispatch(Input.ABANDON)
        else:
            self._dispatch(Input.PRESS if gesture is Gesture.PRESS else Input.HOLD)
        return self._finish()

    def elapse(self, t_ns: int) -> list[Effect]:
        """Time has passed; to be called when `deadline_ns` is reached, and harmless at any time."""
        self._now = t_ns
        deadline = self.deadline_ns
        if deadline is None or t_ns < deadline:
            return []
        sleeps = self._touched_ns + self._settings.sleep_ns
        if t_ns >= sleeps and (self._state.mode is not Mode.ROLLING or self._state.rolled is None):
            self._set(asleep=True, notice="", offering=False)
        self._dispatch(Input.TIME)
        return self._finish()

    def service(self, t_ns: int) -> list[Effect]:
        """The owner's button inside the box has been pressed."""
        self._now = self._touched_ns = t_ns
        if self._state.asleep:
            self._wake()
            return self._finish()
        self._set(notice="", hint=(), offering=False)
        if (self._state.mode, Input.SERVICE) in TABLE:
            self._dispatch(Input.SERVICE)
        else:
            self._refuse(self._words("Not during a match"))
        return self._finish()

    def feel(self, health: Mapping[int, Health], t_ns: int) -> list[Effect]:
        """What the contacts have done until now, lever by lever."""
        before = self._state.health
        if health == before:
            return []
        self._set(health=health)
        restless = {lever for lever, found in health.items() if found.restless}
        rested = {lever for lever, found in before.items() if found.restless}
        if self._state.mode is not Mode.SERVICE and restless == rested:
            return []
        self._now = t_ns
        for lever in sorted(restless - rested):
            self._record(Faulted("lever", f"switch {lever} chatters without a rest"))
        return self._finish()

    @property
    def _ignored(self) -> Tiles:
        """The levers that are out of play, except in service and in a match begun with them."""
        state = self._state
        if state.mode is Mode.SERVICE:
            return 0
        return self._settings.out & ~(state.match.profile.starting if state.match else 0)

    def _suspect(self) -> None:
        """Who presses while one or two levers have long been wrong can do nothing about them."""
        verdict = self._state.verdict
        if verdict.kind not in (VerdictKind.LIFT, VerdictKind.PUT_BACK) or len(verdict.tiles) > 2:
            return
        if self._now - self._state.wrong_ns >= SUSPECT_NS:
            wrong, down = to_tiles(verdict.tiles), self._state.levers
            self._set(stuck=self._state.stuck | wrong & down, dead=self._state.dead | wrong & ~down)

    def _seen(self) -> None:
        """Who touches the box in attract has seen what is said there."""
        if self._state.mode is Mode.ATTRACT:
            self._set(trouble=None)

    def _dispatch(self, given: Input) -> None:
        before = self._state.mode
        row = TABLE.get((before, given))
        if row is None:
            return
        handler, targets = row
        method: Callable[[], None] = getattr(self, f"_{handler}")
        method()
        after = self._state.mode
        assert after is before or after in targets, f"{before} leads to {after} on {given}, not in the table"

    def _finish(self) -> list[Effect]:
        state = self._state
        match = state.match
        self._effects.append(
            Show(
                screen=build_screen(state, self._settings, self._words),
                t_ns=self._now,
                mode=state.mode,
                player=match.player + 1 if match else None,
                open=open_tiles(match),
                throw=match.turn.throw if match and state.mode is not Mode.ROLLING else None,
                verdict=str(state.verdict),
                scores=match.scores if match else (),
                totals=match.totals if match else (),
                owes=state.ledger,
                winners=tuple(i + 1 for i in match.result.winners) if match and match.result else (),
                asleep=state.asleep,
            )
        )
        effects, self._effects = self._effects, []
        return effects
