"""A whole box in virtual time: simulated contacts, the real adapter and runner, and a clock that jumps."""

from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from random import Random

from shutthebox.adapters.gpio import Edge
from shutthebox.adapters.odds_worker import InlineOdds
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.failsafe_store import FailsafeStore
from shutthebox.adapters.store.lock import FolderLock
from shutthebox.config.schema import Config
from shutthebox.config.settings_loader import levers_needed, settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Effect, Show
from shutthebox.game.inputs import FormInput, LinkReported
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON, switch
from shutthebox.link.requests import LinkReport
from shutthebox.night import night_of
from shutthebox.rules.moves import Throw
from shutthebox.runtime.assembly import World, assemble
from shutthebox.runtime.ports import BuzzerPort, DisplayPort, Observer, OddsPort
from shutthebox.runtime.runner import Mail, Runner
from shutthebox.simulator.hardware import disk
from shutthebox.simulator.hardware.bounce import bounce_edges
from shutthebox.simulator.hardware.box import SimulatedBox, simulated_wiring, wired_buttons
from shutthebox.simulator.virtual_link import LinkEnd
from shutthebox.simulator.virtual_time import VirtualTime

ADDRESS = "http://shutthebox.local:8090/"
"""The scoreboard's address in virtual time, so that scenarios are the same everywhere."""

_DAY_NS = 86_400_000_000_000


class QueuedDice(RandomDice):
    """Throws queued by a script, and seeded ones once the queue is empty."""

    def __init__(self, seed: int) -> None:
        super().__init__(Random(f"{seed} dice").randrange)
        self.queue: list[Throw] = []

    def throw(self, dice: int, sides: int) -> Throw:
        """The next throw in the queue.

        Raises:
            ValueError: it has another number of dice or sides.
        """
        if not self.queue:
            return super().throw(dice, sides)
        faces = self.queue.pop(0)
        if len(faces) != dice or max(faces) > sides:
            raise ValueError(f"{' '.join(map(str, faces))} is queued, but {dice} dice of {sides} are thrown")
        return faces

    def draw(self, bag: Sequence[Throw]) -> Throw:
        """The next domino in the queue.

        Raises:
            ValueError: it isn't in the bag.
        """
        if not self.queue:
            return super().draw(bag)
        domino = self.queue.pop(0)
        if tuple(sorted(domino)) not in bag:
            raise ValueError(f"{' '.join(map(str, domino))} is queued, but not in the bag")
        return domino


class VirtualBox:
    """One box whose time passes only when told to. Single-threaded.

    Attributes:
        time: that passes in it, since its start.
        show: what the box shows now.
        display: the display it was given.
        dice: where scripts queue throws.
        epoch_s: the time of day at its start, in seconds since 1970, as its clock has it now.

    Args:
        config: as the daemon would read it.
        state: folder of the store; None for a box without memory.
        seed: of dice, bounces and lost edges.
        display: shows screens; None to play blind.
        observers: called with everything the runner does.
        advised: whether the box knows the odds; without them, matches run faster.
        odds: answers questions about the odds; by default at once.
        buzzer: plays the sounds; None for silence.
        epoch_s: the time of day at its start, in seconds since 1970.
        link: its end of the link to another box; None for a box without one.
        time: that passes for others, too; by default for this box alone.
        contacts_ns: the clock of contacts that move and bounce by themselves, where time follows a real
            clock; by default they move when told to.
        where: names the config in error messages.

    Raises:
        ShutTheBoxError: the game is unknown or doesn't fit the box, or another box uses the folder's store.
    """

    def __init__(
        self,
        config: Config,
        state: Path | None = None,
        *,
        seed: int = 0,
        display: DisplayPort | None = None,
        observers: Sequence[Observer] = (),
        where: str = "config",
        advised: bool = True,
        odds: OddsPort | None = None,
        buzzer: BuzzerPort | None = None,
        epoch_s: float = 0.0,
        link: LinkEnd | None = None,
        time: VirtualTime | None = None,
        contacts_ns: Callable[[], int] | None = None,
    ) -> None:
        self.time = time or VirtualTime()
        self.dice = QueuedDice(seed)
        # Wired like the simulated hardware, with the configured box's buttons.
        self._config = config._replace(gpio=simulated_wiring(config.gpio))
        self._state, self.display = state, display
        self._observers = list(observers)
        self._odds = (odds or InlineOdds()) if advised else None
        self._buzzer = buzzer
        self.epoch_s = epoch_s
        self.link = link
        if link is not None:
            link.connect(self._take_report)
        levers = levers_needed(config, where)
        self._where = where
        self.box = SimulatedBox(
            levers,
            buttons=wired_buttons(config.gpio),
            inverted=config.gpio.inverted_switches,
            real_time=contacts_ns is not None,
            clock_ns=contacts_ns or (lambda: self.now_ns),
            seed=seed,
        )
        self._inbox: SimpleQueue[Mail] = SimpleQueue()
        self._rng = Random(f"{seed} bounces")
        self._lock = FolderLock(state)
        self._lock.take()
        try:
            self._start()
        except BaseException:
            self.box.close()
            self._lock.release()
            raise
        self.time.add(self)

    def _start(self) -> None:
        settings = settings_for(self._config, max(self.box.levers), self._where)
        world = World(
            factory=self.box.factory,
            lines=self.box.switch_lines,
            inbox=self._inbox,
            dice=self.dice,
            now_ns=lambda: self.now_ns,
            clock_s=self._time_s,
            today=self._today,
            scoreboard=lambda: ADDRESS,
            lock=self._lock,
            state=self._state,
            odds=self._odds,
            display=self.display,
            buzzer=self._buzzer,
            link=self.link,
            observers=(self._tell,),
        )
        self._assembled = assemble(self._config, settings, world)

    @property
    def runner(self) -> Runner:
        """The loop's body; replaced after a power cut."""
        return self._assembled.runner

    @property
    def memory(self) -> FailsafeStore:
        """The box's memory; replaced after a power cut."""
        return self._assembled.memory

    def _today(self) -> int:
        """The day in virtual time, from 1 (0 means none) unless the start has a time of day."""
        if self.epoch_s:
            return night_of(self._time_s()).toordinal()
        return 1 + self.now_ns // _DAY_NS

    def _time_s(self) -> float:
        return self.epoch_s + self.now_ns / 1e9

    def _tell(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, Show):
            self.show = what
        for observer in self._observers:
            observer(what, t_ns)

    def observe(self, observer: Observer) -> None:
        """Adds an observer, which is kept across restarts."""
        self._observers.append(observer)

    @property
    def store(self) -> Store | None:
        """The box's current store; None if it has none."""
        return self.memory.store

    @property
    def now_ns(self) -> int:
        """The time since its start."""
        return self.time.now_ns

    @property
    def deadline_ns(self) -> int:
        """When the runner is due."""
        return self._assembled.runner.deadline_ns

    def pass_time(self, now_ns: int) -> None:
        """Lets the runner do everything due by now."""
        self._assembled.runner.pass_time(now_ns)

    def run_until(self, t_ns: int) -> None:
        """Lets time pass; the runner runs at each of its deadlines on the way."""
        self.time.run_until(t_ns)

    def set_level(self, line: int, level: bool) -> None:
        """Sets a line's electrical level now, and lets the runner process the edge."""
        self.box.set_level(line, level)
        self.take_edges()

    def take_edges(self) -> None:
        """Lets the runner process the edges of contacts moved through `box`, each at its time."""
        while not self._inbox.empty():
            mail = self._inbox.get()
            assert mail is not None, "nothing ends it but `close`"
            if isinstance(mail, Edge) and mail.t_ns > self.now_ns:
                self.run_until(mail.t_ns)
            self.runner.take(mail, self.now_ns)

    def set_lever(self, number: int, down: bool) -> None:
        """Flips a lever down or puts it back, one clean edge."""
        self.set_level(self.box.lever_line(number), not down)

    def set_button(self, down: bool, number: int = DICE_BUTTON) -> None:
        """Presses or releases a button, one clean edge.

        Raises:
            ValueError: this box has no such button.
        """
        if number not in self.box.switch_lines:
            row = switch(number)
            raise ValueError(f"this box has no {row.name}; config gpio.{row.key} {row.line} gives it one")
        self.set_level(self.box.switch_lines[number], not down)

    def bounce(self, switch: int, down: bool, lasts_ns: int) -> None:
        """Moves a contact with a seeded burst of edges; time passes while it bounces."""
        start, line = self.now_ns, self.box.switch_lines[switch]
        for offset_ns, level in bounce_edges(self._rng, lasts_ns, settled=not down):
            self.run_until(start + offset_ns)
            self.set_level(line, level)

    def fill_in(self, given: FormInput) -> None:
        """Passes on input from the page's form."""
        self.runner.take(given, self.now_ns)

    def _take_report(self, report: LinkReport) -> None:
        self.runner.take(LinkReported(report), self.now_ns)

    def glitch(self, number: int, lasts_ns: int) -> None:
        """A spike on a lever's line: to the other level and back."""
        line = self.box.lever_line(number)
        level = self.box.level(line)
        self.set_level(line, not level)
        self.run_until(self.now_ns + lasts_ns)
        self.set_level(line, level)

    def press(self, lasts_ns: int) -> None:
        """Presses the button for this long; time passes."""
        self.set_button(True)
        self.run_until(self.now_ns + lasts_ns)
        self.set_button(False)

    def cut_power(self, spoil: Callable[[Path, bytes], bytes] = lambda path, content: content) -> None:
        """Kills the daemon without a goodbye and starts it again; the levers stay as they are.

        Args:
            spoil: what a disk without power has made of a file of the store.
        """
        self.unplug(spoil)
        self.plug_in()

    def unplug(self, spoil: Callable[[Path, bytes], bytes] = lambda path, content: content) -> None:
        """Kills the daemon without a goodbye. Until `plug_in`, no time may pass for it.

        Args:
            spoil: as for `cut_power`.
        """
        kept = {path: spoil(path, content) for path, content in self._kept_files().items()}
        if self.link is not None:
            self.link.cut_power()
        self._assembled.close()
        with disk.room():  # their bytes are on it already, also where it is full
            for path, content in kept.items():
                path.write_bytes(content)
        self.box.cut_power()
        while not self._inbox.empty():
            self._inbox.get()

    def plug_in(self) -> None:
        """Starts the daemon again."""
        self._start()

    def _kept_files(self) -> dict[Path, bytes]:
        """The store's files, before the store could tidy up."""
        if self._state is None:
            return {}
        files = (path for path in self._state.glob(f"{STORE_FILE}*") if path.is_file())
        return {path: path.read_bytes() for path in files if not path.name.endswith("-shm")}

    def close(self) -> None:
        """Shuts the daemon down properly."""
        self.time.remove(self)
        self._assembled.close()
        self.box.close()
        self._lock.release()
