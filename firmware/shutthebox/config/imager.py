"""Reads what Raspberry Pi Imager writes onto the card: cloud-init's user-data and network-config.

Only the keys that Imager's dialog sets are used; others are reported. Every value is read as plain text, so a
hostile file can't use YAML's features.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from zoneinfo import available_timezones

from shutthebox.translations import codes

USER_DATA_NAME, NETWORK_CONFIG_NAME = "user-data", "network-config"

OTHER_IMAGERS = ("custom.toml", "firstrun.sh")
"""What older versions of Imager, and Imager for other systems, write instead."""

_MUTE = ("manage_etc_hosts", "enable_ssh")
"""Keys that Imager always writes, and that mean nothing to an owner."""


class UserData(NamedTuple):
    """The values used from user-data.

    Attributes:
        name: of the box in its network, unchecked; empty for none.
        keys: public keys, a line each, unchecked.
        zone: time zone, such as Europe/Paris; empty for none.
        language: one of ours; empty for none.
        unused: the keys that are not used.
    """

    name: str = ""
    keys: tuple[str, ...] = ()
    zone: str = ""
    language: str = ""
    unused: tuple[str, ...] = ()


class Wifi(NamedTuple):
    """The values used from network-config, unchecked.

    Attributes:
        keys: as network.toml has them.
        unused: the keys that are not used.
    """

    keys: Mapping[str, object] = {}
    unused: tuple[str, ...] = ()


class _WrongError(ValueError):
    """A value that can't be used; the text names the key, what is wrong, and what is allowed."""


def _document(text: str) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError:
        raise _WrongError("PyYAML, which reads it, is not installed: apt install python3-yaml") from None
    try:
        # Its values are texts, whatever they look like, and its tags and merges do nothing.
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _WrongError(f"line {line}: not valid YAML; use what Raspberry Pi Imager writes") from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        raise _WrongError("not valid YAML; use what Raspberry Pi Imager writes") from None
    if found in (None, ""):
        return {}
    return _mapping(found, "the file")


def _mapping(value: object, key: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise _WrongError(f"{key}: not a mapping; use what Raspberry Pi Imager writes")
    return value


def _text(value: object, key: str) -> str:
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise _WrongError(f"{key}: use one line of text, at most 200 characters")
    return value


def _list(value: object, key: str) -> list[object]:
    if not isinstance(value, list) or len(value) > 20:
        raise _WrongError(f"{key}: use a list of at most 20")
    return value


def examine_user_data(text: str, where: str) -> tuple[UserData, tuple[str, ...]]:
    """The values used from user-data, and the mistakes in it, a line each."""
    try:
        return _user_data(text), ()
    except _WrongError as wrong:
        return UserData(), (f"{where}: {wrong}",)


TIME_ZONE = r"[A-Za-z0-9_+-]{1,30}(?:/[A-Za-z0-9_+-]{1,30}){0,2}"
"""The name of a time zone as a pattern: it becomes part of a path."""


def _user_data(text: str) -> UserData:
    if text.startswith("#!"):
        raise _WrongError("line 1: is a program, which the box won't run; use #cloud-config")
    document = _document(text)
    zone = _text(document.get("timezone", ""), "timezone")
    if zone and not re.fullmatch(TIME_ZONE, zone):
        raise _WrongError("timezone: use a name such as Europe/Paris")
    if zone and not is_zone(zone):
        raise _WrongError(f"timezone: there's no {zone}; use a name such as Europe/Paris")
    language = _text(document.get("locale", ""), "locale").partition("_")[0].partition(".")[0]
    unused = [key for key in document if key not in (*_MUTE, "hostname", "timezone", "locale", "users")]
    keys = []
    if "ssh_authorized_keys" in document:
        unused.remove("ssh_authorized_keys")
        keys += _list(document["ssh_authorized_keys"], "ssh_authorized_keys")
    for user in _list(document.get("users", []), "users"):
        if user == "default":
            continue
        about = _mapping(user, "users")
        keys += _list(about.get("ssh_authorized_keys", []), "users.ssh_authorized_keys")
        unused += ["users.passwd"] if "passwd" in about else []
    if language and language not in codes():
        unused.append("locale")
        language = ""
    lines = []
    for key in keys:
        if not isinstance(key, str) or not key.isprintable():
            raise _WrongError("ssh_authorized_keys: use public keys, one line each")
        lines.append(key)
    return UserData(
        _text(document.get("hostname", ""), "hostname"), tuple(lines), zone, language, _shown(unused)
    )


def is_zone(name: str) -> bool:
    """Whether there's such a time zone; a system that knows no zones at all can't tell."""
    zones = available_timezones()
    return name in zones or not zones


def examine_network_config(text: str, where: str) -> tuple[Wifi, tuple[str, ...]]:
    """The values used from network-config, and the mistakes in it, a line each; none repeats the password."""
    try:
        return _network_config(text), ()
    except _WrongError as wrong:
        return Wifi(), (f"{where}: {wrong}",)


def _network_config(text: str) -> Wifi:
    document = _document(text)
    # Netplan and cloud-init put everything below this key; cloud-init also accepts files without it.
    network = _mapping(document.get("network", document), "network")
    keys: dict[str, object] = {}
    if any(_mapping(card, "ethernets").get("dhcp4") == "true" for card in _below(network, "ethernets")):
        keys["cable"] = True
    radios = list(_below(network, "wifis"))
    if len(radios) > 1:
        raise _WrongError("wifis: use only one")
    unused = [key for key in network if key not in ("version", "renderer", "ethernets", "wifis")]
    for radio in radios:
        about = _mapping(radio, "wifis")
        points = _mapping(about.get("access-points", {}), "wifis.access-points")
        if not points:
            continue  # Imager was given a country, but no Wi-Fi
        if len(points) != 1:
            raise _WrongError("wifis.access-points: use only one Wi-Fi")
        for name, point in points.items():
            joined = {} if point == "" else _mapping(point, "wifis.access-points")
            keys["wifi"] = name
            if password := _password(joined):
                keys["password"] = password
            unused += [f"access-points.{key}" for key in joined if key not in ("password", "auth", "hidden")]
        if country := about.get("regulatory-domain"):
            keys["country"] = country
        known = ("dhcp4", "dhcp6", "optional", "regulatory-domain", "access-points")
        unused += [f"wifis.{key}" for key in about if key not in known]
    return Wifi(keys, _shown(unused))


def _password(point: Mapping[str, Any]) -> object:
    """A Wi-Fi's password or WPA2 key; empty if it's open.

    Imager doesn't know WPA3, and writes WPA2's key; `auth` is netplan's way to ask for WPA3.
    """
    if "auth" not in point:
        return point.get("password", "")
    auth, key = _mapping(point["auth"], "access-points.auth"), "access-points.auth.key-management"
    way, password = auth.get("key-management", "psk"), auth.get("password", point.get("password", ""))
    if way == "none":
        return ""
    if way not in ("psk", "psk-sha256", "sae"):
        raise _WrongError(
            f"{key}: use none, psk, psk-sha256 or sae; the box can't join Wi-Fi with user names"
        )
    if not password:
        raise _WrongError(f"{key}: {way} needs a password")
    if way == "sae" and is_wpa2_key(password):
        raise _WrongError("access-points.auth.password: is a WPA2 key; WPA3 needs the password itself")
    return password


def is_wpa2_key(password: object) -> bool:
    """Whether this is the key that WPA2 derives from a password, as Imager stores it."""
    return isinstance(password, str) and re.fullmatch(r"[0-9a-f]{64}", password) is not None


def _below(network: Mapping[str, Any], key: str) -> Iterator[object]:
    yield from _mapping(network.get(key, {}), key).values()


def _shown(keys: list[str]) -> tuple[str, ...]:
    """The keys that are safe to show in a message, without duplicates, at most 20."""
    return tuple(dict.fromkeys(key for key in keys if re.fullmatch(r"[\w.-]{1,60}", key, re.ASCII)))[:20]
