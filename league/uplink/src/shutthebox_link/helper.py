"""The link helper: a loop between the box's socket and the broker.

Threads: one reads the box's socket, and paho has one per connection; both only put events into the inbox.
Without a room, a session or a farewell, there's no connection to the broker, and the loop sleeps.
"""

import logging
import math
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeAlias, assert_never

from shutthebox.adapters.helper_socket import read_lines, send_line
from shutthebox.errors import one_line
from shutthebox.link.messages import Message as BoxMessage
from shutthebox.link.messages import Sync, from_line, to_line
from shutthebox.link.requests import (
    DIGITS,
    PAIRING_S,
    EnterRoom,
    HelperSigned,
    Leave,
    LinkReport,
    LinkRequest,
    NotPaired,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Received,
    Rejoin,
    RoomOpened,
    Send,
    WhyNotPaired,
)
from shutthebox.link.wire import MAX_LINE, report_to_line, request_from_line
from shutthebox_link.channel import MAX_PACKET, Channel, is_presence
from shutthebox_link.farewell import Farewell, Stage
from shutthebox_link.key_store import KeyStore, StoredSession, Unreadable
from shutthebox_link.pairing import Guest, Host
from shutthebox_link.signing import check_signature
from shutthebox_uplink.mqtt import GOODBYE_S, Broker, Connected, Disconnected, Event, Message

CONNECT_S = 10.0
"""Seconds after which a broker that hasn't answered counts as unreachable."""

ANSWER_S = 10.0
"""Seconds after which a room whose host hasn't answered counts as empty."""

COMPLAIN_S = 600.0
"""Seconds before the same trouble with the broker is logged again."""

LOOK_S = 20.0
"""Seconds between two looks, each of which feeds the watchdog and challenges a box that's away."""

MAX_PER_S = 50
"""The most packets of each kind accepted per second and connection, and messages sent; others are dropped."""

_RETRY_S = 1.0
_MAX_UNREAD = 2 * MAX_LINE
"""The most bytes of unread reports: about 40 short ones, including the kernel's overhead."""
_MAX_TO_PUBLISH = 2 * MAX_PER_S

_log = logging.getLogger(__name__)


class BrokerAddress(NamedTuple):
    """Where the broker is.

    Attributes:
        host: its name or address.
        port: its TCP port.
        tls: None for a plain connection, which never leaves this machine.
        user: empty for none.
        password: the user's.
    """

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    user: str = ""
    password: str = ""


class Rate:
    """A limit of events per second, counted in windows of one second."""

    def __init__(self, most: int, clock_s: Callable[[], float]) -> None:
        self._most, self._clock_s = most, clock_s
        self._since_s, self._count = clock_s(), 0

    def allows(self) -> bool:
        """Counts an event; returns whether it's within the limit."""
        now_s = self._clock_s()
        if now_s - self._since_s >= 1.0:
            self._since_s, self._count = now_s, 0
        self._count += 1
        return self._count <= self._most


@dataclass(slots=True)
class _Room:
    """A room that this box has opened or entered."""

    room: str
    code: str
    pairing: Host | Guest
    broker: Broker
    deadline_s: float
    why_late: WhyNotPaired = WhyNotPaired.NO_BROKER
    """The reason to report if nothing happens until then."""

    @property
    def topics(self) -> tuple[str, str]:
        """The topic this box writes to, and the one it reads."""
        host, guest = (f"shutthebox/link/room/{self.room}/{who}" for who in ("host", "guest"))
        return (host, guest) if self.pairing.is_host else (guest, host)


@dataclass(slots=True)
class _Meeting:
    """A session that this box has joined."""

    channel: Channel
    secret: bytes
    broker: Broker
    peer: Peer = Peer.OFFLINE
    ask_again_s: float = math.inf
    """When to challenge the other box again: a broker can lose an answer, or send a last will too early."""
    pending_until_s: float | None = None
    """Set from agreeing on the secret until both boxes have used it: only then are they paired."""


class BoxHere(NamedTuple):
    """The box has accepted the connection."""

    wire: socket.socket


class BoxGone(NamedTuple):
    """The box has hung up."""

    wire: socket.socket


class _FarewellClosed(NamedTuple):
    """Whether a farewell's last message has reached the broker."""

    session: str
    is_delivered: bool


Mail: TypeAlias = Event | LinkRequest | BoxHere | BoxGone | _FarewellClosed
"""What the loop handles."""


class Helper:
    """A box's helper.

    Args:
        path: the box's socket.
        address: where the broker is.
        keys: the secrets of all sessions, and the box's own.
        pairing_s: seconds for which a room stays open.
        clock_s: a monotonic clock, in seconds.
        connect: opens a connection, given the arguments of `Broker`.
        digits: picks a room number, or a code.
    """

    def __init__(
        self,
        path: Path,
        address: BrokerAddress,
        keys: KeyStore,
        pairing_s: float = PAIRING_S,
        clock_s: Callable[[], float] = time.monotonic,
        connect: Callable[..., Broker] = Broker,
        digits: Callable[[], str] = lambda: "".join(secrets.choice("123456789") for _ in range(DIGITS)),
    ) -> None:
        self._path, self._address, self._keys = path, address, keys
        self._pairing_s, self._clock_s = pairing_s, clock_s
        self._connect, self._digits = connect, digits
        self.inbox: SimpleQueue[Mail | None] = SimpleQueue()
        self._sending_rate = Rate(MAX_PER_S, clock_s)
        self._wire: socket.socket | None = None
        self._room: _Room | None = None
        self._meeting: _Meeting | None = None
        self._farewells: dict[str, Farewell] = {}
        """By session; at most as many as there are keys."""
        self._ending: set[str] = set()
        """The sessions whose last message is on its way to the broker."""
        self._broker_count = 0
        self._complained: dict[str, float] = {}
        """When each reason was last logged. They come from the library, so there are few."""
        self._closers: list[threading.Thread] = []
        self._ended = threading.Event()

    def run(
        self, feed_watchdog: Callable[[], None] = lambda: None, status: Callable[[str], None] = lambda _: None
    ) -> None:
        """Runs until None is in the inbox.

        Args:
            feed_watchdog: called at least every `LOOK_S`.
            status: called with a line about the link whenever it changes.
        """
        threading.Thread(target=self._serve_box, name="box", daemon=True).start()
        said = ""
        try:
            while True:
                if (now := self._status) != said:
                    said = now
                    status(said)
                try:
                    mail = self.inbox.get(timeout=max(0.0, self.deadline_s - self._clock_s()))
                except Empty:
                    self.look()
                else:
                    if mail is None:
                        return
                    self.take(mail)
                feed_watchdog()
        finally:
            self._ended.set()
            if self._wire is not None:
                with suppress(OSError):
                    self._wire.shutdown(socket.SHUT_RDWR)
            self._close_room()
            self._close_meeting()
            for farewell in self._farewells.values():
                self._close(farewell.broker)
            self._keys.close()
            for closer in self._closers:
                closer.join(GOODBYE_S + 1.0)

    @property
    def _status(self) -> str:
        if self._wire is None:
            return "waiting for the box"
        if self._meeting is not None:
            return f"in a session: {self._meeting.peer}"
        if self._room is not None:
            return "pairing"
        return "leaving a session" if self._farewells else "resting"

    # --- the box

    def _serve_box(self) -> None:
        """In a thread: connects to the box, reconnects when it hangs up, and passes its requests on."""
        while not self._ended.is_set():
            with socket.socket(socket.AF_UNIX) as wire:
                # The box reads 20 reports a second, so a long queue would be stale.
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MAX_UNREAD)
                try:
                    wire.connect(str(self._path))
                    self.inbox.put(BoxHere(wire))
                    for line in read_lines(wire, MAX_LINE):
                        self.inbox.put(request_from_line(line))
                except (OSError, ValueError) as error:
                    if not isinstance(error, FileNotFoundError | ConnectionRefusedError):
                        _log.warning("box: %s", one_line(str(error)))
                self.inbox.put(BoxGone(wire))
            self._ended.wait(_RETRY_S)

    def _report(self, report: LinkReport) -> None:
        if self._wire is None:
            return
        try:
            send_line(self._wire, report_to_line(report))
        except BlockingIOError:
            # The box reads 20 a second. A message may be lost; if anything else would be, reconnect.
            if not isinstance(report, Received):
                with suppress(OSError):
                    self._wire.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # its thread notices

    # --- the broker

    def _new_broker(self, topic: str, renew: Callable[[Broker], None] | None = None) -> Broker:
        self._broker_count += 1
        # Separate limits: a box that floods still counts as away once it says so, and no other box does.
        presence, others = Rate(MAX_PER_S, self._clock_s), Rate(MAX_PER_S, self._clock_s)

        def tell(event: Event) -> None:
            """Runs in paho's thread, so it only filters, and passes on to the inbox."""
            if isinstance(event, Message):
                is_news = is_presence(event.payload)
                rate = presence if is_news else others
                if event.is_kept and not is_news:
                    return  # retained by a stranger, to block a room for ever
                if event.topic != topic or len(event.payload) > MAX_PACKET or not rate.allows():
                    return
            if isinstance(event, Disconnected) and renew is not None:
                renew(broker)  # before the next connection
            self.inbox.put(event)

        address = self._address
        broker = self._connect(
            str(self._broker_count),
            address.host,
            address.port,
            tell,
            (topic,),
            tls=address.tls,
            username=address.user,
            password=address.password,
            most_waiting=_MAX_TO_PUBLISH,
            refused="not allowed to listen there",
        )
        broker.report_failures()
        return broker

    def _close(self, broker: Broker, tell: Callable[[bool], object] = lambda is_delivered: None) -> None:
        closer = broker.close_soon(tell)
        self._closers = [*filter(threading.Thread.is_alive, self._closers), closer]

    def _complain(self, reason: str) -> None:
        """Logs why the broker can't be reached, but not every time: it may happen every second."""
        now_s = self._clock_s()
        if now_s - self._complained.get(reason, -math.inf) >= COMPLAIN_S:
            self._complained[reason] = now_s
            _log.warning("broker: %s", reason or "connection lost")

    # --- events

    def take(self, mail: Mail) -> None:
        """Handles an item of the inbox, and looks at the clock."""
        match mail:
            case BoxHere(wire):
                self._wire = wire
                self._report(PeerIs(Peer.OFFLINE))  # tells the box that there's a helper
            case BoxGone(wire):
                if wire is self._wire:
                    self._wire = None
                    self._close_room()
                    self._close_meeting()
            case _FarewellClosed(session, is_delivered):
                self._ending.discard(session)
                if is_delivered:
                    self._keys.forget(session)
            case Connected() | Disconnected() | Message():
                self._take_event(mail)
            case _:
                self._take_request(mail)
        self.look()

    def _take_event(self, event: Event) -> None:
        if self._room is not None and event.broker == self._room.broker.name:
            self._take_in_room(self._room, event)
        elif self._meeting is not None and event.broker == self._meeting.broker.name:
            self._take_in_meeting(self._meeting, event)
        for session, farewell in [*self._farewells.items()]:
            if event.broker == farewell.broker.name:
                if isinstance(event, Disconnected):
                    self._complain(event.reason)
                farewell.take(event)
                self._close_finished(session)

    def _take_request(self, request: LinkRequest) -> None:
        match request:
            case OpenRoom():
                room, code = self._digits(), self._digits()
                self._enter(room, code, Host(room, code))
            case EnterRoom(room, code):
                self._enter(room, code, Guest(room, code))
            case Rejoin(session):
                self._rejoin(session)
            case Send(message):
                if self._meeting is not None and self._sending_rate.allows():
                    self._send(self._meeting, to_line(self._sign(message)))
            case Leave():
                self._close_room()
                self._keys.leave_all()
                if self._meeting is not None:
                    self._leave(self._meeting)
            case _:
                assert_never(request)

    def _sign(self, message: BoxMessage) -> BoxMessage:
        """The message with the signature that it asks for, which the box gets, too."""
        if not isinstance(message, Sync) or message.signed is None:
            return message
        signed = self._keys.signer.sign(message.signed.digest)
        if signed is not None:
            self._report(HelperSigned(signed))
        return message._replace(signed=signed)

    def _send(self, meeting: _Meeting, line: bytes) -> None:
        packet = meeting.channel.seal(line)
        if packet is not None and not meeting.broker.publish(meeting.channel.own_topic, packet):
            # A full queue would hold up all later messages, even once the broker confirms again.
            self._complain("it confirms nothing")
            self._close_meeting()
            self._open_meeting(meeting.secret, is_host=meeting.channel.is_host)

    @property
    def deadline_s(self) -> float:
        """When to call `look` if nothing else happens, by the helper's clock."""
        due_s = [self._clock_s() + LOOK_S, *self._deadlines()]
        if self._meeting is not None:
            due_s.append(self._meeting.ask_again_s)
        return min(due_s)

    def _deadlines(self) -> list[float]:
        found = [] if self._room is None else [self._room.deadline_s]
        if self._meeting is not None and self._meeting.pending_until_s is not None:
            found.append(self._meeting.pending_until_s)
        return found

    def look(self) -> None:
        """Acts on deadlines that have passed."""
        now_s = self._clock_s()
        if self._room is not None and now_s >= self._room.deadline_s:
            self._fail(self._room.why_late)
        elif any(now_s >= due_s for due_s in self._deadlines()):
            self._fail(WhyNotPaired.NOBODY)
        self._keys.pass_time()
        if self._meeting is not None and self._meeting.peer is Peer.HERE:
            self._keys.renew(self._meeting.channel.session)
        if self._meeting is not None and now_s >= self._meeting.ask_again_s:
            self._ask_again(self._meeting)
        left = {stored.session: stored for stored in self._keys.ended}
        for session in self._farewells.keys() - left:
            self._close(self._farewells.pop(session).broker)
        for session, stored in left.items():
            if session not in self._ending:
                self._say_farewell(session, stored)

    def _ask_again(self, meeting: _Meeting) -> None:
        meeting.ask_again_s = self._clock_s() + LOOK_S
        if self._keys.find(meeting.channel.session) is None:
            self._fail(WhyNotPaired.UNKNOWN)  # the session has expired
        elif meeting.peer is not Peer.OFFLINE:
            meeting.broker.publish(meeting.channel.own_topic, meeting.channel.here())

    def _fail(self, why: WhyNotPaired) -> None:
        self._close_room()
        self._close_meeting()
        self._report(NotPaired(why))

    # --- pairing

    def _enter(self, room: str, code: str, pairing: Host | Guest) -> None:
        self._close_room()
        self._close_meeting()
        reads = f"shutthebox/link/room/{room}/{'guest' if pairing.is_host else 'host'}"
        broker = self._new_broker(reads)
        self._room = _Room(room, code, pairing, broker, self._clock_s() + CONNECT_S)
        broker.start()

    def _close_room(self) -> None:
        if self._room is not None:
            self._close(self._room.broker)
            self._room = None

    def _take_in_room(self, room: _Room, event: Event) -> None:
        writes, _ = room.topics
        match event:
            case Connected():
                if room.why_late is not WhyNotPaired.NO_BROKER:
                    return  # again
                room.why_late = WhyNotPaired.NOBODY
                if room.pairing.is_host:
                    room.deadline_s = self._clock_s() + self._pairing_s
                    self._report(RoomOpened(room.room, room.code))
                else:
                    room.deadline_s = self._clock_s() + min(ANSWER_S, self._pairing_s)
                    room.broker.publish(writes, room.pairing.opening)
            case Disconnected(_, reason):
                self._complain(reason)
                if room.why_late is WhyNotPaired.NO_BROKER:
                    self._fail(WhyNotPaired.NO_BROKER)
            case Message(_, _, packet):
                step = room.pairing.receive(packet)
                if step.reply:
                    room.broker.publish(writes, step.reply)
                if step.is_wrong:
                    self._fail(WhyNotPaired.WRONG_CODE)
                elif step.secret is not None:
                    is_host = room.pairing.is_host
                    if is_host:
                        self._close_room()
                    else:
                        room.deadline_s = self._clock_s() + self._pairing_s  # now the same as the session's
                    self._open_meeting(step.secret, is_host=is_host, is_new=True)
            case _:
                assert_never(event)

    # --- sessions

    def _rejoin(self, session: str) -> None:
        self._close_room()
        if self._meeting is not None and self._meeting.channel.session == session:
            self._report(PeerIs(self._meeting.peer))
            return
        self._close_meeting()
        match self._keys.find(session):
            case StoredSession(secret, is_host):
                self._open_meeting(bytes.fromhex(secret), is_host=is_host)
                self._report(PeerIs(Peer.OFFLINE))
            case Unreadable():
                self._report(PeerIs(Peer.OFFLINE))  # the box asks again
            case None:
                self._report(NotPaired(WhyNotPaired.UNKNOWN))

    def _open_meeting(self, secret: bytes, *, is_host: bool, is_new: bool = False) -> None:
        if is_new and not self._keys.keep(secret, is_host=is_host):
            self._fail(WhyNotPaired.NO_MEMORY)
            return
        channel, broker = self._new_channel(secret, is_host=is_host)
        self._meeting = _Meeting(channel, secret, broker, ask_again_s=self._clock_s() + LOOK_S)
        if is_new:
            self._meeting.pending_until_s = self._clock_s() + self._pairing_s
        broker.start()

    def _new_channel(self, secret: bytes, *, is_host: bool) -> tuple[Channel, Broker]:
        channel = Channel(secret, is_host=is_host)

        def renew(broker: Broker) -> None:
            channel.renew()
            broker.set_will(channel.own_topic, channel.away())

        broker = self._new_broker(channel.others_topic, renew)
        broker.set_will(channel.own_topic, channel.away())
        return channel, broker

    def _leave(self, meeting: _Meeting) -> None:
        self._meeting, session = None, meeting.channel.session
        self._farewells[session] = farewell = Farewell(meeting.channel, meeting.broker, self._clock_s)
        farewell.begin(meeting.peer)
        self._close_finished(session)

    def _say_farewell(self, session: str, stored: StoredSession) -> None:
        """Announces it on a separate connection, for as long as the other box may wait for it."""
        if self._meeting is not None and self._meeting.channel.session == session:
            return  # it's about to end
        if session not in self._farewells:
            channel, broker = self._new_channel(bytes.fromhex(stored.secret), is_host=stored.is_host)
            self._farewells[session] = Farewell(channel, broker, self._clock_s)
            broker.start()
        farewell = self._farewells[session]
        if self._keys.is_old(stored):
            farewell.give_up()
        else:
            farewell.look()
        self._close_finished(session)

    def _close_finished(self, session: str) -> None:
        """Closes the connection of a farewell that's over, or that needs a new one."""
        farewell = self._farewells[session]
        match farewell.stage:
            case Stage.GOES_ON:
                return
            case Stage.OVER:
                self._ending.add(session)
                self._close(
                    farewell.broker,
                    lambda is_delivered: self.inbox.put(_FarewellClosed(session, is_delivered)),
                )
            case Stage.STUCK:
                self._complain("it confirms nothing")
                self._close(farewell.broker)
            case _:
                assert_never(farewell.stage)
        del self._farewells[session]

    def _close_meeting(self) -> None:
        """Tells the other box, and closes the session's connection; its keys stay."""
        if self._meeting is not None:
            meeting, self._meeting = self._meeting, None
            if meeting.peer is not Peer.OFFLINE:
                meeting.broker.publish(meeting.channel.own_topic, meeting.channel.away())
            self._close(meeting.broker)

    def _take_in_meeting(self, meeting: _Meeting, event: Event) -> None:
        channel = meeting.channel
        match event:
            case Connected():
                if meeting.peer is not Peer.LEFT:  # a retained announcement may have come first
                    self._set_peer(meeting, Peer.AWAY)
                meeting.broker.publish(channel.own_topic, channel.here())
            case Disconnected(_, reason):
                self._complain(reason)
                if meeting.peer is not Peer.OFFLINE:
                    self._set_peer(meeting, Peer.OFFLINE)
            case Message(_, _, packet):
                heard = channel.receive(packet)
                if heard.reply:
                    meeting.broker.publish(channel.own_topic, heard.reply)
                if heard.peer is not None:
                    self._set_peer(meeting, heard.peer)
                elif heard.doubt is not None and meeting.peer is Peer.HERE:
                    due_s = min(meeting.ask_again_s, self._clock_s() + LOOK_S)
                    meeting.ask_again_s = due_s if heard.doubt else math.inf
                if heard.message is not None:
                    with suppress(ValueError):  # from a hostile box
                        self._report(Received(check_signature(from_line(heard.message))))
            case _:
                assert_never(event)

    def _set_peer(self, meeting: _Meeting, peer: Peer) -> None:
        meeting.peer = peer
        waits = peer in (Peer.AWAY, Peer.OFFLINE)
        meeting.ask_again_s = self._clock_s() + LOOK_S if waits else math.inf
        if meeting.pending_until_s is not None:
            if peer is Peer.LEFT:
                self._fail(WhyNotPaired.NOBODY)
                return
            if peer is not Peer.HERE:
                return  # not yet paired: the box doesn't know of this session
            meeting.pending_until_s = None
            self._close_room()
            self._report(Paired(meeting.channel.session, self._keys.signer.public_key))
        self._report(PeerIs(peer))
