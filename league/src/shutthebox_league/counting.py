"""Counts matches in the standings: sums for each player of a category, kept up to date seat by seat.

A seat is counted once, when it is signed and confirmed; its review is added once there is one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    Row,
    Select,
    bindparam,
    case,
    cast,
    delete,
    distinct,
    exists,
    func,
    select,
    update,
)

from shutthebox_league.database import upsert
from shutthebox_league.schema import CATEGORY, MATCH, SEAT, STANDING
from shutthebox_league.standings import FEWEST_TURNS, WHOLE_LEAGUE, Period, first_of

_AT_ONCE = 100
"""Rows that are read at a time while many matches are taken out or put back."""

NIGHTS_KEPT = 7
"""Sums of earlier nights are deleted: only tonight's are shown."""

_SUMS: Mapping[str, type[int] | type[float]] = {
    "matches": int, "wins": int, "total_sum": float, "turns": int, "luck_sum": float, "given_away_sum": float,
}  # fmt: skip
_MAY_COUNT = (
    (MATCH.c.unranked == "") & SEAT.c.computer.is_(False) & SEAT.c.total.is_not(None)
    & (SEAT.c.uncounted == "")
)  # fmt: skip
_IS_OF_ALL_TIME = (STANDING.c.period == Period.EVER.value) & (
    STANDING.c.first == first_of(Period.EVER, date.min)
)
_NAME_REMOVED = SEAT.c.initials.is_(None) & SEAT.c.named_s.is_not(None)


def count_seat(db: Connection, match: Row[Any], seat: Row[Any], tonight: date) -> None:
    """Adds a signed seat of a ranked match to the standings. The caller holds the match's lock."""
    db.execute(
        update(SEAT).where(SEAT.c.match_id == seat.match_id, SEAT.c.seat == seat.seat).values(counted=True)
    )
    values = {
        "initials": seat.initials, "matches": 1, "wins": int(seat.place == 1), "total_sum": float(seat.total),
        "turns": seat.turns, "luck_sum": seat.luck_sum, "given_away_sum": seat.given_away_sum,
        "mean_total": float(seat.total), "given_away": _mean(seat.given_away_sum, seat.turns),
    }  # fmt: skip
    of_match = CATEGORY.c.id == match.category_id
    new_there = of_match & ~_has_standings(match.category_id, match.pub_id)
    db.execute(update(CATEGORY).where(new_there).values(pubs=CATEGORY.c.pubs + 1))
    own = STANDING.c
    for standing_key in _standing_keys(match, tonight):
        statement = upsert(db, STANDING).values(**standing_key, **values)
        new = statement.excluded
        added = {key: own[key] + new[key] for key in _SUMS}
        keys = [column.name for column in STANDING.primary_key]
        db.execute(
            statement.on_conflict_do_update(index_elements=keys, set_={**added, **_mean_columns(added)})
        )
    earlier = select(SEAT.c.seat).where(
        SEAT.c.match_id == seat.match_id, SEAT.c.seat != seat.seat,
        SEAT.c.counted, SEAT.c.uncounted == "", SEAT.c.total.is_not(None),
    )  # fmt: skip
    if db.execute(earlier.limit(1)).first() is None:
        db.execute(update(CATEGORY).where(of_match).values(matches=CATEGORY.c.matches + 1))


def add_review(db: Connection, match: Row[Any], seat: Row[Any], tonight: date) -> None:
    """Adds the review of a seat that is already counted."""
    own = STANDING.c
    turns, given_away = own.turns + seat.turns, own.given_away_sum + seat.given_away_sum
    values = {
        "turns": turns, "luck_sum": own.luck_sum + seat.luck_sum, "given_away_sum": given_away,
        "given_away": _mean_expression(given_away, turns),
    }  # fmt: skip
    for standing_key in _standing_keys(match, tonight):
        where = [own[key] == value for key, value in standing_key.items()]
        db.execute(update(STANDING).where(*where, own.initials == seat.initials).values(values))


def take_out(db: Connection, which: ColumnElement[bool], tonight: date) -> None:
    """Takes the seats of these matches out of the standings until `put_back`."""
    is_in = which & SEAT.c.counted & _MAY_COUNT
    has_sums = is_in & SEAT.c.confirmed & SEAT.c.initials.is_not(None)
    sums = [func.sum(case((SEAT.c.place == 1, 1), else_=0)), func.sum(SEAT.c.total)]
    sums += [func.sum(column) for column in (SEAT.c.turns, SEAT.c.luck_sum, SEAT.c.given_away_sum)]
    keys = (MATCH.c.category_id, MATCH.c.pub_id, SEAT.c.initials, MATCH.c.night)
    played = (
        select(*keys, func.count(), *sums)
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .where(has_sums)
        .group_by(*keys)
        .order_by(*keys)
    )
    # A hostile key's matches may all be on tables of their own: never hold more than a few.
    for rows in _in_parts(db, played):
        _subtract(db, rows, tonight)
    _add_to_categories(db, is_in, -1)
    gone = (
        select(MATCH.c.category_id, func.count(distinct(MATCH.c.pub_id)))
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .where(has_sums, ~_has_standings(MATCH.c.category_id, MATCH.c.pub_id))
        .group_by(MATCH.c.category_id)
    )
    _change_categories(db, gone, CATEGORY.c.pubs, -1)
    taken = select(MATCH.c.id).where(which)
    # Nobody will count a seat whose name is gone, so it has been counted only if it is marked already.
    db.execute(update(SEAT).where(SEAT.c.match_id.in_(taken), ~_NAME_REMOVED).values(counted=True))


def _subtract(db: Connection, rows: Iterable[Any], tonight: date) -> None:
    """Subtracts sums of seats from the standings that they are in."""
    of_rows: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        for standing_key in _standing_keys(row, tonight):
            total = of_rows.setdefault((*standing_key.values(), row.initials), [0] * len(_SUMS))
            total[:] = [float(have) + float(new) for have, new in zip(total, row[4:], strict=True)]
    keys = [column.name for column in STANDING.primary_key]
    own = [STANDING.c[key] == bindparam(f"of_{key}") for key in keys]
    left = {key: STANDING.c[key] - bindparam(f"less_{key}") for key in _SUMS}
    values = [
        {f"of_{key}": value for key, value in zip(keys, row, strict=True)}
        | {f"less_{key}": kind(one) for (key, kind), one in zip(_SUMS.items(), total, strict=True)}
        for row, total in sorted(of_rows.items())
    ]
    emptied = delete(STANDING).where(*own, STANDING.c.matches <= bindparam("less_matches"))
    if db.execute(emptied, values).rowcount != len(values):
        db.execute(update(STANDING).where(*own).values({**left, **_mean_columns(left)}), values)


def _has_standings(category: Any, pub: Any) -> ColumnElement[bool]:  # noqa: ANN401  (SQL expressions)
    """Whether a category has anybody in its standings of a pub."""
    return exists().where(STANDING.c.category_id == category, STANDING.c.pub_id == pub, _IS_OF_ALL_TIME)


def put_back(db: Connection, which: ColumnElement[bool]) -> None:
    """Marks the seats of these matches to be counted again."""
    # The others are about to be counted.
    _add_to_categories(db, which & SEAT.c.counted & _MAY_COUNT & _NAME_REMOVED, 1)
    taken = select(MATCH.c.id).where(which, MATCH.c.unranked == "")
    own = SEAT.c.match_id.in_(taken) & SEAT.c.computer.is_(False) & SEAT.c.total.is_not(None)
    db.execute(update(SEAT).where(own, ~_NAME_REMOVED).values(counted=False, uncounted=""))


def _add_to_categories(db: Connection, seats: ColumnElement[bool], sign: int) -> None:
    """Adds the matches of these seats to those of their categories, or subtracts them."""
    counted = (
        select(MATCH.c.category_id, func.count(distinct(MATCH.c.id)))
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .where(seats)
        .group_by(MATCH.c.category_id)
    )
    _change_categories(db, counted, CATEGORY.c.matches, sign)


def _change_categories(db: Connection, counts: Select[Any], column: Column[int], sign: int) -> None:
    """Adds counts, each with its category, to this column, or subtracts them."""
    changed = update(CATEGORY).where(CATEGORY.c.id == bindparam("of_category"))
    changed = changed.values({column: column + sign * bindparam("more", type_=column.type)})
    for rows in _in_parts(db, counts):
        db.execute(changed, [{"of_category": category, "more": count} for category, count in rows])


def _in_parts(db: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    return db.execute(query.execution_options(yield_per=_AT_ONCE)).partitions()


def delete_standings(db: Connection, initials: str, pub_id: int | None) -> None:
    """Deletes a player's sums: all of them, or one pub's and what it added to the league's."""
    own = STANDING.c
    alone, other = STANDING.alias("alone"), STANDING.alias("other")
    same_place = (other.c[key] == alone.c[key] for key in ("category_id", "pub_id", "period", "first"))
    pubs = (
        select(func.count())
        .where(
            alone.c.category_id == CATEGORY.c.id, alone.c.initials == initials,
            alone.c.period == Period.EVER.value,
            alone.c.pub_id != WHOLE_LEAGUE if pub_id is None else alone.c.pub_id == pub_id,
            ~exists().where(*same_place, other.c.initials != initials),
        )
        .scalar_subquery()
    )  # fmt: skip
    played = CATEGORY.c.id.in_(select(own.category_id).where(own.initials == initials))
    db.execute(update(CATEGORY).where(played).values(pubs=CATEGORY.c.pubs - pubs))
    if pub_id is None:
        db.execute(delete(STANDING).where(own.initials == initials))
        return
    # A statement for each row would take half a minute if a box has played to 20,000 limits.
    of_pub = STANDING.alias("of_pub")
    league = (own.initials == initials) & (own.pub_id == WHOLE_LEAGUE)
    same = (
        (of_pub.c.initials == initials) & (of_pub.c.pub_id == pub_id)
        & (of_pub.c.category_id == own.category_id) & (of_pub.c.period == own.period)
        & (of_pub.c.first == own.first)
    )  # fmt: skip
    db.execute(delete(STANDING).where(league, exists().where(same, own.matches <= of_pub.c.matches)))
    left = {key: own[key] - of_pub.c[key] for key in _SUMS}
    db.execute(update(STANDING).where(league, same).values({**left, **_mean_columns(left)}))
    db.execute(delete(STANDING).where(own.initials == initials, own.pub_id == pub_id))


def delete_old_nights(db: Connection, before: date) -> None:
    """Deletes the sums of nights before this one."""
    db.execute(delete(STANDING).where(STANDING.c.period == Period.NIGHT, STANDING.c.first < before))


def _standing_keys(match: Row[Any], tonight: date) -> Iterator[dict[str, Any]]:
    """The sums that a match belongs to, always in the same order to avoid deadlocks."""
    for pub_id in (WHOLE_LEAGUE, match.pub_id):
        for period in Period:
            if period is not Period.NIGHT or abs((tonight - match.night).days) < NIGHTS_KEPT:
                where = {"category_id": match.category_id, "pub_id": pub_id, "period": period.value}
                yield {**where, "first": first_of(period, match.night)}


def _mean(total: float, turns: int) -> float | None:
    return total / turns if turns >= FEWEST_TURNS else None


def _mean_columns(sums: Mapping[str, Any]) -> dict[str, Any]:
    """What tables are sorted by, from sums as SQL expressions."""
    return {
        "mean_total": sums["total_sum"] / sums["matches"],
        "given_away": _mean_expression(sums["given_away_sum"], sums["turns"]),
    }


def _mean_expression(total: Any, turns: Any) -> Any:  # noqa: ANN401  (SQL expressions)
    return case((turns >= FEWEST_TURNS, total / cast(turns, Float)), else_=None)
