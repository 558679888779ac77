"""From the values of positions to the values of features, and back in another game."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from gamelore.errors import KnowledgeError
from gamelore.graph import PatternIndex, StateGraph
from gamelore.transfer.knowledge import Knowledge, Learned, Lesson, Setting, average
from gamelore.transfer.reward_map import RewardMap
from gamelore.transfer.tree_pattern import TreePattern

Floats = npt.NDArray[np.float64]


def learn_values(
    pattern_index: PatternIndex,
    rows: npt.NDArray[np.uint64],
    values: Floats,
    visits: npt.NDArray[np.integer],
    *,
    opponent: str,
    matches: int,
    settings: Mapping[str, Setting] | None = None,
    run: str = "",
) -> Knowledge:
    """The lesson of a value table: what the visited afterstates say of their features.

    rows: uint64 [n, K], values: float64 [n], visits: integers [n]
    """
    graph = pattern_index.graph
    visited = np.flatnonzero(visits)
    nodes = np.array([graph.number(row) for row in rows[visited]], np.int32)
    simulator = graph.simulator
    lesson = Lesson(
        game=simulator.game.name,
        rules=simulator.game.fingerprint,
        role=simulator.roles[pattern_index.role],
        opponent=opponent,
        matches=matches,
        outcomes=dict(pattern_index.outcomes),
        patterns=value_patterns(pattern_index, nodes, values[visited], visits[visited]),
        depth=pattern_index.depth,
        settings=dict(settings or {}),
        run=run,
    )
    return Knowledge((lesson,))


def value_patterns(
    pattern_index: PatternIndex,
    nodes: npt.NDArray[np.int32],
    values: Floats,
    visits: npt.NDArray[np.integer],
) -> dict[TreePattern, Learned]:
    """The visit-weighted average value of each feature over nodes that were visited.

    Terminal positions are outcomes, not features.
    """
    numbers = pattern_index.numbers(nodes)
    going = numbers > len(pattern_index.names)  # lower numbers are single nodes
    numbers, weights = numbers[going], visits[going].astype(np.int64)
    totals = np.bincount(numbers, weights * values[going])
    sums = np.bincount(numbers, weights)
    counts = np.bincount(numbers)
    return {
        TreePattern.from_template(pattern_index.structure(int(number))): Learned(
            float(totals[number] / sums[number]), int(sums[number]), int(counts[number])
        )
        for number in np.flatnonzero(sums)
        if pattern_index.has_terminal(int(number))
    }


def initial_values(
    knowledge: Knowledge,
    pattern_index: PatternIndex,
    reward_map: RewardMap | None = None,
) -> Floats:
    """float64 [room for patterns]: each pattern's value; NaN where nothing is known.

    Lessons of the patterns' depth count, each mapped to this game's rewards, by rank
    unless a map is given. A given map may put several rewards in one class: let
    `target_templates` make the patterns then.
    """
    lessons = knowledge.about(depth=pattern_index.depth).lessons
    if knowledge.lessons and not lessons:
        depths = ", ".join(map(str, sorted({one.depth for one in knowledge.lessons})))
        raise KnowledgeError(
            f"features of depth {pattern_index.depth} are wanted, but what was learned"
            f" has depth {depths}"
        )
    return pattern_values(lessons, pattern_index, reward_map)


def pattern_values(
    lessons: tuple[Lesson, ...],
    pattern_index: PatternIndex,
    reward_map: RewardMap | None = None,
) -> Floats:
    """Like `initial_values`, of lessons of any depth up to the patterns'."""
    gathered: dict[int, list[Learned]] = {}
    for lesson in lessons:
        rewards = reward_map or default_map(lesson, pattern_index.outcomes)
        names = _names_here(lesson, pattern_index, rewards)
        for pattern, learned in lesson.patterns.items():
            if pattern.outcomes() <= names.keys():
                number = pattern_index.intern(pattern.renamed(names).pattern)
                here = Learned(
                    rewards.scale(learned.value), learned.visits, learned.afterstates
                )
                gathered.setdefault(number, []).append(here)
    values = np.full(len(pattern_index.shapes.first), np.nan)
    for number, parts in gathered.items():
        values[number] = average(parts).value
    return values


def default_map(lesson: Lesson, outcomes: Mapping[int, str]) -> RewardMap:
    """The map by rank from the rewards of a lesson to those of a game."""
    return RewardMap.by_rank(outcomes, lesson.outcomes)


def target_index(
    graph: StateGraph,
    role: int,
    knowledge: Knowledge,
    reward_map: RewardMap | None = None,
    *,
    deeper: int = 0,
) -> PatternIndex:
    """A game's patterns with outcomes named as in what was learned.

    They are as deep as the deepest lesson. If they are to be deeper by a number of
    plies, no more is searched: the depth of the lessons is remembered below.
    """
    if not knowledge.lessons:
        raise KnowledgeError("nothing was learned that could be applied")
    depth = max(lesson.depth for lesson in knowledge.lessons)
    goals = graph.simulator.goal_values[role]
    namings = [
        (reward_map or RewardMap.by_rank(goals, lesson.outcomes)).outcomes(
            goals, lesson.outcomes
        )
        for lesson in knowledge.lessons
    ]
    finest = max(namings, key=lambda names: len(set(names.values())))
    recall = depth if deeper else 0
    return PatternIndex(graph, role, depth + deeper, finest, recall=recall)


def _names_here(
    lesson: Lesson, pattern_index: PatternIndex, reward_map: RewardMap
) -> dict[str, str]:
    """What the patterns call each of a lesson's outcomes that they have.

    An outcome there must be one outcome here and the other way round, since features
    can neither be torn apart nor thrown together.
    """
    theirs = reward_map.outcomes(pattern_index.outcomes, lesson.outcomes)
    known = set(lesson.outcomes.values())
    names: dict[str, str] = {}
    meanings: dict[str, str] = {}
    for goal, here in sorted(pattern_index.outcomes.items()):
        there = theirs[goal]
        if there not in known:
            continue
        if names.setdefault(there, here) != here:
            raise KnowledgeError(
                f"outcomes {names[there]} and {here} both stand for {there} of"
                f" {lesson.game}, where they are one"
            )
        if meanings.setdefault(here, there) != there:
            raise KnowledgeError(
                f"outcome {here} stands for both {meanings[here]} and {there} of"
                f" {lesson.game}, where they differ"
            )
    return names
