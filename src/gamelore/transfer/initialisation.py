"""From the values of tree patterns in source games to initial values in a target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from gamelore.errors import KnowledgeError
from gamelore.graph import PatternIndex, StateGraph
from gamelore.learn.role_values import PatternValues
from gamelore.transfer.knowledge import (
    Knowledge,
    PatternEstimate,
    SourceResult,
    average,
)
from gamelore.transfer.reward_map import RewardMap

Floats = npt.NDArray[np.float64]


def initialise_roles(
    knowledge: Knowledge,
    graph: StateGraph,
    roles: Iterable[int],
    reward_map: RewardMap | None = None,
) -> list[PatternValues]:
    """Return the initial values of each role, ready for a `Trainer`."""
    values = []
    for role in dict.fromkeys(roles):
        pattern_index = make_target_index(graph, role, knowledge, reward_map)
        found = initialise_values(knowledge, pattern_index, reward_map)
        values.append(PatternValues(pattern_index, found))
    return values


def initialise_values(
    knowledge: Knowledge,
    pattern_index: PatternIndex,
    reward_map: RewardMap | None = None,
) -> Floats:
    """Return each pattern's value, NaN where it is unknown: float64 [patterns].

    Results of the index's depth count, each mapped to this game's rewards, by rank
    unless a map is given. A given map may put several rewards in one class: let
    `make_target_index` make the index then.
    """
    results = knowledge.select(depth=pattern_index.depth).results
    if knowledge.results and not results:
        depths = ", ".join(map(str, sorted({one.depth for one in knowledge.results})))
        raise KnowledgeError(
            f"tree patterns of depth {pattern_index.depth} are wanted, but those"
            f" learned have depth {depths}"
        )
    return map_values(results, pattern_index, reward_map)


def map_values(
    results: tuple[SourceResult, ...],
    pattern_index: PatternIndex,
    reward_map: RewardMap | None = None,
) -> Floats:
    """Like `initialise_values`, for results of any depth up to the index's."""
    gathered: dict[int, list[PatternEstimate]] = {}
    for result in results:
        rewards = reward_map or RewardMap.by_rank(
            pattern_index.outcomes, result.outcomes
        )
        names = _translate_outcomes(result, pattern_index, rewards)
        for pattern, estimate in result.patterns.items():
            if pattern.outcomes() <= names.keys():
                number = pattern_index.intern(pattern.renamed(names).tree)
                mapped = PatternEstimate(
                    rewards.scale(estimate.value), estimate.visits, estimate.afterstates
                )
                gathered.setdefault(number, []).append(mapped)
    values = np.full(len(pattern_index.shapes.first), np.nan)
    for number, parts in gathered.items():
        values[number] = average(parts).value
    return values


def make_target_index(
    graph: StateGraph,
    role: int,
    knowledge: Knowledge,
    reward_map: RewardMap | None = None,
    *,
    deeper: int = 0,
) -> PatternIndex:
    """Return an index of a game's patterns with outcomes named as in the knowledge.

    Patterns are as deep as those of the deepest result. With `deeper`, so many plies
    more; no more is searched then: the plies below are known from earlier calls.
    """
    if not knowledge.results:
        raise KnowledgeError("nothing was learned that could be applied")
    depth = max(result.depth for result in knowledge.results)
    goals = graph.simulator.goal_values[role]
    namings = [
        (reward_map or RewardMap.by_rank(goals, result.outcomes)).outcomes(
            goals, result.outcomes
        )
        for result in knowledge.results
    ]
    finest = max(namings, key=lambda names: len(set(names.values())))
    recall = depth if deeper else 0
    return PatternIndex(graph, role, depth + deeper, finest, recall=recall)


def describe_reward_maps(knowledge: Knowledge, goals: Sequence[int]) -> list[str]:
    """Say for each source game with other rewards how they are mapped by rank."""
    maps = {
        result.game: RewardMap.by_rank(goals, result.outcomes).describe()
        for result in knowledge.results
        if set(result.outcomes) != set(goals)
    }
    return [f"rewards as in {game}: {text}" for game, text in maps.items()]


def _translate_outcomes(
    result: SourceResult, pattern_index: PatternIndex, reward_map: RewardMap
) -> dict[str, str]:
    """Return the index's name for each outcome of a result that it has.

    Outcomes must correspond one to one, since patterns can be neither split nor merged.
    """
    theirs = reward_map.outcomes(pattern_index.outcomes, result.outcomes)
    known = set(result.outcomes.values())
    names: dict[str, str] = {}
    meanings: dict[str, str] = {}
    for goal, here in sorted(pattern_index.outcomes.items()):
        there = theirs[goal]
        if there not in known:
            continue
        if names.setdefault(there, here) != here:
            raise KnowledgeError(
                f"outcomes {names[there]} and {here} both stand for {there} of"
                f" {result.game}, where they are one"
            )
        if meanings.setdefault(here, there) != there:
            raise KnowledgeError(
                f"outcome {here} stands for both {meanings[here]} and {there} of"
                f" {result.game}, where they differ"
            )
    return names
