"""The coach: luck and skill add up exactly, and best play gives nothing away."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.support.fast import fast_among

from shutthebox.config import profiles
from shutthebox.odds import Odds
from shutthebox.odds.coach import Balance, MatchReview, review
from shutthebox.odds.match_play import match_chances, match_play
from shutthebox.odds.odds import for_points
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, Reopened, Thrown, apply
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.tiles import to_tiles

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
                action = Moved(match_play(match).ranked(match.turn)[0].tiles)
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
        assert 0 <= player.accuracy <= 100
    for decision in found.decisions:
        assert 0 <= decision.cost <= decision.stake
        assert decision.points >= 0


@pytest.mark.parametrize(
    "name",
    fast_among(["traditional", "pub", "jouhet", "misere", "two-to-go", "unlucky-seven"], ["pub", "misere"]),
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
        assert player.accuracy == pytest.approx(100)
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
    assert found.players[0].accuracy < 50
    assert found.players[1].accuracy == 100
    assert found.turning_point is not None


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
    for most in (0, 1, 2, 3, 5, 9):
        match, actions = played(TRADITIONAL, 3, 1, most=most)
        found = review(begin(TRADITIONAL, 3), actions)
        adds_up(found)
        if match.turn.outcome is None:
            own = found.players[match.player].win
            assert own is not None
            assert float(own.final) == pytest.approx(match_play(match).chance(match.turn))


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


@pytest.mark.slow
def test_luck_evens_out() -> None:
    luck = []
    for seed in range(1500):
        _, actions = played(TRADITIONAL, 1, seed)
        luck.append(float(review(begin(TRADITIONAL, 1), actions, for_win=False).players[0].points.luck))
    spread = (sum(each**2 for each in luck) / len(luck)) ** 0.5
    assert abs(sum(luck)) / len(luck) < 4 * spread / len(luck) ** 0.5


def test_decisions_name_the_throw_that_they_belong_to() -> None:
    actions: list[Action] = []
    for faces, shut in (((6, 4), [4, 6]), ((6, 3), [9]), ((5, 3), [8]), ((4, 3), [7])):
        actions += (Thrown(faces), Moved(to_tiles(shut)))
    found = review(begin(TRADITIONAL, 2), [*actions, Thrown((2, 3))], for_win=False)
    throws = [action.faces for action in (*actions, Thrown((2, 3))) if isinstance(action, Thrown)]
    assert [decision.number for decision in found.decisions] == [0, 1, 2, 3, 4]
    assert [decision.throw for decision in found.decisions] == [*throws[:4], None]
    assert found.players[0].points.given_away == sum(decision.points for decision in found.decisions) > 0


def test_several_rounds_are_said_to_be_an_approximation() -> None:
    profile = profiles.builtin("jouhet")
    _, actions = played(profile, 2, 2, rounds=2)
    assert not review(begin(profile, 2, 2), actions).exact
    _, actions = played(profile, 2, 2, rounds=1)
    assert review(begin(profile, 2, 1), actions).exact
