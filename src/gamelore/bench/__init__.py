"""How fast it is, beside others measured in the same run."""

from gamelore.bench.learning import (
    Growth,
    LearningRate,
    measure_growth,
    measure_learning,
)
from gamelore.bench.playouts import PEERS, Rate, measure

__all__ = [
    "PEERS",
    "Growth",
    "LearningRate",
    "Rate",
    "measure",
    "measure_growth",
    "measure_learning",
]
