"""Kills door, workers, reviewer, database, boxes and uplinks at random, and counts what the league has.

`python -m tests.box.league.faults [KILLS] [--postgresql]`: a town in processes of their own, each killed by
SIGKILL again and again while matches are played. At the end everything that any box has left in its outbox
has to be in the league, once, in order, and counted once.
"""

import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError
from tests.box.league.running import Part, RunningLeague
from tests.support.postgresql import Postgresql
from tests.support.waiting import until

from shutthebox.adapters.outbox import HEAD_NAME
from shutthebox.outbox_entry import entry_from_bytes
from shutthebox_league.database import open_database
from shutthebox_league.schema import CHAIN, ENTRY, GAP, MATCH, SEAT, STANDING

BOXES = 3
PAUSE_S = 0.2
_ARRIVES_S = 420.0
"""Uplinks wait for up to five minutes before they send again."""


class Worker:
    """One of the door's processes, which starts another by itself."""

    def __init__(self, door: Part) -> None:
        self._door = door

    def kill(self) -> None:
        """Kills one, if there's any at the moment."""
        pid = self._door.process.pid
        for worker in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[:1]:
            os.kill(int(worker), signal.SIGKILL)

    def start(self) -> None:
        """Leaves it to the door."""


class Town(RunningLeague):
    """A league whose parts are killed."""

    def __init__(self, folder: Path, postgresql: Postgresql | None) -> None:
        self.url = postgresql.new_database() if postgresql else f"sqlite:///{folder}/league.sqlite3"
        self.box_folders = [folder / f"box{number}" for number in range(BOXES)]
        super().__init__(folder, self.url, {box.name: "The Red Lion" for box in self.box_folders}, PAUSE_S)
        self._mortal: dict[str, Sequence[Part | Worker | Postgresql]] = {
            **self.parts,
            "worker": [Worker(self.parts["door"][0])],
            **({"database": [postgresql]} if postgresql else {}),
        }

    def kill_one(self, random: Random) -> str:
        """Kills something, and starts it again; returns its name."""
        kind = random.choice([*self._mortal])
        part = random.choice(self._mortal[kind])
        part.kill()
        time.sleep(random.random())
        part.start()
        return kind

    def heads(self) -> dict[str, tuple[int, str]]:
        """Per box's own id the number of the last entry that it has left, and its key."""
        found = {}
        for number, folder in enumerate(self.box_folders):
            path = folder / "state" / HEAD_NAME
            if path.exists():
                head = entry_from_bytes(path.read_bytes())
                found[head.box] = (head.sequence, f"box{number}.1")
        return found

    def complaint(self) -> str | None:
        """Entries that the league lacks or has too often, if any, in words."""
        engine = open_database(self.url)
        try:
            with engine.connect() as db:
                for journal, (sequence, name) in self.heads().items():
                    where = (CHAIN.c.journal == journal) & (CHAIN.c.key_name == name)
                    chain = db.execute(select(CHAIN.c.id, CHAIN.c.head_sequence).where(where)).first()
                    # The head is written before the entry: the last one is left at the next start of the box.
                    if chain is None or chain.head_sequence < sequence - 1:
                        return f"{name}: {chain and chain.head_sequence} of {sequence}"
                    count = db.execute(select(func.count()).where(ENTRY.c.chain_id == chain.id)).scalar()
                    if count != chain.head_sequence:
                        return f"{name}: {count} entries, and the last is {chain.head_sequence}"
                if db.execute(select(func.count()).select_from(GAP)).scalar():
                    return "a gap"
                refused = db.execute(select(func.count()).where(ENTRY.c.status != "committed")).scalar()
                if refused:
                    return f"{refused} refused"
                same = (MATCH.c.box_id, MATCH.c.journal, MATCH.c.number, MATCH.c.began_s)
                twice = db.execute(select(*same).group_by(*same).having(func.count() > 1)).all()
                if twice:
                    return f"{len(twice)} matches twice"
                return self._miscounted(db)
        except SQLAlchemyError as error:
            return str(error)
        finally:
            engine.dispose()

    @staticmethod
    def _miscounted(db: Connection) -> str | None:
        """Whether the standings are not what the seats give, or a match is not reviewed."""
        if db.execute(select(func.count()).where(MATCH.c.reviewed_s.is_(None))).scalar():
            return "matches are not reviewed"
        signed = select(SEAT.c.initials, func.count(), func.sum(SEAT.c.turns)).join(MATCH)
        signed = signed.where(MATCH.c.unranked == "", SEAT.c.initials.is_not(None), SEAT.c.total.is_not(None))
        seats = {tuple(row) for row in db.execute(signed.group_by(SEAT.c.initials))}
        ever = (STANDING.c.period == "ever") & (STANDING.c.pub_id == 0)
        sums = select(STANDING.c.initials, func.sum(STANDING.c.matches), func.sum(STANDING.c.turns))
        counted = {tuple(row) for row in db.execute(sums.where(ever).group_by(STANDING.c.initials))}
        if seats == counted:
            return None
        return f"seats give {seats - counted}, and {counted - seats} are counted"

    def counts(self) -> tuple[int, int]:
        engine = open_database(self.url)
        try:
            with engine.connect() as db:
                entries = db.execute(select(func.count()).select_from(ENTRY)).scalar_one()
                return entries, db.execute(select(func.count()).select_from(MATCH)).scalar_one()
        finally:
            engine.dispose()

    def wait_for_all(self) -> str | None:
        """Waits until everything has arrived; returns the complaint if not.

        Starts again, as systemd does, a service that has ended because it began while the database was away.
        """
        end = time.monotonic() + _ARRIVES_S
        while (wrong := self.complaint()) and time.monotonic() < end:
            for kind in ("door", "reviewer", "uplink"):
                for part in self.parts[kind]:
                    if part.process.poll() is not None:
                        part.start()
            time.sleep(0.5)
        return wrong


def run(folder: Path, kills: int, postgresql: Postgresql | None, pause_s: float = 1.0) -> str | None:
    """Kills so often, then waits for all; returns the complaint in the end."""
    town, random = Town(folder, postgresql), Random(1)
    try:
        until(lambda: len(town.heads()) == BOXES, "a box plays nothing")
        killed = Counter[str]()
        for _ in range(kills):
            time.sleep(random.random() * pause_s)
            killed[town.kill_one(random)] += 1
        for box in town.parts["box"]:
            box.kill()
        wrong = town.wait_for_all()
        entries, matches = town.counts()
        told = ", ".join(f"{name} {count}" for name, count in sorted(killed.items()))
        print(f"killed {kills} times: {told}")
        print(f"{entries} entries, {matches} matches: {wrong or 'all there, once'}")
        return wrong
    finally:
        town.close()


def main() -> int:
    kills = next((int(word) for word in sys.argv[1:] if word.isdecimal()), 200)
    with tempfile.TemporaryDirectory(prefix="league-faults-") as folder, ExitStack() as stack:
        path = Path(folder)
        path.chmod(0o711)
        (path / "league").mkdir()
        server = None
        if "--postgresql" in sys.argv:
            server = Postgresql()
            stack.callback(server.stop)
        return 1 if run(path / "league", kills, server) else 0


if __name__ == "__main__":
    sys.exit(main())
