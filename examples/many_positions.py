"""Positions by the thousand: how good is each first move in Othello?"""

from __future__ import annotations

import numpy as np

import gamelore
from gamelore.gdl import to_kif


def main() -> None:
    engine = gamelore.simulator(gamelore.load("othello-6x6"))
    start = engine.initial_row()[np.newaxis]
    first = engine.expand(start)
    playouts = engine.playouts(first.successors, count=2000, seed=1)
    for moves, goals in zip(first.moves, playouts.mean_goals, strict=True):
        move = to_kif(engine.moves[0][moves[0]])
        print(f"{move:<14} black's mean goal {goals[0]:.1f}")

    replies = engine.expand(first.successors)
    print(f"{len(replies.successors)} positions after two moves")


if __name__ == "__main__":
    main()
