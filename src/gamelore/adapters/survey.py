"""What a game is like as a whole: proven for small games, else seen in random play.

GDL does not say whether roles take turns, what goals add up to, or how long a match can
get; interfaces of other libraries want to know before the first move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gamelore.engine import NO_GOAL, CircuitSimulator, Rows
from gamelore.errors import StuckError

CHANCE = "random"

_MOST_ROWS = 8192  # of a search of the whole game: all of tic-tac-toe
_MOST_STEPS = 256  # until a match is taken to have no end
_SAMPLED = 256  # playouts where there are more
_LONGEST_SAMPLE = 2000  # moves of each


@dataclass(frozen=True)
class Survey:
    """What all positions of a game have in common, or those that were seen."""

    complete: bool
    """Whether all positions were seen, so that the rest is proven."""
    in_turns: bool
    """Whether at most one player has a choice in every position; chance may, too."""
    longest: int | None
    """Joint moves of the longest match, if that is proven."""
    goal_sum: int | None
    """What the players' goals add up to at every end, if that is constant."""
    same_goals: bool
    """Whether all players have the same goal at every end."""
    waiting: tuple[frozenset[int], ...]
    """Per role, numbers of the moves it has while only another player has a choice, and
    never chooses itself."""
    chosen: tuple[frozenset[int], ...]
    """Per role, numbers of the moves that it chooses from."""
    forced: frozenset[tuple[int, ...]]
    """The joint moves where no role has a choice."""


def survey_game(engine: CircuitSimulator, seed: int = 0) -> Survey:
    """Return what a game is like; `StuckError` where a role cannot move."""
    layers, complete = _search_whole_game(engine)
    found = _Findings(engine)
    for rows in layers if complete else _random_play(engine, seed):
        found.note(rows)
    longest = _longest_match(engine) if complete else None
    return found.survey(complete, longest)


def _search_whole_game(engine: CircuitSimulator) -> tuple[list[Rows], bool]:
    """Return all positions, breadth first, and whether these are all."""
    rows = engine.initial_row()[None]
    layers, seen = [], {rows.tobytes()}
    while len(rows) and len(seen) <= _MOST_ROWS:
        layers.append(rows)
        following = np.unique(engine.expand(rows).successors, axis=0)
        new = [row.tobytes() not in seen for row in following]
        rows = following[new]
        seen.update(row.tobytes() for row in rows)
    return layers, not len(rows)


def _longest_match(engine: CircuitSimulator) -> int | None:
    """Return the joint moves of the longest match, None if that takes long to find."""
    rows, steps, expanded = engine.initial_row()[None], 0, 0
    while True:
        rows = rows[~engine.terminal(rows)]
        if not len(rows):
            return steps
        steps, expanded = steps + 1, expanded + len(rows)
        if steps > _MOST_STEPS or expanded > 4 * _MOST_ROWS:
            return None
        rows = np.unique(engine.expand(rows).successors, axis=0)


def _random_play(engine: CircuitSimulator, seed: int) -> Iterator[Rows]:
    """Yield the positions of random matches after 0, 1, 2 … moves."""
    random = np.random.default_rng(seed)
    rows = np.repeat(engine.initial_row()[None], _SAMPLED, axis=0)
    for _ in range(_LONGEST_SAMPLE):
        yield rows
        rows = rows[~engine.terminal(rows)]
        if not len(rows):
            return
        chosen = [
            np.argmax(flags * (1 + random.random(flags.shape)), axis=1)
            for flags in engine.legal(rows)
        ]
        joint = np.ascontiguousarray(np.stack(chosen, axis=1), dtype=np.int32)
        rows = engine.advance(rows, joint, checked=False)


@dataclass
class _Findings:
    """What the positions so far have in common."""

    engine: CircuitSimulator
    in_turns: bool = True
    sums: set[int] = field(default_factory=set)
    same_goals: bool = True

    def __post_init__(self) -> None:
        roles = self.engine.roles
        self.players = [r for r, role in enumerate(roles) if role != CHANCE]
        self.waited: list[set[int]] = [set() for _ in roles]
        self.chosen: list[set[int]] = [set() for _ in roles]
        self.forced: set[tuple[int, ...]] = set()

    def note(self, rows: Rows) -> None:
        """Take note of some positions."""
        ended = self.engine.terminal(rows)
        self._note_goals(rows[ended])
        if not ended.all():
            self._note_choices(rows[~ended])

    def _note_goals(self, rows: Rows) -> None:
        goals = self.engine.goals(rows)[:, self.players]
        goals = np.where(goals == NO_GOAL, 0, goals)
        self.sums.update(goals.sum(axis=1, dtype=np.int64).tolist())
        if not (goals == goals[:, :1]).all():
            self.same_goals = False

    def _note_choices(self, rows: Rows) -> None:
        legal = self.engine.legal(rows)
        counts = np.stack([flags.sum(axis=1) for flags in legal], axis=1)
        stuck = (counts == 0).any(axis=0)
        if stuck.any():
            name = self.engine.roles[int(np.argmax(stuck))]
            raise StuckError(f"{name} has no legal move in {self.engine.game.name}")
        choosing = counts > 1
        deciders = choosing[:, self.players].sum(axis=1)
        if (deciders > 1).any():
            self.in_turns = False
        for role in self.players:
            own = choosing[:, role]
            self.chosen[role].update(_any(legal[role][own]))
            self.waited[role].update(_any(legal[role][~own & (deciders > 0)]))
        forced = ~choosing.any(axis=1)
        if forced.any():
            joint = np.stack([flags[forced].argmax(axis=1) for flags in legal], axis=1)
            self.forced.update(map(tuple, np.unique(joint, axis=0).tolist()))

    def survey(self, complete: bool, longest: int | None) -> Survey:
        """Return what was found."""
        several = len(self.players) > 1
        constant = several and len(self.sums) == 1
        waiting = (
            frozenset(waited - chosen)
            for waited, chosen in zip(self.waited, self.chosen, strict=True)
        )
        return Survey(
            complete=complete,
            in_turns=self.in_turns,
            longest=longest,
            goal_sum=min(self.sums) if constant else None,
            same_goals=several and self.same_goals,
            waiting=tuple(waiting),
            chosen=tuple(map(frozenset, self.chosen)),
            forced=frozenset(self.forced),
        )


def _any(legal: npt.NDArray[np.bool_]) -> list[int]:
    """Return the numbers of the moves that are legal in some position."""
    numbers: list[int] = np.flatnonzero(legal.any(axis=0)).tolist()
    return numbers
