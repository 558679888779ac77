"""MaskablePPO of Stable-Baselines3's contrib package learns tic-tac-toe.

It plays the random player through the Gymnasium adapter; illegal actions are masked.
After each part of the training it plays matches greedily, and the mean reward of each
part is printed: 1 is a win, -1 a loss, 0 a draw. It takes about a minute.

    pip install 'gamelore[gymnasium]' sb3-contrib
    python examples/sb3_tictactoe.py [GAME]
"""

from __future__ import annotations

import sys

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env

from gamelore.adapters.gymnasium import GameEnv


def learn(
    game: str, parts: int, steps: int, seed: int = 1, matches: int = 200
) -> list[float]:
    """Return the mean reward of greedy matches before training and after each part."""
    envs = make_vec_env(lambda: GameEnv(game), n_envs=8, seed=seed)
    held_out = make_vec_env(lambda: GameEnv(game), n_envs=1, seed=seed + 1000)
    torch.set_num_threads(1)  # the network is small
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=128,
        batch_size=256,
        learning_rate=1e-3,
        gamma=1.0,
        seed=seed,
    )
    curve = []
    for part in range(parts + 1):
        rewards, _ = evaluate_policy(
            model,
            held_out,
            n_eval_episodes=matches,
            return_episode_rewards=True,
            warn=False,
        )
        curve.append(float(np.mean(rewards)))
        print(f"{part * steps:>8,}   {curve[-1]:+.3f}", flush=True)
        if part < parts:
            model.learn(steps, reset_num_timesteps=False)
    return curve


def main() -> None:
    """Train, and print the curve."""
    game = sys.argv[1] if len(sys.argv) > 1 else "tictactoe"
    print(f"{game}, against the random player\n   steps   mean reward")
    learn(game, parts=5, steps=8192)


if __name__ == "__main__":
    main()
