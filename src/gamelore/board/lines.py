"""Lines of cells that have one name each: what rules want in a row.

Where a relation lists them, `(line a b c)`, or a rule asks for them together, they say
how names lie on a board.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from gamelore.board.coordinates import Encoding
from gamelore.board.families import Family
from gamelore.board.points import Edges
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage

FEWEST = 4
"""Lines of a board, at least."""
MOST_BOARDS = 4


@dataclass(frozen=True)
class LineFinder:
    """Finds the lines of names."""

    usage: Usage
    statics: Statics

    def find(self, names: frozenset[str]) -> set[tuple[str, ...]]:
        """Return the lines whose cells are all among the names."""
        found = {
            line
            for lines in self.usage.lines.values()
            for line in lines
            if names.issuperset(line)
        }
        for relation in self.statics.names:
            if self.statics.arity(relation) >= 3:
                rows = [
                    tuple(word for word in arguments if isinstance(word, str))
                    for arguments in self.statics.written(relation)
                ]
                if all(len(row) >= 3 and names.issuperset(row) for row in rows):
                    found.update(rows)
        return found

    def find_neighbours(self, names: frozenset[str]) -> Edges:
        """Return the pairs of names that follow each other on a line."""
        return frozenset(
            ((a,), (b,)) for line in self.find(names) for a, b in pairwise(line)
        )

    def read_boards(self, family: Family) -> Encoding | None:
        """Return the encoding of a family with the cells of several boards.

        Each pair of a cell's name and a board's has a fact at the start.
        """
        if family.arity != 2 or not family.covers((0, 1)):
            return None
        for selector in range(2):
            boards, names = family.domains[selector], family.domains[1 - selector]
            small = 2 <= len(boards) <= MOST_BOARDS < len(names)
            if small and len(self.find(names)) >= FEWEST:
                return Encoding(family, "cells", (0, 1), full=True, selector=selector)
        return None
