"""The owner's files on the card's first partition: the configuration, a network, a key to log in with.

Each file is read by itself: a mistake in one leaves the others in force.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shutthebox import validation
from shutthebox.config.schema import Config, ConfigError
from shutthebox.errors import ShutTheBoxError, shown
from shutthebox.files import read_text, shown_path

CONFIG_NAME, NETWORK_NAME, KEY_NAME = "shutthebox.toml", "network.toml", "ssh-key.txt"
NAMES = (CONFIG_NAME, NETWORK_NAME, KEY_NAME)

_KEY_KINDS = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
              "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Network:
    """Which networks the box joins; none unless it is told to.

    Attributes:
        wifi: the name of the Wi-Fi; empty for none.
        password: of the Wi-Fi, 8 to 63 characters; empty for a Wi-Fi without one.
        country: of the box, two letters; the radio channels depend on it.
        cable: use a network cable too.
    """

    wifi: str = ""
    password: str = ""
    country: str = ""
    cable: bool = False


def _wifi(value: object) -> str:
    name = validation.text(value)
    if not 1 <= len(name.encode()) <= 32:
        raise validation.WrongValueError("a name of 1 to 32 bytes")
    return name


def _password(value: object) -> str:
    allowed = "a text of 8 to 63 characters from space to ~"
    if not isinstance(value, str) or not 8 <= len(value) <= 63 or not all(" " <= c <= "~" for c in value):
        raise validation.WrongValueError(allowed)
    return value


def _country(value: object) -> str:
    if not isinstance(value, str) or len(value) != 2 or not (value.isascii() and value.isalpha()):
        raise validation.WrongValueError('two letters, such as "BE" or "FR"')
    return value.upper()


_CHECKS: Mapping[str, Callable[[object], Any]] = {
    "wifi": _wifi, "password": _password, "country": _country, "cable": validation.boolean,
}  # fmt: skip


def parse_network(text: str, where: str) -> Network:
    """The networks in this TOML text.

    Raises:
        ConfigError: naming the key, and what is allowed. It never names the password.
    """
    try:
        document = validation.toml(text)
    except validation.WrongValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from None
    network = Network()
    for key, value in document.items():
        if key not in _CHECKS:
            raise ConfigError(
                f"{where}: {validation.shown_key(key)}: unknown key; allowed are {', '.join(_CHECKS)}"
            )
        try:
            network = replace(network, **{key: _CHECKS[key](value)})
        except validation.WrongValueError as wrong:
            said = "" if key == "password" else f"{shown(value)} is not allowed; "
            raise ConfigError(f"{where}: {key}: {said}allowed is {wrong}") from None
    if network.wifi and not network.country:
        raise ConfigError(f'{where}: country: is missing; allowed is two letters, such as "BE" or "FR"')
    if network.password and not network.wifi:
        raise ConfigError(f"{where}: wifi: is missing; allowed is the name of the Wi-Fi")
    return network


def parse_keys(text: str, where: str) -> tuple[str, ...]:
    """The public keys in this text, one a line.

    Raises:
        ConfigError: naming the line.
    """
    keys = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.lstrip().startswith("#"):
            continue
        if "PRIVATE" in line:
            raise ConfigError(
                f"{where}: line {number}: a private key, which nobody else may have; "
                "allowed is the public one, from the file that ends in .pub"
            )
        if not _is_key(words):
            raise ConfigError(
                f"{where}: line {number}: no public key; allowed is a line like ssh-ed25519 AAAA... name"
            )
        keys.append(" ".join(words))
    return tuple(keys)


def _is_key(words: list[str]) -> bool:
    if len(words) < 2 or words[0] not in _KEY_KINDS:
        return False
    try:
        data = base64.b64decode(words[1], validate=True)
    except binascii.Error:
        return False
    # The key repeats its kind, with its length in four bytes.
    kind = words[0].encode()
    return data.startswith(len(kind).to_bytes(4, "big") + kind) and len(data) > len(kind) + 32


@dataclass(frozen=True, slots=True)
class Card:
    """The content of the card's files.

    Attributes:
        config: the text of the configuration; None if there is none, or none that can be used.
        network: none if there is no file; None if it cannot be used.
        keys: public keys; none if there is no file; None if it cannot be used.
        mistakes: one line each: file, line or key, what is allowed.
    """

    config: str | None = None
    network: Network | None = Network()
    keys: tuple[str, ...] | None = ()
    mistakes: tuple[str, ...] = ()


def read_card(folder: Path, parse_config: Callable[[str, str], Config]) -> Card:
    """Reads the files of the card in this folder.

    Args:
        folder: the first partition.
        parse_config: checks the text of the configuration, with the name of its file for complaints;
            raises ShutTheBoxError.
    """
    card = Card(mistakes=tuple(_misnamed(folder)))
    for name in NAMES:
        path = folder / name
        if not path.exists():
            continue
        try:
            try:
                text = read_text(path, ConfigError, "a file of the card")
            except ConfigError as error:
                raise ConfigError(str(error).replace(f"{folder}/", "")) from None
            if name == CONFIG_NAME:
                parse_config(text, name)
                card = replace(card, config=text)
            elif name == NETWORK_NAME:
                card = replace(card, network=parse_network(text, name))
            else:
                card = replace(card, keys=parse_keys(text, name))
        except ShutTheBoxError as error:
            card = replace(card, mistakes=(*card.mistakes, str(error)))
            if name == NETWORK_NAME:
                card = replace(card, network=None)
            elif name == KEY_NAME:
                card = replace(card, keys=None)
    return card


def _misnamed(folder: Path) -> list[str]:
    """Files that were meant to be one of ours: some systems add an ending, and hide it."""
    return [
        f"{shown_path(Path(path.name))}: is not read; its name has to be {name}"
        for path in sorted(folder.iterdir())
        for name in NAMES
        if path.name.lower().startswith(name.split(".")[0]) and path.name.lower() != name
    ]
