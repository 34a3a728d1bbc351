"""Plays a scenario in virtual time, on one box or on two that are linked, and checks its expectations."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from shutthebox.config.schema import Config
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Ask, AskLink, AskStick, Effect
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.runtime.ports import DisplayPort
from shutthebox.simulator.hardware.box import UnknownLeverError
from shutthebox.simulator.scenario.effect_lines import ReplayedEffect
from shutthebox.simulator.scenario.expectations import Expect
from shutthebox.simulator.scenario.script import PREFIXES, Scenario, ScenarioError, TimedVerb
from shutthebox.simulator.scenario.verbs import Wait
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.virtual_link import LinkEnd, VirtualLink
from shutthebox.simulator.virtual_time import VirtualTime

SECOND = "box-2"
"""The second box's folder, inside the first one's."""

_LOOK_ON = TimedVerb(0, Wait(1_000_000_000), after_ns=0)
"""Watches the box for a second after the last line, to see its effects."""


class ExpectationError(ShutTheBoxError, AssertionError):
    """The box didn't do what the scenario expects. The text names script and line."""

    exit_code = 1


class ScenarioPlayer:
    """One run of a scenario. Close it at its end.

    Args:
        scenario: to play.
        state: folder of the store; a match in it is continued.
        display: shows the screens; `expect panel` needs a `VirtualDisplay`. None for no display.
        tell: called with every effect that is `ReplayedEffect`, and its time in ns.
        second_display: likewise, of the second box.
        tell_second: likewise.

    Attributes:
        line: the script's current line.
        world: the first box.
        second: the box of the lines that begin ``box 2:``; None in a script without any.

    Raises:
        ShutTheBoxError: the game is unknown or doesn't fit the box.
    """

    def __init__(
        self,
        scenario: Scenario,
        state: Path,
        display: DisplayPort | None = None,
        tell: Callable[[ReplayedEffect, int], None] = lambda effect, t_ns: None,
        second_display: DisplayPort | None = None,
        tell_second: Callable[[ReplayedEffect, int], None] = lambda effect, t_ns: None,
    ) -> None:
        self._scenario = scenario
        self.line = 0
        self._time = VirtualTime()
        self._link = None
        if scenario.second is not None or scenario.config.link.on:
            self._link = VirtualLink(scenario.seed, lambda: self._time.now_ns)
            self._time.add(self._link)
        with ExitStack() as boxes:
            self.world = self._box(0, scenario.config, scenario.seed, state, display, tell)
            boxes.callback(self.world.close)
            self.second = None
            if scenario.second is not None:
                folder = state / SECOND
                folder.mkdir(parents=True, exist_ok=True)
                self.second = self._box(
                    1, scenario.second, scenario.second_seed, folder, second_display, tell_second
                )
                boxes.callback(self.second.close)
            self._boxes = boxes.pop_all()

    def _box(
        self,
        end: int,
        config: Config,
        seed: int,
        state: Path,
        display: DisplayPort | None,
        tell: Callable[[ReplayedEffect, int], None],
    ) -> VirtualBox:
        def observe(what: Effect | SwitchChanged, t_ns: int) -> None:
            if not isinstance(what, SwitchChanged | Ask | AskStick | AskLink):
                tell(what, t_ns)

        return VirtualBox(
            config,
            state,
            seed=seed,
            display=display,
            observers=[observe],
            where=self._scenario.where,
            link=LinkEnd(self._link, end) if self._link else None,
            time=self._time,
        )

    def run(self) -> None:
        """Plays all lines and closes the box. Raises like `lines`."""
        with closing(self):
            for _ in self.lines():
                pass

    def close(self) -> None:
        """Closes the boxes."""
        self._boxes.close()

    def lines(self) -> Iterator[None]:
        """Plays one line each time it's advanced.

        Raises:
            ExpectationError: an expectation failed.
            ScenarioError: this box can't do a line.
        """
        folder = Path(self._scenario.where).parent
        moved: TimedVerb | None = None
        for line in (*self._scenario.lines, _LOOK_ON):
            self.line = line.line
            if not isinstance(line.verb, Expect | Wait):
                moved = line
            box = self.second if line.box == 2 else self.world
            assert box is not None, "a line for the second box gives the script one"
            try:
                self._wait_for(line)
                line.verb.do(box)
            except ScenarioError:
                raise
            except (UnknownLeverError, ValueError) as error:
                # A wrong throw shows only when the dice are rolled, perhaps in a later line's wait.
                raise ScenarioError(f"{self._at(moved or line)}: {error}") from None
            if isinstance(line.verb, Expect) and (said := line.verb.difference(box, folder)):
                raise ExpectationError(f"{self._scenario.where}:{line.line}: {PREFIXES[line.box - 1]}{said}")
            yield

    def _at(self, line: TimedVerb) -> str:
        return f"{self._scenario.where}:{line.line}: {PREFIXES[line.box - 1]}{line.verb.word}"

    def _wait_for(self, line: TimedVerb) -> None:
        start_ns = self.world.now_ns + line.after_ns if line.at_ns is None else line.at_ns
        if start_ns < self.world.now_ns:
            raise ScenarioError(
                f"{self._at(line)}: it is {self.world.now_ns / 1e9:g} s already; "
                f"use a later time than @{start_ns / 1e9:g}"
            )
        self.world.run_until(start_ns)
