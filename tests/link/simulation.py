"""Two whole boxes and both ends of their link, in one virtual time, from one seed.

Hands at both boxes do what the prompts say, and nothing else. Meanwhile messages are lost, doubled and
late, the link is cut, helpers die, and plugs are pulled at any moment, also while the store is being written.
After every step the boxes have one record, no throw has changed, and nothing that a screen has shown is lost.
In the end the prompts have led both to the result.

    python -m tests.link.simulation 10000           seeds 1 to 10,000; prints those that fail
    python -m tests.link.simulation --seed 4711     one of them, with all that was done
"""

import argparse
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.support.box import config_with
from tests.support.progress import end_progress, show_progress
from tests.support.walk import read_prompts

from shutthebox.adapters.store.chain import MARK_NAME
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.config.profiles import builtins
from shutthebox.config.schema import Config
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Fact, Finished, PlayersLeft
from shutthebox.game.inputs import Held, LeversMoved, Pressed
from shutthebox.game.mode import Mode
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.link.invitation import linkable
from shutthebox.rules.actions import (
    Action,
    Advanced,
    Moved,
    OutOfTime,
    Reopened,
    Thrown,
    action_from_text,
    apply,
)
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.simulator.scenario.script import VERBS
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.virtual_link import LinkEnd, VirtualLink
from shutthebox.simulator.virtual_time import VirtualTime
from shutthebox.translations import localize_screen

MS = 1_000_000
S = 1000 * MS
TROUBLE_STEPS = 600
"""After so many steps all is well from then on."""

TROUBLE_NS, REST_NS = 240 * S, 30 * S
"""So long all may be bad, and so long it's well afterwards: nobody is away for as long as ends the match."""

AGAIN_NS = 20 * S
"""So long after all is well again a box may still be away."""

MOST_STEPS = 6000
PAUSES_MS = 20, 200, 200, 1000, 1000, 4000
SECTOR = 512
MEMORY = next((str(path) for path in (Path("/dev/shm"),) if path.is_dir()), None)
"""A store is synced after every fact, which on a disk takes most of the time."""

GAMES = [game.name for game in builtins() if linkable(game)]
NAMES = "The Anchor", "The Crown"


class Trouble(NamedTuple):
    """How often something happens, per step.

    Attributes:
        cuts: a plug is pulled.
        torn: of those, while something is being kept.
        link: something happens to the link.
        helpers: a helper dies.
        pairing: all of it from the start, not only once the match has begun.
    """

    cuts: float = 0.0
    torn: float = 0.0
    link: float = 0.0
    helpers: float = 0.0
    pairing: bool = False


class PowerFailure(BaseException):
    """A box has lost its power, in the middle of what it was doing."""


class Seat:
    """One box, the hands at it, and what they have seen.

    Attributes:
        facts: all actions of the match that the box has kept.
        match: that they give; None without one, or if the rules don't allow them.
        is_sound: the rules allow the actions.
        is_over: the match has come to its end.
        has_left: it ended without a result.
        left: the session of the match that ended so.
        screen: the latest, in words.
        seen: so many actions had happened when it was shown.
        die_in: effects until the plug is pulled; None for never.
    """

    def __init__(
        self,
        number: int,
        random: Random,
        make: Callable[..., VirtualBox],
        note: Callable[[str, int, Throw], None],
        tell: Callable[[int, str], None],
    ) -> None:
        self.number, self._random, self._note, self._tell = number, random, note, tell
        self.facts: list[Action] = []
        self.match: Match | None = None
        self.session = self.left = ""
        self.is_over = self.has_left = False
        self.is_sound = True
        self.seen = 0
        self.die_in: int | None = None
        self.dies_writing = False
        self._before: dict[Path, bytes] = {}
        self._unsure: Effect | None = None
        self._starting: list[Effect] | None = None
        self.box = make(observers=[self._observe])

    # What the box does.

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, SwitchChanged):
            return
        if self._starting is not None:
            self._starting.append(what)
            return
        if self.die_in is not None:
            self.die_in -= 1
            if self.die_in <= 0 and (isinstance(what, Keep) or not self.dies_writing):
                if not self.dies_writing:
                    self._take(what)
                elif isinstance(what, Keep):
                    self._unsure = what
                    if isinstance(what.fact, Thrown):
                        self._note(self.session, self.thrown + 1, what.fact.faces)
                raise PowerFailure(self)
        self._take(what)
        if self.die_in is not None:
            self.note_files()

    def _take(self, what: Effect) -> None:
        if isinstance(what, Keep):
            self._tell(self.number, f"# keeps {fact_text(what.fact)}")
        if isinstance(what, Show):
            self.seen = len(self.facts)
            self.screen = localize_screen(what)
            self._tell(self.number, f"# shows {' / '.join(self.text.splitlines())}")
        elif isinstance(what, Keep):
            self._keep(what.fact)

    def _keep(self, fact: Fact) -> None:
        match fact:
            case Began(match, link=link):
                self.match, self.facts, self.seen = match, [], 0
                self.is_over = self.has_left = False
                self.is_sound = True
                self.session = link.agreement.session if link else ""
            case Finished():
                self.is_over = True
            case PlayersLeft():
                self.match, self.has_left = None, not self.is_over
                if self.has_left:
                    self.left, self.session = self.session, ""
            case Thrown() | Moved() | Reopened() | OutOfTime() | Advanced():
                self.facts.append(fact)
                action = action_from_text(fact.to_text())  # as the store reads it
                if self.match is not None:
                    self.is_sound = action.why_not(self.match) is None
                    self.match = apply(self.match, action) if self.is_sound else None
                if isinstance(fact, Thrown):
                    self._note(self.session, self.thrown, fact.faces)

    def note_files(self) -> None:
        """Remembers the store's log and head mark, before more is written."""
        store = self.box.store
        assert store is not None, "the box has a store"
        for ending in ("-wal", MARK_NAME):
            path = store.path.with_name(f"{STORE_FILE}{ending}")
            self._before[path] = path.read_bytes() if path.exists() else b""

    @property
    def thrown(self) -> int:
        """How many throws there have been."""
        return sum(isinstance(fact, Thrown) for fact in self.facts)

    @property
    def shown_match(self) -> Match | None:
        """The match as far as the box has it, dice that still tumble included."""
        mode = self.box.runner.machine.state.mode
        return mode.thrown if isinstance(mode, Rolling) else self.box.runner.machine.state.match

    @property
    def show(self) -> Show:
        """The latest screen."""
        return self.box.show

    @property
    def text(self) -> str:
        """All that the screen says."""
        return self.screen.text

    # Its plug.

    def die(self) -> None:
        """Pulls the plug, and puts it back."""
        unsure, self._unsure, self.die_in = self._unsure, None, None
        self._starting = []
        if unsure is None:
            self.box.cut_power()
        else:
            self.box.cut_power(self._spoil)
        started, self._starting = self._starting, None
        before = (
            [*self.facts],
            self.match,
            self.is_sound,
            self.is_over,
            self.has_left,
            self.session,
            self.left,
        )
        for what in (unsure, *started) if unsure is not None else started:
            self._take(what)
        if unsure is not None and not self.fits:
            # It wasn't kept, and nobody can have seen it.
            self.facts, self.match, self.is_sound, self.is_over, self.has_left, self.session, self.left = (
                before
            )
            for what in started:
                self._take(what)

    @property
    def fits(self) -> bool:
        """Whether the box has the match that it has kept, and shows it."""
        shown, kept = self.shown_match, self.match
        if shown is None or kept is None:
            return self.is_sound and (shown is kept or self.is_over)
        return shown._replace(game=kept.game) == kept  # a box may know the game by another name

    def _spoil(self, path: Path, content: bytes) -> bytes:
        """A file of the store, if power fails while its log is being written; the head mark comes later."""
        before = self._before.get(path, content)
        if path.name.endswith(MARK_NAME):
            return before
        if content[:32] != before[:32]:  # a new log, or nothing to spoil
            return content
        longer, torn, is_first = before.ljust(len(content), b"\0"), b"", True
        for at in range(0, len(content), SECTOR):
            written, old = content[at : at + SECTOR], longer[at : at + SECTOR]
            if written != old:
                # The first of these sectors has the end of what was synced before, which no disk loses.
                may_be = (written, old) if is_first else (written, old, self._random.randbytes(len(written)))
                written, is_first = self._random.choice(may_be), False
            torn += written
        return torn[: self._random.choice((len(content), max(len(before), 32)))]


class Simulation:
    """Two boxes and what happens to them.

    Args:
        seed: of everything.
        folder: for their stores.
        trouble: what goes wrong; None for what the seed says.
        game: that is played; empty for one of the seed's choice.
        tell: told of all that is done, as lines of a scenario.
    """

    def __init__(
        self,
        seed: int,
        folder: Path,
        trouble: Trouble | None = None,
        game: str = "",
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.seed, self._tell = seed, tell
        tell(f"seed {seed}")
        self._random = random = Random(f"{seed} simulation")
        self.trouble = trouble or Trouble(
            cuts=random.choice((0, 0.005, 0.03)),
            torn=random.choice((0, 0.5)),
            link=random.choice((0, 0.02, 0.1)),
            helpers=random.choice((0, 0.01)),
            pairing=random.random() < 0.2,
        )
        self.game = game or random.choice(GAMES)
        self.time = VirtualTime()
        self.link = VirtualLink(seed, lambda: self.time.now_ns)
        self.time.add(self.link)
        self._throws: dict[tuple[str, int], Throw] = {}
        self._dead_helpers: set[int] = set()
        self._mended_ns = self._release_ns = self._bad_ns = 0
        self.seats: list[Seat] = []
        for number in range(2):
            state = folder / f"{number}"
            state.mkdir()
            config = self._config(number)
            make = partial(self._box, number, config, state)
            self.seats.append(Seat(number, random, make, self._note_throw, self._say))

    def _config(self, number: int) -> Config:
        values = {"game__setup": "usual", "game__profile": self.game, "game__rounds": 1} | {
            "link__on": True,
            "link__name": NAMES[number],
        }
        for key, value in values.items():
            shown = str(value).lower() if isinstance(value, bool) else value
            self._say(number, f"config {key.replace('__', '.')} {shown}")
        return config_with(**values)

    def _box(self, number: int, config: Config, state: Path, **more: object) -> VirtualBox:
        return VirtualBox(
            config,
            state,
            seed=self.seed + number,
            advised=False,
            epoch_s=self._random.uniform(0, 2e9),
            link=LinkEnd(self.link, number),
            time=self.time,
            **more,  # type: ignore[arg-type]
        )

    def close(self) -> None:
        """Closes both boxes."""
        for seat in self.seats:
            seat.box.close()

    def _say(self, number: int, line: str) -> None:
        self._tell(f"box 2: {line}" if number else line)

    def _do(self, number: int | None, line: str, act: Callable[[], object]) -> None:
        """Does something, at a box or between them; whoever loses the power by it gets it back."""
        t_ns = self.time.now_ns
        self._say(number or 0, f"@{t_ns // S}.{t_ns % S:09d} {line}")
        try:
            act()
        except PowerFailure as failure:
            dead: Seat = failure.args[0]
            self._say(dead.number, f"power-cut  # while {'keeping' if dead.dies_writing else 'busy'}")
            dead.die()
            self._bad_ns = self.time.now_ns
            for seat in self.seats:
                if seat.box.box.button_down:  # the failure has interrupted the hand, too
                    self.wait(max(0, self._release_ns - self.time.now_ns))
                    self._do(seat.number, "button up", partial(seat.box.set_button, False))

    # Steps.

    def run(self) -> None:
        """Plays to the end.

        Raises:
            AssertionError: a promise is broken.
        """
        for step in range(MOST_STEPS):
            if step >= TROUBLE_STEPS or self.time.now_ns > self._mended_ns + TROUBLE_NS + REST_NS:
                self._mend()
            elif self.time.now_ns < self._mended_ns + REST_NS:
                pass
            elif self.trouble.pairing or all(seat.match for seat in self.seats):
                self._make_trouble()
            self.hand(self._random.choice(self.seats))
            self.wait(self._random.choice(PAUSES_MS) * MS)
            self.check()
            if all(seat.is_over and seat.match is None for seat in self.seats):
                assert self.seats[0].facts == self.seats[1].facts, "one record"
                return
        shown = " | ".join(f"{seat.show.mode}: {seat.text!r}" for seat in self.seats)
        raise AssertionError(f"prompts that are followed alone lead to the end: {shown}")

    def check(self) -> None:
        """Looks whether all promises hold.

        Raises:
            AssertionError: one doesn't.
        """
        for seat in self.seats:
            shown, kept = map(_short, (seat.shown_match, seat.match))
            assert seat.fits, f"box {seat.number + 1} has what it has kept: it has {shown}, kept is {kept}"
            assert seat.seen <= len(seat.facts), f"box {seat.number + 1} has lost what it has shown"
            other = self.seats[1 - seat.number]
            gives_up = seat.has_left and (seat.facts or seat.left == other.session)
            assert not gives_up, f"box {seat.number + 1} gave a match up: {seat.text!r}"
            if not self.link.is_well or self._dead_helpers or seat.die_in is not None:
                self._bad_ns = self.time.now_ns
        for seat in self.seats:
            waits = "Hold 10 s" in seat.text and self.time.now_ns > self._bad_ns + AGAIN_NS
            assert not waits, f"all is well, and box {seat.number + 1} waits for the other: {seat.text!r}"
        one, other = self.seats
        if one.session and one.session == other.session:
            most = min(len(one.facts), len(other.facts))
            assert one.facts[:most] == other.facts[:most], "one record"

    def _note_throw(self, session: str, number: int, throw: Throw) -> None:
        known = self._throws.setdefault((session, number), throw)
        assert known == throw, f"throw {number} was {known}, and is {throw}"

    # What goes wrong.

    def _make_trouble(self) -> None:
        random, trouble = self._random, self.trouble
        for seat in self.seats:
            if random.random() < trouble.cuts and seat.die_in is None:
                seat.dies_writing = random.random() < trouble.torn
                seat.die_in = random.randint(1, 6)
                seat.note_files()
        if random.random() < trouble.helpers:
            number = random.randrange(2)
            if number in self._dead_helpers:
                self._dead_helpers.discard(number)
                self._do(number, "# helper starts", partial(self.link.start_helper, number))
            else:
                self._dead_helpers.add(number)
                self._do(number, "# helper dies", partial(self.link.kill_helper, number))
        if random.random() < trouble.link:
            what = random.choice(
                (
                    "link up",
                    "link cut",
                    "link lose 0.2",
                    "link lose 0.7",
                    "link double",
                    "link late 30",
                    "link late 3600",
                )
            )
            self._do(None, what, partial(VERBS["link"].parse(what.split()[1:]).do, self.seats[0].box))

    def _mend(self) -> None:
        self._mended_ns = self.time.now_ns
        for seat in self.seats:
            seat.die_in = None
        for number in self._dead_helpers:
            self._do(number, "# helper starts", partial(self.link.start_helper, number))
        self._dead_helpers.clear()
        if not self.link.is_well:
            self._do(None, "link up", self.link.mend)

    # Hands.

    def wait(self, lasts_ns: int) -> None:
        """Lets time pass at both boxes."""
        self._do(None, f"wait {lasts_ns / S:g}", partial(self._run_until, self.time.now_ns + lasts_ns))

    def _run_until(self, t_ns: int) -> None:
        while self.time.now_ns < t_ns:
            self.time.run_until(t_ns)

    def _press(self, seat: Seat, seconds: float = 0.1) -> None:
        self._release_ns = self.time.now_ns + round(seconds * S)
        self._do(seat.number, f"hold {seconds:g}", partial(seat.box.press, round(seconds * S)))

    def _set(self, seat: Seat, lever: int, down: bool) -> None:
        self._do(
            seat.number, f"{'flip' if down else 'lift'} {lever}", partial(seat.box.set_lever, lever, down)
        )
        self.wait(100 * MS)

    def _flick(self, seat: Seat, lever: int) -> None:
        down = lever in seat.box.box.levers_down
        self._set(seat, lever, not down)
        self._set(seat, lever, down)

    def hand(self, seat: Seat) -> None:
        """One thing that hands do: what the prompt says."""
        show = seat.show
        if show.asleep or show.mode is Mode.MATCH_OVER:
            self._press(seat)
        elif show.mode is Mode.ATTRACT:
            # The guest goes there once the host's room is open.
            if not seat.is_over and (seat.number == 0 or self._room is not None):
                self._press(seat, 1)
        elif show.mode is Mode.MENU:
            self._choose(seat, "Another box", max(seat.box.box.levers) - 1)  # from the end, it's near
        elif show.mode is Mode.LINKING:
            self._link_up(seat)
        else:
            self._play(seat)

    def _choose(self, seat: Seat, wanted: str, lever: int = 2) -> None:
        screen = seat.screen
        if wanted in screen.rows[screen.cursor or 0]:
            self._press(seat)
        else:
            self._flick(seat, lever)

    @property
    def _room(self) -> str | None:
        """All digits that the host shows: room and code."""
        found = re.search(r"Room (\d{4})\s+Code (\d{4})", self.seats[0].text)
        return None if found is None else found[1] + found[2]

    def _link_up(self, seat: Seat) -> None:
        screen = seat.screen
        if screen.title in ("Room?", "Code?"):
            self._enter(seat, screen)
        elif screen.cursor is not None:
            self._choose(seat, "Enter a room" if seat.number else "Show a room")
        elif screen.prompt.startswith("Press"):
            self._press(seat)

    def _enter(self, seat: Seat, screen: LocalizedScreen) -> None:
        entered = re.sub(r"\D", "", screen.big)
        wanted = self._room
        if wanted is None:
            self._press(seat, 1)
            return
        digits = wanted[4:] if screen.title == "Code?" else wanted[:4]
        if digits.startswith(entered):
            self._flick(seat, int(digits[len(entered)]))
        else:
            self._press(seat, 1)

    def _play(self, seat: Seat) -> None:
        levers = to_tiles(seat.box.box.levers_down)
        screen = seat.screen
        if screen.prompt == "Hold 10 s: end":  # the other box will be back
            return
        told = read_prompts(screen, levers)
        match self._random.choice(told) if told else None:
            case Pressed():
                self._press(seat)
            case Held():
                self._press(seat, 1)
            case LeversMoved(down):
                for lever in to_numbers(levers ^ down):
                    self._set(seat, lever, bool(down >> (lever - 1) & 1))


def _short(match: Match | None) -> str:
    return f"player {match.player + 1} at {match.stage.name}, {match.turn}" if match else "no match"


class Outcome(NamedTuple):
    """Of one seed; the error is empty if all promises were kept."""

    seed: int
    game: str
    throws: int
    error: str


def simulate(seed: int, tell: Callable[[str], None] = lambda line: None) -> Outcome:
    """Plays one seed."""
    with tempfile.TemporaryDirectory(prefix="shutthebox-", dir=MEMORY) as folder:
        simulation = Simulation(seed, Path(folder), tell=tell)
        error = ""
        with closing(simulation):
            try:
                simulation.run()
            except Exception:
                error = traceback.format_exc()
        throws = sum(isinstance(fact, Thrown) for fact in simulation.seats[0].facts)
        return Outcome(seed, simulation.game, throws, error)


def main() -> int:
    """Plays the seeds of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.link.simulation", description=__doc__)
    parser.add_argument("count", metavar="N", nargs="?", type=int, default=300, help="seeds, from 1")
    parser.add_argument("--seed", metavar="N", type=int, help="this one alone, with all that was done")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes")
    args = parser.parse_args()
    if args.seed is not None:
        outcome = simulate(args.seed, print)
        print(outcome.error or f"seed {args.seed}: all well: {outcome.game}, {outcome.throws} throws")
        return bool(outcome.error)
    started, failed, throws = time.perf_counter(), list[Outcome](), 0
    with Pool(args.jobs) as pool:
        for done, outcome in enumerate(pool.imap_unordered(simulate, range(1, args.count + 1)), 1):
            throws += outcome.throws
            if outcome.error:
                failed.append(outcome)
                print(f"seed {outcome.seed}: {outcome.game}: {outcome.error.splitlines()[-1]}", flush=True)
            show_progress(done, args.count, started)
    end_progress()
    print(f"{args.count} seeds, {throws} throws, {len(failed)} failed", *(each.seed for each in failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
