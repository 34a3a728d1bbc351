"""Permissions at the broker, for Mosquitto's dynamic security plugin.

The league's register of keys is the source of truth. The plugin starts from a file generated from it and gets
every change while it runs. When a consumer connects, anything else the plugin knows is removed.
"""

import json
from collections.abc import Iterable, Iterator, Set
from typing import Any

from shutthebox_uplink.uplink import HELLO_TOPIC, receipt_topic

CONSUMER = "league-consumer"
"""The user name of every consumer at the broker. No box can have it: box names end with a number."""

CONTROL_TOPIC = "$CONTROL/dynamic-security/v1"
RESPONSE_TOPIC = f"{CONTROL_TOPIC}/response"

FROM_BOXES = ("entry", "state", "availability")
"""The topics that a box publishes to, below its own name."""

_AT_ONCE = 50  # The plugin writes its whole file for every command.
_SENDS, _READS, _SUBSCRIBES, _ASKS_FOR = (
    "publishClientSend", "publishClientReceive", "subscribeLiteral", "subscribePattern"
)  # fmt: skip


def plugin_config(names: Iterable[str]) -> dict[str, Any]:
    """Builds the plugin's file: consumers and the boxes with these keys. Everything else is denied.

    A box may subscribe to its own topics by exact name. Wildcards are denied so the broker never stores them.
    """
    own = [f"shutthebox/+/{what}" for what in FROM_BOXES]
    consumer = {
        "rolename": CONSUMER,
        "acls": [
            *_allow(_SENDS, CONTROL_TOPIC, "shutthebox/+/receipt", HELLO_TOPIC),
            *_allow(_READS, f"{CONTROL_TOPIC}/#", *own),
            *_allow(_ASKS_FOR, RESPONSE_TOPIC, *own, *(f"$share/+/{topic}" for topic in own)),
        ],
    }
    names = sorted(names)
    return {
        "defaultACLAccess": {_SENDS: False, _READS: False, "subscribe": False, "unsubscribe": True},
        "clients": [_client(name) for name in (CONSUMER, *names)],
        "roles": [consumer, *(_role(name) for name in names)],
    }


def list_clients() -> str:
    """Builds the message that asks the plugin for its clients."""
    return json.dumps({"commands": [{"command": "listClients", "verbose": False}]})


def clients_in(response: bytes) -> set[str] | None:
    """Reads the plugin's keys from its answer to `list_clients`; None for any other answer."""
    try:
        for each in json.loads(response)["responses"]:
            if each["command"] == "listClients":
                return set(each["data"]["clients"]) - {CONSUMER}
    except (ValueError, KeyError, TypeError):
        pass
    return None


def changes(known: Set[str], wanted: Set[str]) -> Iterator[str]:
    """Builds the messages that take the plugin from the keys it knows to the keys it should know."""
    commands: list[dict[str, Any]] = []
    for name in sorted(known - wanted):
        # This disconnects whoever is using it.
        commands.append({"command": "deleteClient", "username": name})
        commands.append({"command": "deleteRole", "rolename": name})
    for name in sorted(wanted - known):
        commands.append({"command": "createRole", **_role(name)})
        commands.append({"command": "createClient", **_client(name)})
    for begin in range(0, len(commands), _AT_ONCE):
        yield json.dumps({"commands": commands[begin : begin + _AT_ONCE]})


def _client(name: str) -> dict[str, Any]:
    return {"username": name, "roles": [{"rolename": name}]}


def _role(name: str) -> dict[str, Any]:
    topics = (receipt_topic(name), HELLO_TOPIC)
    sends = _allow(_SENDS, *(f"shutthebox/{name}/{what}" for what in FROM_BOXES))
    return {"rolename": name, "acls": [*sends, *_allow(_READS, *topics), *_allow(_SUBSCRIBES, *topics)]}


def _allow(kind: str, *topics: str) -> Iterator[dict[str, Any]]:
    return ({"acltype": kind, "topic": topic, "allow": True} for topic in topics)
