"""The networks a box joins: as their owner writes them down, and as the system wants them."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import available_timezones

from shutthebox import validation
from shutthebox.config.imager import (
    NETWORK_CONFIG_NAME,
    TIME_ZONE,
    USER_DATA_NAME,
    UserData,
    Wifi,
    is_wpa2_key,
    is_zone,
)
from shutthebox.validation import matching

NETWORK_NAME = "network.toml"


@dataclass(frozen=True, slots=True)
class Network:
    """The networks the box joins; by default, none.

    Attributes:
        wifi: the name of the Wi-Fi network; empty for none.
        password: the Wi-Fi password, 8 to 63 characters; empty for an open network. Or the WPA2 key, 64
            hexadecimal digits, which is all that Imager keeps of a password.
        country: two-letter country code; it determines the radio channels.
        cable: also use a wired network.
        name: the box's host name (reachable as NAME.local); empty for shutthebox.
        timezone: of the box's clock, which the network sets; empty for Imager's, or UTC.
    """

    wifi: str = ""
    password: str = ""
    country: str = ""
    cable: bool = False
    name: str = ""
    timezone: str = ""


def _wifi(value: object) -> str:
    name = validation.text(value)
    if not 1 <= len(name.encode()) <= 32:
        raise validation.WrongValueError("a name of 1 to 32 bytes")
    return name


_password = matching("[ -~]{8,63}", "a text of 8 to 63 characters from space to ~")
_zone_name = matching(TIME_ZONE, 'the name of a time zone, such as "Europe/Paris"')


def _password_or_key(value: object) -> str:
    return str(value) if is_wpa2_key(value) else _password(value)


def _timezone(value: object) -> str:
    zone = _zone_name(value)
    if not is_zone(zone):
        raise validation.WrongValueError(f"{_zone_name.allowed}{_like_zone(zone)}")
    return zone


def _like_zone(given: str) -> str:
    """A hint at the zone of a city, or at a name much like the given one; empty if there's none."""
    zones = sorted(available_timezones())
    of_city = next((zone for zone in zones if zone.lower().endswith(f"/{given.lower()}")), None)
    near = f"did you mean {of_city!r}?" if of_city else validation.did_you_mean(given, zones).strip()
    return f"; {near}" if near else ""


_CHECKS: Mapping[str, Callable[[object], Any]] = {
    "wifi": _wifi,
    "password": _password,
    "country": matching("[A-Za-z]{2}", 'two letters, such as "BE" or "FR"').then(str.upper),
    "cable": validation.boolean,
    "name": matching(
        "[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?",
        "1 to 32 letters without accents, digits and - between them",
    ).then(str.lower),
    "timezone": _timezone,
}


def examine_network(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """Parses the networks in this TOML text; also returns its mistakes, a line each.

    A mistake names the key and what is allowed, never the password.
    """
    document, wrong = validation.examine_toml(text)
    found, mistakes = validation.examine_keys(document, _CHECKS, f"{where}: ", secrets=("password",))
    network = Network(**found)
    if wrong:  # and what is missing may be in there
        return network, (*(f"{where}: {mistake}" for mistake in wrong), *mistakes)
    if network.wifi and "country" not in document:
        mistakes.append(f'{where}: country: is missing; use two letters, such as "BE" or "FR"')
    if network.password and "wifi" not in document:
        mistakes.append(f"{where}: wifi: is missing; use the name of the Wi-Fi")
    return network, tuple(mistakes)


def imagers_network(imager: UserData, wifi: Wifi) -> tuple[Network, tuple[str, ...]]:
    """The network given to Imager, and the mistakes in it."""
    checks = {**_CHECKS, "password": _password_or_key}
    found, mistakes = validation.examine_keys(
        wifi.keys, checks, f"{NETWORK_CONFIG_NAME}: ", secrets=("password",)
    )
    named, wrong = validation.examine_keys(
        {"name": imager.name} if imager.name else {}, checks, f"{USER_DATA_NAME}: ", secrets=()
    )
    mistakes = [*mistakes, *(mistake.replace("name:", "hostname:", 1) for mistake in wrong)]
    if "wifi" in wifi.keys and "country" not in wifi.keys:
        allowed = 'use two letters, such as "BE" or "FR"'
        mistakes.append(f"{NETWORK_CONFIG_NAME}: regulatory-domain: is missing; {allowed}")
    return Network(**found, **named), tuple(mistakes)


def network_files(network: Network) -> dict[str, str]:
    """The files for systemd-networkd and wpa_supplicant, by name; none without a network to join."""
    files = {"cable.network": "", "wifi.network": "", "wpa_supplicant-wlan0.conf": ""}
    if network.cable:
        files["cable.network"] = _dhcp("Type=ether\nKind=!*")
    if network.wifi:
        files["wifi.network"] = _dhcp("Name=wlan0")
        files["wpa_supplicant-wlan0.conf"] = "".join(
            # A Wi-Fi may require either of WPA3's two ways to turn a password into a key.
            (f"country={network.country}\n", "sae_pwe=2\n", *map(_join, _ways_in(network)))
        )
    return files


def _ways_in(network: Network) -> Iterator[dict[str, str]]:
    """The ways to join a Wi-Fi, in order of preference: the lines of a block in wpa_supplicant's file."""
    # Hexadecimal needs no quoting.
    name, password = network.wifi.encode(), network.password.encode()
    one = {"ssid": name.hex(), "scan_ssid": "1"}
    if not password:
        yield one | {"key_mgmt": "NONE"}
        return
    if is_wpa2_key(network.password):
        # The password can't be recovered from the key, so WPA3 is out of reach.
        for extra in ({"key_mgmt": "WPA-PSK"}, {"key_mgmt": "WPA-PSK-SHA256 WPA-PSK", "ieee80211w": "2"}):
            yield one | {"psk": network.password} | extra
        return
    one["psk"] = hashlib.pbkdf2_hmac("sha1", password, name, 4096, 32).hex()
    # WPA2 if there's a choice: over WPA3, several Pis' radios associate but then get no answer.
    yield one | {"key_mgmt": "WPA-PSK", "priority": "1"}
    protected = {"key_mgmt": "SAE WPA-PSK-SHA256 WPA-PSK", "ieee80211w": "2"}
    yield one | protected | {"sae_password": password.hex()}


def _join(block: dict[str, str]) -> str:
    return "".join(("network={\n", *(f"\t{key}={value}\n" for key, value in block.items()), "}\n"))


def _dhcp(match: str) -> str:
    # MulticastDNS: the box answers to its name with .local.
    return f"[Match]\n{match}\n[Network]\nDHCP=yes\nMulticastDNS=yes\n[DHCPv4]\nUseMTU=yes\n"
