"""One row for all: everybody's chance to win, against a plain recursion over the match itself."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.odds.advice import advise
from shutthebox.odds.odds import Odds
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.worths import Objective, OddsError, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import OneDie, Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome

ROLLERS = builtin("high-rollers")
SHORT = replace(ROLLERS, tiles=(1, 2, 3, 4), sides=3, one_die=OneDie.OPTIONAL_HIGH)
Wins = tuple[Fraction, ...]


def plain(profile: Profile, players: int) -> Callable[[Match], Wins]:
    """Gives everybody's chance in a match, each playing for the own one."""

    @cache
    def chances(match: Match) -> Wins:
        if match.result is not None:
            return tuple(Fraction(i in match.result.winners) for i in range(players))
        if match.stage is Stage.ADVANCE:
            return chances(same(match.advance()))
        if match.stage is Stage.ANSWER:
            answers = turns.answers(match.game, match.turn) or (0,)
            return max((chances(same(match.move(shut))) for shut in answers), key=lambda w: w[match.player])
        dice = dice_allowed(match.game, match.turn.open)
        return max((thrown(match, count) for count in dice), key=lambda w: w[match.player])

    def thrown(match: Match, dice: int) -> Wins:
        sums, counted = [Fraction(0)] * players, 0
        for faces in product(range(1, profile.sides + 1), repeat=dice):
            after = match.throw(faces)
            passes = after.stage is Stage.ANSWER and not turns.answers(after.game, after.turn)
            if passes and same(after.move(0)) == match:
                continue  # a double that earns the insurance that it uses up
            counted += 1
            sums = [a + b for a, b in zip(sums, chances(same(after)), strict=True)]
        return tuple(each / counted for each in sums)

    def same(match: Match) -> Match:
        """The match without the parts that make no difference later."""
        rows = tuple(replace(row, throws=0, moves=0) for row in match.rows)
        return replace(match, rows=rows, turns_over=0)

    return lambda match: chances(same(match))


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.timeout(60)  # plain recursion over every position
def test_everybodys_chance(players: int) -> None:
    profile = SHORT if players < 3 else replace(SHORT, tiles=(1, 2, 3))
    expected = plain(profile, players)(begin(profile, players))
    if players == 1:
        # Who plays alone is the last one in whatever happens; the odds say how often the row is shut.
        shut = Odds(profile).value(turns.start(profile), Objective.SHUT).shut
        assert SharedRow(profile).wins(1) == pytest.approx((shut,), abs=1e-9)
        return
    assert SharedRow(profile).wins(players) == pytest.approx(tuple(map(float, expected)), abs=1e-12)


def test_the_figures_of_the_documentation() -> None:
    assert SharedRow(ROLLERS).wins(2) == pytest.approx((0.516554, 0.483446), abs=5e-7)


def test_a_move_that_leaves_the_other_nothing_is_best() -> None:
    match = begin(replace(ROLLERS, insurance=False), 2)
    row = replace(match.turn, open=to_tiles([1, 3, 4]))
    thrown = replace(match, rows=(row, row)).throw((1, 3))
    # The other then needs a 4: three throws of 36.
    assert advise(thrown).best == to_tiles([1, 3])
    assert SharedRow(match.game).chances(thrown.move(to_tiles([1, 3])))[0] == pytest.approx(33 / 36)


def test_what_has_no_odds() -> None:
    with pytest.raises(OddsError, match="do not share a row"):
        SharedRow(builtin("golf"))
    with pytest.raises(TooLargeError):
        SharedRow(ROLLERS).wins(4)
    with pytest.raises(TooLargeError):
        SharedRow(replace(ROLLERS, teams=2)).wins(4)


OUT = replace(turns.start(ROLLERS), outcome=Outcome.BLOCKED, score=0)
