"""The loop: edges go in, through the switch stage and the machine, and effects come out.

`Runner` is the loop's body. It has no thread and no clock, so scenarios can run it in virtual time; `loop`
runs it in real time. Everything here runs in the main thread.
"""

from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeAlias, assert_never

from shutthebox.adapters.gpio import Edge
from shutthebox.game.dice import Dice
from shutthebox.game.effects import Ask, AskLink, AskStick, Effect, Keep, PlaySound, Show
from shutthebox.game.facts import Finished, PlayersLeft
from shutthebox.game.faults import Fault
from shutthebox.game.inputs import (
    DeliveryReported,
    FaultReported,
    FormInput,
    Input,
    LinkReported,
    MemoryRead,
    StickReported,
    TimePassed,
)
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.settings import Brightness, Settings
from shutthebox.game.stored_match import KeptMatch, NoMatch, Unread
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import switch
from shutthebox.game.switches.switches import Switches, TimedInput
from shutthebox.link.messages import Decline, Invite
from shutthebox.link.requests import (
    EnterRoom,
    Leave,
    LinkRequest,
    NotPaired,
    OpenRoom,
    Rejoin,
    Send,
    WhyNotPaired,
)
from shutthebox.odds.questions import OddsReady, answer_without_odds
from shutthebox.runtime.ports import LinkPort, Ports
from shutthebox.translations import localize_screen

CELEBRATION_NS = 1_000_000_000
"""How long the lamp celebrates, in ns; it changes every `LAMP_BLINK_NS`."""

LAMP_BLINK_NS = 100_000_000

RECONCILE_NS = 1_000_000_000
"""How often all levels are read again, because kernels lose edges."""


class Errand(NamedTuple):
    """Something for the main thread to do."""

    run: Callable[[], None]


Mail: TypeAlias = Edge | OddsReady | FormInput | StickReported | LinkReported | Errand | None
"""A message to the loop from another thread; None ends it."""


class Runner:
    """One box at work.

    Args:
        settings: the machine's settings.
        settle_ns: the settle window of each switch.
        ports: the outside world.
        dice: where throws come from.
        now_ns: the time, on the clock of all later calls.
        fault: a fault found before startup, for the players.
        notices: further lines of text for the owner.
        is_new: no match has been finished on this box yet, so its players get tips.

    Example:
        See `shutthebox.simulator.virtual_box.VirtualBox`, which runs it in virtual time:

        >>> from shutthebox.config.schema import Config
        >>> from shutthebox.simulator.virtual_box import VirtualBox
        >>> box = VirtualBox(Config())
        >>> box.press(100_000_000)
        >>> box.run_until(1_000_000_000)
        >>> box.runner.machine.state.mode.name.value
        'setup'
        >>> box.close()
    """

    def __init__(
        self,
        settings: Settings,
        settle_ns: Callable[[int], int],
        ports: Ports,
        dice: Dice,
        now_ns: int,
        *,
        fault: Fault | None = None,
        notices: Sequence[str] = (),
        is_new: bool = False,
    ) -> None:
        self._ports = ports
        active = ports.pins.active()
        self.switches = Switches({switch: settle_ns(switch) for switch in active}, active, now_ns)
        self._reconcile_ns = now_ns + RECONCILE_NS
        self._celebrated = False
        self._blinks: list[int] = []
        self._brightness: Brightness | None = None
        self._shown: Show | None = None
        self._moves_since_ns = now_ns
        stored = ports.memory.running_match(settings.levers)
        self._is_memory_read = not isinstance(stored, Unread)
        self._owes_leave = False
        self.machine = Machine(
            settings,
            dice,
            self.switches.levers,
            now_ns,
            stored=stored,
            lookups=ports.lookups,
            is_new=is_new,
            fault=fault,
            notices=notices,
        )
        self._carry_out(self.machine.start(), now_ns)

    @property
    def deadline_ns(self) -> int:
        """When `pass_time` is due, if nothing arrives before."""
        deadlines = (self.switches.deadline_ns, self.machine.deadline_ns, *self._blinks[:1])
        return min((self._reconcile_ns, *(deadline for deadline in deadlines if deadline is not None)))

    def take(
        self, mail: Edge | OddsReady | FormInput | StickReported | LinkReported | Errand, now_ns: int
    ) -> None:
        """Takes one message. Call `pass_time` once the inbox is empty."""
        match mail:
            case Edge(number, active, t_ns):
                self._handle_inputs(self.switches.edge(number, active, t_ns))
            case Errand(run):
                run()
            case _:
                self._step(mail, now_ns)

    def pass_time(self, now_ns: int) -> None:
        """Does what is due: reads the pins again, stores facts, tells the machine the time."""
        if now_ns >= self._reconcile_ns:
            self._reconcile_ns = now_ns + RECONCILE_NS
            self._handle_inputs(self.switches.reconcile(self._ports.pins.active(), now_ns))
            self._ports.memory.catch_up()
            self._read_memory(now_ns)
            self._leave_if_safe()
            for chore in self._ports.chores:
                chore()
            self._carry_out((), now_ns)
            self._step(self.switches.health(now_ns), now_ns)
            if self._ports.undelivered is not None:
                self._step(DeliveryReported(self._ports.undelivered()), now_ns)
        while self._blinks and now_ns >= self._blinks[0]:
            del self._blinks[0]
            self._ports.pins.light(1.0 if len(self._blinks) % 2 == 0 else 0.0)
        self._handle_inputs(self.switches.elapsed(now_ns))
        self._step(TimePassed(), now_ns)

    def _read_memory(self, now_ns: int) -> None:
        """Asks a memory that couldn't be read at the start, until a match in it has been resumed."""
        if self._is_memory_read:
            return
        stored = self._ports.memory.running_match(self.machine.settings.levers)
        match stored:
            case Unread():
                return
            case KeptMatch() | NoMatch():
                self._is_memory_read = isinstance(stored, NoMatch)
                self._step(MemoryRead(stored), now_ns)
            case _:
                assert_never(stored)

    def close(self) -> None:
        """Stores the switches' counts and closes the memory."""
        self._keep_counts()
        self._ports.memory.close()

    def _handle_inputs(self, inputs: Iterable[TimedInput]) -> None:
        for given, t_ns, settled in inputs:
            # The machine's own deadlines come before anything that happened later.
            self._step(TimePassed(), t_ns)
            for change in settled:
                self._tell(change, change.t_ns)
            if given is not None:
                self._step(given, t_ns)
            if settled and self.machine.state.mode.name is Mode.SERVICE:
                self._step(self.switches.health(t_ns), t_ns)

    def _step(self, given: Input, t_ns: int) -> None:
        self._carry_out(self.machine.step(given, t_ns), t_ns)

    def _carry_out(self, effects: Iterable[Effect], t_ns: int) -> None:
        answers: list[OddsReady | LinkReported] = []
        for effect in effects:
            match effect:
                case Keep(fact):
                    self._ports.memory.keep(fact)
                    if isinstance(fact, Finished | PlayersLeft):
                        self._keep_counts()
                case Show():
                    self._brighten()
                    if self._shown is not None and effect._replace(t_ns=self._shown.t_ns) == self._shown:
                        continue
                    self._show(effect)
                case PlaySound(sound):
                    # A refusal is shown and said again, even if its words are the same.
                    self._shown = None
                    if self._ports.buzzer is not None:
                        self._ports.buzzer.play(sound)
                case Ask(question):
                    if self._ports.odds is not None:
                        answers += self._ports.odds.ask(question)
                    elif (advice := answer_without_odds(question)) is not None:
                        answers.append(advice)
                case AskStick(job):
                    if self._ports.stick is not None:
                        self._ports.stick.ask(job)
                case AskLink(request):
                    if self._ports.link is not None:
                        answers += self._ask_link(self._ports.link, request)
            self._tell(effect, t_ns)
        for fault in self._ports.memory.faults():
            self._step(FaultReported(fault), t_ns)
        for answer in answers:
            self._step(answer, t_ns)

    def _ask_link(self, link: LinkPort, request: LinkRequest) -> Sequence[LinkReported]:
        """Asks the helper, as soon as that's safe; returns the memory's answer if it never is."""
        match request:
            case Leave():
                self._owes_leave = True
                self._leave_if_safe()
            case Rejoin():
                self._owes_leave = False
                link.ask(request)
            case Send(Decline()):
                link.ask(request)
            case OpenRoom() | EnterRoom() | Send(Invite()):
                if not self._ports.memory.is_durable:
                    return (LinkReported(NotPaired(WhyNotPaired.NO_MEMORY)),)
                link.ask(request)
            case Send():
                # Nothing is sent before it's durable; the machine sends it again.
                if self._ports.memory.is_durable:
                    link.ask(request)
            case _:
                assert_never(request)
        return ()

    def _leave_if_safe(self) -> None:
        """Tells the other box that this one has no match, once a power cut can't bring that back."""
        link = self._ports.link
        if self._owes_leave and link is not None and self._ports.memory.rules_out_linked_match():
            self._owes_leave = False
            link.ask(Leave())

    def _keep_counts(self) -> None:
        counts = self.switches.presses, self.switches.chatter
        presses, chatter = (
            {number: count for number, count in each.items() if switch(number).is_counted} for each in counts
        )
        self._ports.memory.keep_counts(presses, chatter)

    def _show(self, show: Show) -> None:
        if not show.screen.celebrates:
            self._blinks = []
            self._ports.pins.light(1.0 if show.screen.lit else 0.0)
        elif not self._celebrated:
            # The lamp of a button that can be pressed is lit again when the celebration is over.
            self._blinks = list(range(show.t_ns, show.t_ns + CELEBRATION_NS + 1, LAMP_BLINK_NS))
        self._celebrated = show.screen.celebrates
        before, self._shown = self._shown, show
        if self._ports.display is None:
            return
        if show.asleep:
            self._ports.display.sleep()
        elif before is None or (before.screen, before.language, before.asleep) != (
            show.screen,
            show.language,
            False,
        ):
            if before is None or before.screen._replace(aside=show.screen.aside) != show.screen:
                self._moves_since_ns = show.t_ns
            # A corner that counts seconds leaves the prompts their turns.
            self._ports.display.show(localize_screen(show), self._moves_since_ns)

    def _brighten(self) -> None:
        brightness = self.machine.settings.display.brightness
        if self._ports.display is not None and brightness is not self._brightness:
            self._brightness = brightness
            self._ports.display.brighten(brightness)

    def _tell(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        for observer in self._ports.observers:
            observer(what, t_ns)


def loop(
    runner: Runner,
    inbox: "SimpleQueue[Mail]",
    clock_ns: Callable[[], int],
    feed_watchdog: Callable[[], None] = lambda: None,
) -> None:
    """Runs the runner until None is in the inbox.

    Args:
        runner: to run.
        inbox: edges from the pins' thread, answers from the odds worker, forms, reports, errands. Putting
            None, from any thread or signal handler, ends the loop.
        clock_ns: the monotonic time in ns.
        feed_watchdog: called at least once a second, for a watchdog.
    """
    while True:
        wait_s = max(0, runner.deadline_ns - clock_ns()) / 1_000_000_000
        try:
            mail = inbox.get(timeout=wait_s) if wait_s else inbox.get_nowait()
        except Empty:
            pass
        else:
            if mail is None:
                return
            now_ns = clock_ns()
            if isinstance(mail, Edge):
                # An edge with another clock's time would lie in the future, and never settle.
                mail = mail._replace(t_ns=min(mail.t_ns, now_ns))
                now_ns = mail.t_ns
            runner.take(mail, now_ns)
            if not inbox.empty():
                # Waiting mail is older than now. But a restless contact must not block the deadlines.
                if now_ns >= runner.deadline_ns:
                    runner.pass_time(now_ns)
                    feed_watchdog()
                continue
        runner.pass_time(clock_ns())
        feed_watchdog()
