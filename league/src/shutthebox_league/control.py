"""Tells the broker on this machine which keys are valid. One that isn't running reads its file at startup."""

import socket
import time
from queue import Empty, SimpleQueue

from shutthebox_league.access import CONTROL_TOPIC, RESPONSE_TOPIC, changes, clients_in, list_clients
from shutthebox_league.authority import Authority
from shutthebox_uplink.mqtt import Broker, Connected, Disconnected, Event, Message

_WAIT_S = 20.0


def tell_broker(authority: Authority, names: set[str]) -> bool:
    """Makes the broker's keys match these; False if it doesn't answer."""
    port, events = authority.settings.consumers_port, SimpleQueue[Event]()
    try:
        socket.create_connection(("127.0.0.1", port), timeout=_WAIT_S).close()
    except OSError:
        return False
    tls = authority.consumer_tls()
    broker = Broker("league", "127.0.0.1", port, events.put, (RESPONSE_TOPIC,), tls=tls)
    broker.start()
    end_s, waits = time.monotonic() + _WAIT_S, 1
    try:
        while waits and time.monotonic() < end_s:
            match events.get(timeout=max(0.0, end_s - time.monotonic())):
                case Connected():
                    broker.publish(CONTROL_TOPIC, list_clients())
                case Message(payload=payload) if (known := clients_in(payload)) is not None:
                    messages = list(changes(known, names))
                    waits = len(messages)
                    for message in messages:
                        broker.publish(CONTROL_TOPIC, message)
                case Message():
                    waits -= 1
                case Disconnected():
                    pass
    except Empty:
        return False
    finally:
        broker.close()
    return not waits
