"""The tables of tournaments of equal dice: the best of each seat.

A seat stores which table it's in, so reading the best takes the same time however many there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from shutthebox.rules.equal_dice import Tournament
from shutthebox_league.categories import HIGHEST_WINS
from shutthebox_league.errors import LeagueError
from shutthebox_league.schema import IN_TOURNAMENT, MATCH, SEAT, TOURNAMENT

SHOWN = 50
"""The most rows of a table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a tournament.

    Attributes:
        seat: whose throws were the same, from 1.
        highest_wins: it has the games in which the highest total wins; otherwise all others.
        rows: with `initials`, `total` and `match_id`, the best first, at most `SHOWN`.
    """

    seat: int
    highest_wins: bool
    rows: Sequence[Any]


def add_tournament(db: Connection, tournament: Tournament, closes_s: int, now_s: int) -> None:
    """Adds a tournament; its seed is shown from `closes_s` on, in seconds since 1970."""
    values = {
        "commitment": tournament.commitment, "name": tournament.name, "text": tournament.to_text(),
        "made_s": now_s, "closes_s": closes_s,
    }  # fmt: skip
    db.execute(insert(TOURNAMENT).values(values))


def is_open(db: Connection, commitment: str, now_s: float) -> bool:
    """Whether there is a tournament with this commitment whose throws are secret still."""
    where = (TOURNAMENT.c.commitment == commitment) & (TOURNAMENT.c.closes_s > now_s)
    return db.execute(select(TOURNAMENT.c.commitment).where(where)).first() is not None


def check_undecided(db: Connection, which: ColumnElement[bool], now_s: float) -> None:
    """Checks that none of these matches counts for a tournament that has closed.

    Raises:
        LeagueError: naming one.
    """
    decided = (
        select(MATCH.c.id, TOURNAMENT.c.name)
        .join(TOURNAMENT, TOURNAMENT.c.commitment == MATCH.c.commitment)
        .where(which, MATCH.c.unranked == "", TOURNAMENT.c.closes_s <= now_s)
        .limit(1)
    )
    if (found := db.execute(decided).first()) is not None:
        raise LeagueError(
            f"match {found.id} counts for the tournament {found.name}; the league's operator can do this"
        )


def read_tables(db: Connection, commitment: str) -> Sequence[Table]:
    """The tables of a tournament, seat by seat."""
    total, match_id = SEAT.c.total, SEAT.c.match_id
    own = (SEAT.c.tournament == commitment) & IN_TOURNAMENT
    seats = db.execute(select(func.max(SEAT.c.seat)).where(own)).scalar() or 0
    tables = []
    for seat in range(1, seats + 1):
        for highest_wins in (False, True):
            found = (
                select(SEAT.c.initials, SEAT.c.total, SEAT.c.match_id)
                .where(own, SEAT.c.seat == seat, SEAT.c.highest_wins == highest_wins)
                .order_by(*((total.desc(), match_id.desc()) if highest_wins else (total, match_id)))
                .limit(SHOWN)
            )
            if rows := db.execute(found).all():
                tables.append(Table(seat, highest_wins, rows))
    return tables


def enter(db: Connection, which: ColumnElement[bool]) -> None:
    """Enters the seats of these matches in the tables of their tournaments."""
    ranked = (MATCH.c.unranked == "") & (MATCH.c.voided == 0)
    counts = select(MATCH.c.id).where(which, ranked, MATCH.c.commitment != "")
    of_match = MATCH.c.id == SEAT.c.match_id
    values = {
        "tournament": select(MATCH.c.commitment).where(of_match).scalar_subquery(),
        "highest_wins": select(MATCH.c.game.in_(HIGHEST_WINS)).where(of_match).scalar_subquery(),
    }
    db.execute(update(SEAT).where(SEAT.c.match_id.in_(counts), SEAT.c.total.is_not(None)).values(values))


def leave(db: Connection, which: ColumnElement[bool]) -> None:
    """Takes the seats of these matches out of these tables."""
    own = SEAT.c.match_id.in_(select(MATCH.c.id).where(which, MATCH.c.commitment != ""))
    db.execute(update(SEAT).where(own).values(tournament=None, highest_wins=None))
