"""A turn as an environment for reinforcement learning, as Gymnasium has them. Needs the extra `learn`."""

from __future__ import annotations

from random import Random
from typing import Any, Literal, TypeAlias

import gymnasium
import numpy
from gymnasium import spaces

from shutthebox.engine.environment import Choice, choices_of, legal_choices, observed, worst_reward
from shutthebox.engine.game import Game
from shutthebox.engine.odds import Odds
from shutthebox.engine.turn import Turn

Observation: TypeAlias = dict[str, Any]


class TurnEnv(gymnasium.Env[Observation, numpy.int64]):
    """One player's turn, whose score, or shut box, is the reward at its end.

    An observation has two parts. `observation` has whole numbers: 1 for each open tile, the faces on the
    table rising (0 for none), throws that may still fail, and 1 for each domino that's gone. `action_mask`
    has a 1 for each action that's legal now. An illegal action ends the turn with the worst reward. Dice are
    thrown by themselves unless their number is a choice.

    Example:
        >>> env = TurnEnv(Game.from_name("traditional"))
        >>> env.choices[:4]
        (2, 1, (1,), (2,))
        >>> round(env.optimum, 4)
        -11.0092
        >>> _, info = env.reset(seed=3)
        >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    Attributes:
        game: what's played.
        choices: what each action means: a number of dice to throw, or the move with these tiles.
        turn: the position.
        optimum: the expected reward of the best play. No agent gets more in the long run.
    """

    def __init__(self, game: Game, reward: Literal["score", "shut"] = "score") -> None:
        """Lists the actions.

        Args:
            game: with one row of up to twelve tiles for each player.
            reward: "score" is the turn's score, negative where the lowest wins; "shut" is 1 for a shut box.

        Raises:
            ValueError: the game isn't of that kind.
        """
        self.game, self._reward = game, reward
        self.choices: tuple[Choice, ...] = choices_of(game)
        self.turn, self._random = Turn.start(game), Random(0)
        size = len(observed(self.turn))
        self.action_space = spaces.Discrete(len(self.choices))
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, 127, (size,), numpy.int8),
            "action_mask": spaces.MultiBinary(len(self.choices)),
        }
        self.observation_space = spaces.Dict(parts)

    @property
    def optimum(self) -> float:
        """The expected reward of the best play.

        Raises:
            OddsError: the game has no odds.
        """
        score, shut = Odds(self.game).value(aim=self._reward)
        return float(shut if self._reward == "shut" else self._sign * score)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a turn, and throws."""
        super().reset(seed=seed)
        self._random = Random(int(self.np_random.integers(1 << 62)))
        self.turn = self._play_on(Turn.start(self.game))
        return self._observe(), {}

    def step(self, action: numpy.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Makes a choice; dice are thrown until the next one."""
        choice, turn = self.choices[int(action)], self.turn
        if choice not in legal_choices(turn):
            worst = worst_reward(self.game) if self._reward == "score" else 0.0
            return self._observe(), worst, True, False, {"is_illegal": True}
        if isinstance(choice, tuple):
            self.turn = self._play_on(turn.move(*choice))
        else:
            self.turn = self._play_on(turn.throw(*turn.roll(self._random, choice)))
        reward = 0.0
        if self.turn.is_over:
            reward = float(self.turn.is_shut)
            if self._reward == "score":
                reward = float(self._sign * (self.turn.score or 0))
        return self._observe(), reward, self.turn.is_over, False, {}

    @property
    def _sign(self) -> int:
        return 1 if self.game.highest_wins else -1

    def _play_on(self, turn: Turn) -> Turn:
        """Goes on to the next choice."""
        while not turn.is_over and not legal_choices(turn):
            turn = turn.throw(*turn.roll(self._random)) if turn.awaits_throw else turn.move()
        return turn

    def _observe(self) -> Observation:
        legal = set(legal_choices(self.turn))
        return {
            "observation": numpy.array(observed(self.turn), numpy.int8),
            "action_mask": numpy.array([choice in legal for choice in self.choices], numpy.int8),
        }
