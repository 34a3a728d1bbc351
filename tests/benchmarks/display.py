"""The cost of a frame on the display, against stock luma in the same run.

    python tests/benchmarks/display.py [--matches N]

Plays the screens of a two-player match, ten frames a second while something moves. Times are
CPU time and depend on the machine; the ratios hardly do. The bus is one that only counts.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import luma.oled.device
from PIL import Image
from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import render
from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.pillow import image_of
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness, GameConfig, SetupChoice
from shutthebox.simulator.virtual_box import VirtualBox

MS = 1_000_000
I2C_BITS_PER_BYTE = 9


class CountingBus:
    """Stands where luma's I2C interface stands; counts bytes as they would go over the wire."""

    def __init__(self) -> None:
        self.wire_bytes = 0

    def command(self, *cmd: int) -> None:
        self.wire_bytes += 2 + len(cmd)

    def data(self, data: Sequence[int]) -> None:
        self.wire_bytes += 2 + len(data)

    def cleanup(self) -> None:
        pass


class Seen:
    """Stands where the display stands, and keeps the screens of a match with their times."""

    def __init__(self) -> None:
        self.screens: list[tuple[LocalizedScreen, int]] = []
        self.box: VirtualBox | None = None

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        self.screens.append((screen, self.box.now_ns if self.box else 0))

    def brighten(self, brightness: Brightness) -> None:
        """As bright as it is."""

    def sleep(self) -> None:
        """Nothing is drawn in the dark."""


def screens_of(matches: int) -> list[tuple[LocalizedScreen, int]]:
    """The screens of so many matches of two, each with how long it stands in nanoseconds."""
    seen, player = Seen(), Player(Random(1), CAREFUL)
    config = Config(game=GameConfig(profile="pub", setup=SetupChoice.USUAL))
    seen.box = VirtualBox(config, seed=1, display=seen, observers=[player.observe])
    player.sit_down(seen.box)
    for _ in range(matches):
        player.play_match()
    return [(screen, to_ns - from_ns) for (screen, from_ns), (_, to_ns) in pairwise(seen.screens)]


def frames(screens: Sequence[tuple[LocalizedScreen, int]]) -> tuple[list[Bitmap], float]:
    """All pictures in order, and the CPU seconds that drawing took."""
    pictures = []
    started = time.process_time()
    for screen, stands_ns in screens:
        elapsed_ns = 0
        while elapsed_ns < stands_ns:
            frame = render(screen, elapsed_ns)
            pictures.append(frame.picture)
            if frame.next_ns is None:
                break
            elapsed_ns = max(frame.next_ns, elapsed_ns + 100 * MS)
    return pictures, time.process_time() - started


def stock(controller: Controller, pictures: list[Image.Image]) -> tuple[float, int]:
    """CPU seconds and wire bytes of luma's own display()."""
    bus = CountingBus()
    chip = controller.chip
    device: Any = getattr(luma.oled.device, controller)(bus, *chip.size, rotate=chip.quarter_turns)
    device.persist = True
    bus.wire_bytes = 0
    started = time.process_time()
    for picture in pictures:
        device.display(picture)
    return time.process_time() - started, bus.wire_bytes


def ours(controller: Controller, pictures: list[Bitmap]) -> tuple[float, int]:
    """CPU seconds and wire bytes of the panel, the first full frame included."""
    bus = CountingBus()
    panel = open_panel(controller, bus)
    bus.wire_bytes = 0
    started = time.process_time()
    for picture in pictures:
        panel.push(picture)
    return time.process_time() - started, bus.wire_bytes


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="CPU time and bytes per frame against stock luma")
    parser.add_argument("--matches", type=int, default=3, help="how many matches to play (3)")
    matches = parser.parse_args().matches
    warnings.filterwarnings("ignore", ".*getdata", DeprecationWarning)
    screens = screens_of(matches)
    frames(screens)  # fills the glyph caches, as any running box has
    pictures, drawing = frames(screens)
    count = len(pictures)
    print(f"{count} frames of {matches} matches; drawing one takes {drawing / count * 1e3:.2f} ms of CPU\n")
    print(f"{'':10}{'CPU per frame, ms':^28}{'bytes per frame':^28}{'wire ms at 400 kHz':^20}")
    print(
        f"{'':10}{'luma':>9}{'here':>9}{'ratio':>9} {'luma':>9}{'here':>9}{'ratio':>9} {'luma':>9}{'here':>9}"
    )
    for controller in list(Controller):
        cpu_stock, bytes_stock = stock(controller, [image_of(picture) for picture in pictures])
        cpu_ours, bytes_ours = ours(controller, pictures)
        wire = [total / count * I2C_BITS_PER_BYTE / 400 for total in (bytes_stock, bytes_ours)]
        print(
            f"{controller:10}{cpu_stock / count * 1e3:9.3f}{cpu_ours / count * 1e3:9.3f}"
            f"{cpu_stock / cpu_ours:8.1f}x {bytes_stock / count:9.0f}{bytes_ours / count:9.0f}"
            f"{bytes_stock / bytes_ours:8.1f}x {wire[0]:9.1f}{wire[1]:9.1f}"
        )


if __name__ == "__main__":
    main()
