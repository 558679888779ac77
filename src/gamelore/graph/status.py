"""Statuses that kernels over a state graph return, and the rules of lookahead."""

from __future__ import annotations

from gamelore.graph._kernels import FINE
from gamelore.graph._lookahead_kernels import AVGMAX, MAXMAX, MINIMAX
from gamelore.graph._pattern_kernels import NO_SHAPE

LOOKAHEAD_RULES = {"minimax": MINIMAX, "maxmax": MAXMAX, "avgmax": AVGMAX}
"""What the others are taken to do: their best, our best, or anything."""

__all__ = ["FINE", "LOOKAHEAD_RULES", "NO_SHAPE"]
