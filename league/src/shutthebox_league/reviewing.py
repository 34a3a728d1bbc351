"""The review of matches: for every turn, how much of its score was luck and how much the decisions cost.

It takes longer than the check by the rules, so it is done when no message waits. Several consumers may
review at once; what they find is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, select, update

from shutthebox.game.play import MatchInPlay, PlayedTurn, done
from shutthebox.odds import Odds
from shutthebox.odds.coach import Balance, Decision
from shutthebox.odds.coach import review as review_turn
from shutthebox.odds.odds import odds_for_points
from shutthebox.odds.values import OddsError
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
        points: luck and decisions, in points.
        decisions: the choices that the player had; their throws are numbered from 0.
    """

    seat: int
    points: Balance
    decisions: tuple[Decision, ...]


def odds_of(profile: Profile) -> Odds | None:
    """The exact odds of a profile, for points; None for house rules and where they are out of reach."""
    if not is_builtin(profile):
        return None
    try:
        return odds_for_points(profile)
    except OddsError:
        return None


def review(record: Record) -> tuple[ReviewedTurn, ...]:
    """All whole turns of a match; none where its rules have no odds, or players alternate by throws."""
    if odds_of(record.profile) is None:
        return ()
    play = MatchInPlay(record.beginning)
    for action in record.actions:
        play, _ = done(play, action)
    return tuple(_reviewed(turn) for turn in play.unreviewed)


def _reviewed(turn: PlayedTurn) -> ReviewedTurn:
    player = turn.beginning.player
    found = review_turn(turn.beginning, turn.actions, for_win=False)
    return ReviewedTurn(player + 1, found.players[player].points, found.decisions)


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
                of_seat = [turn.points for turn in turns if turn.seat == seat]
                where_seat = (SEAT.c.match_id == match_id) & (SEAT.c.seat == seat)
                db.execute(update(SEAT).where(where_seat).values(_sums(of_seat)))
            db.execute(update(MATCH).where(MATCH.c.id == match_id).values(reviewed_s=now_s))
    return len(found)


def _sums(turns: Sequence[Balance]) -> dict[str, float]:
    return {
        "turns": len(turns),
        "score_sum": float(sum(turn.final for turn in turns)),
        "luck_sum": float(sum(turn.luck for turn in turns)),
        "given_away_sum": float(sum(turn.given_away for turn in turns)),
    }
