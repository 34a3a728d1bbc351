"""The real daemon on simulated contacts, in real time: hands in another thread, and its screens."""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from random import Random

from gpiozero import InputDevice
from tests.support.box import Eyes
from tests.support.waiting import HANG_S

from shutthebox.adapters.display.panel import Panel
from shutthebox.adapters.store.lock import FolderLock
from shutthebox.config.schema import Config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import Dice, RandomDice
from shutthebox.game.effects import Effect, Show
from shutthebox.game.mode import Mode
from shutthebox.game.switches import button
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.runtime.assembly import World
from shutthebox.runtime.daemon import serve
from shutthebox.simulator.hardware.box import SimulatedBox


class Served(Eyes):
    """A daemon at work in the main thread, for hands in another.

    Attributes:
        fed: when its loop fed the watchdog, in seconds on the monotonic clock.
        hardware: the simulated box.
    """

    def __init__(self, box: SimulatedBox) -> None:
        super().__init__()
        self.fed: list[float] = []
        self.hardware = box
        self._happened = threading.Condition()
        self._button = False

    @property
    def shows(self) -> list[Show]:
        return [effect for effect in self.effects if isinstance(effect, Show)]

    def observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        with self._happened:
            if not isinstance(what, SwitchChanged):
                self.effects.append(what)
            elif what.switch == DICE_BUTTON:
                self._button = what.active
            self._happened.notify_all()

    def feed_watchdog(self) -> None:
        with self._happened:
            self.fed.append(time.monotonic())
            self._happened.notify_all()

    def until(self, condition: Callable[[], object]) -> None:
        """Waits until the condition holds; checks whenever the daemon does something, and every 10 ms."""
        end = time.monotonic() + HANG_S
        with self._happened:
            while not condition():
                assert time.monotonic() < end, "the box does not answer"
                self._happened.wait(0.01)

    def press(self, lasts_s: float = 0.0) -> None:
        """A press, until the box has seen its end.

        However late a busy machine sees its beginning and end, or however long it lasts, the finger presses
        and doesn't hold.
        """
        # Not by unittest.mock, which loads asyncio: what the daemon loads is tested, too.
        reached, button.REACHED = button.REACHED, ()
        try:
            self.hardware.set_button(True)
            self.until(partial(self._stands, True))
            time.sleep(lasts_s)
            self.hardware.set_button(False)
            self.until(partial(self._stands, False))
        finally:
            button.REACHED = reached

    def hold(self) -> None:
        """The button down until the box has shown what comes of it."""
        self.hardware.set_button(True)
        self.until(partial(self._stands, True))
        shows = len(self.shows)
        self.until(lambda: len(self.shows) > shows)
        self.hardware.set_button(False)
        self.until(partial(self._stands, False))

    def _stands(self, down: bool) -> bool:
        return self._button == down

    def begin(self) -> None:
        """A press that begins a match."""
        self.press()
        self.until(lambda: self.mode is Mode.READY)

    def throw(self) -> None:
        """A press, and until the dice have stopped."""
        self.press()
        self.until(lambda: self.mode in (Mode.FLIPPING, Mode.TURN_OVER))

    def is_fed(self) -> None:
        """Waits until the watchdog is fed again."""
        count = len(self.fed)
        self.until(lambda: len(self.fed) > count)

    def starves(self) -> None:
        """Waits until the watchdog has not been fed for longer than the loop ever waits."""
        self.until(lambda: time.monotonic() - self.fed[-1] > 1.5)


def run_daemon(
    config: Config,
    state: Path,
    act: Callable[[Served], object],
    *,
    connect: Callable[[], Panel] | None = None,
    scores: Path | None = None,
    outbox: Path | None = None,
    link: Path | None = None,
    machine: Path | None = None,
    dice: Dice | None = None,
    taken: Sequence[int] = (),
    releases: Sequence[threading.Event] = (),
) -> Served:
    """Serves a box while hands do something to it, and ends it with SIGTERM.

    Args:
        config: of the box.
        state: folder of the store.
        act: the hands, in another thread, once the box has shown something.
        connect: opens the panel; None for a box without one.
        scores: folder of the files for scoreboard and voice.
        outbox: folder of the matches for a league.
        link: socket for the link's helper.
        machine: where the files of the machine are.
        dice: where throws come from; None for seeded ones.
        taken: levers whose lines another program has.
        releases: set when the hands have done, however that ended.
    """
    wrong: list[BaseException] = []
    with SimulatedBox(9, seed=1) as box:
        served = Served(box)
        others = [InputDevice(box.switch_lines[lever], pin_factory=box.factory) for lever in taken]

        def play() -> None:
            try:
                served.until(lambda: served.shows)
                act(served)
            except BaseException as error:
                wrong.append(error)
            finally:
                for event in releases:
                    event.set()
                os.kill(os.getpid(), signal.SIGTERM)

        hands = threading.Thread(target=play)
        serve(
            config,
            settings_for(config, 9, "test"),
            World(
                box.factory,
                box.switch_lines,
                SimpleQueue(),
                dice or RandomDice(Random(1).randrange),
                FolderLock(state),
                state,
                observers=[served.observe],
                machine=machine or Path("/"),
                watches_machine=machine is not None,
                scores=scores,
                outbox=outbox,
            ),
            connect,
            started=hands.start,
            feed_watchdog=served.feed_watchdog,
            link=link,
        )
        hands.join()
        for other in others:
            other.close()
    if wrong:
        raise wrong[0]
    return served
