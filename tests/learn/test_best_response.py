"""Learners reach what an exact solution says, on games small enough to solve.

Against an opponent whose moves have known probabilities a game is a Markov decision
process, and the values of best play against it follow by working back from the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.gdl import Compound
from gamelore.graph import Atlas
from gamelore.learn.config import Plan, Seat
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Training
from gamelore.match.match import play_match
from gamelore.search.policies import PlayerSettings
from gamelore.values.table import Table

OPPONENTS = [
    PlayerSettings("random"),
    PlayerSettings("novice", 0.1),
    PlayerSettings("weak", 0.1),
]

CASES = [
    pytest.param(name, opponent, seat, marks=marks, id=f"{name}-{opponent.name}-{seat}")
    for name, marks in (("nim-1-3-5", ()), ("tictactoe", pytest.mark.slow))
    for opponent in OPPONENTS
    for seat in ("first", "second")
]


@cache
def atlas_of(name: str) -> Atlas:
    return Atlas(simulator(load(name)))


@dataclass(frozen=True)
class Solution:
    """Values of best play by a role against an opponent, worked out exactly."""

    atlas: Atlas
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
        atlas = self.atlas

        @cache
        def value(node: int) -> float:
            if atlas.is_terminal(node):
                return float(atlas.goals(node)[self.role])
            if atlas.mover(node) == self.role:
                return self.discount * decide(node, value)
            chances = distribution(atlas, node, self.opponent)
            return sum(p * value(child) for child, p in chances)

        return value

    def _best(self, node: int, value: Callable[[int], float]) -> float:
        values = [value(edge.child) for edge in self.atlas.edges(node)]
        mean = sum(values) / len(values)
        return (1 - self.epsilon) * max(values) + self.epsilon * mean


def distribution(
    atlas: Atlas, node: int, player: PlayerSettings
) -> list[tuple[int, float]]:
    """Where a built-in player goes, and with which probability."""
    mover = atlas.mover(node)
    children = [edge.child for edge in atlas.edges(node)]
    uniform = 1 / len(children)
    if player.name == "random":
        return [(child, uniform) for child in children]
    kinds = [outlook(atlas, mover, child) for child in children]
    order = "WNL" if player.name == "novice" else "LNW"
    wanted = min(kinds, key=order.index)
    share = (1 - player.epsilon) / kinds.count(wanted)
    return [
        (child, player.epsilon * uniform + share * (kind == wanted))
        for child, kind in zip(children, kinds, strict=True)
    ]


def outlook(atlas: Atlas, mover: int, child: int) -> str:
    """W if the mover has won, L if it has lost or the other can win at once, else N."""

    def judge(node: int) -> str:
        goals = atlas.simulator.goal_values[mover]
        return {max(goals): "W", min(goals): "L"}.get(
            int(atlas.goals(node)[mover]), "N"
        )

    if atlas.is_terminal(child):
        return judge(child)
    if atlas.mover(child) == mover:
        return "N"
    replies = [edge.child for edge in atlas.edges(child)]
    return "L" if "L" in [judge(n) for n in replies if atlas.is_terminal(n)] else "N"


def trained(atlas: Atlas, plan: Plan, steps: dict[float, int]) -> Training:
    """Matches with one step size after the other: step size → matches."""
    table: Table | None = None
    for number, (step, matches) in enumerate(steps.items()):
        settings = type(plan.learner)(
            **{**vars(plan.learner), "step_size": step},
        )
        stage = Plan(settings, plan.against, plan.seat, plan.schedule, seed=number)
        training = Training(atlas, stage)
        if table is not None:
            arrays = table.rows, table.values, np.zeros(len(table), np.uint32)
            training.tables[training.seats[0]] = Table.from_arrays(*arrays)
        training.run(matches)
        table = training.table
    return training


def greedy(training: Training, role: int) -> Callable[[int], int]:
    """Where the learner goes when it looks up only: the best child of a node."""
    atlas, table = training.atlas, training.table
    default = training.values(role).method.default

    def worth(node: int, move: int, child: int) -> float:
        if isinstance(training.plan.learner, QSettings):
            cell = table.find(np.append(atlas.row(node), np.uint64(move)))
            return cell.value if cell else -1.0
        cell = table.find(atlas.row(child))
        return cell.value if cell else default

    def choose(node: int) -> int:
        edges = atlas.edges(node)
        return max(edges, key=lambda e: worth(node, e.move, e.child)).child

    return choose


def learned_values(training: Training) -> Iterator[tuple[int, float, int]]:
    """Nodes that the learner's moves lead to, with what it says of them and visits."""
    atlas = training.atlas
    for cell in training.table:
        if isinstance(training.plan.learner, QSettings):
            edges = atlas.edges(atlas.number(cell.row[:-1]))
            node = next(e.child for e in edges if e.move == int(cell.row[-1]))
        else:
            node = atlas.number(cell.row)
        yield node, cell.value, cell.visits


def errors(
    training: Training, exact: Callable[[int], float], visits: int
) -> npt.NDArray[np.float64]:
    """How far off the values are that were visited often with the last step size."""
    found = learned_values(training)
    return np.array([abs(v - exact(node)) for node, v, n in found if n >= visits])


@pytest.mark.parametrize(("name", "opponent", "seat"), CASES)
def test_td_learns_the_best_response(
    name: str, opponent: PlayerSettings, seat: Seat
) -> None:
    """One-step TD learns the values of the best play that explores as it does."""
    atlas, role = atlas_of(name), ("first", "second").index(seat)
    epsilon = 0.2
    plan = Plan(TDSettings(trace_decay=0.0), opponent, seat, Fixed(epsilon))
    steps = {0.2: 100_000, 0.05: 200_000, 0.01: 300_000, 0.002: 400_000, 5e-4: 600_000}
    training = trained(atlas, plan, steps)
    off = errors(training, Solution(atlas, role, opponent, epsilon).solve(), 5_000)
    assert len(off) >= 15
    assert off.max() < 4
    assert off.mean() < 1
    best = Solution(atlas, role, opponent)
    learned = best.evaluate(greedy(training, role))
    # who will explore keeps away from where that is dangerous, at a small price
    assert learned(atlas.root) > best.solve()(atlas.root) - 2


@pytest.mark.parametrize(("name", "opponent", "seat"), CASES)
def test_q_learning_learns_the_best_response(
    name: str, opponent: PlayerSettings, seat: Seat
) -> None:
    """Q-learning learns the values of best play even if all it does is explore."""
    atlas, role = atlas_of(name), ("first", "second").index(seat)
    plan = Plan(QSettings(), opponent, seat, Fixed(1.0))
    steps = {0.3: 200_000, 0.1: 10**6, 0.03: 10**6, 0.01: 2 * 10**6, 0.003: 2 * 10**6}
    training = trained(atlas, plan, steps)
    exact = Solution(atlas, role, opponent, discount=0.9).solve()
    off = errors(training, exact, 1_500)
    assert len(off) >= 70
    assert off.max() < 6
    assert off.mean() < 1
    best = Solution(atlas, role, opponent)
    learned = best.evaluate(greedy(training, role))
    # a discount prefers early wins to sure ones
    assert learned(atlas.root) > best.solve()(atlas.root) - 1


def test_the_papers_settings_come_close_to_the_best_response() -> None:
    """α = 0.3, λ = 0.7, ε = 0.01: noisy for ever, yet near the best there is."""
    atlas, opponent = atlas_of("tictactoe"), PlayerSettings("novice")
    training = Training(atlas, Plan(against=opponent))
    training.run(100_000)
    best = Solution(atlas, 0, opponent)
    learned = best.evaluate(greedy(training, 0))
    assert learned(atlas.root) > best.solve()(atlas.root) - 5


def test_solutions_agree_with_matches() -> None:
    """The oracle itself: its value of a fixed way to play is what matches give."""
    atlas, opponent = atlas_of("tictactoe"), PlayerSettings("random")
    training = Training(atlas, Plan(schedule=Fixed(0.1)))
    training.run(100_000)
    expected = Solution(atlas, 0, opponent).evaluate(greedy(training, 0))(atlas.root)
    player = GreedyPlayer(training.values(0))
    goals = [
        play_match(atlas.simulator, {"x": player, "o": RandomPlayer(seed)}).goals[0]
        for seed in range(300)
    ]
    deviation = np.std(np.array(goals, float)) / np.sqrt(len(goals))
    assert abs(np.mean(np.array(goals, float)) - expected) < 4 * deviation + 1e-9


def test_random_play_against_random_play() -> None:
    """The published mean goal of the first player of tic-tac-toe is 64.8."""
    atlas = atlas_of("tictactoe")
    value = Solution(atlas, 0, PlayerSettings("random"), epsilon=1.0).solve()
    assert value(atlas.root) == pytest.approx(64.84, abs=0.05)


def test_perfect_play_of_nim_is_known() -> None:
    """Whoever faces heaps whose exclusive or is not 0 beats even a perfect player."""
    atlas = atlas_of("nim")

    @cache
    def wins(node: int) -> bool:
        """Whether the role to move wins."""
        mover = atlas.mover(node)
        return any(
            atlas.goals(edge.child)[mover] == 100
            if atlas.is_terminal(edge.child)
            else not wins(edge.child)
            for edge in atlas.edges(node)
        )

    seen = set()
    atlas.explore(atlas.root, 2)
    for node in range(200):
        if atlas.is_terminal(node):
            continue
        facts = atlas.simulator.facts(atlas.row(node))
        heaps = [
            int(str(fact.arguments[1]))
            for fact in facts
            if isinstance(fact, Compound) and fact.functor == "heap"
        ]
        assert wins(node) == (np.bitwise_xor.reduce(heaps) != 0)
        seen.add(wins(node))
    assert seen == {True, False}
