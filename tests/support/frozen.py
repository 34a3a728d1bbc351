"""Makes the frozen set: files as one version writes them, which every later version has to read.

    python -m tests.support.frozen [FOLDER]

The folder is `tests/frozen/VERSION` unless one is given, and is replaced. `tests/frozen/README.md` says
what's in it.
"""

import hashlib
import shutil
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.box.league.box import PlayedBox
from tests.support.card_files import CERTIFICATE, KEY, TOURNAMENT
from tests.support.league import found_league, played_record, reviewed, take
from tests.support.linked import signed_record

import shutthebox
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.records import kept_match
from shutthebox.config.profiles import from_text
from shutthebox.rules.conditions import RULES_VERSION, Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.record import Record, write
from shutthebox_league.ledger import Ledger
from shutthebox_uplink.signing import sign_entry

FROZEN = Path(__file__).parents[1] / "frozen"
SUMS = "SHA256SUMS"
BOX = "lion"
HOUSE = 'name = "friday"\nlike = "pub"\ntitle.en = "Friday\'s game"\nends_turn_on = [7]\n'

CONFIG = """\
[box]
language = "fr"
levers = 10

[game]
profile = "friday"
players = 3
hints = true

[scoreboard]
on = true

[link]
on = true
broker = "mqtts://box.example.org:8883"
"""
NETWORK = 'wifi = "The Anchor"\npassword = "correct horse"\ncountry = "GB"\n'


def version() -> str:
    """The version that files are frozen as: that of the package, without what says that it isn't out yet."""
    return shutthebox.__version__.partition(".dev")[0]


def make(folder: Path) -> None:
    """Writes the set into this folder, which must be empty or missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as work:
        box = PlayedBox(Path(work, "box"), seed=1)
        box.play()
        box.play()
        box.close()
        freeze_store(box.state, folder / "store")
        shutil.copytree(box.outbox_folder, folder / "outbox")
        records = folder / "records"
        records.mkdir()
        with closing(open_to_read(box.state / STORE_FILE)) as db:
            (records / "box.txt").write_text(write(kept_match(db, 1, STORE_FILE)), encoding="utf-8")
        write_records(records)
        write_league(Path(work, "league"), folder)
    write_card(folder / "card")
    lines = [f"{digest}  {name}\n" for name, digest in digests(folder).items()]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def freeze_store(state: Path, to: Path) -> None:
    """Copies a store that has been closed: its file, and its marks."""
    to.mkdir()
    for path in sorted(state.iterdir()):
        if path.is_file() and path.stat().st_size:
            shutil.copy(path, to)


def write_records(folder: Path) -> None:
    """A record of each kind that a box doesn't write every day."""
    version_line = f"{version()} rules {RULES_VERSION}"
    real = replace(
        played_record(2, players=3),
        conditions=Conditions(real_dice=True, computers=(2,), out_of_play=(), versions=(version_line,)),
    )
    house = from_text(HOUSE, Path("friday.toml"))
    given_up = Record(
        house, 2, begin(house, 2).rounds, (), Conditions(versions=(version_line,)), given_up=True
    )
    kinds = {"real-dice": real, "given-up": given_up, "linked": signed_record(seed=3)}
    for name, record in kinds.items():
        (folder / f"{name}.txt").write_text(write(record), encoding="utf-8")


def write_league(place_folder: Path, folder: Path) -> None:
    """The database of a league that has counted the outbox."""
    place_folder.mkdir()
    place = found_league(place_folder)
    enrolment = place.enrol(BOX)
    sign = partial(sign_entry, oldest=1, name=enrolment.name, key=enrolment.key)
    ledger = Ledger(place.engine, UTC)
    for path in sorted((folder / "outbox").iterdir()):
        take(ledger, enrolment.name, sign(path.read_bytes()))
    reviewed(place.engine)
    place.engine.dispose()
    shutil.copy(place_folder / "league.sqlite3", folder / "league.sqlite3")


def write_card(folder: Path) -> None:
    """The owner's files on a card."""
    (folder / "rules").mkdir(parents=True)
    files = {
        "shutthebox.toml": CONFIG,
        "network.toml": NETWORK,
        "ssh-key.txt": f"{KEY}\n",
        "tournament.txt": TOURNAMENT,
        "broker.pem": CERTIFICATE,
        "rules/friday.toml": HOUSE,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file, by its path in the folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    }


def main(to: Path) -> None:
    """Replaces the folder."""
    with TemporaryDirectory() as work:
        made = Path(work, "made")
        make(made)
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(made, to)
    print(to)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FROZEN / version())
