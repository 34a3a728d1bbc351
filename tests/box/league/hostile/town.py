"""A town for hostile tests: database, door, reviewer, page, five honest boxes, and a hostile one.

Every part is a process of its own, as it is installed. The honest boxes have real uplinks. `Town.beside` has
the honest boxes play while something hostile goes on, and then looks whether they have noticed.
"""

import os
import re
import socket
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from math import inf
from pathlib import Path
from random import Random

from sqlalchemy import func, select
from tests.box.league.running import Part
from tests.support import http_client
from tests.support.league import (
    BoxLine,
    FakeBox,
    Place,
    found_league,
    is_listening,
    league_command,
    played_record,
    uplink_command,
)
from tests.support.mosquitto import free_port
from tests.support.postgresql import Postgresql
from tests.support.waiting import HANG_S, until

from shutthebox.adapters.outbox import entry_name
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.record import Record, write
from shutthebox_league.checking import MAX_RECORD
from shutthebox_league.database import open_database
from shutthebox_league.schema import GAP, IS_DUE, IS_RERATED, MATCH, SEAT, TO_RERATE
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import COMMITTED, REFUSED
from shutthebox_uplink.uplink import ENTRY_PATH, LOOK_S

RECEIPT_S = float(os.environ.get("RECEIPT_S", inf))
"""An honest box has its receipt within so long after it sent an entry. Only measured where the environment
says so, on a machine that does nothing else: RECEIPT_S=2."""

HONEST = 5
MATCHES = 1
"""That each honest box plays beside something hostile, signed by two players."""

_UNITS = Path(__file__).parents[4] / "systemd"
_UNIT = {"B": 1, "K": 2**10, "M": 2**20, "G": 2**30}

Attack = Callable[["HostileBox", threading.Event], None]
"""Something hostile: goes on until the event is set, or ends by itself."""


def most_memory(unit: str) -> int:
    """The bytes that a unit may have."""
    found = re.search(r"^MemoryMax=(\d+)([KMG])", (_UNITS / unit).read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * _UNIT[found[2]]


def peak_memory(pid: int) -> int:
    """The most bytes that a process has had at one time, and its children have now."""
    status = Path(f"/proc/{pid}/status").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0]) * 1024
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended by now
            own += int(Path(f"/proc/{child}/statm").read_text().split()[1]) * 4096
    return own


@dataclass
class Service:
    """A program of the league as its unit starts it, with somebody who listens to its heart."""

    unit: str
    process: subprocess.Popen[bytes]
    ear: socket.socket | None = None
    beats: int = 0

    def listen(self) -> None:
        """Counts its messages to systemd, until it is closed."""
        while self.ear is not None:
            try:
                self.beats += self.ear.recv(4096).startswith(b"WATCHDOG")
            except OSError:
                return


class HonestBox:
    """A box with a real uplink. It leaves entries in its outbox and waits until they are gone."""

    def __init__(self, folder: Path, enrolment: Enrolment, number: int) -> None:
        self.enrolment, self.number = enrolment, number
        self.outbox = folder / "outbox"
        self.outbox.mkdir(parents=True)
        self.chain = FakeBox(f"{number + 1:032x}")
        self.took_s: list[float] = []
        enrolled = folder.parent / f"{enrolment.name.partition('.')[0]}.toml"
        self.uplink = Part(uplink_command(enrolled, folder), folder / "uplink.log")

    @property
    def players(self) -> tuple[str, str]:
        return f"A{chr(65 + self.number)}X", f"B{chr(65 + self.number)}X"

    def leave(self, entry: bytes) -> float:
        """Leaves an entry; returns the seconds until it has its receipt and is gone.

        By the kernel's clock: this process has the attackers' threads, too, and may be late to look.
        """
        path = self.outbox / entry_name(self.chain.sequence, self.chain.journal)
        new = path.with_suffix(".new")
        new.write_bytes(entry)
        with new.open("rb") as file:
            left_s = time.time()
            new.rename(path)
            ends_s = time.monotonic() + HANG_S
            while path.exists():
                assert time.monotonic() < ends_s, f"{self.enrolment.name}: no receipt"
                time.sleep(0.01)
            return os.fstat(file.fileno()).st_ctime - left_s

    def play(self, matches: int) -> None:
        """Plays matches, each signed by two players."""
        for _ in range(matches):
            seed = self.number * 1000 + self.chain.matches
            now_s = int(time.time())
            self.took_s.append(self.leave(self.chain.play(played_record(seed), now_s)))
            for seat, initials in enumerate(self.players, 1):
                self.took_s.append(self.leave(self.chain.sign(seat, initials, now_s)))


class HostileBox(BoxLine):
    """A box that is enrolled, and speaks to the league itself."""

    def __init__(self, enrolment: Enrolment, random: Random) -> None:
        super().__init__(enrolment, random.randbytes(16).hex())
        self.random = random


@dataclass
class Town:
    folder: Path
    url: str
    place: Place
    page_port: int
    services: list[Service] = field(default_factory=list)
    boxes: list[HonestBox] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def start(self, unit: str, *arguments: str) -> None:
        """Starts a program of the league as its unit does."""
        ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = self.folder / f"{unit}.notify"
        ear.bind(str(address))
        environment = {**os.environ, "NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "120000000"}
        command = league_command(self.folder, *arguments)
        with (self.folder / f"{unit}.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        service = Service(unit, process, ear)
        threading.Thread(target=service.listen, daemon=True).start()
        self.services.append(service)

    @contextmanager
    def hostile_box(self) -> Iterator[HostileBox]:
        """A new box of a hostile pub."""
        number = next(self.numbers)
        enrolment = self.place.enrol(f"evil{number}", "The Evil Eye")
        with closing(HostileBox(enrolment, Random(number))) as box:
            yield box

    def beside(self, *attacks: Attack) -> None:
        """The honest boxes play beside some attacks, each by a box of its own; and have not noticed."""
        ends = threading.Event()
        errors: list[BaseException] = []

        def attack(one: Attack) -> None:
            try:
                with self.hostile_box() as box:
                    one(box, ends)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=attack, args=(one,), daemon=True) for one in attacks]
        for thread in threads:
            thread.start()
        try:
            took_s = self.play()
        finally:
            ends.set()
            for thread in threads:
                thread.join(HANG_S)
        assert not errors, errors
        # An uplink looks into its outbox once a second.
        assert max(took_s) < RECEIPT_S + LOOK_S, f"the slowest receipt took {max(took_s):.1f} s"
        self.is_well()

    def play(self) -> list[float]:
        """All honest boxes play some matches at once; returns the seconds that each entry took."""
        threads = [threading.Thread(target=box.play, args=(MATCHES,), daemon=True) for box in self.boxes]
        known = [len(box.took_s) for box in self.boxes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(MATCHES * 3 * HANG_S)
        took_s = [
            second for box, count in zip(self.boxes, known, strict=True) for second in box.took_s[count:]
        ]
        assert len(took_s) == HONEST * MATCHES * 3, "an honest box has no receipt"
        return took_s

    def is_well(self) -> None:
        """Nothing has died or hangs or had too much memory; all honest matches are there and count."""
        for service in self.services:
            log = (self.folder / f"{service.unit}.log").read_text()[-4000:]
            assert service.process.poll() is None, log
            assert peak_memory(service.process.pid) < most_memory(f"{service.unit}.service"), service.unit
            beats = service.beats
            if not service.unit.endswith("page"):
                until(lambda beats=beats, service=service: service.beats > beats, f"{service.unit} hangs")  # type: ignore[misc]
        end, left = time.monotonic() + HANG_S, self.left_to_do()
        while complaint := self.complaint():
            if (now := self.left_to_do()) != left:
                end, left = time.monotonic() + HANG_S, now
            assert time.monotonic() < end, f"{complaint}, and of all matches {left}"
            time.sleep(0.1)

    def left_to_do(self) -> dict[str, int]:
        """How many matches the reviewer has yet to see to."""
        waits = {
            "to count": select(func.count()).select_from(SEAT).where(IS_DUE),
            "to rate": select(func.count()).where(MATCH.c.due_s <= int(time.time())),
            "to rate again": select(func.count()).where(TO_RERATE | IS_RERATED),
            "to review": select(func.count()).where(MATCH.c.reviewed_s.is_(None)),
        }
        with self.place.engine.connect().execution_options(reads=True) as db:
            return {what: int(db.execute(query).scalar_one()) for what, query in waits.items()}

    def complaint(self) -> str:
        """What is wrong with the honest matches, if anything."""
        engine = open_database(self.url)
        try:
            with engine.connect().execution_options(reads=True) as db:
                if db.execute(select(func.count()).select_from(GAP).where(GAP.c.chain_id <= HONEST)).scalar():
                    return "a gap"
                for box in self.boxes:
                    own = MATCH.c.journal == box.chain.journal
                    found = db.execute(select(MATCH).where(own)).all()
                    if len(found) != box.chain.matches:
                        return f"{box.enrolment.name}: {len(found)} of {box.chain.matches} matches"
                    if wrong := [row for row in found if row.unranked or row.unreviewed or row.unrated]:
                        reason = wrong[0].unranked or wrong[0].unreviewed or wrong[0].unrated
                        return f"{box.enrolment.name}: {reason}"
                    if late := [
                        row.id for row in found if row.due_s is not None or row.to_rerate or row.rerated
                    ]:
                        return f"{box.enrolment.name}: match {late[0]} is not rated"
                    if late := [row.id for row in found if row.reviewed_s is None]:
                        return f"{box.enrolment.name}: match {late[0]} is not reviewed"
                    seats = db.execute(
                        select(SEAT.c.initials, SEAT.c.counted)
                        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
                        .where(own)
                    ).all()
                    if {seat.initials for seat in seats if seat.counted} != set(box.players):
                        return f"{box.enrolment.name}: not counted"
        finally:
            engine.dispose()
        return ""

    def close(self) -> None:
        for box in self.boxes:
            box.uplink.kill()
        for service in self.services:
            service.process.kill()
            service.process.wait()
            if service.ear is not None:
                service.ear.close()
        self.place.engine.dispose()


def open_town(folder: Path, server: Postgresql | None) -> Town:
    """A town whose honest boxes have played a little."""
    url = server.new_database() if server else f"sqlite:///{folder}/league.sqlite3"
    place = found_league(folder, url)
    town = Town(folder, url, place, free_port())
    try:
        enrolments = [place.enrol(f"honest{number}", f"Pub {number}") for number in range(HONEST)]
        town.start("shutthebox-league-take", "take", "--port", str(place.port))
        town.start("shutthebox-league-review", "review")
        town.start("shutthebox-league-page", "serve", "--port", str(town.page_port))
        # Otherwise the boxes try in vain first, and then later and later.
        until(lambda: is_listening(place.port))
        for number, enrolment in enumerate(enrolments):
            town.boxes.append(HonestBox(folder / f"box{number}", enrolment, number))
        town.play()
        town.is_well()
    except BaseException:
        town.close()
        raise
    return town


def long_record(limit: int) -> Record:
    """A match of nine seats to a limit that nobody plays to."""
    return played_record(1, game="tournament-100", players=9, limit=limit)


def a_match_of_a_week(box: HostileBox, ends: threading.Event) -> None:
    """As long as the largest entry, and as long as a record may be: the second takes most to check."""
    too_long, longest = write(long_record(28_000)), write(long_record(5_600))
    assert len(too_long) > 2 * MAX_RECORD
    assert 0.9 * MAX_RECORD < len(longest) < MAX_RECORD
    while not ends.is_set():
        for text, status in ((too_long, REFUSED), (longest, COMMITTED)):
            box.chain.matches += 1
            now_s = int(time.time())
            entry = box.chain.add(MatchPlayed(box.chain.matches, now_s - 9, now_s, text))
            said = box.post(ENTRY_PATH, box.sign(entry))
            # When it has used its hour up it has to wait, and the chain goes on from there.
            if said.status == 429:
                return
            assert box.receipt(said).status == status


def ask(town: Town, path: str, form: dict[str, str] | None = None, cookie: str = "") -> int:
    """The status of the page's answer to a request."""
    body = None if form is None else urllib.parse.urlencode(form).encode()
    headers = {"Origin": f"http://127.0.0.1:{town.page_port}", "Cookie": cookie}
    return http_client.ask(town.page_port, path, "POST" if body else "GET", body, **headers)[0].status


def is_open(town: Town) -> bool:
    return ask(town, "/") == 200
