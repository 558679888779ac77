"""Knowledge for a course of learning, and from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from pathlib import Path

import click

from gamelore.errors import KnowledgeError
from gamelore.graph import StateGraph
from gamelore.learn.records import config_record, flat_settings
from gamelore.learn.role_values import PatternValues
from gamelore.learn.trainer import Trainer
from gamelore.transfer import (
    Knowledge,
    KnowledgeStore,
    RewardMap,
    initial_values,
    learn_values,
    load_knowledge,
    pattern_index_for,
    save_knowledge,
    target_index,
)
from gamelore.transfer.survey import Outcomes

_STORES = (".db", ".sqlite", ".sqlite3")


def is_store(path: Path) -> bool:
    """Whether knowledge is kept in a store there rather than in a plain file."""
    return path.suffix in _STORES


def recall(paths: Iterable[Path], opponent: str | None) -> Knowledge:
    """What files and stores hold, or the part of it that an opponent taught."""
    known = reduce(or_, map(_load, paths), Knowledge())
    if opponent is not None:
        known = known.about(opponent=opponent)
    if not known.lessons:
        whom = f" against {opponent}" if opponent else ""
        raise KnowledgeError(f"nothing was learned{whom} that could be carried over")
    return known


def apply(
    knowledge: Knowledge,
    graph: StateGraph,
    roles: Iterable[int],
    rewards: RewardMap | None,
) -> list[PatternValues]:
    """Initial values for roles of a game, by feature."""
    values = []
    for role in dict.fromkeys(roles):
        pattern_index = target_index(graph, role, knowledge, rewards)
        found = initial_values(knowledge, pattern_index, rewards)
        values.append(PatternValues(pattern_index, found))
    return values


def reward_maps(knowledge: Knowledge, goals: Sequence[int]) -> list[str]:
    """In words, how rewards that differ from a game's own are taken by rank."""
    maps = {
        lesson.game: RewardMap.by_rank(goals, lesson.outcomes).describe()
        for lesson in knowledge.lessons
        if set(lesson.outcomes) != set(goals)
    }
    return [f"rewards as in {game}: {text}" for game, text in maps.items()]


def acquire(trainer: Trainer, depth: int, by_reward: bool, run: str) -> Knowledge:
    """What the features of a game are worth after a course of learning."""
    settings = dict(flat_settings(config_record(trainer.config)))
    knowledge = Knowledge()
    for turn, role in enumerate(trainer.seats):
        outcomes: Outcomes = "rewards" if by_reward else None
        knowledge |= learn_values(
            pattern_index_for(trainer.graph, role, depth, outcomes),
            *trainer.tables[role].cells(),
            opponent=trainer.config.opponent.name,
            matches=len(range(turn, trainer.matches, len(trainer.seats))),
            settings=settings,
            run=run,
        )
    return knowledge


def check_place(path: Path, force: bool) -> None:
    """`KnowledgeError` now rather than after hours, if knowledge cannot go there."""
    if not path.parent.is_dir():
        raise KnowledgeError(f"there is no folder {path.parent}")
    if path.exists() and not (force and not is_store(path)):
        _load(path)


def keep(knowledge: Knowledge, path: Path, force: bool) -> None:
    """Add lessons to what a file or store holds."""
    if is_store(path):
        with KnowledgeStore(path) as store:
            store.add(knowledge)
        return
    if path.exists() and not force:
        knowledge |= load_knowledge(path)
    save_knowledge(knowledge, path, overwrite=force)


def _load(path: Path) -> Knowledge:
    if not is_store(path):
        return load_knowledge(path)
    if not path.exists():
        raise KnowledgeError(f"there is no file {click.format_filename(path)}")
    with KnowledgeStore(path) as store:
        return store.recall()
