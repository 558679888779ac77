"""How fast it is, beside others measured in the same run."""

from gamelore.bench.playouts import PEERS, Rate, measure

__all__ = ["PEERS", "Rate", "measure"]
