"""The coach: luck and skill add up exactly, and best play gives nothing away."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import pytest
from tests.support import generate
from tests.support.chance import next_action
from tests.support.fast import fast_among
from tests.support.house import house

from shutthebox.config import profiles
from shutthebox.odds.coach import Balance, Decision, MatchReview, TurningPoint, review
from shutthebox.odds.match_play import Seats
from shutthebox.odds.odds import Odds, for_points
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Thrown, apply
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile, Tie
from shutthebox.rules.record import replay
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome, Turn

TRADITIONAL = profiles.builtin("traditional")


def adds_up(found: MatchReview) -> None:
    for player in found.players:
        for balance in filter(None, (player.points, player.win)):
            assert balance.final - balance.initial == balance.luck + balance.skill
        assert player.accuracy is None or 0 <= player.accuracy <= 100
    for decision in found.decisions:
        assert 0 <= decision.cost <= decision.stake
        assert decision.points >= 0


def played(
    profile: Profile, players: int, seed: int, rounds: int | None = None, most: int = 10_000
) -> tuple[Match, list[Action]]:
    """A match at random, as far as so many actions."""
    rng, match, actions = random.Random(seed), begin(profile, players, rounds), list[Action]()
    while match.stage is not Stage.FINISHED and len(actions) < most:
        actions.append(next_action(match, rng))
        match = apply(match, actions[-1])
    return match, actions


@pytest.mark.slow
@pytest.mark.parametrize("name", ["traditional", "pub", "jouhet", "misere", "two-to-go", "unlucky-seven"])
def test_luck_and_skill_add_up_to_the_result(name: str) -> None:
    profile = profiles.builtin(name)
    for seed in range(2):
        match, actions = played(profile, 3, seed)
        found = review(begin(profile, 3), actions)
        adds_up(found)
        assert match.result is not None
        for i, player in enumerate(found.players):
            assert player.win is not None
            assert player.win.final == Fraction((i in match.result.winners) / len(match.result.winners))
            assert player.win.initial == Fraction(Seats(profile).chances(begin(profile, 3))[i])
            assert player.win.skill <= 0
            if not match.round.tie_rounds:
                assert player.points.final == match.totals[i]


def test_every_action_is_in_the_account() -> None:
    """What luck and decisions did adds up to the result, whatever players can do."""
    for record in generate.records_of_every_action(3):
        *_, last = replay(record)
        found = review(record.beginning, record.actions)
        adds_up(found)
        if not last.round.tie_rounds:
            assert [player.points.final for player in found.players] == [*last.totals]


@pytest.mark.parametrize("name", ["young", "tournament-45"])
def test_matches_without_chances_are_told_in_points(name: str) -> None:
    profile = profiles.builtin(name)
    _, actions = played(profile, 2, 7)
    found = review(begin(profile, 2), actions)
    adds_up(found)
    assert all(player.win is None for player in found.players)
    assert not found.exact


@pytest.mark.slow
def test_best_play_gives_nothing_away() -> None:
    rng, match, actions = random.Random(3), begin(TRADITIONAL, 2), list[Action]()
    while match.stage is not Stage.FINISHED:
        action = next_action(match, rng)
        if isinstance(action, Thrown):
            dice = Seats(match.game).play(match).best_dice(match.turn)
            action = Thrown(tuple(rng.randint(1, 6) for _ in range(dice)))
        elif isinstance(action, Moved):
            action = Moved(Seats(match.game).play(match).ranked(match.turn)[0][0])
        actions.append(action)
        match = apply(match, action)
    found = review(begin(TRADITIONAL, 2), actions)
    for player in found.players:
        assert player.win is not None
        assert player.win.skill == pytest.approx(0, abs=1e-9)
        assert player.accuracy in (None, pytest.approx(100))
    assert found.exact


def test_the_number_of_dice_is_a_decision() -> None:
    beginning = begin(replace(TRADITIONAL, tiles=(1, 2, 3, 4, 5, 6, 7)), 2)
    shut_seven: list[Action] = [Thrown((4, 3)), Moved(to_tiles([7]))]
    match = reduce(apply, shut_seven, beginning)
    found = review(beginning, [*shut_seven, Thrown((4,))])
    decision = found.decisions[-1]
    play = Seats(match.game).play(match)
    assert (decision.throw, decision.chosen) == (None, 1)
    assert decision.best == play.best_dice(match.turn)
    two, one = (Fraction(play.with_dice(match.turn, dice).main) for dice in (2, 1))
    assert decision.win == two - one


POINTS_GAMES = {
    **{
        name: profiles.builtin(name) for name in ("traditional", "digits", "misere", "cover-200", "two-to-go")
    },
    **{name: profiles.builtin(name) for name in ("trac-free", "young", "unlucky-seven")},
    "opens-one": replace(profiles.builtin("open-one"), tiles=(1, 2, 3, 4)),
    "dominoes": replace(profiles.builtin("domino-bag"), tiles=(1, 2, 3, 4, 5)),
}


@pytest.mark.parametrize("game", fast_among(POINTS_GAMES, ["digits"]))
def test_each_turn_by_itself_makes_up_the_match_in_points(game: str) -> None:
    profile = POINTS_GAMES[game]
    odds = Odds(for_points(profile))
    for seed in range(2):
        _, actions = played(profile, 2, seed, most=200)
        whole = review(begin(profile, 2), actions, for_win=False)
        adds_up(whole)
        assert all(player.win is None for player in whole.players)
        parts = [review(match, turn, for_win=False) for match, turn in turns_of(begin(profile, 2), actions)]
        for i, player in enumerate(whole.players):
            own = [part.players[i].points for part in parts]
            assert player.points.luck == sum(balance.luck for balance in own)
            assert player.points.skill == sum(balance.skill for balance in own)
            better = 1 if odds.rules.highest_wins else -1
            initial = better * Fraction(odds.play().worth(turns.start(profile)).main)
            assert all(balance.initial in (0, initial) for balance in own)
        assert sum(len(part.decisions) for part in parts) == len(whole.decisions)


def turns_of(match: Match, actions: Sequence[Action]) -> list[tuple[Match, list[Action]]]:
    """Each turn with the match before it."""
    found: list[tuple[Match, list[Action]]] = [(match, [])]
    for action in actions:
        match = apply(match, action)
        if isinstance(action, Advanced):
            found.append((match, []))
        else:
            found[-1][1].append(action)
    return found


@pytest.mark.slow
def test_several_rounds_are_said_to_be_an_approximation() -> None:
    profile = profiles.builtin("jouhet")
    _, actions = played(profile, 2, 2, rounds=2)
    assert not review(begin(profile, 2, 2), actions).exact
    _, actions = played(profile, 2, 2, rounds=1)
    assert review(begin(profile, 2, 1), actions).exact


# One die and the tiles 1, 2 and 3: the least expected sums by the open tiles can be worked out by hand.
BY_HAND = replace(profiles.builtin("golf"), tiles=(1, 2, 3), boxes=(), dice=1, tie=Tie.SHARE)
WORTH = {
    (3,): Fraction(5, 2),
    (1, 2): Fraction(23, 12),
    (1, 2, 3): Fraction(61, 36),
}
ONE_TWO, THREE = to_tiles([1, 2]), to_tiles([3])


def test_a_match_worked_out_by_hand() -> None:
    # The first player shuts 1 and 2 for a 3, and is blocked by a 1; the second shuts the 3, then the rest.
    first: list[Action] = [Thrown((3,)), Moved(ONE_TWO), Thrown((1,)), Advanced()]
    second: list[Action] = [Thrown((3,)), Moved(THREE), Thrown((3,)), Moved(ONE_TWO)]
    found = review(begin(BY_HAND, 2), [*first, *second], for_win=False)
    start, good, bad = WORTH[1, 2, 3], WORTH[1, 2], WORTH[3,]
    one, two = found.players
    assert one.points == Balance(start, Fraction(3), (good - start) + (3 - bad), bad - good)
    assert one.points.given_away == bad - good == Fraction(7, 12)
    assert two.points == Balance(start, Fraction(0), (good - start) - good, Fraction(0))
    assert (one.accuracy, two.accuracy) == (0.0, 100.0)
    assert (one.win, two.win, found.exact) == (None, None, False)
    cost, nothing = bad - good, Fraction(0)
    assert found.decisions == (
        Decision(0, 1, 0b111, 0, (3,), ONE_TWO, THREE, cost, None, cost),
        Decision(1, 1, 0b111, 2, (3,), THREE, THREE, nothing, None, cost),
    )
    assert found.worst == found.decisions[0]
    assert [each.cost for each in found.decisions] == [cost, nothing]
    assert found.turning_point == TurningPoint(1, 1, (3,), False, good)


def test_time_that_runs_out_is_the_players_fault() -> None:
    start, good = WORTH[1, 2, 3], WORTH[1, 2]
    match = begin(replace(BY_HAND, turn_seconds=30), 2)
    found = review(match, [Thrown((3,)), OutOfTime()])
    assert found.players[0].points == Balance(start, Fraction(6), good - start, 6 - good)
    assert found.decisions == ()
    assert found.players[0].accuracy == 100.0
    win = found.players[0].win
    assert win is not None
    after = match.throw((3,))
    lost = Seats(match.game).worth(match, Turn(0b111, outcome=Outcome.TIME, score=6))
    assert float(win.skill) == pytest.approx(lost - Seats(match.game).worth(match, after.turn))
    assert win.final - win.initial == win.luck + win.skill
    assert float(win.final) == pytest.approx(lost, abs=1e-9)


TOGETHER = {
    "head to head": 'like = "head-to-head"\ntiles = 6\nshut_others = 0',
    "a shut ends the round": 'turns = "together"\ntiles = 4\none_die = "optional-high"\nshut_wins = "round"',
    "one die is forced": 'turns = "together"\ntiles = 5\none_die = "forced-sum"\nshut_wins = "no"',
    "a head start": (
        'turns = "together"\ntiles = 5\nown_throws = 2\none_die = "optional-sum"\nhandicap = [[1], 3]'
    ),
}


@pytest.mark.parametrize("game", TOGETHER)
def test_with_one_throw_for_all_everyone_comes_to_the_score_they_had(game: str) -> None:
    profile = house(TOGETHER[game])
    for seed in range(20):
        match, actions = played(profile, 2, seed)
        found = review(begin(profile, 2), actions, for_win=False)
        adds_up(found)
        if not match.round.tie_rounds:
            assert [player.points.final for player in found.players] == [
                row.score for row in match.round.rows
            ]


def test_only_the_player_who_makes_the_throw_for_all_chose_its_dice() -> None:
    profile = house('turns = "together"\ntiles = 3\none_die = "optional-high"\nshut_wins = "no"')
    actions: list[Action] = [Thrown((1,)), Moved(to_tiles([1])), Thrown((1,)), Moved(to_tiles([1]))]
    found = review(begin(profile, 2), actions, for_win=False)
    assert [(each.player, each.chosen) for each in found.decisions] == [(0, 1)]


def test_nobody_is_blamed_for_dice_of_their_own_that_only_show_a_total() -> None:
    profile = house('tiles = 6\none_die = "optional-high"\nshut_wins = "no"')
    five: list[Action] = [Thrown((5,)), Moved(to_tiles([5]))]
    of_box = review(begin(profile, 1), five, for_win=False)
    assert [each.chosen for each in of_box.decisions if each.throw is None] == [1]
    for found in (
        review(begin(profile, 1), five, for_win=False, real_dice=True),
        review(begin(profile, 1), [*five, Thrown((10,))], for_win=False),  # the 10 shows that totals count
    ):
        adds_up(found)
        assert all(each.chosen == 2 for each in found.decisions if each.throw is None)
    one: list[Action] = [Thrown((1,))]
    certain = review(begin(profile, 1), one, for_win=False, real_dice=True)
    assert [each.chosen for each in certain.decisions] == [1], "two dice never show a 1"


def test_answers_that_are_worth_the_same_cost_nothing() -> None:
    # With tiles opened again until the box is shut, every turn scores 0.
    profile = house('tiles = 6\nblocked = "opens-one"\nshut_wins = "no"\nscore = "sum"\nstakes = "none"')
    for seed in range(10):
        _, actions = played(profile, 1, seed, most=60)
        found = review(begin(profile, 1), actions, for_win=False)
        assert found.players[0].accuracy == 100
        assert found.worst is None


def test_a_shared_row_is_not_reviewed() -> None:
    with pytest.raises(OddsError, match="what others do to a shared row is neither luck nor skill"):
        review(begin(profiles.builtin("high-rollers"), 2), [])
    assert review(begin(BY_HAND, 2), []).turning_point is None
    assert review(begin(BY_HAND, 2), []).worst is None
