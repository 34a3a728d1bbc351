"""The uplink's files: the enrolment from the league's owner, and the settings of this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from shutthebox.config.uplink_files import examine_enrolment, examine_home_assistant
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import read_text

FOLDER = Path("/etc/shutthebox")
"""The owner's files on a box."""


class SettingsError(ShutTheBoxError, ValueError):
    """A file that can't be used; the text is one line: file, key, what is allowed."""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A box's place in a league.

    Attributes:
        url: of the league, such as ``https://league.example``.
        name: of the box's key in the league, such as ``red-lion.1``; also its name at Home Assistant.
        key: the box's.
        league_key: the league's public key. It signs receipts.
        ca: a file with the certificate that has signed the web server's; None if a public authority has.
    """

    url: str
    name: str
    key: Ed25519PrivateKey
    league_key: Ed25519PublicKey
    ca: Path | None = None


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
        name: what Home Assistant shows; empty for the name of the key in the league, or of this machine.
    """

    host: str
    port: int = 1883
    username: str = ""
    password: str = ""
    authority: str = ""
    prefix: str = "homeassistant"
    name: str = ""


def find_enrolment(path: Path) -> Enrolment | None:
    """The enrolment in a file; None for a file without one, such as a comment only.

    Raises:
        SettingsError: if it can't be used.
    """
    found = _read(path, examine_enrolment)
    if not found:
        return None
    try:
        private = load_pem_private_key(found["key"].encode(), password=None)
        public = load_pem_public_key(found["league_key"].encode())
    except ValueError:
        private = public = None  # type: ignore[assignment]
    if not isinstance(private, Ed25519PrivateKey) or not isinstance(public, Ed25519PublicKey):
        raise SettingsError(f"{path}: league.key, league.league_key: not allowed; use Ed25519 keys as PEM")
    ca = path.with_name(found["ca"]) if "ca" in found else None
    if ca is not None and not ca.exists():  # systemd hands over a copy of the enrolment alone
        ca = FOLDER / ca.name
    return Enrolment(found["url"], found["name"], private, public, ca)


def read_enrolment(path: Path) -> Enrolment:
    """The enrolment in a file.

    Raises:
        SettingsError: if there's none.
    """
    found = find_enrolment(path)
    if found is None:
        raise SettingsError(f"{path}: league: missing; `shutthebox-league enrol` prints the whole file")
    return found


def read_home_assistant(path: Path) -> HomeAssistant | None:
    """Home Assistant's broker as a file names it; None if the file is not there or names none.

    Raises:
        SettingsError: if the file can't be used.
    """
    if not path.exists():
        return None
    found = _read(path, examine_home_assistant)
    return HomeAssistant(**found) if found.get("host") else None


def _read(
    path: Path, examine: Callable[[str, str], tuple[dict[str, Any], tuple[str, ...]]]
) -> dict[str, Any]:
    found, mistakes = examine(read_text(path, SettingsError, "a file of settings"), str(path))
    if mistakes:
        raise SettingsError(mistakes[0])
    return found
