"""How many matches a second the ledger commits on PostgreSQL and on SQLite, both waiting for their disk.

`python -m tests.benchmarks.league_databases [ROUNDS]`: by turns, so that both meet the same machine. A match
is its entry and those of two signatures.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC
from pathlib import Path
from statistics import median

from tests.support.league import FakeBox, Place, found_league, journal_of, played_record
from tests.support.postgresql import Postgresql

from shutthebox_league.committer import Committer, Messages
from shutthebox_league.consumer import BATCH
from shutthebox_league.ledger import Ledger, Outcome
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import sign_entry

BOXES = 128
AT_ONCE = (1, 4, 32, BATCH)
"""Messages in a transaction, each of another box."""

_RECORDS = [played_record(seed) for seed in range(BOXES)]


class Filled:
    """A league with boxes that send matches.

    Args:
        folder: of the league.
        url: of its database; empty for SQLite.
    """

    def __init__(self, folder: Path, url: str = "") -> None:
        folder.mkdir()
        self.place: Place = found_league(folder, url, with_broker=False)
        self._ledger = Ledger(self.place.engine, UTC)
        self._boxes: list[tuple[Enrolment, FakeBox]] = []
        for number in range(BOXES):
            enrolment = self.place.enrol(f"box{number}", f"Pub {number // 3}")
            self._boxes.append((enrolment, FakeBox(journal_of(enrolment.name))))

    def matches_a_second(self, at_once: int) -> float:
        """Has a match of each box taken."""
        now_s = int(time.time())
        messages = [
            (enrolment.name, sign_entry(entry, 1, enrolment.name, enrolment.key))
            for entries in zip(
                *((box.play(record, now_s), box.sign(1, "ANN", now_s), box.sign(2, "BOB", now_s))
                  for (_, box), record in zip(self._boxes, _RECORDS, strict=True)),
                strict=True,
            )
            for (enrolment, _), entry in zip(self._boxes, entries, strict=True)
        ]  # fmt: skip
        begin_s = time.perf_counter()
        with Committer(self._ledger, _finish) as committer:
            for first in range(0, len(messages), at_once):
                left = messages[first : first + at_once]
                while left:
                    left = left[committer.take(left) :]
            committer.wait()
        return BOXES / (time.perf_counter() - begin_s)


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
        for league in leagues.values():
            stack.callback(league.place.engine.dispose)
        print(f"{'matches a second':18}" + "".join(f"{database:>12}" for database in leagues) + "   ratio")
        for at_once in AT_ONCE:
            found = {
                database: median(taken)
                for database, taken in zip(
                    leagues,
                    zip(
                        *(
                            [league.matches_a_second(at_once) for league in leagues.values()]
                            for _ in range(rounds)
                        ),
                        strict=True,
                    ),
                    strict=True,
                )
            }
            sqlite, postgresql = found.values()
            print(
                f"{at_once:3} at once         {sqlite:10.1f}  {postgresql:10.1f}  {postgresql / sqlite:6.2f}"
            )


if __name__ == "__main__":
    main()
