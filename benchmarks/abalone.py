"""How strong the preset of Abalone is: its evaluation alone, and with a search on top.

Trains the preset, or takes a checkpoint of it, and has it play the heuristic player
(alpha-beta over the sum of distances, `heuristic-N`) and `mcts`. The first four moves
are random, the same in two matches that follow one another with exchanged colours. A
match that is not over after the moves of --moves is won by who has pushed off more
stones. Intervals are Wilson's at 95 %, a draw counting half.

    python benchmarks/abalone.py [--checkpoint FILE] [--seed 1] [--seconds 0.2]
        [--moves 200] [--out FILE] [PAIRING ...]

A pairing is OURS:THEIRS:MATCHES. OURS is `depth-N` or `clock`, the learned evaluation
under alpha-beta of that depth or for --seconds a move; THEIRS is `heuristic-N`,
`heuristic` or `mcts`, the last two for --seconds a move.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.games import load, load_features
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn.files import load_checkpoint
from gamelore.learn.presets import preset_for
from gamelore.learn.trainer import Trainer
from gamelore.match.standings import share
from gamelore.player import Briefing, Clock, Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import HeuristicEvaluator
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction

OPENING = 4
DEEPEST = 60
PAIRINGS = (
    "depth-1:heuristic-1:200",
    *(f"depth-{n}:heuristic-{n}:{m}" for n, m in ((2, 100), (3, 60), (4, 24))),
    *(f"clock:heuristic-{n}:{m}" for n, m in ((2, 30), (3, 30), (4, 20), (5, 8))),
    "clock:heuristic-6:4",
    "clock:heuristic:20",
    "clock:mcts:20",
)


@dataclass(frozen=True)
class Result:
    """What came of a pairing."""

    ours: str
    theirs: str
    matches: int
    won: int
    """By six stones."""
    ahead: int
    """By stones when the moves are used up."""
    level: int
    behind: int
    lost: int
    score: float
    low: float
    high: float
    our_seconds: float
    """Of the processor, for a move."""
    their_seconds: float


def load_function(args: argparse.Namespace) -> ValueFunction:
    """Return the value function of the preset, for the game that is played."""
    preset = preset_for("abalone")
    rules = load(f"abalone-5-{args.moves}")
    features = load_features(preset.features or "", rules)
    graph = StateGraph(CircuitSimulator(rules, features=features))
    config = replace(preset.config, seed=args.seed)
    trainer = Trainer(graph, config)
    assert trainer.function is not None
    if args.checkpoint is None:
        started = time.process_time()
        trainer.run(preset.matches or 0)
        seconds = time.process_time() - started
        print(f"trained for {trainer.matches:,} matches, {seconds:.0f} s", flush=True)
    else:
        trainer.function.load(load_checkpoint(args.checkpoint).weights)
    return trainer.function


def make_ours(text: str, function: ValueFunction, seed: int) -> AlphaBetaPlayer:
    evaluator = ValueFunctionEvaluator(function)
    if text == "clock":
        limits = SearchLimits(1, DEEPEST)
        return AlphaBetaPlayer(evaluator, seed=seed, limits=limits)
    return AlphaBetaPlayer(evaluator, int(text.rpartition("-")[2]), seed)


def make_theirs(text: str, seed: int) -> Player:
    if text == "mcts":
        return TreePlayer(seed, TreeSettings())
    if text == "heuristic":
        limits = SearchLimits(1, DEEPEST)
        return AlphaBetaPlayer(HeuristicEvaluator(), seed=seed, limits=limits)
    return AlphaBetaPlayer(HeuristicEvaluator(), int(text.rpartition("-")[2]), seed)


def play(
    sim: CircuitSimulator, players: list[Player], clocks: list[float], seed: int
) -> tuple[Position, list[float]]:
    """Play a match; return its end, and what either took for a move."""
    random = np.random.default_rng(seed)
    position = Position.initial(sim)
    for role, player in zip(sim.roles, players, strict=True):
        player.start(Briefing(sim, role), Clock())
    taken, moves = [0.0, 0.0], 0
    while not position.is_terminal:
        if moves < OPENING:
            joint = tuple(
                legal[int(random.integers(len(legal)))]
                for legal in map(position.legal_moves, sim.roles)
            )
        else:
            chosen = [position.legal_moves(role)[0] for role in sim.roles]
            mover = moves % 2
            started = time.process_time()
            clock = Clock(clocks[mover])
            chosen[mover] = players[mover].choose(position, clock)
            taken[mover] += time.process_time() - started
            joint = tuple(chosen)
        position = position.advance(joint)
        moves += 1
    return position, [2 * seconds / max(1, moves - OPENING) for seconds in taken]


def meet(text: str, function: ValueFunction, args: argparse.Namespace) -> Result:
    """Play the matches of a pairing."""
    ours, theirs, count = text.split(":")
    sim = function.graph.simulator
    assert isinstance(sim, CircuitSimulator)
    names = [to_kif(name) for name in sim.feature_names]
    counts = dict.fromkeys(("won", "ahead", "level", "behind", "lost"), 0)
    seconds = np.zeros((int(count), 2))
    for match in range(int(count)):
        role = match % 2
        players: list[Player] = [
            make_ours(ours, function, match),
            make_theirs(theirs, match),
        ]
        clocks = [
            args.seconds if "-" not in spec else np.inf for spec in (ours, theirs)
        ]
        order = [0, 1] if role == 0 else [1, 0]
        end, taken = play(
            sim,
            [players[i] for i in order],
            [clocks[i] for i in order],
            seed=1_000 * args.seed + match // 2,
        )
        seconds[match] = [taken[order.index(0)], taken[order.index(1)]]
        stones = sim.feature_counts(end.row[None], role)[0]
        other, own = (stones[names.index(f"(lost {s})")] for s in ("other", "own"))
        goal = int(sim.goals(end.row[None])[0, role])
        kind = {100: "won", 0: "lost"}.get(goal)
        if kind is None:
            kind = ["behind", "level", "ahead"][int(np.sign(other - own)) + 1]
        counts[kind] += 1
    points = counts["won"] + counts["ahead"] + counts["level"] / 2
    estimate = share(points, int(count))
    return Result(
        ours,
        theirs,
        int(count),
        **counts,
        score=round(points / int(count), 4),
        low=round(estimate.low, 4),
        high=round(estimate.high, 4),
        our_seconds=round(float(seconds[:, 0].mean()), 4),
        their_seconds=round(float(seconds[:, 1].mean()), 4),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairings", nargs="*", default=PAIRINGS)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    function = load_function(args)
    found: list[Result] = []
    for text in args.pairings:
        result = meet(text, function, args)
        found.append(result)
        print(result, flush=True)
        if args.out is not None:
            with args.out.open("w", newline="") as file:
                writer = csv.DictWriter(file, fieldnames=list(asdict(result)))
                writer.writeheader()
                writer.writerows(map(asdict, found))


if __name__ == "__main__":
    main()
