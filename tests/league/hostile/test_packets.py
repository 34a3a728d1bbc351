"""Packets of an enrolled box that keep neither broker nor consumer busy."""

import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.league.hostile.town import most_memory, peak_memory
from tests.support.league import BoxLine, Place, consumer_listener, league_with_broker

from shutthebox_league.access import CONSUMER
from shutthebox_league.ledger import MAX_MESSAGE_BYTES
from shutthebox_uplink.settings import Enrolment
from shutthebox_uplink.uplink import tls_context


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
