"""The environments keep to the interfaces of agents, and no agent gets more than best play."""

import warnings
from collections.abc import Callable
from random import Random
from typing import Any, Literal

import pytest
from tests.support.extras import NO_LEARNING

pytest.importorskip("pettingzoo", reason=NO_LEARNING)
pytest.importorskip("gymnasium", reason=NO_LEARNING)

import numpy
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from tests.support.fast import fast_among

from shutthebox import BestPlayer, Game, Match, MatchEnv, TurnEnv, chances_to_win, play_match
from shutthebox.engine.environment import Choice, legal_choices

FAST = {"traditional", "open-one", "domino-bag", "trac"}


def fits(name: str) -> bool:
    try:
        TurnEnv(Game.from_name(name))
    except ValueError:
        return False
    return True


GAMES = [name for name in Game.names() if fits(name)]


def best_choice(env: TurnEnv) -> int:
    player, turn = BestPlayer(), env.turn
    choice: Choice = player.choose_dice(turn) if turn.awaits_throw else player.choose_move(turn)
    return env.choices.index(choice)


@pytest.mark.parametrize("name", fast_among(GAMES, FAST))
def test_gymnasium_accepts_a_turn(name: str) -> None:
    # Without a registered name there are no other ways to render it.
    check_env(TurnEnv(Game.from_name(name)), skip_render_check=True)


@pytest.mark.parametrize("reward", ["win", "score"])
@pytest.mark.parametrize("name", fast_among(GAMES, FAST))
def test_pettingzoo_accepts_a_match(name: str, reward: str) -> None:
    players = 1 if name == "ladder" else 2
    with warnings.catch_warnings():
        # Its own games mask their actions the same way, and are let off by name.
        warnings.filterwarnings("ignore", message="Observation")
        warnings.filterwarnings("ignore", message="Environment has not defined a render")
        api_test(
            MatchEnv(Game.from_name(name), players, "score" if reward == "score" else "win"), num_cycles=200
        )


def test_a_seed_repeats_a_match() -> None:
    seed_test(lambda: MatchEnv(Game.from_name("traditional")), num_cycles=50)


@pytest.mark.parametrize("name", fast_among(GAMES, FAST))
def test_what_is_legal_has_an_action(name: str) -> None:
    env, random = TurnEnv(Game.from_name(name)), Random(1)
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        for _ in range(200):
            legal = legal_choices(env.turn)
            assert [env.choices[at] for at in numpy.flatnonzero(observation["action_mask"])] == [
                choice for choice in env.choices if choice in legal
            ]
            if not legal:
                break
            observation, *_ = env.step(numpy.int64(env.choices.index(random.choice(legal))))


def play_turns(env: TurnEnv, choose: Callable[[Any], int], turns: int) -> tuple[float, float]:
    """The mean reward of so many turns, and its standard error. `choose` gets the mask of legal actions."""
    rewards = []
    for seed in range(turns):
        observation, _ = env.reset(seed=seed)
        total, terminated = 0.0, False
        while not terminated:
            action = numpy.int64(choose(observation["action_mask"]))
            observation, paid, terminated, _, _ = env.step(action)
            total += paid
        rewards.append(total)
    return float(numpy.mean(rewards)), float(numpy.std(rewards)) / turns**0.5


@pytest.mark.timeout(300)
def test_the_best_play_gets_the_optimum() -> None:
    """The mean is within four standard errors, but for one seed in ten thousand."""
    env = TurnEnv(Game.from_name("traditional"), "score")
    mean, error = play_turns(env, lambda _: best_choice(env), 1500)
    assert abs(mean - env.optimum) < 4 * error


@pytest.mark.parametrize("reward", ["score", "shut"])
def test_other_play_gets_less(reward: Literal["score", "shut"]) -> None:
    env, random = TurnEnv(Game.from_name("traditional"), reward), numpy.random.default_rng(1)
    mean, error = play_turns(env, lambda mask: int(random.choice(numpy.flatnonzero(mask))), 300)
    assert mean < env.optimum - 4 * error


def test_an_illegal_action_never_pays() -> None:
    env = TurnEnv(Game.from_name("traditional"))
    env.reset(seed=1)
    illegal = next(at for at, choice in enumerate(env.choices) if choice not in legal_choices(env.turn))
    _, reward, terminated, truncated, info = env.step(numpy.int64(illegal))
    assert (reward, terminated, truncated, info) == (-45.0, True, False, {"is_illegal": True})
    match = MatchEnv(Game.from_name("traditional"))
    match.reset(seed=1)
    match.step(illegal)
    assert match.rewards == {"player_0": -1.0, "player_1": 0.0}
    assert all(match.terminations.values())


def test_the_reward_of_a_match_is_its_result() -> None:
    env = MatchEnv(Game.from_name("traditional"), players=3)
    env.reset(seed=7)
    while not env.match.is_over:
        observation = env.observe(env.agent_selection)
        env.step(int(observation["action_mask"].argmax()))
    assert env.match.result is not None
    winners = env.match.result.winners
    assert [env.rewards[f"player_{seat}"] for seat in range(3)] == [
        (seat in winners) / len(winners) for seat in range(3)
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_who_play_the_best_for_points_win_about_as_often_as_for_the_win() -> None:
    match, random, won = Match.start(Game.from_name("traditional")), Random(1), [0, 0]
    for _ in range(600):
        result = play_match(match, [BestPlayer()] * 2, random).result
        assert result is not None
        won[result.winners[0]] += 1
    assert won[0] / 600 == pytest.approx(chances_to_win(match.game, 2)[0], abs=0.09)


@pytest.mark.parametrize("name", ["cards", "double-shutter", "high-rollers", "long-game"])
def test_a_game_that_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="one row for each player, of up to 12 tiles"):
        TurnEnv(Game.from_name(name))
