"""Two whole boxes of real parts for tests: daemons, helpers and a broker, each in its own process."""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import NamedTuple

from tests.support.cpu import cpu_s
from tests.support.daemon import Served
from tests.support.link import HelperProcess, LinkBroker
from tests.support.waiting import HANG_S, until
from tests.support.walk import read_prompts

from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.lock import FolderLock
from shutthebox.adapters.store.records import kept_match
from shutthebox.cli.main import main
from shutthebox.config.schema import read_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Effect, Show
from shutthebox.game.inputs import Held, LeversMoved, Pressed
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.rules.record import write
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.runtime.assembly import World
from shutthebox.runtime.daemon import serve
from shutthebox.simulator.hardware.box import SimulatedBox
from shutthebox.translations import localize_screen

NAMES = "The Anchor", "The Crown"


class Shown(NamedTuple):
    """A screen of a box, and when it was shown, in ns on the monotonic clock of all processes."""

    screen: LocalizedScreen
    asleep: bool
    at_ns: int


class _Hands(Served):
    """In the daemon's process: does what the test says, and tells it what the box shows."""

    def __init__(self, box: SimulatedBox, wire: Connection) -> None:
        super().__init__(box)
        self._wire, self._levers, self._fed_before = wire, dict[int, bool](), 0

    def observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, Show):
            self._wire.send(Shown(localize_screen(what), what.asleep, time.monotonic_ns()))
        elif isinstance(what, SwitchChanged):
            self._fed_before = len(self.fed)
            if what.switch != DICE_BUTTON:
                self._levers[what.switch] = what.active
                self._wire.send(what)
        super().observe(what, t_ns)

    def obey(self) -> None:
        """In a thread: obeys the test until the process is killed."""
        while True:
            with suppress(EOFError):
                what = self._wire.recv()
            match what:
                case "press":
                    self.press()
                case "hold":
                    self.hold()
                case lever, down:
                    self.hardware.set_lever(lever, down)
                    self.until(partial(self._lever_stands, lever, down))
            # By then it has shown what comes of it.
            self.until(lambda: len(self.fed) > self._fed_before)
            self._wire.send("done")

    def _lever_stands(self, lever: int, down: bool) -> bool:
        return self._levers.get(lever, False) is down


def _serve(wire: Connection, config: Path, state: Path, socket: Path, down: tuple[int, ...]) -> None:
    with SimulatedBox(9, seed=1, levers_down=down) as box:
        hands = _Hands(box, wire)
        for lever in down:
            hands._levers[lever] = True
        read = read_config(config)
        serve(
            read,
            settings_for(read, 9, "test"),
            World(
                box.factory,
                box.switch_lines,
                SimpleQueue(),
                RandomDice(Random(str(config)).randrange),
                FolderLock(state),
                state,
                observers=[hands.observe],
                machine=Path("/"),
            ),
            None,
            started=threading.Thread(target=hands.obey, daemon=True).start,
            feed_watchdog=hands.feed_watchdog,
            link=socket,
        )


class RealBox:
    """A daemon in a process of its own, as the hands and eyes at it have it.

    Attributes:
        shown: what it shows now; None before that.
        down: the levers that are down.
        seen: every screen and every lever that has settled, in the order in which they were told.
    """

    def __init__(self, folder: Path, config: Path, news: threading.Condition) -> None:
        folder.mkdir(exist_ok=True)
        self.state, self.socket = folder / "store", folder / "socket"
        self.state.mkdir()
        self._config, self._news = config, news
        self.down: set[int] = set()
        self.seen: list[Shown | SwitchChanged] = []
        self.start()

    def start(self) -> None:
        """Plugs it in, again too."""
        wire, other = get_context("spawn").Pipe()
        with self._news:
            self.shown: Shown | None = None
            self._done, self.is_dead = 0, False
            self._wire = wire
        arguments = other, self._config, self.state, self.socket, tuple(self.down)
        self.process = get_context("spawn").Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        other.close()
        threading.Thread(target=self._listen, args=(self._wire,), daemon=True).start()

    def kill(self) -> None:
        """Pulls its plug."""
        self.process.kill()
        self.process.join()

    @property
    def pid(self) -> int:
        """Of its process."""
        assert self.process.pid is not None
        return self.process.pid

    @property
    def screen(self) -> LocalizedScreen | None:
        """What it shows now; None before that."""
        return None if self.shown is None else self.shown.screen

    def _listen(self, wire: Connection) -> None:
        while True:
            try:
                what = wire.recv()
            except (EOFError, OSError):
                what = None
            with self._news:
                if wire is not self._wire:
                    return
                if what is None:
                    self.is_dead = True
                elif isinstance(what, Shown | SwitchChanged):
                    self.seen.append(what)
                    self.shown = what if isinstance(what, Shown) else self.shown
                else:
                    self._done += 1
                self._news.notify_all()
            if what is None:
                return

    def do(self, *acts: object) -> None:
        """Hands do these things, one after the other; none if the plug is pulled."""
        for act in acts:
            if isinstance(act, tuple):
                lever, down = act
                if (lever in self.down) is down:
                    continue
                (self.down.add if down else self.down.discard)(lever)
            with self._news:
                wire, want = self._wire, self._done + 1

            def is_done(wire: Connection = wire, want: int = want) -> bool:
                return wire is not self._wire or self.is_dead or self._done >= want

            with suppress(OSError):
                wire.send(act)
            with self._news:
                assert self._news.wait_for(is_done, HANG_S), f"{act}: {self.shown}"

    def flick(self, lever: int) -> None:
        """Moves a lever there and back."""
        down = lever in self.down
        self.do((lever, not down), (lever, down))

    def stand(self, down: int) -> None:
        """Moves the levers so that these are down."""
        wanted = set(to_numbers(down))
        self.do(*((lever, lever in wanted) for lever in sorted(self.down ^ wanted)))


class RealParts:
    """Two boxes, their helpers and their broker: five processes."""

    def __init__(self, folder: Path, seed: int = 1, rounds: int = 1) -> None:
        self.broker = LinkBroker(folder)
        self.news = threading.Condition()
        self.random = Random(seed)
        self.boxes: list[RealBox] = []
        self.helpers: list[HelperProcess] = []
        for number, name in enumerate(NAMES):
            config = self.broker.config(folder / f"{number}.toml", name=name)
            config.write_text(f'[game]\nsetup = "usual"\nrounds = {rounds}\n{config.read_text()}')
            box = RealBox(folder / f"box-{number}", config, self.news)
            self.boxes.append(box)
            self.helpers.append(HelperProcess(config, box.socket, folder / f"helper-{number}"))

    @property
    def parts(self) -> tuple[RealBox | HelperProcess, ...]:
        """All that can die, but for the broker."""
        return *self.boxes, *self.helpers

    @property
    def pids(self) -> tuple[int, ...]:
        """Of all processes."""
        helpers = (helper.process.pid for helper in self.helpers)
        return *(box.pid for box in self.boxes), *helpers, self.broker.process.pid

    def close(self) -> None:
        """Kills all five."""
        for part in (*self.parts, self.broker.process):
            part.kill()

    @property
    def is_flipping(self) -> bool:
        """Whether the dice have stopped at either box, and its player flips the tiles."""
        return any(box.screen is not None and box.screen.mode is Mode.FLIPPING for box in self.boxes)

    def come_to_rest(self) -> None:
        """Waits until all processes have had next to nothing to do for three seconds."""
        before_s = float("-inf")
        while (now_s := sum(map(cpu_s, self.pids))) - before_s > 0.1:
            before_s = now_s
            time.sleep(3)

    # Hands.

    def play(self, meanwhile: Iterator[object] | None = None) -> None:
        """Follows the prompts at both boxes to the end of a linked match.

        Args:
            meanwhile: drawn on once for whatever hands do, or see.
        """
        end = time.monotonic() + 2 * HANG_S
        before: list[Shown | None] = []
        while not all(self._is_over(box) for box in self.boxes):
            if before != [box.shown for box in self.boxes]:
                end = time.monotonic() + 2 * HANG_S
            before = [box.shown for box in self.boxes]
            assert time.monotonic() < end, before
            acted = [self.hand(number) for number in range(2)]
            if not any(acted):
                self._wait_for_news(before)
            if meanwhile is not None:
                next(meanwhile, None)

    def _wait_for_news(self, before: list[Shown | None]) -> None:
        """Waits until a box shows something else; looks again after a second, for something may have died."""
        with self.news:
            self.news.wait_for(lambda: [box.shown for box in self.boxes] != before, 1)

    @staticmethod
    def _is_over(box: RealBox) -> bool:
        return box.screen is not None and box.screen.mode is Mode.MATCH_OVER

    def hand(self, number: int) -> bool:
        """Does one thing at a box that its screen asks for; False if it asks for nothing."""
        box = self.boxes[number]
        shown = box.shown
        if shown is None:
            return False
        screen = shown.screen
        if shown.asleep:
            box.do("press")
        elif screen.mode is Mode.ATTRACT:
            # The guest goes there once the host's room is open.
            if number and self.room is None:
                return False
            box.do("hold")
        elif screen.mode is Mode.MENU:
            self._choose(box, screen, "Another box", 9)
        elif screen.mode is Mode.LINKING:
            return self._link_up(number, box, screen)
        elif screen.mode is Mode.MATCH_OVER:
            return False
        else:
            return self._flip(box, screen)
        return True

    @property
    def room(self) -> str | None:
        """All digits that the host shows: room and code."""
        screen = self.boxes[0].screen
        found = screen and re.search(r"Room (\d{4})\s+Code (\d{4})", screen.text)
        return found[1] + found[2] if found else None

    def _link_up(self, number: int, box: RealBox, screen: LocalizedScreen) -> bool:
        if screen.title in ("Room?", "Code?"):
            entered, wanted = re.sub(r"\D", "", screen.big), self.room
            if wanted is None:
                box.do("hold")
                return True
            digits = wanted[4:] if screen.title == "Code?" else wanted[:4]
            if digits.startswith(entered):
                box.flick(int(digits[len(entered)]))
            else:
                box.do("hold")
        elif screen.cursor is not None:
            self._choose(box, screen, "Enter a room" if number else "Show a room", 2)
        elif screen.prompt.startswith("Press"):
            box.do("press")
        else:
            return False
        return True

    @staticmethod
    def _choose(box: RealBox, screen: LocalizedScreen, wanted: str, last: int) -> None:
        if wanted in screen.rows[screen.cursor or 0]:
            box.do("press")
        else:
            box.flick(last)

    def _flip(self, box: RealBox, screen: LocalizedScreen) -> bool:
        if screen.prompt in ("Hold 10 s: end", "Not your turn", "One moment"):
            return False
        told = read_prompts(screen, to_tiles(box.down))
        match self.random.choice(told) if told else None:
            case Pressed():
                box.do("press")
            case Held():
                box.do("hold")
            case LeversMoved(down):
                box.stand(down)
            case _:
                return False
        return True

    def records(self) -> list[str]:
        """What each box has kept of its latest match, as a record."""
        found = []
        for box in self.boxes:
            with closing(sqlite3.connect(f"file:{box.state / STORE_FILE}?mode=ro", uri=True)) as db:
                (match,) = db.execute("select max(id) from match").fetchone()
                found.append(write(kept_match(db, match, "test")))
        return found

    def has_one_record(self, folder: Path) -> bool:
        """Whether both boxes come to keep the same match with both signatures, and its throws are proved.

        A box shows the end before it has the other one's signature.
        """

        def is_signed_by_both() -> bool:
            host, guest = self.records()
            return host == guest and host.count("\nsignature ") == 2

        until(is_signed_by_both, "two records, or one that isn't signed by both")
        record = folder / "record"
        record.write_text(self.records()[0])
        return main(["verify", str(record)]) == 0


@contextmanager
def real_parts(folder: Path, seed: int = 1, rounds: int = 1) -> Iterator[RealParts]:
    """Five processes, until the end."""
    parts = RealParts(folder, seed, rounds)
    try:
        yield parts
    finally:
        parts.close()
