"""Self-play by TD(λ) with a network: gamelore beside OpenSpiel and numpy.

Both learn the same: one hidden layer of sigmoid units over one indicator per fact. Of
the positions after a move, the first player takes the highest value and the second the
lowest, or any now and then. After a match, values are updated by TD(λ) over all its
positions. The other side is what one would write with OpenSpiel's states and numpy.

How long matches are depends on what was learned, so both sides play the same runs:
the first thousand matches from new weights, with one seed after the other.

    python benchmarks/self_play.py [--game connect_four] [--hidden 80] [--seconds 10]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle

import numpy as np
import numpy.typing as npt
import pyspiel

from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import State, Trainer
from gamelore.values.settings import NetworkSettings

Floats = npt.NDArray[np.float32]
Lengths = npt.NDArray[np.int32]

OURS = {
    "tic_tac_toe": "tictactoe",
    "connect_four": "connect-four",
    "breakthrough": "breakthrough",
    "breakthrough(rows=6,columns=6)": "breakthrough-6x6",
}
STEP, DECAY, EPSILON = 0.1, 0.7, 0.1
RUN = 1000  # matches from new weights


class PlainSelfPlay:
    """TD(λ) self-play with OpenSpiel and numpy."""

    def __init__(self, name: str, hidden: int, seed: int = 0) -> None:
        self.game = pyspiel.load_game(name)
        self.random = np.random.default_rng(seed)
        inputs = self.game.observation_tensor_size() + 1
        spread = 1 / np.sqrt(inputs)
        shape = inputs, hidden
        self.hidden = self.random.uniform(-spread, spread, shape).astype(np.float32)
        self.out = self.random.uniform(-0.1, 0.1, hidden + 1).astype(np.float32)

    def inputs(self, states: list[pyspiel.State]) -> Floats:
        """float32 [n, inputs]: what the first player sees, whose turn it is, a bias."""
        rows = [[*s.observation_tensor(0), s.move_number() % 2] for s in states]
        return np.array(rows, np.float32)

    def values(self, inputs: Floats) -> tuple[Floats, Floats]:
        """float32 [n] values, and float32 [n, hidden] levels of hidden units."""
        levels = 1 / (1 + np.exp(-(inputs @ self.hidden)))
        return 1 / (1 + np.exp(-(levels @ self.out[:-1] + self.out[-1]))), levels

    def play(self) -> int:
        """Play and learn one match; its length."""
        state = self.game.new_initial_state()
        seen: list[Floats] = []
        while not state.is_terminal():
            after = [state.child(move) for move in state.legal_actions()]
            inputs = self.inputs(after)
            if self.random.random() < EPSILON:
                choice = int(self.random.integers(len(after)))
            else:
                worth, _ = self.values(inputs)
                for i, child in enumerate(after):
                    if child.is_terminal():
                        worth[i] = (child.player_return(0) + 1) / 2
                choice = int(
                    worth.argmin() if state.current_player() else worth.argmax()
                )
            state = after[choice]
            if not state.is_terminal():
                seen.append(inputs[choice])
        self.learn(np.array(seen), (state.player_return(0) + 1) / 2)
        return len(seen) + 1

    def learn(self, inputs: Floats, reward: float) -> None:
        """The offline λ-return of a match, in one change of the weights."""
        values, levels = self.values(inputs)
        errors = np.append(values[1:], reward) - values
        gains = np.empty_like(errors)
        ahead = 0.0
        for t in range(len(errors) - 1, -1, -1):
            ahead = errors[t] + DECAY * ahead
            gains[t] = STEP * ahead
        slopes = (gains * values * (1 - values)).astype(np.float32)
        back = slopes[:, None] * self.out[:-1] * levels * (1 - levels)
        self.out[:-1] += slopes @ levels
        self.out[-1] += slopes.sum()
        self.hidden += inputs.T @ back


def trainer(name: str, hidden: int, updates: str, seed: int) -> Trainer:
    function = NetworkSettings(
        hidden=hidden,
        initial_range=None,
        updates=updates,  # type: ignore[arg-type]
    )
    config = TrainConfig(
        TDSettings(step_size=STEP, trace_decay=DECAY),
        SelfPlay(),
        schedule=Fixed(EPSILON),
        function=function,
        seed=seed,
    )
    return Trainer(StateGraph(simulator(load(OURS[name]))), config)


def rate(play: Callable[[], Lengths], seconds: float) -> Floats:
    """float32 [2]: matches and moves per second of processor time."""
    done, started = np.zeros(2), time.process_time()
    while (taken := time.process_time() - started) < seconds:
        lengths = play()
        done += len(lengths), lengths.sum()
    return (done / taken).astype(np.float32)


def run_plain(name: str, hidden: int, seeds: Iterator[int]) -> Lengths:
    """The lengths of the matches of a run by OpenSpiel and numpy."""
    plain = PlainSelfPlay(name, hidden, next(seeds))
    return np.array([plain.play() for _ in range(RUN)], np.int32)


def run_ours(ours: Trainer, beginnings: Iterator[State]) -> Lengths:
    """The lengths of the matches of a run by gamelore."""
    ours.restore(next(beginnings))
    return ours.run(RUN).lengths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four", choices=OURS)
    parser.add_argument("--hidden", type=int, default=80)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    PlainSelfPlay(options.game, options.hidden).play()
    play = partial(run_plain, options.game, options.hidden, count())
    peer = rate(play, options.seconds)
    print(f"{options.game}, {options.hidden} hidden units   matches/s      moves/s")
    print(f"OpenSpiel + numpy, per match   {peer[0]:10,.0f} {peer[1]:12,.0f}")
    for updates in ("offline", "online"):
        trainers = [
            trainer(options.game, options.hidden, updates, seed) for seed in range(8)
        ]
        beginnings = cycle([ours.state() for ours in trainers])
        trainers[0].run(10)
        speed = rate(partial(run_ours, trainers[0], beginnings), options.seconds)
        ratios = " ".join(f"{ratio:6.1f}×" for ratio in speed / peer)
        print(
            f"gamelore, per {updates:<15}  {speed[0]:10,.0f} {speed[1]:12,.0f} {ratios}"
        )


if __name__ == "__main__":
    main()
