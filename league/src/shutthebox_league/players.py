"""Players: initials, protected where a landlord vouches for them; and their deletion.

A match that is signed with protected initials counts once the landlord has confirmed it. A landlord reaches
the matches of the own pub only; the operator's commands reach the whole league (`pub_id` is None then).
"""

import json
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, TextIO

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from shutthebox_league.checking import CLOCK_AHEAD_S
from shutthebox_league.counting import delete_standings
from shutthebox_league.database import hold_workers, lock_books, one_of, upsert
from shutthebox_league.events import forget_games
from shutthebox_league.initials import digest_of
from shutthebox_league.ratings import keep_strength, leave_out, set_due
from shutthebox_league.schema import (
    ASIDE,
    BOX,
    CHAIN,
    ENTRANT,
    ENTRY,
    EVENT,
    FORGOTTEN,
    KEY,
    MATCH,
    PROTECTED,
    PUB,
    RATING,
    RERATED,
    SEAT,
    STANDING,
    WAITS,
)


def protected_among(db: Connection, wanted: Collection[tuple[str, int]]) -> set[tuple[str, int]]:
    """The pairs of initials and a pub, among these, whose matches in that pub have to be confirmed."""
    initials, pubs = ({each[i] for each in wanted} for i in (0, 1))
    rows = db.execute(_protected_query(db.dialect.name), {"players": list(initials), "pubs": list(pubs)})
    found = {tuple(row) for row in rows}
    return {each for each in wanted if each in found or (each[0], None) in found}


@cache
def _protected_query(dialect: str) -> Select[Any]:
    return select(PROTECTED.c.initials, PROTECTED.c.pub_id).where(
        one_of(dialect, PROTECTED.c.initials, "players"),
        PROTECTED.c.pub_id.is_(None) | one_of(dialect, PROTECTED.c.pub_id, "pubs"),
    )


def protected_at(db: Connection, pub_id: int) -> Sequence[tuple[str, bool]]:
    """The protected initials of a pub, each with whether the operator protects them in the whole league."""
    found = db.execute(
        select(PROTECTED.c.initials, PROTECTED.c.pub_id.is_(None)).where(
            or_(PROTECTED.c.pub_id == pub_id, PROTECTED.c.pub_id.is_(None))
        )
    ).all()
    return sorted({(row[0], bool(row[1])) for row in found})


def protect(db: Connection, initials: Sequence[str], pub_id: int | None) -> None:
    """From now on, matches signed with these initials count once confirmed. Earlier ones stay."""
    free(db, initials, pub_id)
    db.execute(insert(PROTECTED), [{"initials": each, "pub_id": pub_id} for each in initials])


def free(db: Connection, initials: Sequence[str], pub_id: int | None) -> int:
    """Ends the protection in one pub, or everywhere. Returns how many protections ended."""
    found = delete(PROTECTED).where(PROTECTED.c.initials.in_(initials))
    if pub_id is not None:
        found = found.where(PROTECTED.c.pub_id == pub_id)
    return db.execute(found).rowcount


def waiting_seats(db: Connection, pub_id: int, most: int = 100) -> Sequence[Any]:
    """Lists the seats of a pub's matches that wait for the landlord, oldest first, with `ended_s`."""
    return db.execute(
        select(SEAT, MATCH.c.ended_s)
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .where(SEAT.c.pub_id == pub_id, WAITS)
        .order_by(SEAT.c.match_id, SEAT.c.seat)
        .limit(most)
    ).all()


def confirm(db: Connection, seats: Sequence[tuple[int, int]], pub_id: int, now_s: int, *, right: bool) -> int:
    """Confirms waiting seats, given as match and seat; or removes the initials if it was somebody else.

    Returns:
        How many of them waited in this pub.
    """
    # It hasn't been counted, but is marked so while its match is void.
    values = {"confirmed": True, "named_s": now_s} | ({} if right else {"initials": None, "counted": False})
    count = 0
    matches = MATCH.c.id.in_({match_id for match_id, _ in seats})
    db.execute(select(MATCH.c.id).where(matches).order_by(MATCH.c.id).with_for_update()).all()
    for match_id, seat in seats:
        where = _of_pub(pub_id) & (SEAT.c.match_id == match_id) & (SEAT.c.seat == seat)
        changed = db.execute(update(SEAT).where(where, WAITS).values(values)).rowcount
        if changed:
            due = (MATCH.c.id == match_id) & MATCH.c.due_s.is_not(None)
            set_due(db, due, now_s)
        count += changed
    return count


def forgotten_among(
    db: Connection, wanted: Collection[tuple[str, int, int]], now_s: int
) -> set[tuple[str, int, int]]:
    """Picks the signatures that were deleted before. A restored card may send them again.

    Args:
        db: the league's database.
        wanted: initials, number of the pub, and when the match began, in seconds since 1970.
        now_s: the time of day. A match that begins later is from a box with a wrong clock, so from any time.
    """
    if not wanted:
        return set()
    digests = {initials: digest_of(initials) for initials, _, _ in wanted}
    values = {"hashes": list(digests.values()), "pubs": list({0, *(pub for _, pub, _ in wanted)})}
    rows = db.execute(_forgotten_query(db.dialect.name), values)
    before = {(row.hash, row.pub_id): row.before_s for row in rows}
    return {
        (initials, pub, began_s)
        for initials, pub, began_s in wanted
        for known in (before.get((digests[initials], of)) for of in (0, pub))
        if known is not None and (began_s < known or began_s > now_s + CLOCK_AHEAD_S)
    }


@cache
def _forgotten_query(dialect: str) -> Select[Any]:
    return select(FORGOTTEN).where(
        one_of(dialect, FORGOTTEN.c.hash, "hashes"), one_of(dialect, FORGOTTEN.c.pub_id, "pubs")
    )


def export(db: Connection, initials: str, file: TextIO) -> None:
    """Writes everything stored about a player as JSON, for that player; takes little memory."""
    own = SEAT.c.initials == initials
    columns = (
        MATCH.c.id, PUB.c.name.label("pub"), MATCH.c.began_s, MATCH.c.ended_s, MATCH.c.game, SEAT.c.seat,
        SEAT.c.place, SEAT.c.total, SEAT.c.confirmed, SEAT.c.turns, SEAT.c.score_sum, SEAT.c.luck_sum,
        SEAT.c.given_away_sum, SEAT.c.named_s, MATCH.c.record,
    )  # fmt: skip
    joined = select(*columns).join(MATCH, MATCH.c.id == SEAT.c.match_id).join(PUB, PUB.c.id == MATCH.c.pub_id)
    tables: dict[str, Any] = {
        "matches": joined.where(own).order_by(MATCH.c.id),
        "standings": select(STANDING).where(STANDING.c.initials == initials).order_by(*STANDING.primary_key),
        "rating": select(RATING).where(RATING.c.initials == initials),
        "rating to come": select(RERATED).where(RERATED.c.initials == initials),
        "events": select(EVENT.c.id, EVENT.c.name)
        .join(ENTRANT, ENTRANT.c.event_id == EVENT.c.id)
        .where(ENTRANT.c.initials == initials)
        .order_by(EVENT.c.id),
        "protected": select(PROTECTED.c.pub_id).where(PROTECTED.c.initials == initials),
        "signed messages": select(ENTRY.c.received_s, ENTRY.c.status, ENTRY.c.message)
        .where(ENTRY.c.initials == initials)
        .order_by(ENTRY.c.chain_id, ENTRY.c.sequence),
        "messages aside": select(ASIDE.c.received_s, ASIDE.c.reason, ASIDE.c.message).where(
            ASIDE.c.initials == initials
        ),
    }
    opening = "{"
    for name, query in tables.items():
        file.write(f"{opening}\n{json.dumps(name)}: [")
        opening, between = ",", "\n"
        for row in db.execute(query.execution_options(yield_per=10)):
            file.write(between + json.dumps(_plain(row), default=str, ensure_ascii=False))
            between = ",\n"
        file.write("]")
    file.write("\n}\n")


def _plain(row: Row[Any]) -> dict[str, Any]:
    return {
        name: value.decode("ascii", "replace") if isinstance(value, bytes) else value
        for name, value in row._asdict().items()
    }


def forget(db: Connection, initials: str, pub_id: int | None, now_s: int) -> int:
    """Removes initials from everything: the matches stay, and nobody is named in that seat.

    Args:
        db: the league's database, in a transaction.
        initials: three letters; anything else is never found.
        pub_id: of the landlord's pub; None for the whole league.
        now_s: the time of day. Signatures of matches that began earlier are no longer accepted.

    Returns:
        How many matches were signed with them.
    """
    lock_books(db)
    hold_workers(db)
    row = upsert(db, FORGOTTEN).values(hash=digest_of(initials), pub_id=pub_id or 0, before_s=now_s)
    primary_key = [column.name for column in FORGOTTEN.primary_key]
    db.execute(row.on_conflict_do_update(index_elements=primary_key, set_={"before_s": now_s}))
    where: ColumnElement[bool] = SEAT.c.initials == initials
    entries: ColumnElement[bool] = ENTRY.c.initials == initials
    aside: ColumnElement[bool] = ASIDE.c.initials == initials
    if pub_id is not None:
        where &= _of_pub(pub_id)
        keys = select(KEY.c.name).join(BOX, BOX.c.id == KEY.c.box_id).where(BOX.c.pub_id == pub_id)
        played = select(MATCH.c.chain_id).join(SEAT, SEAT.c.match_id == MATCH.c.id).where(where)
        chains = select(CHAIN.c.id).where(CHAIN.c.key_name.in_(keys))
        entries &= ENTRY.c.chain_id.in_(chains) | ENTRY.c.chain_id.in_(played)
        aside &= ASIDE.c.key_name.in_(keys)
    # The signed entries that hold the initials go too. Their hashes stay, so the chain is still checked.
    db.execute(update(ENTRY).where(entries).values(message=b"", initials=None))
    db.execute(update(ASIDE).where(aside).values(message=b"", initials=None))
    keep_strength(db, initials, pub_id)
    if pub_id is not None:
        leave_out(db, initials, pub_id)
    values = {
        "initials": None, "confirmed": True, "counted": SEAT.c.counted & SEAT.c.confirmed,
        "named_s": func.coalesce(SEAT.c.named_s, now_s),
    }  # fmt: skip
    count = db.execute(update(SEAT).where(where).values(values)).rowcount
    delete_standings(db, initials, pub_id)
    if pub_id is None or db.execute(select(SEAT.c.seat).where(SEAT.c.initials == initials)).first() is None:
        for table in (RATING, RERATED):
            db.execute(delete(table).where(table.c.initials == initials))
    forget_games(db, initials, pub_id)
    free(db, [initials], pub_id)
    return count


def _of_pub(pub_id: int) -> ColumnElement[bool]:
    of_seat = MATCH.alias("of_seat")  # looked up for each seat: a pub may have a million matches
    return exists().where(of_seat.c.id == SEAT.c.match_id, of_seat.c.pub_id == pub_id)
