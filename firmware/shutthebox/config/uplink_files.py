"""The owner's files for the uplink: the enrolment in a league, and Home Assistant's broker.

They are checked here with the standard library alone, so that mistakes show before the uplink starts.
"""

import base64
import binascii
import ipaddress
import re
from collections.abc import Collection, Mapping
from typing import Any

from shutthebox import validation
from shutthebox.validation import Check, matching, shown_key, text, whole

_HOST_PATTERN = r"(?!.{254})(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?|[0-9A-Fa-f]*:[0-9A-Fa-f:.]{1,44}"
_HOST = matching(_HOST_PATTERN, "a name or an address of a machine")
_PORT = whole(1, 65535)
_PEM = matching(r"[\x09\x0a\x0d\x20-\x7e]{1,20000}", "text as `shutthebox-league enrol` prints it")

_URL = re.compile(
    r"(?P<scheme>https?)://(?:\[(?P<v6>[0-9A-Fa-f:.]{2,45})\]|(?P<host>[A-Za-z0-9_.-]{1,253}))"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>(?:/[A-Za-z0-9_.~-]{1,60}){0,5})/?",
    re.ASCII,
)
_PRIVATE = tuple(
    ipaddress.ip_network(network)
    for network in (
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
        "::1/128", "fc00::/7", "fe80::/10",
    )
)  # fmt: skip


def _url(value: object) -> str:
    """An address without anything that a client could read in two ways; without TLS only on private networks.

    There, the signatures protect the result. Elsewhere, anybody could read who plays.
    """
    found = _URL.fullmatch(value) if isinstance(value, str) else None
    if found is None or int(found["port"] or 1) not in range(1, 65536):
        raise ValueError("no address")
    host = found["v6"] or found["host"]
    try:
        address = ipaddress.ip_address(host)
        is_private = any(address in network for network in _PRIVATE)
    except ValueError:
        if found["v6"] or host.rpartition(".")[2].isdecimal():
            raise ValueError("no address") from None
        is_private = host.lower() == "localhost"
    if found["scheme"] == "http" and not is_private:
        raise ValueError("nobody else should read along")
    return found[0].rstrip("/")


LEAGUE_URL = Check(
    "an address such as https://league.example; http:// only with localhost or a private network's address",
    {"type": "string"},
    _url,
)
FILE_BESIDE = matching(
    r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}", "the name of a file beside league.toml, such as league.pem"
)

_LEAGUE_KEYS: Mapping[str, Check[Any]] = {
    "url": LEAGUE_URL,
    "name": matching(r"[a-z0-9-]{1,40}\.[1-9][0-9]{0,8}", "a name as `shutthebox-league enrol` prints it"),
    "key": _PEM, "league_key": _PEM,
}  # fmt: skip

_HOME_ASSISTANT_KEYS: Mapping[str, Check[Any]] = {
    "host": matching(f"|{_HOST_PATTERN}", f"{_HOST.allowed}, or nothing"),
    "port": _PORT, "username": text, "password": text, "authority": text,
    "prefix": matching(r"[A-Za-z0-9_/-]{1,100}", "letters, digits, _, - and /"),
    "name": text,
}  # fmt: skip

# Of every Ed25519 key as DER, in PKCS 8 and as a SubjectPublicKeyInfo (RFC 8410). 32 bytes follow.
_PRIVATE_KEY = bytes.fromhex("302e020100300506032b657004220420")
_PUBLIC_KEY = bytes.fromhex("302a300506032b6570032100")


def examine_enrolment(content: str, where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The valid keys of an enrolment, and its mistakes, a line each; empty if the file has no enrolment.

    A mistake names file, key and what is allowed, and never a value, which may be a secret.
    """
    given, found, mistakes = _examine(content, where, "league", {**_LEAGUE_KEYS, "ca": FILE_BESIDE})
    if given:
        whole_file = "missing; `shutthebox-league enrol` prints the whole file"
        missing = (f"{where}: league.{key}: {whole_file}" for key in _LEAGUE_KEYS if key not in given)
        mistakes = (*mistakes, *missing)
    if mistakes or not found:
        return found, mistakes
    if not (_is_key(found["key"], _PRIVATE_KEY) and _is_key(found["league_key"], _PUBLIC_KEY)):
        return found, (f"{where}: league.key, league.league_key: not allowed; use Ed25519 keys as PEM",)
    return found, ()


def examine_home_assistant(content: str, where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The good keys of a broker that Home Assistant listens to, and the mistakes, as of an enrolment."""
    return _examine(content, where, "home_assistant", _HOME_ASSISTANT_KEYS)[1:]


def _examine(
    content: str, where: str, name: str, checks: Mapping[str, Check[Any]]
) -> tuple[Collection[str], dict[str, Any], tuple[str, ...]]:
    """The names of all keys if every line can be read, the good keys with their values, and the mistakes."""
    document, wrong = validation.examine_toml(content)
    mistakes = [f"{where}: {mistake}" for mistake in wrong]
    mistakes += [
        f"{where}: {shown_key(section)}: unknown section; use [{name}]"
        for section in document
        if section != name
    ]
    keys = document.get(name, {})
    if not isinstance(keys, dict):
        return (), {}, (*mistakes, f"{where}: {name}: use a section [{name}]")
    found, wrong_keys = validation.examine_keys(keys, checks, f"{where}: {name}.", secrets=checks)
    return () if wrong else tuple(keys), found, (*mistakes, *wrong_keys)


def _der(pem: str) -> bytes:
    """The content of a PEM text; empty if it isn't one."""
    lines = [line.strip() for line in pem.strip().splitlines()]
    if len(lines) < 3 or not lines[0].startswith("-----BEGIN ") or not lines[-1].startswith("-----END "):
        return b""
    try:
        return base64.b64decode("".join(lines[1:-1]), validate=True)
    except binascii.Error:
        return b""


def _is_key(pem: str, head: bytes) -> bool:
    der = _der(pem)
    return der.startswith(head) and len(der) == len(head) + 32
