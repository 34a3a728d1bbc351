"""Plays a scenario on a box in virtual time and checks its expectations."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Ask, Effect
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.runtime.ports import DisplayPort
from shutthebox.simulator.hardware.box import UnknownLeverError
from shutthebox.simulator.scenario.expectations import Expect
from shutthebox.simulator.scenario.script import Scenario, ScenarioError, TimedVerb
from shutthebox.simulator.scenario.verbs import Wait
from shutthebox.simulator.virtual_box import VirtualBox

_LOOK_ON = TimedVerb(0, Wait(1_000_000_000), after_ns=0)
"""Watches the box for a second after the last line, to see its effects."""


class ExpectationError(ShutTheBoxError, AssertionError):
    """The box didn't do what the scenario expects. The text names script and line."""

    exit_code = 1


class Replay:
    """One run of a scenario. Close it at its end.

    Args:
        scenario: to play.
        state: folder of the store; a match in it is continued.
        display: shows the screens; `expect panel` needs a `VirtualDisplay`. None for no display.
        tell: called with every effect and its time in ns.

    Attributes:
        line: the script's current line.

    Raises:
        ShutTheBoxError: the game is unknown or doesn't fit the box.
    """

    def __init__(
        self,
        scenario: Scenario,
        state: Path,
        display: DisplayPort | None = None,
        tell: Callable[[Effect, int], None] = lambda effect, t_ns: None,
    ) -> None:
        self._scenario, self._tell = scenario, tell
        self.line = 0
        self.world = VirtualBox(
            scenario.config,
            state,
            seed=scenario.seed,
            display=display,
            observers=[self._observe],
            where=scenario.where,
        )

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if not isinstance(what, SwitchChanged | Ask):  # questions to the odds are not shown
            self._tell(what, t_ns)

    def run(self) -> None:
        """Plays all lines and closes the box. Raises like `lines`."""
        with closing(self):
            for _ in self.lines():
                pass

    def close(self) -> None:
        """Closes the box."""
        self.world.close()

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
            try:
                self._wait_for(line)
                line.verb.do(self.world)
            except ScenarioError:
                raise
            except (UnknownLeverError, ValueError) as error:
                # A wrong throw shows only when the dice are rolled, perhaps in a later line's wait.
                raise ScenarioError(f"{self._at(moved or line)}: {error}") from None
            if isinstance(line.verb, Expect) and (said := line.verb.difference(self.world, folder)):
                raise ExpectationError(f"{self._scenario.where}:{line.line}: {said}")
            yield

    def _at(self, line: TimedVerb) -> str:
        return f"{self._scenario.where}:{line.line}: {line.verb.word}"

    def _wait_for(self, line: TimedVerb) -> None:
        start_ns = self.world.now_ns + line.after_ns if line.at_ns is None else line.at_ns
        if start_ns < self.world.now_ns:
            raise ScenarioError(
                f"{self._at(line)}: it is {self.world.now_ns / 1e9:g} s already; "
                f"allowed is a later time than @{start_ns / 1e9:g}"
            )
        self.world.run_until(start_ns)
