"""How many matches a second a league takes from so many boxes at once, and how long a receipt takes.

`python -m tests.benchmarks.league_load [--boxes 1,4,32,64] [--seconds 5] [--workers 1] [--postgresql]`: each
box sends a match and two signatures over a connection that stays open, each once it has a receipt for the one
before. The database waits for its disk.
"""

import argparse
import asyncio
import os
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.support.cpu import cpu_s
from tests.support.league import FakeBox, Place, found_league, league_command, played_record
from tests.support.mosquitto import free_port
from tests.support.postgresql import Postgresql
from tests.support.waiting import until

from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import COMMITTED, open_receipt, sign_entry

_RECORDS = [played_record(seed) for seed in range(100)]
_AHEAD = 4000
"""Entries that a box has signed before the clock starts: the league is measured, not the boxes."""


class LoadBox:
    """A box with signed entries."""

    def __init__(self, enrolment: Enrolment, number: int, entries: int) -> None:
        self.enrolment, chain = enrolment, FakeBox(os.urandom(16).hex())
        now_s = int(time.time())
        self.messages = list[bytes]()
        while len(self.messages) < entries:
            record = _RECORDS[(number * 7 + chain.matches) % len(_RECORDS)]
            for entry in (
                chain.play(record, now_s),
                chain.sign(1, "ANN", now_s),
                chain.sign(2, "BOB", now_s),
            ):
                self.messages.append(sign_entry(entry, chain.sequence, enrolment.name, enrolment.key))
        self.took_s = list[float]()
        self.last = b""

    async def send(self, port: int, ends_s: float) -> None:
        """Sends until the time is over, or nothing is left."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = "POST /entry HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
        for message in self.messages:
            began_s = time.monotonic()
            if began_s > ends_s:
                break
            writer.write((head % len(message)).encode() + message)
            answer = await reader.readuntil(b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 200"), answer
            length = int(answer.lower().partition(b"content-length: ")[2].split(b"\r")[0])
            self.last = await reader.readexactly(length)
            self.took_s.append(time.monotonic() - began_s)
        writer.close()
        assert open_receipt(self.last, self.enrolment.league_key).status == COMMITTED


async def load(boxes: list[LoadBox], port: int, seconds: float) -> float:
    """Has all of them send; returns the seconds that it took."""
    began_s = time.monotonic()
    await asyncio.gather(*(box.send(port, began_s + seconds) for box in boxes))
    return time.monotonic() - began_s


def measure(place: Place, count: int, port: int, seconds: float, pids: dict[str, int]) -> str:
    """A row of the table."""
    entries = min(_AHEAD, int(seconds * 2500 / count))
    boxes = [LoadBox(place.enrol(f"box{count}-{n}", f"Pub {n}"), n, entries) for n in range(count)]
    before = {part: cpu_s(pid) for part, pid in pids.items()}
    own_s = time.process_time()
    took_s = asyncio.run(load(boxes, port, seconds))
    used = {"boxes": time.process_time() - own_s}
    used |= {part: cpu_s(pid) - before[part] for part, pid in pids.items()}
    took = [each for box in boxes for each in box.took_s]
    matches = len(took) / 3
    parts = ", ".join(f"{part} {part_s / matches * 1000:.2f}" for part, part_s in used.items())
    return (
        f"{count:3} boxes: {matches / took_s:6.0f} matches a second; receipt {median(took):.4f} s, "
        f"at most {max(took):.3f}; ms of CPU a match: {parts}"
    )


def main() -> None:
    """Prints a row for each number of boxes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--boxes", default="1,4,32,64")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true")
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="league-load-")))
        server = None
        if args.postgresql:
            server = Postgresql(fsync=True)
            stack.callback(server.stop)
        place = found_league(folder, server.new_database() if server else "")
        stack.callback(place.engine.dispose)
        port = free_port()
        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[: args.workers]))
        # It starts a worker for each core that it may use, so it's told of so many only at its start.
        command = ("taskset", "-c", cores, *league_command(folder, "take", "--port", str(port)))
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        stack.callback(process.wait)
        stack.callback(process.kill)
        until(lambda: _workers(process.pid) or process.poll() is not None)
        for worker in _workers(process.pid):
            subprocess.run(("taskset", "-acp", "0-1023", str(worker)), stdout=subprocess.DEVNULL, check=False)
        pids = {f"worker {number}": pid for number, pid in enumerate(_workers(process.pid), 1)}
        pids |= {"database": server.pid} if server else {}
        for count in map(int, args.boxes.split(",")):
            print(measure(place, count, port, args.seconds, pids), flush=True)


def _workers(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


if __name__ == "__main__":
    main()
