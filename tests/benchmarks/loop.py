"""The longest step of the loop: how long a lever or a press may wait for the box.

    python tests/benchmarks/loop.py [NAME]

Plays every built-in game on 9, 10 and 12 levers, then the worst house rules that the reader takes, with
computers in all seats and then with people, hints on, a store, the scoreboard's file and the voice's: all
that the main thread does on a real box. The odds are asked in a thread of their own, as there.

Printed for each box are the longest single step in ms of the main thread's CPU time, and its cause. Ends
with 1 if a step takes longer than 20 ms. With a name, only games with this in theirs are played.
"""

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

from tests.support.box import config_with
from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.config.profiles import builtins, read
from shutthebox.config.schema import Config
from shutthebox.game.mode import Mode
from shutthebox.odds.questions import OddsReady, Prepare, Question
from shutthebox.runtime.ports import Observer
from shutthebox.runtime.runner import Runner
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.speech.speech_file import SpeechFileWriter

LEVERS = (9, 10, 12)
PLAYERS = 2
STEPS = 300
"""Of the hand, at most."""
BOUND_MS = 20.0
ATTEMPTS = 3
MS = 1_000_000
PATIENCE_S = 0.5
"""How long, of real time, the box stands still for an answer of the odds: an answer is the same at any
time, and most come within this."""

HOUSE_RULES: dict[str, tuple[str, int]] = {
    "comes round": ('tiles = 12\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"', 0),
    "comes round, nine dice of twenty": (
        'tiles = 12\ndice = 9\nsides = 20\nblocked = "opens-one"\nshut_wins = "no"',
        0,
    ),
    "faces of nine dice": (
        'tiles = 12\nmove = "faces-free"\ndice = 9\nsides = 20\nblocked = "passes"\nshut_wins = "no"',
        0,
    ),
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
        self.inbox: SimpleQueue[OddsReady] = SimpleQueue()
        self._worker = OddsWorker(self.inbox.put)
        self._worker.start()
        self.awaited = 0

    def ask(self, question: Question) -> Sequence[OddsReady]:
        """Leaves a question for the worker."""
        self.awaited += not isinstance(question, Prepare)
        return self._worker.ask(question)

    def answers(self, patience_s: float) -> Iterator[OddsReady]:
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


def config_of(game: str, levers: int, computers: int) -> Config:
    """Everything on that costs something."""
    return config_with(
        game__profile=game,
        game__players=PLAYERS,
        game__computers=list(range(1, computers + 1)),
        game__hints=True,
        game__stakes="evening",
        box__levers=levers,
    )


def play(game: str, levers: int, face: int, computers: int, longest: Longest) -> None:
    """Plays a match, or the beginning of a long one.

    Args:
        game: the profile's id, or its file.
        levers: of the box.
        face: that all dice show; 0 for any.
        computers: so many of the players are computers.
        longest: where the longest step is noted.
    """
    with tempfile.TemporaryDirectory(prefix="shutthebox-") as folder:
        state = Path(folder)
        hand = Hand(Random(1), CAREFUL)
        hand.odds = AskedOdds()
        kept = partial(open_to_read, state / STORE_FILE)
        observers: list[Observer] = [hand.observe, ScoresWriter(state, kept), SpeechFileWriter(state)]
        box = VirtualBox(
            config_of(game, levers, computers), state, seed=1, observers=observers, advised=False
        )
        box.runner._ports = box.runner._ports._replace(odds=hand.odds)
        if face:
            setattr(box.dice, "throw", lambda dice, sides: (face,) * dice)  # noqa: B010
        for name in ("take", "pass_time"):
            setattr(box.runner, name, timed(longest, box.runner, getattr(box.runner, name)))
        hand.sit_down(box)
        try:
            for _ in range(STEPS):
                if hand.seen.mode is Mode.MATCH_OVER:
                    break
                hand._step()
        finally:
            box.close()


def longest_step(game: str, levers: int, face: int) -> Longest:
    """The longest step of computers and of people at a box.

    On a busy machine even a thread's CPU time has outliers, so what seems too long is tried again: all is
    the same then but for the outliers.
    """
    found = list[Longest]()
    for _ in range(ATTEMPTS):
        found.append(Longest())
        for computers in (PLAYERS, 0):
            play(game, levers, face, computers, found[-1])
        if found[-1].ns <= BOUND_MS * MS:
            break
    return min(found, key=lambda longest: longest.ns)


def boxes(folder: Path) -> Iterator[tuple[str, str, int, int]]:
    """What is played: its name, the game, the levers and the face of all dice."""
    for profile in builtins():
        fitting = [count for count in LEVERS if profile.for_levers(count)]
        for count in fitting or [profile.tiles[-1]]:
            yield profile.name, profile.name, count, 0
    for name, (text, face) in HOUSE_RULES.items():
        path = folder / f"{name.replace(' ', '-').replace(',', '')}.toml"
        path.write_text(f'name = "{path.stem}"\n{text}\n')
        yield name, str(path), read(path).tiles[-1], face


def main() -> int:
    """Plays on every box, and prints a line for each."""
    wanted = "".join(sys.argv[1:2])
    print(f"{'game':34} levers  longest step  of what")
    too_long = 0
    with tempfile.TemporaryDirectory(prefix="shutthebox-rules-") as folder:
        for name, game, levers, face in boxes(Path(folder)):
            if wanted in name:
                longest = longest_step(game, levers, face)
                too_long += longest.ns > BOUND_MS * MS
                print(f"{name:34} {levers:6} {longest.ns / MS:10.1f} ms  {longest.of}", flush=True)
    print(f"{too_long} boxes with a step over {BOUND_MS:.0f} ms")
    return too_long > 0


if __name__ == "__main__":
    sys.exit(main())
