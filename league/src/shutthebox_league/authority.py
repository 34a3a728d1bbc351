"""The league's keys and certificates, and its register of keys.

The league is its own certificate authority. Every box has one Ed25519 key: with it the box signs its
entries, and its certificate lets it in at the broker. The broker takes the user's name from the certificate.
"""

import fcntl
import hashlib
import ipaddress
import json
import os
import re
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from shutthebox.errors import quoted
from shutthebox.files import replace_file, sync_folder
from shutthebox_league.access import CONSUMER, plugin_config
from shutthebox_league.errors import LeagueError

_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)", re.ASCII)

BOXES_PORT, CONSUMERS_PORT = 8883, 8884

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
_AUTHORITY_YEARS, _CERTIFICATE_YEARS = 30, 20
_Key = ec.EllipticCurvePrivateKey | Ed25519PrivateKey


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a league, made once.

    Attributes:
        host: the name or address by which boxes reach the broker.
        name: of the league, for people.
        zone: its time zone, for its nights, such as ``Europe/London``.
        database: URL; empty for SQLite in the league's folder.
        port: of the broker for boxes.
        consumers_port: of the broker on 127.0.0.1 for consumers.
    """

    host: str
    name: str = "Shut the Box league"
    zone: str = "UTC"
    database: str = ""
    port: int = BOXES_PORT
    consumers_port: int = CONSUMERS_PORT


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The keys of a box that has just been enrolled.

    Attributes:
        public_key: as PEM; the league keeps it.
        private_key: as PEM; the league does not keep it.
        certificate: as PEM.
    """

    public_key: str
    private_key: str
    certificate: str


class Authority:
    """The keys in a league's folder. `found` makes them.

    Args:
        folder: of the league.
    """

    def __init__(self, folder: Path) -> None:
        self._keys, self._broker = folder / "keys", folder / "broker"
        self._register_path, self._forgotten_path = self._keys / "register", self._keys / "forgotten"
        self._voidings_path = self._keys / "voidings"

    def found(self, settings: Settings) -> None:
        """Makes all keys and the broker's files.

        Args:
            settings: of the league; kept with the keys.

        Raises:
            LeagueError: if the folder has a league already, or can't be written to, or the host isn't valid.
        """
        _check_host(settings.host)
        if self._certificate_path.exists():
            raise LeagueError(f"{self._keys}: there is a league already; use another --folder")
        try:
            self._keys.mkdir(parents=True, exist_ok=True)
            self._keys.chmod(0o700)
            self._broker.mkdir(exist_ok=True)
            sync_folder(self._keys.parent)
            _write(self._keys / "league.json", json.dumps(asdict(settings)).encode())
            self._make_keys(settings.host)
            self.allow(())
        except OSError as error:
            raise LeagueError(f"--folder: {error}; use a folder that can be written to") from None

    def _make_keys(self, host: str) -> None:
        authority = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Shut the Box league")])
        now = datetime.now(UTC)
        certificate = (
            _builder(name, name, authority.public_key(), now, _AUTHORITY_YEARS)
            .serial_number(x509.random_serial_number())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(certificates=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), critical=False)
            .sign(authority, hashes.SHA256())
        )
        _write(self._keys / "authority.key", _private_pem(authority))
        broker = ec.generate_private_key(ec.SECP256R1())
        _write(self._broker / "broker.key", _private_pem(broker), 0o640)
        names, usage = {host, "localhost", "127.0.0.1"}, ExtendedKeyUsageOID.SERVER_AUTH
        signed = self._sign(certificate, authority, "broker", broker, usage, names)
        _write(self._broker / "broker.pem", signed, 0o640)
        consumer = ec.generate_private_key(ec.SECP256R1())
        _write(self._keys / "consumer.key", _private_pem(consumer))
        usage = ExtendedKeyUsageOID.CLIENT_AUTH
        _write(self._keys / "consumer.pem", self._sign(certificate, authority, CONSUMER, consumer, usage, ()))
        _write(self._keys / "receipts.key", _private_pem(Ed25519PrivateKey.generate()))
        _write(self._broker / "authority.pem", certificate.public_bytes(Encoding.PEM), 0o640)
        # Last, because its presence means that all the others are there.
        _write(self._certificate_path, certificate.public_bytes(Encoding.PEM))

    @staticmethod
    def _sign(
        authority: x509.Certificate,
        signer: ec.EllipticCurvePrivateKey,
        name: str,
        key: _Key,
        usage: x509.ObjectIdentifier,
        hosts: Iterable[str],
    ) -> bytes:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            _builder(subject, authority.subject, key.public_key(), datetime.now(UTC), _CERTIFICATE_YEARS)
            .serial_number(serial_of(name))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
            )
        )
        if found := [_general_name(host) for host in sorted(hosts)]:
            builder = builder.add_extension(x509.SubjectAlternativeName(found), critical=False)
        return builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM)

    @property
    def _certificate_path(self) -> Path:
        return self._keys / "authority.pem"

    @property
    def certificate(self) -> str:
        """The authority's certificate, as PEM."""
        return self._read(self._certificate_path).decode("ascii")

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
        path = self._keys / "league.json"
        text = self._read(path)
        try:
            return Settings(**json.loads(text))
        except (ValueError, TypeError):
            raise LeagueError(f"{path}: not as `shutthebox-league found` writes it") from None

    def change_database(self, url: str) -> None:
        """Switches the league to another database."""
        self._keep_settings(replace(self.settings, database=url))

    def _keep_settings(self, settings: Settings) -> None:
        _write(self._keys / "league.json", json.dumps(asdict(settings)).encode())

    def lock_shared(self) -> int:
        """Keeps the league in its database until the descriptor is closed; waits while it's being moved."""
        self._read(self._certificate_path)
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

    def change_host(self, host: str) -> None:
        """Makes the broker answer to another name, and still to earlier ones, which are in the boxes' files.

        Args:
            host: the name or address that boxes are given from now on.

        Raises:
            LeagueError: if it's neither a name nor an address.
        """
        _check_host(host)
        own = x509.load_pem_x509_certificate(self._read(self._broker / "broker.pem"))
        known = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        names = {host, *(str(name.value) for name in known)}
        key = load_pem_private_key(self._read(self._broker / "broker.key"), password=None)
        assert isinstance(key, ec.EllipticCurvePrivateKey), "`found` makes no others"
        authority = x509.load_pem_x509_certificate(self.certificate.encode())
        usage = ExtendedKeyUsageOID.SERVER_AUTH
        signed = self._sign(authority, self._signer(), "broker", key, usage, names)
        _write(self._broker / "broker.pem", signed, 0o640)
        self._keep_settings(replace(self.settings, host=host))

    def enrol(self, name: str) -> Enrolled:
        """Creates keys for a box. The private one isn't kept.

        Args:
            name: of the key.
        """
        key = Ed25519PrivateKey.generate()
        authority = x509.load_pem_x509_certificate(self.certificate.encode())
        usage = ExtendedKeyUsageOID.CLIENT_AUTH
        return Enrolled(
            public_pem(key.public_key()),
            _private_pem(key).decode("ascii"),
            self._sign(authority, self._signer(), name, key, usage, ()).decode("ascii"),
        )

    def consumer_tls(self) -> ssl.SSLContext:
        """TLS as a consumer."""
        context = ssl.create_default_context(cadata=self.certificate)
        context.load_cert_chain(self._keys / "consumer.pem", self._keys / "consumer.key")
        return context

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Locks names and the broker's file, so that a later command sees what an earlier one did."""
        descriptor = os.open(self._keys / "lists.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def allow(self, names: Iterable[str]) -> None:
        """Rewrites the file that the broker's plugin starts with.

        Args:
            names: of the keys that may write and read their topics.
        """
        new = json.dumps(plugin_config(names)).encode()
        path = self._broker / "dynamic-security.json"
        if not path.exists() or path.read_bytes() != new:
            _write(path, new, 0o640)

    def _signer(self) -> ec.EllipticCurvePrivateKey:
        signer = load_pem_private_key(self._read(self._keys / "authority.key"), password=None)
        assert isinstance(signer, ec.EllipticCurvePrivateKey), "`found` makes no others"
        return signer

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


def serial_of(name: str) -> int:
    """The serial number of this key's certificate; key names are never reused."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:19])


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


def _private_pem(key: _Key) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey | Ed25519PublicKey,
    now: datetime,
    years: int,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        # The clock of a box without a battery may be years behind.
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(now + timedelta(days=366 * years))
    )


def _usage(*, certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=certificates,
        crl_sign=certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _check_host(host: str) -> None:
    """Refuses a host that a certificate can't name, because no box could then connect."""
    with suppress(ValueError):
        ipaddress.ip_address(host)
        return
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise LeagueError(
            f"host: {quoted(host)} is not allowed; use a name such as league.example, or an address"
        )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write(path: Path, data: bytes, mode: int = 0o600) -> None:
    # Without its keys and registers, a league would have to enrol every box again.
    replace_file(path, data, mode=mode, durable=True)
