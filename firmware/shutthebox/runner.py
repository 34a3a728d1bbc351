"""The loop: edges in, through the debouncer and the machine, effects out to the world.

`Runner` is the loop's body and knows no thread and no real clock, so that a scenario can drive
it in virtual time; `loop` turns it on the real one. Everything here runs in the main thread.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Protocol, TypeAlias

from shutthebox.config import Config
from shutthebox.game.advisor import Advisor
from shutthebox.game.button import Button
from shutthebox.game.debounce import ROLL_BUTTON, SERVICE_BUTTON, Debouncer, SwitchChanged
from shutthebox.game.dice import Dice
from shutthebox.game.effects import (
    Effect,
    Faulted,
    Left,
    Play,
    Record,
    Show,
    Sound,
)
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings
from shutthebox.game.trouble import Trouble
from shutthebox.i18n import translations
from shutthebox.keeper import Counts, Keeper, Reopen
from shutthebox.platform.gpio import Edge, Pins
from shutthebox.platform.store import Store, StoreError
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import to_tiles

_log = logging.getLogger(__name__)

RECONCILE_NS = 1_000_000_000
"""How often all levels are read again, because kernels lose edges."""

_PRESS_DOES_SOMETHING = (Mode.ATTRACT, Mode.READY, Mode.TURN_OVER, Mode.MATCH_OVER, Mode.SERVICE)

Observer: TypeAlias = Callable[[Effect | SwitchChanged, int], None]
"""Told of every effect and settled switch after it has happened, with the time in ns."""


class Display(Protocol):
    """What the runner needs of a display; never blocks."""

    def show(self, screen: Screen, t_ns: int) -> None:
        """Shows this screen; animations count from `t_ns`."""

    def sleep(self) -> None:
        """Goes dark until the next screen."""


class Buzzer(Protocol):
    """What the runner needs of a buzzer; never blocks."""

    def play(self, sound: Sound) -> None:
        """Starts this sound."""


class Runner:
    """One box at work.

    Args:
        config: settle windows.
        settings: the machine's settings.
        pins: opened by the caller, whose edges it passes to `take`.
        dice: where throws come from.
        store: the box's memory; None to forget.
        display: None to play blind.
        buzzer: None for silence.
        clock_ns: the monotonic time in ns.
        observers: told of everything.
        advisor: knows the odds; None for a box without hints.
        trouble: what went wrong before, for the players.
        reopen: tries to get a store where there is none, at the beginning of a match.
    """

    def __init__(
        self,
        config: Config,
        settings: Settings,
        pins: Pins,
        dice: Dice,
        store: Store | None,
        display: Display | None,
        buzzer: Buzzer | None,
        clock_ns: Callable[[], int],
        observers: Sequence[Observer] = (),
        advisor: Advisor | None = None,
        trouble: Trouble | None = None,
        reopen: Reopen = lambda: (None, None),
    ) -> None:
        self._pins, self._display, self._buzzer = pins, display, buzzer
        self._observers = tuple(observers)
        now = clock_ns()
        active = pins.active()
        settle = {switch: config.box.settle_ns(switch) for switch in active}
        self._debouncer = Debouncer(settle, active, now)
        self._button = Button()
        self._down = {switch for switch, down in active.items() if down and switch > 0}
        self._reconcile_ns = now + RECONCILE_NS
        self._presses: Counter[int] = Counter()
        self.keeper = Keeper(store, reopen, self._counted, forgetting=trouble is Trouble.FORGETS)
        match, actions = self._kept_match(settings.levers, now)
        self.machine = Machine(
            settings,
            translations(),
            dice,
            to_tiles(self._down),
            now,
            match=match,
            actions=actions,
            ledger=self.keeper.ledger(),
            advisor=advisor,
            statistics=self.keeper.statistics,
            trouble=trouble,
        )
        self._carry_out(self.machine.start(), now)

    def _kept_match(self, levers: int, now_ns: int) -> tuple[Match | None, Sequence[Action]]:
        """The match to go on with. One that cannot be gone on with must not keep the box from playing."""
        try:
            return self.keeper.running_match(levers)
        except StoreError as error:
            _log.error("the last match is not gone on with: %s", error)
            self.keeper.keep(Faulted("store", f"the last match is not gone on with: {error}"))
            self.keeper.keep(Left())
            self._tell(Record(Left()), now_ns)
            return None, ()

    @property
    def deadline_ns(self) -> int:
        """When `pass_time` is due, if no edge comes before."""
        due = self._reconcile_ns
        for deadline in (self._debouncer.deadline_ns, self._button.deadline_ns, self.machine.deadline_ns):
            if deadline is not None and deadline < due:
                due = deadline
        return due

    @property
    def chatter(self) -> Mapping[int, int]:
        """Per switch, how many edges fell into settle windows."""
        return self._debouncer.chatter

    @property
    def presses(self) -> Mapping[int, int]:
        """Per switch, how often it was pressed or flipped down."""
        return self._presses

    def take(self, edge: Edge) -> None:
        """An edge has come; call `pass_time` when no more are waiting."""
        self._switched(self._debouncer.edge(edge.switch, edge.active, edge.t_ns))

    def pass_time(self, now_ns: int) -> None:
        """Does what is due until now."""
        if now_ns >= self._reconcile_ns:
            self._reconcile_ns = now_ns + RECONCILE_NS
            self._switched(self._debouncer.reconcile(self._pins.active(), now_ns))
            self.keeper.catch_up()
            self._carry_out([], now_ns)
            self._feel(now_ns)
        self._switched(self._debouncer.settle(now_ns))
        self._catch_up(now_ns)

    def _catch_up(self, now_ns: int) -> None:
        """Deadlines of the button and the machine, before anything later happens."""
        while (gesture := self._button.elapsed(now_ns)) is not None:
            self._carry_out(self.machine.gesture(gesture, now_ns), now_ns)
        self._carry_out(self.machine.elapse(now_ns), now_ns)

    def _switched(self, events: Iterable[SwitchChanged]) -> None:
        waiting: SwitchChanged | None = None
        for event in events:
            # Levers that settled at the same moment were moved together and are judged together.
            if waiting and (waiting.t_ns != event.t_ns or event.switch <= 0):
                self._levers_moved(waiting.t_ns)
                waiting = None
            self._catch_up(event.t_ns)
            self._tell(event, event.t_ns)
            self._presses[event.switch] += event.active
            if event.switch == ROLL_BUTTON:
                gesture = self._button.changed(event.active, event.t_ns)
                if gesture is not None:
                    self._carry_out(self.machine.gesture(gesture, event.t_ns), event.t_ns)
            elif event.switch == SERVICE_BUTTON:
                if event.active:
                    self._carry_out(self.machine.service(event.t_ns), event.t_ns)
            else:
                (self._down.add if event.active else self._down.discard)(event.switch)
                waiting = event
        if waiting:
            self._levers_moved(waiting.t_ns)

    def _levers_moved(self, t_ns: int) -> None:
        self._carry_out(self.machine.move_levers(to_tiles(self._down), t_ns), t_ns)
        if self.machine.state.mode is Mode.SERVICE:
            self._feel(t_ns)

    def _feel(self, t_ns: int) -> None:
        self._carry_out(self.machine.feel(self._debouncer.health(t_ns), t_ns), t_ns)

    def _carry_out(self, effects: Iterable[Effect], t_ns: int) -> None:
        for effect in effects:
            match effect:
                case Record(fact):
                    self.keeper.keep(fact)
                case Show():
                    self._show(effect)
                case Play(sound):
                    if self._buzzer is not None:
                        self._buzzer.play(sound)
            self._tell(effect, t_ns)
        while self.keeper.news:
            self._carry_out(self.machine.warn(self.keeper.news.pop(0)), t_ns)

    def close(self) -> None:
        """Closes the store."""
        self.keeper.close()

    def _counted(self) -> Counts:
        return self._presses, self._debouncer.chatter

    def _show(self, show: Show) -> None:
        self._pins.light(1.0 if show.mode in _PRESS_DOES_SOMETHING and show.verdict == "ok" else 0.0)
        if self._display is not None:
            if show.asleep:
                self._display.sleep()
            else:
                self._display.show(show.screen, show.t_ns)

    def _tell(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        for observer in self._observers:
            observer(what, t_ns)


def loop(
    runner: Runner,
    inbox: "SimpleQueue[Edge | None]",
    clock_ns: Callable[[], int],
    beat: Callable[[], None] = lambda: None,
) -> None:
    """Turns the runner until None is in the inbox.

    Args:
        runner: to turn.
        inbox: edges from the pins' thread; None ends the loop, from any thread or signal handler.
        clock_ns: the monotonic time in ns.
        beat: called at least once a second, for a watchdog.
    """
    while True:
        wait_s = max(0, runner.deadline_ns - clock_ns()) / 1_000_000_000
        try:
            edge = inbox.get(timeout=wait_s) if wait_s else inbox.get_nowait()
        except Empty:
            pass
        else:
            if edge is None:
                return
            # A stamp on another clock would be taken for an edge to come, which never settles.
            t_ns = min(edge.t_ns, clock_ns())
            runner.take(replace(edge, t_ns=t_ns))
            if not inbox.empty():
                # What waits came before now. But a contact that never rests must not hold up all else.
                if t_ns >= runner.deadline_ns:
                    runner.pass_time(t_ns)
                    beat()
                continue
        runner.pass_time(clock_ns())
        beat()
