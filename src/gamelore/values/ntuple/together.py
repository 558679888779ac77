"""Digits that occur together in ground rules, or lie side by side on the board.

A *clause* is what one ground rule asks of a position: the digits of its facts, and of
the facts that decide the other atoms of its body. Those that goals, the end of the
match and legal moves depend on weigh most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gamelore.board.families import split_fact
from gamelore.board.grids import Grid
from gamelore.engine import CircuitSimulator
from gamelore.errors import GroundingError
from gamelore.ground import GroundGame, ground
from gamelore.values.ntuple.digits import Digit
from gamelore.values.ntuple.symmetries import infer_board_model

MOST_TOGETHER = 12
"""Digits of a clause; what depends on more is no clause."""

_GOAL_WEIGHT, _LEGAL_WEIGHT, _OTHER_WEIGHT = 4.0, 2.0, 1.0
_NEAR = 1.2  # times the distance of the closest cells


@dataclass(frozen=True)
class Clause:
    """Digits that one rule asks about."""

    digits: frozenset[int]
    weight: float


def find_clauses(
    simulator: CircuitSimulator, digits: Sequence[Digit], varied: frozenset[int]
) -> tuple[Clause, ...]:
    """Return the clauses of a game's ground rules, the heaviest first.

    `varied`: the digits that count. Clauses of one digit say nothing of what occurs
    together, and are left out. Nothing is found where the rules cannot be ground.
    """
    try:
        game = ground(simulator.game)
    except GroundingError:
        return ()
    digit_of = {fact: place for place, one in enumerate(digits) for fact in one.facts}
    number = {fluent: i for i, fluent in enumerate(simulator.fluents)}
    inputs = {
        atom: {digit_of[number[fluent]]} if number.get(fluent) in digit_of else set()
        for fluent, atom in zip(game.fluents, game.fluent_atoms, strict=True)
        if fluent in number
    }
    supports = _find_supports(game, inputs)
    weights = _weigh_atoms(game)
    found: dict[frozenset[int], float] = {}
    for head, body in _list_rules(game):
        sets = [supports.get(abs(literal), set()) for literal in body]
        together = frozenset(set().union(*(one for one in sets if one is not None)))
        if len(together) > MOST_TOGETHER:
            continue
        together &= varied
        if len(together) >= 2:
            weight = weights.get(head, _OTHER_WEIGHT)
            found[together] = max(weight, found.get(together, 0.0))
    clauses = [Clause(one, weight) for one, weight in found.items()]
    return tuple(sorted(clauses, key=lambda one: (-one.weight, sorted(one.digits))))


def _list_rules(game: GroundGame) -> list[tuple[int, list[int]]]:
    """Return heads and bodies."""
    ends = game.ends.tolist()
    starts = [0, *ends[:-1]]
    bodies = game.bodies.tolist()
    return [
        (head, bodies[start:end])
        for head, start, end in zip(game.heads.tolist(), starts, ends, strict=True)
    ]


def _find_supports(
    game: GroundGame, inputs: dict[int, set[int]]
) -> dict[int, set[int] | None]:
    """Return the digits that decide each atom; None if they are too many.

    What an atom depends on through itself does not count.
    """
    rules: dict[int, list[list[int]]] = defaultdict(list)
    for head, body in _list_rules(game):
        rules[head].append(body)
    found: dict[int, set[int] | None] = dict(inputs)
    waiting: list[int] = list(rules)
    opened: set[int] = set()
    while waiting:
        atom = waiting[-1]
        below = [abs(one) for body in rules.get(atom, ()) for one in body]
        if atom not in found and atom not in opened:
            opened.add(atom)
            waiting += [one for one in below if one not in found and one in rules]
            continue
        waiting.pop()
        if atom in found:
            continue
        union: set[int] | None = set()
        for one in below:
            part = found.get(one, set())
            union = None if union is None or part is None else union | part
            if union is None or len(union) > MOST_TOGETHER:
                union = None
                break
        found[atom] = union
    return found


def _weigh_atoms(game: GroundGame) -> dict[int, float]:
    """Return the weights of atoms that goals, the end or legal moves depend on."""
    rules: dict[int, set[int]] = defaultdict(set)
    for head, body in _list_rules(game):
        rules[head].update(map(abs, body))
    goals = [abs(atom) for one in game.goals for _, atom in one] + [abs(game.terminal)]
    legal = [abs(atom) for one in game.legal for atom in one]
    weights: dict[int, float] = {}
    for roots, weight in ((goals, _GOAL_WEIGHT), (legal, _LEGAL_WEIGHT)):
        waiting = list(roots)
        while waiting:
            atom = waiting.pop()
            if atom not in weights:
                weights[atom] = weight
                waiting += rules.get(atom, ())
    return weights


# ── the board ───────────────────────────────────────────────────────────────────────


def find_neighbours(
    simulator: CircuitSimulator, digits: Sequence[Digit], varied: frozenset[int]
) -> tuple[tuple[int, int], ...]:
    """Return pairs of digits whose cells lie side by side on the inferred board.

    `varied`: the digits that count
    """
    digit_of = {fact: place for place in varied for fact in digits[place].facts}
    split = [split_fact(fluent) for fluent in simulator.fluents]
    pairs: set[tuple[int, int]] = set()
    for grid in infer_board_model(simulator).grids:
        at = _digits_at(grid, split, digit_of)
        cells = list(at)
        xy = np.array([grid.layout.points[cell] for cell in cells])
        if len(cells) < 2:
            continue
        apart = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        reach = _NEAR * apart.min() * (1 if grid.layout.kind == "hex" else 2**0.5)
        for i, j in np.argwhere(apart <= reach):
            near = ((a, b) for a in at[cells[i]] for b in at[cells[j]] if a != b)
            pairs.update((min(pair), max(pair)) for pair in near)
        for here in at.values():
            pairs.update(combinations(sorted(here), 2))
    return tuple(sorted(pairs))


def _digits_at(
    grid: Grid, split: list[tuple[str, tuple[str, ...]]], digit_of: dict[int, int]
) -> dict[tuple[str, ...], set[int]]:
    """Return the digits of each cell of a grid."""
    layers = {layer.key: layer for layer in grid.layers}
    found: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for number, (key, words) in enumerate(split):
        if key in layers and number in digit_of:
            cell = layers[key].encoding.find_cell(words)
            if cell in grid.layout.points:
                found[cell].add(digit_of[number])
    return found
