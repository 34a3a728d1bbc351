"""One row for all: everybody's chance to win, against the oracle."""

from dataclasses import replace

import pytest
from tests.support.positions import with_rows
from tests.unit.odds.plain import match_oracle

from shutthebox.config.profiles import builtin
from shutthebox.odds.advice import advise
from shutthebox.odds.odds import Odds
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.worths import Objective, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import begin
from shutthebox.rules.profile import OneDie, Profile
from shutthebox.rules.tiles import to_tiles

ROLLERS = builtin("high-rollers")
SHORT = replace(ROLLERS, tiles=(1, 2, 3, 4), sides=3, one_die=OneDie.OPTIONAL_HIGH)


def wins(profile: Profile, players: int) -> tuple[float, ...]:
    """Every seat's chance to win."""
    return SharedRow(profile).chances(begin(profile, players))


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.timeout(60)  # plain recursion over every position
def test_everybodys_chance(players: int) -> None:
    profile = SHORT if players < 3 else replace(SHORT, tiles=(1, 2, 3))
    expected = match_oracle(profile, players)
    if players == 1:
        # Who plays alone is the last one in whatever happens; the odds say how often the row is shut.
        shut = Odds(profile).value(turns.start(profile), Objective.SHUT).shut
        assert wins(profile, 1) == pytest.approx((shut,), abs=1e-9)
        return
    assert wins(profile, players) == pytest.approx(expected, abs=1e-9)


def test_a_move_that_leaves_the_other_nothing_is_best() -> None:
    match = begin(replace(ROLLERS, insurance=False), 2)
    row = match.turn._replace(open=to_tiles([1, 3, 4]))
    thrown = with_rows(match, row, row).throw((1, 3))
    # The other then needs a 4: three throws of 36.
    assert advise(thrown).best == to_tiles([1, 3])
    assert SharedRow(match.game).chances(thrown.move(to_tiles([1, 3])))[0] == pytest.approx(33 / 36)


def test_what_has_no_odds() -> None:
    with pytest.raises(OddsError, match="do not share a row"):
        wins(builtin("golf"), 2)
    with pytest.raises(TooLargeError):
        wins(ROLLERS, 4)
    with pytest.raises(TooLargeError):
        wins(replace(ROLLERS, teams=2), 4)
