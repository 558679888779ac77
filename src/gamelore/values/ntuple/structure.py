"""From tuples and symmetries to the arrays by which kernels find weights.

F facts, V views, C codings, T tuples, S slots, E entries of the codings, W weights.

A *slot* is a tuple seen under a symmetry: it has one weight in every position. Its
place in the tuple's table is a sum over the true facts, so that from one position to
the next only what changed is added or taken away. A *view* is who is to move. Views
have tables of their own, or share them by exchanging the players: then they have
codings of their own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.board.families import split_fact
from gamelore.engine import CircuitSimulator
from gamelore.values.ntuple.digits import Digit, find_digits, find_varied
from gamelore.values.ntuple.drawing import Surroundings, draw_tuples
from gamelore.values.ntuple.sampling import sample_positions
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.ntuple.symmetries import (
    Symmetry,
    find_symmetries,
    infer_board_model,
)
from gamelore.values.ntuple.together import find_clauses, find_neighbours

Ints = npt.NDArray[np.int32]

_KEPT = 8  # structures, so that copies of a function need not draw tuples again
_structures: OrderedDict[tuple[object, ...], Structure] = OrderedDict()


@dataclass(frozen=True)
class Structure:
    """What an n-tuple network consists of, before it has learned anything."""

    tuples: tuple[tuple[int, ...], ...]
    """Numbers of digits."""
    digits: tuple[Digit, ...]
    turns: tuple[int, ...]
    """The facts that say which player is to move, in the order of views; or none."""
    codings: tuple[tuple[tuple[int, ...], ...], ...]
    """Per coding and symmetry, the fact in the place of each fact."""
    exchange: bool
    """Whether the second view has the weights of the first, with players exchanged."""

    @property
    def views(self) -> int:
        """V: how many views there are."""
        return max(1, len(self.turns))

    @property
    def sizes(self) -> list[int]:
        """The entries of each tuple's table, for one view."""
        return [
            int(np.prod([self.digits[place].radix for place in one], dtype=np.int64))
            for one in self.tuples
        ]

    @property
    def slots(self) -> int:
        """S: tuples under all symmetries."""
        return len(self.tuples) * len(self.codings[0])

    @property
    def weights(self) -> int:
        """W: entries of all tables of all views."""
        return sum(self.sizes) * (1 if self.exchange else self.views)

    def find_bases(self) -> npt.NDArray[np.int64]:
        """Return int64 [V, S]: where the table of each slot begins."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        bases = np.repeat(starts, len(self.codings[0]))
        apart = 0 if self.exchange else sum(self.sizes)
        return np.stack([bases + view * apart for view in range(self.views)])

    def list_steps(self, coding: int) -> list[list[tuple[int, int]]]:
        """Return per fact the slots it counts in, with what it adds to their place."""
        facts: list[list[tuple[int, int]]] = [[] for _ in self.codings[0][0]]
        values = self._list_values()
        symmetries = self.codings[coding]
        for number, one in enumerate(self.tuples):
            stride = 1
            added: dict[int, int] = {}
            for place in one:
                for fact, value in values[place].items():
                    added[fact] = added.get(fact, 0) + stride * value
                stride *= self.digits[place].radix
            for turn, renamed in enumerate(symmetries):
                slot = number * len(symmetries) + turn
                for fact, image in enumerate(renamed):
                    if image in added:
                        facts[fact].append((slot, added[image]))
        return facts

    def _list_values(self) -> list[dict[int, int]]:
        """Return per digit what each fact adds to its value."""
        found = []
        for digit in self.digits:
            values = {fact: 1 + place for place, fact in enumerate(digit.facts)}
            if digit.support is not None:  # it is set wherever the digit is: 1 more
                values |= dict.fromkeys(self.digits[digit.support].facts, 1)
            found.append(values)
        return found

    def overflow(self) -> int:
        """Return how far beyond its table a slot may lead at most.

        Sampled play shows that facts of a digit exclude each other; were that wrong for
        some position, its weights would be others', but there must be some.
        """
        most = 0
        for coding in range(len(self.codings)):
            sums: dict[int, int] = {}
            for steps in self.list_steps(coding):
                for slot, step in steps:
                    sums[slot] = sums.get(slot, 0) + step
            most = max(most, max(sums.values(), default=0))
        return most


def build_structure(
    simulator: CircuitSimulator, settings: NTupleSettings, seed: int
) -> Structure:
    """Return the structure that settings ask for; the same seed draws the same."""
    drawn = settings.tuples, settings.tuple_length, settings.tuple_entries
    key = (id(simulator), *drawn, settings.walk, settings.symmetries, settings.exchange)
    known = _structures.get((*key, seed))
    if known is None:
        known = _build(simulator, settings, seed)
        _structures[*key, seed] = known
        while len(_structures) > _KEPT:
            _structures.popitem(last=False)
    return known


def _build(
    simulator: CircuitSimulator, settings: NTupleSettings, seed: int
) -> Structure:
    turns = find_turns(simulator)
    sample = sample_positions(simulator)
    digits = find_digits(simulator, sample, turns)
    varied = find_varied(digits, sample)
    identity = Symmetry(tuple(range(len(simulator.fluents))), exchanges=False)
    found = find_symmetries(simulator)
    plain = [one for one in found if not one.exchanges and settings.symmetries]
    plain = plain or [identity]
    exchanging = [one for one in found if one.exchanges]
    if not settings.symmetries:
        exchanging = exchanging[:1]
    exchange = settings.exchange and len(turns) == 2
    exchange = exchange and len(exchanging) == len(plain)
    around = Surroundings(
        digits=digits,
        varied=tuple(sorted(varied)),
        clauses=(
            find_clauses(simulator, digits, varied) if settings.walk != "board" else ()
        ),
        neighbours=(
            find_neighbours(simulator, digits, varied)
            if settings.walk != "rules"
            else ()
        ),
        images=tuple(_digit_images(digits, one) for one in plain),
    )
    tuples = draw_tuples(
        around, settings.tuples, settings.tuple_length, settings.tuple_entries, seed
    )
    codings = [plain, exchanging] if exchange else [plain]
    return Structure(
        tuples=tuples,
        digits=digits,
        turns=turns,
        codings=tuple(tuple(one.fluents for one in each) for each in codings),
        exchange=exchange,
    )


def find_turns(simulator: CircuitSimulator) -> tuple[int, ...]:
    """Return the facts that say who is to move, one for each role, in their order."""
    families = infer_board_model(simulator).turns
    number = {split_fact(one): i for i, one in enumerate(simulator.fluents)}
    for key in families:
        facts = [number.get((key, (role,))) for role in simulator.roles]
        known = tuple(fact for fact in facts if fact is not None)
        if len(known) == len(simulator.roles):
            return known
    return ()


def _digit_images(digits: Sequence[Digit], symmetry: Symmetry) -> tuple[int, ...]:
    """Return the digit in the place of each digit."""
    digit_of = {fact: place for place, one in enumerate(digits) for fact in one.facts}
    images = [digit_of.get(symmetry.fluents[one.facts[0]]) for one in digits]
    return tuple(
        place if image is None else image for place, image in enumerate(images)
    )
