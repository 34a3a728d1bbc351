"""Enrols boxes and revokes their keys."""

import json
import re
import secrets
import time
import unicodedata
from dataclasses import dataclass
from itertools import chain, count, product
from string import ascii_uppercase

from sqlalchemy import Connection, Engine, insert, select, update

from shutthebox.errors import quoted
from shutthebox_league.authority import ENROLLED, REVOKED, Authority, new_key, public_pem, token_hash
from shutthebox_league.database import empty_log, in_transaction
from shutthebox_league.errors import LeagueError
from shutthebox_league.initials import digest_of
from shutthebox_league.names import read_name, read_new_name
from shutthebox_league.players import forget
from shutthebox_league.schema import BOX, FORGOTTEN, KEY, PUB
from shutthebox_league.voiding import void_again

_BOX_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Enrolment:
    """The result of an enrolment.

    Attributes:
        key_name: the box's name and the number of the key.
        text: the file that the box needs; contains its private key.
        owner_token: the key of the pub's owner's page; None if the pub was known.
        former_pub: the name of the pub it moves away from; None if it stays, or is new.
    """

    key_name: str
    text: str
    owner_token: str | None
    former_pub: str | None


def enrol(engine: Engine, authority: Authority, box: str, pub: str) -> Enrolment:
    """Enrols a box with a new key. Its earlier keys stay valid until they're revoked.

    Args:
        engine: the league's database.
        authority: the league's keys.
        box: name of the box.
        pub: name of the pub it stands in; a new pub is made.

    Raises:
        LeagueError: for a name that is not allowed.
    """
    if not _BOX_NAME.fullmatch(box):
        raise LeagueError(f"{quoted(box)} is not allowed; use up to 40 of a-z, 0-9 and - for a box")
    pub = read_name(pub, "--pub")
    with authority.lock_registers(), engine.begin() as db:
        pub_id, token = _find_or_make_pub(db, pub)
        box_id, former_pub = _make_or_move_box(db, box, pub_id)
        taken = {*db.execute(select(KEY.c.name)).scalars(), *authority.noted(ENROLLED)}
        name = next(name for name in (f"{box}.{number}" for number in count(1)) if name not in taken)
        authority.note(ENROLLED, name)
        public_key, private_key = new_key()
        row = {"name": name, "box_id": box_id, "public_key": public_key, "enrolled_s": int(time.time())}
        db.execute(insert(KEY), row)
    reconcile(engine, authority)
    settings = authority.settings
    values = {
        "url": settings.url, "name": name, "key": private_key,
        "league_key": public_pem(authority.receipts_key.public_key()),
        **({"ca": settings.ca} if settings.ca else {}),
    }  # fmt: skip
    text = _toml(f"The box {box} of {pub} in a league. Secret: it holds the box's key.", values)
    return Enrolment(name, text, token, former_pub)


def revoke(engine: Engine, authority: Authority, name: str) -> None:
    """Revokes a key: messages under it are held from now on.

    Raises:
        LeagueError: if no such key is enrolled.
    """
    with engine.connect().execution_options(reads=True) as db:
        good = select(KEY.c.name).where(KEY.c.name == name, KEY.c.revoked_s.is_(None))
        is_good = db.execute(good).first() is not None
    if not is_good:
        raise LeagueError(f"{quoted(name)} is not a valid key; use one that `list keys` shows")
    authority.note(REVOKED, name)
    reconcile(engine, authority)


def reconcile(engine: Engine, authority: Authority) -> list[str]:
    """Reconciles database and register, for example after an old backup was restored.

    Returns:
        A line for each key or voiding that differed from the register.
    """
    said = []
    with authority.lock_registers():
        with engine.begin() as db:
            rows = {row.name: row.revoked_s for row in db.execute(select(KEY.c.name, KEY.c.revoked_s))}
            enrolled, revoked = set(authority.noted(ENROLLED)), set(authority.noted(REVOKED))
            for name, revoked_s in rows.items():
                # A league of the first version has no register.
                if name not in enrolled:
                    authority.note(ENROLLED, name)
                if revoked_s is not None and name not in revoked:
                    authority.note(REVOKED, name)
            for name in sorted(revoked):
                if name in rows and rows[name] is None:
                    db.execute(update(KEY).where(KEY.c.name == name).values(revoked_s=int(time.time())))
                    said.append(f"{name} is revoked again")
            said += [
                f"{name} is not in the database; `shutthebox-league enrol` gives the box a new key"
                for name in sorted(enrolled - revoked - set(rows))
            ]
        said += _forget_again(engine, authority)
        said += void_again(engine, authority)
    return said


def _forget_again(engine: Engine, authority: Authority) -> list[str]:
    """Forgets players that only the register has forgotten: the database is an earlier backup."""
    register = authority.forgotten()
    with engine.connect().execution_options(reads=True) as db:
        done = {(row.hash, row.pub_id): row.before_s for row in db.execute(select(FORGOTTEN))}
    due = {key: time_s for key, time_s in register.items() if done.get(key, 0) < time_s}
    if not due:
        return []
    letters = {digest_of(initials): initials for initials in map("".join, product(ascii_uppercase, repeat=3))}

    def forget_all(db: Connection) -> int:
        return sum(
            forget(db, letters[digest], pub_id or None, time_s)
            for (digest, pub_id), time_s in due.items()
            if digest in letters
        )

    count = in_transaction(engine, forget_all)
    empty_log(engine)
    return [f"{len(due)} players are forgotten again, in {count} seats of matches"]


def new_owner_token(engine: Engine, pub: str) -> str:
    """Creates a new key to a pub's owner's page; the old one stops working.

    Raises:
        LeagueError: if there is no such pub.
    """
    token = secrets.token_urlsafe(24)
    new = update(PUB).where(PUB.c.name == pub).values(owner_hash=token_hash(token))
    if not in_transaction(engine, lambda db: db.execute(new).rowcount):
        raise LeagueError(f"{quoted(pub)} is not a pub of this league")
    return token


def _find_or_make_pub(db: Connection, name: str) -> tuple[int, str | None]:
    like = _comparable_name(name)
    pubs = db.execute(select(PUB.c.id, PUB.c.name, PUB.c.slug)).all()
    for found in pubs:
        if found.name == name:
            return int(found.id), None
        if _comparable_name(found.name) == like:
            raise LeagueError(f"--pub: {quoted(name)} is too like {quoted(found.name)}; use another name")
    read_new_name(name, "--pub")
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-") or "pub"
    taken = {found.slug for found in pubs}
    slug = next(slug for slug in chain([base], (f"{base}-{n}" for n in count(2))) if slug not in taken)
    token = secrets.token_urlsafe(24)
    row = {"name": name, "slug": slug, "owner_hash": token_hash(token)}
    return int(db.execute(insert(PUB).returning(PUB.c.id), row).scalar_one()), token


def _comparable_name(name: str) -> str:
    """The letters and figures of a name, in any script, by which people tell pubs apart."""
    return "".join(each for each in unicodedata.normalize("NFKC", name).casefold() if each.isalnum()) or name


def _make_or_move_box(db: Connection, name: str, pub_id: int) -> tuple[int, str | None]:
    """The box of this name, made or moved, and the name of the pub it has left; None if it has left none."""
    wanted = select(BOX.c.id, BOX.c.pub_id, PUB.c.name).join(PUB, PUB.c.id == BOX.c.pub_id)
    found = db.execute(wanted.where(BOX.c.name == name)).first()
    if found is None:
        row = {"name": name, "pub_id": pub_id}
        return int(db.execute(insert(BOX).returning(BOX.c.id), row).scalar_one()), None
    if found.pub_id == pub_id:
        return int(found.id), None
    # Matches keep the pub in which they were played.
    db.execute(update(BOX).where(BOX.c.id == found.id).values(pub_id=pub_id))
    return int(found.id), str(found.name)


def _toml(comment: str, values: dict[str, str]) -> str:
    # JSON's strings are TOML's too.
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
    return "\n".join((f"# {comment}", "[league]", *lines)) + "\n"
