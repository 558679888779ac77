"""What kernels over a state graph answer, and the names of their rules."""

from __future__ import annotations

from gamelore.graph._kernels import AVGMAX, FINE, MAXMAX, MINIMAX, NO_SHAPE

LOOKAHEAD_RULES = {"minimax": MINIMAX, "maxmax": MAXMAX, "avgmax": AVGMAX}
"""What the others are taken to do: their best, our best, or anything."""

__all__ = ["FINE", "LOOKAHEAD_RULES", "NO_SHAPE"]
