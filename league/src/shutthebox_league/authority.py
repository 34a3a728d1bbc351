"""The league's key and settings, and its register of keys.

Every box has one Ed25519 key, with which it signs its entries; the league signs receipts with its own.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from shutthebox.config.uplink_files import FILE_BESIDE, LEAGUE_URL
from shutthebox.files import replace_file, sync_folder
from shutthebox_league.errors import LeagueError

ENROLLED, REVOKED = "enrolled", "revoked"


@dataclass(frozen=True, slots=True)
class NotedVoiding:
    """A line of the register: some matches of a voiding, without a database's row ids.

    Attributes:
        uid: the voiding's name.
        what: its text in the log.
        made_s: when.
        pub: whose landlord made it; None for the operator.
        box: the one that sent the entries of these matches.
        hashes: of these entries. A box with a copy of another's card may send the same ones.
        undone: it no longer holds, for good; everything else may be empty then.
    """

    uid: str
    what: str = ""
    made_s: int = 0
    pub: str | None = None
    box: str = ""
    hashes: Sequence[str] = ()
    undone: bool = False


_FORGOTTEN_AGAIN_S = 60  # so that a persistent landlord can't fill the disk
_SETTINGS = "league.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a league, made once.

    Attributes:
        url: by which boxes reach it, such as ``https://league.example``.
        name: of the league, for people.
        zone: its time zone, for its nights, such as ``Europe/London``.
        database: URL; empty for SQLite in the league's folder.
        ca: the name of the file with which boxes check its certificate; empty for a public authority's.
    """

    url: str
    name: str = "Shut the Box league"
    zone: str = "UTC"
    database: str = ""
    ca: str = ""


class Authority:
    """The keys in a league's folder. `found` makes them.

    Args:
        folder: of the league.
    """

    def __init__(self, folder: Path) -> None:
        self._keys = folder / "keys"
        self._register_path, self._forgotten_path = self._keys / "register", self._keys / "forgotten"
        self._voidings_path = self._keys / "voidings"

    def found(self, settings: Settings) -> None:
        """Makes the league's key.

        Args:
            settings: of the league; kept with the key.

        Raises:
            LeagueError: if the folder has a league already, or can't be written to, or the URL isn't valid.
        """
        for option, check, value in (("--url", LEAGUE_URL, settings.url), ("--ca", FILE_BESIDE, settings.ca)):
            try:
                if value or option == "--url":
                    check(value)
            except ValueError as error:
                raise LeagueError(f"{option}: not allowed; use {error}") from None
        if self._settings_path.exists():
            raise LeagueError(f"{self._keys}: there is a league already; use another --folder")
        try:
            self._keys.mkdir(parents=True, exist_ok=True)
            self._keys.chmod(0o700)
            sync_folder(self._keys.parent)
            _write(self._keys / "receipts.key", _private_pem(Ed25519PrivateKey.generate()))
            # Last, because its presence means that all is there.
            self._write_settings(settings)
        except OSError as error:
            raise LeagueError(f"--folder: {error}; use a folder that can be written to") from None

    @property
    def _settings_path(self) -> Path:
        return self._keys / _SETTINGS

    @property
    def receipts_key(self) -> Ed25519PrivateKey:
        """The key that signs receipts."""
        key = load_pem_private_key(self._read(self._keys / "receipts.key"), password=None)
        if not isinstance(key, Ed25519PrivateKey):
            raise LeagueError(f"{self._keys / 'receipts.key'}: must be an Ed25519 key")
        return key

    @property
    def settings(self) -> Settings:
        """The settings from when the league was founded."""
        path = self._settings_path
        text = self._read(path)
        try:
            return Settings(**json.loads(text))
        except (ValueError, TypeError):
            raise LeagueError(f"{path}: not as `shutthebox-league found` writes it") from None

    def change_database(self, url: str) -> None:
        """Switches the league to another database."""
        self._write_settings(replace(self.settings, database=url))

    def _write_settings(self, settings: Settings) -> None:
        _write(self._settings_path, json.dumps(asdict(settings)).encode())

    def lock_shared(self) -> int:
        """Keeps the league in its database until the descriptor is closed; waits while it's being moved."""
        self._read(self._settings_path)
        descriptor = os.open(self._keys, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return descriptor

    @staticmethod
    def lock_exclusive(lock: int) -> None:
        """Claims the league for one program, until the descriptor from `lock_shared` is closed.

        Raises:
            LeagueError: if another program is using it.
        """
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LeagueError(
                "the league is running; stop it first: systemctl stop 'shutthebox-league-*'"
            ) from None

    @contextmanager
    def lock_registers(self) -> Iterator[None]:
        """Locks the names, so that a later command sees what an earlier one did."""
        descriptor = os.open(self._keys / "lists.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def note(self, what: str, name: str) -> None:
        """Notes permanently, outside the database, that a key was enrolled or revoked.

        Args:
            what: `ENROLLED` or `REVOKED`.
            name: of the key.
        """
        _append(self._register_path, [f"{what} {name}"])

    def note_forgotten(self, digests: Sequence[str], pub_id: int, time_s: int) -> None:
        """Notes permanently, outside the database, that initials were forgotten.

        Args:
            digests: of the initials.
            pub_id: where; 0 for the whole league.
            time_s: when.
        """
        known = self.forgotten()
        due = [each for each in digests if time_s - known.get((each, pub_id), 0) > _FORGOTTEN_AGAIN_S]
        if due:
            _append(self._forgotten_path, (f"{digest} {pub_id} {time_s}" for digest in due))

    def forgotten(self) -> dict[tuple[str, int], int]:
        """When initials were last forgotten, by their hash and the pub."""
        found = {}
        for line in _lines(self._forgotten_path):
            with suppress(ValueError):
                digest, pub_id, time_s = line.split()
                found[digest, int(pub_id)] = int(time_s)
        return found

    def note_voidings(self, lines: Iterable[NotedVoiding]) -> None:
        """Notes permanently, outside the database, which voidings hold and which no longer do."""
        # Begins a line, because the one before may be torn.
        _append(self._voidings_path, chain([""], (json.dumps(asdict(each)) for each in lines)))

    def voidings(self) -> Iterator[NotedVoiding]:
        """All noted lines on voidings, oldest first; there may be duplicates."""
        for line in _lines(self._voidings_path):
            with suppress(ValueError, TypeError):
                yield NotedVoiding(**json.loads(line))

    def noted(self, what: str) -> list[str]:
        """The names of all keys with this note, oldest first."""
        lines = (line.rstrip().partition(" ") for line in _lines(self._register_path))
        return [name for noted, _, name in lines if noted == what]

    def _read(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            raise LeagueError(f"{path}: missing; `shutthebox-league found` makes a league") from None
        except OSError as error:
            raise LeagueError(f"{path}: {error.strerror}") from None


def token_hash(token: str) -> str:
    """The hash that is stored instead of a pub's key or an entrant's code."""
    return hashlib.sha256(token.encode()).hexdigest()


def _append(path: Path, lines: Iterable[str]) -> None:
    is_new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a register, as they are read; none where nothing was noted yet."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            yield from file
    except FileNotFoundError:
        return
    except OSError as error:
        raise LeagueError(f"{path}: {error.strerror}") from None


def public_pem(key: Ed25519PublicKey) -> str:
    """A public key as PEM."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode("ascii")


def new_key() -> tuple[str, str]:
    """A new key of a box as PEM, the public and the private half. The league doesn't keep the second."""
    key = Ed25519PrivateKey.generate()
    return public_pem(key.public_key()), _private_pem(key).decode("ascii")


def _private_pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write(path: Path, data: bytes, mode: int = 0o600) -> None:
    # Without its keys and registers, a league would have to enrol every box again.
    replace_file(path, data, mode=mode, durable=True)
