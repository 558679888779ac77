"""Circuits of turns with lookahead, against trying every move."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.circuit import compile_game, lookahead
from gamelore.circuit.lookahead import ConstantSum, add_lookahead
from gamelore.circuit.program import (
    GATES,
    GOALS,
    LEGAL,
    PHASES,
    TERMINAL,
    Program,
    Turns,
)
from gamelore.circuit.restore import restore_circuit
from gamelore.circuit.store import LookaheadStore
from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Row, Rows
from gamelore.games import library, load

QUICK = {
    "tictactoe",
    "connect-3",
    "nim",
    "trio-3x3",
    "pig-10",
}
"""Games in which to find out takes half a second or less, and others are alike."""

Bools = npt.NDArray[np.bool_]


def names() -> list[object]:
    """Every library game and some small ones; most are marked slow."""
    found: list[object] = []
    others = ["trio-3x3", "pig-10", "breakthrough-5x5"]
    for name in [*(entry.name for entry in library()), *others]:
        marks = [] if name in QUICK else [pytest.mark.slow]
        found.append(pytest.param(name, marks=marks))
    return found


def run_turn(
    program: Program, turns: Turns, turn: int, facts: Bools
) -> tuple[Bools, Bools, Bools]:
    """Ends [n], goals [n, G] and legal moves [n, M] of a turn.  facts: bool [n, F]"""
    values = np.zeros((program.slots, len(facts)), np.bool_)
    values[1 : 1 + facts.shape[1]] = facts.T

    def read(literals: npt.NDArray[np.int32]) -> Bools:
        return np.asarray(
            values[literals >> 1] ^ (literals & 1)[:, None].astype(bool)
        ).T

    def run(phase: int) -> None:
        for segment in range(*program.phases[PHASES * turn + phase]):
            kind, first, end = program.segments[segment].tolist()
            assert kind == GATES
            for gate in range(first, end):
                left, right = (
                    values[literal >> 1] ^ bool(literal & 1)
                    for literal in (int(program.left[gate]), int(program.right[gate]))
                )
                values[program.slot[gate]] = left & right

    run(TERMINAL)
    ended = read(turns.terminal[turn : turn + 1])[:, 0].copy()
    kept = values.copy()
    run(GOALS)
    goals = read(turns.goals[turn]).copy()
    values[:] = kept
    run(LEGAL)
    first = int(turns.move_ends[turn - 1, -1]) if turn else 0
    span = slice(first, int(turns.move_ends[turn, -1]))
    legal = np.zeros((len(facts), int(turns.moves.max()) + 1), np.bool_)
    legal[:, turns.moves[span]] = read(turns.legal[span])
    return ended, goals, legal


def sample_rows(engine: CircuitSimulator, matches: int) -> Rows:
    """The positions of random matches, terminal ones left out, later ones first."""
    random = np.random.default_rng(3)
    found: list[Row] = []
    for _ in range(matches):
        row = engine.initial_row()
        while not engine.terminal(row[None])[0] and len(found) < 100 * matches:
            found.append(row)
            options = [np.flatnonzero(legal[0]) for legal in engine.legal(row[None])]
            joint = [int(random.choice(moves)) for moves in options]
            row = engine.advance(row[None], np.array([joint], np.int32))[0]
    return np.unique(np.stack(found[::-1]), axis=0)[:200]


class Position:
    """One position, and what lookahead says of it by its definition."""

    def __init__(self, engine: CircuitSimulator, row: Row) -> None:
        self.engine = engine
        self.row = row
        counts = [int(one.sum()) for one in engine.legal(row[None])]
        choosers = [role for role, count in enumerate(counts) if count > 1]
        self.in_turns = len(choosers) <= 1
        movers = choosers or range(len(counts))
        self.movers = [role for role in movers if engine.roles[role] != "random"]

    @cached_property
    def ended(self) -> bool:
        return bool(self.engine.terminal(self.row[None])[0])

    @cached_property
    def children(self) -> list[tuple[list[int], Position]]:
        """Joint moves, and where they lead."""
        found = self.engine.expand(self.row[None])
        pairs = zip(found.moves.tolist(), found.successors, strict=True)
        return [(joint, Position(self.engine, row)) for joint, row in pairs]

    def wins(self, role: int) -> list[int]:
        """The moves of a role by which it wins at once; none if others choose too."""
        if role not in self.movers or not self.in_turns:
            return []
        best = max(self.engine.goal_values[role])
        return [
            joint[role]
            for joint, child in self.children
            if child.ended and self.engine.goals(child.row[None])[0][role] == best
        ]

    def safe(self, role: int) -> list[int]:
        """The moves of a role after which no other one wins at once."""
        roles = range(len(self.engine.roles))
        return [
            joint[role]
            for joint, child in self.children
            if child.ended
            or not any(child.wins(other) for other in roles if other != role)
        ]


def find_constant(engine: CircuitSimulator) -> ConstantSum | None:
    """Two players, if all their playouts have goals of the same sum."""
    players = [i for i, role in enumerate(engine.roles) if role != "random"]
    if len(players) != 2:
        return None
    rows = np.repeat(engine.initial_row()[None], 64, axis=0)
    sums = engine.playouts(rows, 1, seed=1).goal_sums[:, players].sum(axis=1)
    if sums.min() < sums.max():
        return None
    return ConstantSum(int(sums[0]), *players)


@pytest.mark.parametrize("name", names())
def test_lookahead_is_as_defined(name: str) -> None:
    engine = CircuitSimulator(load(name))
    circuit = restore_circuit(engine.compiled, engine.roles)
    constant = find_constant(engine)
    found = add_lookahead(circuit, constant) if circuit is not None else None
    if found is None:
        pytest.skip("no small circuit tells the wins of this game")
    program, turns = found
    rows = sample_rows(engine, 8)
    facts = engine.fact_matrix(rows)
    at = np.stack([(facts[:, turns.fluents] == v).all(axis=1) for v in turns.values])
    assert (at.sum(axis=0) == 1).all()
    for turn in range(len(at)):
        chosen = rows[at[turn]]
        ended, goals, legal = run_turn(program, turns, turn, facts[at[turn]])
        for i, row in enumerate(chosen):
            position = Position(engine, row)
            if position.in_turns and constant is not None:
                check_constant(position, constant, ended[i], goals[i], legal[i])
            elif position.in_turns:
                assert not ended[i]
                check_moves(position, legal[i], constant)


def check_constant(
    position: Position, constant: ConstantSum, ended: bool, goals: Bools, legal: Bools
) -> None:
    """Matches end where a role wins at once, or lets the other one win."""
    engine = position.engine
    winner = None
    for role in position.movers:
        if position.wins(role):
            winner = role
        elif not position.safe(role) and winner is None:
            winner = constant.other(role)
    assert ended == (winner is not None)
    if winner is None:
        check_moves(position, legal, constant)
        return
    first = np.concatenate([[0], engine.program.goal_ends])
    best = max(engine.goal_values[winner])
    for role in (constant.first, constant.second):
        reached = goals[first[role] : first[role + 1]]
        values = np.array(engine.goal_values[role])[reached]
        expected = best if role == winner else constant.total - best
        assert values.tolist() == [expected]


def check_moves(position: Position, legal: Bools, constant: ConstantSum | None) -> None:
    """Of the role that has a choice, moves are legal that win, or else are safe."""
    engine = position.engine
    first = np.concatenate([[0], engine.program.move_ends])
    plain = engine.legal(position.row[None])
    players = [r for r, role in enumerate(engine.roles) if role != "random"]
    for role, moves in enumerate(plain):
        possible = np.flatnonzero(moves[0]).tolist()
        if len(possible) < 2:
            continue
        expected = possible
        if role in players:
            careful = constant is not None or len(players) != 2
            safe = position.safe(role) if careful else []
            expected = position.wins(role) or safe or possible
        span = legal[first[role] : first[role + 1]]
        assert np.flatnonzero(span).tolist() == sorted(expected)


def test_what_took_long_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    monkeypatch.setattr(lookahead, "_QUICK", -1.0)
    game = load("nim")
    compiled = compile_game(game)
    constant = ConstantSum(100, 0, 1)
    made = lookahead.find_lookahead(game, compiled, constant)
    assert made is not None
    monkeypatch.setattr(lookahead, "add_lookahead", None)
    found = lookahead.find_lookahead(game, compiled, constant)
    assert found is not None
    for one, other in zip(made, found, strict=True):
        assert [type(x) for x in one] == [type(x) for x in other]
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert list(tmp_path.rglob("*-ahead-*"))


def test_that_there_is_no_lookahead_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    game = load("nim")
    compiled = compile_game(game)
    store = LookaheadStore(game, compiled.program, "any")
    assert store.load() is None
    store.save(None)
    assert store.load() == "none"
    store.path.write_bytes(b"damaged")
    assert store.load() is None
