"""The features of a compiled game, as kernels count them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from gamelore.circuit import CompiledGame, Feature, Program
from gamelore.engine.compiled import _feature_kernels
from gamelore.engine.compiled._feature_kernels import BLOCK, FeatureProgram
from gamelore.engine.simulator import Row, Rows
from gamelore.gdl import Term, to_kif
from gamelore.kernels import direct

_count_rows = direct(_feature_kernels.count_rows)


class FeatureSet:
    """The features of a game, F of them, in order."""

    def __init__(self, compiled: CompiledGame) -> None:
        self.names: tuple[Term, ...] = tuple(
            feature.name for feature in compiled.features[0]
        )
        self.programs = tuple(_programs(compiled))
        """One per role, or one for all roles if they see the same."""

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        return " ".join(map(to_kif, self.names))

    def program(self, role: int = 0) -> FeatureProgram:
        """Return what kernels count for the side of a role."""
        return self.programs[role if len(self.programs) > 1 else 0]

    def allocate(self, positions: int) -> tuple[Row, npt.NDArray[np.float32]]:
        """Return buffers to count in: uint64 [64], and float32 [positions, C]."""
        width = max(program.width for program in self.programs)
        return np.zeros(BLOCK, np.uint64), np.zeros((positions, width), np.float32)

    def counts(
        self, program: Program, words: Row, positions: Rows, role: int = 0
    ) -> npt.NDArray[np.float32]:
        """Return float32 [n, F]: the value of every feature, from the side of a role.

        words: uint64 [2 S], a word per literal.
        """
        block, columns = self.allocate(len(positions))
        features = self.program(role)
        _count_rows(program, features, words, positions, block, columns)
        return columns[:, : len(self)]


def _programs(compiled: CompiledGame) -> Iterator[FeatureProgram]:
    first = 0
    for view in compiled.features:
        end = first + sum(len(feature.weights) for feature in view)
        yield _program(view, compiled.program.features[first:end].tolist())
        first = end


def _program(view: Sequence[Feature], literals: list[int]) -> FeatureProgram:
    """Atoms of one feature and weight side by side, cut into pieces at every block."""
    atoms: list[int] = []
    pieces: list[tuple[int, int, int, float]] = []
    averages = []
    width = len(view)
    first = 0
    for number, feature in enumerate(view):
        by_weight: dict[float, list[int]] = defaultdict(list)
        end = first + len(feature.weights)
        for weight, literal in zip(feature.weights, literals[first:end], strict=True):
            by_weight[weight].append(literal)
        first = end
        begin = len(atoms)
        for weight, found in by_weight.items():
            start = len(atoms)
            atoms += found
            pieces += _pieces(start, len(atoms), number, weight)
        if feature.averaged:
            pieces += _pieces(begin, len(atoms), width, 1.0)
            averages.append((number, width))
            width += 1
    atoms += [0] * (-len(atoms) % BLOCK)
    pieces.sort()
    return FeatureProgram(
        atoms=np.array(atoms, np.int32),
        blocks=np.array([block for block, _, _, _ in pieces], np.int32),
        masks=np.array([mask for _, _, mask, _ in pieces], np.uint64),
        columns=np.array([column for _, column, _, _ in pieces], np.int32),
        weights=np.array([weight for _, _, _, weight in pieces], np.float32),
        averages=np.array(averages, np.int32).reshape(-1, 2),
        width=width,
    )


def _pieces(
    start: int, end: int, column: int, weight: float
) -> Iterator[tuple[int, int, int, float]]:
    """A run of atoms as block, column, mask and weight of each block it touches."""
    while start < end:
        block, bit = divmod(start, BLOCK)
        count = min(BLOCK - bit, end - start)
        yield block, column, ((1 << count) - 1) << bit, weight
        start += count
