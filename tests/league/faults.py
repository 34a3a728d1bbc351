"""Kills broker, consumers, reviewer, database, boxes and uplinks at random, and counts what the league has.

`python -m tests.league.faults [KILLS] [--postgresql]`: a town in processes of their own, each killed by
SIGKILL again and again while matches are played. At the end everything that any box has left in its outbox
has to be in the league, once, in order, and counted once.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError
from tests.support.league import Place, found_league
from tests.support.postgresql import Postgresql

from shutthebox.adapters.outbox import HEAD_NAME
from shutthebox.outbox_entry import entry_from_bytes
from shutthebox_league.database import open_database
from shutthebox_league.schema import CHAIN, ENTRY, GAP, MATCH, SEAT, STANDING

BOXES = 3
CONSUMERS = 2
PAUSE_S = 0.2
_ARRIVES_S = 420.0
"""Uplinks wait for up to five minutes before they send again."""


@dataclass
class Part:
    """A process that is started again when it was killed."""

    name: str
    command: tuple[str, ...]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def kill(self) -> None:
        """Kills it; a process that has ended by itself is no fault of the test."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()


class Town:
    """A league with its boxes, all in processes of their own.

    Args:
        folder: of everything.
        postgresql: a server; None for SQLite.
    """

    def __init__(self, folder: Path, postgresql: Postgresql | None, boxes: int = BOXES) -> None:
        self.folder, self.postgresql = folder, postgresql
        self.url = postgresql.new_database() if postgresql else f"sqlite:///{folder}/league.sqlite3"
        self.place: Place = found_league(folder, self.url)
        python = (sys.executable, "-m")
        league = (*python, "shutthebox_league.main", "--folder", str(folder))
        self.consumers = [
            Part(f"consumer {i}", (*league, "consume"), folder / "consumer.log") for i in range(CONSUMERS)
        ]
        self.reviewers = [Part("reviewer", (*league, "review"), folder / "reviewer.log")]
        self.boxes, self.uplinks = list[Part](), list[Part]()
        self.box_folders = [folder / f"box{i}" for i in range(boxes)]
        for number, box in enumerate(self.box_folders):
            (box / "outbox").mkdir(parents=True)
            self.place.enrol(f"box{number}")
            play = (*python, "tests.league.box", str(box), str(number), str(PAUSE_S))
            self.boxes.append(Part(f"box {number}", play, folder / "box.log"))
            send = (
                *python, "shutthebox_uplink.main", "--enrolment", str(folder / f"box{number}.toml"),
                "--outbox", str(box / "outbox"), "--scores", str(box / "scores.json"),
                "--home-assistant", str(folder / "none"),
            )  # fmt: skip
            self.uplinks.append(Part(f"uplink {number}", send, folder / "uplink.log"))
        self.place.engine.dispose()
        for part in (*self.consumers, *self.reviewers, *self.boxes, *self.uplinks):
            part.start()

    def kill_one(self, random: Random) -> str:
        """Kills something, and starts it again; returns its name."""
        kinds = [
            "broker",
            "consumer",
            "reviewer",
            "box",
            "uplink",
            *(["database"] if self.postgresql else []),
        ]
        match random.choice(kinds):
            case "broker":
                assert self.place.broker is not None
                self.place.broker.kill()
                time.sleep(random.random())
                self.place.broker.start()
                return "broker"
            case "database":
                assert self.postgresql is not None
                os.kill(self.postgresql.pid, signal.SIGQUIT)
                with suppress(AssertionError):
                    self.postgresql.stop("immediate")
                time.sleep(random.random())
                self.postgresql.start()
                return "database"
            case kind:
                part = random.choice(
                    {
                        "consumer": self.consumers,
                        "reviewer": self.reviewers,
                        "box": self.boxes,
                        "uplink": self.uplinks,
                    }[kind]
                )
                part.kill()
                time.sleep(random.random())
                part.start()
                return kind

    def stop_boxes(self) -> None:
        """No more matches; the uplinks go on."""
        for part in self.boxes:
            part.kill()

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
        sums = select(STANDING.c.initials, func.sum(STANDING.c.matches), func.sum(STANDING.c.turns)).where(
            ever
        )
        counted = {tuple(row) for row in db.execute(sums.group_by(STANDING.c.initials))}
        return (
            None if seats == counted else f"seats give {seats - counted}, and {counted - seats} are counted"
        )

    def counts(self) -> tuple[int, int]:
        """Entries and matches in the league."""
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
        until = time.monotonic() + _ARRIVES_S
        while (wrong := self.complaint()) and time.monotonic() < until:
            for part in (*self.consumers, *self.reviewers, *self.uplinks):
                if part.process is not None and part.process.poll() is not None:
                    part.start()
            time.sleep(0.5)
        return wrong

    def close(self) -> None:
        """Ends all processes."""
        for part in (*self.boxes, *self.uplinks, *self.consumers, *self.reviewers):
            part.kill()
        if self.place.broker is not None:
            self.place.broker.kill()


def run(
    folder: Path, kills: int, postgresql: Postgresql | None, seed: int = 1, pause_s: float = 1.0
) -> str | None:
    """Kills so often, then waits for all; returns the complaint in the end."""
    town, random = Town(folder, postgresql), Random(seed)
    try:
        killed: dict[str, int] = {}
        for _ in range(kills):
            time.sleep(random.random() * pause_s)
            name = town.kill_one(random)
            killed[name] = killed.get(name, 0) + 1
        town.stop_boxes()
        wrong = town.wait_for_all()
        entries, matches = town.counts()
        told = ", ".join(f"{name} {count}" for name, count in sorted(killed.items()))
        print(f"killed {kills} times: {told}")
        print(f"{entries} entries, {matches} matches: {wrong or 'all there, once'}")
        return wrong
    finally:
        town.close()


def main() -> int:
    """Runs it from the command line."""
    kills = next((int(word) for word in sys.argv[1:] if word.isdecimal()), 200)
    with tempfile.TemporaryDirectory(prefix="league-faults-") as folder:
        path = Path(folder)
        path.chmod(0o711)
        (path / "league").mkdir()
        server = None
        if "--postgresql" in sys.argv:
            server = Postgresql()
        try:
            return 1 if run(path / "league", kills, server) else 0
        finally:
            if server is not None:
                server.stop()


if __name__ == "__main__":
    sys.exit(main())
