"""The main job: load a game from its rules, simulate it, show a match and the speed."""

from __future__ import annotations

import time

from gamelore.games import entry, load
from gamelore.play import MonteCarloPlayer, Player, RandomPlayer, play_match
from gamelore.simulate.choose import simulator
from gamelore.simulate.position import Position

NAME = "connect-four"
MATCHES = 500_000


def main() -> None:
    game = load(NAME)
    print(f"{NAME}: {entry(NAME).description}; {len(game.rules)} rules")
    print("compiling (on a machine's first run this takes up to a minute)")
    started = time.perf_counter()
    engine = simulator(game)
    engine.playouts(count=1)
    print(f"ready to play after {time.perf_counter() - started:.1f} s")

    print(f"\nplaying {MATCHES:,} random matches on one core")
    started = time.perf_counter()
    playouts = engine.playouts(count=MATCHES, seed=1)
    seconds = time.perf_counter() - started
    for role, goal in zip(engine.roles, playouts.mean_goals[0], strict=True):
        print(f"  {role:<7} mean goal {goal:.1f}")
    print(f"  length  {playouts.lengths[0] / MATCHES:.1f} moves on average")
    print(f"  speed   {MATCHES / seconds:,.0f} matches per second")

    print("\na match: red draws lots, yellow tries every move in random playouts")
    players: dict[str, Player] = {
        "red": RandomPlayer(seed=1),
        "yellow": MonteCarloPlayer(seed=2),
    }
    record = play_match(engine, players)
    position = Position.initial(engine)
    for joint in record.moves:
        position = position.advance(joint)
    print(record)
    print(f"\n{position}")


if __name__ == "__main__":
    main()
