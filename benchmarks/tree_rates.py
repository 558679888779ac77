"""Playouts per second inside the search tree, beside bare ones and OpenSpiel's MCTS.

One core, processor time. A tree whose playouts see wins and losses one move ahead, one
with plain playouts, the engine's bare playouts and, where OpenSpiel has the game and is
installed, simulations of its C++ MCTSBot with one random rollout each take turns for a
slice of time, until both trees have been measured at the largest size.

    python benchmarks/tree_rates.py [GAME ...] [--sizes 1000,10000,100000,1000000]
        [--seconds 0.5] [--rounds 10] [--no-peer] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from gamelore.adapters import open_spiel_games
from gamelore.bench.tree_rates import SIZES, TreeRate, measure_trees
from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load

GAMES = (
    "connect-four",
    "othello",
    "breakthrough",
    "english-draughts",
    "hex-7x7",
    "hex-11x11",
    "gomoku",
)

HEADER = (
    "| game | lookahead | nodes | playouts/s in the tree | bare | share |"
    " MCTSBot, simulations/s | ratio |\n|---|---|---:|---:|---:|---:|---:|---:|"
)


def show(rate: TreeRate) -> None:
    """Print a line of the table."""
    peer = "" if rate.peer_per_s is None else f"{rate.peer_per_s:,.0f}"
    ratio = "" if rate.ratio is None else f"{rate.ratio:.1f} ×"
    print(
        f"| {rate.game} | {'on' if rate.lookahead else 'off'} | {rate.nodes:,}"
        f" | {rate.playouts_per_s:,.0f} | {rate.bare_per_s:,.0f} | {rate.share:.0%}"
        f" | {peer} | {ratio} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--sizes", type=numbers, default=SIZES, help="nodes of trees")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a slice")
    parser.add_argument("--rounds", type=int, default=10, help="at the largest size")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--json", type=Path, help="append a line for each rate")
    args = parser.parse_args()
    print(HEADER)
    for name in args.games:
        engine = simulator(load(name))
        if not isinstance(engine, CircuitSimulator):
            raise SystemExit(f"{name} does not compile")
        rates = measure_trees(
            engine,
            peer=not args.no_peer and name in open_spiel_games.GAMES,
            sizes=args.sizes,
            seconds=args.seconds,
            rounds=args.rounds,
        )
        for rate in rates:
            show(rate)
            if args.json is not None:
                with args.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rate.to_json()) + "\n")


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
