"""Games as PettingZoo environments: agents in turn (AEC), or all at once (parallel).

>>> from gamelore.adapters import pettingzoo
>>> env = pettingzoo.env("tictactoe")
>>> env.reset(seed=1)
>>> env.agent_selection, env.infos["player_0"]["role"]
('player_0', 'x')

An agent is a role of the game; the role `random` is played by the environment. What an
agent sees is `{"observation": facts, "action_mask": legal}`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError:
    raise ImportError(
        "PettingZoo is not installed; `pip install 'gamelore[pettingzoo]'` brings it"
    ) from None

from gamelore.adapters.drawing import RENDER_MODES, Frame, check_render_mode, draw
from gamelore.adapters.lanes import (
    CUT_OFF,
    GOING,
    WIN_LOSS,
    IllegalAction,
    MatchLanes,
    find_simulator,
    list_players,
)
from gamelore.adapters.observations import Observation as ObservationKind
from gamelore.adapters.observations import Observer
from gamelore.engine.checks import MOST_MOVES, check_integer
from gamelore.engine.position import Playable, Position
from gamelore.gdl import Move, Role

AgentName: TypeAlias = str
Observation: TypeAlias = dict[str, npt.NDArray[np.int8]]
Action: TypeAlias = int | np.integer

_METADATA: dict[str, Any] = {
    "name": "gamelore",
    "render_modes": [*RENDER_MODES],
    "render_fps": 2,
}


def env(game: Playable, **settings: Any) -> OrderEnforcingWrapper[str, Any, Any]:
    """Return a game as an environment whose agents act in turn.

    `game`: a name of the library, the path of a rule sheet, a game or what simulates
    it. The settings are those of `GameAECEnv`.
    """
    return OrderEnforcingWrapper(GameAECEnv(game, **settings))


def parallel_env(game: Playable, **settings: Any) -> GameParallelEnv:
    """Return a game as an environment whose agents act at once.

    Game and settings are as in `env`.
    """
    return GameParallelEnv(game, **settings)


class _Match:
    """The match that an environment is about, in terms of agents."""

    def __init__(
        self,
        game: Playable,
        reward_range: tuple[float, float],
        max_cycles: int | None,
        illegal: IllegalAction,
        observation: ObservationKind,
    ) -> None:
        simulator = find_simulator(game)
        if max_cycles is not None:
            check_integer("max_cycles", max_cycles, 1, MOST_MOVES)
        self.lanes = MatchLanes(
            simulator,
            1,
            move_limit=max_cycles,
            illegal=illegal,
            reward_range=reward_range,
        )
        self.roles = list_players(simulator)
        self.agents = [f"player_{number}" for number in range(len(self.roles))]
        self._role = dict(zip(self.agents, self.roles, strict=True))
        self.observer = Observer(simulator, observation)
        shape, actions = self.observer.shape, len(self.lanes.actions)
        self.observation_spaces: dict[str, spaces.Dict] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.agents}
        self.state_space = spaces.Box(0, 1, shape, np.int8)
        self._seeded = False

    def begin(self, seed: int | None) -> None:
        if seed is None and not self._seeded:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if seed is not None:
            self.lanes.seed([seed])
            self._seeded = True
        self.lanes.begin()

    @property
    def asked(self) -> AgentName:
        """The agent whose action is next, or was the last."""
        return self.agents[self.roles.index(int(self.lanes.player[0]))]

    @property
    def cycles(self) -> int:
        """Joint moves made."""
        return int(self.lanes.matches.steps[0])

    @property
    def is_over(self) -> bool:
        return bool(self.lanes.status[0] != GOING)

    @property
    def is_cut_off(self) -> bool:
        return bool(self.lanes.status[0] == CUT_OFF)

    @property
    def position(self) -> Position:
        return self.lanes.position(0)

    def act(self, action: Action) -> None:
        """Take an action of the agent that is asked."""
        number = int(action)
        if not 0 <= number < len(self.lanes.actions):
            number = len(self.lanes.actions)  # not legal, whatever it was
        self.lanes.step(np.array([number], np.int32))

    def observe(self, agent: AgentName) -> Observation:
        role = np.array([self._role[agent]], np.int32)
        return {
            "observation": self.look(),
            "action_mask": self.lanes.mask_actions(role)[0],
        }

    def look(self) -> npt.NDArray[np.int8]:
        """Return the facts that are true, or planes of the board."""
        shown: npt.NDArray[np.int8] = self.observer.show(self.lanes.observe())[0]
        return shown

    def rewards(self) -> dict[AgentName, float]:
        every, _ = self.lanes.score(self.lanes.player)
        return {agent: float(every[0, role]) for agent, role in self._role.items()}

    def infos(self) -> dict[AgentName, dict[str, Any]]:
        names = self.lanes.simulator.roles
        return {agent: {"role": names[role]} for agent, role in self._role.items()}


class _Named:
    """What both kinds of environments have: spaces, names, drawings."""

    _match: _Match
    render_mode: str | None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves that actions stand for, the same for all agents."""
        return self._match.lanes.actions

    @property
    def roles(self) -> dict[AgentName, Role]:
        """The role of each agent."""
        return {agent: info["role"] for agent, info in self._match.infos().items()}

    @property
    def position(self) -> Position:
        """Where the match stands."""
        return self._match.position

    def observation_space(self, agent: AgentName) -> spaces.Space[Any]:
        return self._match.observation_spaces[agent]

    def action_space(self, agent: AgentName) -> spaces.Space[Any]:
        return self._match.action_spaces[agent]

    @property
    def state_space(self) -> spaces.Space[Any]:
        """The space of `state`."""
        return self._match.state_space

    def state(self) -> npt.NDArray[np.int8]:
        """Return what agents see of the position: facts, int8 [F], or planes."""
        return self._match.look()

    def render(self) -> Frame | None:
        """Return a drawing of the position, or print it."""
        if self.render_mode is None:
            return None
        return draw(self.position, self.render_mode)

    def close(self) -> None:
        """There is nothing to release."""

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class GameAECEnv(_Named, AECEnv[str, Any, Any]):  # type: ignore[misc]
    """A game whose agents act in turn.

    Agents that move at once are asked one after the other; what one has chosen is not
    seen by those after it. Who has no choice is not asked.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        game: Playable,
        *,
        reward_range: tuple[float, float] = WIN_LOSS,
        max_cycles: int | None = None,
        illegal: IllegalAction = "lose",
        observation: ObservationKind = "facts",
        render_mode: str | None = None,
    ) -> None:
        """`reward_range`: the rewards of goal 0 and goal 100. `max_cycles`: joint moves
        after which a match is truncated. `illegal`: whether an action that is not legal
        loses the match, or a random legal one takes its place. `observation`: `facts`,
        or `planes` of the board."""
        super().__init__()
        self.render_mode = check_render_mode(render_mode)
        self._match = _Match(game, reward_range, max_cycles, illegal, observation)
        self.metadata = {**_METADATA, "name": self._match.lanes.simulator.game.name}
        self.possible_agents = [*self._match.agents]
        self.agents: list[AgentName] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Begin a match."""
        self._match.begin(seed)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._match.infos()
        self.agent_selection = self._match.asked
        self._show()

    def observe(self, agent: AgentName) -> Observation:
        """Return what an agent sees: facts, and which actions are legal to it."""
        return self._match.observe(agent)

    def step(self, action: Any) -> None:
        """Take an action of the agent that is asked; None, if the match is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        match = self._match
        self._cumulative_rewards[agent] = 0.0
        match.act(action)
        self.rewards = match.rewards()
        if match.is_over:
            cut_off = match.is_cut_off
            self.terminations = dict.fromkeys(self.agents, not cut_off)
            self.truncations = dict.fromkeys(self.agents, cut_off)
        following = self.agents.index(agent) + 1
        self.agent_selection = (
            self.agents[following % len(self.agents)] if match.is_over else match.asked
        )
        self._accumulate_rewards()
        self._show()

    def __str__(self) -> str:
        return str(self.metadata["name"])


class GameParallelEnv(_Named, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """A game whose agents act at once: a step is a joint move.

    What agents without a choice do is not looked at: in a game of turns, all but one.
    """

    metadata: dict[str, Any] = _METADATA

    def __init__(
        self,
        game: Playable,
        *,
        reward_range: tuple[float, float] = WIN_LOSS,
        max_cycles: int | None = None,
        illegal: IllegalAction = "lose",
        observation: ObservationKind = "facts",
        render_mode: str | None = None,
    ) -> None:
        """The settings are those of `GameAECEnv`."""
        self.render_mode = check_render_mode(render_mode)
        self._match = _Match(game, reward_range, max_cycles, illegal, observation)
        self.metadata = {**_METADATA, "name": self._match.lanes.simulator.game.name}
        self.possible_agents = [*self._match.agents]
        self.agents: list[AgentName] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a match."""
        self._match.begin(seed)
        self.agents = [*self.possible_agents]
        self._show()
        return self._observe(), self._match.infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Take the actions of all agents."""
        match = self._match
        if not self.agents:
            return {}, {}, {}, {}, {}
        cycles = match.cycles
        while match.cycles == cycles and not match.is_over:
            match.act(actions[match.asked])
        observations, rewards, infos = self._observe(), match.rewards(), match.infos()
        cut_off = match.is_cut_off
        terminations = dict.fromkeys(self.agents, match.is_over and not cut_off)
        truncations = dict.fromkeys(self.agents, cut_off)
        if match.is_over:
            self.agents = []
        self._show()
        return observations, rewards, terminations, truncations, infos

    def _observe(self) -> dict[str, Any]:
        return {agent: self._match.observe(agent) for agent in self.agents}

    def __str__(self) -> str:
        return str(self.metadata["name"])
