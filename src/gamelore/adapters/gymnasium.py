"""Games as Gymnasium environments: thousands of matches in lanes, or a single one.

>>> import gymnasium as gym
>>> import gamelore.adapters.gymnasium  # registers every game of the library
>>> envs = gym.make_vec("gamelore/ConnectFour-v0", num_envs=1024)
>>> observations, infos = envs.reset(seed=1)
>>> observations.shape, infos["action_mask"].shape
((1024, 86), (1024, 8))

Observations are the facts of a position, 0 or 1, or planes of its board; actions are
numbers of moves, and which of them are legal is in the infos as `action_mask`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

try:
    import gymnasium as gym
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise ImportError(
        "Gymnasium is not installed; `pip install 'gamelore[gymnasium]'` brings it"
    ) from None

from gamelore.adapters.drawing import RENDER_MODES, Frame, check_render_mode, draw
from gamelore.adapters.gymnasium_ids import environment_id as environment_id
from gamelore.adapters.gymnasium_ids import register_games
from gamelore.adapters.lanes import (
    BEGIN,
    CUT_OFF,
    GOING,
    WIN_LOSS,
    IllegalAction,
    MatchLanes,
)
from gamelore.adapters.observations import Observation, Observer
from gamelore.adapters.opponents import LearnerMatches
from gamelore.engine.position import Playable, Position
from gamelore.errors import ArgumentError
from gamelore.gdl import Move, Role

Facts: TypeAlias = npt.NDArray[np.int8]
Actions: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Infos: TypeAlias = dict[str, Any]


def _make_spaces(
    lanes: MatchLanes, observer: Observer
) -> tuple[spaces.Space[Facts], spaces.Discrete]:
    """Return the spaces of one match."""
    observed: Any = spaces.Box(0, 1, observer.shape, np.int8)
    return observed, spaces.Discrete(len(lanes.actions))


class GameVectorEnv(VectorEnv[Facts, Actions, npt.NDArray[Any]]):
    """Many matches of a game at once, on arrays.

    With an opponent, it is one role that learns, and the opponent has all others;
    without one (`None`), all roles are asked in turn: `infos["player"]` says which,
    rewards are those of the role that has just acted, and at the end of a match
    `infos["rewards"]` has those of all roles.
    """

    def __init__(
        self,
        game: Playable,
        num_envs: int = 1,
        *,
        opponent: str | None = "random",
        role: Role | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        reward_range: tuple[float, float] = WIN_LOSS,
        move_limit: int | None = None,
        illegal: IllegalAction = "lose",
        observation: Observation = "facts",
        render_mode: str | None = None,
    ) -> None:
        """`game`: a name of the library, the path of a rule sheet, a game or what
        simulates it. `opponent`: who plays the others, such as `random`, `level-3` or
        `learned:FILE`. `role`: the one that learns, by default the first.
        `reward_range`: the rewards of goal 0 and goal 100. `move_limit`: joint moves
        after which a match is truncated. `illegal`: whether an action that is not legal
        loses the match, or a random legal one takes its place. `observation`: the
        facts, or planes of the board."""
        self._autoreset = _autoreset_mode(autoreset_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "autoreset_mode": self._autoreset,
        }
        self.render_mode = check_render_mode(render_mode)
        self.num_envs = num_envs
        self._matches = LearnerMatches(
            game,
            num_envs,
            opponent,
            role,
            move_limit=move_limit,
            illegal=illegal,
            reward_range=reward_range,
        )
        self.lanes = self._matches.lanes
        self.observer = Observer(self.lanes.simulator, observation)
        self.single_observation_space, self.single_action_space = _make_spaces(
            self.lanes, self.observer
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves that actions stand for."""
        return self.lanes.actions

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles of the game, by the numbers that `infos["player"]` has."""
        return self.lanes.simulator.roles

    def position(self, number: int = 0) -> Position:
        """Return where a match stands."""
        return self.lanes.position(number)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Facts, Infos]:
        """Begin all matches, or those that `options["reset_mask"]` has.

        Match i gets the seed `seed + i`, or the seed of its own where there are many.
        """
        self._matches.seed(self._seeds(seed))
        which = np.ones(self.num_envs, np.bool_)
        if options is not None and "reset_mask" in options:
            which = _check_reset_mask(options["reset_mask"], self.num_envs)
        self._begin(which)
        return self._observe(), self._infos(which)

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[Facts, Floats, Flags, Flags, Infos]:
        """Take an action in each match."""
        given = self._check_actions(actions)
        before = self.lanes.status != GOING
        if before.any():
            if self._autoreset is not AutoresetMode.NEXT_STEP:
                raise ArgumentError(
                    f"match {before.argmax()} is over: reset it, with"
                    ' options={"reset_mask": ...}'
                )
            given[before] = BEGIN
        actors = self._matches.actors
        self._matches.step(given)
        every, rewards = self.lanes.score(actors)
        over = self.lanes.status != GOING
        truncated = self.lanes.status == CUT_OFF
        terminated = over & ~truncated
        everyone = np.ones(self.num_envs, np.bool_)
        if self._autoreset is AutoresetMode.SAME_STEP and over.any():
            final = self._finals(over, every)
            self._begin(over)
            infos = {**final, **self._infos(everyone)}
        else:
            infos = self._infos(everyone)
            self._add_rewards(infos, over, every)
        return self._observe(), rewards, terminated, truncated, infos

    def sample_actions(self) -> Actions:
        """Return a random legal action for each match, 0 where it is over.

        The seed of the first match is theirs, too.
        """
        return self.lanes.draw_actions()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return bool [n, A]: which actions are legal; all, where a match is over."""
        return self.lanes.mask_actions().astype(np.bool_)

    def render(self) -> tuple[Frame, ...] | None:
        """Return a drawing of every match, or print them."""
        mode = self.render_mode
        if mode is None:
            return None
        frames = [draw(self.position(i), mode) for i in range(self.num_envs)]
        return None if mode == "human" else tuple(f for f in frames if f is not None)

    def close_extras(self, **kwargs: Any) -> None:
        """Release the opponents."""
        if self._matches.opponents is not None:
            self._matches.opponents.close()

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None and self._np_random_seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            return [int(seed) + i for i in range(self.num_envs)]
        seeds = [None] * self.num_envs if seed is None else list(seed)
        if len(seeds) != self.num_envs:
            raise ArgumentError(
                f"there must be a seed for each of {self.num_envs} matches, got"
                f" {len(seeds)}"
            )
        if seeds[0] is not None:
            super().reset(seed=seeds[0])
        return seeds

    def _observe(self) -> Facts:
        return self.observer.show(self.lanes.observe())

    def _begin(self, which: Flags) -> None:
        given = np.full(self.num_envs, -1, np.int32)
        given[which] = BEGIN
        self._matches.step(given)

    def _infos(self, which: Flags) -> Infos:
        infos: Infos = {"action_mask": self.lanes.mask_actions(), "_action_mask": which}
        if self._matches.role is None:
            infos["player"] = self.lanes.player.astype(np.int64)
            infos["_player"] = which.copy()
        return infos

    def _add_rewards(self, infos: Infos, over: Flags, every: Floats) -> None:
        """Add the rewards of all roles where matches are over, in self-play."""
        if self._matches.role is None and over.any():
            infos["rewards"] = every
            infos["_rewards"] = over

    def _finals(self, over: Flags, every: Floats) -> Infos:
        """Return the last observations and infos of matches that are over."""
        facts = self._observe()
        last = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over).tolist():
            last[i] = facts[i]
        info = self._infos(over)
        for key, values in info.items():
            if not key.startswith("_"):
                values[~over] = 0
        self._add_rewards(info, over, every)
        return {
            "final_obs": last,
            "_final_obs": over,
            "final_info": info,
            "_final_info": over.copy(),
        }

    def _check_actions(self, actions: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return int32 [n], a copy; what is no action becomes one that is not legal."""
        given = np.array(actions, np.int32)
        if given.shape != (self.num_envs,):
            raise ArgumentError(
                f"actions must have the shape ({self.num_envs},), got {given.shape}"
            )
        if given.min() < 0:
            given[given < 0] = len(self.moves)
        return given


class GameEnv(gym.Env[Facts, np.int64]):
    """One match at a time, as a single environment.

    The settings are those of `GameVectorEnv`, and so are seeds: with the same one, it
    plays the same match as each of many does.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        game: Playable,
        *,
        opponent: str | None = "random",
        role: Role | None = None,
        reward_range: tuple[float, float] = WIN_LOSS,
        move_limit: int | None = None,
        illegal: IllegalAction = "lose",
        observation: Observation = "facts",
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self._matches = LearnerMatches(
            game,
            1,
            opponent,
            role,
            move_limit=move_limit,
            illegal=illegal,
            reward_range=reward_range,
        )
        self.lanes = self._matches.lanes
        self.observer = Observer(self.lanes.simulator, observation)
        self.observation_space, self.action_space = _make_spaces(
            self.lanes, self.observer
        )

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves that actions stand for."""
        return self.lanes.actions

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles of the game, by the numbers that `info["player"]` has."""
        return self.lanes.simulator.roles

    @property
    def position(self) -> Position:
        """Where the match stands."""
        return self.lanes.position(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Facts, Infos]:
        """Begin a match."""
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is None and first:
            seed = int(self.np_random.integers(2**32))
        self._matches.seed([seed])
        self._matches.step(np.array([BEGIN], np.int32))
        self._show()
        return self._observe(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Facts, float, bool, bool, Infos]:
        """Take an action of the role that is asked."""
        if self.lanes.status[0] != GOING:
            raise ArgumentError("the match is over: reset the environment")
        number = int(action)
        actors = self._matches.actors
        if not 0 <= number < len(self.moves):
            number = len(self.moves)
        self._matches.step(np.array([number], np.int32))
        status = int(self.lanes.status[0])
        every, own = self.lanes.score(actors)
        info = self._info()
        over, cut_off = status != GOING, status == CUT_OFF
        if over and self._matches.role is None:
            info["rewards"] = every[0]
        self._show()
        facts = self._observe()
        return facts, float(own[0]), over and not cut_off, cut_off, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return bool [A]: which actions are legal; all, when the match is over."""
        mask: Flags = self.lanes.mask_actions()[0].astype(np.bool_)
        return mask

    def render(self) -> Frame | None:
        """Return a drawing of the position, or print it."""
        return (
            None if self.render_mode is None else draw(self.position, self.render_mode)
        )

    def close(self) -> None:
        """Release the opponent."""
        if self._matches.opponents is not None:
            self._matches.opponents.close()

    def _observe(self) -> Facts:
        shown: Facts = self.observer.show(self.lanes.observe())[0]
        return shown

    def _info(self) -> Infos:
        info: Infos = {"action_mask": self.lanes.mask_actions()[0]}
        if self._matches.role is None:
            info["player"] = int(self.lanes.player[0])
        return info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode.lower().replace("_", "").replace("-", "") in (
            known.name.lower().replace("_", ""),
            known.value.lower(),
        ):
            return known
    modes = ", ".join(known.name.lower() for known in AutoresetMode)
    raise ArgumentError(f"autoreset_mode must be one of {modes}, got {mode!r}")


def _check_reset_mask(mask: object, count: int) -> Flags:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise ArgumentError("options['reset_mask'] must be an array of booleans")
    if mask.shape != (count,) or not mask.any():
        raise ArgumentError(
            f"options['reset_mask'] must have the shape ({count},) and be true"
            f" somewhere, got the shape {mask.shape}"
        )
    return mask.copy()


register_games()
