"""How many matches a second consumers commit on PostgreSQL and on SQLite, both waiting for their disk.

`python -m tests.benchmarks.league_databases [ROUNDS]`: by turns, so that both meet the same machine. A match
is its entry and those of two signatures. Each consumer is a process with boxes of its own.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC
from multiprocessing import Barrier, Process
from multiprocessing.synchronize import Barrier as BarrierType
from pathlib import Path
from statistics import median

from tests.support.league import FakeBox, found_league, journal_of, played_record
from tests.support.postgresql import Postgresql
from tests.support.waiting import HANG_S

from shutthebox_league.committer import Committer, Messages
from shutthebox_league.consumer import BATCH
from shutthebox_league.database import open_database
from shutthebox_league.ledger import Ledger, Outcome
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import sign_entry

BOXES = 128
AT_ONCE = (1, 4, 32, BATCH)
"""Messages in a transaction, each of another box."""

CONSUMERS = (1, 2)

_RECORDS = [played_record(seed) for seed in range(BOXES)]


class Filled:
    """A league with boxes that send matches.

    Args:
        folder: of the league.
        url: of its database; empty for SQLite.
    """

    def __init__(self, folder: Path, url: str = "") -> None:
        folder.mkdir()
        place = found_league(folder, url, with_broker=False)
        self._url = place.engine.url.render_as_string(hide_password=False)
        self._boxes: list[tuple[Enrolment, FakeBox]] = []
        for number in range(BOXES):
            enrolment = place.enrol(f"box{number}", f"Pub {number // 3}")
            self._boxes.append((enrolment, FakeBox(journal_of(enrolment.name))))
        place.engine.dispose()

    def start(self, consumers: int, at_once: int, rounds: int) -> Callable[[], float]:
        """Starts consumers; returns what has them take a match of each box, and tells the seconds of it."""
        barrier = Barrier(consumers + 1, timeout=HANG_S)
        for first in range(consumers):
            own = range(first, BOXES, consumers)
            taken = [self._match_of_each(own) for _ in range(rounds)]
            Process(target=_consume, args=(self._url, taken, at_once, barrier), daemon=True).start()

        def take_round() -> float:
            barrier.wait()
            begin_s = time.perf_counter()
            barrier.wait()
            return time.perf_counter() - begin_s

        return take_round

    def _match_of_each(self, numbers: range) -> Messages:
        now_s, boxes = int(time.time()), [self._boxes[number] for number in numbers]
        entries = [
            (box.play(_RECORDS[number], now_s), box.sign(1, "ANN", now_s), box.sign(2, "BOB", now_s))
            for number, (_, box) in zip(numbers, boxes, strict=True)
        ]
        return [
            (enrolment.name, sign_entry(entry, 1, enrolment.name, enrolment.key))
            for of_all in zip(*entries, strict=True)
            for (enrolment, _), entry in zip(boxes, of_all, strict=True)
        ]


def _consume(url: str, rounds: list[Messages], at_once: int, barrier: BarrierType) -> None:
    engine = open_database(url)
    with Committer(Ledger(engine, UTC), _finish) as committer:
        for messages in rounds:
            barrier.wait()
            for first in range(0, len(messages), at_once):
                left = messages[first : first + at_once]
                while left:
                    left = left[committer.take(left) :]
            committer.wait()
            barrier.wait()
    engine.dispose()


def _finish(_: Messages, commit: Callable[[], list[Outcome]]) -> None:
    outcomes = commit()
    assert {outcome.kind for outcome in outcomes} == {"committed"}, outcomes


def main() -> None:
    """Prints a table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory(prefix="league-databases-") as name, ExitStack() as stack:
        server = Postgresql(fsync=True)
        stack.callback(server.stop)
        leagues = {
            "SQLite": Filled(Path(name, "sqlite")),
            "PostgreSQL": Filled(Path(name, "postgresql"), server.new_database()),
        }
        print(f"{'matches a second':24}" + "".join(f"{database:>12}" for database in leagues) + "   ratio")
        for consumers in CONSUMERS:
            for at_once in AT_ONCE:
                takers = [league.start(consumers, at_once, rounds) for league in leagues.values()]
                took_s = [[take_round() for take_round in takers] for _ in range(rounds)]
                sqlite, postgresql = (BOXES / median(each) for each in zip(*took_s, strict=True))
                print(
                    f"{consumers:3} consumers, {at_once:3} at once {sqlite:11.1f} {postgresql:11.1f}"
                    f"  {postgresql / sqlite:6.2f}"
                )


if __name__ == "__main__":
    main()
