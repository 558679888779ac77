"""The goals that `mcts` reaches in games of one player, and those of a plain tree.

    python benchmarks/puzzles.py FOLDER                 every puzzle there, 20 s each
    python benchmarks/puzzles.py FOLDER --player tree   the same by a plain tree
    python benchmarks/puzzles.py FOLDER --only hanoi    those whose names begin so

Half of the seconds are for the initial position; the other half is divided evenly over
as many moves as random playouts have on average. Prints a line of JSON for each.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

from gamelore.engine import CircuitSimulator, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.gdl import Game
from gamelore.player import Briefing, Clock
from gamelore.search.mcts import CircuitTree, PlainTree, TreePlayer
from gamelore.search.mcts.player import TreeSearch

MOVE_LIMIT = 400
USUAL_LENGTH = 20.0  # of matches on the interpreter, where playouts take long


class PlainTreePlayer(TreePlayer):
    """Searches a tree in every game."""

    def _make_trees(self, simulator: Simulator) -> list[TreeSearch]:
        if isinstance(simulator, CircuitSimulator):
            return [CircuitTree(simulator, self.settings, self._seed)]
        return [PlainTree(simulator, self.settings, self._seed)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--player", choices=["mcts", "tree"], default="mcts")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", default="", help="the beginning of names")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for path in sorted(arguments.folder.glob(f"{arguments.only}*.kif")):
        game = Game.from_file(path)
        if len(game.roles) == 1:
            engine = simulator(game)
            result = measure(engine, arguments.player, arguments.seconds)
            print(json.dumps({"game": path.stem, **result}), flush=True)


def measure(engine: Simulator, kind: str, seconds: float) -> dict[str, object]:
    """Play one match, and return how it went."""
    player = make_player(kind)
    (role,) = engine.roles
    player.start(Briefing(engine, role), Clock())  # loads kernels
    player = make_player(kind)
    share = 0.95 if kind == "mcts" else 0.5  # of a start clock that is made use of
    play_clock = max(0.05, seconds / 2 / mean_length(engine))
    began = time.monotonic()
    player.start(Briefing(engine, role), Clock(seconds / 2 / share))
    position, moves, solved = Position.initial(engine), 0, False
    while not position.is_terminal and moves < MOVE_LIMIT:
        move = player.choose(position, Clock(play_clock))
        if not moves and player.last is not None:
            solved = player.last.solved
        position = position.advance(move)
        moves += 1
    return {
        "goal": position.goals[role] if position.is_terminal else None,
        "best": max(engine.goal_values[0]),
        "moves": moves,
        "solved_at_once": solved,
        "seconds": round(time.monotonic() - began, 1),
        "engine": engine.engine,
    }


def make_player(kind: str) -> TreePlayer:
    return TreePlayer(1) if kind == "mcts" else PlainTreePlayer(1)


def mean_length(engine: Simulator) -> float:
    """Return the mean length of random playouts."""
    if not isinstance(engine, CircuitSimulator):
        return USUAL_LENGTH
    playouts = engine.playouts(count=64, move_limit=2000)
    return max(1.0, float(playouts.lengths[0]) / 64)


if __name__ == "__main__":
    main()
