"""Matches of tabular learning per second, one core, with a peer's beside ours.

The task is tic-tac-toe, as the first player against random play or as both players in
self-play. Rounds of ours and of the peer's alternate, and the ratio is the median of
the rounds' ratios.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gamelore.bench import openspiel
from gamelore.bench.playouts import Play, rates
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer

GAME = "tictactoe"

EXPLORING = Fixed(0.1)

CONFIGS: Mapping[str, TrainConfig] = {
    "td": TrainConfig(TDSettings(), schedule=EXPLORING),
    "q": TrainConfig(QSettings(), schedule=EXPLORING),
    "qm": TrainConfig(QSettings(playouts=100), schedule=EXPLORING),
    "q-self": TrainConfig(QSettings(), SelfPlay("own"), schedule=EXPLORING),
}
"""Learners by name."""

EMPTY = 10
"""Matches after which learners that search start anew with an empty table: later ones
look up, as the others do."""


@dataclass(frozen=True)
class LearningRate:
    """Matches per second of one learner, ours and a peer's."""

    learner: str
    game: str
    against: str
    matches_per_s: float
    peer: str | None = None
    peer_matches_per_s: float | None = None
    ratio: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As a plain dictionary."""
        return asdict(self)


@dataclass(frozen=True)
class Growth:
    """The cost of a training run when its table has so many entries."""

    game: str
    entries: int
    matches: int
    seconds: float
    """From the start."""
    matches_per_s: float
    """Since the measurement before."""
    entries_per_s: float
    longest_pause_s: float
    """The longest that a thousand matches took since then."""
    bytes_per_entry: float
    graph_bytes_per_position: float
    positions: int
    resident_mb: float
    """The most memory the process has had."""

    def to_json(self) -> dict[str, Any]:
        """As a plain dictionary."""
        return asdict(self)


def measure_learning(
    learners: Sequence[str] = tuple(CONFIGS),
    peer: str | None = "openspiel",
    *,
    seconds: float = 2.0,
    rounds: int = 5,
) -> Iterator[LearningRate]:
    """Rates of each learner in turn; a round of either side takes seconds."""
    graph = StateGraph(simulator(load(GAME)))
    for name in learners:
        config = CONFIGS[name]
        ours = rates(_learning(graph, config), seconds, rounds)
        if peer is None or _searches(config):
            yield LearningRate(
                name, GAME, config.opponent.name, statistics.median(ours)
            )
            continue
        theirs = rates(openspiel.learner(GAME, config.opponent.name), seconds, rounds)
        pairs = list(zip(ours, theirs, strict=True))
        yield LearningRate(
            name,
            GAME,
            config.opponent.name,
            statistics.median(mine for mine, _ in pairs),
            peer,
            statistics.median(other for _, other in pairs),
            statistics.median(mine / other for mine, other in pairs),
        )


def _searches(config: TrainConfig) -> bool:
    return isinstance(config.learner, QSettings) and config.learner.searches


def _learning(graph: StateGraph, config: TrainConfig) -> Play:
    """What learns from a number of matches: ever on, or anew where it searches."""
    if not _searches(config):
        trainer = Trainer(graph, config)

        def learn_on(count: int) -> None:
            trainer.run(count)

        return learn_on

    def learn_anew(count: int) -> None:
        for done in range(0, count, EMPTY):
            Trainer(graph, config).run(min(EMPTY, count - done))

    return learn_anew


def measure_growth(
    entries: Sequence[int] = (10_000, 100_000, 1_000_000, 10_000_000),
    game: str = "connect-four",
) -> Iterator[Growth]:
    """Measure how the cost of a training run grows with its table.

    A learner that only explores and makes entries for every legal move meets new
    positions in nearly every match.
    """
    config = TrainConfig(TDSettings(initialise="candidates"), schedule=Fixed(1.0))
    trainer = Trainer(StateGraph(simulator(load(game))), config)
    trainer.run(1)
    started = last = time.perf_counter()
    cells, matches, longest = 0, 0, 0.0
    for wanted in entries:
        while len(trainer.table) < wanted:
            before = time.perf_counter()
            trainer.run(1000)
            longest = max(longest, time.perf_counter() - before)
        now = time.perf_counter()
        graph = trainer.graph
        yield Growth(
            game=game,
            entries=len(trainer.table),
            matches=trainer.matches,
            seconds=now - started,
            matches_per_s=(trainer.matches - matches) / (now - last),
            entries_per_s=(len(trainer.table) - cells) / (now - last),
            longest_pause_s=longest,
            bytes_per_entry=trainer.table.bytes_per_cell,
            graph_bytes_per_position=_graph_bytes(graph) / len(graph),
            positions=len(graph),
            resident_mb=_resident_mb(),
        )
        last, longest = time.perf_counter(), 0.0
        cells, matches = len(trainer.table), trainer.matches


def _graph_bytes(graph: StateGraph) -> int:
    """Return the bytes of nodes and edges, without buffers."""
    nodes = graph.nodes
    by_node = nodes.rows, nodes.slots, nodes.mover, nodes.first, nodes.degree
    by_edge = nodes.child, nodes.move, nodes.outcome
    return sum(array.nbytes for array in (*by_node, nodes.goals, *by_edge))


def _resident_mb() -> float:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10
