"""Standings: the table of a game, by several measures, over a night, a season or all time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Float, case, cast, func, select

from shutthebox_league.schema import BOX, HEALTH, MATCH, PUB, RATING, SEAT

FEWEST_TURNS = 5
"""Reviewed turns that a place by skill takes, so that one lucky turn does not lead."""


class Period(StrEnum):
    """The matches that count: one night's, those of its calendar quarter, or all."""

    NIGHT = "night"
    SEASON = "season"
    EVER = "ever"


class Measure(StrEnum):
    """The figure that a table is sorted by."""

    WINS = "wins"
    SCORE = "score"
    SKILL = "skill"
    RATING = "rating"


@dataclass(frozen=True, slots=True)
class Row:
    """A player in a table.

    Attributes:
        initials: of the player.
        matches: played.
        wins: of them.
        score: mean total of a match.
        given_away: mean points that decisions cost in a turn; None with too few reviewed turns.
        luck: mean points that the dice added in a turn; None likewise.
        rating: the latest, and twice its deviation; None without one.
        margin: see `rating`.
    """

    initials: str
    matches: int
    wins: int
    score: float
    given_away: float | None
    luck: float | None
    rating: float | None
    margin: float | None


def season_of(night: date) -> tuple[date, date]:
    """The first night of the calendar quarter and the first of the next."""
    quarter = (night.month - 1) // 3
    first = date(night.year, 1 + 3 * quarter, 1)
    after = date(night.year + 1, 1, 1) if quarter == 3 else date(night.year, 4 + 3 * quarter, 1)
    return first, after


def standings(
    db: Connection,
    game: str,
    period: Period,
    night: date,
    measure: Measure,
    *,
    highest_wins: bool,
    pub_id: int | None = None,
    most: int = 100,
) -> Sequence[Row]:
    """The table of a game, the best first. Counts ranked matches of confirmed players."""
    where = [
        MATCH.c.game == game, MATCH.c.unranked == "", SEAT.c.initials.is_not(None),
        SEAT.c.confirmed, SEAT.c.total.is_not(None),
    ]  # fmt: skip
    if period is Period.NIGHT:
        where.append(MATCH.c.night == night)
    elif period is Period.SEASON:
        first, after = season_of(night)
        where += [MATCH.c.night >= first, MATCH.c.night < after]
    if pub_id is not None:
        where.append(MATCH.c.pub_id == pub_id)
    sums = (
        select(
            SEAT.c.initials,
            func.count().label("matches"),
            func.sum(case((SEAT.c.place == 1, 1), else_=0)).label("wins"),
            func.avg(cast(SEAT.c.total, Float)).label("score"),
            func.sum(SEAT.c.turns).label("turns"),
            func.sum(SEAT.c.given_away_sum).label("given_away"),
            func.sum(SEAT.c.luck_sum).label("luck"),
        )
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .where(*where)
        .group_by(SEAT.c.initials)
        .subquery()
    )
    newest = (
        select(RATING.c.initials, func.max(RATING.c.night).label("night"))
        .group_by(RATING.c.initials)
        .subquery()
    )
    rating = (
        select(RATING.c.initials, RATING.c.rating, RATING.c.deviation)
        .join(newest, (RATING.c.initials == newest.c.initials) & (RATING.c.night == newest.c.night))
        .subquery()
    )
    enough = sums.c.turns >= FEWEST_TURNS
    per_turn = sums.c.given_away / cast(func.nullif(sums.c.turns, 0), Float)
    order: dict[Measure, list[ColumnElement[Any]]] = {
        Measure.WINS: [sums.c.wins.desc(), sums.c.matches],
        Measure.SCORE: [sums.c.score.desc() if highest_wins else sums.c.score],
        Measure.SKILL: [case((enough, 0), else_=1), per_turn],
        Measure.RATING: [rating.c.rating.is_(None), rating.c.rating.desc()],
    }
    found = db.execute(
        select(sums, rating.c.rating, rating.c.deviation)
        .join(rating, rating.c.initials == sums.c.initials, isouter=True)
        .order_by(*order[measure], sums.c.initials)
        .limit(most)
    ).all()
    return [
        Row(
            row.initials,
            row.matches,
            row.wins,
            row.score,
            row.given_away / row.turns if row.turns >= FEWEST_TURNS else None,
            row.luck / row.turns if row.turns >= FEWEST_TURNS else None,
            row.rating,
            None if row.deviation is None else 2 * row.deviation,
        )
        for row in found
    ]


def games_played(db: Connection) -> Sequence[tuple[str, int]]:
    """The games of ranked matches and how many of each there are, the most first."""
    count = func.count()
    found = db.execute(
        select(MATCH.c.game, count)
        .where(MATCH.c.unranked == "")
        .group_by(MATCH.c.game)
        .order_by(count.desc())
    )
    return [(row[0], row[1]) for row in found]


def latest_matches(
    db: Connection, most: int, *, pub_id: int | None = None, initials: str | None = None
) -> Sequence[dict[str, Any]]:
    """The latest matches with their seats, the newest first."""
    query = select(MATCH, PUB.c.name.label("pub")).join(PUB, PUB.c.id == MATCH.c.pub_id)
    if pub_id is not None:
        query = query.where(MATCH.c.pub_id == pub_id)
    if initials is not None:
        query = query.where(MATCH.c.id.in_(select(SEAT.c.match_id).where(SEAT.c.initials == initials)))
    matches = db.execute(query.order_by(MATCH.c.ended_s.desc(), MATCH.c.id.desc()).limit(most)).all()
    ids = [row.id for row in matches]
    seats: dict[int, list[Any]] = {match_id: [] for match_id in ids}
    for seat in db.execute(select(SEAT).where(SEAT.c.match_id.in_(ids)).order_by(SEAT.c.seat)):
        seats[seat.match_id].append(seat)
    return [{"match": row, "seats": seats[row.id]} for row in matches]


def boxes_health(db: Connection, pub_id: int) -> Sequence[Any]:
    """The boxes of a pub with their latest reports of health."""
    return db.execute(
        select(BOX.c.name, HEALTH.c.state, HEALTH.c.seen_s, HEALTH.c.online)
        .join(HEALTH, HEALTH.c.box_id == BOX.c.id, isouter=True)
        .where(BOX.c.pub_id == pub_id)
        .order_by(BOX.c.name)
    ).all()
