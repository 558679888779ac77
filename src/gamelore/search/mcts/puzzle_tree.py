"""The search of games of one player, as the tree search's player calls it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Row, Simulator
from gamelore.search.mcts.report import Analysis, Candidate
from gamelore.search.mcts.settings import LONGEST_PLAYOUT, TreeSettings
from gamelore.search.puzzle import BestPath, PlainPuzzleSearch, PuzzleSearch

_NODES = 1_500_000
_BYTES_PER_NODE = 512  # of the memory that a tree of so many nodes would take


def is_puzzle(simulator: Simulator) -> bool:
    """Return whether a game has one role, and that one is a player."""
    return len(simulator.roles) == 1 and simulator.roles[0] != "random"


class PuzzleTree:
    """Stands in for a tree where one role plays alone: a search for the best path."""

    least = 1
    """Playouts of a search at least."""
    start_share = 0.95
    """The share of a start clock that the initial position is searched for."""

    def __init__(
        self, simulator: Simulator, settings: TreeSettings, seed: int = 0
    ) -> None:
        limit = settings.playout_limit or LONGEST_PLAYOUT
        self.search_for_path: PuzzleSearch | PlainPuzzleSearch
        if isinstance(simulator, CircuitSimulator):
            memory = _BYTES_PER_NODE * (settings.nodes or _NODES)
            self.search_for_path = PuzzleSearch(simulator, memory, limit, seed)
        else:
            nodes = settings.nodes or _NODES
            self.search_for_path = PlainPuzzleSearch(simulator, nodes, limit, seed)

    @property
    def playouts(self) -> int:
        """Work so far, in playouts."""
        return self.search_for_path.playouts

    @property
    def solved(self) -> bool:
        """Whether no path is better than the one that was found."""
        return self.search_for_path.best.proven

    def set_root(self, row: Row) -> None:
        """Search from this position on; what is left of the path stays."""
        self.search_for_path.set_root(row)

    def search(self, playouts: int, end: float = math.inf) -> bool:
        """Search on for so many playouts; return whether the value is proven."""
        return self.search_for_path.search(playouts, end)

    def analyse(self, role: int, lines: int = 0) -> Analysis:
        """Return the best path, and other moves with the best goals of rollouts."""
        search = self.search_for_path
        begun, reached = search.first_moves()
        spent = search.playouts, search.nodes
        return describe_paths(search.best, begun, reached, spent, lines)


def describe_paths(
    best: BestPath,
    begun: npt.NDArray[np.int64],
    reached: npt.NDArray[np.int64],
    spent: tuple[int, int],
    lines: int,
) -> Analysis:
    """Return the best path as the first candidate, and the other legal moves.

    begun, reached: int64 [M], the rollouts that began with a move and the best goal of
    them, or a negative number; spent: playouts and nodes.
    """
    simulator = best.simulator
    names = simulator.moves[0]
    (legal,) = simulator.legal(best.row[None])
    options = np.flatnonzero(legal[0])
    total = max(1, int(begun[options].sum()))
    lowest = min(simulator.goal_values[0], default=0)
    path = () if best.path is None else best.path.moves
    line = tuple((names[move],) for move in path) if lines else ()
    candidates = [
        Candidate(
            move=names[number],
            visits=int(begun[number]),
            value=float(max(int(reached[number]), lowest)),
            probability=int(begun[number]) / total,
            spread=0.0,
        )
        for number in options.tolist()
        if not path or number != path[0]
    ]
    candidates.sort(key=lambda one: (one.value, one.visits), reverse=True)
    goal = max(best.goal, 0)
    if path:
        first = Candidate(
            move=names[path[0]],
            visits=int(begun[path[0]]),
            value=float(goal),
            proven=best.proven,
            probability=int(begun[path[0]]) / total,
            line=line,
            spread=0.0,
        )
        candidates.insert(0, first)
    return Analysis(
        role=simulator.roles[0],
        candidates=tuple(candidates),
        playouts=spent[0],
        nodes=spent[1],
        solved=best.proven,
        value=float(goal if path else lowest),
        moves_left=len(path) if path else None,
    )
