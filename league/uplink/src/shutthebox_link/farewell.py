"""Leaving a session for good: until both boxes know that neither comes back.

A box says that it has left, or that it has left and *knows* that the other one has. The broker keeps its word
for a box that is away, and may lose it, so a box that has only left says so again whenever it's connected or
hears the other one, and now and then. A box that knows has nothing to wait for once the broker has its word;
whoever hears that word takes the words of both from the broker. Where both have left by themselves, only the
guest gets to know, or they would tell each other in vain and the broker would keep that for ever.

No thread of its own: the helper's loop passes the events in.
"""

import math
from collections.abc import Callable
from enum import Enum, auto

from shutthebox.link.requests import Peer
from shutthebox_link.channel import Channel
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message

AGAIN_S = 5.0
"""The other box is answered at most so often: it might ask without end."""

NOW_AND_THEN_S = 60.0
"""The other box may think that nothing has changed, and not ask."""


class Stage(Enum):
    """How far a farewell is."""

    GOES_ON = auto()
    OVER = auto()
    """Nothing more is to be said, once the broker has the last message."""
    STUCK = auto()
    """The broker confirms nothing, so it takes a new connection."""


class Farewell:
    """One session's.

    Args:
        channel: of the session.
        broker: with the connection.
        clock_s: a clock that only goes on, in seconds.
    """

    def __init__(self, channel: Channel, broker: Broker, clock_s: Callable[[], float]) -> None:
        self.broker, self.stage = broker, Stage.GOES_ON
        self._channel, self._clock_s = channel, clock_s
        self._is_connected = self._knows = self._is_old = False
        self._said_s = -math.inf

    def begin(self, peer: Peer) -> None:
        """Begins on a connection that has been in use.

        Args:
            peer: what it has told of the other box.
        """
        self._is_connected, self._knows = peer is not Peer.OFFLINE, peer is Peer.LEFT
        self._go_on()

    def give_up(self) -> None:
        """Nobody waits any more: takes from the broker what it has kept."""
        self._is_old = True
        self._go_on()

    def look(self) -> None:
        """Looks whether it's time to say it again."""
        if self._clock_s() - self._said_s >= NOW_AND_THEN_S:
            self._go_on()

    def take(self, event: Event) -> None:
        """Takes an event of the connection."""
        match event:
            case Connected():
                self._is_connected = True
                self._go_on()
            case Message(_, _, packet):
                heard = self._channel.receive(packet)
                if heard.knows:
                    self._clear()
                elif heard.peer is Peer.LEFT and not self._channel.is_host:
                    self._knows = True
                    self._say()
                elif any(heard) and self._clock_s() - self._said_s >= AGAIN_S:
                    self._say()
            case Disconnected():
                self._is_connected = False

    def _go_on(self) -> None:
        if self._is_connected:
            (self._clear if self._is_old else self._say)()

    def _say(self) -> None:
        self._said_s = self._clock_s()
        self._publish(self._channel.own_topic, self._channel.left(knows=self._knows))
        if self._knows and self.stage is Stage.GOES_ON:
            self.stage = Stage.OVER

    def _clear(self) -> None:
        self.stage = Stage.OVER
        for topic in (self._channel.own_topic, self._channel.others_topic):
            self._publish(topic, b"")

    def _publish(self, topic: str, packet: bytes) -> None:
        if not self.broker.publish(topic, packet, retain=True):
            self.stage = Stage.STUCK
