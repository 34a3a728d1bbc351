"""Voids matches: takes them out of standings, events and ratings, and puts them back.

Every voiding is logged with the matches it covers. A match counts while no voiding covers it, so undoing one
leaves out what another still covers. The register of the league's folder has every voiding, too, by the
boxes and hashes of the entries, so they hold, or stay undone, when an earlier backup is restored.
"""

import secrets
import time
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from shutthebox.outbox_entry import PlayerSigned, entry_from_bytes
from shutthebox_league import events, tournaments
from shutthebox_league.authority import Authority, NotedVoiding
from shutthebox_league.checking import night_of
from shutthebox_league.counting import put_back, take_out
from shutthebox_league.database import (
    hold_workers,
    in_transaction,
    insert_all,
    lock_books,
    one_of,
    select_any,
)
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import check_landlord, events_changed
from shutthebox_league.ratings import mark_changed, set_due
from shutthebox_league.schema import (
    BOX,
    BROUGHT_BY,
    CHAIN,
    ENTRANT,
    ENTRY,
    EVENT_GAME,
    KEY,
    MATCH,
    PUB,
    SEAT,
    VOID_ON_ARRIVAL,
    VOIDED,
    VOIDING,
)
from shutthebox_uplink.signing import COMMITTED

LANDLORD_S = 14 * 24 * 3600
"""A landlord can void matches that came within this time, and undo voidings of this time. Older ones would
change too many ratings."""

A_DAY = 20
"""The most voidings that a landlord may make or undo in a day."""

CAME_AGAIN = "came again under another key"
"""Why a void match isn't ranked that counts where it came again."""

_SIGNATURES = 1000
"""Signatures that are read at a time."""

_NAMED = select(
    MATCH.c.id, MATCH.c.box_id, MATCH.c.journal, MATCH.c.number, MATCH.c.began_s,
    SEAT.c.seat, SEAT.c.initials, SEAT.c.named_s,
).join(SEAT, SEAT.c.match_id == MATCH.c.id)  # fmt: skip

_A_LINE = 1000
"""Hashes in a line of the register: each line is read whole."""

AT_ONCE = 100
"""The most matches in one voiding by a landlord, because nothing else is counted meanwhile."""


def of_match(match_id: int) -> str:
    """The log's text for voiding a match."""
    return f"match {match_id}"


def of_key(name: str) -> str:
    """The log's text for voiding a key's matches; a time may follow."""
    return f"key {name}"


def _from(what: str, since: date | str) -> str:
    return f"{what} from {since}"


def of_entrant(db: Connection, event_id: int, initials: str) -> str:
    """The log's text for voiding an entrant's matches, without the initials, which may be forgotten.

    Raises:
        LeagueError: if the event has no such entrant.
    """
    own = (ENTRANT.c.event_id == event_id) & (ENTRANT.c.initials == initials)
    position = db.execute(select(ENTRANT.c.position).where(own)).scalar()
    if position is None:
        raise LeagueError(f"event {event_id} has no entrant {initials}; `list events` shows the events")
    return f"entrant {position} of event {event_id}"


def void_match(db: Connection, match_id: int, now_s: int, tonight: date) -> tuple[int, int]:
    """Voids one match; returns the number of the voiding and how many matches it covers.

    Raises:
        LeagueError: if there is no such match.
    """
    return _void(db, MATCH.c.id == match_id, of_match(match_id), None, now_s, tonight)


def void_key(
    db: Connection, name: str, from_s: int | None, now_s: int, tonight: date, since: date | None = None
) -> tuple[int, int]:
    """Voids the matches of a key: all of them, or those received since a time, whatever time they claim.

    These are the matches that it brought, and others of its box to whose seats it put names.

    Args:
        db: the league's database, in a transaction.
        name: of the key.
        from_s: the time, in seconds since 1970.
        now_s: the time of day.
        tonight: the league's night.
        since: the date of `from_s`, for the log.

    Raises:
        LeagueError: if there are none.
    """
    if db.execute(select(KEY.c.name).where(KEY.c.name == name)).first() is None:
        raise LeagueError(f"{name}: no such key; use one that `list keys` shows")
    chains = select(CHAIN.c.id).where(CHAIN.c.key_name == name)
    which = MATCH.c.chain_id.in_(chains)
    if from_s is not None:
        which &= _received_s() >= from_s
    what = of_key(name) if since is None else _from(of_key(name), since)
    also = _named_by(db, name, from_s or 0).difference(db.execute(select(MATCH.c.id).where(which)).scalars())
    return _void(db, which, what, None, now_s, tonight, also)


def _named_by(db: Connection, name: str, from_s: int) -> set[int]:
    """The matches with a seat whose name a key has put there since a time, and nobody confirmed."""
    signed = (
        select(ENTRY.c.received_s, ENTRY.c.message, KEY.c.box_id)
        .join(CHAIN, CHAIN.c.id == ENTRY.c.chain_id)
        .join(KEY, KEY.c.name == CHAIN.c.key_name)
        .where(KEY.c.name == name, ENTRY.c.received_s >= from_s)
        .where(ENTRY.c.initials.is_not(None), ENTRY.c.status == COMMITTED)
    )
    found = set[int]()
    for some in db.execute(signed.execution_options(yield_per=_SIGNATURES)).partitions():
        named = set[tuple[object, ...]]()
        for row in some:
            entry = entry_from_bytes(urlsafe_b64decode(row.message.split(b".")[1] + b"=="))
            assert isinstance(entry.content, PlayerSigned), "only these have initials"
            one = entry.content
            where = (row.box_id, entry.box, one.number, one.began_s)
            named.add((*where, one.player, one.initials, row.received_s))
        columns = (MATCH.c.box_id, MATCH.c.journal, MATCH.c.number, MATCH.c.began_s)
        seats = select_any(db, _NAMED, columns, {each[:4] for each in named})
        found |= {row.id for row in seats if row[1:] in named}
    return found


def void_entrant(db: Connection, event_id: int, initials: str, now_s: int, tonight: date) -> tuple[int, int]:
    """Voids an entrant's matches that count for an event.

    Raises:
        LeagueError: if there is no such event, or there are none.
    """
    what = of_entrant(db, event_id, initials)
    games = select(EVENT_GAME.c.match_id).where(
        EVENT_GAME.c.position.is_not(None), events.of_entrant(EVENT_GAME.c.event_id == event_id, initials)
    )
    return _void(db, MATCH.c.id.in_(games), what, None, now_s, tonight)


def void_at_pub(
    db: Connection, pub_id: int, matches: Sequence[int], now_s: int, tonight: date
) -> tuple[int, int]:
    """Voids matches for the landlord of the pub they were played in.

    Raises:
        LeagueError: if the landlord has voided them already or too many others, or they're too old or from
            another pub, or others rely on them.
    """
    lock_books(db)
    _check_landlord(db, pub_id, now_s)
    void = (
        select(VOIDED.c.match_id)
        .join(VOIDING, VOIDING.c.id == VOIDED.c.voiding_id)
        .where(VOIDING.c.pub_id == pub_id, VOIDING.c.undone_s.is_(None), VOIDED.c.match_id.in_(matches))
    )
    matches = sorted({*matches}.difference(db.execute(void).scalars()))
    if not matches:
        raise LeagueError("these matches are void already")
    if len(matches) > AT_ONCE:
        raise LeagueError(f"at most {AT_ONCE} matches are allowed at a time")
    own = MATCH.c.id.in_(matches) & (MATCH.c.pub_id == pub_id) & (_received_s() > now_s - LANDLORD_S)
    # Of all that were asked for: everybody can read what is void.
    matches = db.execute(select(MATCH.c.id).where(own).order_by(MATCH.c.id)).scalars().all()
    if not matches:
        raise LeagueError("none of these is a match of this pub of the last two weeks")
    which = MATCH.c.id.in_(matches)
    check_landlord(db, which, now_s)
    names = ", ".join(map(str, matches))
    what = f"match {names}" if len(names) < 100 else f"{len(matches)} matches"
    return _void(db, which, what, pub_id, now_s, tonight)


def undo(db: Connection, voiding: int, pub_id: int | None, now_s: int) -> int:
    """Undoes a voiding; returns how many matches it covered.

    Args:
        db: the league's database, in a transaction.
        voiding: its number.
        pub_id: of the landlord who asks, for own ones; None for the operator, for all.
        now_s: the time of day.

    Raises:
        LeagueError: if there is no such voiding, or it's already undone. For a landlord also if it's too
            old, or others rely on its matches.
    """
    lock_books(db)
    where = (VOIDING.c.id == voiding) & VOIDING.c.undone_s.is_(None)
    if pub_id is not None:
        _check_landlord(db, pub_id, now_s)
        where &= (VOIDING.c.pub_id == pub_id) & (VOIDING.c.made_s > now_s - LANDLORD_S)
    if not db.execute(update(VOIDING).where(where).values(undone_s=now_s, noted=False)).rowcount:
        allowed = "those that `list voidings` shows"
        if pub_id is not None:
            allowed = "those of this pub of the last two weeks; the operator can undo older ones"
        raise LeagueError(f"{voiding}: not a current voiding; use {allowed}")
    covered = MATCH.c.id.in_(select(VOIDED.c.match_id).where(VOIDED.c.voiding_id == voiding))
    if pub_id is not None:
        check_landlord(db, covered, now_s)
    # First: a worker that has found these rows commits its match before the next statement.
    db.execute(delete(VOID_ON_ARRIVAL).where(VOID_ON_ARRIVAL.c.voiding_id == voiding))
    count = db.execute(update(MATCH).where(covered).values(voided=MATCH.c.voided - 1)).rowcount
    back = covered & (MATCH.c.voided == 0)
    put_back(db, back)
    tournaments.enter(db, back)
    if pub_id is not None:
        # An event only takes matches from before its end, so nobody can hold one back until it's useful.
        again = SEAT.c.match_id.in_(select(MATCH.c.id).where(back)) & SEAT.c.initials.is_not(None)
        db.execute(update(SEAT).where(again).values(named_s=now_s))
    set_due(db, back & MATCH.c.rated.is_(None) & (MATCH.c.unranked == "") & (MATCH.c.unrated == ""), now_s)
    mark_changed(db, back)
    events_changed(db, back)
    return count


def undo_all(db: Connection, what: str, now_s: int) -> int:
    """Undoes the operator's current voidings of this; returns how many matches they covered.

    Raises:
        LeagueError: if none holds.
    """
    own = _is_by_operator(what) & VOIDING.c.undone_s.is_(None)
    held = db.execute(select(VOIDING.c.id).where(own)).scalars().all()
    if not held:
        raise LeagueError(f"{what}: not voided; use one that `list voidings` shows")
    return sum(undo(db, voiding, None, now_s) for voiding in held)


def voidings(db: Connection, *, pub_id: int | None = None, most: int = 100) -> Sequence[Any]:
    """Lists the latest voidings, or a pub's, each with `pub` and the number of `matches` it covers."""
    covers = select(func.count()).where(VOIDED.c.voiding_id == VOIDING.c.id).scalar_subquery()
    shown = [column for column in VOIDING.c if column not in (VOIDING.c.uid, VOIDING.c.noted)]
    query = select(*shown, PUB.c.name.label("pub"), covers.label("matches")).join(
        PUB, PUB.c.id == VOIDING.c.pub_id, isouter=True
    )
    if pub_id is not None:
        query = query.where(VOIDING.c.pub_id == pub_id)
    return db.execute(query.order_by(VOIDING.c.id.desc()).limit(most)).all()


def voidings_of(db: Connection, match_id: int) -> Sequence[Any]:
    """The voidings that hold for a match, each with the name of the pub whose landlord made it."""
    return db.execute(
        select(VOIDING, PUB.c.name.label("pub"))
        .join(VOIDED, VOIDED.c.voiding_id == VOIDING.c.id)
        .join(PUB, PUB.c.id == VOIDING.c.pub_id, isouter=True)
        .where(VOIDED.c.match_id == match_id, VOIDING.c.undone_s.is_(None))
        .order_by(VOIDING.c.id)
        .limit(10)
    ).all()


def _void(
    db: Connection,
    which: ColumnElement[bool],
    what: str,
    pub_id: int | None,
    now_s: int,
    tonight: date,
    also: Collection[int] = (),
) -> tuple[int, int]:
    lock_books(db)
    row = {"what": what, "pub_id": pub_id, "made_s": now_s, "uid": secrets.token_hex(16)}
    voiding = int(db.execute(insert(VOIDING).returning(VOIDING.c.id), row).scalar_one())
    found = select(literal(voiding), MATCH.c.id).where(which)
    db.execute(insert(VOIDED).from_select(["voiding_id", "match_id"], found))
    if also:
        insert_all(db, VOIDED, [{"voiding_id": voiding, "match_id": each} for each in sorted(also)])
    count = db.execute(select(func.count()).where(VOIDED.c.voiding_id == voiding)).scalar_one()
    if not count:
        raise LeagueError(f"{what}: no match of {'the league' if pub_id is None else 'this pub'}")
    _take_out(db, voiding, tonight)
    return voiding, count


def _take_out(db: Connection, voiding: int, tonight: date) -> None:
    """Stops counting the matches that a new voiding covers."""
    covered = MATCH.c.id.in_(select(VOIDED.c.match_id).where(VOIDED.c.voiding_id == voiding))
    db.execute(update(MATCH).where(covered).values(voided=MATCH.c.voided + 1))
    out = covered & (MATCH.c.voided == 1)
    take_out(db, out, tonight)
    tournaments.leave(db, out)
    db.execute(update(MATCH).where(out).values(due_s=None))
    mark_changed(db, out)
    events_changed(db, out)


def give_way(db: Connection, matches: Sequence[int], chain_id: int) -> bool:
    """Whether a match counts that comes again in another chain; then these don't, whatever is undone.

    It does if they're void only because the matches of their keys are, and it comes under another key: a
    thief may have sent what still waited in the box.

    Args:
        db: the league's database, in a transaction.
        matches: that are the same.
        chain_id: the chain in which it comes again.
    """
    own = db.execute(select(CHAIN.c.key_name).where(CHAIN.c.id == chain_id)).scalar_one()
    which = MATCH.c.id.in_(matches)
    joined = select(MATCH.c.id, MATCH.c.voided, CHAIN.c.key_name).join(CHAIN, CHAIN.c.id == MATCH.c.chain_id)
    for match in db.execute(joined.where(which)).all():
        if not match.voided or match.key_name == own:
            return False
        held = select(VOIDING.c.id).join(VOIDED, VOIDED.c.voiding_id == VOIDING.c.id)
        others = VOIDING.c.undone_s.is_(None) & ~_is_by_operator(of_key(match.key_name))
        if db.execute(held.where(VOIDED.c.match_id == match.id, others)).first() is not None:
            return False
    values = {"voided": MATCH.c.voided + 1, "unranked": CAME_AGAIN}
    db.execute(update(MATCH).where(which, MATCH.c.unranked != CAME_AGAIN).values(values))
    return True


def _is_by_operator(what: str) -> ColumnElement[bool]:
    """The operator's voidings of this."""
    same = (VOIDING.c.what == what) | VOIDING.c.what.startswith(_from(what, ""), autoescape=True)
    return same & VOIDING.c.pub_id.is_(None)


# -- over a restored back-up -----------------------------------------------------------


def void_on_arrival(db: Connection, new: Collection[tuple[int, str]]) -> dict[int, list[int]]:
    """The voidings that cover new entries, by box: those that held before a back-up was restored.

    Args:
        db: the league's database, in a transaction.
        new: of each entry its box and its hash; each from a different box.
    """
    found = dict[int, list[int]]()
    for row in db.execute(_on_arrival(db.dialect.name), {"hashes": [digest for _, digest in new]}):
        for box_id, digest in new:
            if (digest, box_id) == (row.hash, row.box_id):
                found.setdefault(box_id, []).append(row.voiding_id)
    return found


@cache
def _on_arrival(dialect: str) -> Select[Any]:
    columns = (VOID_ON_ARRIVAL.c.hash, VOID_ON_ARRIVAL.c.voiding_id)
    return (
        select(*columns, BOX.c.id.label("box_id"))
        .join(BOX, BOX.c.name == VOID_ON_ARRIVAL.c.box)
        .where(one_of(dialect, VOID_ON_ARRIVAL.c.hash, "hashes"))
        .with_for_update(read=True, of=VOID_ON_ARRIVAL)
    )


def note_voidings(engine: Engine, authority: Authority) -> None:
    """Writes to the register every voiding of the database, and which of them are undone.

    Call it after the transaction that made or undid one. If that's missed, the next call makes up for it.
    """

    def note(db: Connection) -> None:
        lock_books(db)
        query = select(VOIDING, PUB.c.name.label("pub")).join(PUB, PUB.c.id == VOIDING.c.pub_id, isouter=True)
        rows = db.execute(query.where(VOIDING.c.noted.is_(False))).all()
        if rows:
            authority.note_voidings(line for row in rows for line in _to_lines(db, row))
            own = VOIDING.c.id.in_([row.id for row in rows])
            db.execute(update(VOIDING).where(own).values(noted=True))

    in_transaction(engine, note)


def _to_lines(db: Connection, row: Any) -> Iterator[NotedVoiding]:  # noqa: ANN401  (a row)
    if row.undone_s is not None:
        yield NotedVoiding(row.uid, undone=True)
        return
    covered = (
        select(BOX.c.name.label("box"), ENTRY.c.hash)
        .join(MATCH, BROUGHT_BY)
        .join(BOX, BOX.c.id == MATCH.c.box_id)
        .join(VOIDED, VOIDED.c.match_id == MATCH.c.id)
        .where(VOIDED.c.voiding_id == row.id)
    )
    missing = select(VOID_ON_ARRIVAL.c.box, VOID_ON_ARRIVAL.c.hash).where(
        VOID_ON_ARRIVAL.c.voiding_id == row.id
    )
    found = covered.union(missing).order_by("box", "hash").execution_options(yield_per=_A_LINE)
    for some in db.execute(found).partitions():
        for box, entries in groupby(some, key=attrgetter("box")):
            hashes = [entry.hash for entry in entries]
            yield NotedVoiding(row.uid, row.what, row.made_s, row.pub, box, hashes)


def void_again(engine: Engine, authority: Authority) -> list[str]:
    """Brings the database in line with the register: it may be a backup from before a voiding or its undoing.

    A voiding undone in one of them is undone in the other. One only in the database stays, and is noted.

    Returns:
        A line for each voiding that was made or undone again.
    """
    note_voidings(engine, authority)
    zone, now_s = ZoneInfo(authority.settings.zone), int(time.time())
    with engine.connect().execution_options(reads=True) as db:
        there_before = set(db.execute(select(VOIDING.c.uid)).scalars())
    undone, lacking = dict[str, None](), dict[str, list[NotedVoiding]]()
    for line in authority.voidings():
        if line.undone:
            undone[line.uid] = None
            lacking.pop(line.uid, None)
        elif line.uid not in there_before and line.uid not in undone:
            lacking.setdefault(line.uid, []).append(line)

    def follow(db: Connection) -> list[str]:
        lock_books(db)
        known = {row.uid: row for row in db.execute(select(VOIDING))}
        said = []
        for row in (known[uid] for uid in undone if uid in known):
            if row.undone_s is None:
                undo(db, row.id, None, now_s)
                said.append(f"{_describe(row, zone)}, counts again: that was undone since")
        due = {uid: lines for uid, lines in lacking.items() if uid not in known}
        if due:
            hold_workers(db)
            there = _matches_of(
                db, {digest for lines in due.values() for each in lines for digest in each.hashes}
            )
            said += [_void_as_noted(db, lines, there, night_of(now_s, zone), zone) for lines in due.values()]
        return said

    return in_transaction(engine, follow)


def _matches_of(db: Connection, hashes: Collection[str]) -> dict[tuple[str, str], int]:
    """The matches that these entries brought, by box and hash."""
    entries = (
        select(BOX.c.name, ENTRY.c.hash, MATCH.c.id)
        .join(MATCH, BROUGHT_BY)
        .join(BOX, BOX.c.id == MATCH.c.box_id)
        .where(MATCH.c.unranked != CAME_AGAIN)
    )
    found = dict[tuple[str, str], int]()
    for row in db.execute(entries.execution_options(yield_per=1000)):
        if row.hash in hashes:
            found[row.name, row.hash] = row.id
    return found


def _void_as_noted(
    db: Connection,
    lines: Sequence[NotedVoiding],
    there: Mapping[tuple[str, str], int],
    tonight: date,
    zone: ZoneInfo,
) -> str:
    """Makes a voiding again, as far as its matches are there; returns a line about it."""
    noted = lines[0]
    entries = {(line.box, digest) for line in lines for digest in line.hashes}
    missing = entries.difference(there)
    what = noted.what
    if missing and not what.startswith(of_key("")):
        what = f"{len(entries)} matches"  # Its numbers may be those of others now.
    pub = db.execute(select(PUB.c.id).where(PUB.c.name == noted.pub)).scalar()
    row = {"what": what, "pub_id": pub, "made_s": noted.made_s, "uid": noted.uid, "noted": True}
    voiding = int(db.execute(insert(VOIDING).returning(VOIDING.c.id), row).scalar_one())
    covered = {there[entry] for entry in entries if entry in there}
    if covered:
        db.execute(insert(VOIDED), [{"voiding_id": voiding, "match_id": each} for each in sorted(covered)])
    if missing:
        rows = [{"hash": digest, "box": box, "voiding_id": voiding} for box, digest in sorted(missing)]
        db.execute(insert(VOID_ON_ARRIVAL), rows)
    _take_out(db, voiding, tonight)
    lacks = f"; {len(missing)} of its {len(entries)} matches aren't here, and void once they come"
    return f"{_describe(noted, zone)}, is void again{lacks if missing else ''}"


def _describe(voiding: Any, zone: ZoneInfo) -> str:  # noqa: ANN401  (a row or a `NotedVoiding`)
    return f"{voiding.what}, voided {datetime.fromtimestamp(voiding.made_s, zone):%Y-%m-%d %H:%M}"


def _received_s() -> Any:  # noqa: ANN401  (an SQL expression)
    return select(ENTRY.c.received_s).where(BROUGHT_BY).correlate(MATCH).scalar_subquery()


def _check_landlord(db: Connection, pub_id: int, now_s: int) -> None:
    own, since_s = VOIDING.c.pub_id == pub_id, now_s - 24 * 3600
    made = select(func.count()).where(own, VOIDING.c.made_s > since_s)
    undone = select(func.count()).where(own, VOIDING.c.undone_s > since_s)
    if sum(db.execute(query).scalar_one() for query in (made, undone)) >= A_DAY:
        raise LeagueError(f"only {A_DAY} changes of this kind a day are allowed; the operator can make more")
