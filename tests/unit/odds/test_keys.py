"""Every key of a game is understood by the odds, or refused: none is played as if it were not there."""

from dataclasses import dataclass, fields, replace
from typing import Any

import pytest
from tests.support.fast import fast_among

from shutthebox.config.profiles import builtin
from shutthebox.odds.model import TURN_KEYS
from shutthebox.odds.odds import Odds, for_points
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.worths import End, Number, OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import begin
from shutthebox.rules.profile import (
    Back,
    Blocked,
    Doubles,
    Draw,
    First,
    Group,
    MatchFormat,
    MoveKind,
    OneDie,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)

TWO_TO_GO = replace(builtin("two-to-go"), tiles=(1, 2, 3, 4, 5, 6))
OTHERS: dict[str, Any] = {
    "tiles": (1, 2, 3, 4, 5, 7),
    "rows": 2,
    "back": Back.REVERSED,
    "through": True,
    "row_points": (2, 1),
    "start_open": (2, 3, 4),
    "dice": 3,
    "sides": 4,
    "draw": Draw.DOMINOES,
    "bag": 28,
    "one_die": OneDie.NEVER,
    "one_die_at": 3,
    "one_die_tiles": (5, 6),
    "move": MoveKind.FACES_FREE,
    "min_tiles": 2,
    "max_tiles": 1,
    "operations": (Operation.PRODUCT,),
    "difference": True,
    "first_move_must_include": 3,
    "ends_turn_on": frozenset({7}),
    "doubles": Doubles.DOUBLED,
    "blocked": Blocked.PASSES,
    "strikes": 3,
    "insurance": True,
    "score": Scoring.COUNT,
    "lost_score": 9,
    "add_throw": True,
    "win": Win.HIGHEST,
    "name": "another",
    "titles": (("en", "Another"),),
    "source": "a pub",
    "group": Group.FRENCH,
    "boxes": (6, 9),
    "turns": Turns.ALTERNATE,
    "own_throws": 1,
    "shut_wins": ShutWins.NO,
    "shut_others": 20,
    "rounds": 3,
    "match": MatchFormat.DROP_OUT,
    "limit": 45,
    "tie": Tie.SHARE,
    "stakes": Stakes.POOL,
    "stake": 2,
    "pays": ((0, 2),),
    "first": First.ROTATES,
    "captain": True,
    "teams": 2,
    "handicap": (5,),
    "turn_seconds": 30,
}
"""For each key another value than that of the game."""


def played(profile: Profile) -> dict[End, Number]:
    return Odds(profile).ends(turns.start(profile))


OF_MATCH = {key.name for key in fields(Profile) if key.metadata.get("of_match")}


KEYS = [key.name for key in fields(Profile)]
OF_ROWS = {"rows", "back", "through", "row_points"}
"""Two rows have odds for which one waits."""


@pytest.mark.parametrize("key", fast_among(KEYS, set(KEYS) - OF_ROWS))
def test_a_key_changes_the_odds_or_is_beside_them_or_is_refused(key: str) -> None:
    assert key in OTHERS, "a new key: give it another value in OTHERS, for the odds to be asked about"
    # A lost turn knows no strikes.
    game = replace(TWO_TO_GO, first_move_must_include=None) if key == "strikes" else TWO_TO_GO
    if key == "bag":
        game = replace(game, draw=Draw.DOMINOES)
    if key == "one_die_tiles":
        game = replace(game, one_die=OneDie.FORCED_SHUT, one_die_tiles=(4,))
    if key in ("back", "through", "row_points"):
        game = replace(game, rows=2)
    other = replace(game, **{key: OTHERS[key]})
    if key in TURN_KEYS - {"turns"}:
        assert played(other) != played(game)
    elif key in OF_MATCH | {"turns"}:
        assert played(other) == played(game)
    else:
        with pytest.raises(OddsError, match=f"don't know the key {key}"):
            played(other)


def test_turns_on_one_row_for_all_have_odds_of_their_own() -> None:
    high_rollers = builtin("high-rollers")
    assert len(SharedRow(high_rollers).chances(begin(high_rollers, 2))) == 2
    with pytest.raises(OddsError, match="do not share"):
        SharedRow(replace(high_rollers, turns=Turns.ALTERNATE)).chances(begin(high_rollers, 2))


@dataclass(frozen=True)
class WithAnotherKey(Profile):
    """Games as somebody has made them who followed the recipe for a key of a game's file."""

    most_throws: int | None = None


def longer(most_throws: int | None) -> WithAnotherKey:
    traditional = builtin("traditional")
    keys = {key.name: getattr(traditional, key.name) for key in fields(traditional)}
    return WithAnotherKey(**keys, most_throws=most_throws)


def test_a_key_that_the_odds_do_not_know_is_refused() -> None:
    profile = longer(2)
    complaint = "traditional has no odds: they don't know the key most_throws"
    with pytest.raises(OddsError, match=complaint):
        Odds(profile)
    with pytest.raises(OddsError, match=complaint):
        Odds(for_points(profile))
    with pytest.raises(OddsError, match=complaint):
        SharedRow(replace(longer(2), turns=Turns.SHARED)).chances(begin(builtin("high-rollers"), 2))


def test_at_its_default_such_a_key_changes_nothing() -> None:
    assert played(longer(None)) == played(builtin("traditional"))


def test_a_bag_that_is_shared_in_rotation_has_no_odds_of_one_players_own_draws() -> None:
    bag = replace(builtin("domino-bag"), tiles=(1, 2, 3, 4), turns=Turns.ALTERNATE, win=Win.FIRST_TO_SHUT)
    with pytest.raises(OddsError, match="what the others draw from the bag"):
        Odds(bag, turns.start(bag))
