"""Matches with dictated scores, for tests of a match's result."""

from typing import Any

from shutthebox.rules.match import Match
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile, ShutWins, Tie
from shutthebox.rules.turn import Outcome

# A box with one tile is shut by that number; any other throw of the die ends the turn. So a
# turn is one throw, and its score is the tile or nothing.
TINY = Profile("tiny", tiles=(4,), dice=1, shut_wins=ShutWins.NO, tie=Tie.SHARE)


def points_box(**keys: Any) -> Profile:
    """A profile for matches whose scores are dictated, see `finish`."""
    settings: dict[str, Any] = {"shut_wins": ShutWins.NO, **keys}
    return Profile("points", tiles=(1,), dice=1, **settings)


def finish(match: Match, scores: list[int]) -> Match:
    """Turns that end with these scores, without throws; 0 is a shut box."""
    for points in scores:
        if match.stage is Stage.ADVANCE:
            match = match.advance()
        turn = match.turn._replace(throw=(1,), throws=1)
        outcome = Outcome.SHUT if points == 0 else Outcome.BLOCKED
        match = match._with_turn(turn._replace(outcome=outcome, score=points))
    return match
