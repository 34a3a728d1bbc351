"""Packets of an enrolled box that keep neither broker nor consumer busy."""

import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.box.league.hostile.town import most_memory, peak_memory
from tests.support.league import (
    BoxLine,
    Place,
    consumer_listener,
    in_a_thread,
    league_with_broker,
    played_record,
)
from tests.support.waiting import until

from shutthebox_league import consumer as consumers
from shutthebox_league.access import CONSUMER
from shutthebox_league.ledger import MAX_MESSAGE_BYTES, Ledger
from shutthebox_league.metrics import Metrics
from shutthebox_league.schema import NOTICE
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.signing import COMMITTED
from shutthebox_uplink.uplink import tls_context

QOS_NOT_SUPPORTED = 0x9B
"""A reason of MQTT 5."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with league_with_broker(tmp_path) as place:
        yield place


def length(number: int) -> bytes:
    """A length as MQTT writes it."""
    found = bytearray()
    while number > 127:
        found.append(number % 128 | 128)
        number //= 128
    return bytes((*found, number))


def text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


class RawLine:
    """A connection by MQTT 5 that sends and reads bytes."""

    def __init__(self, port: int, tls: ssl.SSLContext, name: str) -> None:
        line = socket.create_connection(("127.0.0.1", port))
        self._line = tls.wrap_socket(line, server_hostname="127.0.0.1")
        self.send(0x10, text("MQTT") + b"\x05\x02\0\0\0" + text(name))
        self.answer(0x20)

    def send(self, kind: int, body: bytes) -> None:
        self._line.sendall(bytes((kind,)) + length(len(body)) + body)

    def answer(self, kind: int) -> bytes:
        """The next packet, which has to be of this kind and short."""
        head = self._line.recv(2)
        assert head[0] == kind
        return self._line.recv(head[1])

    def publish(self, topic: str, payload: bytes, properties: bytes = b"") -> None:
        """Publishes with QoS 0."""
        self.send(0x30, text(topic) + length(len(properties)) + properties + payload)

    def close(self) -> None:
        self._line.close()


def raw_line(box: Enrolment) -> RawLine:
    return RawLine(box.port, tls_context(box), box.name)


@pytest.mark.slow
def test_a_megabyte_of_properties_keeps_no_consumer_busy(place: Place) -> None:
    """Paho took 6 s to read 200 KB of them, and the square of that for more."""
    evil, honest = place.enrol("evil"), place.enrol("honest")
    league = consumer_listener(place, "shutthebox/+/state")
    with closing(raw_line(evil)) as line, closing(BoxLine(honest)) as box:
        line.publish("shutthebox/evil.1/state", b"evil", b"\x26\0\0\0\0" * 200_000)
        box.publish(b"honest", "state")
        assert {league.message("/state"), league.message("/state")} == {b"evil", b"honest"}
    league.broker.close()


@pytest.mark.slow
def test_a_flood_that_the_consumer_does_not_read_is_bounded(place: Place) -> None:
    """Without a receipt to come (QoS 0) the broker kept 10,000 messages, however large."""
    asleep = RawLine(place.authority.settings.consumers_port, place.authority.consumer_tls(), CONSUMER)
    asleep.send(0x82, b"\0\1\0" + text("$share/x/shutthebox/+/entry") + b"\1")
    assert asleep.answer(0x90)[-1] == 1
    assert place.broker is not None
    with closing(asleep), closing(raw_line(place.enrol("evil"))) as line:
        for _ in range(600):
            line.publish("shutthebox/evil.1/entry", bytes(MAX_MESSAGE_BYTES))
        line.send(0xC0, b"")
        line.answer(0xD0)
    assert peak_memory(place.broker.pid) < most_memory("mosquitto-league.conf") / 4


@pytest.mark.slow
def test_a_message_in_two_halves_ends_the_connection(place: Place) -> None:
    """The broker kept thousands of first halves of a connection, 700 MB within 8 s."""
    with closing(raw_line(place.enrol("evil"))) as line:
        line.send(0x34, text("shutthebox/evil.1/state") + b"\0\1\0half")
        assert line.answer(0xE0)[0] == QOS_NOT_SUPPORTED


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 8000, 1_000_000])
def test_who_floods_the_broker_is_disconnected_for_a_while(
    place: Place, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """It sent 15,000 messages a second, of which the broker dropped most, and honest ones among them."""
    monkeypatch.setattr(consumers, "SHUT_OUT_S", 3.0)
    evil, honest = place.enrol("evil"), place.enrol("honest")
    consumer = consumers.Consumer(place.authority, place.engine, Ledger(place.engine, UTC), Metrics())
    with in_a_thread(consumer.run, consumer.stop), closing(raw_line(evil)) as line:
        with suppress(OSError):  # when it is disconnected
            while True:
                line.publish("shutthebox/evil.1/entry", bytes(size))
        with closing(BoxLine(honest)) as box:
            assert box.send(box.chain.play(played_record(1))).status == COMMITTED
        with place.engine.connect() as db:
            (said,) = db.execute(select(NOTICE.c.text).where(NOTICE.c.key_name == "evil.1")).scalars()
        assert said.startswith("far more messages than a box sends")

        def is_let_in() -> bool:
            try:
                raw_line(evil).close()
            except (OSError, AssertionError):
                return False
            return True

        until(is_let_in)
