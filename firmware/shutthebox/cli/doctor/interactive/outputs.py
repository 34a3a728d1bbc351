"""`shutthebox doctor --outputs`: lamp, buzzer and panel in turn, confirmed by the button."""

import dataclasses
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue

from gpiozero.pins import Factory

from shutthebox.adapters.buzzer import Buzzer
from shutthebox.adapters.display import fonts
from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.opening import open_configured
from shutthebox.adapters.display.panel import DisplayError
from shutthebox.adapters.gpio import Edge, Pins, open_factory
from shutthebox.cli.doctor.interactive.held_pins import held_pins
from shutthebox.cli.doctor.result import CheckResult, failed, passed, report, skipped
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config, DisplayConfig, Interface
from shutthebox.game.effects import Sound
from shutthebox.game.switches.switch import DICE_BUTTON

QUESTION_S = 20.0
"""How long each question waits for the button."""

PICTURE = (
    "a thin frame along all four edges, and four different corners: one bar in the upper left, two in the "
    "upper right"
)
"""What one sees of the test picture, beside the controller's name."""

_BLINK_S = 0.25
_TUNE_S = 2.0


def test_outputs(config: Config, seconds: float | None, *, as_json: bool) -> int:
    """Works each output until the button confirms it, or the time is up.

    Args:
        config: the wiring and the panel.
        seconds: how long to wait for each press; None for `QUESTION_S`.
        as_json: print one document at the end; the questions are still shown.

    Returns:
        The exit code: 1 if one was not confirmed.

    Raises:
        PinsError: the pins can't be opened, for example while the box is running.
    """
    wait_s = seconds or QUESTION_S
    inbox: SimpleQueue[Edge] = SimpleQueue()
    factory = open_factory(config.gpio.backend)
    with held_pins(factory, config.gpio, {DICE_BUTTON: config.gpio.roll}, inbox.put) as pins:
        asks = _Asks(inbox, wait_s, aloud=not as_json)
        results = [asks.about("lamp", "The lamp in the button blinks.", _BLINK_S, _blink(pins))]
        pins.light(0)
        results.append(_buzzer(factory, config.gpio.buzzer, asks))
        results.append(_panel(config, asks))
    return report(results, as_json=as_json)


def _blink(pins: Pins) -> Callable[[], None]:
    lit = [False]

    def toggle() -> None:
        lit[0] = not lit[0]
        pins.light(float(lit[0]))

    return toggle


@dataclasses.dataclass(frozen=True, slots=True)
class _Asks:
    inbox: "SimpleQueue[Edge]"
    wait_s: float
    aloud: bool

    def about(self, check: str, what: str, every_s: float, work: Callable[[], None]) -> CheckResult:
        """Repeats *work* until the button is pressed, or the time is up."""
        if self.aloud:
            print(f"{what} Press the button if it does; if not, wait {self.wait_s:g} s.", flush=True)
        while not self.inbox.empty():
            self.inbox.get()  # the press that answered the last question, and its bounces
        end = time.monotonic() + self.wait_s
        due = 0.0
        while (now := time.monotonic()) < end:
            if now >= due:
                work()
                due = now + every_s
            try:
                edge = self.inbox.get(timeout=max(0.0, min(due, end) - now))
            except Empty:
                continue
            if edge.active:
                self._wait_for_release()
                return passed(check, "confirmed by the button")
        return failed(check, f"not confirmed within {self.wait_s:g} s: {_REMEDIES[check]}")

    def _wait_for_release(self) -> None:
        """Waits until the button has been up for a while, so that one press answers one question."""
        end = time.monotonic() + self.wait_s
        while time.monotonic() < end:
            try:
                self.inbox.get(timeout=0.3)
            except Empty:
                return


_REMEDIES = {
    "lamp": "its polarity, R5, F1, or the button's own contact",
    "buzzer": "its leads, F1; a beeper instead of a transducer hums at best",
    "panel": "shutthebox doctor --display looks for panels, and names the controllers to try",
}


def _buzzer(factory: Factory, line: int, asks: _Asks) -> CheckResult:
    try:
        buzzer = Buzzer(factory, line)
    except Exception as error:  # lgpio and RPi.GPIO raise their own types
        return failed("buzzer", f"line {line}: {str(error) or type(error).__name__}")
    try:
        return asks.about("buzzer", "The buzzer plays a tune.", _TUNE_S, lambda: buzzer.play(Sound.SHUT))
    finally:
        buzzer.close()


def _panel(config: Config, asks: _Asks) -> CheckResult:
    display = config.display
    if display.controller is None:
        return skipped("panel", "the configuration has none")
    try:
        panel = open_configured(display, display.controller, config.gpio.backend)
        panel.push(picture(display.controller, display))
    except DisplayError as error:
        return failed("panel", f"{error}: {_REMEDIES['panel']}")
    try:
        return asks.about("panel", f"The display shows {PICTURE}.", asks.wait_s, lambda: None)
    finally:
        panel.close()


def picture(controller: Controller, display: DisplayConfig) -> Bitmap:
    """The test picture. A wrong controller breaks its frame, or shifts it by two columns.

    Args:
        controller: whose name it shows.
        display: the configuration; the address on the bus is shown.
    """
    width, height = SIZE
    shown = Bitmap.of(*SIZE).outline((0, 0, width, height))
    # One to four bars say which corner is which: a panel may be mounted upside down.
    for bars, (x, y) in enumerate(((4, 4), (width - 20, 4), (4, height - 12), (width - 20, height - 12)), 1):
        for k in range(bars):
            shown = shown.fill((x + 4 * k, y, x + 4 * k + 2, y + 8))
    where = "SPI" if display.interface is Interface.SPI else f"0x{display.address:02X}"
    for text, y in ((str(controller), 16), (where, 34)):
        line = fonts.line(text, fonts.Size.MEDIUM)
        shown = shown.paste(line, (width - line.width) // 2, y)
    return shown
