"""What somebody with a box's password can do to the broker that docs/link.md sets up: a real Mosquitto."""

import configparser
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from tests.support.link import PASSWORD, PROJECT, LinkBroker, Side, pair, two_sides
from tests.support.waiting import HANG_S, until

from shutthebox.link.messages import Levers
from shutthebox.link.requests import Peer, Received, Send
from shutthebox_uplink.mqtt import Broker, Connected, Event

MB = 1024 * 1024
UNIT = configparser.ConfigParser(strict=False)
UNIT.optionxform = str  # type: ignore[method-assign,assignment]  # as its documentation says
UNIT.read(PROJECT / "systemd/mosquitto-unit.conf")


def memory(pid: int) -> int:
    """Resident bytes of a process."""
    (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmRSS" in line)
    return int(line.split()[1]) * 1024


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[LinkBroker]:
    """One like Debian's, whose own configuration comes first and keeps everything on the card."""
    broker = LinkBroker(tmp_path)
    file = tmp_path / "link.conf"
    text = file.read_text().replace(
        "user root\n", f"user root\npersistence true\npersistence_location {tmp_path}/\n", 1
    )
    file.write_text(text)
    broker.process.kill()
    broker.process.start()
    yield broker
    broker.process.kill()


class Stranger:
    """Somebody with the box's password."""

    def __init__(self, broker: LinkBroker) -> None:
        tls = ssl.create_default_context(cafile=str(broker.folder / "link.pem"))
        self._is_connected = threading.Event()
        self._broker = Broker(
            "stranger", "localhost", broker.ports[1], self._take, ("shutthebox/link/#",), tls=tls,
            username="box", password=PASSWORD,
        )  # fmt: skip
        self._broker.start()
        assert self._is_connected.wait(HANG_S)

    def _take(self, event: Event) -> None:
        if isinstance(event, Connected):
            self._is_connected.set()

    def keep(self, topic: str) -> None:
        """Has it keep 16 KB."""
        self._broker.publish(topic, b"x" * 16_000, retain=True)

    def close(self) -> None:
        """Leaves."""
        self._broker.close()


def play(sides: tuple[Side, Side], number: int) -> None:
    """Levers of the host reach the guest; either may be away in between."""
    host, guest = sides
    done = threading.Event()

    def send() -> None:
        while not done.is_set():
            host.box.ask(Send(Levers(number, 3)))
            done.wait(0.2)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    guest.box.next(Received, lambda report: report.message == Levers(number, 3))
    done.set()
    sender.join()


@pytest.mark.slow
def test_messages_on_topics_of_ones_own_are_not_kept(broker: LinkBroker, tmp_path: Path) -> None:
    """30,000 of them took 479 MB of memory, and as much of the card."""
    stranger, before = Stranger(broker), memory(broker.process.pid)
    for number in range(3000):
        stranger.keep(f"x/{number}")
        stranger.keep(f"shutthebox/link/{number}")
        stranger.keep(f"shutthebox/link/{number}/x/host")
    stranger.close()
    assert memory(broker.process.pid) < before + 8 * MB
    with two_sides(tmp_path, broker) as sides:
        pair(sides[0].box, sides[1].box)
        play(sides, 1)
    broker.process.kill()
    assert not list(tmp_path.glob("*.db")), "nothing is written to the card"


@contextmanager
def unit(broker: LinkBroker) -> Iterator[Callable[[], int]]:
    """Does with the broker what systemd does by its drop-in; yields how often it has had to."""
    most, rest_s = UNIT["Service"]["MemoryMax"], float(UNIT["Service"]["RestartSec"])
    assert (UNIT["Service"]["Restart"], UNIT["Unit"]["StartLimitIntervalSec"], most[-1]) == (
        "always",
        "0",
        "M",
    )
    limit, ends, is_over = int(most[:-1]) * MB, count(), threading.Event()
    ended = [0]

    def watch() -> None:
        while not is_over.wait(0.02):
            if memory(broker.process.pid) > limit:
                broker.process.kill()
                ended[0] = next(ends) + 1
                time.sleep(rest_s)
                broker.process.start()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: ended[0]
    finally:
        is_over.set()
        thread.join(HANG_S)


@pytest.mark.slow
def test_a_match_goes_on_after_the_broker_was_filled_on_topics_of_sessions(
    broker: LinkBroker, tmp_path: Path
) -> None:
    """No setting bounds what is retained there, so its unit ends the broker, and it starts empty."""
    with two_sides(tmp_path, broker) as sides, unit(broker) as ends:
        pair(sides[0].box, sides[1].box)
        stranger = Stranger(broker)
        numbers = count()

        def fill() -> bool:
            for _ in range(200):
                stranger.keep(f"shutthebox/link/{next(numbers)}/host")
            time.sleep(0.05)
            return ends() > 0

        until(fill)
        stranger.close()
        for side in sides:
            side.box.until(Peer.HERE)
        play(sides, 2)
        assert memory(broker.process.pid) < 32 * MB
