"""From an edge at a pin to the first byte of the new frame on the bus, settle time apart.

A plain command: python tests/benchmarks/latency.py [--matches N]

Matches are played in virtual time, so the settle window costs nothing and what is measured is
our own work: the pin's callback, debouncer, judge, machine, store (an fsync where a fact is kept),
drawing, packing, and luma's first transfer to a modelled panel.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config, DiceKind, GameConfig, SetupChoice
from shutthebox.game.screen import ToldScreen
from shutthebox.game.settings import Brightness
from shutthebox.simulator.hardware.panel_model import PanelModel
from shutthebox.simulator.virtual_box import VirtualBox

MS = 1_000_000
SETTLED_NS = 45 * MS
"""What is sent later after an edge, in virtual time, has another cause."""


class TimedPanel:
    """Draws at once, and notes how long after an edge the first byte of a frame leaves for the panel."""

    def __init__(self) -> None:
        self.samples_ns: dict[str, list[int]] = {"lever": [], "button": []}
        self.box: TimedBox | None = None
        self.edge: tuple[str, int, int] | None = None
        model = PanelModel(on_change=self._byte)
        self._worker = DisplayWorker(lambda: open_panel(Controller.SSD1306, model), now_ns=lambda: 0)

    def _byte(self) -> None:
        if self.box is not None and self.edge is not None:
            kind, moved_ns, began_ns = self.edge
            self.edge = None
            if self.box.now_ns - moved_ns <= SETTLED_NS:
                self.samples_ns[kind].append(time.perf_counter_ns() - began_ns)

    def show(self, screen: ToldScreen, t_ns: int) -> None:
        self._worker.render_now(screen, 0)

    def brighten(self, brightness: Brightness) -> None:
        """As bright as it is."""

    def sleep(self) -> None:
        """Nothing is timed in the dark."""


class TimedBox(VirtualBox):
    """Tells its panel of every edge."""

    display: TimedPanel

    def set_level(self, line: int, level: bool) -> None:
        kind = "button" if line == self.box.button_line else "lever"
        self.display.edge = kind, self.now_ns, time.perf_counter_ns()
        super().set_level(line, level)


def main() -> None:
    """Plays, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matches", type=int, default=20)
    matches = parser.parse_args().matches
    config = Config(game=GameConfig(profile="pub", setup=SetupChoice.USUAL, dice=DiceKind.AUTO))
    panel, player = TimedPanel(), Player(Random(1), CAREFUL)
    with tempfile.TemporaryDirectory() as folder:
        box = TimedBox(config, Path(folder), seed=1, display=panel, observers=[player.observe])
        panel.box = box
        player.sit_down(box)
        for _ in range(matches):
            player.play_match()
        box.close()
    print(f"{matches} matches; settle time apart: levers {config.box.settle_ms:g} ms,", end=" ")
    print(f"button {config.box.button_settle_ms:g} ms")
    print(f"{'edge to first byte':20} {'edges':>7} {'median ms':>10} {'p99 ms':>8} {'worst ms':>9}")
    for kind, samples in panel.samples_ns.items():
        ordered = sorted(samples)
        p99 = ordered[int(len(ordered) * 0.99)]
        print(
            f"{kind:20} {len(ordered):7} {statistics.median(ordered) / MS:10.2f}"
            f" {p99 / MS:8.2f} {ordered[-1] / MS:9.2f}"
        )


if __name__ == "__main__":
    main()
