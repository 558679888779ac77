"""Whether players on the clock are ever late, and how much of their time they use.

    python benchmarks/clocks.py                  10,000 moves, about ten minutes
    python benchmarks/clocks.py --moves 500      fewer

Matches of Connect Four over loopback between `gamelore serve --player monte-carlo`
processes with a play clock of one second and no grace. So many matches go on at once
that both cores have far more to do than they can.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Sequence
from itertools import pairwise

from serving import served

from gamelore.engine import Simulator, simulator
from gamelore.games import load
from gamelore.ggp.manager.manager import ManagedMatch, Manager, MatchSettings
from gamelore.ggp.manager.peers import RemotePeer
from gamelore.match.record import Fault

GAME = "connect-four"
PLAY_CLOCK = 1.0


class Tally:
    """What all matches add up to."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.seconds: list[float] = []
        self.faults: list[str] = []
        self.lock = threading.Lock()

    @property
    def is_full(self) -> bool:
        return len(self.seconds) >= self.wanted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=20, help="matches")
    parser.add_argument("--players", type=int, default=4, help="processes")
    options = parser.parse_args()
    tally = Tally(options.moves)
    engine = simulator(load(GAME))
    started = time.monotonic()
    with served(options.players, "monte-carlo", options.at_once) as players:
        ports = [port for _, port in players]
        threads = [
            threading.Thread(
                target=play_on, args=(engine, ports, number, tally), daemon=True
            )
            for number in range(options.at_once)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    report(tally, time.monotonic() - started)


def play_on(engine: Simulator, ports: Sequence[int], number: int, tally: Tally) -> None:
    """Play matches until there are enough moves in all."""
    settings = MatchSettings(start_clock=30, play_clock=PLAY_CLOCK, grace=0)
    manager = Manager(engine, settings)
    pair = ports[number % len(ports)], ports[(number + 1) % len(ports)]
    peers = [RemotePeer("127.0.0.1", port) for port in pair]
    seed = 1000 * number
    while not tally.is_full:
        match = manager.run(peers, seed=seed)
        seed += 1
        with tally.lock:
            # The first time is that of START, so the first move has two clocks.
            turns = zip(match.positions[1:], pairwise(match.times[1:]), strict=False)
            for position, (before, after) in turns:
                if position.mover is not None:  # somebody had a choice
                    tally.seconds.append((after - before) / 1000)
            tally.faults += [fault_text(match, f) for f in match.record.faults]
    for peer in peers:
        peer.close()


def fault_text(match: ManagedMatch, fault: Fault) -> str:
    """A fault, and when it was: what else did the machine do?"""
    when = time.localtime(match.times[max(0, fault.step)] / 1000)
    return f"{time.strftime('%H:%M:%S', when)} {fault.kind}: {fault.message}"


def report(tally: Tally, seconds: float) -> None:
    used = tally.seconds
    print(f"{len(used):,} moves in {seconds:,.0f} s, play clock {PLAY_CLOCK:g} s")
    print(f"faults           {len(tally.faults)}")
    for fault in tally.faults[:20]:
        print(f"    {fault}")
    print(f"mean used        {statistics.mean(used):.1%}")
    print(f"least, most      {min(used):.3f} s, {max(used):.3f} s")
    under = sum(each < 0.85 * PLAY_CLOCK for each in used)
    print(f"used under 85 %  {under} moves")
    over = sum(each > 0.95 * PLAY_CLOCK for each in used)
    print(f"used over 95 %   {over} moves")


if __name__ == "__main__":
    main()
