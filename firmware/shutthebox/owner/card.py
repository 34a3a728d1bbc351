"""Applies what the owner wrote onto the card or a stick."""

import hashlib
import json
import logging
import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

from shutthebox.config.card import (
    CONFIG_NAME,
    HOME_ASSISTANT_NAME,
    IMAGER_NAMES,
    KEY_NAME,
    LEAGUE_NAME,
    NETWORK_NAME,
    Card,
    Network,
    is_only_comments,
    read_card,
)
from shutthebox.config.imager import is_wpa2_key
from shutthebox.config.schema import default_text
from shutthebox.config.settings_loader import try_config
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import reason, replace_file, shown_path

_log = logging.getLogger(__name__)

SEEN = "card/seen.json"
"""Digests of the card's files as they were last applied, by name."""

MISTAKES = "card/mistakes.txt"

TAKEN = "card/stick"
"""A copy of a stick's files, from the moment they're found good until all have been applied."""


class CardError(ShutTheBoxError, RuntimeError):
    """A partition of the card can't be used; the message says why."""

    exit_code = 1


def take_over_stick_folder(folder: Path, to: Path) -> tuple[str, ...]:
    """Applies the files in a stick's folder if they are all good; returns the mistakes.

    Raises:
        CardError: if a folder can't be read or written.
    """
    try:
        card = read_stick(folder, to)
        if folder == to / TAKEN and not card.mistakes:
            _finish(card, to)
        elif not card.mistakes:
            take_over_stick(card, to)
    except OSError as error:
        raise _card_error(error, to) from None
    return card.mistakes


def take_over_card(folder: Path, to: Path) -> tuple[str, ...]:
    """Applies the card's files that have changed since last time; returns the mistakes.

    Removing a file from the card removes what it set. The mistakes are left for the box to report.

    Raises:
        CardError: if a folder can't be read or written.
    """
    try:
        card = read_card(folder, try_config)
        _write(to / MISTAKES, "".join(f"{mistake}\n" for mistake in card.mistakes))
        for note in card.notes:
            _log.warning("%s", note)
        if not card.mistakes:
            now = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in card.texts.items()}
            before = _read_seen(to)
            for name in sorted({*now, *before}):
                if now.get(name) != before.get(name):
                    _take_over(name, card, to)
            _write(to / SEEN, json.dumps(now))
    except OSError as error:
        raise _card_error(error, to) from None
    return card.mistakes


def read_stick(folder: Path, to: Path) -> Card:
    """Reads and checks the files in a stick's folder, together with what the box already has.

    Raises:
        OSError: if the stick can't be read.
    """
    return read_card(folder, try_config, to / "etc")


def take_over_stick(card: Card, to: Path) -> None:
    """Applies a stick's files, which must be free of mistakes: all or none, even across a power cut.

    They are first copied to `TAKEN`; from then on, every startup applies them until all are done.

    Raises:
        CardError: if one can't be written.
    """
    taken = to / TAKEN
    try:
        if taken.exists():  # from an earlier stick, left unfinished
            _finish(read_stick(taken, to), to)
        _copy(card, taken)
        _finish(card, to)
    except OSError as error:
        raise _card_error(error, to) from error


def _finish(card: Card, to: Path) -> None:
    if not card.mistakes:  # another version may find some
        for name in card.texts:
            _take_over(name, card, to)
    shutil.rmtree(to / TAKEN)


def _card_error(error: OSError, to: Path) -> CardError:
    return CardError(f"card: {shown_path(Path(error.filename or to))}: {reason(error)}")


def _read_seen(to: Path) -> dict[str, str]:
    try:
        found = json.loads((to / SEEN).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _take_over(name: str, card: Card, to: Path) -> None:
    """Installs one file of the card where the system looks for it, or undoes that if the file is gone."""
    text = card.texts.get(name)
    if name == CONFIG_NAME:
        if text is not None:
            _write(to / "etc/config.toml", with_language(text, card.language))
    elif name == NETWORK_NAME:
        for file, text in network_files(card.network).items():
            _write(to / "network" / file, text, 0o600)
        for key in ("name", "timezone"):
            value = getattr(card.network, key)
            _write(to / "network" / key, f"{value}\n" if value else "")
    elif name == KEY_NAME:
        _write(to / "ssh/authorized_keys", "".join(f"{key}\n" for key in card.keys), 0o600)
    elif name in IMAGER_NAMES:
        for other in (CONFIG_NAME, NETWORK_NAME, KEY_NAME):
            _take_over(other, card, to)
        _write(to / "card/timezone", f"{card.zone}\n" if card.zone else "")
    elif text is None or is_only_comments(text):
        (to / "etc" / name).unlink(missing_ok=True)
    elif name in (LEAGUE_NAME, HOME_ASSISTANT_NAME):
        _write(to / "etc" / name, text, 0o600)  # only for root: both contain secrets
    else:
        _write(to / "etc" / name, text)
        (to / "etc" / name).parent.chmod(0o755)  # the box reads it


def with_language(text: str, language: str) -> str:
    """The configuration with this language, unless its owner has set one; the default file's isn't theirs."""
    if language and text == default_text():
        return re.sub(r"(?m)^language = .*$", f'language = "{language}"', text, count=1)
    if not language or "language" in tomllib.loads(text).get("box", {}):
        return text
    line = f'language = "{language}"\n'
    found = re.search(r"(?m)^\[box\][^\n]*\n", text)
    return f"{text[: found.end()]}{line}{text[found.end() :]}" if found else f"{text}\n[box]\n{line}"


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


def _copy(card: Card, folder: Path) -> None:
    """Puts a stick's files into a folder of the card: all of them or none, even if the plug is pulled."""
    part = folder.with_suffix(".part")
    for former in (part, folder):
        shutil.rmtree(former, ignore_errors=True)
    part.mkdir(parents=True)
    for name, text in card.texts.items():
        _write(part / name, text, 0o600)
    part.rename(folder)
    os.sync()


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes the file whole or not at all, even if the plug is pulled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), mode=mode, durable=True)
