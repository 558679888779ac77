"""The numbers that the paper prints."""

from __future__ import annotations

from typing import NamedTuple

TABLE_2 = {
    500: (48.0, 68.0),
    1_000: (52.0, 72.0),
    2_000: (54.0, 76.0),
    3_000: (71.0, 79.0),
}
"""Win rate against the heuristic player by training games, Methods I and I(a), %."""

RISKY_LEVEL = 90.0
"""Where the best risk-seeking agent ends, %."""


class Game(NamedTuple):
    """A line of Table 3."""

    won: int
    lost: int
    moves: int


TABLE_3 = {
    "Method I": {4: Game(0, 0, 31), 5: Game(0, 0, 23), 6: Game(0, 2, 61)},
    "Method II": {4: Game(0, 0, 29), 5: Game(0, 0, 21), 6: Game(0, 0, 42)},
}
"""Stones won, stones lost and moves against the commercial program, by its depth."""
