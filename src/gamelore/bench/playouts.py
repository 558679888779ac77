"""Random playouts per second, one core, with a peer's beside ours.

Machines are noisy, so ours and the peer's runs alternate, and the ratio is the median
of the rounds' ratios.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from gamelore.bench import openspiel
from gamelore.engine import simulator
from gamelore.games import load

Play: TypeAlias = Callable[[int], None]
"""Plays a number of playouts, or of matches."""

BENCHMARK_GAMES = (
    "tictactoe",
    "connect-four",
    "othello",
    "breakthrough",
    "english-draughts",
    "hex-11x11",
)

PEERS: Mapping[str, Callable[[str], Play]] = {"openspiel": openspiel.player}
"""Per peer, what makes its playouts of one of our games."""


@dataclass(frozen=True)
class Rate:
    """Playouts per second of one game, ours and a peer's."""

    game: str
    playouts_per_s: float
    peer: str | None = None
    peer_playouts_per_s: float | None = None
    ratio: float | None = None

    def to_json(self) -> dict[str, Any]:
        """As a plain dictionary."""
        return asdict(self)


def measure(
    games: Iterable[str] = BENCHMARK_GAMES,
    peer: str | None = None,
    *,
    seconds: float = 2.0,
    rounds: int = 5,
    threads: int = 1,
    seed: int = 0,
) -> Iterator[Rate]:
    """Rates of each game in turn; a round of ours, or of the peer's, takes seconds."""
    for name in games:
        sim = simulator(load(name))
        seeds = iter(range(seed, seed + 10**9))

        def ours(count: int, sim: Any = sim, seeds: Iterator[int] = seeds) -> None:
            sim.playouts(count=count, seed=next(seeds), threads=threads)

        if peer is None:
            yield Rate(name, statistics.median(rates(ours, seconds, rounds)))
            continue
        theirs = PEERS[peer](name)
        pairs = list(
            zip(
                rates(ours, seconds, rounds),
                rates(theirs, seconds, rounds),
                strict=True,
            )
        )
        yield Rate(
            name,
            statistics.median(mine for mine, _ in pairs),
            peer,
            statistics.median(other for _, other in pairs),
            statistics.median(mine / other for mine, other in pairs),
        )


def rates(play: Play, seconds: float, rounds: int) -> Iterator[float]:
    """How many per second, measured anew each round; first runs only find the size."""
    play(1)  # kernels compile now, not in a round
    count = 1
    while True:
        taken = _time(play, count)
        if taken > seconds / 10:
            break
        count *= 2 if taken > seconds / 100 else 8
    count = max(1, round(count * seconds / taken))
    for _ in range(rounds):
        yield count / _time(play, count)


def _time(play: Play, count: int) -> float:
    started = time.perf_counter()
    play(count)
    return time.perf_counter() - started
