"""A hostile broker, or a stranger at it, can stop a match, and can do nothing else."""

from __future__ import annotations

import os
import random
import re
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.league import in_a_thread
from tests.support.link import LinkBox, Stranger, kept_topics, pair
from tests.support.mosquitto import plain_broker
from tests.support.waiting import HANG_S, until

import shutthebox_link
from shutthebox.adapters.helper_socket import MAX_PER_S
from shutthebox.link.messages import Levers, to_line
from shutthebox.link.requests import (
    PAIRING_S,
    EnterRoom,
    NotPaired,
    OpenRoom,
    Peer,
    Received,
    Rejoin,
    RoomOpened,
    Send,
    WhyNotPaired,
)
from shutthebox_link.channel import MAX_PACKET, Channel, OpenedPacket
from shutthebox_link.helper import LOOK_S, BrokerAddress, Helper
from shutthebox_link.key_store import (
    DAY_S,
    FILE,
    KEPT_S,
    MAX_SESSIONS,
    STEP_S,
    KeyStore,
    StoredSession,
    Unreadable,
)
from shutthebox_link.pairing import Guest, Host
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message

SECRET = bytes(range(32))


# --- pairing


def test_both_find_one_secret_and_only_with_the_code() -> None:
    host, guest = Host("1234", "5678"), Guest("1234", "5678")
    answer = host.receive(guest.opening)
    confirmed = guest.receive(answer.reply)
    assert confirmed.secret is not None
    assert host.receive(confirmed.reply).secret == confirmed.secret
    for room, code in (("1234", "5679"), ("1235", "5678")):
        host, guest = Host("1234", "5678"), Guest(room, code)
        step = guest.receive(host.receive(guest.opening).reply)
        assert step.is_wrong
        assert step.secret is None
        assert host.receive(step.reply).is_wrong


def test_a_code_takes_one_guess() -> None:
    """A guesser who sees that its guess was wrong, and says nothing of it, gets no second one."""
    host, guesser = Host("1234", "5678"), Guest("1234", "1111")
    assert guesser.receive(host.receive(guesser.opening).reply).is_wrong
    right = Guest("1234", "5678")
    step = host.receive(right.opening)
    assert step.is_wrong, "the players know the code and open another room"
    assert right.receive(step.reply).is_wrong
    assert not host.receive(guesser.opening).reply, "and the same guess again gets no answer"


def test_a_false_host_gets_one_guess_and_no_proof() -> None:
    guest, false = Guest("1234", "5678"), Host("1234", "1111")
    step = guest.receive(false.receive(guest.opening).reply)
    assert step.is_wrong
    assert step.reply == b"x", "nothing on which more codes could be tried"
    assert guest.receive(Host("1234", "5678").receive(guest.opening).reply).secret is None


@given(
    st.lists(st.binary(max_size=80) | st.binary(min_size=33, max_size=33).map(lambda x: b"h" + x), max_size=5)
)
def test_noise_in_a_room_opens_nothing(packets: list[bytes]) -> None:
    for side in (Host("1234", "5678"), Guest("1234", "5678")):
        assert all(side.receive(packet).secret is None for packet in packets)


# --- the channel


class Pair:
    """Two ends, and everything that was ever sent to each."""

    def __init__(self) -> None:
        self.ends = (Channel(SECRET, is_host=True), Channel(SECRET, is_host=False))
        self.sent: tuple[list[bytes], list[bytes]] = ([], [])
        self.way: tuple[list[bytes], list[bytes]] = ([], [])
        self.lines: tuple[list[bytes], list[bytes]] = ([], [])
        self.peers = [Peer.AWAY, Peer.AWAY]

    def send(self, to: int, packet: bytes) -> None:
        self.way[to].append(packet)
        self.sent[to].append(packet)

    def hear(self, at: int, packet: bytes) -> None:
        heard = self.ends[at].receive(packet)
        if heard.peer is not None:
            self.peers[at] = heard.peer
        if heard.message is not None:
            self.lines[at].append(heard.message)
        if heard.reply:
            self.send(1 - at, heard.reply)

    def connect(self, at: int) -> None:
        self.ends[at].renew()
        self.peers[at] = Peer.AWAY
        self.send(1 - at, self.ends[at].here())

    def settle(self) -> int:
        """Delivers everything; returns how many packets that took."""
        count = 0
        while self.way[0] or self.way[1]:
            for at in (0, 1):
                if self.way[at]:
                    self.hear(at, self.way[at].pop(0))
                    count += 1
            assert count < 100, "they talk for ever"
        return count


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_whatever_a_broker_loses_doubles_and_repeats_no_message_comes_twice(seed: int) -> None:
    chance, both, number = random.Random(seed), Pair(), 0
    for at in (0, 1):
        both.connect(at)
    for _ in range(150):
        at, what = chance.randrange(2), chance.random()
        if what < 0.05:
            if chance.random() < 0.7:
                both.send(1 - at, both.ends[at].away())
            both.connect(at)
        elif what < 0.3:
            number += 1
            packet = both.ends[at].seal(b"%d" % number)
            if packet is not None:
                both.send(1 - at, packet)
        elif what < 0.5 and both.sent[at]:
            both.hear(at, chance.choice(both.sent[at]))
        elif both.way[at]:
            packet = both.way[at].pop(chance.randrange(len(both.way[at])))
            if chance.random() < 0.8:
                both.hear(at, packet)
    for lines in both.lines:
        assert len(set(lines)) == len(lines)
    for way in both.way:
        way.clear()
    for at in (0, 1):
        both.connect(at)
    assert both.settle() < 20
    assert both.peers == [Peer.HERE, Peer.HERE], "and once packets arrive, both are here"
    packet = both.ends[0].seal(b"hello")
    assert packet is not None
    assert both.ends[1].receive(packet).message == b"hello"


def test_old_packets_do_not_bring_back_a_box_that_has_gone() -> None:
    both = Pair()
    both.connect(0)
    both.connect(1)
    both.settle()
    packet = both.ends[1].seal(b"once")
    assert packet is not None
    both.send(0, packet)
    will = both.ends[1].away()
    both.settle()
    both.hear(0, will)
    assert both.peers[0] is Peer.AWAY
    for old in both.sent[0] * 2:
        both.hear(0, old)
    assert both.peers[0] is Peer.AWAY
    assert both.lines[0] == [b"once"]
    both.way[1].clear()
    both.connect(0)
    for old in both.sent[0]:
        both.hear(0, old)
    assert both.peers[0] is Peer.AWAY, "nor after a new connection"
    assert both.lines[0] == [b"once"]
    both.connect(1)
    both.settle()
    both.hear(0, will)
    assert both.peers == [Peer.HERE, Peer.HERE], "an earlier connection's will says nothing of this one"


def test_no_message_comes_twice_when_a_broker_tells_of_an_end_that_was_none() -> None:
    """It has the last will from the beginning, and old packets that make both ends meet again."""
    both = Pair()
    both.connect(0)
    both.connect(1)
    both.settle()
    packets = [both.ends[1].seal(b"%d" % number) for number in range(3)]
    for packet in (*packets, both.ends[1].away(), *both.sent[0]):
        assert packet is not None
        both.hear(0, packet)
    both.settle()
    assert both.peers == [Peer.HERE, Peer.HERE]
    for packet in (*packets, both.ends[1].seal(b"3")):
        assert packet is not None
        both.hear(0, packet)
    assert both.lines[0] == [b"0", b"1", b"2", b"3"]


def test_boxes_meet_again_after_an_end_that_was_none_though_an_answer_gets_lost() -> None:
    """One was away and asked in vain from then on: the other had answered that question already."""
    both = Pair()
    both.connect(0)
    both.connect(1)
    both.send(0, both.ends[1].here())
    both.settle()
    both.hear(0, both.ends[1].away())
    both.hear(1, both.ends[0].here())
    both.way[0].clear()
    assert both.peers == [Peer.AWAY, Peer.HERE]
    both.hear(1, both.ends[0].here())
    both.settle()
    assert both.peers == [Peer.HERE, Peer.HERE]


def test_an_altered_packet_says_nothing() -> None:
    both = Pair()
    both.connect(0)
    both.connect(1)
    both.settle()
    packet = both.ends[0].seal(b"move 1,2")
    assert packet is not None
    for bit in range(8 * len(packet)):
        altered = bytearray(packet)
        altered[bit // 8] ^= 1 << bit % 8
        heard = both.ends[1].receive(bytes(altered))
        assert heard == OpenedPacket()
    assert both.ends[0].receive(packet).message is None, "nor one that is sent back"
    for noise in (b"", b"p", b"m", b"p" + bytes(20), b"m" + bytes(8), bytes(MAX_PACKET + 1)):
        assert both.ends[1].receive(noise) == OpenedPacket()
    assert both.ends[1].receive(packet).message == b"move 1,2"


def test_a_stranger_with_another_secret_is_nobody() -> None:
    ours, stranger = Channel(SECRET, is_host=True), Channel(bytes(32), is_host=False)
    assert ours.receive(stranger.here()) == OpenedPacket()
    assert ours.others_topic != stranger.own_topic
    assert ours.session != stranger.session


# --- keys


def test_keys_are_kept_for_a_week_sixteen_at_most(tmp_path: Path) -> None:
    now_s = 1e9
    keys = KeyStore(tmp_path, lambda: now_s)
    sessions = []
    for number in range(MAX_SESSIONS + 1):
        secret = bytes([number] * 32)
        keys.keep(secret, is_host=number % 2 == 0)
        sessions.append(Channel(secret, is_host=True).session)
    again = KeyStore(tmp_path, lambda: now_s)
    assert again.find(sessions[0]) is None
    found = again.find(sessions[-1])
    assert isinstance(found, StoredSession)
    assert (bytes.fromhex(found.secret), found.is_host) == (bytes([MAX_SESSIONS] * 32), True)
    again.forget(sessions[-1])
    assert KeyStore(tmp_path, lambda: now_s).find(sessions[-1]) is None
    assert again.find(sessions[1]) is not None
    now_s += KEPT_S + 1
    again.pass_time()
    assert again.find(sessions[1]) is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 5000, b"[[1]]", b'[["xy", true, 1.0]]', b"\xff", b"{}x"]
)
def test_damaged_keys_cost_their_sessions_only(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "sessions.json").write_bytes(content)
    keys = KeyStore(tmp_path)
    keys.keep(SECRET, is_host=True)
    assert KeyStore(tmp_path).find(Channel(SECRET, is_host=True).session) is not None


def test_a_session_rests_only_while_its_helper_runs(tmp_path: Path) -> None:
    """A clock that was set a week ahead ended a match; so would one that starts anew with each helper."""
    now_s = 0.0

    def clock_s() -> float:
        return now_s

    for start in range(9):
        now_s = 1e9 * (start % 2)  # a machine's clock may count from anywhere
        keys = KeyStore(tmp_path, clock_s)
        if start == 0:
            keys.keep(SECRET, is_host=True)
        now_s += DAY_S
        keys.pass_time()
        found = keys.find(Channel(SECRET, is_host=True).session)
        assert isinstance(found, StoredSession) == (start < 7)
        keys.close()


def test_the_link_takes_no_duration_from_the_time_of_day() -> None:
    """Clocks are set, and a Pi starts without one."""
    for module in sorted(Path(shutthebox_link.__file__).parent.glob("*.py")):
        assert not re.search(r"time\.time\b|time_ns|datetime|localtime|gmtime", module.read_text()), module


def test_a_power_cut_takes_an_hour_of_rest_at_most(tmp_path: Path) -> None:
    now_s = 0.0
    keys = KeyStore(tmp_path, lambda: now_s)
    keys.keep(SECRET, is_host=True)
    for _ in range(1000):
        now_s += 20.0
        keys.pass_time()
    found = KeyStore(tmp_path).find(Channel(SECRET, is_host=True).session)
    assert isinstance(found, StoredSession)
    assert now_s - STEP_S - 20 <= found.rest_s <= now_s


def test_keys_that_cannot_be_read_now_are_not_lost(tmp_path: Path) -> None:
    """The box was told that there are none, and ended its match for good."""
    session = Channel(SECRET, is_host=True).session
    KeyStore(tmp_path).keep(SECRET, is_host=True)
    (tmp_path / FILE).rename(tmp_path / "elsewhere")
    (tmp_path / FILE).mkdir()
    keys = KeyStore(tmp_path)
    assert keys.find(session) == Unreadable()
    assert not keys.keep(bytes(32), is_host=True), "it would replace what can't be read"
    keys.pass_time()
    (tmp_path / FILE).rmdir()
    (tmp_path / "elsewhere").rename(tmp_path / FILE)
    assert isinstance(keys.find(session), StoredSession)
    keys.leave_all()
    assert KeyStore(tmp_path).find(session) is None


def test_nobody_is_paired_with_keys_that_cannot_be_kept(place: Meeting, tmp_path: Path) -> None:
    """After a power cut, the match couldn't have gone on."""
    host, guest = place.boxes
    (tmp_path / "guest" / FILE).mkdir()
    opened = host.asked(OpenRoom(), RoomOpened)
    assert guest.asked(EnterRoom(opened.room, opened.code), NotPaired).why is WhyNotPaired.NO_MEMORY


# --- a broker that lies

_CONNACK, _SUBACK = b"\x20\x02\0\0", b"\x90\x03%b\1"


def published(topic: bytes, payload: bytes = b"hello", *, is_kept: bool = False) -> bytes:
    """A message with QoS 0, as a broker sends it; a short one."""
    said = len(topic).to_bytes(2, "big") + topic + payload
    return bytes([0x30 | is_kept, len(said)]) + said


class LyingBroker:
    """Lets a client in and sends it these bytes, others at each connection; `HANG_UP` hangs up."""

    HANG_UP = b""

    def __init__(self, *said: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.wires = list[socket.socket]()
        threading.Thread(target=self._serve, args=(said,), daemon=True).start()

    def _serve(self, said: tuple[bytes, ...]) -> None:
        with suppress(OSError):  # closed
            for packets in said:
                wire, _ = self._listener.accept()
                self.wires.append(wire)
                wire.recv(1000)
                wire.sendall(_CONNACK)
                subscribe = wire.recv(1000)
                wire.sendall(_SUBACK % subscribe[2:4] + packets)
                if packets == self.HANG_UP:
                    wire.close()

    def close(self) -> None:
        for wire in (self._listener, *self.wires):
            wire.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "packet",
    [
        published(b"\xff"),
        b"\x32\5\xff\xffab\0",
        b"\xb0\0",
        b"\x20\0",
        b"\x40\4\0\1\x55\0",
        b"\xe0\2\3\0",
    ],
    ids=["topic", "length", "unsuback", "connack", "reason", "disconnect"],
)
def test_a_packet_that_a_broker_must_not_send_costs_a_connection_only(packet: bytes) -> None:
    """It ended the library's thread, and the helper stayed deaf."""
    liar = LyingBroker(packet, published(b"topic"))
    events: SimpleQueue[Event] = SimpleQueue()
    broker = Broker("liar", "127.0.0.1", liar.port, events.put, ("topic",))
    broker.start()
    heard = [events.get(timeout=HANG_S) for _ in range(4)]
    assert [type(event) for event in heard] == [Connected, Disconnected, Connected, Message]
    broker.close()
    liar.close()


def test_a_broker_that_is_sent_answers_and_never_reads_them_does_not_fill_the_memory() -> None:
    liar, events = LyingBroker(published(b"topic")), SimpleQueue[Event]()
    broker = Broker("liar", "127.0.0.1", liar.port, events.put, ("topic",))
    broker.start()
    assert isinstance(events.get(timeout=HANG_S), Connected)
    (wire,) = liar.wires
    with the_other_end_of(wire) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # the kernel keeps a megabyte otherwise
    with suppress(OSError):
        for _ in range(10):
            wire.sendall(b"\x32\x0a\0\5topic\0\1!" * 1000)  # QoS 1: each is to be confirmed
    heard = events.get(timeout=HANG_S)
    while isinstance(heard, Message):
        heard = events.get(timeout=HANG_S)
    assert heard == Disconnected("liar", "it reads nothing")
    broker.close()
    liar.close()


def test_a_connection_that_is_confirmed_again_and_again_is_told_of_once() -> None:
    """The box would have been flooded with news of the other one."""
    liar = LyingBroker((_CONNACK + _SUBACK % b"\0\1") * 1000 + published(b"topic"))
    events: SimpleQueue[Event] = SimpleQueue()
    broker = Broker("liar", "127.0.0.1", liar.port, events.put, ("topic",))
    broker.start()
    assert [type(events.get(timeout=HANG_S)) for _ in range(2)] == [Connected, Message]
    broker.close()
    liar.close()


def test_what_the_broker_has_kept_spoils_no_room(tmp_path: Path) -> None:
    """A stranger who had once left a guess in each of the 6,561 rooms kept all boxes apart for ever."""
    liar, box = LyingBroker(published(b"elsewhere")), LinkBox(tmp_path / "socket")
    helper = Helper(tmp_path / "socket", BrokerAddress("127.0.0.1", liar.port), KeyStore(tmp_path))
    with in_a_thread(helper.run, lambda: helper.inbox.put(None)):
        box.until(Peer.OFFLINE)
        box.ask(OpenRoom())
        opened = box.next(RoomOpened)
        guest, (wire,) = Guest(opened.room, opened.code), liar.wires
        topic = f"shutthebox/link/room/{opened.room}/guest".encode()
        kept = published(topic, Guest(opened.room, "1111").opening, is_kept=True)
        wire.sendall(kept + published(topic, guest.opening))
        _, answer = wire.recv(1000).split(b"/host")
        wire.sendall(b"\x40\2" + answer[:2])  # confirmed
        assert guest.receive(answer[2:]).secret is not None
    box.socket.close()
    liar.close()


@pytest.mark.slow
def test_a_broker_that_hangs_up_every_second_does_not_fill_the_journal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    liar = LyingBroker(*[LyingBroker.HANG_UP] * 3, published(b"topic"))
    box = LinkBox(tmp_path / "socket")
    helper = Helper(tmp_path / "socket", BrokerAddress("127.0.0.1", liar.port), KeyStore(tmp_path))
    with in_a_thread(helper.run, lambda: helper.inbox.put(None)):
        box.until(Peer.OFFLINE)
        box.ask(OpenRoom())
        box.next(RoomOpened)
        until(lambda: len(liar.wires) == 4)
    assert [record.getMessage() for record in caplog.records].count("broker: connection lost") == 1
    box.socket.close()
    liar.close()


def test_a_lever_does_not_wait_until_the_message_before_it_is_confirmed() -> None:
    """It came 40 ms late to the other panel."""
    liar, events = LyingBroker(published(b"topic")), SimpleQueue[Event]()
    broker = Broker("liar", "127.0.0.1", liar.port, events.put, ("topic",))
    broker.start()
    assert isinstance(events.get(timeout=HANG_S), Connected)
    with the_other_end_of(liar.wires[0]) as line:
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    broker.close()
    liar.close()


def the_other_end_of(wire: socket.socket) -> socket.socket:
    """A connection within this process, from its other end."""
    for number in range(os.sysconf("SC_OPEN_MAX")):
        with suppress(OSError):
            line = socket.socket(fileno=os.dup(number))
            if line.family == wire.family and line.getsockname() == wire.getpeername():
                return line
            line.close()
    raise AssertionError("it's in another process")


class _Forgetful(socketserver.StreamRequestHandler):
    """Between a client and its broker: while it `forgets`, no message of the client is confirmed."""

    server: ForgetfulBroker

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.broker)) as behind:
            threading.Thread(target=self._pass_on, args=(behind,), daemon=True).start()
            with suppress(OSError):
                while said := self.request.recv(4096):
                    self.server.said.append(said)
                    behind.sendall(said)

    def _pass_on(self, behind: socket.socket) -> None:
        packets = behind.makefile("rb")
        with suppress(OSError, IndexError):
            while first := packets.read(1):
                length, shift, head = 0, 0, first
                while not shift or head[-1] & 0x80:
                    head += packets.read(1)
                    length |= (head[-1] & 0x7F) << shift
                    shift += 7
                body = packets.read(length)
                if first[0] >> 4 != 4 or not self.server.forgets:
                    self.wfile.write(head + body)


class ForgetfulBroker(socketserver.ThreadingTCPServer):
    """A broker that can forget to confirm what it has passed on."""

    daemon_threads = True
    forgets = False

    def __init__(self, broker: int) -> None:
        super().__init__(("127.0.0.1", 0), _Forgetful)
        self.broker = broker
        self.said = list[bytes]()
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.mark.slow
def test_a_match_goes_on_once_a_broker_confirms_again(tmp_path: Path) -> None:
    """What it hadn't confirmed kept everything later from going out: both boxes were here and never moved."""
    place = Meeting(tmp_path)
    with ForgetfulBroker(place.port) as forgetful:
        place.helpers[0] = Helper(
            place.boxes[0].path,
            BrokerAddress("127.0.0.1", forgetful.server_address[1]),
            KeyStore(tmp_path / "host"),
        )
        with contextmanager(_running)(place):
            host, guest = place.boxes
            pair(host, guest)
            forgetful.forgets = True
            while host.reports.empty():  # nobody else says anything: it has connected anew
                host.ask(Send(Levers(0, 1)))
                time.sleep(0.02)
            forgetful.forgets = False
            host.until(Peer.HERE)
            guest.until(Peer.HERE)
            guest.ask(Send(Levers(1, 2)))
            host.next(Received, lambda report: report.message == Levers(1, 2))
            host.ask(Send(Levers(1, 2)))
            guest.next(Received, lambda report: report.message == Levers(1, 2))
        forgetful.shutdown()


@pytest.mark.slow
def test_a_match_goes_on_after_a_broker_has_told_of_an_end_that_was_none(tmp_path: Path) -> None:
    """It has the last will from the beginning. Both boxes waited for the other one to say something."""
    place, ahead_s = Meeting(tmp_path), 0.0
    with ForgetfulBroker(place.port) as early:
        for at, (name, port) in enumerate((("host", early.server_address[1]), ("guest", place.port))):
            box, keys = place.boxes[at].path, KeyStore(tmp_path / name)
            place.helpers[at] = Helper(
                box, BrokerAddress("127.0.0.1", port), keys, clock_s=lambda: time.monotonic() + ahead_s
            )
        with contextmanager(_running)(place):
            host, guest = place.boxes
            session = pair(host, guest)
            for one, other in ((guest, host), (host, guest)):  # then nothing of the greeting is under way
                one.ask(Send(Levers(0, 1)))
                other.next(Received)
            will_of = re.compile(rb"(shutthebox/link/[0-9a-f]{32}/host)..(.+)$", re.DOTALL)
            will = next(filter(None, map(will_of.search, early.said)))  # in its CONNECT
            Stranger(place.port).broker.publish(will[1].decode(), will[2])
            guest.until(Peer.AWAY)
            ahead_s = LOOK_S
            guest.ask(Rejoin(session))  # so that its helper looks at the clock
            guest.until(Peer.HERE)
            guest.ask(Send(Levers(0, 1)))
            host.next(Received)
            host.ask(Send(Levers(1, 2)))
            guest.next(Received)
        early.shutdown()


@pytest.mark.slow
def test_a_session_that_was_left_long_ago_is_taken_from_the_broker(tmp_path: Path) -> None:
    """It would have kept the news for ever, for a box that never came back."""
    place, ahead_s = Meeting(tmp_path), 0.0
    keys = KeyStore(tmp_path / "host", lambda: time.monotonic() + ahead_s)
    keys.keep(SECRET, is_host=True)
    keys.leave_all()
    place.helpers[0] = Helper(
        place.boxes[0].path,
        BrokerAddress("127.0.0.1", place.port),
        keys,
        clock_s=lambda: time.monotonic() + ahead_s,
    )
    with contextmanager(_running)(place):
        until(lambda: kept_topics(place.port))
        ahead_s = KEPT_S + 1
        place.boxes[0].ask(Send(Levers(0, 1)))  # so that its helper looks at the clock
        until(lambda: not kept_topics(place.port))


# --- at a broker


class Meeting:
    """Two boxes with helpers in threads, a plain broker, and a stranger there."""

    def __init__(self, folder: Path, pairing_s: float = PAIRING_S) -> None:
        self.process, self.port = plain_broker(folder)
        self.boxes, self.helpers = list[LinkBox](), list[Helper]()
        for name in ("host", "guest"):
            (folder / name).mkdir()
            self.boxes.append(LinkBox(folder / name / "socket"))
            keys = KeyStore(folder / name)
            place = BrokerAddress("127.0.0.1", self.port)
            self.helpers.append(Helper(folder / name / "socket", place, keys, pairing_s))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Meeting]:
    yield from _running(Meeting(tmp_path))


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Meeting]:
    yield from _running(Meeting(tmp_path, pairing_s=0.3))


def _running(place: Meeting) -> Iterator[Meeting]:
    host, guest = place.helpers
    with (
        in_a_thread(host.run, lambda: host.inbox.put(None)),
        in_a_thread(guest.run, lambda: guest.inbox.put(None)),
    ):
        for box in place.boxes:
            box.until(Peer.OFFLINE)  # the helper has called
        yield place
    for box in place.boxes:
        box.socket.close()
    place.process.kill()


def test_a_room_that_nobody_comes_to_is_closed(hasty: Meeting) -> None:
    host, guest = hasty.boxes
    host.asked(OpenRoom(), RoomOpened)
    assert host.next(NotPaired).why is WhyNotPaired.NOBODY
    assert guest.asked(EnterRoom("1111", "2222"), NotPaired).why is WhyNotPaired.NOBODY


@pytest.mark.slow
def test_a_stranger_learns_nothing_and_brings_nothing_in(place: Meeting) -> None:
    stranger = Stranger(place.port)
    host, guest = place.boxes
    pair(host, guest)
    for number in range(3):
        guest.ask(Send(Levers(number, 5)))
        assert host.next(Received).message == Levers(number, 5)
    heard = stranger.heard()
    assert len(heard) > 6
    assert not any(to_line(Levers(0, 5))[:8] in message.payload for message in heard)
    for message in heard:
        for payload in (message.payload, b"", b"\xff" * 40, bytes(100_000), to_line(Levers(9, 9))):
            stranger.broker.publish(message.topic, payload)
    stranger.heard()
    guest.ask(Send(Levers(7, 7)))
    report = host.next(Received)
    assert report.message == Levers(7, 7), "nothing else came before"
    stranger.broker.close()


def test_a_stranger_who_guesses_gets_one_guess_a_room(place: Meeting) -> None:
    stranger = Stranger(place.port)
    host, _ = place.boxes
    opened = host.asked(OpenRoom(), RoomOpened)
    for code in ("1111", "2222", "3333"):
        guess = Guest(opened.room, code)
        stranger.broker.publish(f"shutthebox/link/room/{opened.room}/guest", guess.opening)
    assert host.next(NotPaired).why is WhyNotPaired.WRONG_CODE
    answers = [message for message in stranger.until(b"x") if message.payload.startswith(b"a")]
    assert len(answers) == 1
    stranger.broker.close()


def test_what_comes_too_fast_keeps_a_box_busy_for_seconds_only(tmp_path: Path) -> None:
    """After a flood it read old reports for a quarter of a minute, and opened no room for the next match."""
    box = LinkBox(tmp_path / "socket")
    helper = Helper(tmp_path / "socket", BrokerAddress("127.0.0.1", 1), KeyStore(tmp_path))
    with in_a_thread(helper.run, lambda: helper.inbox.put(None)):
        box.until(Peer.OFFLINE)
        for _ in range(1000):
            helper.inbox.put(Rejoin("5e" * 16))
        old = 0
        while isinstance(box.reports.get(timeout=HANG_S), NotPaired):
            old += 1
        assert MAX_PER_S < old < 5 * MAX_PER_S
    box.socket.close()


@pytest.mark.slow
def test_a_flood_of_the_other_box_is_bounded_and_harms_nothing_else(place: Meeting) -> None:
    """Its messages are lost beyond what a box takes; that it has gone is not."""
    host, guest = place.boxes
    pair(host, guest)
    for number in range(2000):
        guest.ask(Send(Levers(number, 1)))
    place.helpers[1].inbox.put(None)
    host.until(Peer.AWAY)
