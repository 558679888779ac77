"""Small puzzles written by hand or at random, and brute force to solve them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pytest

from gamelore.engine import Simulator
from gamelore.engine.simulator import Row
from gamelore.gdl import Game

Best: TypeAlias = dict[bytes, int | None]

LAMPS = """
(role robot)
(init (step 0)) (init (lit 1)) (init (lit 4))
(lamp 1) (lamp 2) (lamp 3) (lamp 4) (lamp 5)
(beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (near ?a ?a) (lamp ?a))
(<= (near ?a ?b) (beside ?a ?b))
(<= (near ?a ?b) (beside ?b ?a))
(<= (legal robot (press ?a)) (lamp ?a))
(<= (changed ?b) (does robot (press ?a)) (near ?a ?b))
(<= (next (lit ?b)) (lamp ?b) (changed ?b) (not (true (lit ?b))))
(<= (next (lit ?b)) (true (lit ?b)) (not (changed ?b)))
(<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
(<= some (true (lit ?a)))
(<= terminal (true (step 5)))
(<= terminal (not some))
(<= (goal robot 100) (not some))
(<= (goal robot 0) some)
"""
"""Turn all lamps off, in five presses."""

SQUARE = """
(role robot)
(value 1) (value 2) (value 3)
(init (cell 1 1 1)) (init (cell 1 2 b)) (init (cell 1 3 b))
(init (cell 2 1 b)) (init (cell 2 2 3)) (init (cell 2 3 b))
(init (cell 3 1 b)) (init (cell 3 2 b)) (init (cell 3 3 b))
(<= (bad ?r ?c ?v) (value ?r) (value ?c) (true (cell ?r ?c2 ?v)))
(<= (bad ?r ?c ?v) (value ?r) (value ?c) (true (cell ?r2 ?c ?v)))
(<= (legal robot (write ?r ?c ?v))
    (true (cell ?r ?c b)) (value ?v) (not (bad ?r ?c ?v)))
(legal robot resign)
(<= (next (cell ?r ?c ?v)) (does robot (write ?r ?c ?v)))
(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (written ?r ?c)))
(<= (written ?r ?c) (does robot (write ?r ?c ?v)))
(<= (next over) (does robot resign))
(<= open (true (cell ?r ?c b)))
(<= terminal (not open))
(<= terminal (true over))
(<= (goal robot 100) (not open))
(<= (goal robot 20) open)
"""
"""Fill in a Latin square, or resign."""

IMPOSSIBLE = """
(role robot)
(init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal robot wait)
(<= (legal robot go) (true (at ?x)))
(<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does robot wait) (true (at ?x)))
(<= terminal (true (at 3)))
(<= (goal robot 100) (true (at 3)) (true (at 0)) (not (true (at 3))))
(<= (goal robot 60) (true (at 3)))
(<= (goal robot 0) (not (true (at 3))))
"""
"""The best goal contradicts itself; a match may last for ever."""


def random_sheet(seed: int, states: int = 14) -> str:
    """Return a puzzle that walks on a random graph, with dead ends and circles."""
    random = np.random.default_rng(seed)
    lines = ["(role robot)", "(init (at s0))"]
    for state in range(states):
        if state and random.random() < 0.3:
            lines.append(f"(final s{state})")
        value = int(random.choice([0, 10, 40, 70, 100], p=[0.3, 0.3, 0.2, 0.15, 0.05]))
        lines.append(f"(value s{state} {value})")
        for move in range(int(random.integers(0 if state else 2, 4))):
            lines.append(f"(edge s{state} m{move} s{int(random.integers(states))})")
    lines += [
        "(<= (legal robot ?m) (true (at ?s)) (edge ?s ?m ?t))",
        "(<= (next (at ?t)) (true (at ?s)) (does robot ?m) (edge ?s ?m ?t))",
        "(<= terminal (true (at ?s)) (final ?s))",
        "(<= (goal robot ?v) (true (at ?s)) (value ?s ?v))",
    ]
    return "\n".join(lines)


@pytest.fixture(scope="session")
def sheets() -> dict[str, Game]:
    """Return the puzzles by name."""
    texts = {"lamps": LAMPS, "square": SQUARE, "impossible": IMPOSSIBLE}
    texts |= {f"graph-{seed}": random_sheet(seed) for seed in range(4)}
    return {name: Game.from_kif(text, name=name) for name, text in texts.items()}


@pytest.fixture(scope="session")
def solve() -> Callable[[Simulator], Best]:
    """Return the best goals of all positions that are not terminal, by their rows."""
    return _solve


def _solve(engine: Simulator) -> Best:
    rows = [engine.initial_row()]
    numbers = {rows[0].tobytes(): 0}
    children: list[list[int]] = []
    while len(children) < len(rows):
        parent = rows[len(children)]
        found = []
        for row in engine.expand(parent[None]).successors:
            number = numbers.setdefault(row.tobytes(), len(rows))
            if number == len(rows):
                rows.append(row.copy())
            found.append(number)
        children.append(found)
    stacked = np.stack(rows)
    ended, goals = engine.terminal(stacked), engine.goals(stacked)[:, 0]
    best = [int(g) if end else None for g, end in zip(goals, ended, strict=True)]
    changed = True
    while changed:
        changed = False
        for node, below in enumerate(children):
            values = [v for v in (best[child] for child in below) if v is not None]
            known = best[node]
            if values and (known is None or max(values) > known):
                best[node], changed = max(values), True
    return {
        row.tobytes(): value
        for row, value, end in zip(rows, best, ended, strict=True)
        if not end
    }


@pytest.fixture(scope="session")
def follow() -> Callable[[Simulator, Row, Sequence[int]], int]:
    """Return the goal at the end of a path; every move of it is legal."""

    def follow(engine: Simulator, row: Row, moves: Sequence[int]) -> int:
        for move in moves:
            assert not engine.terminal(row[None])[0]
            row = engine.advance(row[None], np.array([[move]], np.int32))[0]
        assert engine.terminal(row[None])[0]
        return int(engine.goals(row[None])[0, 0])

    return follow
