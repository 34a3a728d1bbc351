"""The longest step of the loop: how long a lever or a press may wait for the box.

    python tests/benchmarks/loop.py [--only ID] [--matches N] [--levers 9 10 12]

Plays every built-in game on 9, 10 and 12 levers, then the worst house rules that the reader takes, with
computers in all seats, hints on, a store, the scoreboard's file and the voice's: all that the main thread
does on a real box. The odds are asked in a thread of their own, as there.

Printed for each box are the longest single step in ms of the main thread's CPU time, its cause, and its
ratio to drawing one screen in the same run. The ms depend on the machine, the ratio hardly does. Ends with
1 if a step takes longer than 20 ms.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.adapters.display.layout import render
from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.adapters.store.database import FILE_NAME
from shutthebox.adapters.store.reading import open_to_read
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.config.profiles import builtins, read
from shutthebox.config.schema import Config, with_value
from shutthebox.game.effects import Effect
from shutthebox.game.inputs import OddsCame
from shutthebox.game.mode import Mode
from shutthebox.game.questions import Prepare, Question
from shutthebox.game.screen import ToldScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.runtime.ports import Observer
from shutthebox.runtime.runner import Runner
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.speech.said_file import SaidWriter
from shutthebox.translations import told_screen

LEVERS = (9, 10, 12)
BOUND_MS = 20.0
ATTEMPTS = 3
MS = 1_000_000
PATIENCE_S = 0.5
"""How long, of real time, the box stands still for an answer of the odds: an answer is the same at any
time, and most come within this."""

HOUSE_RULES: dict[str, tuple[str, int]] = {
    "comes round": ('tiles = 12\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"', 0),
    "comes round, nine dice of twenty": ('tiles = 12\ndice = 9\nsides = 20\nblocked = "opens-one"', 0),
    "faces of nine dice": ('tiles = 12\nmove = "faces-free"\ndice = 9\nsides = 20\nblocked = "passes"', 0),
    "faces of nine dice, 54 tiles": ('tiles = 54\nmove = "faces-free"\ndice = 9\nsides = 20', 0),
    "knipsen with nine dice": ('tiles = 54\nmove = "knipsen"\ndice = 9\nsides = 20', 0),
    "most moves of a long row": ('tiles = 54\ndice = 6\nsides = 9', 9),
    "most moves of a short row": ('tiles = 18\ndice = 9\nsides = 20', 11),
    "long search for few moves": ('tiles = 54\ndice = 9\nsides = 20\nmax_tiles = 3', 9),
    "two rows of 27": ('tiles = 27\nrows = 2\ndice = 9\nsides = 6', 0),
    "one row for all": ('tiles = 54\ndice = 9\nturns = "shared"\nblocked = "loses"\nscore = "count"', 6),
    "digits, 99 rounds": (
        'tiles = 12\nscore = "digits"\nshut_wins = "no"\nrounds = 99\ntie = "replay-all"', 0
    ),
    "in rotation, passing": (
        'tiles = 54\nturns = "alternate"\nblocked = "passes"\nwin = "first-to-shut"', 0
    ),
}  # fmt: skip
"""Hard ones of each kind: the text of a file without its name, and the face that all its dice show; 0 for
any."""


@dataclass(frozen=True, slots=True)
class Box:
    """A game and its box.

    Attributes:
        name: in the table.
        game: the profile's id, or its file.
        levers: how many.
        face: that all dice show; 0 for any.
    """

    name: str
    game: str
    levers: int
    face: int = 0


@dataclass(slots=True)
class Longest:
    """The longest step so far.

    Attributes:
        ns: CPU time of the main thread.
        of: the input, and the mode of the box then.
    """

    ns: int = 0
    of: str = ""


def timed(longest: Longest, runner: Runner, step: Callable[..., None]) -> Callable[..., None]:
    """A step of the runner that notes how long it takes."""

    def measured(*given: Any) -> None:
        mode = runner.machine.state.mode.name
        began_ns = time.thread_time_ns()
        step(*given)
        took_ns = time.thread_time_ns() - began_ns
        if took_ns > longest.ns:
            what = "time" if len(given) == 1 else type(given[0]).__name__
            longest.ns, longest.of = took_ns, f"{what}, {mode} to {runner.machine.state.mode.name}"

    return measured


class AskedOdds:
    """The real worker of the odds, for a box in virtual time.

    Attributes:
        inbox: answers that have come.
    """

    def __init__(self) -> None:
        self.inbox: SimpleQueue[OddsCame] = SimpleQueue()
        self._worker = OddsWorker(self.inbox.put)
        self._worker.start()
        self.awaited = 0

    def ask(self, question: Question) -> Sequence[OddsCame]:
        """Leaves a question for the worker."""
        self.awaited += not isinstance(question, Prepare)
        return self._worker.ask(question)

    def answers(self, patience_s: float) -> Iterator[OddsCame]:
        """The answers that have come; waits so long for the others."""
        while self.awaited:
            try:
                advice = self.inbox.get(timeout=patience_s)
            except Empty:
                return
            self.awaited -= 1
            yield advice


class Hand(Player):
    """Does as the screen says, and gives the odds the time that they have on a real box."""

    odds: AskedOdds
    hurries = False
    """The odds did not answer in time: it does not stand still for them any more."""

    def _wait(self, lasts_ns: int) -> None:
        super()._wait(lasts_ns)
        for advice in self.odds.answers(0.001 if self.hurries else PATIENCE_S):
            self.box.runner.take(advice, self.box.now_ns)
        self.hurries = self.hurries or self.odds.awaited > 0


def config_of(game: str, levers: int, players: int, computers: int) -> Config:
    """Everything on that costs something."""
    config = Config()
    values = {
        "game.profile": game,
        "game.players": players,
        "game.setup": "usual",
        "game.computers": list(range(1, computers + 1)),
        "game.hints": True,
        "game.stakes": "evening",
        "box.levers": levers,
    }
    for key, value in values.items():
        config = with_value(config, key, value, "benchmark")
    return config


def play(box: Box, longest: Longest, computers: int, wanted: argparse.Namespace) -> list[ToldScreen]:
    """Plays at a box, and gives what it showed.

    Args:
        box: the game and its box.
        longest: where the longest step is noted.
        computers: so many of the players are computers.
        wanted: how much is played.
    """
    shown = list[ToldScreen]()
    with tempfile.TemporaryDirectory(prefix="shutthebox-") as folder:
        state = Path(folder)
        kept = partial(open_to_read, state / FILE_NAME)
        hand = Hand(Random(1), CAREFUL)
        hand.odds = AskedOdds()
        observers: list[Observer] = [ScoresWriter(state, kept), SaidWriter(state)]

        def observe(what: Effect | SwitchChanged, t_ns: int) -> None:
            hand.observe(what, t_ns)
            for observer in observers:
                observer(what, t_ns)

        config = config_of(box.game, box.levers, wanted.players, computers)
        virtual = VirtualBox(config, state, seed=1, observers=[observe], advised=False)
        virtual.runner._ports = virtual.runner._ports._replace(odds=hand.odds)
        if box.face:
            setattr(virtual.dice, "throw", lambda dice, sides: (box.face,) * dice)  # noqa: B010
        for name in ("take", "pass_time"):
            setattr(virtual.runner, name, timed(longest, virtual.runner, getattr(virtual.runner, name)))
        hand.sit_down(virtual)
        try:
            steps = 0
            for _ in range(wanted.matches):
                if hand.seen.mode is Mode.MATCH_OVER:
                    hand._press()
                while hand.seen.mode is not Mode.MATCH_OVER and steps < wanted.steps:
                    hand._step()
                    steps += 1
                    shown.append(told_screen(hand.seen))
        finally:
            virtual.close()
    return shown


def play_all(box: Box, wanted: argparse.Namespace) -> tuple[Longest, list[ToldScreen]]:
    """The longest step of computers and of people at a box, and what it showed.

    On a busy machine even a thread's CPU time has outliers, so what seems too long is tried again: all is
    the same then but for the outliers.
    """
    best, shown = Longest(), list[ToldScreen]()
    for _ in range(ATTEMPTS):
        longest = Longest()
        shown = [screen for seats in (wanted.players, 0) for screen in play(box, longest, seats, wanted)]
        if not best.ns or longest.ns < best.ns:
            best = longest
        if best.ns <= BOUND_MS * MS:
            break
    return best, shown


def drawing_ms(screens: Sequence[ToldScreen]) -> float:
    """The time of drawing one of these screens, on average."""
    some = screens[:: max(1, len(screens) // 50)]
    began_ns = time.thread_time_ns()
    for screen in some:
        render(screen, 0)
    return (time.thread_time_ns() - began_ns) / len(some) / MS


def boxes(levers: Sequence[int], folder: Path) -> Iterator[Box]:
    """What is played."""
    for profile in builtins():
        fitting = [count for count in levers if profile.for_levers(count)]
        for count in fitting or [profile.tiles[-1]]:
            yield Box(profile.name, profile.name, count)
    for name, (text, face) in HOUSE_RULES.items():
        path = folder / f"{name.replace(' ', '-').replace(',', '')}.toml"
        path.write_text(f'name = "{path.stem}"\n{text}\n')
        yield Box(name, str(path), read(path).tiles[-1], face)


def main() -> int:
    """Plays on every box, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", metavar="NAME", help="only games with this in their name")
    parser.add_argument("--levers", metavar="N", type=int, nargs="+", default=LEVERS)
    parser.add_argument("--players", metavar="N", type=int, default=2)
    parser.add_argument(
        "--matches", metavar="N", type=int, default=1, help="of computers, and of people, on each box (1)"
    )
    parser.add_argument(
        "--steps", metavar="N", type=int, default=300, help="of the hand in them at most (300)"
    )
    args = parser.parse_args()
    print(f"{'game':34} levers  longest step       of a screen  of what")
    too_long = 0
    with tempfile.TemporaryDirectory(prefix="shutthebox-rules-") as folder:
        for box in boxes(args.levers, Path(folder)):
            if args.only and args.only not in box.name:
                continue
            longest, shown = play_all(box, args)
            ms, screen_ms = longest.ns / MS, drawing_ms(shown)
            too_long += ms > BOUND_MS
            print(
                f"{box.name:34} {box.levers:6} {ms:10.1f} ms {ms / screen_ms:13.1f} x  {longest.of}",
                flush=True,
            )
    print(f"{too_long} boxes with a step over {BOUND_MS:.0f} ms")
    return too_long > 0


if __name__ == "__main__":
    sys.exit(main())
