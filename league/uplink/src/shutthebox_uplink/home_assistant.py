"""Home Assistant's MQTT discovery: one retained message that describes the box and all its entities."""

import json
from typing import Any

from shutthebox_uplink import __version__

ONLINE, OFFLINE = "online", "offline"

_DIAGNOSTIC = {"entity_category": "diagnostic"}

_ENTITIES: dict[str, dict[str, Any]] = {
    "playing": {"p": "sensor", "name": "Playing", "icon": "mdi:account-group"},
    "game": {"p": "sensor", "name": "Game", "icon": "mdi:dice-multiple"},
    "score": {"p": "sensor", "name": "Score", "icon": "mdi:scoreboard"},
    "last_winner": {"p": "sensor", "name": "Last winner", "icon": "mdi:trophy"},
    "matches_today": {"p": "sensor", "name": "Matches today", "state_class": "total", "icon": "mdi:counter"},
    "matches": {"p": "sensor", "name": "Matches", "state_class": "total_increasing", "icon": "mdi:counter"},
    "levers": {"p": "sensor", "name": "Levers", "icon": "mdi:electric-switch", **_DIAGNOSTIC},
    "lever_problem": {"p": "binary_sensor", "name": "Lever health", "device_class": "problem", **_DIAGNOSTIC},
    "faults": {"p": "sensor", "name": "Faults in a day", "icon": "mdi:alert", **_DIAGNOSTIC},
    "last_fault": {"p": "sensor", "name": "Last fault", "icon": "mdi:alert-outline", **_DIAGNOSTIC},
    "display": {"p": "binary_sensor", "name": "Display", "device_class": "connectivity", **_DIAGNOSTIC},
    "version": {"p": "sensor", "name": "Version", "icon": "mdi:tag", **_DIAGNOSTIC},
    "uptime_s": {
        "p": "sensor", "name": "Uptime", "device_class": "duration", "unit_of_measurement": "s", **_DIAGNOSTIC
    },
    "temperature": {
        "p": "sensor", "name": "Temperature", "device_class": "temperature", "unit_of_measurement": "°C",
        "state_class": "measurement", **_DIAGNOSTIC,
    },
    "waiting": {"p": "sensor", "name": "Matches to send", "icon": "mdi:tray-full", **_DIAGNOSTIC},
    "delivery": {"p": "sensor", "name": "League", "icon": "mdi:tray-arrow-up", **_DIAGNOSTIC},
}  # fmt: skip


def device_id(name: str) -> str:
    """The box's id in Home Assistant: letters, digits and underscores."""
    return "shutthebox_" + "".join(c if c.isalnum() else "_" for c in name)


def discovery_topic(prefix: str, name: str) -> str:
    """The topic of the description; an empty retained message there removes the box."""
    return f"{prefix}/device/{device_id(name)}/config"


def state_topic(name: str) -> str:
    """The topic of the state, which is one JSON object."""
    return f"shutthebox/{name}/state"


def availability_topic(name: str) -> str:
    """The topic of `ONLINE` or `OFFLINE`."""
    return f"shutthebox/{name}/availability"


def birth_topic(prefix: str) -> str:
    """The topic on which Home Assistant announces its start."""
    return f"{prefix}/status"


def description(name: str, shown: str, version: str | None) -> str:
    """The discovery message of a box, with the name to show to people."""
    unique = device_id(name)
    components = {
        f"{unique}_{key}": {
            **entity,
            "unique_id": f"{unique}_{key}",
            "value_template": (
                f"{{{{ 'ON' if value_json.{key} else 'OFF' }}}}"
                if entity["p"] == "binary_sensor"
                else f"{{{{ value_json.{key} }}}}"
            ),
        }
        for key, entity in _ENTITIES.items()
    }
    components[f"{unique}_update"] = {
        "p": "update",
        "name": "Update",
        "unique_id": f"{unique}_update",
        "device_class": "firmware",
        "value_template": (
            "{{ {'installed_version': value_json.version,"
            " 'latest_version': value_json.latest_version} | to_json }}"
        ),
        **_DIAGNOSTIC,
    }
    return json.dumps(
        {
            "dev": {
                "ids": [unique],
                "name": shown,
                "sn": name,
                "mf": "The Shut the Box makers",
                "mdl": "Shut the Box",
                **({"sw": version} if version else {}),
            },
            "o": {"name": "shutthebox-uplink", "sw": __version__},
            "cmps": components,
            "state_topic": state_topic(name),
            "availability_topic": availability_topic(name),
            "qos": 1,
        }
    )
