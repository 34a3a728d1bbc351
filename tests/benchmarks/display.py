"""The cost of a frame on the display, against stock luma in the same run.

    python tests/benchmarks/display.py [--matches N]

Plays the screens of a two-player match, ten frames a second while something moves. Times are
CPU time and depend on the machine; the ratios hardly do. The bus is one that only counts.
"""

import argparse
import random
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import luma.oled.device
from PIL import Image

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.layout import render
from shutthebox.adapters.display.opening import open_panel
from shutthebox.adapters.display.pillow import image_of
from shutthebox.config.controllers import Controller
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState, ToldScreen

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


def match(seed: int) -> Iterator[tuple[ToldScreen, int]]:
    """The screens of a match, each with how long it stands in nanoseconds."""
    dice = random.Random(seed)
    for turn in range(6):
        title, aside = f"Player {turn % 2 + 1}", f"R {turn // 2 + 1}/3"
        still_open = set(range(1, 10))

        def row(
            flipped: set[int], viable: set[int], now_open: set[int] = still_open
        ) -> tuple[tuple[int, TileState], ...]:
            def state(tile: int) -> TileState:
                if tile in flipped:
                    return TileState.FLIPPED
                if tile not in now_open:
                    return TileState.SHUT
                return TileState.VIABLE if tile in viable else TileState.OPEN

            return tuple((tile, state(tile)) for tile in range(1, 10))

        while True:
            yield (
                ToldScreen(Mode.READY, title, aside, big="Throw!", tiles=row(set(), set()), prompt="Press"),
                2000 * MS,
            )
            yield (
                ToldScreen(Mode.ROLLING, title, aside, dice=(1, 1), tumbling=True, tiles=row(set(), set())),
                1000 * MS,
            )
            throw = (dice.randint(1, 6), dice.randint(1, 6))
            move = [tile for tile in sorted(still_open, reverse=True) if tile <= sum(throw)][:1]
            left = sum(throw) - sum(move)
            if left in still_open and left not in move:
                move.append(left)
                left = 0
            if not move or left:
                break
            for count in range(len(move) + 1):
                flipped, to_go = set(move[:count]), sum(throw) - sum(move[:count])
                prompt = f"{to_go} to go" if to_go else "Press to throw"
                viable = set(move[count:])
                screen = ToldScreen(
                    Mode.FLIPPING, title, aside, throw, sum(throw), tiles=row(flipped, viable), prompt=prompt
                )
                yield screen, 1500 * MS
            still_open -= set(move)
        score = sum(still_open)
        yield (
            ToldScreen(
                Mode.TURN_OVER, title, aside, throw, big=str(score), tiles=row(set(), set()), prompt="Blocked"
            ),
            2000 * MS,
        )
    rows = ("Player 1\t61", "Player 2\t48")
    yield ToldScreen(Mode.MATCH_OVER, "Winner: Player 2", rows=rows, prompt="Press: new match"), 5000 * MS


def frames(matches: int) -> tuple[list[Bitmap], float]:
    """All pictures in order, and the CPU seconds that drawing took."""
    pictures = []
    started = time.process_time()
    for seed in range(matches):
        for screen, stands_ns in match(seed):
            elapsed_ns = 0
            while elapsed_ns < stands_ns:
                frame = render(screen, elapsed_ns)
                pictures.append(frame.picture)
                if frame.next_ns is None:
                    break
                elapsed_ns = max(frame.next_ns, elapsed_ns + 100 * MS)
    return pictures, time.process_time() - started


def stock(controller: str, pictures: list[Image.Image]) -> tuple[float, int]:
    """CPU seconds and wire bytes of luma's own display()."""
    bus = CountingBus()
    device: Any = getattr(luma.oled.device, controller)(bus, *SIZE)
    device.persist = True
    bus.wire_bytes = 0
    started = time.process_time()
    for picture in pictures:
        device.display(picture)
    return time.process_time() - started, bus.wire_bytes


def ours(controller: str, pictures: list[Bitmap]) -> tuple[float, int]:
    """CPU seconds and wire bytes of the panel, the first full frame included."""
    bus = CountingBus()
    panel = open_panel(controller, bus)  # type: ignore[arg-type]
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
    frames(1)  # fills the glyph caches, as any running box has
    pictures, drawing = frames(matches)
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
