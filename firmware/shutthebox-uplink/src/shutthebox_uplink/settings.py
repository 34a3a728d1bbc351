"""The uplink's files: the enrolment from the league's owner, and the settings of this machine."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from shutthebox.errors import ShutTheBoxError
from shutthebox.files import read_text
from shutthebox.validation import Check, WrongValueError, shown_key, text, toml, whole


class SettingsError(ShutTheBoxError, ValueError):
    """A file that cannot be used; the text is one line: file, key, what is allowed."""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A box's place in a league.

    Attributes:
        name: of the box's key in the league, such as ``red-lion.1``; also its name at the broker.
        host: of the broker.
        port: of the broker.
        authority: the certificate, as PEM, that has signed the broker's.
        certificate: the box's own, as PEM.
        key_text: the box's private key, as PEM.
        key: the same.
        league_key: the league's public key. It signs receipts.
    """

    name: str
    host: str
    port: int
    authority: str
    certificate: str
    key_text: str
    key: Ed25519PrivateKey
    league_key: Ed25519PublicKey


@dataclass(frozen=True, slots=True)
class HomeAssistant:
    """A broker that Home Assistant listens to.

    Attributes:
        host: of the broker.
        port: of the broker.
        username: empty for none.
        password: of the user.
        authority: a file with the certificate that has signed the broker's; empty for a plain connection.
        prefix: of discovery topics.
    """

    host: str
    port: int = 1883
    username: str = ""
    password: str = ""
    authority: str = ""
    prefix: str = "homeassistant"


def _matching(pattern: str, allowed: str) -> Check[str]:
    known = re.compile(pattern, re.ASCII)

    def read(value: Any) -> str:  # noqa: ANN401  (whatever TOML gives)
        if not isinstance(value, str) or known.fullmatch(value) is None:
            raise ValueError
        return value

    return Check(allowed, {}, read)


_HOST_PATTERN = r"(?!.{254})(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]{1,44}"
_HOST = _matching(_HOST_PATTERN, "a name or an address of a machine")
_PORT = whole(1, 65535)
_PEM = _matching(r"[\x09\x0a\x0d\x20-\x7e]{1,20000}", "text as `shutthebox-league enrol` prints it")

_LEAGUE_KEYS: Mapping[str, Check[Any]] = {
    "name": _matching(r"[a-z0-9][a-z0-9.-]{0,49}", "a name as `shutthebox-league enrol` prints it"),
    "host": _HOST, "port": _PORT, "authority": _PEM, "certificate": _PEM, "key": _PEM, "league_key": _PEM,
}  # fmt: skip

_HOME_ASSISTANT_KEYS: Mapping[str, Check[Any]] = {
    "host": _matching(f"|{_HOST_PATTERN}", f"{_HOST.allowed}, or nothing"),
    "port": _PORT, "username": text, "password": text, "authority": text,
    "prefix": _matching(r"[A-Za-z0-9_/-]{1,100}", "letters, digits, _, - and /"),
}  # fmt: skip


def find_enrolment(path: Path) -> Enrolment | None:
    """The enrolment in a file; None for a file without one, such as a comment only.

    Raises:
        SettingsError: if it cannot be used.
    """
    return read_enrolment(path) if _section(path, "league", _LEAGUE_KEYS) else None


def read_enrolment(path: Path) -> Enrolment:
    """The enrolment in a file.

    Raises:
        SettingsError: if it is none.
    """
    found = _section(path, "league", _LEAGUE_KEYS)
    for key in (key for key in _LEAGUE_KEYS if key not in found):
        raise SettingsError(f"{path}: league.{key}: missing; `shutthebox-league enrol` prints the whole file")
    try:
        private = load_pem_private_key(found["key"].encode(), password=None)
        public = load_pem_public_key(found["league_key"].encode())
    except ValueError:
        private = public = None  # type: ignore[assignment]
    if not isinstance(private, Ed25519PrivateKey) or not isinstance(public, Ed25519PublicKey):
        raise SettingsError(
            f"{path}: league.key, league.league_key: not allowed; allowed are Ed25519 keys as PEM"
        )
    return Enrolment(
        found["name"],
        found["host"],
        found["port"],
        found["authority"],
        found["certificate"],
        found["key"],
        private,
        public,
    )


def read_home_assistant(path: Path) -> HomeAssistant | None:
    """Home Assistant's broker as a file names it; None if the file is not there or names none.

    Raises:
        SettingsError: if the file cannot be used.
    """
    if not path.exists():
        return None
    found = _section(path, "home_assistant", _HOME_ASSISTANT_KEYS)
    return HomeAssistant(**found) if found.get("host") else None


def _section(path: Path, name: str, kinds: Mapping[str, Check[Any]]) -> dict[str, Any]:
    try:
        document = toml(read_text(path, SettingsError, "a file of settings"))
    except WrongValueError as wrong:
        raise SettingsError(f"{path}: {wrong}") from None
    for section in document:
        if section != name:
            raise SettingsError(f"{path}: {shown_key(section)}: unknown section; allowed is [{name}]")
    found = document.get(name, {})
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: {name}: allowed is a section [{name}]")
    for key, value in found.items():
        if key not in kinds:
            raise SettingsError(
                f"{path}: {name}.{shown_key(key)}: unknown key; allowed are {', '.join(kinds)}"
            )
        try:
            kinds[key](value)
        except WrongValueError as wrong:
            # The value is not shown: it may be a password or a key.
            raise SettingsError(f"{path}: {name}.{key}: not allowed; allowed is {wrong}") from None
    return found
