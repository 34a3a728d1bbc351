"""The link helpers of two boxes and everything between them; the time is passed in.

The boxes get the reports that `shutthebox-link` would send. Messages travel as the same lines, over a network
that can be cut, and that loses, duplicates, delays and so reorders them. Everything follows from the seed.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import itemgetter
from random import Random
from typing import NamedTuple, assert_never

from shutthebox.link.messages import LogSignature, Message, Sync, from_line, to_line
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

S = 1_000_000_000

LATENCY_NS = 20_000_000
"""The delay from one box to the other over a healthy network, and from a box to its broker."""

NEWS_NS = LATENCY_NS + 1
"""The delay before a box hears that the other one, or its helper, is gone: longer than for messages."""

SEEKING_S = 10
"""How long a helper looks for a room."""

MAX_UNDER_WAY = 1000
"""The most messages in transit between the boxes; more are lost."""

NEVER_NS = 1 << 62


class _Room(NamedTuple):
    """A room that a box has opened."""

    number: str
    code: str
    closes_ns: int


@dataclass(slots=True)
class _Seeking:
    """A box's search for the other one's room."""

    room: str
    code: str
    until_ns: int


@dataclass(slots=True)
class _Helper:
    """The helper of one box.

    Attributes:
        deliver: called with its reports.
        reports: those on their way to the box, each with its arrival time.
        keys: sessions that it has keys for; they survive a power cut.
        leaving: sessions left that the broker doesn't know about yet; they survive, too.
        session: the one whose messages it carries.
        peer: its last report on the other box.
        room: the one it has opened.
        seeking: the room it looks for.
    """

    deliver: Callable[[LinkReport], None] = lambda report: None
    reports: list[tuple[int, LinkReport]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    leaving: list[str] = field(default_factory=list)
    session: str | None = None
    peer: Peer | None = None
    room: _Room | None = None
    seeking: _Seeking | None = None


class _UnderWay(NamedTuple):
    """A message between the boxes. Compares by the time, and then by the number."""

    due_ns: int
    number: int
    receiver: int
    session: str
    line: bytes


class VirtualLink:
    """Two helpers, and everything between them. They never die, and have nothing to sign with.

    Args:
        seed: of rooms, codes and everything that happens to messages.
        now_ns: the clock.

    Attributes:
        lost: the share of messages that get lost.
        doubled: whether each message arrives twice.
        late_ns: the most that a message is delayed.
    """

    def __init__(self, seed: int, now_ns: Callable[[], int]) -> None:
        self._random = Random(f"{seed} link")
        self._now_ns = now_ns
        self._helpers = _Helper(), _Helper()
        self._under_way: list[_UnderWay] = []
        self._sent = 0
        self._is_cut = False
        self._left: tuple[set[str], set[str]] = (set(), set())
        """The sessions that each box has left, as far as the broker knows."""
        self.lost, self.doubled, self.late_ns = 0.0, False, 0

    # The network.

    def cut(self) -> None:
        """Cuts the network. Messages in transit are lost."""
        self._is_cut = True
        self._under_way.clear()
        self._look_for_peers()

    def mend(self) -> None:
        """Restores the network: every message gets through once and without delay."""
        self._is_cut = False
        self.lost, self.doubled, self.late_ns = 0.0, False, 0
        self._look_for_peers()
        self._pair()

    # The boxes.

    def connect(self, box: int, deliver: Callable[[LinkReport], None]) -> None:
        """Connects a box, 0 or 1. It gets one report at a time while `pass_time` runs."""
        self._helpers[box].deliver = deliver

    def ask(self, box: int, request: LinkRequest) -> None:
        """Asks a box's helper."""
        helper, now_ns = self._helpers[box], self._now_ns()
        match request:
            case OpenRoom():
                self._forget(helper)
                closes_ns = now_ns + PAIRING_S * S
                helper.room = _Room(self._digits(), self._digits(), closes_ns)
                self._report(helper, RoomOpened(helper.room.number, helper.room.code))
            case EnterRoom(room, code):
                self._forget(helper)
                helper.seeking = _Seeking(room, code, now_ns + SEEKING_S * S)
                self._pair()
            case Rejoin(session) if session in helper.keys:
                helper.session, helper.peer = session, None
            case Rejoin():
                helper.session = None
                self._report(helper, NotPaired(WhyNotPaired.UNKNOWN))
            case Send(message):
                if helper.session is not None:
                    self._send(1 - box, helper.session, to_line(self._signed(box, message)))
            case Leave():
                self._forget(helper)
                helper.leaving += helper.keys
                helper.keys.clear()
            case _:
                assert_never(request)
        self._look_for_peers()

    def cut_power(self, box: int) -> None:
        """Cuts the power of a box and its helper. Reports that the box hasn't got yet are lost."""
        helper = self._helpers[box]
        self._forget(helper)
        helper.reports.clear()
        self._look_for_peers()

    # What another kind of helper does in another way.

    def public_key(self, box: int) -> str:
        """The key of a box's helper, 64 hexadecimal digits; empty without one."""
        return ""

    def sign(self, box: int, unsigned: LogSignature) -> LogSignature | None:
        """Signs a finished log; None if the key is gone."""
        return unsigned

    def reaches_broker(self, box: int) -> bool:
        """Whether a box's helper can talk to the broker now."""
        return not self._is_cut

    # Time.

    @property
    def deadline_ns(self) -> int:
        """When `pass_time` is due."""
        dues = [line.due_ns for line in self._under_way[:1]]
        for helper in self._helpers:
            dues += [due_ns for due_ns, _ in helper.reports[:1]]
            if helper.room is not None:
                dues.append(helper.room.closes_ns)
            if helper.seeking is not None:
                dues.append(helper.seeking.until_ns)
        return min(dues, default=NEVER_NS)

    def pass_time(self, now_ns: int) -> None:
        """Delivers what is due by now, and closes rooms that nobody has found."""
        while self._under_way and self._under_way[0].due_ns <= now_ns:
            line = heappop(self._under_way)
            receiver = self._helpers[line.receiver]
            if receiver.session == line.session:
                self._report(receiver, Received(from_line(line.line)), 0)
        for helper in self._helpers:
            ends_ns = helper.room.closes_ns if helper.room else NEVER_NS
            if helper.seeking:
                ends_ns = helper.seeking.until_ns
            if ends_ns <= now_ns:
                helper.room = helper.seeking = None
                self._report(helper, NotPaired(WhyNotPaired.NOBODY), 0)
            while helper.reports and helper.reports[0][0] <= now_ns:
                helper.deliver(helper.reports.pop(0)[1])

    def _digits(self) -> str:
        return "".join(str(self._random.randint(1, 9)) for _ in range(DIGITS))

    def _report(self, helper: _Helper, report: LinkReport, after_ns: int = LATENCY_NS) -> None:
        insort(helper.reports, (self._now_ns() + after_ns, report), key=itemgetter(0))

    def _signed(self, box: int, message: Message) -> Message:
        if not isinstance(message, Sync) or message.signed is None:
            return message
        signed = self.sign(box, message.signed)
        if signed is not None and signed.signature:
            self._report(self._helpers[box], HelperSigned(signed))
        return message._replace(signed=signed)

    def _send(self, receiver: int, session: str, line: bytes) -> None:
        for _ in range(2 if self.doubled else 1):
            if self._is_cut or self._random.random() < self.lost or len(self._under_way) >= MAX_UNDER_WAY:
                continue
            late_ns = self._random.randint(0, self.late_ns)
            self._sent += 1
            due_ns = self._now_ns() + LATENCY_NS + late_ns
            heappush(self._under_way, _UnderWay(due_ns, self._sent, receiver, session, line))

    def _pair(self) -> None:
        """Pairs a box that's looking for a room with the one waiting in it."""
        for host, guest in (self._helpers, self._helpers[::-1]):
            room, seeking = host.room, guest.seeking
            if room is None or seeking is None or self._is_cut or seeking.room != room.number:
                continue
            host.room = guest.seeking = None
            if seeking.code == room.code:
                session = self._random.randbytes(16).hex()
                for at, helper in enumerate(self._helpers):
                    helper.keys, helper.session, helper.peer = [session], session, None
                    self._report(helper, Paired(session, self.public_key(at)))
            else:
                for helper in self._helpers:
                    self._report(helper, NotPaired(WhyNotPaired.WRONG_CODE))

    @staticmethod
    def _forget(helper: _Helper) -> None:
        """Drops everything that a helper only has in memory."""
        helper.room = helper.seeking = helper.session = helper.peer = None

    def _look_for_peers(self) -> None:
        """Tells each box where the other one is, if that has changed."""
        for at, (helper, left) in enumerate(zip(self._helpers, self._left, strict=True)):
            if self.reaches_broker(at):
                left.update(helper.leaving)
                helper.leaving.clear()
        for at, helper in enumerate(self._helpers):
            other = self._helpers[1 - at]
            if helper.session is not None:
                meets = not self._is_cut and other.session == helper.session
                peer = Peer.HERE if meets else Peer.AWAY
                if helper.session in self._left[1 - at] and not self._is_cut:
                    peer = Peer.LEFT
                if peer is not helper.peer:
                    helper.peer = peer
                    self._report(helper, PeerIs(peer), NEWS_NS)


class LinkEnd(NamedTuple):
    """One box's end of the link: its requests go to its helper.

    Attributes:
        link: both ends, and everything between them.
        box: which end, 0 or 1.
    """

    link: VirtualLink
    box: int

    def connect(self, deliver: Callable[[LinkReport], None]) -> None:
        """Connects the box that takes the reports."""
        self.link.connect(self.box, deliver)

    def ask(self, request: LinkRequest) -> None:
        """Asks this box's helper."""
        self.link.ask(self.box, request)

    @property
    def has_helper(self) -> bool:
        """Whether this box has a helper: always."""
        return True

    def cut_power(self) -> None:
        """Cuts the power of this box and its helper."""
        self.link.cut_power(self.box)
