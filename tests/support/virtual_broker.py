"""The real helpers of two boxes, and a broker between them, in virtual time and from one seed.

`VirtualBroker` is what `shutthebox_uplink.mqtt.Broker` knows of Mosquitto and of the network: it keeps
retained messages, publishes last wills, and confirms what it has got. Lines are cut, and whoever is at their
ends notices late; it dies, and forgets what it has kept, or doesn't; it loses, doubles and delays messages.

`HelperLink` has the interface of `tests.support.mortal_link.MortalLink`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from shutthebox.link.requests import (
    DIGITS,
    Leave,
    LinkReport,
    LinkRequest,
    Peer,
    PeerIs,
    Rejoin,
    answer_without_helper,
    update_standing,
)
from shutthebox.link.wire import report_from_line, request_from_line, request_to_line
from shutthebox_link.channel import Channel
from shutthebox_link.helper import BoxGone, BoxHere, BrokerAddress, Helper, Mail
from shutthebox_link.key_store import FILE, KeyStore
from shutthebox_uplink.mqtt import (
    GOODBYE_S,
    KEEPALIVE_S,
    LONGEST_RECONNECT_S,
    Connected,
    Disconnected,
    Event,
    Message,
)

S = 1_000_000_000
LATENCY_NS = 8_000_000
"""From a helper to the broker, or back."""
LOCAL_NS = 1_000_000
"""From a helper to its box."""
SILENCE_NS = round(1.5 * KEEPALIVE_S * S)
"""After so long a broker gives a silent line up, and a client does by then."""
NEVER_NS = 1 << 62


class _Packet(NamedTuple):
    topic: str
    payload: bytes
    is_kept: bool


class Line:
    """A connection of a helper, with the interface of `Broker`.

    Attributes:
        box: whose helper's.
        name: of its events.
        subscriptions: topics.
        will: what the broker publishes if the line breaks; the next one's.
        waiting: messages that the broker hasn't confirmed.
        stalled: what neither end knows to be lost, while the line is cut.
    """

    def __init__(
        self,
        broker: VirtualBroker,
        box: int,
        name: str,
        tell: Callable[[Event], None],
        subscriptions: tuple[str, ...],
        most_waiting: int,
    ) -> None:
        self._broker, self.box, self.name, self.tell = broker, box, name, tell
        self.subscriptions, self._most_waiting = subscriptions, most_waiting
        self.will: tuple[str, bytes] | None = None
        self.waiting: list[_Packet] = []
        self.stalled: list[Callable[[], None]] = []
        self.is_connected = self.is_closed = False
        self._pause_s = 1
        self._tell_end: Callable[[bool], object] | None = None

    # What a helper does.

    def report_failures(self) -> None:
        """It always does."""

    def set_will(self, topic: str, payload: bytes) -> None:
        """The next connection's."""
        self.will = topic, payload

    def start(self) -> None:
        """Connects."""
        self._broker.later(LATENCY_NS, self._try)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """Sends it, now or once it's connected."""
        if len(self.waiting) >= self._most_waiting:
            return False
        packet = _Packet(topic, payload, retain)
        self.waiting.append(packet)
        if self.is_connected:
            self._broker.carry(self, packet)
        return True

    def close_soon(self, tell: Callable[[bool], object]) -> threading.Thread:
        """Hangs up once everything is confirmed, or after a moment."""
        self._tell_end = tell
        if self.waiting and self.is_connected:
            self._broker.later(round(GOODBYE_S * S), self._end)
        else:
            self._end()
        return threading.Thread()

    def confirm(self, packet: _Packet) -> None:
        """The broker has got a message."""
        if packet in self.waiting:
            self.waiting.remove(packet)
        if not self.waiting:
            self._end()

    def _end(self) -> None:
        if self._tell_end is not None and not self.is_closed:
            self._broker.hang_up(self)
            self._tell_end(not self.waiting)

    # What becomes of it.

    def _try(self) -> None:
        if self.is_closed or self.is_connected:
            return
        if not self._broker.reaches(self):
            self._fail("can't be reached")
            return
        self.is_connected, self._pause_s = True, 1
        self._broker.welcome(self)
        for packet in self.waiting:
            self._broker.carry(self, packet)

    def break_off(self) -> None:
        """The helper notices that the line is broken."""
        if self.is_connected and not self.is_closed:
            self.is_connected = False
            self._fail("")

    def _fail(self, reason: str) -> None:
        self.stalled.clear()
        self.tell(Disconnected(self.name, reason))
        self._broker.later(self._pause_s * S, self._try)
        self._pause_s = min(2 * self._pause_s, LONGEST_RECONNECT_S)


class VirtualBroker:
    """A broker, and the lines to it.

    Args:
        random: of all that happens.
        now_ns: the clock.

    Attributes:
        kept: the retained messages.
        lost: the share of messages that it loses, though it keeps those to be kept.
        doubled: it sends each twice.
        late_ns: it sends a message late by so much, at most.
        repeated: how often it sends an earlier message of a topic after another one.
    """

    def __init__(self, random: Random, now_ns: Callable[[], int]) -> None:
        self._random, self._now_ns = random, now_ns
        self.kept: dict[str, bytes] = {}
        self.lost, self.doubled, self.late_ns = 0.0, False, 0
        self.repeated = 0.0
        self._recorded: list[_Packet] = []
        self._due: list[tuple[int, int, Callable[[], object]]] = []
        self._count = 0
        self._here: dict[Line, tuple[str, bytes] | None] = {}
        """The lines that it takes for connected, with their wills."""
        self._cut: set[int] = set()
        self._is_dead = False
        self._lines: list[Line] = []

    @property
    def is_well(self) -> bool:
        """Whether everything gets through, once and at once."""
        return not (self._cut or self._is_dead or self.lost or self.doubled or self.late_ns)

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return not self._is_dead

    @property
    def deadline_ns(self) -> int:
        """When something is due."""
        return self._due[0][0] if self._due else NEVER_NS

    def later(self, after_ns: int, act: Callable[[], object]) -> None:
        """Does something after so long."""
        self._count += 1
        heappush(self._due, (self._now_ns() + after_ns, self._count, act))

    def next(self) -> None:
        """Does what is due next."""
        heappop(self._due)[2]()

    def cut(self) -> None:
        """It dies, or a line is cut, or both are."""
        match self._random.choice(("dies", "dies", "host", "guest", "both", "both")):
            case "dies":
                self.die()
            case "host":
                self._cut_lines({0})
            case "guest":
                self._cut_lines({1})
            case _:
                self._cut_lines({0, 1})

    def die(self) -> None:
        """Everybody at it notices; no will is published. It may have written what it kept, or not."""
        self._is_dead = True
        if self._random.random() < 0.5:
            self.kept.clear()
        here, self._here = self._here, {}
        for line in here:
            if line.box in self._cut:
                self._notice_late(line)
            else:
                line.break_off()

    def mend(self) -> None:
        """It lives, all lines are well, and it does what it should."""
        self._is_dead, cut, self._cut = False, self._cut, set()
        self.lost, self.doubled, self.late_ns = 0.0, False, 0
        for line in [*self._lines]:
            if line.box in cut and line.is_connected:
                if line in self._here:
                    stalled, line.stalled = line.stalled, []
                    for act in stalled:
                        self.later(LATENCY_NS, act)
                else:
                    line.break_off()

    # Lines.

    def join(
        self,
        box: int,
        name: str,
        tell: Callable[[Event], None],
        subscriptions: tuple[str, ...],
        most_waiting: int,
    ) -> Line:
        """A new line."""
        line = Line(self, box, name, tell, subscriptions, most_waiting)
        self._lines.append(line)
        return line

    def reaches(self, line: Line) -> bool:
        """Whether anything gets through on a line."""
        return not self._is_dead and line.box not in self._cut

    def welcome(self, line: Line) -> None:
        """A line is connected: it's told so, and what is kept for it."""
        self._here[line] = line.will
        events: list[Event] = [Connected(line.name)]
        for topic in line.subscriptions:
            if topic in self.kept:
                message = Message(line.name, topic, self.kept[topic], is_kept=True)
                events.insert(self._random.randint(0, 1), message)
        for event in events:
            self._carry(line, partial(line.tell, event))

    def carry(self, line: Line, packet: _Packet) -> None:
        """A message on its way here, and its confirmation on the way back."""

        def arrive() -> None:
            self._publish(packet)
            self._carry(line, partial(line.confirm, packet))

        self._carry(line, arrive)

    def _carry(self, line: Line, act: Callable[[], None]) -> None:
        """Something on a line, one way; it's lost with it."""
        if line.box in self._cut:
            line.stalled.append(lambda: self._carry(line, act))
            return
        will = self._here.get(line)

        def arrive() -> None:
            if line.is_connected and line in self._here and self._here[line] is will:
                if line.box in self._cut:
                    line.stalled.append(lambda: self._carry(line, act))
                else:
                    act()

        self.later(LATENCY_NS, arrive)

    def hang_up(self, line: Line) -> None:
        """A helper closes a line; without one, the broker finds out late."""
        line.is_closed = True
        self._lines.remove(line)
        if line not in self._here:
            return
        if line.box in self._cut:
            self.later(SILENCE_NS, lambda: self._bury(line))
        else:
            self.later(LATENCY_NS, lambda: self._here.pop(line, None))  # after what is under way

    def kill(self, box: int, *, is_noticed: bool) -> None:
        """A box's helper dies, with its machine or without it."""
        at_once = is_noticed and box not in self._cut
        for line in [line for line in self._lines if line.box == box]:
            line.is_closed = True
            line.is_connected = False
            self._lines.remove(line)
            self.later(LATENCY_NS if at_once else SILENCE_NS, partial(self._bury, line))

    def _cut_lines(self, boxes: set[int]) -> None:
        self._cut |= boxes
        for line in [*self._lines]:
            if line.box in boxes and line.is_connected:
                self._notice_late(line)

    def _notice_late(self, line: Line) -> None:
        def notice() -> None:
            if line.box in self._cut:
                line.break_off()

        def bury() -> None:
            if line.box in self._cut:
                self._bury(line)

        self.later(round(self._random.uniform(0.3, 1) * SILENCE_NS), notice)
        self.later(SILENCE_NS, bury)

    def _bury(self, line: Line) -> None:
        will = self._here.pop(line, None)
        if will is not None and not self._is_dead:
            self._publish(_Packet(*will, is_kept=False))

    # Messages.

    def _publish(self, packet: _Packet) -> None:
        if packet.is_kept and packet.payload:
            self.kept[packet.topic] = packet.payload
        elif packet.is_kept:
            self.kept.pop(packet.topic, None)
        if self.repeated:
            self._recorded.append(packet)
            if self._random.random() < self.repeated:
                self._pass_on(self._random.choice(self._recorded))
        self._pass_on(packet)

    def _pass_on(self, packet: _Packet) -> None:
        for line in self._here:
            if packet.topic in line.subscriptions and self._random.random() >= self.lost:
                self._send(line, Message(line.name, packet.topic, packet.payload))

    def _send(self, line: Line, message: Message) -> None:
        for _ in range(2 if self.doubled else 1):
            late_ns = self._random.randint(0, self.late_ns)
            tell = partial(line.tell, message)
            if late_ns:
                self.later(late_ns, partial(self._carry, line, tell))
            else:
                self._carry(line, tell)


class _Wire:
    """A helper's end of the box's socket."""

    def __init__(self, report: Callable[[LinkReport], None]) -> None:
        self._report = report

    def send(self, line: bytes, flags: int) -> int:
        """Takes a report."""
        self._report(report_from_line(line))
        return len(line)

    def shutdown(self, how: int) -> None:
        """It never blocks, so nobody hangs up."""


class _Side:
    """A box's helper, and what is between the two.

    Attributes:
        helper: None while it's dead.
        since_ns: when its clock began to count.
        look_ns: when it looks at the clock.
        reports: on their way to the box.
        standing: what the box asks of every helper that calls.
        wire: the helper's end of the box's socket.
        is_box_hung: the box reads nothing.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.helper: Helper | None = None
        self.since_ns, self.look_ns = 0, NEVER_NS
        self.reports: list[tuple[int, LinkReport]] = []
        self.deliver: Callable[[LinkReport], None] = lambda report: None
        self.standing: Rejoin | Leave | None = None
        self.wire: _Wire | None = None
        self.is_box_hung = False

    def take(self, mail: Mail | None) -> None:
        """Lets the helper take something, or look at the clock."""
        assert self.helper is not None, "it runs"
        if mail is None:
            self.helper.look()
        else:
            self.helper.take(mail)
        self.look_ns = self.since_ns + round(self.helper.deadline_s * S) + 1


class HelperLink:
    """Two helpers and their broker.

    Args:
        seed: of all that happens.
        now_ns: the clock.
        folder: for the keys.
    """

    def __init__(self, seed: int, now_ns: Callable[[], int], folder: Path) -> None:
        self._random, self._now_ns = Random(f"{seed} helpers"), now_ns
        self.broker = VirtualBroker(self._random, now_ns)
        self._sides = _Side(folder / "keys 0"), _Side(folder / "keys 1")
        self.spares_helpers = False
        """A power cut is the death of the box alone."""

    # What happens between the boxes.

    @property
    def is_well(self) -> bool:
        """Whether every message gets through, once and at once."""
        return self.broker.is_well

    def cut(self) -> None:
        """The broker dies, or a line is cut."""
        self.broker.cut()
        self._drain()

    def mend(self) -> None:
        """All is well."""
        self.broker.mend()
        self._drain()

    lost = property(lambda self: self.broker.lost, lambda self, value: setattr(self.broker, "lost", value))
    doubled = property(
        lambda self: self.broker.doubled, lambda self, value: setattr(self.broker, "doubled", value)
    )
    late_ns = property(
        lambda self: self.broker.late_ns, lambda self, value: setattr(self.broker, "late_ns", value)
    )

    # What a box does.

    def connect(self, box: int, deliver: Callable[[LinkReport], None]) -> None:
        """Joins a box, which takes one report at a time while `pass_time` runs."""
        self._sides[box].deliver = deliver
        self.start_helper(box)

    def ask(self, box: int, request: LinkRequest) -> None:
        """Asks a box's helper, as `LinkSocket` does."""
        side = self._sides[box]
        side.standing = update_standing(side.standing, request)
        if side.helper is not None:
            side.take(request_from_line(request_to_line(request)))
            self._drain()
        elif (report := answer_without_helper(request)) is not None:
            self._report(side, report)

    @property
    def topics(self) -> set[str]:
        """Of all sessions whose keys a helper has, for either box to write to."""
        found = set[str]()
        for path in (side.folder / FILE for side in self._sides if (side.folder / FILE).exists()):
            for secret, *_ in json.loads(path.read_bytes()):
                channel = Channel(bytes.fromhex(secret), is_host=True)
                found |= {channel.own_topic, channel.others_topic}
        return found

    def has_helper(self, box: int) -> bool:
        """Whether a box's helper runs."""
        return self._sides[box].helper is not None

    def kill_helper(self, box: int) -> None:
        """The helper ends; the box is told that it is."""
        side = self._kill(box, is_noticed=True)
        self._report(side, PeerIs(Peer.OFFLINE))

    def start_helper(self, box: int) -> None:
        """The helper starts, and is asked again for what should last."""
        side = self._sides[box]
        assert side.helper is None, "a box has one helper"
        since_ns = side.since_ns = self._now_ns()

        def clock_s() -> float:
            return (self._now_ns() - since_ns) / S  # as after a start of the machine

        side.helper = Helper(
            Path(),
            BrokerAddress("", 0),
            KeyStore(side.folder, clock_s),
            clock_s=clock_s,
            connect=lambda name, host, port, tell, subscriptions, *, most_waiting, **more: cast(
                Any, self.broker.join(box, name, tell, subscriptions, most_waiting)
            ),
            digits=lambda: "".join(str(self._random.randint(1, 9)) for _ in range(DIGITS)),
        )
        self._call(side)
        self._drain()

    def _call(self, side: _Side) -> None:
        """The helper calls the box, which asks it again for what should last."""
        side.wire = _Wire(lambda report: self._report(side, report))
        side.take(BoxHere(cast(Any, side.wire)))
        if side.standing is not None:
            side.take(side.standing)

    def hang(self, box: int, *, is_hung: bool) -> None:
        """A box stops reading what its helper says, or reads on."""
        self._sides[box].is_box_hung = is_hung

    def cut_power(self, box: int) -> None:
        """The box and its helper lose their power, and start again; or the box alone is killed."""
        side = self._sides[box]
        if self.spares_helpers and side.helper is not None:
            side.take(BoxGone(cast(Any, side.wire)))
        else:
            self._kill(box, is_noticed=False)
        side.reports.clear()
        side.standing = None
        if side.helper is not None:
            self._call(side)
            self._drain()
        else:
            self.start_helper(box)

    def _kill(self, box: int, *, is_noticed: bool) -> _Side:
        side = self._sides[box]
        side.helper, side.look_ns = None, NEVER_NS
        self.broker.kill(box, is_noticed=is_noticed)
        return side

    def _report(self, side: _Side, report: LinkReport) -> None:
        side.reports.append((self._now_ns() + LOCAL_NS, report))

    def _drain(self) -> None:
        """Lets the helpers take what has come, until nothing comes any more."""
        for side in self._sides:
            while side.helper is not None and not side.helper.inbox.empty():
                mail = side.helper.inbox.get()
                assert mail is not None, "nobody ends it"
                side.take(mail)

    # The time.

    @property
    def deadline_ns(self) -> int:
        """When `pass_time` is due."""
        dues = [self.broker.deadline_ns]
        for side in self._sides:
            dues.append(side.look_ns)
            if not side.is_box_hung:
                dues += (due_ns for due_ns, _ in side.reports[:1])
        return min(dues)

    def pass_time(self, now_ns: int) -> None:
        """Does everything due by now."""
        while self.broker.deadline_ns <= now_ns:
            self.broker.next()
            self._drain()
        for side in self._sides:
            if side.look_ns <= now_ns:
                side.take(None)
                self._drain()
        for side in self._sides:
            while side.reports and side.reports[0][0] <= now_ns and not side.is_box_hung:
                side.deliver(side.reports.pop(0)[1])
