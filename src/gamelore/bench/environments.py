"""Steps per second of environments: ours, and those of other libraries.

A *step* is one action of one agent in one match, chosen at random among those that are
legal, with the observation and the mask of legal actions that the next choice needs.
Matches that end begin anew. All run in one process, in turns of a slice of time.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from gamelore.adapters import open_spiel_games
from gamelore.adapters.gymnasium import GameEnv, GameVectorEnv
from gamelore.errors import GameloreError

Stepper: TypeAlias = Callable[[], int]
"""Makes some steps, and returns how many."""

ZOO_GAMES = {"tictactoe": "tictactoe_v3", "connect-four": "connect_four_v3"}
PGX_GAMES = {
    "tictactoe": "tic_tac_toe",
    "connect-four": "connect_four",
    "othello": "othello",
    "hex-11x11": "hex",
}
"""Our names, and those of PettingZoo and pgx for the same games."""

_CALLS = 16  # of environments that make one step a call, in one measurement


@dataclass(frozen=True)
class EnvironmentRate:
    """The rate of one kind of environments."""

    game: str
    kind: str
    batch: int
    steps_per_s: float
    """The median of all slices; of processor time."""
    lowest: float
    highest: float
    slices: int

    def to_json(self) -> dict[str, Any]:
        """Return the rate as JSON has it."""
        return asdict(self)


# ── ours ────────────────────────────────────────────────────────────────────────────


def vector_stepper(game: str, batch: int, **settings: Any) -> Stepper:
    """What steps our vector environment."""
    envs = GameVectorEnv(game, batch, **settings)
    envs.reset(seed=1)

    def step() -> int:
        for _ in range(_CALLS):
            envs.step(envs.sample_actions())
        return _CALLS * batch

    return step


def single_stepper(game: str) -> Stepper:
    """What steps our single environment, in self-play."""
    env = GameEnv(game, opponent=None)
    _, info = env.reset(seed=1)
    random = np.random.default_rng(1)

    def step() -> int:
        nonlocal info
        for _ in range(_CALLS):
            legal = np.flatnonzero(info["action_mask"])
            _, _, terminated, _, info = env.step(legal[random.integers(len(legal))])
            if terminated:
                _, info = env.reset()
        return _CALLS

    return step


# ── others ──────────────────────────────────────────────────────────────────────────


def zoo_stepper(game: str, ours: bool = False) -> Stepper:
    """What steps PettingZoo's environment of a game, or ours through its interface."""
    try:
        if ours:
            from gamelore.adapters import pettingzoo

            env: Any = pettingzoo.env(game)
        else:
            from pettingzoo import classic

            env = getattr(classic, ZOO_GAMES[game]).env()
    except ImportError as error:
        raise GameloreError(
            f"PettingZoo's classic games cannot be had: {error}"
        ) from None
    env.reset(seed=1)
    random = np.random.default_rng(1)

    def step() -> int:
        for _ in range(_CALLS):
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                seen = env.last()[0]
            legal = np.flatnonzero(seen["action_mask"])
            env.step(legal[random.integers(len(legal))])
        return _CALLS

    return step


def openspiel_stepper(game: str, batch: int) -> Stepper:
    """What steps OpenSpiel's SyncVectorEnv."""
    try:
        from open_spiel.python import rl_agent, rl_environment, vector_env
    except ImportError:
        raise GameloreError("OpenSpiel is not installed") from None
    name = open_spiel_games.GAMES[game]
    envs = vector_env.SyncVectorEnv(
        [rl_environment.Environment(name) for _ in range(batch)]
    )
    random = np.random.default_rng(1)
    seen = envs.reset()

    def step() -> int:
        nonlocal seen
        actions = []
        for point, one in zip(random.random(batch), seen, strict=True):
            facts = one.observations
            legal = facts["legal_actions"][facts["current_player"]]
            actions.append(rl_agent.StepOutput(legal[int(point * len(legal))], []))
        seen, _, _, _ = envs.step(actions, reset_if_done=True)
        return batch

    return step


def pgx_stepper(game: str, batch: int, *, steps: int = 1) -> Stepper:
    """What steps pgx: so many steps in a call, inside of one compiled loop."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import jax
        import pgx
        from pgx.experimental import auto_reset
    except ImportError as error:
        raise GameloreError(f"pgx cannot be had: {error}") from None
    env = pgx.make(PGX_GAMES[game])
    advance = jax.vmap(auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> tuple[Any, None]:
        choice, chance = jax.random.split(key)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(choice, logits, axis=-1)
        return advance(state, actions, jax.random.split(chance, batch)), None

    run = jax.jit(lambda state, keys: jax.lax.scan(one, state, keys)[0])
    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
    keys = [jax.random.split(k, steps) for k in jax.random.split(key, 64)]
    calls = max(1, _CALLS // steps)
    count = 0

    def step() -> int:
        nonlocal state, count
        for _ in range(calls):
            state = run(state, keys[count % len(keys)])
            count += 1
        jax.block_until_ready(state)
        return calls * steps * batch

    return step


def steppers(game: str, batch: int) -> dict[str, Callable[[], Stepper]]:
    """Return what makes each kind of environment that there is of a game, by name."""
    found: dict[str, Callable[[], Stepper]] = {
        "gamelore, vector, self-play": lambda: vector_stepper(
            game, batch, opponent=None
        ),
        "gamelore, vector, against random": lambda: vector_stepper(game, batch),
        "gamelore, single": lambda: single_stepper(game),
        "gamelore, PettingZoo": lambda: zoo_stepper(game, ours=True),
    }
    if game in ZOO_GAMES:
        found["PettingZoo classic"] = lambda: zoo_stepper(game)
    if game in open_spiel_games.GAMES:
        found["OpenSpiel SyncVectorEnv"] = lambda: openspiel_stepper(game, batch)
    if game in PGX_GAMES:
        found["pgx, a call for each step"] = lambda: pgx_stepper(game, batch)
        found["pgx, 64 steps in a compiled loop"] = lambda: pgx_stepper(
            game, batch, steps=64
        )
    return found


# ── measuring ───────────────────────────────────────────────────────────────────────


def measure_environments(
    game: str,
    makers: Mapping[str, Callable[[], Stepper]],
    batch: int,
    *,
    seconds: float = 0.5,
    rounds: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> list[EnvironmentRate]:
    """Let kinds of environments take turns for a slice of time each, in rounds.

    Before that each makes steps once, so that nothing is compiled while it is timed.
    """
    made = {kind: make() for kind, make in makers.items()}
    for step in made.values():
        step()
    rates: dict[str, list[float]] = {kind: [] for kind in made}
    for _ in range(rounds):
        for kind, step in made.items():
            rates[kind].append(_measure(step, seconds, clock))
    return [
        EnvironmentRate(
            game,
            kind,
            batch if "vector" in kind.lower() or "pgx" in kind else 1,
            statistics.median(found),
            min(found),
            max(found),
            len(found),
        )
        for kind, found in rates.items()
    ]


def _measure(step: Stepper, seconds: float, clock: Callable[[], float]) -> float:
    began = clock()
    steps = 0
    while True:
        steps += step()
        took = clock() - began
        if took >= seconds:
            return steps / took


def compare(rates: Sequence[EnvironmentRate]) -> dict[str, float]:
    """Return how many times the rate of each other kind our vector one has."""
    own = rates[0].steps_per_s
    return {rate.kind: own / rate.steps_per_s for rate in rates[1:]}
