"""From a lever on the page to its echo there, beside strangers who flood the page's server.

A plain command: python tests/benchmarks/page.py [--levers N]

A real `shutthebox sim` in a process of its own. One page moves a lever and waits until it sees it moved;
beside it two other programs send nothing but pings, pongs, pieces of messages, or requests, as fast as
they can, and connect again whenever they are thrown out. The last column is the ratio to an idle server.
"""

import argparse
import json
import multiprocessing
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

FLOODERS = 2
MASKED_PING, MASKED_PONG, MASKED_CONT = (bytes([op, 0x80, 1, 2, 3, 4]) for op in (0x89, 0x8A, 0x00))
FLOODS = {
    "nobody": b"",
    "pings": MASKED_PING,
    "pongs": MASKED_PONG,
    "pieces of a message": MASKED_CONT,
    "messages": bytes([0x81, 0x8F, 0, 0, 0, 0]) + b'{"button":true}',
    "requests": b"GET / HTTP/1.1\r\nX: y\r\n",
}


def flood(port: int, frame: bytes) -> None:
    """Sends the frame for ever, on a socket of the page or, for requests, on none."""
    upgrade = (
        f"GET /box HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    start = b"" if frame.startswith(b"GET") else upgrade.encode()
    if frame == MASKED_CONT:
        start += bytes([0x01, 0x80, 1, 2, 3, 4])  # a message that goes on
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(start)
            while True:
                connection.sendall(frame * 10_000)


def samples(page: ClientConnection, count: int) -> list[float]:
    """Milliseconds from a message to the change that it makes, so many times."""
    found = []
    for number in range(count):
        # In turn, because a simulated contact that has moved stands still for 70 ms.
        at, down = number % 9, number // 9 % 2 == 0
        start = time.perf_counter()
        page.send(json.dumps({"lever": at + 1, "down": down}))
        while True:
            levers = json.loads(page.recv(timeout=60)).get("levers")
            if levers and levers[at]["down"] == down:
                break
        found.append((time.perf_counter() - start) * 1000)
        time.sleep(0.03)  # below the rate that a page is allowed
    return found


def measure(port: int, frame: bytes, count: int) -> list[float]:
    """The samples while the flood lasts."""
    host = f"127.0.0.1:{port}"
    flooders = [multiprocessing.Process(target=flood, args=(port, frame)) for _ in range(FLOODERS) if frame]
    with connect(f"ws://{host}/box", origin=Origin(f"http://{host}"), compression=None) as page:
        samples(page, 18)
        for flooder in flooders:
            flooder.start()
        try:
            time.sleep(0.5 if flooders else 0.0)
            return samples(page, count)
        finally:
            for flooder in flooders:
                flooder.kill()
                flooder.join()


def main() -> None:
    """Starts the box, floods it, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levers", type=int, default=180, help="how many times a lever is moved (180)")
    count = -(-parser.parse_args().levers // 18) * 18
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "shutthebox", "sim", "--no-browser", "--port", "0"]
        environment = {**os.environ, "XDG_STATE_HOME": folder}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as box:
            try:
                assert box.stdout is not None
                found = re.search(r":(\d+)/", box.stdout.readline())
                assert found is not None
                print(f"{'two others send':20} {'median ms':>10} {'p99 ms':>8} {'worst ms':>9} {'ratio':>6}")
                idle = 0.0
                for name, frame in FLOODS.items():
                    ordered = sorted(measure(int(found[1]), frame, count))
                    median = statistics.median(ordered)
                    idle = idle or median
                    p99 = ordered[int(len(ordered) * 0.99)]
                    print(f"{name:20} {median:10.1f} {p99:8.1f} {ordered[-1]:9.1f} {median / idle:6.1f}")
            finally:
                box.kill()


if __name__ == "__main__":
    main()
