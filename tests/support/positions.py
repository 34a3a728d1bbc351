"""Positions of a match that tests set up instead of playing."""

from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.turn import Turn


def with_rows(match: Match, *rows: Turn) -> Match:
    """The match with these rows in its current round."""
    return match._replace(round=match.round._replace(rows=rows))


def common_throw(match: Match) -> Throw | None:
    """The throw for everyone that's on the table."""
    common = match.round.common
    return None if common is None else common.faces
