"""The link helpers of two boxes and all that lies between them, with the time passed in.

The boxes are told what `shutthebox-link` would tell them. Messages go as the lines that it would carry,
over a network that can be cut, and that loses, doubles, delays and so reorders them. Everything follows
from the seed.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import itemgetter
from random import Random
from typing import NamedTuple, assert_never

from shutthebox.link.messages import from_line, to_line
from shutthebox.link.requests import (
    DIGITS,
    PAIRING_S,
    EnterRoom,
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
    answer_without_helper,
    update_standing,
)

S = 1_000_000_000

LATENCY_NS = 20_000_000
"""From one box to the other over a network that is well, and from a box to its broker."""

NEWS_NS = LATENCY_NS + 1
"""Until a box hears that the other one, or its helper, is gone: after all that was sent before."""

SEEKING_S = 10
"""So long a room is looked for."""

MOST_UNDER_WAY = 1000
"""Messages between the boxes at a time; more are lost."""

NEVER_NS = 1 << 62


class _Room(NamedTuple):
    """One that a box has opened."""

    number: str
    code: str
    closes_ns: int


@dataclass(slots=True)
class _Seeking:
    """A box looks for the other one's room."""

    room: str
    code: str
    until_ns: int


@dataclass(slots=True)
class _Helper:
    """The helper of one box.

    Attributes:
        deliver: takes its reports.
        reports: on their way to the box: when they get there, and what.
        keys: sessions that it has keys for; they survive a power cut.
        leaving: sessions that are left, of which the broker doesn't know yet; they survive, too.
        session: whose messages it carries.
        peer: what it has last said about the other box.
        room: that it has opened.
        seeking: the room it looks for.
        is_on: it runs.
        standing: what the box's end of the wire asks of it whenever it starts.
    """

    deliver: Callable[[LinkReport], None] = lambda report: None
    reports: list[tuple[int, LinkReport]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    leaving: list[str] = field(default_factory=list)
    session: str | None = None
    peer: Peer | None = None
    room: _Room | None = None
    seeking: _Seeking | None = None
    is_on: bool = True
    standing: Rejoin | Leave | None = None


class _UnderWay(NamedTuple):
    """A message between the boxes. Compares by the time, and then by the number."""

    due_ns: int
    number: int
    receiver: int
    session: str
    line: bytes


class VirtualLink:
    """Two helpers, and what lies between them.

    Args:
        seed: of rooms, codes and everything that happens to messages.
        now_ns: the clock.

    Attributes:
        lost: the share of messages that get lost.
        doubled: each message comes twice.
        late_ns: a message is late by so much, at most.
    """

    def __init__(self, seed: int, now_ns: Callable[[], int]) -> None:
        self._random = Random(f"{seed} link")
        self._now_ns = now_ns
        self._helpers = _Helper(), _Helper()
        self._under_way: list[_UnderWay] = []
        self._sent = 0
        self._is_cut = False
        self._left: tuple[set[str], set[str]] = (set(), set())
        """Sessions that each box has left, as the broker knows."""
        self.lost, self.doubled, self.late_ns = 0.0, False, 0

    # What happens between the boxes.

    @property
    def is_well(self) -> bool:
        """Whether every message gets through, once and at once."""
        return not (self._is_cut or self.lost or self.doubled or self.late_ns)

    def cut(self) -> None:
        """Nothing gets through any more. What was under way is lost."""
        self._is_cut = True
        self._under_way.clear()
        self._look_for_peers()

    def mend(self) -> None:
        """Everything gets through again, once and at once."""
        self._is_cut = False
        self.lost, self.doubled, self.late_ns = 0.0, False, 0
        self._look_for_peers()
        self._pair()

    # What a box does.

    def connect(self, box: int, deliver: Callable[[LinkReport], None]) -> None:
        """Joins a box, 0 or 1, which takes one report at a time while `pass_time` runs."""
        self._helpers[box].deliver = deliver

    def ask(self, box: int, request: LinkRequest) -> None:
        """Asks a box's helper."""
        helper, now_ns = self._helpers[box], self._now_ns()
        helper.standing = update_standing(helper.standing, request)
        if not helper.is_on:
            if (report := answer_without_helper(request)) is not None:
                self._report(helper, report)
            return
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
                    self._send(1 - box, helper.session, to_line(message))
            case Leave():
                self._forget(helper)
                helper.leaving += helper.keys
                helper.keys.clear()
            case _:
                assert_never(request)
        self._look_for_peers()

    def has_helper(self, box: int) -> bool:
        """Whether a box's helper runs."""
        return self._helpers[box].is_on

    def kill_helper(self, box: int) -> None:
        """The helper ends; the box is told that it is."""
        helper = self._helpers[box]
        self._forget(helper)
        helper.is_on = False
        self._report(helper, PeerIs(Peer.OFFLINE), NEWS_NS)
        self._look_for_peers()

    def start_helper(self, box: int) -> None:
        """The helper starts, and is asked again for what should last."""
        helper = self._helpers[box]
        helper.is_on = True
        if helper.standing is not None:
            self.ask(box, helper.standing)

    def cut_power(self, box: int) -> None:
        """The box and its helper lose their power: what the helper hadn't told the box it never will."""
        helper = self._helpers[box]
        self._forget(helper)
        helper.reports.clear()
        helper.is_on, helper.standing = True, None
        self._look_for_peers()

    # The time.

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
            if receiver.is_on and receiver.session == line.session:
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

    def _send(self, receiver: int, session: str, line: bytes) -> None:
        for _ in range(2 if self.doubled else 1):
            if self._is_cut or self._random.random() < self.lost or len(self._under_way) >= MOST_UNDER_WAY:
                continue
            late_ns = self._random.randint(0, self.late_ns)
            self._sent += 1
            due_ns = self._now_ns() + LATENCY_NS + late_ns
            heappush(self._under_way, _UnderWay(due_ns, self._sent, receiver, session, line))

    def _pair(self) -> None:
        """Brings a box that looks for a room to the one that waits in it."""
        for host, guest in (self._helpers, self._helpers[::-1]):
            room, seeking = host.room, guest.seeking
            if room is None or seeking is None or self._is_cut or seeking.room != room.number:
                continue
            host.room = guest.seeking = None
            if seeking.code == room.code:
                session = self._random.randbytes(16).hex()
                for helper in self._helpers:
                    helper.keys, helper.session, helper.peer = [session], session, None
                    self._report(helper, Paired(session))
            else:
                for helper in self._helpers:
                    self._report(helper, NotPaired(WhyNotPaired.WRONG_CODE))

    @staticmethod
    def _forget(helper: _Helper) -> None:
        """All that is in memory."""
        helper.room = helper.seeking = helper.session = helper.peer = None

    def _look_for_peers(self) -> None:
        """Tells each box where the other is, if that is news."""
        for helper, left in zip(self._helpers, self._left, strict=True):
            if helper.is_on and not self._is_cut:
                left.update(helper.leaving)
                helper.leaving.clear()
        for at, helper in enumerate(self._helpers):
            other = self._helpers[1 - at]
            if helper.is_on and helper.session is not None:
                meets = not self._is_cut and other.is_on and other.session == helper.session
                peer = Peer.HERE if meets else Peer.AWAY
                if helper.session in self._left[1 - at] and not self._is_cut:
                    peer = Peer.LEFT
                if peer is not helper.peer:
                    helper.peer = peer
                    self._report(helper, PeerIs(peer), NEWS_NS)


class LinkEnd(NamedTuple):
    """One box's end: what it asks goes to its helper.

    Attributes:
        link: both ends, and what lies between them.
        box: which end, 0 or 1.
    """

    link: VirtualLink
    box: int

    def connect(self, deliver: Callable[[LinkReport], None]) -> None:
        """Joins the box that takes the reports."""
        self.link.connect(self.box, deliver)

    def ask(self, request: LinkRequest) -> None:
        """Asks this box's helper."""
        self.link.ask(self.box, request)

    @property
    def has_helper(self) -> bool:
        """Whether this box's helper runs."""
        return self.link.has_helper(self.box)

    def cut_power(self) -> None:
        """This box and its helper lose their power."""
        self.link.cut_power(self.box)
