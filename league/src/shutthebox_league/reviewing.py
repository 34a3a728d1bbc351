"""The review of matches: for every turn, how much of its score was luck and how much the decisions cost.

It takes longer than the check by the rules, so it is done when no message waits. Several consumers may
review at once; what they find is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Engine, select, update

from shutthebox.game.play import MatchInPlay, done
from shutthebox.odds import Odds
from shutthebox.odds.turn_account import Account, PlayedThrow, account
from shutthebox.odds.values import OddsError
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile
from shutthebox.rules.record import Record
from shutthebox_league.checking import is_builtin, read_record
from shutthebox_league.schema import MATCH, SEAT

BATCH = 8
"""Matches that are reviewed in one go, before messages are looked for again."""


@dataclass(frozen=True, slots=True)
class ReviewedTurn:
    """A whole turn of a match.

    Attributes:
        seat: from 1.
        throws: the throws and their answers.
        account: luck and decisions.
    """

    seat: int
    throws: tuple[PlayedThrow, ...]
    account: Account


@lru_cache(maxsize=16)
def odds_of(profile: Profile) -> Odds | None:
    """The exact odds of a profile; None for house rules and where they are out of reach."""
    if not is_builtin(profile):
        return None
    try:
        return Odds(profile)
    except OddsError:
        return None


def review(record: Record) -> tuple[ReviewedTurn, ...]:
    """All whole turns of a match; none where its rules have no odds, or players alternate by throws."""
    odds = odds_of(record.profile)
    if odds is None:
        return ()
    play = MatchInPlay(begin(record.profile, record.players, record.rounds))
    for action in record.actions:
        play, _ = done(play, action)
    return tuple(
        ReviewedTurn(player + 1, throws, account(odds, throws)) for player, throws in play.unaccounted
    )


def review_some(engine: Engine, now_s: int, most: int = BATCH) -> int:
    """Reviews matches that have not been reviewed, the oldest first; returns how many.

    Raises:
        SQLAlchemyError: if the database is away.
    """
    with engine.connect().execution_options(reads=True) as db:
        where = MATCH.c.reviewed_s.is_(None)
        found = db.execute(
            select(MATCH.c.id, MATCH.c.record).where(where).order_by(MATCH.c.id).limit(most)
        ).all()
    if not found:
        return 0
    reviewed = [(row.id, review(read_record(row.record))) for row in found]
    with engine.begin() as db:
        for match_id, turns in reviewed:
            for seat in {turn.seat for turn in turns}:
                of_seat = [turn.account for turn in turns if turn.seat == seat]
                where_seat = (SEAT.c.match_id == match_id) & (SEAT.c.seat == seat)
                db.execute(update(SEAT).where(where_seat).values(_sums(of_seat)))
            db.execute(update(MATCH).where(MATCH.c.id == match_id).values(reviewed_s=now_s))
    return len(found)


def _sums(accounts: Sequence[Account]) -> dict[str, float]:
    return {
        "turns": len(accounts),
        "score_sum": float(sum(found.score for found in accounts)),
        "luck_sum": float(sum(found.luck for found in accounts)),
        "given_away_sum": float(sum(found.given_away for found in accounts)),
    }
