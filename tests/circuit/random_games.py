"""Random ground games, with what their rules say evaluated by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np

from gamelore.ground import FALSE, TRUE, GroundFeature, GroundGame

Rules: TypeAlias = list[list[tuple[int, list[int]]]]
"""Per level, its rules: head and body."""


@dataclass(frozen=True)
class RandomGame:
    """A ground game, and its rules by level: `not` only reaches lower ones."""

    ground: GroundGame
    levels: Rules

    def evaluate(self, true: set[int]) -> set[int]:
        """Return all true atoms, given those of the position and the moves."""
        known = set(true)
        for rules in self.levels:
            lower, size = frozenset(known), -1
            while len(known) > size:
                size = len(known)
                for head, body in rules:
                    if all(x in known if x > 0 else -x not in lower for x in body):
                        known.add(head)
        return known


def make_game(seed: int) -> RandomGame:
    random = Random(seed)
    fluents = list(range(1, 1 + random.randint(1, 5)))
    first = len(fluents) + 1
    counts = [random.randint(1, 3) for _ in range(random.randint(1, 2))]
    moves = [list(range(first + sum(counts[:r]), first + sum(counts[: r + 1])))
             for r in range(len(counts))]  # fmt: skip
    number = first + sum(counts)
    levels: Rules = []
    lower = list(fluents)
    for level in range(3):
        if level == 2:  # only the next position depends on the moves
            lower = [*lower, *(move for of_role in moves for move in of_role)]
        atoms = list(range(number, number + random.randint(1, 5)))
        number += len(atoms)
        levels.append(
            [
                (head, _body(random, lower, atoms))
                for head in atoms
                for _ in range(random.randint(1, 3))
            ]
        )
        if level == 1:
            seen = [*lower, *atoms]  # by terminal, goals, legal and the features
        lower = [*lower, *atoms]
    rules = [rule for level_rules in levels for rule in level_rules]
    views = [GroundFeature("f", False, (1.0, 1.0), tuple(_signed(random, seen, 2)))]
    ground = GroundGame(
        roles=tuple(f"r{r}" for r in range(len(counts))),
        fluents=tuple(f"f{f}" for f in fluents),
        fluent_atoms=tuple(fluents),
        initial=tuple(random.random() < 0.5 for _ in fluents),
        next=tuple(random.choice([*_signed(random, lower, 5), *fluents, TRUE, FALSE])
                   for _ in fluents),
        moves=tuple(tuple(f"m{m}" for m in of_role) for of_role in moves),
        move_atoms=tuple(map(tuple, moves)),
        legal=tuple(tuple(_signed(random, seen, len(of_role))) for of_role in moves),
        terminal=random.choice([*_signed(random, seen, 4), FALSE]),
        goals=tuple(
            tuple(zip((0, 100), _signed(random, seen, 2), strict=True)) for _ in counts
        ),
        heads=np.array([head for head, _ in rules], np.int32),
        ends=np.cumsum([len(body) for _, body in rules]).astype(np.int32),
        bodies=np.array([x for _, body in rules for x in body], np.int32),
        guards=frozenset(),
        features=(tuple(views),),
    )  # fmt: skip
    return RandomGame(ground, levels)


def _body(random: Random, lower: list[int], same: list[int]) -> list[int]:
    return [_literal(random, lower, same) for _ in range(random.randint(1, 3))]


def _literal(random: Random, lower: list[int], same: list[int]) -> int:
    if random.random() < 0.35:
        return random.choice(same)  # recursion
    return random.choice(lower) * random.choice([1, 1, -1])


def _signed(random: Random, atoms: list[int], count: int) -> list[int]:
    return [random.choice(atoms) * random.choice([1, -1]) for _ in range(count)]


def holds(literal: int, known: set[int]) -> bool:
    if literal in (TRUE, FALSE):
        return literal == TRUE
    return literal in known if literal > 0 else -literal not in known


def random_inputs(game: RandomGame, random: Random) -> set[int]:
    """Return the atoms that are true in a position, and those of a joint move."""
    moves = {random.choice(of_role) for of_role in game.ground.move_atoms}
    return moves | {f for f in game.ground.fluent_atoms if random.random() < 0.5}


@dataclass(frozen=True)
class Said:
    """What the rules say of a position, in the order of a circuit's outputs."""

    terminal: list[bool]
    goals: list[bool]
    legal: list[bool]
    next: list[bool]
    features: list[bool]

    @property
    def outputs(self) -> list[bool]:
        """All of it, in the order of a circuit's outputs."""
        return [
            *(self.terminal + self.goals + self.legal),
            *(self.next + self.features),
        ]


def evaluate_rules(game: RandomGame, true: set[int]) -> Said:
    """Return what the rules say, given the true atoms of position and moves."""
    ground, known = game.ground, game.evaluate(true)

    def read(literals: Iterable[int]) -> list[bool]:
        return [holds(literal, known) for literal in literals]

    return Said(
        terminal=read([ground.terminal]),
        goals=read(literal for goals in ground.goals for _, literal in goals),
        legal=read(literal for of_role in ground.legal for literal in of_role),
        next=read(ground.next),
        features=read(x for view in ground.features for f in view for x in f.literals),
    )
