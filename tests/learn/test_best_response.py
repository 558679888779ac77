"""Learners reach what an exact solution says, on games small enough to solve.

Against an opponent whose moves have known probabilities a game is a Markov decision
process, and the values of best play against it follow by working back from the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.gdl import Compound
from gamelore.graph import StateGraph
from gamelore.learn.config import RoleChoice, TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.search.policies import PlayerSettings
from gamelore.values.table import Table

OPPONENTS = [
    PlayerSettings("random"),
    PlayerSettings("novice", 0.1),
    PlayerSettings("weak", 0.1),
]

FAST = ("nim-1-3-5", "random", "second"), ("nim-1-3-5", "novice", "first")


def make_cases(*fast: tuple[str, str, str]) -> list[Any]:
    """Return games, opponents and roles; all but a few take long."""
    cases = []
    for name, opponent, role in product(
        ("nim-1-3-5", "tictactoe"), OPPONENTS, ("first", "second")
    ):
        case = name, opponent.name, role
        marks = [] if case in fast else [pytest.mark.slow]
        cases.append(pytest.param(name, opponent, role, marks=marks, id="-".join(case)))
    return cases


@cache
def make_graph(name: str) -> StateGraph:
    return StateGraph(simulator(load(name)))


@dataclass(frozen=True)
class Solution:
    """Values of best play by a role against an opponent, worked out exactly."""

    graph: StateGraph
    role: int
    opponent: PlayerSettings
    epsilon: float = 0.0
    """How often the role itself moves at random."""
    discount: float = 1.0
    """Per move of the role."""

    def solve(self) -> Callable[[int], float]:
        """The value of a position by its node."""
        return self.solve_with(self._best)

    def evaluate(self, choose: Callable[[int], int]) -> Callable[[int], float]:
        """The same if the role moves to the node that `choose` says."""
        return self.solve_with(lambda node, value: value(choose(node)))

    def solve_with(
        self, decide: Callable[[int, Callable[[int], float]], float]
    ) -> Callable[[int], float]:
        graph = self.graph

        @cache
        def value(node: int) -> float:
            if graph.is_terminal(node):
                return float(graph.goals(node)[self.role])
            if graph.mover(node) == self.role:
                return self.discount * decide(node, value)
            chances = distribution(graph, node, self.opponent)
            return sum(p * value(child) for child, p in chances)

        return value

    def _best(self, node: int, value: Callable[[int], float]) -> float:
        values = [value(edge.child) for edge in self.graph.edges(node)]
        mean = sum(values) / len(values)
        return (1 - self.epsilon) * max(values) + self.epsilon * mean


def distribution(
    graph: StateGraph, node: int, player: PlayerSettings
) -> list[tuple[int, float]]:
    """Where a built-in player goes, and with which probability."""
    mover = graph.mover(node)
    children = [edge.child for edge in graph.edges(node)]
    uniform = 1 / len(children)
    if player.name == "random":
        return [(child, uniform) for child in children]
    kinds = [one_ply_outcome(graph, mover, child) for child in children]
    order = "WNL" if player.name == "novice" else "LNW"
    wanted = min(kinds, key=order.index)
    share = (1 - player.epsilon) / kinds.count(wanted)
    return [
        (child, player.epsilon * uniform + share * (kind == wanted))
        for child, kind in zip(children, kinds, strict=True)
    ]


def one_ply_outcome(graph: StateGraph, mover: int, child: int) -> str:
    """W if the mover has won, L if it has lost or the other can win at once, else N."""

    def classify(node: int) -> str:
        goals = graph.simulator.goal_values[mover]
        return {max(goals): "W", min(goals): "L"}.get(
            int(graph.goals(node)[mover]), "N"
        )

    if graph.is_terminal(child):
        return classify(child)
    if graph.mover(child) == mover:
        return "N"
    replies = [edge.child for edge in graph.edges(child)]
    return "L" if "L" in [classify(n) for n in replies if graph.is_terminal(n)] else "N"


def trained(graph: StateGraph, config: TrainConfig, steps: dict[float, int]) -> Trainer:
    """Matches with one step size after the other: step size → matches."""
    table: Table | None = None
    for number, (step, matches) in enumerate(steps.items()):
        settings = type(config.learner)(
            **{**vars(config.learner), "step_size": step},
        )
        stage = TrainConfig(
            settings, config.opponent, config.role, config.schedule, seed=number
        )
        trainer = Trainer(graph, stage)
        if table is not None:
            arrays = table.rows, table.values, np.zeros(len(table), np.uint32)
            trainer.tables[trainer.learner_roles[0]] = Table.from_arrays(*arrays)
        trainer.run(matches)
        table = trainer.table
    return trainer


def greedy(trainer: Trainer, role: int) -> Callable[[int], int]:
    """Where the learner goes when it looks up only: the best child of a node."""
    graph, table = trainer.graph, trainer.table
    default = trainer.values(role).parameters.initial.default

    def worth(node: int, move: int, child: int) -> float:
        if isinstance(trainer.config.learner, QSettings):
            cell = table.find(np.append(graph.row(node), np.uint64(move)))
            return cell.value if cell else -1.0
        cell = table.find(graph.row(child))
        return cell.value if cell else default

    def choose(node: int) -> int:
        edges = graph.edges(node)
        return max(edges, key=lambda e: worth(node, e.move, e.child)).child

    return choose


def learned_values(trainer: Trainer) -> Iterator[tuple[int, float, int]]:
    """Nodes that the learner's moves lead to, with what it says of them and visits."""
    graph = trainer.graph
    for cell in trainer.table:
        if isinstance(trainer.config.learner, QSettings):
            edges = graph.edges(graph.number(cell.row[:-1]))
            node = next(e.child for e in edges if e.move == int(cell.row[-1]))
        else:
            node = graph.number(cell.row)
        yield node, cell.value, cell.visits


def errors(
    trainer: Trainer, exact: Callable[[int], float], visits: int
) -> npt.NDArray[np.float64]:
    """How far off the values are that were visited often with the last step size."""
    found = learned_values(trainer)
    return np.array([abs(v - exact(node)) for node, v, n in found if n >= visits])


@pytest.mark.parametrize(("name", "opponent", "choice"), make_cases(*FAST))
def test_td_learns_the_best_response(
    name: str, opponent: PlayerSettings, choice: RoleChoice
) -> None:
    """One-step TD learns the values of the best play that explores as it does."""
    graph, role = make_graph(name), ("first", "second").index(choice)
    epsilon = 0.2
    config = TrainConfig(TDSettings(trace_decay=0.0), opponent, choice, Fixed(epsilon))
    steps = {0.2: 100_000, 0.05: 200_000, 0.01: 300_000, 0.002: 400_000, 5e-4: 600_000}
    trainer = trained(graph, config, steps)
    off = errors(trainer, Solution(graph, role, opponent, epsilon).solve(), 5_000)
    assert len(off) >= 15
    assert off.max() < 4
    assert off.mean() < 1
    best = Solution(graph, role, opponent)
    learned = best.evaluate(greedy(trainer, role))
    # who will explore keeps away from where that is dangerous, at a small price
    assert learned(graph.root) > best.solve()(graph.root) - 2


@pytest.mark.parametrize(("name", "opponent", "choice"), make_cases(FAST[0]))
def test_q_learning_learns_the_best_response(
    name: str, opponent: PlayerSettings, choice: RoleChoice
) -> None:
    """Q-learning learns the values of best play even if all it does is explore."""
    graph, role = make_graph(name), ("first", "second").index(choice)
    config = TrainConfig(QSettings(), opponent, choice, Fixed(1.0))
    steps = {0.3: 100_000, 0.1: 500_000, 0.03: 500_000, 0.01: 10**6, 0.003: 10**6}
    trainer = trained(graph, config, steps)
    exact = Solution(graph, role, opponent, discount=0.9).solve()
    off = errors(trainer, exact, 1_500)
    assert len(off) >= 70
    assert off.max() < 6
    assert off.mean() < 1
    best = Solution(graph, role, opponent)
    learned = best.evaluate(greedy(trainer, role))
    # a discount prefers early wins to sure ones
    assert learned(graph.root) > best.solve()(graph.root) - 1


def test_the_papers_settings_come_close_to_the_best_response() -> None:
    """α = 0.3, λ = 0.7, ε = 0.01: noisy for ever, yet near the best there is."""
    graph, opponent = make_graph("tictactoe"), PlayerSettings("novice")
    trainer = Trainer(graph, TrainConfig(opponent=opponent))
    trainer.run(100_000)
    best = Solution(graph, 0, opponent)
    learned = best.evaluate(greedy(trainer, 0))
    assert learned(graph.root) > best.solve()(graph.root) - 5


def test_solutions_agree_with_matches() -> None:
    """The oracle itself: its value of a fixed way to play is what matches give."""
    graph, opponent = make_graph("tictactoe"), PlayerSettings("random")
    trainer = Trainer(graph, TrainConfig(schedule=Fixed(0.1)))
    trainer.run(100_000)
    expected = Solution(graph, 0, opponent).evaluate(greedy(trainer, 0))(graph.root)
    player = GreedyPlayer(trainer.values(0))
    goals = [
        play_match(graph.simulator, {"x": player, "o": RandomPlayer(seed)}).goals[0]
        for seed in range(300)
    ]
    deviation = np.std(np.array(goals, float)) / np.sqrt(len(goals))
    assert abs(np.mean(np.array(goals, float)) - expected) < 4 * deviation + 1e-9


def test_random_play_against_random_play() -> None:
    """The published mean goal of the first player of tic-tac-toe is 64.8."""
    graph = make_graph("tictactoe")
    value = Solution(graph, 0, PlayerSettings("random"), epsilon=1.0).solve()
    assert value(graph.root) == pytest.approx(64.84, abs=0.05)


def test_perfect_play_of_nim_is_known() -> None:
    """Whoever faces heaps whose exclusive or is not 0 beats even a perfect player."""
    graph = make_graph("nim")

    @cache
    def wins(node: int) -> bool:
        """Whether the role to move wins."""
        mover = graph.mover(node)
        return any(
            graph.goals(edge.child)[mover] == 100
            if graph.is_terminal(edge.child)
            else not wins(edge.child)
            for edge in graph.edges(node)
        )

    seen = set()
    graph.explore(graph.root, 2)
    for node in range(200):
        if graph.is_terminal(node):
            continue
        facts = graph.simulator.facts(graph.row(node))
        heaps = [
            int(str(fact.arguments[1]))
            for fact in facts
            if isinstance(fact, Compound) and fact.functor == "heap"
        ]
        assert wins(node) == (np.bitwise_xor.reduce(heaps) != 0)
        seen.add(wins(node))
    assert seen == {True, False}
