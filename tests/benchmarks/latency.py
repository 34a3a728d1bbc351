"""From an edge at a pin to the first byte of the new frame on the bus, settle time apart.

A plain command: python tests/benchmarks/latency.py [--matches N]

Matches are played in virtual time, so the settle window costs nothing and what is measured is
our own work: the pin's callback, debouncer, judge, machine, store (an fsync where a fact is kept),
drawing, packing, and luma's first transfer to a modelled panel.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config, DiceKind, GameConfig, SetupChoice
from shutthebox.game.mode import Mode
from shutthebox.game.screen import ToldScreen
from shutthebox.game.settings import Brightness
from shutthebox.rules import turn as turns
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.simulator.virtual_box import VirtualBox

MS = 1_000_000


class TimedDisplay:
    """Draws at once, and notes when the first byte of a frame left for the panel."""

    def __init__(self) -> None:
        self.first_byte_ns: int | None = None
        model = PanelModel(on_change=self._byte)
        self._display = DisplayWorker(lambda: open_panel(Controller.SSD1306, model), now_ns=lambda: 0)

    def _byte(self) -> None:
        if self.first_byte_ns is None:
            self.first_byte_ns = time.perf_counter_ns()

    def show(self, screen: ToldScreen, t_ns: int) -> None:
        self._display.render_now(screen, 0)

    def brighten(self, brightness: Brightness) -> None:
        """As bright as it is."""

    def sleep(self) -> None:
        """Nothing is timed in the dark."""


class Hands:
    """Moves contacts and times the effect of each edge."""

    def __init__(self, world: VirtualBox, display: TimedDisplay) -> None:
        self._world, self._display = world, display
        self.samples_ns: dict[str, list[int]] = {"lever": [], "button": []}

    def move(self, kind: str, line: int, closed: bool) -> None:
        self._display.first_byte_ns = None
        start_ns = time.perf_counter_ns()
        self._world.set_level(line, not closed)
        self._world.run_until(self._world.now_ns + 45 * MS)
        if self._display.first_byte_ns is not None:
            self.samples_ns[kind].append(self._display.first_byte_ns - start_ns)

    def press(self) -> None:
        self.move("button", self._world.box.button_line, True)
        self.move("button", self._world.box.button_line, False)

    def stand(self, wanted: int) -> None:
        for number in self._world.box.levers:
            down = bool(wanted >> (number - 1) & 1)
            if (number in self._world.box.levers_down) != down:
                self.move("lever", self._world.box.lever_line(number), down)


def play(world: VirtualBox, hands: Hands) -> None:
    """One match from attract to its result, always with the first legal move."""
    while (state := world.runner.machine.state).mode.name is not Mode.MATCH_OVER:
        match = state.match
        if match is not None and state.mode.name is Mode.RAISE:
            hands.stand(match.game.starting & ~match.turn.open)
        elif match is not None and state.mode.name is Mode.FLIPPING:
            shut = match.game.starting & ~match.turn.open
            hands.stand(shut | turns.answers(match.game, match.turn)[0])
            if world.runner.machine.state.mode.name is Mode.FLIPPING:
                hands.press()
        else:
            hands.press()
    hands.press()


def main() -> None:
    """Plays, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=20)
    matches = parser.parse_args().matches
    config = Config(game=GameConfig(profile="pub", setup=SetupChoice.USUAL, dice=DiceKind.AUTO))
    display = TimedDisplay()
    with tempfile.TemporaryDirectory() as folder:
        world = VirtualBox(config, Path(folder), seed=1, display=display)
        hands = Hands(world, display)
        for _ in range(matches):
            play(world, hands)
        world.close()
    print(f"{matches} matches; settle time apart: levers {config.box.settle_ms:g} ms,", end=" ")
    print(f"button {config.box.button_settle_ms:g} ms")
    print(f"{'edge to first byte':20} {'edges':>7} {'median ms':>10} {'p99 ms':>8} {'worst ms':>9}")
    for kind, samples in hands.samples_ns.items():
        ordered = sorted(samples)
        p99 = ordered[int(len(ordered) * 0.99)]
        print(
            f"{kind:20} {len(ordered):7} {statistics.median(ordered) / MS:10.2f}"
            f" {p99 / MS:8.2f} {ordered[-1] / MS:9.2f}"
        )


if __name__ == "__main__":
    main()
