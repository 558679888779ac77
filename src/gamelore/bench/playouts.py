"""Random playouts per second, one core, with a peer's beside ours.

Machines are noisy, so ours and the peer's runs alternate, and the ratio is the median
of the rounds' ratios. On one thread, seconds are of processor time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from gamelore.adapters.open_spiel_games import GAMES
from gamelore.bench import openspiel
from gamelore.display import markdown_table
from gamelore.engine import Simulator, simulator
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load

Play: TypeAlias = Callable[[int], None]
"""Plays a number of playouts, or of matches."""

BENCHMARK_GAMES = (
    "tictactoe",
    "connect-four",
    "othello",
    "breakthrough",
    "english-draughts",
    "hex-9x9",
    "hex-11x11",
    "gomoku",
)

PEERS: Mapping[str, Callable[[str], Play]] = {"openspiel": openspiel.player}
"""Per peer, what makes its playouts of one of our games."""

PEER_GAMES: Mapping[str, frozenset[str]] = {"openspiel": frozenset(GAMES)}
"""Per peer, the names of the games it has."""

_SAMPLE = 512  # playouts whose mean length is told


@dataclass(frozen=True)
class Rate:
    """Playouts per second of one game, ours and a peer's, and what its circuit is."""

    game: str
    playouts_per_s: float
    peer: str | None = None
    peer_playouts_per_s: float | None = None
    ratio: float | None = None
    mean_moves: float | None = None
    """Of a playout."""
    gates: int | None = None
    """Of the whole circuit; none where the interpreter plays."""
    gates_per_turn: float | None = None
    compile_seconds: float | None = None
    """When it was compiled, which may have been long ago."""

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
    """Rates of each game in turn; a round of ours, or of the peer's, takes seconds.

    Games are names or rule sheets. What the peer does not have is measured alone.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    for name in games:
        sim = simulator(load(name))
        seeds = iter(range(seed, seed + 10**9))

        def ours(count: int, sim: Any = sim, seeds: Iterator[int] = seeds) -> None:
            sim.playouts(count=count, seed=next(seeds), threads=threads)

        if peer is None or name not in PEER_GAMES[peer]:
            rate = Rate(name, statistics.median(rates(ours, seconds, rounds, clock)))
        else:
            theirs = PEERS[peer](name)
            pairs = list(
                zip(
                    rates(ours, seconds, rounds, clock),
                    rates(theirs, seconds, rounds, clock),
                    strict=True,
                )
            )
            rate = Rate(
                name,
                statistics.median(mine for mine, _ in pairs),
                peer,
                statistics.median(other for _, other in pairs),
                statistics.median(mine / other for mine, other in pairs),
            )
        yield _describe_circuit(rate, sim)


def _describe_circuit(rate: Rate, sim: Simulator) -> Rate:
    """Add how long playouts are, and how large the circuit is."""
    sample = sim.playouts(count=_SAMPLE if isinstance(sim, CircuitSimulator) else 1)
    mean = float(sample.lengths.sum()) / sample.count
    rate = replace(rate, mean_moves=mean)
    if not isinstance(sim, CircuitSimulator):
        return rate
    found = sim.compiled.statistics
    return replace(
        rate,
        gates=found.gates,
        gates_per_turn=found.gates_per_turn,
        compile_seconds=found.seconds,
    )


def format_table(measured: Iterable[Rate]) -> str:
    """Return rates as a table in Markdown, as the documentation has it."""
    found = list(measured)
    head = ["game", "gates", "gates a turn", "compiled in, s", "moves", "playouts/s"]
    peers = sorted({rate.peer for rate in found if rate.peer})
    rows = [[*_row(rate), *_beside(rate, peers)] for rate in found]
    return markdown_table(
        [*head, *(p for peer in peers for p in (peer, "ratio"))], rows
    )


def _row(rate: Rate) -> list[object]:
    """The columns of a game that are there without a peer."""
    name = Path(rate.game).stem if rate.game.endswith(".kif") else rate.game
    compiled = rate.compile_seconds
    return [
        name,
        _number(rate.gates),
        _number(rate.gates_per_turn),
        "" if compiled is None else f"{compiled:.1f}",
        "" if rate.mean_moves is None else f"{rate.mean_moves:.1f}",
        _number(rate.playouts_per_s),
    ]


def _beside(rate: Rate, peers: Iterable[str]) -> Iterator[object]:
    for peer in peers:
        if rate.peer == peer and rate.ratio is not None:
            yield from (_number(rate.peer_playouts_per_s), f"{rate.ratio:.1f} ×")
        else:
            yield from ("", "")


def _number(value: float | None) -> int | str:
    """A whole number of at most four digits that are not zero."""
    if value is None:
        return ""
    digits = max(0, len(str(round(value))) - 4)
    return int(round(value, -digits))


def rates(
    play: Play,
    seconds: float,
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[float]:
    """How many per second, measured anew each round; first runs only find the size."""
    play(1)  # kernels compile now, not in a round
    count = 1
    while True:
        taken = _time(play, count, clock)
        if taken > seconds / 4:
            break
        count *= 2 if taken > seconds / 50 else 8
    count = max(1, round(count * seconds / taken))
    for _ in range(rounds):
        yield count / _time(play, count, clock)


def _time(play: Play, count: int, clock: Callable[[], float]) -> float:
    started = clock()
    play(count)
    return clock() - started
