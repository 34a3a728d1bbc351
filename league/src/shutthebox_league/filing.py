"""Files the matches and signatures of committed entries.

A batch takes as many statements as a single message, because on PostgreSQL each is a round trip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, Update, bindparam, select, update

from shutthebox.outbox_entry import MatchPlayed, PlayerSigned
from shutthebox_league import players, tournaments
from shutthebox_league.categories import category_id
from shutthebox_league.checking import CheckedMatch, night_of, time_of
from shutthebox_league.database import insert_all, one_of, select_any, update_all
from shutthebox_league.ratings import SIGNING_S, wait_s
from shutthebox_league.schema import MATCH, SEAT, VOIDED
from shutthebox_league.voiding import give_way, void_on_arrival

MAX_VARIANTS = 3
"""The most different matches with the same number and start in one chain. A box's cards each have a chain, so
nobody who has copied one can use up what the others may send."""

_RECORDS = select(
    MATCH.c.box_id, MATCH.c.id, MATCH.c.chain_id, MATCH.c.record
).order_by(MATCH.c.id)  # fmt: skip
_TO_LOCK = (
    select(MATCH.c.box_id, MATCH.c.chain_id, MATCH.c.id, MATCH.c.pub_id, MATCH.c.due_s)
    .order_by(MATCH.c.id)
    .with_for_update()
)


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match whose entry is committed.

    Attributes:
        chain_id: of the entry.
        box_id: where it was played.
        journal: the id that the box drew for itself.
        content: as the box sent it.
        sequence: of the entry.
        pub_id: where it was played.
        checked: the match as the rules confirm it.
        hash: of the entry.
    """

    chain_id: int
    box_id: int
    journal: str
    content: MatchPlayed
    sequence: int
    pub_id: int
    checked: CheckedMatch
    hash: str


@dataclass(frozen=True, slots=True)
class NewSignature:
    """A signature whose entry is committed; the attributes are those of `NewMatch`."""

    chain_id: int
    box_id: int
    journal: str
    content: PlayerSigned


def add_matches(db: Connection, new: Sequence[NewMatch], now_s: int, zone: tzinfo) -> None:
    """Adds matches, each from a different box. They wait for signatures.

    A match that already came under another key of its box is skipped, unless it's void because that key's
    matches are. One that was void before an older back-up was restored is void at once.
    """
    known = _find_stored(db, new, _RECORDS)
    categories = {each.checked.category for each in new if each.checked.category}
    ids = {category: category_id(db, category) for category in categories}
    rows, added = list[dict[str, Any]](), list[NewMatch]()
    for each in new:
        played, checked = each.content, each.checked
        stored = known.get(each.box_id, ())
        same = [row for row in stored if row.record == played.record]
        if same and not give_way(db, [row.id for row in same], each.chain_id):
            continue
        if sum(row.chain_id == each.chain_id for row in stored) >= MAX_VARIANTS:
            continue
        ended_s, counts = time_of(played, now_s), not checked.unranked
        rows.append({
            "chain_id": each.chain_id, "sequence": each.sequence, "box_id": each.box_id,
            "pub_id": each.pub_id,
            "journal": each.journal, "number": played.number, "began_s": played.began_s,
            "variant": len(stored) + 1, "ended_s": ended_s, "night": night_of(ended_s, zone),
            "game": checked.category.game if checked.category else checked.record.profile.name,
            "category_id": ids[checked.category] if checked.category else None,
            "players": checked.record.players, "unranked": checked.unranked,
            "commitment": checked.commitment, "ended": checked.ended, "record": played.record,
            "due_s": now_s + SIGNING_S if counts else None,
        })  # fmt: skip
        added.append(each)
    if not rows:
        return
    void = void_on_arrival(db, [(each.box_id, each.hash) for each in added])
    for row, each in zip(rows, added, strict=True):
        row["voided"] = len(void.get(each.box_id, ()))
        row["due_s"] = None if row["voided"] else row["due_s"]
    ids_of_boxes = {row.box_id: row.id for row in insert_all(db, MATCH, rows, MATCH.c.id, MATCH.c.box_id)}
    seats = [
        {
            "match_id": ids_of_boxes[row["box_id"]],
            "seat": place.seat, "place": place.place, "total": place.total,
            "initials": None, "confirmed": True, "computer": place.computer,
            "counted": bool(each.checked.unranked or row["voided"]) or place.computer or place.total is None,
            "turns": 0, "score_sum": 0.0, "luck_sum": 0.0, "given_away_sum": 0.0,
        }
        for row, each in zip(rows, added, strict=True)
        for place in each.checked.places
    ]  # fmt: skip
    insert_all(db, SEAT, seats)
    covered = [
        {"voiding_id": voiding, "match_id": ids_of_boxes[each.box_id]}
        for each in added
        for voiding in void.get(each.box_id, ())
    ]
    if covered:
        insert_all(db, VOIDED, covered)
    if any(row["commitment"] for row in rows):
        tournaments.enter(db, MATCH.c.id.in_(ids_of_boxes.values()))


def sign(db: Connection, new: Sequence[NewSignature], now_s: int) -> None:
    """Puts names to seats, each of a match from a different box.

    A counted seat keeps its name, one whose name was removed gets no other, and nobody signs two seats of a
    match.
    """
    found = _find_stored(db, new, _TO_LOCK)
    if not found:
        return
    wanted = {(one.content.initials, row.pub_id) for one in new for row in found.get(one.box_id, ())}
    protected = players.protected_among(db, wanted)
    seats_of: dict[int, dict[int, Row[Any]]] = {row.id: {} for rows in found.values() for row in rows}
    # Only now that their matches are locked: they may have been signed a moment ago.
    for row in db.execute(_seats_query(db.dialect.name), {"matches": list(seats_of)}):
        seats_of[row.match_id][row.seat] = row
    named, due = list[dict[str, Any]](), dict[int, list[int]]()
    for each in new:
        if each.box_id not in found:
            continue  # Without a match it was refused, or dropped by the box.
        variants = found[each.box_id]
        own = [row for row in variants if row.chain_id == each.chain_id]
        match = own[-1] if own else variants[0]
        one, seats = each.content, seats_of[match.id]
        seat = seats.pop(one.player, None)
        if seat is None or seat.computer or (seat.counted if seat.initials else seat.named_s is not None):
            continue
        if any(other.initials == one.initials for other in seats.values()):
            continue
        confirmed = (one.initials, match.pub_id) not in protected
        named.append({
            "match_id": match.id, "seat": one.player,
            "initials": one.initials, "confirmed": confirmed, "named_s": now_s, "pub_id": match.pub_id,
        })  # fmt: skip
        if match.due_s is not None:
            waits_s = wait_s(seat, one.initials, confirmed=confirmed)
            due_s = now_s + max(waits_s, *map(wait_s, seats.values()), 0)
            due.setdefault(due_s, []).append(match.id)
    if not named:
        return
    update_all(db, SEAT, (SEAT.c.match_id, SEAT.c.seat), named)
    for due_s, matches in due.items():
        db.execute(_due_update(db.dialect.name), {"matches": matches, "from_s": due_s})


@cache
def _seats_query(dialect: str) -> Select[Any]:
    return select(SEAT).where(one_of(dialect, SEAT.c.match_id, "matches"))


@cache
def _due_update(dialect: str) -> Update:
    return update(MATCH).where(one_of(dialect, MATCH.c.id, "matches")).values(due_s=bindparam("from_s"))


def _find_stored(
    db: Connection, wanted: Sequence[NewMatch] | Sequence[NewSignature], query: Select[Any]
) -> dict[int, list[Row[Any]]]:
    """By box, the matches that are stored under the number and second of these, oldest first."""
    keys = {(each.box_id, each.journal, each.content.number, each.content.began_s) for each in wanted}
    if not keys:
        return {}
    own = (MATCH.c.box_id, MATCH.c.journal, MATCH.c.number, MATCH.c.began_s)
    found = dict[int, list[Row[Any]]]()
    for row in select_any(db, query, own, keys):
        found.setdefault(row.box_id, []).append(row)
    return found
