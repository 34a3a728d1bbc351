"""A league under load: many boxes connected over TLS, each with a match to send every so often.

`python -m tests.benchmarks.league_load [--boxes 1000] [--rate 60] [--seconds 600] [--flood]`: starts
broker, consumer and PostgreSQL, and says how long a match takes until its receipt, and which share of a core
each part took. With `--flood` one box more sends as fast as it can.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import median, quantiles
from typing import Any

from sqlalchemy import func, select
from tests.support.cpu import cpu_s
from tests.support.league import FakeBox, found_league, league_command, played_record
from tests.support.postgresql import Postgresql
from tests.support.waiting import until

from shutthebox_league.database import open_database
from shutthebox_league.enrolment import enrol
from shutthebox_league.schema import ENTRY, MATCH
from shutthebox_uplink.mqtt import Broker, Connected, Event, Message
from shutthebox_uplink.settings import Enrolment, read_enrolment
from shutthebox_uplink.signing import COMMITTED, open_receipt, sign_entry
from shutthebox_uplink.uplink import receipt_topic, record_topic, tls_context

AT_ONCE = 200
"""Boxes of one process: the library waits with select(), which takes no file number above 1023."""


GOLDEN = 0.618033988749895
"""Multiples of it lie evenly between 0 and 1, however many there are."""


class LoadBox:
    """A box that sends a match and awaits its receipt."""

    def __init__(self, enrolment: Enrolment, number: int, tell: "SimpleQueue[tuple[LoadBox, Event]]") -> None:
        self.enrolment, self.number = enrolment, number
        self.chain = FakeBox(f"{number:032x}")
        self.due_s, self.sent_s = 0.0, 0.0
        self.broker = Broker(
            str(number), "127.0.0.1", enrolment.port, lambda event: tell.put((self, event)),
            (receipt_topic(enrolment.name),), tls=tls_context(enrolment), client_id=enrolment.name,
        )  # fmt: skip
        self.broker.start()

    def send(self, now_s: float) -> None:
        """Sends the next match."""
        entry = self.chain.play(
            _RECORDS[(self.number * 7 + self.chain.matches) % len(_RECORDS)], int(time.time())
        )
        name = self.enrolment.name
        self.broker.publish(
            record_topic(name), sign_entry(entry, self.chain.sequence, name, self.enrolment.key)
        )
        self.sent_s = now_s


_RECORDS = [played_record(seed) for seed in range(100)]


def generate(folder: Path, first: int, count: int, every_s: float, seconds: float) -> None:
    """Runs some boxes, and prints the seconds from sending to receipt of each match as JSON."""
    tell: SimpleQueue[tuple[LoadBox, Event]] = SimpleQueue()
    boxes = [LoadBox(read_enrolment(folder / f"{n}.toml"), n, tell) for n in range(first, first + count)]
    waiting = set(boxes)
    end_s = time.monotonic() + 120
    while waiting:
        box, event = tell.get(timeout=max(end_s - time.monotonic(), 0.1))
        if isinstance(event, Connected):
            waiting.discard(box)
    print("connected", flush=True)
    sys.stdin.readline()
    begin = time.monotonic()
    for box in boxes:
        box.due_s = begin + box.number * GOLDEN % 1 * every_s
    took, outstanding = list[float](), 0
    while outstanding or time.monotonic() < begin + seconds:
        now_s = time.monotonic()
        if now_s > begin + seconds + 60:
            break
        if now_s < begin + seconds:
            for box in boxes:
                if now_s >= box.due_s and not box.sent_s:
                    box.due_s += every_s
                    outstanding += 1
                    box.send(now_s)
        try:
            box, event = tell.get(timeout=0.05)
        except Empty:
            continue
        if isinstance(event, Message) and box.sent_s:
            receipt = open_receipt(event.payload, box.enrolment.league_key)
            if receipt.status == COMMITTED and receipt.sequence == box.chain.sequence:
                took.append(time.monotonic() - box.sent_s)
                box.sent_s = 0.0
                outstanding -= 1
    print(json.dumps({"took": took, "lost": outstanding}), flush=True)
    # The process ends without waiting for two hundred goodbyes.
    sys.stdout.flush()


def flood(enrolment: Enrolment, ends: threading.Event) -> int:
    """One box that sends valid and invalid messages as fast as the broker takes them; returns how many."""
    connected: SimpleQueue[Event] = SimpleQueue()
    broker = Broker("flood", "127.0.0.1", enrolment.port, connected.put, (), tls=tls_context(enrolment))
    broker.start()
    connected.get(timeout=60)
    count = 0
    message = sign_entry(FakeBox("f" * 32).play(_RECORDS[0]), 1, enrolment.name, enrolment.key)
    while not ends.is_set():
        broker.publish(record_topic(enrolment.name), message if count % 2 else message[:-9] + b"nonsense!")
        count += 1
        if count % 20 == 0:
            time.sleep(0.01)
    broker.close()
    return count


def main() -> None:
    """Runs it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--boxes", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--flood", action="store_true")
    parser.add_argument("--generate", nargs=5, default=None, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.generate:
        folder, first, count, every_s, seconds = args.generate
        generate(Path(folder), int(first), int(count), float(every_s), float(seconds))
        return
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2
    )
    with tempfile.TemporaryDirectory(prefix="league-load-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        (folder / "pg").mkdir()
        server = Postgresql(fsync=True)
        try:
            measure(args, folder, server)
        finally:
            server.stop()


def measure(args: argparse.Namespace, folder: Path, server: Postgresql) -> None:
    """Sets all up, runs the load, and prints the figures."""
    url = server.new_database()
    place = found_league(folder, url)
    assert place.broker is not None
    for number in range(args.boxes + 1):
        text = enrol(place.engine, place.authority, f"box{number}", f"Pub {number // 3}").text
        (folder / f"{number}.toml").write_text(text)
    with (folder / "log").open("ab") as log:
        consumer = subprocess.Popen(league_command(folder, "consume"), stdout=log, stderr=log)
    me = (sys.executable, "-m", "tests.benchmarks.league_load", "--generate", str(folder))
    every_s = args.boxes / args.rate
    generators = [
        subprocess.Popen(
            (*me, str(first), str(min(AT_ONCE, args.boxes - first)), str(every_s), str(args.seconds)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for first in range(0, args.boxes, AT_ONCE)
    ]  # fmt: skip
    parts = {"broker": place.broker.pid, "consumer": consumer.pid, "database": server.pid}
    for process in generators:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "connected\n"
    until(lambda: "connected to the broker" in (folder / "log").read_text())
    before = {part: cpu_s(pid) for part, pid in parts.items()}
    begin = time.monotonic()
    ends, flooded = threading.Event(), list[int]()
    flooder = threading.Thread(
        target=lambda: flooded.append(flood(read_enrolment(folder / f"{args.boxes}.toml"), ends))
    )
    if args.flood:
        flooder.start()
    for process in generators:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    found = []
    for process in generators:
        assert process.stdout is not None
        found.append(json.loads(process.stdout.readline()))
    took_s = time.monotonic() - begin
    after = {part: cpu_s(pid) for part, pid in parts.items()}
    ends.set()
    if args.flood:
        flooder.join()
    started: list[subprocess.Popen[Any]] = [*generators, consumer]
    for one in started:
        one.kill()
        one.wait()
    place.broker.kill()
    took = [seconds for result in found for seconds in result["took"]]
    engine = open_database(url)
    with engine.connect() as db:
        entries, matches = (
            db.execute(select(func.count()).select_from(table)).scalar() for table in (ENTRY, MATCH)
        )
    print(f"{args.boxes} boxes, {len(took)} matches in {took_s:.0f} s: {len(took) / took_s:.1f} a second")
    lost = sum(result["lost"] for result in found)
    print(f"without a receipt: {lost}; in the league: {entries} entries, {matches} matches")
    deciles = quantiles(took, n=100)
    print(f"seconds to the receipt: median {median(took):.3f}, 95 % {deciles[94]:.3f}, most {max(took):.3f}")
    for part in parts:
        used_s = after[part] - before[part]
        print(f"{part}: {used_s / took_s:.1%} of a core, {used_s / len(took) * 1000:.2f} ms a match")
    if flooded:
        print(f"the flooding box sent {flooded[0]} messages, {flooded[0] / took_s:.0f} a second")


if __name__ == "__main__":
    main()
