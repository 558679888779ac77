"""From the values of positions to the values of tree patterns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from gamelore.graph import PatternIndex
from gamelore.learn.trainer import Trainer
from gamelore.settings import flatten, to_json
from gamelore.transfer.discovery import Outcomes, make_pattern_index
from gamelore.transfer.knowledge import (
    Knowledge,
    PatternEstimate,
    Setting,
    SourceResult,
)
from gamelore.transfer.tree_pattern import TreePattern


def extract_from_trainer(
    trainer: Trainer, depth: int = 2, *, by_reward: bool = False, run: str = ""
) -> Knowledge:
    """Return the source results of a training run, one for each role that learned.

    `by_reward` names outcomes by their reward instead of win, draw and loss.
    """
    settings = dict(flatten(to_json(trainer.config)))
    outcomes: Outcomes = "rewards" if by_reward else None
    knowledge = Knowledge()
    for turn, role in enumerate(trainer.learner_roles):
        knowledge |= extract_knowledge(
            make_pattern_index(trainer.graph, role, depth, outcomes),
            *trainer.tables[role].cells(),
            opponent=trainer.config.opponent.name,
            matches=len(range(turn, trainer.matches, len(trainer.learner_roles))),
            settings=settings,
            run=run,
        )
    return knowledge


def extract_knowledge(
    pattern_index: PatternIndex,
    rows: npt.NDArray[np.uint64],
    values: npt.NDArray[np.float64],
    visits: npt.NDArray[np.integer],
    *,
    opponent: str,
    matches: int,
    settings: Mapping[str, Setting] | None = None,
    run: str = "",
) -> Knowledge:
    """Return the source result of a value table, from the afterstates visited.

    rows: uint64 [n, K], values: float64 [n], visits: integers [n]
    """
    graph = pattern_index.graph
    visited = np.flatnonzero(visits)
    nodes = np.array([graph.number(row) for row in rows[visited]], np.int32)
    simulator = graph.simulator
    result = SourceResult(
        game=simulator.game.name,
        rules=simulator.game.fingerprint,
        role=simulator.roles[pattern_index.role],
        opponent=opponent,
        matches=matches,
        outcomes=dict(pattern_index.outcomes),
        patterns=estimate_patterns(
            pattern_index, nodes, values[visited], visits[visited]
        ),
        depth=pattern_index.depth,
        settings=dict(settings or {}),
        run=run,
    )
    return Knowledge((result,))


def estimate_patterns(
    pattern_index: PatternIndex,
    nodes: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    visits: npt.NDArray[np.integer],
) -> dict[TreePattern, PatternEstimate]:
    """Return the mean value of each pattern over visited nodes, weighted by visits.

    Terminal positions are outcomes, not patterns.
    """
    numbers = pattern_index.numbers(nodes)
    inner = numbers > len(pattern_index.names)  # lower numbers are single nodes
    numbers, weights = numbers[inner], visits[inner].astype(np.int64)
    totals = np.bincount(numbers, weights * values[inner])
    sums = np.bincount(numbers, weights)
    counts = np.bincount(numbers)
    return {
        TreePattern.from_structure(
            pattern_index.structure(int(number))
        ): PatternEstimate(
            float(totals[number] / sums[number]), int(sums[number]), int(counts[number])
        )
        for number in np.flatnonzero(sums)
        if pattern_index.has_terminal(int(number))
    }
