"""The review command: its JSON, its words in every language, and its errors."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.command import printed, refused
from tests.support.records import TWO_TURNS

from shutthebox.cli.review import review_document, review_lines
from shutthebox.config.profiles import builtin
from shutthebox.odds.coach import Balance, MatchReview, PlayerReview
from shutthebox.rules.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "match.txt"
    path.write_text(TWO_TURNS)
    return path


def test_a_turn_without_a_score_is_told_as_what_it_was_worth(tmp_path: Path) -> None:
    begun = tmp_path / "begun.txt"
    begun.write_text("\n".join(TWO_TURNS.splitlines()[:-6]) + "\n")
    said = printed("review", begun)
    assert "Player 2: accuracy" in said
    assert said.count(" scored: ") == said.count(" at last: ") == 1
    first, second = json.loads(printed("review", begun, "--json"))["players"]
    assert (first["scored"], second["scored"]) == (True, False)


@pytest.mark.slow
def test_json(record: Path) -> None:
    found = json.loads(printed("review", record, "--json"))
    assert list(found) == ["profile", "players", "exact", "turning_point", "decisions"]
    assert found["exact"] is True
    first, second = found["players"]
    assert (first["points"]["final"], second["points"]["final"]) == (23, 14)
    assert (first["win"]["final"], second["win"]["final"]) == (0, 1)
    for player in (first, second):
        for balance in (player["win"], player["points"]):
            gained = balance["final"] - balance["initial"]
            assert gained == pytest.approx(balance["luck"] + balance["skill"], abs=1e-12)
    decision = found["decisions"][0]
    assert decision["throw"] == [6, 4]
    assert (decision["chosen"], decision["best"]) == ([4, 6], [1, 9])
    assert decision["cost_win"] > 0


def test_words(record: Path) -> None:
    """The last round is exact: nothing is said of an approximation."""
    assert (
        printed("review", record)
        == """\
Player 1: accuracy 70 %
  chance to win 50.2 % at the start, 0.0 % at the end: luck -31.8 %, decisions -18.3 %
  points 11.0 expected, 23.0 scored: luck +6.9, decisions +5.1
Player 2: accuracy 97 %
  chance to win 49.8 % at the start, 100.0 % at the end: luck +52.9 %, decisions -2.7 %
  points 11.0 expected, 14.0 scored: luck +3.0, decisions +0.0
Turning point: player 1, round 1, the throw 4+3
What cost most:
  player 1, round 1, 1,2,3,5,7,8,9 open, 6+6: 5+7, 3+9 is better; costs 10.17 % and 2.57 points
  player 1, round 1, 1,2,3,4,5,6,7,8,9 open, 6+4: 4+6, 1+9 is better; costs 8.15 % and 2.52 points
  player 2, round 1, 1,2,3,4,5,6,7,8 open, 5+5: 2+8, 4+6 is better; costs 2.70 % and 0.00 points
"""
    )


# -- what a review says, whatever was played -----------------------------------------------------

HALF = Fraction(1, 2)
EVEN = Balance(HALF, HALF, Fraction(0), Fraction(0))
POINTS = Balance(Fraction(11), Fraction(14), Fraction(5, 2), Fraction(1, 2))
MATCH = Record(builtin("traditional"), 2, 1, ())


def reviewed(win: Balance | None, second: float | None = 100.0, *, exact: bool = True) -> MatchReview:
    """A match of two; the second player's accuracy is None without a throw."""
    players = tuple(PlayerReview(POINTS, win, accuracy) for accuracy in (87.5, second))
    return MatchReview(players, (), None, exact)


def lines(review: MatchReview) -> list[str]:
    return list(review_lines(MATCH, review, str))


def test_nothing_is_said_of_a_player_who_has_not_thrown() -> None:
    found = reviewed(None, second=None)
    assert not [line for line in lines(found) if "Player 2" in line]
    players = review_document(MATCH, found)["players"]
    assert isinstance(players, list)
    assert players[1]["accuracy"] is None


@pytest.mark.parametrize(
    ("win", "exact", "is_said"), [(EVEN, False, True), (EVEN, True, False), (None, False, False)]
)
def test_an_approximation_is_called_one(win: Balance | None, exact: bool, is_said: bool) -> None:
    """Where there are no chances to win, none is approximate."""
    review = reviewed(win, exact=exact)
    approximation = "Before the last round, chances to win are approximate."
    assert (approximation in lines(review)) == is_said
    assert review_document(MATCH, review)["exact"] == exact


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello\n", "not a record"),
        (TWO_TURNS.replace("6+4 4,6", "6+4 4,7"), ":4:"),
        ("shut-the-box record 1\nprofile the-300\nplayers 2\n1 6+6+6+6\n", "24 tiles"),
    ],
    ids=["no record", "no move", "too large a box"],
)
def test_a_file_that_cannot_be_reviewed(text: str, said: str, record: Path) -> None:
    record.write_text(text)
    assert said in refused("review", record)
