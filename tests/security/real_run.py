"""`shutthebox run`, with simulated pins for the Pi's and an eye on what it does: a script for the tests.

Arguments: the config, a byte that the system's entropy is made of from then on ("" for the
real one), and what hands do, a word each. Prints one JSON document about what happened.
"""

import json
import os
import random
import signal
import sys
import threading
import time
from typing import Any

events: list[list[str]] = []


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """Keeps the events that concern a network or another program."""
    if event.split(".")[0] in ("socket", "subprocess", "urllib", "http", "ftplib", "smtplib"):
        family = getattr(arguments[0], "family", None) if arguments else None
        if event == "socket.__new__":
            family = arguments[1]
        events.append([event, getattr(family, "name", str(family))])
    elif event in ("os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn"):
        events.append([event, ""])


sys.addaudithook(watch)

import luma.core.interface.serial  # noqa: E402
import luma.oled.device  # noqa: E402, F401
from tests.support.daemon import Served  # noqa: E402

import gpiozero_gpiod  # noqa: E402, F401  (with everything that a real box loads)
from shutthebox.adapters import gpio  # noqa: E402
from shutthebox.cli.main import main  # noqa: E402
from shutthebox.config.schema import Config  # noqa: E402
from shutthebox.game.mode import Mode  # noqa: E402
from shutthebox.game.settings import Settings  # noqa: E402
from shutthebox.game.typed_throw import DOUBLE_PRESS_NS  # noqa: E402
from shutthebox.runtime import daemon  # noqa: E402
from shutthebox.runtime.assembly import World  # noqa: E402
from shutthebox.simulator.hardware.box import SimulatedBox  # noqa: E402

LOADED_BY_US = {name for name in sys.modules if name.startswith("shutthebox.simulator")}
asked = 0


def stub_entropy(byte: int) -> None:
    """Makes the system's entropy the same byte for ever, and counts how often it is asked for."""

    def urandom(count: int) -> bytes:
        global asked
        asked += 1
        return bytes([byte]) * count

    random._urandom = urandom  # type: ignore[attr-defined]


def enter() -> None:
    """The button down until the presses before it are a throw."""
    hands.hardware.set_button(True)
    hands.until(lambda: hands.mode is Mode.FLIPPING)
    hands.hardware.set_button(False)


def play(hands: Served, deeds: list[str]) -> None:
    """What hands do; in a thread of its own, as the daemon has the main one."""
    try:
        hands.until(lambda: hands.shows)
        for deed in deeds:
            {"begin": hands.begin, "throw": hands.throw, "press": hands.press, "enter": enter}[deed]()
            time.sleep(DOUBLE_PRESS_NS / 1e9)  # two presses, not a double one
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


config, entropy, *deeds = sys.argv[1:]
if entropy:
    stub_entropy(int(entropy))
serve = daemon.serve


def watched(config: Config, settings: Settings, world: World, *arguments: Any, **options: Any) -> None:
    """The daemon, seen by the hands too."""
    observers = (*world.observers, hands.observe)
    serve(config, settings, world._replace(observers=observers), *arguments, **options)


with SimulatedBox(9) as box:
    hands = Served(box)
    gpio.open_factory = lambda backend: box.factory
    daemon.serve = watched
    threading.Thread(target=play, args=(hands, deeds), daemon=True).start()
    code = main(["run", "--config", config])
modules = sorted({*sys.modules} - LOADED_BY_US)
print(json.dumps({"code": code, "events": events, "modules": modules, "asked": asked}))
