"""A match as an environment for reinforcement learning, as PettingZoo has them. Needs the extra `learn`."""

from __future__ import annotations

from random import Random
from typing import Any, ClassVar, Literal, TypeAlias

import numpy
from gymnasium import spaces
from pettingzoo import AECEnv

from shutthebox.engine.environment import Choice, choices_of, legal_choices, observed, worst_reward
from shutthebox.engine.game import Game
from shutthebox.engine.match import Match

Observation: TypeAlias = dict[str, numpy.ndarray[Any, numpy.dtype[Any]]]

_MAX = 1e15
"""Above every score."""


class MatchEnv(AECEnv[str, Observation, int]):
    """A match between agents, who choose in turn (`AECEnv`); the reward comes at its end.

    An observation has two parts. `observation` has numbers: the agent's turn as in `TurnEnv`, every player's
    total, and every player's last score (-1 before the first), the agent's own first. `action_mask` has a 1
    for each action that's legal now. An illegal action ends the match, which its agent has lost.

    Example:
        >>> env = MatchEnv(Game.from_name("traditional"), players=2)
        >>> env.reset(seed=1)
        >>> env.agent_selection
        'player_0'

    Attributes:
        game: what's played.
        choices: what each action means: a number of dice to throw, or the move with these tiles.
        match: the position.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "shut_the_box_v0",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: Game,
        players: int = 2,
        reward: Literal["win", "score"] = "win",
    ) -> None:
        """Lists the actions.

        Args:
            game: with one row of up to twelve tiles for each player.
            players: how many.
            reward: "win" is 1, shared by those who share the win; "score" is the total, negative where the
                lowest wins.

        Raises:
            ValueError: the game isn't of that kind, or that number of players isn't allowed.
        """
        super().__init__()
        self.game, self._reward = game, reward
        self.choices: tuple[Choice, ...] = choices_of(game)
        self._beginning = self.match = Match.start(game, players)
        self._random = Random(0)
        self.possible_agents = [f"player_{player}" for player in range(players)]
        self.agents = self.possible_agents[:]
        size = len(self._numbers(0))
        self.action_spaces = {agent: spaces.Discrete(len(self.choices)) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-_MAX, _MAX, (size,), numpy.float64),
                    "action_mask": spaces.Box(0, 1, (len(self.choices),), numpy.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent may choose from."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a match, and throws. Without a seed, chance goes on from the last match."""
        if seed is not None:
            self._random = Random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.match = self._play_on(self._beginning)
        self._select()

    def observe(self, agent: str) -> Observation:
        """What an agent observes."""
        player = self.possible_agents.index(agent)
        is_next = player == self.match.player and not any(self.terminations.values())
        legal = set(legal_choices(self.match)) if is_next else set()
        return {
            "observation": numpy.array(self._numbers(player), numpy.float64),
            "action_mask": numpy.array([choice in legal for choice in self.choices], numpy.int8),
        }

    def step(self, action: int | None) -> None:
        """Makes the choice of the agent who's next; dice are thrown until there's another."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        choice = None if action is None else self.choices[int(action)]
        if choice is None or choice not in legal_choices(self.match):
            self.rewards[agent] = worst_reward(self.game) if self._reward == "score" else -1.0
            self.infos[agent]["is_illegal"] = True
            self._end()
        else:
            match = self.match
            if isinstance(choice, int):
                match = match.throw(*match.roll(self._random, choice))
            else:
                match = match.move(*choice)
            self.match = self._play_on(match)
            if (result := self.match.result) is not None:
                sign = 1 if self.game.highest_wins else -1
                for player, name in enumerate(self.possible_agents):
                    won = (player in result.winners) / max(1, len(result.winners))
                    total = float(sign * self.match.totals[player])
                    self.rewards[name] = won if self._reward == "win" else total
                self._end()
        self._accumulate_rewards()
        self._select()

    def close(self) -> None:
        """Does nothing: there's nothing to close."""

    def _numbers(self, player: int) -> list[float]:
        match = self.match
        is_next = player == match.player
        order = [(player + seat) % match.players for seat in range(match.players)]
        scores = [match.scores[seat] for seat in order]
        return [
            *observed(match.turn if is_next else match.rows[player], is_next=is_next),
            *(match.totals[seat] for seat in order),
            *(-1 if score is None else score for score in scores),
        ]

    def _play_on(self, match: Match) -> Match:
        """Goes on to the next choice."""
        while not match.is_over and not legal_choices(match):
            match = match.throw(*match.roll(self._random)) if match.awaits_throw else match.move()
        return match

    def _end(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)

    def _select(self) -> None:
        if not any(self.terminations.values()):
            self.agent_selection = self.possible_agents[self.match.player]
        elif self.agent_selection not in self.agents:
            self.agent_selection = self.agents[0]
