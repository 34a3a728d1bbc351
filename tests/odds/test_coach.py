"""The coach: luck and skill add up exactly, and best play gives nothing away."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support.fast import fast_among

from shutthebox.config import profiles
from shutthebox.odds.coach import Balance, Decision, MatchReview, TurningPoint, review
from shutthebox.odds.match_play import match_chances, match_play
from shutthebox.odds.odds import Odds, for_points
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, OutOfTime, Reopened, Thrown, apply
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile, Tie
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome, Turn

TRADITIONAL = profiles.builtin("traditional")


def played(
    profile: Profile,
    players: int,
    seed: int,
    rounds: int | None = None,
    best: bool = False,
    most: int = 10_000,
) -> tuple[Match, list[Action]]:
    """A match by lot, or with the best answers for the win, as far as so many actions."""
    rng, match, actions = random.Random(seed), begin(profile, players, rounds), list[Action]()
    while match.stage is not Stage.FINISHED and len(actions) < most:
        action: Action = Advanced()
        if match.stage is Stage.THROW:
            dice = rng.choice(dice_allowed(profile, match.turn.open))
            if best:
                dice = match_play(match).best_dice(match.turn)
            faces = tuple(rng.randint(1, profile.sides) for _ in range(dice))
            action = Thrown(rng.choice(turns.bag(match.turn)) if profile.draw is Draw.DOMINOES else faces)
        elif match.stage is Stage.ANSWER:
            answers, opened = turns.answers(profile, match.turn), turns.reopenings(profile, match.turn)
            if best and answers:
                action = Moved(match_play(match).ranked(match.turn)[0][0])
            elif answers:
                action = Moved(rng.choice(answers))
            else:
                action = Reopened((opened & -opened).bit_length()) if opened else Moved(0)
        actions.append(action)
        match = apply(match, action)
    return match, actions


def adds_up(found: MatchReview) -> None:
    for player in found.players:
        for balance in filter(None, (player.points, player.win)):
            assert balance.final - balance.initial == balance.luck + balance.skill
        assert player.accuracy is None or 0 <= player.accuracy <= 100
    for decision in found.decisions:
        assert 0 <= decision.cost <= decision.stake
        assert decision.points >= 0


@pytest.mark.parametrize(
    "name",
    fast_among(["traditional", "pub", "jouhet", "misere", "two-to-go", "unlucky-seven"], ["misere"]),
)
def test_luck_and_skill_add_up_to_the_result(name: str) -> None:
    profile = profiles.builtin(name)
    for seed in range(4):
        match, actions = played(profile, 3, seed)
        found = review(begin(profile, 3), actions)
        adds_up(found)
        assert match.result is not None
        for i, player in enumerate(found.players):
            assert player.win is not None
            assert player.win.final == Fraction((i in match.result.winners) / len(match.result.winners))
            assert player.win.initial == Fraction(match_chances(begin(profile, 3))[i])
            assert player.win.skill <= 0
            if not match.tie_rounds:
                assert player.points.final == match.totals[i]


@pytest.mark.parametrize("name", ["young", "lucky-seven", "tournament-45", "open-one", "cover-200"])
def test_matches_without_chances_are_told_in_points(name: str) -> None:
    profile = profiles.builtin(name)
    _, actions = played(profile, 2, 7)
    found = review(begin(profile, 2), actions)
    adds_up(found)
    assert all(player.win is None for player in found.players)
    assert not found.exact


def test_best_play_gives_nothing_away() -> None:
    _, actions = played(TRADITIONAL, 2, 3, best=True)
    found = review(begin(TRADITIONAL, 2), actions)
    for player in found.players:
        assert player.win is not None
        assert player.win.skill == pytest.approx(0, abs=1e-9)
    assert [player.accuracy for player in found.players] == [pytest.approx(100), None]
    assert found.exact


def test_what_a_decision_cost_and_what_was_best() -> None:
    thrown = begin(TRADITIONAL, 2).throw((6, 4))
    ranked = Odds(TRADITIONAL).ranked(thrown.turn)
    worst = ranked[-1]
    found = review(begin(TRADITIONAL, 2), [Thrown((6, 4)), Moved(worst.tiles)])
    (decision,) = found.decisions
    assert decision.chosen == worst.tiles
    assert decision.best == to_tiles([1, 9])
    assert float(decision.points) == pytest.approx(worst.cost)
    assert decision.win is not None
    assert decision.win > 0
    assert found.worst is decision
    first, second = found.players
    assert first.accuracy is not None
    assert first.accuracy < 50
    assert found.turning_point is not None
    assert second.accuracy is None, "the second player has not thrown"


def test_the_number_of_dice_is_a_decision() -> None:
    actions: list[Action] = []
    match = begin(TRADITIONAL, 2)
    for faces, shut in (((6, 3), [9]), ((5, 3), [8]), ((4, 3), [7])):
        for action in (Thrown(faces), Moved(to_tiles(shut))):
            actions.append(action)
            match = apply(match, action)
    found = review(begin(TRADITIONAL, 2), [*actions, Thrown((4,))])
    decision = found.decisions[-1]
    play = match_play(match)
    assert (decision.throw, decision.chosen) == (None, 1)
    assert decision.best == play.best_dice(match.turn)
    assert decision.win == Fraction(play.with_dice(match.turn, 2)) - Fraction(play.with_dice(match.turn, 1))


def test_a_match_that_was_left_is_reviewed_as_far_as_it_got() -> None:
    for most in (0, 1, 9):
        match, actions = played(TRADITIONAL, 3, 1, most=most)
        found = review(begin(TRADITIONAL, 3), actions)
        adds_up(found)
        if match.turn.outcome is None:
            own = found.players[match.player].win
            assert own is not None
            assert float(own.final) == pytest.approx(match_play(match).worth(match.turn))


POINTS_GAMES = {
    **{
        name: profiles.builtin(name) for name in ("traditional", "digits", "misere", "cover-200", "two-to-go")
    },
    **{name: profiles.builtin(name) for name in ("trac-free", "young", "unlucky-seven")},
    "opens-one": replace(profiles.builtin("open-one"), tiles=(1, 2, 3, 4)),
    "dominoes": replace(profiles.builtin("domino-bag"), tiles=(1, 2, 3, 4, 5)),
}


@pytest.mark.parametrize("profile", POINTS_GAMES.values(), ids=POINTS_GAMES)
def test_each_turn_by_itself_makes_up_the_match_in_points(profile: Profile) -> None:
    odds = Odds(for_points(profile))
    for seed in range(5):
        _, actions = played(profile, 2, seed, most=200)
        whole = review(begin(profile, 2), actions, for_win=False)
        adds_up(whole)
        assert all(player.win is None for player in whole.players)
        parts = [review(match, turn, for_win=False) for match, turn in turns_of(begin(profile, 2), actions)]
        for i, player in enumerate(whole.players):
            own = [part.players[i].points for part in parts]
            assert player.points.luck == sum(balance.luck for balance in own)
            assert player.points.skill == sum(balance.skill for balance in own)
            assert all(balance.initial in (0, odds.points(turns.start(profile))) for balance in own)
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


def test_a_turn_in_mid_match_is_reviewed_in_chance_to_win_too() -> None:
    _, actions = played(TRADITIONAL, 2, 5)
    (_, _), (middle, turn), *_ = turns_of(begin(TRADITIONAL, 2), actions)
    whole, part = review(begin(TRADITIONAL, 2), actions), review(middle, turn)
    assert part.players[1].win is not None
    assert part.players[1].win.initial == Fraction(match_chances(middle)[1])
    assert whole.players[1].win is not None
    assert part.players[1].win.skill == whole.players[1].win.skill
    assert part.players[0].points == Balance(Fraction(0), Fraction(0), Fraction(0), Fraction(0))


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
    lost = match_play(match).worth(Turn(0b111, outcome=Outcome.TIME, score=6))
    assert float(win.skill) == pytest.approx(lost - match_play(match).worth(after.turn))
    assert win.final - win.initial == win.luck + win.skill
    assert float(win.final) == pytest.approx(lost, abs=1e-9)


def test_a_shared_row_is_not_reviewed() -> None:
    with pytest.raises(OddsError, match="what others do to a shared row is neither luck nor skill"):
        review(begin(profiles.builtin("high-rollers"), 2), [])
    assert review(begin(BY_HAND, 2), []).turning_point is None
    assert review(begin(BY_HAND, 2), []).worst is None
