"""Standings: the table of a category, by several measures, over a night, a season or all time.

They are read from running sums, so a table takes the same time however many matches there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from shutthebox_league.categories import Category, category_from_row
from shutthebox_league.places import places_of
from shutthebox_league.schema import (
    BOX,
    CATEGORY,
    HEALTH,
    IS_PLAYED,
    MATCH,
    PUB,
    RATING,
    SEAT,
    STANDING,
)

FEWEST_TURNS = 5
"""The fewest reviewed turns for a place by skill, so that one lucky turn doesn't lead."""


WHOLE_LEAGUE = 0
"""Stands for a pub in the sums of the whole league."""


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
        place: from 1; equals by the table's measure share it. None for a player who has no such figure yet.
        initials: of the player.
        matches: played.
        wins: of them.
        score: mean total of a match.
        given_away: mean points that decisions cost in a turn; None with too few reviewed turns.
        luck: mean points that the dice added in a turn; None likewise.
        rating: a lower bound of the player's strength; None without a rating.
    """

    place: int | None
    initials: str
    matches: int
    wins: int
    score: float
    given_away: float | None
    luck: float | None
    rating: float | None


def first_of(period: Period, night: date) -> date:
    """The first night of the period that a night belongs to."""
    match period:
        case Period.NIGHT:
            return night
        case Period.SEASON:
            return date(night.year, 1 + (night.month - 1) // 3 * 3, 1)
        case Period.EVER:
            return date(1970, 1, 1)


def standings(
    db: Connection,
    category: int,
    period: Period,
    night: date,
    measure: Measure,
    *,
    highest_wins: bool,
    pub_id: int = WHOLE_LEAGUE,
    most: int = 100,
) -> Sequence[Row]:
    """The table of a category, the best first. Counts ranked matches of confirmed players.

    Args:
        db: the league's database.
        category: its row.
        period: of the matches.
        night: in that period.
        measure: that the table is sorted by.
        highest_wins: whether the highest total is the best.
        pub_id: of the pub.
        most: rows.
    """
    own = STANDING.c
    order: dict[Measure, list[ColumnElement[Any]]] = {
        Measure.WINS: [own.wins.desc(), own.matches],
        Measure.SCORE: [own.mean_total.desc() if highest_wins else own.mean_total],
        Measure.SKILL: [own.given_away.is_(None), own.given_away],
        Measure.RATING: [RATING.c.at_least.is_(None), RATING.c.at_least.desc()],
    }
    found = db.execute(
        select(STANDING, RATING.c.at_least)
        .join(RATING, RATING.c.initials == own.initials, isouter=True)
        .where(
            own.category_id == category,
            own.pub_id == pub_id,
            own.period == period.value,
            own.first == first_of(period, night),
        )
        .order_by(*order[measure], own.initials)
        .limit(most)
    ).all()
    keys = {
        Measure.WINS: attrgetter("wins", "matches"),
        Measure.SCORE: attrgetter("mean_total"),
        Measure.SKILL: attrgetter("given_away"),
        Measure.RATING: attrgetter("at_least"),
    }
    measured = list(map(keys[measure], found))
    return [
        Row(
            None if key is None else place,
            row.initials,
            row.matches,
            row.wins,
            row.mean_total,
            row.given_away,
            None if row.given_away is None else row.luck_sum / row.turns,
            row.at_least,
        )
        for place, key, row in zip(places_of(measured), measured, found, strict=True)
    ]


def categories_played(db: Connection, most: int = 12) -> Sequence[tuple[int, Category]]:
    """The categories that most pubs play, and of those the ones with most matches, the most first.

    One box can play as many matches of as many categories as it likes.
    """
    order = CATEGORY.c.pubs.desc(), CATEGORY.c.matches.desc(), CATEGORY.c.id
    found = db.execute(select(CATEGORY).where(IS_PLAYED).order_by(*order).limit(most))
    return [(row.id, category_from_row(row)) for row in found]


def latest_matches(
    db: Connection,
    most: int,
    *,
    pub_id: int | None = None,
    initials: str | None = None,
    ids: Sequence[int] | None = None,
) -> Sequence[dict[str, Any]]:
    """The latest matches to arrive, with their seats, latest first."""
    columns = [column for column in MATCH.c if column is not MATCH.c.record]
    query = select(*columns, PUB.c.name.label("pub")).join(PUB, PUB.c.id == MATCH.c.pub_id)
    if pub_id is not None:
        query = query.where(MATCH.c.pub_id == pub_id)
    if ids is not None:
        query = query.where(MATCH.c.id.in_(ids))
    if initials is not None:
        signed = select(SEAT.c.match_id).where(SEAT.c.initials == initials)
        query = query.where(MATCH.c.id.in_(signed.order_by(SEAT.c.match_id.desc()).limit(most)))
    matches = db.execute(query.order_by(MATCH.c.id.desc()).limit(most)).all()
    seats: dict[int, list[Any]] = {row.id: [] for row in matches}
    for seat in db.execute(select(SEAT).where(SEAT.c.match_id.in_(list(seats))).order_by(SEAT.c.seat)):
        seats[seat.match_id].append(seat)
    return [{"match": row, "seats": seats[row.id]} for row in matches]


def boxes_health(db: Connection, pub_id: int) -> Sequence[Any]:
    """The boxes of a pub with their latest reports of health."""
    return db.execute(
        select(BOX.c.name, HEALTH.c.state, HEALTH.c.seen_s)
        .join(HEALTH, HEALTH.c.box_id == BOX.c.id, isouter=True)
        .where(BOX.c.pub_id == pub_id)
        .order_by(BOX.c.name)
    ).all()
