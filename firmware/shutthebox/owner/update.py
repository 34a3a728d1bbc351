"""Updates the card's system with RAUC, which checks and writes the new version."""

import configparser
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from typing import BinaryIO

from shutthebox import __version__
from shutthebox.adapters.signals import handling
from shutthebox.adapters.store.backup import back_up
from shutthebox.adapters.store.reading import open_reading
from shutthebox.adapters.store.schema import VERSION as STORE_VERSION
from shutthebox.config.schema import CONFIG_FILE, SECTIONS, SERVICE_FOLDER
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import check_regular, reason, shown_path

CARD = Path("/etc/shutthebox-card")
"""File of a system that was started from the image; it holds its version."""

BACKUP = Path("/data/card/before-update.sqlite3")
"""A copy of the memory for this version, should the other one change it and then not start."""

FETCHED = Path("/data/card/update.raucb")
"""A downloaded update, until it's written; RAUC reads it several times."""

RAUC_CONFIG = Path("/etc/rauc/system.conf")
"""Names the card's systems."""

RESERVE = 64 << 20
"""Bytes left free for the memory while a download is on the same partition."""

SLOWEST = 10_000
"""The slowest download we accept, in bytes per second: the largest system then takes half a day."""

LOOK_S = 60.0
"""Seconds between two checks of a download's speed."""

INSPECTION_S = 300.0
"""Seconds for RAUC to check a signature: it reads the whole update, and a stick may be slow, or hang."""

_BOUNDS = ("prlimit", f"--data={192 << 20}", "--core=0")
"""Limits for RAUC, which runs as root and may be inspecting a hostile file."""

_SIGNATURE = 1 << 20  # bytes, more than the signature of an update and its description
_BLOCK = 1 << 16


class UpdateError(ShutTheBoxError):
    """The update can't be used; the message says why."""


class NoCardError(ShutTheBoxError, RuntimeError):
    """This machine was not started from the card's image."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """The metadata of a signed update.

    Attributes:
        version: of the package in it.
        store: the newest version of the memory that it can read; None if not given.
        keys: the configuration's keys that it knows, with their sections; empty if not given.
    """

    version: str
    store: int | None = None
    keys: frozenset[str] = frozenset()

    @property
    def forgets(self) -> bool:
        """Whether it can't read this version's memory."""
        return self.store is not None and self.store < STORE_VERSION

    def unknown(self, keys: frozenset[str]) -> tuple[str, ...]:
        """The configuration keys among these that it doesn't know."""
        return tuple(sorted(keys - self.keys)) if self.keys else ()


def update(source: str, *, downgrade: bool) -> None:
    """Checks an update, writes it to the other system partition, and restarts the machine.

    Args:
        source: a file or an address.
        downgrade: also accept an earlier version.

    Raises:
        NoCardError: if this machine doesn't run from a card, or the user may not write to it.
        UpdateError: if the update is bad, or can't be fetched or written.
    """
    if shutil.which("rauc") is None or not CARD.exists():
        raise NoCardError(
            "update: this box was not started from a card's image; update the package: "
            "sudo apt install ./shutthebox_NEW_all.deb"
        )
    if os.geteuid() != 0:
        raise NoCardError("update: only root can write the card; run sudo shutthebox update ...")
    with _local_file(source) as path:
        _update(path, downgrade=downgrade)
    print("The box restarts.", flush=True)
    subprocess.run(["systemctl", "reboot"], check=True)


@contextmanager
def _local_file(source: str) -> Iterator[Path]:
    """The update as a local file; a download is removed again, however the command ends."""
    with suppress(OSError):
        FETCHED.unlink(missing_ok=True)  # left behind by a power cut
    if "://" not in source:
        yield Path(source)
        return
    # A dropped login and SIGTERM end it like an error; nohup ignores the former.
    signals = (signal.SIGHUP, signal.SIGTERM)
    ending = [number for number in signals if signal.getsignal(number) != signal.SIG_IGN]
    with handling(lambda number, frame: sys.exit(128 + number), *ending):
        try:
            _fetch(source)
            yield FETCHED
        finally:
            with suppress(OSError):
                FETCHED.unlink(missing_ok=True)


@contextmanager
def _giving_up_if_slow(source: str) -> Iterator[None]:
    """Ends a download that is too slow at any stage, even if the server sends its headers byte by byte."""
    so_far = 0

    def look(number: int, frame: object) -> None:
        nonlocal so_far
        before, so_far = so_far, FETCHED.stat().st_size if FETCHED.exists() else 0
        if so_far - before < SLOWEST * LOOK_S:
            raise UpdateError(f"{one_line(source)}: too slow, less than {SLOWEST // 1000} kB a second")

    with handling(look, signal.SIGALRM):
        timer = signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)


def _fetch(source: str) -> None:
    """Downloads an address to `FETCHED`.

    Raises:
        UpdateError: if it can't be downloaded completely, is too large, or comes too slowly.
    """
    try:
        with _giving_up_if_slow(source), urllib.request.urlopen(source, timeout=60) as answer:
            length = int(answer.headers.get("Content-Length") or -1)
            with _writing() as file:
                most = most_bytes(file)
                while block := answer.read(_BLOCK):
                    if max(length, file.tell() + len(block)) > most:
                        raise UpdateError(f"{source}: larger than {most >> 20} MiB, the most that fits here")
                    _write(file, block)
                if file.tell() < length:
                    raise UpdateError(f"{source}: incomplete: {file.tell()} of {length} bytes received")
    except IncompleteRead:
        raise UpdateError(f"{source}: incomplete") from None
    except (OSError, ValueError, HTTPException) as error:
        raise UpdateError(f"{one_line(source)}: {one_line(str(error)) or type(error).__name__}") from None


def _writing() -> BinaryIO:
    try:
        return FETCHED.open("wb", buffering=0)
    except OSError as error:
        raise UpdateError(f"{shown_path(FETCHED)}: {reason(error)}") from None


def _write(file: BinaryIO, block: bytes) -> None:
    try:
        while block:
            block = block[file.write(block) :]
    except OSError as error:
        raise UpdateError(f"{shown_path(FETCHED)}: {reason(error)}") from None


def most_bytes(file: BinaryIO) -> int:
    """The largest update accepted: a system of the card with its signature, if that leaves enough room."""
    room = os.fstatvfs(file.fileno())
    free = max(0, room.f_bavail * room.f_frsize - RESERVE)
    return min([free, *(size + _SIGNATURE for size in _slots())])


def _slots() -> Iterator[int]:
    """The sizes of the card's systems in bytes."""
    rauc = configparser.ConfigParser(strict=False, interpolation=None)
    with suppress(OSError, configparser.Error):
        rauc.read(RAUC_CONFIG, encoding="utf-8")
    for name in rauc.sections():
        if name.startswith("slot.") and "device" in rauc[name]:
            with suppress(OSError), Path(rauc[name]["device"]).open("rb") as device:
                yield device.seek(0, os.SEEK_END)


def _update(path: Path, *, downgrade: bool) -> None:
    bundle = inspect(path)
    left_behind = find_losses(bundle, keys_in_use())
    if is_earlier(bundle.version) and not downgrade:
        losses = "; ".join(left_behind) or "nothing is lost"
        raise UpdateError(
            f"{shown_path(path)}: version {bundle.version} is earlier than {__version__}: {losses}; "
            "allowed with --downgrade"
        )
    for loss in left_behind:
        print(loss)
    keep_memory()
    print(f"Writing version {bundle.version}; the box plays on meanwhile.", flush=True)
    install(path)
    print(f"Version {bundle.version} is ready. If it doesn't work, {__version__} comes back by itself.")


def inspect(path: Path) -> Bundle:
    """The description of the update, after its signature has been checked.

    Raises:
        UpdateError: if it is not there, not signed by the card's maker, or not for this box.
    """
    try:
        check_regular(path)
    except OSError as error:
        raise UpdateError(f"{shown_path(path)}: {reason(error)}") from None
    return parse_info(_run_rauc_info(path))


def parse_info(text: str) -> Bundle:
    """A bundle from RAUC's description of it in JSON.

    Raises:
        UpdateError: if it has none of the fields of an update.
    """
    try:
        found = json.loads(text)
        meta = found.get("meta", {}).get("shutthebox", {})
        store = int(meta["store"]) if "store" in meta else None
        return Bundle(str(found["update"]["version"]), store, frozenset(meta.get("config", "").split()))
    except (ValueError, KeyError, AttributeError, TypeError):
        raise UpdateError("update: this version doesn't understand RAUC's description of it") from None


def find_losses(bundle: Bundle, keys: frozenset[str]) -> tuple[str, ...]:
    """The losses that the update would cause, a line each.

    Args:
        bundle: the update.
        keys: the configuration's keys that are in use.
    """
    found = []
    if bundle.forgets:
        found.append(
            f"memory: version {bundle.version} can't read it; matches, scores and statistics are set aside "
            "as box.sqlite3.DATE.newer; this version takes them back if no match was played meanwhile, else "
            "sudo shutthebox restore does"
        )
    if unknown := bundle.unknown(keys):
        found.append(
            f"configuration: version {bundle.version} does not know {', '.join(unknown)}; "
            "it plays with its default configuration until you remove them"
        )
    return tuple(found)


def known_keys() -> frozenset[str]:
    """The configuration's keys that this version knows, with their sections."""
    return frozenset(f"{section}.{key}" for section, keys in SECTIONS.items() for key in keys)


def keys_in_use() -> frozenset[str]:
    """The configuration's keys that this box has values for, with their sections."""
    try:
        document = tomllib.loads(CONFIG_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    sections = {name: keys for name, keys in document.items() if isinstance(keys, dict)}
    return frozenset(f"{name}.{key}" for name, keys in sections.items() for key in keys)


def is_earlier(version: str, than: str = __version__) -> bool:
    """Whether a version came before another: 0.9 before 0.10, and 1.0rc1 before 1.0.

    >>> is_earlier("0.9", "0.10"), is_earlier("1.0rc1", "1.0"), is_earlier("1.0", "1.0.0")
    (True, True, False)
    """
    return _rank(version) < _rank(than)


def _rank(version: str) -> tuple[list[int], bool, list[int]]:
    numbers = version[: len(version) - len(version.lstrip("0123456789."))]
    rest = version.removeprefix(numbers)
    release = _numbers(numbers)
    while release and not release[-1]:
        release.pop()
    is_final = not re.match(r"[-_~]?(a|b|c|rc|alpha|beta|pre|dev)", rest, re.IGNORECASE)
    return release, is_final, _numbers(rest)


def _numbers(text: str) -> list[int]:
    return [int(digits[:9]) for digits in re.findall(r"[0-9]+", text)]


def keep_memory() -> None:
    """Backs up the memory, if the box has one yet."""
    try:
        with open_reading(SERVICE_FOLDER) as store:
            BACKUP.unlink(missing_ok=True)
            back_up(store.db, BACKUP)
    except (ShutTheBoxError, OSError) as error:
        print(f"No backup of the memory was made: {error}")


def _run_rauc_info(path: Path) -> str:
    command = [*_BOUNDS, "rauc", "info", "--output-format=json-2", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=INSPECTION_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise UpdateError(f"{path}: the check took over {INSPECTION_S:.0f} s") from None
    if done.returncode:
        raise UpdateError(f"{path}: {_last_line(done.stdout + done.stderr)}")
    return done.stdout


def install(path: Path, progress: Callable[[int], object] = lambda percent: None) -> None:
    """Has RAUC write an update to the other system partition; the next restart boots it.

    Args:
        path: of the update.
        progress: called with the percentage done. If it raises, RAUC's client is stopped, though its service
            may go on, and this raises the same, unless RAUC has finished.

    Raises:
        UpdateError: with RAUC's last error message.
    """
    said = list[str]()
    command = ["rauc", "install", str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as rauc:
        assert rauc.stdout is not None
        try:
            for line in rauc.stdout:
                said = [*said[-20:], line]
                if found := re.match(r"\s*(\d{1,3})%", line):
                    progress(min(100, int(found[1])))
        except BaseException:
            rauc.terminate()
            if rauc.wait():
                raise
    if rauc.returncode:
        raise UpdateError(f"{path}: {_last_line(''.join(said))}")


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].removeprefix("LastError: ") if lines else "RAUC failed without a message"
