"""A connection to a broker, on paho-mqtt 1.6 (Debian 12) or 2 (Debian 13).

Paho runs a thread of its own for the connection; its callbacks run there. The service's unit bounds what a
hostile broker can have it keep.
"""

import socket
import ssl
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias

import paho.mqtt.client as paho

from shutthebox.errors import one_line

KEEPALIVE_S = 60
_LOOP_TIMEOUT_S = 15.0
"""Packets and messages wake paho's thread. It also looks this often whether a ping is due, which a broker
awaits for one and a half times `KEEPALIVE_S`."""
MAX_UNREAD = 1000
"""The most messages in a row after which answers still wait for the broker to read them."""
LONGEST_RECONNECT_S = 60
_RECONNECT_S = 5.0
GOODBYE_S = 2.0


@dataclass(frozen=True, slots=True)
class Connected:
    """The broker has accepted the connection and all subscriptions."""

    broker: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is lost, or was refused for this reason; it is tried again."""

    broker: str
    reason: str
    is_shared: bool = False
    """Another client seems to use the same name, and takes the connection over."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message has come."""

    broker: str
    topic: str
    payload: bytes
    is_kept: bool = False
    """The broker kept it: it was published before this connection."""


Event: TypeAlias = Connected | Disconnected | Message

_SHARED_AFTER, _MAX_DOUBLINGS = 3, 20
_FAILURE = 0x80
_UNREADABLE = "it sent what isn't MQTT"
_READS_NOTHING = "it reads nothing"


class _Client(paho.Client):
    """A client whose thread sleeps while nothing happens, and survives what isn't MQTT."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  (two versions of the library)
        self.is_closed = threading.Event()
        self.on_unreadable: Callable[[], None] = lambda: None
        super().__init__(*args, **options)

    def loop_forever(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401  (two versions of the library)
        # The library's thread would wake every second.
        options = {"timeout": _LOOP_TIMEOUT_S, **options}
        while True:
            try:
                return super().loop_forever(*args, **options)
            except (
                Exception
            ):  # It raises many types for an unreadable packet, which would end the thread for good.
                self.on_unreadable()
            while not self.is_closed.wait(_RECONNECT_S):
                with suppress(OSError, ValueError):  # it's tried again
                    self.reconnect()
                    break
            else:
                return None


def new_client(client_id: str) -> _Client:
    """A client for MQTT 3.1.1 on either version of the library.

    Not MQTT 5, whose messages have properties: paho takes minutes to read a megabyte of them, and a broker
    passes on those of anybody. It leaves them out of 3.1.1.
    """
    if hasattr(paho, "CallbackAPIVersion"):
        return _Client(paho.CallbackAPIVersion.VERSION2, client_id=client_id, protocol=paho.MQTTv311)
    return _Client(client_id=client_id, protocol=paho.MQTTv311)


class Broker:
    """A connection that reconnects whenever it is lost.

    Args:
        name: tells its events from those of another broker.
        host: of the broker.
        port: of the broker.
        tell: called with each event, in paho's thread.
        subscriptions: topics, subscribed to with QoS 1 after each connect.
        tls: None for a plain connection.
        username: empty for none.
        password: of the user.
        will: topic and payload that the broker publishes, retained, when the connection is lost.
            `set_will` changes it.
        client_id: at the broker.
        shared: what it means, in words for the owner, if another client keeps taking the connection over.
        patience_s: the longest pause before it takes the connection back.
        most_waiting: messages to publish that may wait for the broker; more are dropped. 0 for any number.
        refused: why, in words for the owner, a broker refuses a subscription. The connection is useless then,
            and is tried again later. None if it's useful without the subscription.
    """

    def __init__(
        self,
        name: str,
        host: str,
        port: int,
        tell: Callable[[Event], None],
        subscriptions: tuple[str, ...],
        *,
        tls: ssl.SSLContext | None = None,
        username: str = "",
        password: str = "",
        will: tuple[str, str] | None = None,
        client_id: str = "",
        shared: str = "somebody else uses this name",
        patience_s: int = 16,
        most_waiting: int = 0,
        refused: str | None = None,
    ) -> None:
        self.name, self._tell, self._subscriptions = name, tell, subscriptions
        self._host, self._port = host, port
        self._is_connected = self._is_reported = False
        self._connected_s, self._short_connections = 0.0, 0
        self._refused, self._is_refused = refused, False
        self._shared, self._patience_s = shared, patience_s
        self._has_client_id = bool(client_id)  # Nobody takes the place of a client without a name.
        self._last_message: paho.MQTTMessageInfo | None = None
        self._client = client = new_client(client_id)
        client.on_unreadable = self._on_unreadable
        self._unread_in_a_row = 0
        if tls is not None:
            client.tls_set_context(tls)
        if username:
            client.username_pw_set(username, password)
        if will is not None:
            client.will_set(will[0], will[1], qos=1, retain=True)
        client.max_queued_messages_set(most_waiting)
        client.reconnect_delay_set(min_delay=1, max_delay=LONGEST_RECONNECT_S)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_socket_open = self._on_socket_open
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message

    def set_will(self, topic: str, payload: bytes) -> None:
        """Sets what the broker publishes when the next connection is lost; not retained."""
        self._client.will_set(topic, payload, qos=1)

    def report_failures(self) -> None:
        """Reports failed attempts to connect, too."""
        self._client.on_connect_fail = self._on_connect_fail

    def start(self) -> None:
        """Starts to connect; returns at once."""
        self._client.connect_async(self._host, self._port, KEEPALIVE_S)
        self._client.loop_start()

    def publish(self, topic: str, payload: bytes | str, *, retain: bool = False) -> bool:
        """Hands a message to paho with QoS 1; nothing is raised if the broker is away.

        Returns:
            Whether there was room for it: `most_waiting` others may wait for the broker.
        """
        self._last_message = self._client.publish(topic, payload, qos=1, retain=retain)
        return self._last_message.rc != paho.MQTT_ERR_QUEUE_SIZE

    def close(self) -> bool:
        """Disconnects cleanly, after waiting a moment for the last messages to go out.

        Returns:
            Whether the broker has them.
        """
        is_out = self._last_message is None
        if self._last_message is not None and self._client.is_connected():
            with suppress(RuntimeError, ValueError):  # it was never queued
                self._last_message.wait_for_publish(GOODBYE_S)
                is_out = self._last_message.is_published()
        self._client.is_closed.set()
        self._client.disconnect()
        self._client.loop_stop()
        return is_out

    def close_soon(self, tell: Callable[[bool], object]) -> threading.Thread:
        """Closes it in a thread, which is returned, because a connection being made may take a minute.

        Args:
            tell: called in that thread, with whether the broker has the last message.
        """
        closer = threading.Thread(target=lambda: tell(self.close()), name="closer", daemon=True)
        closer.start()
        return closer

    # Paho's two versions pass other things after the first four, of which only these are used.

    def _on_connect(self, client: Any, userdata: Any, flags: Any, reason: Any, *rest: Any) -> None:  # noqa: ANN401
        if getattr(reason, "value", reason) != 0:
            self._tell(Disconnected(self.name, str(reason)))
            return
        if self._is_connected:
            return  # it says so again
        self._is_connected, self._connected_s = True, monotonic()
        if self._subscriptions:
            client.subscribe([(topic, 1) for topic in self._subscriptions])
        else:
            self._tell(Connected(self.name))

    @staticmethod
    def _on_socket_open(client: Any, userdata: Any, sock: Any) -> None:  # noqa: ANN401
        # Otherwise the kernel keeps a small message back until the one before is confirmed: 40 ms.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _on_connect_fail(self, *rest: Any) -> None:  # noqa: ANN401
        error = sys.exc_info()[1]  # paho calls this where it has caught it
        self._tell(Disconnected(self.name, one_line(str(error or "can't be reached"))))

    def _on_subscribe(self, client: Any, userdata: Any, number: Any, codes: Any, *rest: Any) -> None:  # noqa: ANN401
        self._is_refused = any(getattr(code, "value", code) >= _FAILURE for code in codes)
        if not self._is_refused or self._refused is None:
            if not self._is_reported:
                self._is_reported = True
                self._tell(Connected(self.name))
        else:
            self._hang_up(client)

    @staticmethod
    def _hang_up(client: Any) -> None:  # noqa: ANN401
        if (sock := client.socket()) is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _on_disconnect(self, client: Any, *rest: Any) -> None:  # noqa: ANN401
        # The broker does not tell that another client has taken the connection over. Two would take it from
        # each other without a pause.
        short = (
            self._has_client_id
            and self._is_connected
            and monotonic() - self._connected_s < LONGEST_RECONNECT_S
        )
        self._short_connections = self._short_connections + 1 if short else 0
        pause_s = min(2 ** min(self._short_connections, _MAX_DOUBLINGS), self._patience_s)
        client.reconnect_delay_set(pause_s, max(pause_s, LONGEST_RECONNECT_S))
        self._is_connected = self._is_reported = False
        if self._is_refused and self._refused is not None:
            self._is_refused = False
            self._tell(Disconnected(self.name, self._refused))
            return
        if self._unread_in_a_row > MAX_UNREAD:
            self._unread_in_a_row = 0
            self._tell(Disconnected(self.name, _READS_NOTHING))
            return
        is_shared = self._short_connections >= _SHARED_AFTER
        why = f"the connection is lost again and again: {self._shared}" if is_shared else ""
        self._tell(Disconnected(self.name, why, is_shared))

    def _on_unreadable(self) -> None:
        self._is_connected = self._is_reported = False
        self._tell(Disconnected(self.name, _UNREADABLE))

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:  # noqa: ANN401
        # It can send without end what has to be confirmed.
        self._unread_in_a_row = self._unread_in_a_row + 1 if client.want_write() else 0
        if self._unread_in_a_row > MAX_UNREAD:
            self._hang_up(client)
            return
        self._tell(Message(self.name, message.topic, bytes(message.payload), bool(message.retain)))
