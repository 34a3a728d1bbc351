"""Playing for the win, against a plain recursion and against what anybody would do."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.odds import End, Odds
from shutthebox.odds.win_chances import Duel, Rivals, win_chances
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Blocked, Draw, Profile, Scoring, ShutWins, Win
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome, Turn

TRADITIONAL = profiles.builtin("traditional")
SHORT = replace(TRADITIONAL, tiles=(1, 2, 3, 4, 5, 6))


def by_recursion(oracle: Callable[..., Any], duel: Duel, turn: Turn) -> float:
    """The best chance to win, from the rules and the worth of each final score alone."""

    class Winner(oracle):  # type: ignore[valid-type, misc]
        def best(self, turn: Turn) -> tuple[Fraction, Fraction]:
            if turn.outcome is not None:
                win = duel.utility(turn.score or 0, turn.outcome is Outcome.SHUT)
                return Fraction(win), Fraction(0)
            if turn.throw is not None:
                return max(map(self.best, self.answers(turn)))
            made = turn.throws if self.profile.score is Scoring.THROWS else 0
            key = replace(turn, moves=int(turn.moves > 0), throws=made)
            if key not in self.known:
                self.known[key] = max(self.mean(key, d) for d in dice_allowed(self.profile, turn.open))
            pair: tuple[Fraction, Fraction] = self.known[key]
            return pair

    return float(Winner(duel.profile, "score").best(turn)[0])


CASES = [
    (SHORT, Rivals(done=(3,))),
    (SHORT, Rivals(done=(3, 3), tie=0.0)),
    (SHORT, Rivals(done=(14,), to_come=(10, 12), own=7)),
    (SHORT, Rivals(to_come=(0,))),
    (replace(SHORT, shut_wins=ShutWins.NO), Rivals(done=(0,), to_come=(0, 0))),
    (replace(SHORT, win=Win.HIGHEST, shut_wins=ShutWins.NO), Rivals(done=(12,), to_come=(0,))),
    (replace(SHORT, first_move_must_include=2), Rivals(done=(9,), to_come=(0,))),
    (replace(SHORT, blocked=Blocked.PASSES, ends_turn_on=frozenset({7})), Rivals(done=(4,))),
    (replace(SHORT, tiles=(1, 2, 3, 4), draw=Draw.DOMINOES), Rivals(done=(4,), to_come=(0,))),
    (replace(SHORT, score=Scoring.THROWS, shut_wins=ShutWins.NO), Rivals(done=(3,), to_come=(0,))),
    (replace(SHORT, score=Scoring.THROWS, first_move_must_include=1), Rivals(done=(3,), to_come=(0,))),
]


@pytest.mark.parametrize(("profile", "rivals"), CASES, ids=range(len(CASES)))
def test_against_recursion(profile: Profile, rivals: Rivals, oracle: Callable[..., Any]) -> None:
    duel, start = Duel(profile, rivals), turns.start(profile)
    assert duel.chance(start).win == pytest.approx(by_recursion(oracle, duel, start), abs=1e-9)
    thrown = turns.throw(profile, start, (1, 5))
    if thrown.awaits_answer:
        assert duel.chance(thrown).win == pytest.approx(by_recursion(oracle, duel, thrown), abs=1e-9)
        ranked = duel.ranked(thrown)
        assert ranked[0].cost == 0
        assert ranked[0].chance == duel.chance(thrown)
        assert all(option.cost >= 0 for option in ranked)


def test_throws_that_open_tiles_again() -> None:
    profile = replace(profiles.builtin("open-one"), tiles=(1, 2, 3, 4), shut_wins=ShutWins.NO)
    ends = Odds(profile).ends(turns.start(profile))
    duel = Duel(profile, Rivals(done=(3,)))
    # Nobody shuts four tiles in fewer than one throw; who needs two of them can but try.
    assert 0 < duel.chance(turns.start(profile)).win < 1
    assert (
        duel.chance(turns.start(profile)).win
        >= (
            sum(float(chance) for end, chance in ends.items() if end.score < 3)
            + sum(float(chance) for end, chance in ends.items() if end.score == 3) / 2
        )
        - 1e-9
    )
    assert duel.chance(Turn(profile.starting, throws=5)).win == 0
    wins_outright = Duel(replace(profile, shut_wins=ShutWins.ROUND), Rivals(done=(3,)))
    assert wins_outright.chance(turns.start(profile)).win == pytest.approx(1)


def test_ties() -> None:
    none = dict[End, float]()
    assert win_chances(TRADITIONAL, Rivals(done=(5, 9)), none, [4, 5, 6]) == [1.0, 0.5, 0.0]
    assert win_chances(TRADITIONAL, Rivals(done=(5, 5)), none, [5]) == [pytest.approx(1 / 3)]
    assert win_chances(TRADITIONAL, Rivals(done=(5, 5), tie=0.25), none, [5]) == [0.25]
    assert win_chances(TRADITIONAL, Rivals(done=(5,), own=3), none, [1, 2, 3]) == [1.0, 0.5, 0.0]


def test_those_to_come() -> None:
    ends = {End(0, True): 0.1, End(5, False): 0.4, End(9, False): 0.5}
    found = win_chances(TRADITIONAL, Rivals(to_come=(0,)), ends, [1, 5, 7, 9, 10])
    # Whoever shuts the box wins, and level scores are shared.
    assert found == pytest.approx([0.9, 0.7, 0.5, 0.25, 0.0])
    two = win_chances(TRADITIONAL, Rivals(to_come=(0, 0)), ends, [5])
    assert two == pytest.approx([0.5 * 0.5 + 2 * 0.5 * 0.4 / 2 + 0.4 * 0.4 / 3])


def test_who_must_shut_the_box_plays_for_that() -> None:
    duel = Duel(TRADITIONAL, Rivals(done=(0,), tie=0.0))
    start = turns.start(TRADITIONAL)
    assert duel.chance(start).win == pytest.approx(956177159 / 9795520512)


def test_never_worse_than_playing_for_points() -> None:
    odds, start = Odds(SHORT), turns.start(SHORT)
    for target in range(0, 22, 3):
        duel = Duel(SHORT, Rivals(done=(target,)))
        by_points = sum(
            float(chance) * duel.utility(end.score, end.shut) for end, chance in odds.ends(start).items()
        )
        assert duel.chance(start).win >= by_points - 1e-9
        assert duel.chance(start).score >= odds.value(start).score - 1e-9


def test_the_number_of_dice_can_depend_on_the_others() -> None:
    found = set()
    for target in range(1, 21):
        duel = Duel(TRADITIONAL, Rivals(done=(target,)))
        found |= {duel.best_dice(Turn(tiles, moves=1)) for tiles in range(1, 64)}
    assert found == {1, 2}


def test_a_turn_that_is_over() -> None:
    duel = Duel(TRADITIONAL, Rivals(done=(10,)))
    blocked = turns.throw(TRADITIONAL, Turn(to_tiles([2, 3]), moves=1), (6, 6))
    assert duel.chance(blocked) == (1.0, 5.0)
    assert duel.ranked(blocked) == ()
