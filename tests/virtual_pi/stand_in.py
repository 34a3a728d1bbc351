"""What the unit starts in tests of the unit itself: pins, a display and a state file, nothing more."""

import os
import signal
import threading
from pathlib import Path

from gpiozero import InputDevice, OutputDevice
from luma.core.interface.serial import i2c
from luma.core.render import canvas
from luma.oled.device import ssd1306

from gpiozero_gpiod import GpiodFactory
from shutthebox.platform.systemd import Systemd

TILE, LAMP = 17, 19


def main() -> None:
    """Lights the lamp while the tile is down, and notes every edge, until SIGTERM."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    systemd = Systemd()
    notes = Path(os.environ["STATE_DIRECTORY"], "notes")
    factory = GpiodFactory(consumer="shutthebox")
    tile = InputDevice(TILE, pull_up=True, pin_factory=factory)
    lamp = OutputDevice(LAMP, pin_factory=factory)

    def changed(ticks: float, state: int) -> None:
        lamp.value = not state
        with notes.open("a") as file:
            file.write(f"{round(ticks * 1e9)} {state}\n")

    tile.pin.when_changed = changed
    systemd.ready()
    with canvas(ssd1306(i2c(port=1, address=0x3C))) as draw:
        draw.text((0, 0), "3 to go", fill="white")
    systemd.status("playing")
    while not ended.wait(1):
        if Path("/run/shutthebox/hang").exists():
            continue
        systemd.alive()
    systemd.stopping()
    factory.close()


main()
