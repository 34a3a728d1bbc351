"""Records what hands do to a box, or to two that are linked, as a scenario that repeats it."""

import io
import logging
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from shutthebox.config.schema import BoxConfig, Config, GpioConfig
from shutthebox.files import open_to_write, reason, shown_path
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.facts import Began, Linked
from shutthebox.game.settings import GameConfig
from shutthebox.game.switches.button import HOLD_NS
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON
from shutthebox.rules.actions import Thrown
from shutthebox.runtime.ports import Observer
from shutthebox.simulator.form_input import quote_text
from shutthebox.simulator.scenario.script import PREFIXES, ScenarioError
from shutthebox.simulator.scenario.verbs import PRESS_NS

_log = logging.getLogger(__name__)


def create(path: Path, *, goes_on: bool = False) -> TextIO:
    """Opens the file to record to.

    Args:
        path: of the file.
        goes_on: append to it.

    Raises:
        ScenarioError: it can't be created.
    """
    try:
        return io.TextIOWrapper(path.open("ab") if goes_on else open_to_write(path), encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"--record: {shown_path(path)}: {reason(error)}") from None


class _ScenarioFile:
    """A scenario that is written line by line; each is flushed."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._ended = file, False

    def write(self, line: str) -> None:
        """Writes a line. A full disk ends the recording, not the game."""
        if self._ended:
            return
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:
            self.end(str(error))

    def end(self, why: str) -> None:
        """Writes nothing from now on."""
        if not self._ended:
            self._ended = True
            _log.warning("the recording ends here: %s", why)


class ScenarioRecorder:
    """An observer of the runner that writes a scenario.

    A throw is known only after the press that makes it, but a scenario queues it before. So lines are held
    back from when the button goes down until something follows its release. A linked match ends the
    recording, as it takes both boxes to repeat it.

    Args:
        file: to write to; each line is flushed as soon as it's final.
        config: the current one; keys of game and box that differ from the default are written.
        levers: how many the box has.
        down: the levers that are down at the start.
        start_ns: when the recording began, by the daemon's clock.
        goes_on: the file already has the part up to a power cut.
    """

    def __init__(
        self,
        file: TextIO,
        config: Config,
        levers: int,
        down: frozenset[int],
        start_ns: int,
        *,
        goes_on: bool = False,
    ) -> None:
        self._file, self._free_ns = _ScenarioFile(file), start_ns
        self._start_ns = start_ns
        self._settle_ns = config.box.settle_ns
        self._down = set(down)
        self._pressed_ns: int | None = None
        self._thrown: list[Thrown] = []
        self._held_back: list[tuple[int, str, int]] = []
        self._lock = threading.RLock()
        if goes_on:
            return
        for line in _settings(config, levers):
            self._file.write(line)
        if down:
            self._file.write(f"@0 flip {' '.join(map(str, sorted(down)))}")

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Records an effect or a settled switch. Main thread only."""
        with self._lock:
            match what:
                case SwitchChanged(switch, active):
                    self._record_switch(switch, active, t_ns - self._settle_ns(switch))
                case Keep(Thrown() as thrown):
                    self._thrown.append(thrown)
                case Keep(Began(link=Linked())):
                    self.flush()
                    self._file.write("# A match with another box: both have to be recorded.")
                    self._file.end("a match with another box begins")
                case _:
                    pass

    def _record_switch(self, switch: int, active: bool, moved_ns: int) -> None:
        if self._pressed_ns is None:
            self.flush()
        if switch == DICE_BUTTON:
            self._button(active, moved_ns)
        else:
            self._held_back.append((moved_ns, _move_line(switch, active), 0))
            if switch not in BUTTONS:
                self._down ^= {switch}

    def broke(self, verb: str, t_ns: int) -> None:
        """Records a change of the hardware, as a line of a scenario. Thread-safe."""
        with self._lock:
            if self._pressed_ns is None:
                self.flush()
            self._held_back.append((t_ns, verb, 0))

    def cut_power(self, t_ns: int, down: frozenset[int]) -> None:
        """Writes everything up to the power cut, and the cut itself. Thread-safe.

        Args:
            t_ns: the time, by the daemon's clock.
            down: the levers that are down; some may have moved too late to settle.
        """
        with self._lock:
            for lever in sorted(down ^ self._down):
                self._held_back.append((t_ns, _move_line(lever, lever in down), 0))
            self._held_back.append((t_ns, "power-cut", 0))
            self.flush()

    def _button(self, active: bool, moved_ns: int) -> None:
        if active:
            self._pressed_ns = moved_ns
        elif self._pressed_ns is not None:
            held_ns = moved_ns - self._pressed_ns
            if held_ns < HOLD_NS:
                self._held_back.append((moved_ns - PRESS_NS, "press", PRESS_NS))
            else:
                self._held_back.insert(0, (self._pressed_ns, f"hold {held_ns / 1e9:.3f}", held_ns))
            self._pressed_ns = None

    def flush(self) -> None:
        """Writes the lines that were held back. Call it at the end."""
        with self._lock:
            for thrown in self._thrown:
                self._file.write("dice " + " ".join(map(str, thrown.faces)))
            for moved_ns, text, lasts_ns in self._held_back:
                # Rounded up, and never before the previous line ends.
                at_ms = -(-max(moved_ns, self._free_ns) // 1_000_000) - self._start_ns // 1_000_000
                self._free_ns = at_ms * 1_000_000 + self._start_ns + lasts_ns
                self._file.write(f"@{at_ms / 1000:.3f} {text}")
            self._thrown.clear()
            self._held_back.clear()


class LinkedRecorder:
    """Writes a scenario of two linked boxes in the same virtual time, which begins with it.

    Throws of linked matches can't be queued: they follow from the seed, like all others. Hands at one box
    don't wait for those at the other, so the button goes down and up in lines of their own.

    Args:
        file: to write to; each line is flushed.
        configs: of the boxes; keys of game, box and link that differ from the default are written.
        levers: how many the boxes have.
        seed: of the first box and of the link; that of the second box is the next.
    """

    def __init__(self, file: TextIO, configs: Sequence[Config], levers: Sequence[int], seed: int) -> None:
        self._file, self._ms = _ScenarioFile(file), 0
        self._configs = configs
        self._down: list[frozenset[int]] = [frozenset() for _ in configs]
        self._lock = threading.Lock()
        self._file.write(f"seed {seed}")
        for box, config in enumerate(configs):
            for line in _settings(config, levers[box]):
                self._file.write(PREFIXES[box] + line)

    def observer(self, box: int) -> Observer:
        """Records a box's settled switches; boxes count from 0."""
        return partial(self._observe, box)

    def _observe(self, box: int, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, SwitchChanged):
            if what.switch not in BUTTONS:
                self._down[box] ^= {what.switch}
            settle_ns = self._configs[box].box.settle_ns(what.switch)
            self.note(box, _move_line(what.switch, what.active), t_ns - settle_ns)

    def note(self, box: int, line: str, t_ns: int) -> None:
        """Records something else, as a line of a scenario. Thread-safe."""
        with self._lock:
            self._ms = max(-(-t_ns // 1_000_000), self._ms)
            self._file.write(f"{PREFIXES[box]}@{self._ms / 1000:.3f} {line}")

    def cut_power(self, box: int, t_ns: int, down: frozenset[int]) -> None:
        """Records that the plug is pulled, with these levers down; some may have moved too late to settle."""
        for lever in sorted(down ^ self._down[box]):
            self.note(box, _move_line(lever, lever in down), t_ns)
        self._down[box] = down
        self.note(box, "power-cut", t_ns)


def _move_line(switch: int, active: bool) -> str:
    """The line that moves a switch."""
    if switch in BUTTONS:
        return f"{BUTTONS[switch].verb} {'down' if active else 'up'}"
    return f"{'flip' if active else 'lift'} {switch}"


def _settings(config: Config, levers: int) -> Iterator[str]:
    """The lines that configure a box."""
    yield f"config box.levers {levers}"
    for section in ("game", "box"):
        for key, value in _differences(getattr(config, section), getattr(Config(), section)):
            if (section, key) != ("box", "levers"):
                yield f"config {section}.{key} {value}"
    for row in BUTTONS.values():
        if getattr(config.gpio, row.key) is not None and getattr(GpioConfig(), row.key) is None:
            yield f"config gpio.{row.key} {row.line}"
    if config.link.on:
        yield "config link.on true"
        yield f"config link.name {quote_text(config.link.name)}"


def _differences(
    section: GameConfig | BoxConfig, default: GameConfig | BoxConfig
) -> Iterator[tuple[str, str]]:
    for name, value in section._asdict().items():
        if value is not None and value != getattr(default, name):
            if isinstance(value, tuple):
                value = list(value)
            yield name, str(value).lower() if isinstance(value, bool) else str(value)
