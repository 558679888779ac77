"""What is learned does not depend on the order in which rules list the roles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

TICKS = """
(init (heap 9)) (init (turn first))
(order first tick1) (order tick1 second) (order second tick2) (order tick2 first)
(minus 9 1 8) (minus 9 2 7) (minus 8 1 7) (minus 8 2 6) (minus 7 1 6) (minus 7 2 5)
(minus 6 1 5) (minus 6 2 4) (minus 5 1 4) (minus 5 2 3) (minus 4 1 3) (minus 4 2 2)
(minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
(player first) (player second)
(<= (legal ?p (take ?k))
    (player ?p) (true (turn ?p)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (legal ?p wait) (player ?p) (true (turn ?t)) (distinct ?p ?t))
(<= (legal random tick) (true (turn ?t)) (chance ?t))
(<= (legal random wait) (true (turn ?p)) (player ?p))
(chance tick1) (chance tick2)
(<= (next (heap ?m))
    (true (turn ?p)) (does ?p (take ?k)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (next (heap ?n)) (true (heap ?n)) (true (turn ?t)) (chance ?t))
(<= (next (turn ?u)) (true (turn ?t)) (order ?t ?u))
(<= terminal (true (heap 0)))
(<= (goal first 100) (true (turn tick1)))
(<= (goal first 0) (true (turn tick2)))
(<= (goal second 100) (true (turn tick2)))
(<= (goal second 0) (true (turn tick1)))
"""
"""A heap to take from; the role `random` never has more than one move."""

USUAL = ("first", "second", "random")
CHANCE_MOVED = [("random", "first", "second"), ("first", "random", "second")]
EXCHANGED = [("second", "first", "random"), ("random", "second", "first")]


def game(name: str, roles: tuple[str, ...]) -> CircuitSimulator:
    """A game with its roles in some order."""
    lines = "".join(f"(role {role})\n" for role in roles)
    if name == "ticks":
        text = lines + TICKS
    else:
        kif = load(name).to_kif()
        text = lines + "\n".join(
            line for line in kif.splitlines() if not line.startswith("(role ")
        )
    sim = simulator(Game.from_kif(text, name=name))
    assert isinstance(sim, CircuitSimulator)
    return sim


def train(name: str, roles: tuple[str, ...], config: TrainConfig) -> Trainer:
    """The role `first` learns, wherever it is listed."""
    players = [role for role in roles if role != "random"]
    role: Any = ("first", "second")[players.index("first")]
    trainer = Trainer(StateGraph(game(name, roles)), replace(config, role=role))
    trainer.run(40)
    return trainer


def collect_values(trainer: Trainer) -> dict[tuple[frozenset[Any], Any], float]:
    """What role `first` learned, by facts, and by move if values are of moves."""
    sim = trainer.graph.simulator
    role = sim.roles.index("first")
    table, width = trainer.tables[role], sim.width
    return {
        (
            frozenset(sim.facts(cell.row[:width])),
            sim.moves[role][int(cell.row[width])] if len(cell.row) > width else None,
        ): cell.value
        for cell in table
    }


TABLES = {
    "td": TrainConfig(opponent=PlayerSettings("novice"), schedule=Fixed(0.2)),
    "q": TrainConfig(QSettings(), PlayerSettings("weak"), schedule=Fixed(0.2)),
    "own": TrainConfig(TDSettings(), SelfPlay("own"), schedule=Fixed(0.2)),
}


@pytest.mark.parametrize("name", mark_slow(["pig", "ticks"], {"pig"}))
@pytest.mark.parametrize("config", TABLES.values(), ids=TABLES.keys())
def test_tables_are_the_same_in_any_order(name: str, config: TrainConfig) -> None:
    expected = collect_values(train(name, USUAL, config))
    assert len(expected) > 5
    for roles in CHANCE_MOVED + EXCHANGED:
        assert collect_values(train(name, roles, config)) == expected


@pytest.mark.parametrize("name", ["pig", "ticks"])
def test_shared_values_are_the_same_wherever_chance_is_listed(name: str) -> None:
    config = TrainConfig(TDSettings(), SelfPlay("shared"), schedule=Fixed(0.2))
    expected = collect_values(train(name, USUAL, config))
    for roles in CHANCE_MOVED:
        assert collect_values(train(name, roles, config)) == expected


FUNCTIONS: dict[str, FunctionSettings] = {
    "linear": LinearSettings(perspective="current-player", initial_value=0.01),
    "first": LinearSettings(initial_value=0.01),
    "network": NetworkSettings(hidden=5, perspective="current-player"),
}


@pytest.mark.parametrize("name", mark_slow(["pig", "ticks"], {"pig"}))
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions_are_the_same_in_any_order(name: str, kind: str) -> None:
    settings = FUNCTIONS[kind]
    config = TrainConfig(
        TDSettings(0.1), SelfPlay(), schedule=Fixed(0.2), function=settings
    )
    usual = train(name, USUAL, config)
    sim = usual.graph.simulator
    rows = usual.graph.nodes.rows[: len(usual.graph)].copy()
    facts = [sim.facts(row) for row in rows]
    # With the players exchanged, random weights are those of other inputs, and values
    # of the first player are those of another.
    orders = CHANCE_MOVED + (EXCHANGED if kind == "linear" else [])
    viewers = ("first",) if kind == "first" else ("first", "second")
    for roles in orders:
        other = train(name, roles, config)
        theirs = other.graph.simulator
        same = np.stack([theirs.encode(one) for one in facts])
        for viewer in viewers:
            assert usual.function is not None and other.function is not None
            expected = usual.function.evaluate(rows, sim.roles.index(viewer))
            found = other.function.evaluate(same, theirs.roles.index(viewer))
            assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("roles", [USUAL, *CHANCE_MOVED])
def test_a_search_asks_for_its_own_value_after_chance(roles: tuple[str, ...]) -> None:
    config = TrainConfig(
        TDSettings(0.1), SelfPlay(), function=FUNCTIONS["linear"], schedule=Fixed(0.2)
    )
    trainer = train("pig", roles, config)
    assert trainer.function is not None
    sim, evaluator = trainer.graph.simulator, ValueFunctionEvaluator(trainer.function)
    rows = trainer.graph.nodes.rows[:20]
    chance = sim.roles.index("random")
    for player in ("first", "second"):
        role = sim.roles.index(player)
        expected = trainer.function.evaluate(rows, role)
        assert (evaluator.evaluate(sim, rows, chance, role) == expected).all()
