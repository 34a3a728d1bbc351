"""Leaving a session for good, and making sure that the other box learns of it.

A box announces that it has left, or that it has left and *knows* that the other one has, too. The broker
retains the announcement for a box that's away, but may lose it. So a box that has only left repeats it: on
every connection, whenever it hears the other box, and once a minute. A box that knows is done as soon as the
broker has its announcement; the box that receives it clears both announcements from the broker. If both boxes
leave independently, only the guest may say that it knows; otherwise both would be done, and nobody would
clear up.

Runs in the helper's loop, which passes the events in.
"""

import math
from collections.abc import Callable
from enum import Enum, auto

from shutthebox.link.requests import Peer
from shutthebox_link.channel import Channel
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message

AGAIN_S = 5.0
"""Seconds between two answers to the other box, which might never stop asking."""

NOW_AND_THEN_S = 60.0
"""Seconds after which to repeat it unasked: the other box may believe that nothing has changed."""


class Stage(Enum):
    """The progress of a farewell."""

    GOES_ON = auto()
    OVER = auto()
    """Done, as soon as the broker has the last message."""
    STUCK = auto()
    """The broker has stopped confirming messages; start again on a new connection."""


class Farewell:
    """The farewell of one session.

    Args:
        channel: the session's.
        broker: the connection to use.
        clock_s: a monotonic clock, in seconds.
    """

    def __init__(self, channel: Channel, broker: Broker, clock_s: Callable[[], float]) -> None:
        self.broker, self.stage = broker, Stage.GOES_ON
        self._channel, self._clock_s = channel, clock_s
        self._is_connected = self._knows = self._gives_up = False
        self._announced_s = -math.inf

    def begin(self, peer: Peer) -> None:
        """Begins on the connection over which the match was played.

        Args:
            peer: where the other box was last known to be.
        """
        self._is_connected, self._knows = peer is not Peer.OFFLINE, peer is Peer.LEFT
        self._go_on()

    def give_up(self) -> None:
        """Gives up on the other box, and clears what the broker has retained."""
        self._gives_up = True
        self._go_on()

    def look(self) -> None:
        """Repeats the announcement if it's time."""
        if self._clock_s() - self._announced_s >= NOW_AND_THEN_S:
            self._go_on()

    def take(self, event: Event) -> None:
        """Handles an event of the connection."""
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
                    self._announce()
                elif any(heard) and self._clock_s() - self._announced_s >= AGAIN_S:
                    self._announce()
            case Disconnected():
                self._is_connected = False

    def _go_on(self) -> None:
        if self._is_connected:
            (self._clear if self._gives_up else self._announce)()

    def _announce(self) -> None:
        self._announced_s = self._clock_s()
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
