"""Files the matches and signatures of committed entries.

A batch takes as many statements as a single message, because on PostgreSQL each is a round trip.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, bindparam, insert, select, update

from shutthebox.outbox_entry import MatchPlayed, PlayerSigned
from shutthebox_league import players
from shutthebox_league.categories import category_id
from shutthebox_league.checking import CheckedMatch, night_of, time_of
from shutthebox_league.database import any_of, insert_all, one_of
from shutthebox_league.ratings import SIGNING_S, due_s
from shutthebox_league.schema import MATCH, SEAT


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match whose entry is committed.

    Attributes:
        chain_id: of the entry.
        box_id: where it was played.
        journal: the id that the box drew for itself.
        content: as the box says it.
        sequence: of the entry.
        pub_id: where it was played.
        checked: as the rules give it.
    """

    chain_id: int
    box_id: int
    journal: str
    content: MatchPlayed
    sequence: int
    pub_id: int
    checked: CheckedMatch


@dataclass(frozen=True, slots=True)
class NewSignature:
    """A signature whose entry is committed; the attributes are those of `NewMatch`."""

    chain_id: int
    box_id: int
    journal: str
    content: PlayerSigned


def add_matches(db: Connection, new: Sequence[NewMatch], now_s: int, zone: tzinfo) -> None:
    """Adds matches, each from a different box. They wait for signatures.

    A match that already came under another key of its box is skipped.
    """
    known = _stored(db, new, MATCH.c.record)
    categories = {each.checked.category for each in new if each.checked.category}
    ids = {category: category_id(db, category) for category in categories}
    rows, added = list[dict[str, Any]](), list[CheckedMatch]()
    for each in new:
        played, checked = each.content, each.checked
        again = again_journal(each.chain_id)
        records = {row.journal: row.record for row in known.get(each.box_id, ())}
        if played.record in records.values() or len(records) == 2:
            continue
        ended_s, counts = time_of(played, now_s), not checked.unranked
        rows.append({
            "chain_id": each.chain_id, "sequence": each.sequence, "box_id": each.box_id,
            "pub_id": each.pub_id,
            # A card that was put back plays another match with the same number, in the same second.
            "journal": again if each.journal in records else each.journal, "number": played.number,
            "began_s": played.began_s, "ended_s": ended_s, "night": night_of(ended_s, zone),
            "game": checked.record.profile.name,
            "category_id": ids[checked.category] if checked.category else None,
            "players": checked.record.players, "unranked": checked.unranked,
            "commitment": checked.commitment, "ended": checked.ended, "record": played.record,
            "due_s": now_s + SIGNING_S if counts else None,
        })  # fmt: skip
        added.append(checked)
    if not rows:
        return
    match_ids = db.execute(insert(MATCH).returning(MATCH.c.id, sort_by_parameter_order=True), rows).scalars()
    seats = [
        {
            "match_id": match_id, "seat": place.seat, "place": place.place, "total": place.total,
            "initials": None, "confirmed": True, "computer": place.computer,
            "counted": bool(checked.unranked) or place.computer or place.total is None,
            "turns": 0, "score_sum": 0.0, "luck_sum": 0.0, "given_away_sum": 0.0,
        }
        for match_id, checked in zip(match_ids, added, strict=True)
        for place in checked.places
    ]  # fmt: skip
    insert_all(db, SEAT, seats)


def sign(db: Connection, new: Sequence[NewSignature], now_s: int) -> None:
    """Puts names to seats, each of a match from a different box.

    A counted seat keeps its name, and nobody signs two seats of a match.
    """
    found = _stored(db, new, MATCH.c.id, MATCH.c.pub_id, MATCH.c.due_s, MATCH.c.rated, lock=True)
    # Without a match it was refused, or dropped by the box.
    signed = [
        # Under the journal of its chain first, if there are two.
        (each.content, min(found[each.box_id], key=lambda row: bool(row.journal == each.journal)))
        for each in new
        if each.box_id in found
    ]
    if not signed:
        return
    wanted = {(one.initials, int(match.pub_id)) for one, match in signed}
    protected = players.protected_among(db, wanted)
    seats: dict[int, dict[int, Row[Any]]] = {match.id: {} for _, match in signed}
    for row in db.execute(select(SEAT).where(one_of(db, SEAT.c.match_id, seats))):
        seats[row.match_id][row.seat] = row
    named = list[dict[str, Any]]()
    for one, match in signed:
        seat = seats[match.id].get(one.player)
        if seat is None or seat.computer or (seat.initials is not None and seat.counted):
            continue
        if any(other.initials == one.initials for other in seats[match.id].values() if other is not seat):
            continue
        confirmed = (one.initials, match.pub_id) not in protected
        named.append({
            "of_match": match.id, "of_seat": one.player,
            "initials": one.initials, "confirmed": confirmed, "named_s": now_s,
        })  # fmt: skip
    if not named:
        return
    of_seat = (SEAT.c.match_id == bindparam("of_match")) & (SEAT.c.seat == bindparam("of_seat"))
    db.execute(update(SEAT).where(of_seat), named)
    changed = {values["of_match"] for values in named}
    unrated = [match.id for _, match in signed if match.due_s is not None and not match.rated]
    due = due_s(db, changed.intersection(unrated), now_s)
    for time_s in set(due.values()):
        those = one_of(db, MATCH.c.id, (match_id for match_id, its_s in due.items() if its_s == time_s))
        db.execute(update(MATCH).where(those).values(due_s=time_s))


def again_journal(chain_id: int) -> str:
    """The journal for matches of this chain whose number and start another match of the box already has."""
    return f"again-{chain_id}"


def _stored(
    db: Connection,
    wanted: Sequence[NewMatch] | Sequence[NewSignature],
    *columns: ColumnElement[Any],
    lock: bool = False,
) -> dict[int, list[Row[Any]]]:
    """By box, the matches that are stored under the number and second of these, at most two of each."""
    keys = [
        (each.box_id, journal, each.content.number, each.content.began_s)
        for each in wanted
        for journal in (each.journal, again_journal(each.chain_id))
    ]
    if not keys:
        return {}
    own = (MATCH.c.box_id, MATCH.c.journal, MATCH.c.number, MATCH.c.began_s)
    query = (
        select(MATCH.c.box_id, MATCH.c.journal, *columns).where(any_of(db, own, keys)).order_by(MATCH.c.id)
    )
    found = dict[int, list[Row[Any]]]()
    for row in db.execute(query.with_for_update() if lock else query):
        found.setdefault(row.box_id, []).append(row)
    return found
