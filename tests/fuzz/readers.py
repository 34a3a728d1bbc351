"""One table of all readers of foreign files, for the tests and for the long runs.

A reader takes any bytes. It may complain with one line, as a `ShutTheBoxError`; anything else that
leaves it is a fault, and so is taking long or taking much memory.
"""

import contextlib
import io
import json
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeAlias

from tests.support import generate
from tests.support.linked import linked_record

from shutthebox.adapters.store import schema
from shutthebox.adapters.store.chain import Checkpoint, Head
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.open_store import open_or_set_aside
from shutthebox.cli.main import main
from shutthebox.config import profiles
from shutthebox.config.card import NAMES, read_card
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import Config, default_text, read_config, with_value
from shutthebox.config.settings_loader import settings_for, try_config
from shutthebox.errors import ShutTheBoxError
from shutthebox.game.facts import Began, Chosen, Faulted, Finished, Signed
from shutthebox.rules import record
from shutthebox.rules.actions import Moved, Thrown, apply
from shutthebox.rules.linked_dice import why_unproven
from shutthebox.rules.match import begin
from shutthebox.rules.position import Reason, Result
from shutthebox.rules.profile import Profile
from shutthebox.rules.words import explain
from shutthebox.simulator.page import message
from shutthebox.simulator.scenario import from_record, script
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.speech import speech_file
from shutthebox.translations import translations

LONGEST_S = 5.0
"""Of processor time for one input; the slowest of all took a tenth of it."""

SCENARIOS = Path(__file__).parents[1] / "box/scenarios"
_FOLDER = TemporaryDirectory(prefix="shutthebox-fuzz-")


@dataclass(frozen=True)
class Reader:
    """One way in.

    Attributes:
        read: to be fed with anything; raises nothing but what is a fault.
        samples: good inputs to start from.
        most_bytes: inputs beyond this are refused before they are read, or can't come in.
        most_memory: bytes that Python may allocate for one input.
    """

    read: Callable[[bytes], None]
    samples: Callable[[], Sequence[bytes]]
    most_bytes: int
    most_memory: int


class TwoLinesError(AssertionError):
    """A complaint that is not one line."""


def _file(content: bytes, name: str) -> Path:
    path = Path(_FOLDER.name) / name
    path.write_bytes(content)
    return path


@contextlib.contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except ShutTheBoxError as error:
        if not str(error) or "\n" in str(error) or len(str(error)) > 4000:
            raise TwoLinesError(repr(str(error))) from error


def read_profile(content: bytes) -> None:
    """A house-rules file, and a few throws by its rules if there is nothing wrong with it."""
    with _complaining():
        profile = profiles.read(_file(content, "house.toml"))
        explain(profile)
        explain(profile, translations()["fr"])
        for players in (1, 3):
            for _ in generate.play(profile, players, seed=len(content), most=12):
                pass


def read_house_rules(content: bytes) -> None:
    """The box's folder of house rules: bad files are left out, and the box starts."""
    folder = Path(_FOLDER.name) / "rules"
    folder.mkdir(exist_ok=True)
    (folder / "ours.toml").write_bytes(content)
    good, bad = profiles.house_rules(folder)
    assert len(good) + len(bad) == 1
    used = with_value(Config(), "rules.folder", str(folder), "fuzz")
    assert settings_for(used, 12, "fuzz").profiles


def read_configuration(content: bytes) -> None:
    """The owner's file, and the settings that come of it."""
    with _complaining():
        found = read_config(_file(content, "config.toml"))
        settings_for(found, found.box.levers or 9, "fuzz")


def read_owners_files(content: bytes) -> None:
    """The files of a card or a stick, all with this content: every mistake is a line."""
    folder = Path(_FOLDER.name) / "stick"
    folder.mkdir(exist_ok=True)
    for name in NAMES:
        (folder / name).write_bytes(content)
    for mistake in read_card(folder, try_config).mistakes:
        if not mistake or "\n" in mistake or len(mistake) > 4000:
            raise TwoLinesError(repr(mistake))


def _owners_samples() -> list[bytes]:
    lines = [
        "[league]\nname = 'lion.1'\nurl = 'https://league.example:443'\n",
        "[home_assistant]\nhost = 'ha.lan'\n",
        "ssh-ed25519 AAAA\n",
    ]
    return [default_text().encode(), b"wifi = 'Pub'\ncountry = 'BE'\n", *map(str.encode, lines)]


def read_scenario(content: bytes) -> None:
    """A script; nothing is played."""
    with _complaining():
        script.read(_file(content, "script.scn"))


def read_record(content: bytes) -> None:
    """A match as text; a good one is written again, and made into a scenario."""
    with _complaining():
        found = record.parse(content.decode("utf-8", "replace"), "fuzz", builtin)
        again = record.parse(record.write(found), "again", builtin)
        assert again.actions == found.actions
        if found.conditions and found.conditions.linked:
            why_unproven(found, found.conditions.linked)
        from_record.scenario_text(found, Path("house.toml"))


def read_said(content: bytes) -> None:
    """The file that the voice reads, which another user has written."""
    folder = Path(_FOLDER.name) / "said"
    folder.mkdir(exist_ok=True)
    (folder / speech_file.FILE_NAME).unlink(missing_ok=True)
    reader = speech_file.SpeechFileReader(folder)
    (folder / speech_file.FILE_NAME).write_bytes(content)
    for announcement in reader.new():
        assert len(announcement.text) <= speech_file.MAX_TEXT
        assert announcement.language in translations()


def _said_samples() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        box = VirtualBox(Config(), observers=[speech_file.SpeechFileWriter(Path(folder))])
        box.press(100_000_000)
        box.run_until(1_000_000_000)
        box.close()
        return [(Path(folder) / speech_file.FILE_NAME).read_bytes()]


def read_message(content: bytes) -> None:
    """A message of a page."""
    try:
        told = content.decode("utf-8")
    except UnicodeDecodeError:
        return  # the library hangs up
    request = message.parse(told)
    if isinstance(request, str):
        assert request
        assert "\n" not in request
        assert len(request) < 120, "a reason for hanging up has at most 123 bytes"
    else:
        assert isinstance(request, message.PageRequest)


# -- the store ---------------------------------------------------------------------------------

COLUMNS = [(table, column) for table, columns in schema.COLUMNS.items() for column in columns]
Value: TypeAlias = int | float | str | bytes | None
Change: TypeAlias = tuple[int, Value]
"""Which of `COLUMNS` gets which value, in all rows."""


@cache
def kept() -> bytes:
    """The file of a store with something in every table."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with closing(Store(folder, lambda: 1_700_000_000.0)) as store:
            match = begin(builtin("pub"), 2)
            store.keep(Began(match))
            for action in (Thrown((3, 5)), Moved(0b10000000), Thrown((1, 2))):
                store.keep(action)
                match = apply(match, action)
            store.keep(Faulted("lever", "lever 3 chatters"))
            store.keep(Faulted("display", "\x1b[31mred\x9b31m\r\nand \u202ea line more"))
            store.keep(Chosen("game.players", 3))
            store.keep_health({1: 3}, {3: 4})
            half = Fraction(1, 2)
            result = Result((0,), captain=True, owes=(-half, half), reason=Reason.SHUT)
            store.keep(Finished(match._replace(scores=(3, None), result=result)))
            store.keep(Signed(0, "ABC"))
            Checkpoint(sums="{}").write(store.connection)
            store.connection.execute("pragma wal_checkpoint(truncate)")
        return (folder / STORE_FILE).read_bytes()


def _say(command: list[str]) -> None:
    """The command ends well, or with one line of complaint; nothing that it says can drive a terminal."""
    said, complaint = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
        code = main(command)
    assert code in (0, 1, 2), command
    complaints = 0 if command[0] == "doctor" else int(code > 0)
    if len(complaint.getvalue().splitlines()) != complaints:
        raise TwoLinesError(complaint.getvalue())
    for text in (said.getvalue(), complaint.getvalue()):
        assert text.replace("\n", "").isprintable(), (command, text)
    if "--json" in command or command[0] == "export":
        lines = said.getvalue().splitlines()
        assert "--record" in command or all(json.loads(line) is not None for line in lines)


def _forge(db: sqlite3.Connection) -> None:
    """Makes all checksums right, as somebody can who means harm."""
    previous = 0
    for number, text in db.execute("select number, text from fact order by number").fetchall():
        with suppress(sqlite3.Error, AttributeError, UnicodeError):
            head = Head(number - 1, previous).after(text)
            row = previous, head.checksum, number
            db.execute("update fact set previous = ?, checksum = ? where number = ?", row)
            previous = head.checksum
    with suppress(sqlite3.Error, AttributeError, UnicodeError, TypeError):
        Checkpoint(*db.execute("select number, head, facts, sums from checkpoint").fetchone()).write(db)


def _used(content: bytes, changes: Sequence[Change] = ()) -> None:
    """The store opens, or a new one does, and a match can be kept; the commands say something."""
    with TemporaryDirectory(dir=_FOLDER.name) as name:
        folder = Path(name)
        (folder / STORE_FILE).write_bytes(content)
        if changes:
            with closing(sqlite3.connect(folder / STORE_FILE, isolation_level=None)) as db:
                for number, value in changes:
                    table, column = COLUMNS[number % len(COLUMNS)]
                    with suppress(sqlite3.Error, OverflowError):  # what the table itself does not take
                        db.execute(f'update {table} set "{column}" = ?', (value,))
                _forge(db)
        for command in (["stats"], ["export"], ["export", "--record"]):
            _say([*command, "--state", name])
        _say(["restore", str(folder / STORE_FILE), "--state", str(folder / "other")])
        if not changes:
            _say(["stats", "--json", "--state", name])
            _say(["backup", str(folder / "copy"), "--state", name])
            config_file = folder / "config.toml"
            config_file.write_text(f'[store]\nfolder = "{name}"\n[display]\nbus = 32\n')
            _say(["doctor", "--config", str(config_file)])
            _say(["doctor", "--json", "--config", str(config_file)])
        store, _ = open_or_set_aside(folder, lambda: 0.0)
        assert store is not None
        with closing(store):
            with suppress(StoreError):  # the box leaves such a match
                store.running_match()
            store.tally()
            store.choices()
            store.keep(Began(begin(builtin("pub"), 2)))
            store.keep(Thrown((3, 5)))


def read_store(content: bytes) -> None:
    """The file of the store, with any content."""
    _used(content)


def encode(changes: Sequence[Change]) -> bytes:
    """Changes of rows as bytes, which `decode` reads back."""
    parts = []
    for column, value in changes:
        match value:
            case None:
                kind, body = b"n", b""
            case int():
                kind, body = b"i", struct.pack("<q", value)
            case float():
                kind, body = b"f", struct.pack("<d", value)
            case str():
                kind, body = b"s", value.encode("utf-8", "surrogatepass")
            case _:
                kind, body = b"b", value
        parts.append(bytes([column % 256]) + kind + struct.pack("<H", len(body)) + body)
    return b"".join(parts)


def decode(content: bytes) -> list[Change]:
    """Changes of rows out of any bytes."""
    changes: list[Change] = []
    while len(content) >= 4 and len(changes) < 8:
        column, kind, length = content[0], content[1:2], int.from_bytes(content[2:4], "little")
        body, content = content[4 : 4 + length], content[4 + length :]
        value: Value = body
        match kind:
            case b"n":
                value = None
            case b"i":
                (value,) = struct.unpack("<q", body[:8].ljust(8, b"\0"))
            case b"f":
                (value,) = struct.unpack("<d", body[:8].ljust(8, b"\0"))
            case b"s":
                value = body.decode("utf-8", "replace")
        changes.append((column, value))
    return changes


def read_rows(content: bytes) -> None:
    """A store that SQLite finds nothing wrong with, and whose rows say what nobody has written."""
    _used(kept(), decode(content))


# -- the table ---------------------------------------------------------------------------------


def _profile_samples() -> list[bytes]:
    folder = Path(profiles.__file__).parents[1] / "rules" / "profiles"
    seats = b'like = "golf"\nname = "seats"\nteams = 2\nhandicap = [0, 5, [1, 2]]\nturn_seconds = 20\n'
    return [*(path.read_bytes() for path in sorted(folder.glob("*.toml"))), seats]


def _record_samples() -> list[bytes]:
    def played(profile: Profile, players: int) -> bytes:
        return record.write(generate.random_record(profile, players, seed=3, most=120)).encode()

    games = (
        *("pub", "jouhet", "digits", "trac", "lucky-seven", "open-one", "domino-bag", "2012"),
        *("double-shutter", "knipsen", "high-rollers", "bank", "ladder"),
    )
    seats = replace(builtin("golf"), teams=2, handicap=(0, 5, (1, 2)), turn_seconds=20)
    return [
        *(played(builtin(name), 2) for name in games),
        played(seats, 4),
        record.write(linked_record(3)).encode(),
        b"shut-the-box record 1\nprofile pub\nplayers 2\n",
    ]


def _message_samples() -> list[bytes]:
    return [json.dumps(request).encode() for request in ({"lever": 3, "down": True}, {"button": False})]


def _row_samples() -> list[bytes]:
    samples: list[Value] = [None, -1, 0, 2**62, 0.5, "1/2", "throw 3+5", '"pub"', b"\xff"]
    return [encode([(column, value)]) for column in range(len(COLUMNS)) for value in samples]


MIB = 1 << 20
READERS = {
    "profile": Reader(read_profile, _profile_samples, 64 << 10, 96 * MIB),
    "house-rules": Reader(read_house_rules, _profile_samples, 64 << 10, 96 * MIB),
    "config": Reader(read_configuration, lambda: [default_text().encode()], 64 << 10, 96 * MIB),
    "owners-files": Reader(read_owners_files, _owners_samples, 64 << 10, 96 * MIB),
    "scenario": Reader(
        read_scenario, lambda: [path.read_bytes() for path in sorted(SCENARIOS.glob("*.scn"))], MIB, 96 * MIB
    ),
    "record": Reader(read_record, _record_samples, MIB, 64 * MIB),
    "said": Reader(read_said, _said_samples, speech_file.MAX_BYTES, 8 * MIB),
    "message": Reader(read_message, _message_samples, 4 << 10, MIB),
    "store": Reader(read_store, lambda: [kept()], 64 << 10, 96 * MIB),
    "rows": Reader(read_rows, _row_samples, 64 << 10, 96 * MIB),
}


PIECES = (b"[" * 3000, b"9" * 5000, b"1e999", b"nan", b"-1", b"0", b"'", b"\n", b"\0", b"=", b"\xff")
"""Pieces that are hard for readers in the middle of an input."""


def spoilt(samples: Sequence[bytes], random: Random) -> bytes:
    """A good input with a few places made bad, or any bytes."""
    if random.random() < 0.2:
        return random.randbytes(random.randint(0, 300))
    text = bytearray(random.choice(samples))
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(text))
        piece = random.choice([random.choice(PIECES), random.randbytes(random.randint(0, 6))])
        text[at : at + random.randint(0, 12)] = piece
    return bytes(text)
