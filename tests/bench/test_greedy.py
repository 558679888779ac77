"""Values against decisive positions: the move with the best value is judged."""

from __future__ import annotations

import numpy as np

from gamelore.bench.decisive import DecisivePosition
from gamelore.bench.greedy import DecisiveMoves
from gamelore.engine import Rows, Simulator, simulator
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.search.evaluator import ConstantEvaluator, Evaluator, Floats

BLOCK = DecisivePosition(moves=(0, 6, 1, 6, 2), keep=(3,), best=0)
"""Yellow has to stop a line of red's."""
WIN = DecisivePosition(moves=(0, 6, 1, 6, 2, 5), keep=(3,), best=1)
"""Red completes it."""


class ColumnEvaluator(Evaluator):
    """Likes discs of either side in one column, whoever's value it is."""

    def __init__(self, column: int) -> None:
        self.column = column

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        texts = [[to_kif(fact) for fact in engine.facts(row)] for row in rows]
        wanted = f" {self.column + 1} "
        counts = [
            sum("cell" in text and text.find(wanted, 6) > 0 for text in one)
            for one in texts
        ]
        return np.array(counts, np.float64)


def test_the_best_value_is_the_move() -> None:
    moves = DecisiveMoves(simulator(load("connect-four")), [BLOCK, WIN])
    assert moves.find_kept(ColumnEvaluator(3)).tolist() == [True, True]
    assert moves.find_kept(ColumnEvaluator(4)).tolist() == [False, True]


def test_a_win_is_worth_more_than_any_estimate() -> None:
    """The leftmost of equal moves is taken, but for one that ends the match well."""
    moves = DecisiveMoves(simulator(load("connect-four")), [BLOCK, WIN])
    assert moves.find_kept(ConstantEvaluator()).tolist() == [False, True]
