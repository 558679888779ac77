"""Snapshots as players on the command line: `learned:FILE`, perhaps with a depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gamelore.agents.agent import PlayerAgent
from gamelore.cli.progress import waiting
from gamelore.errors import GameloreError
from gamelore.gdl import Game
from gamelore.learn.snapshots import Snapshot, SnapshotPlayer
from gamelore.search.alpha_beta import SearchLimits
from gamelore.search.playouts import MonteCarloPlayer

PREFIX = "learned:"
HOW = "learned:FILE or learned:FILE:DEPTH, of a file that gamelore learn has written"
"""How a snapshot is named, for texts of help."""


class Learned(NamedTuple):
    """A snapshot, as it is named."""

    path: Path
    depth: int | None = None
    """How many moves to look ahead; as its course says if not given."""

    @property
    def label(self) -> str:
        """What it is called where its matches are listed."""
        return (
            self.path.name if self.depth is None else f"{self.path.name}:{self.depth}"
        )


def learned_of(spec: str) -> Learned | None:
    """The snapshot that a text names; the file alone will do where there is one."""
    text = spec.removeprefix(PREFIX)
    stem, _, number = text.rpartition(":")
    has_depth = bool(stem) and number.isascii() and number.isdecimal()
    learned = Learned(Path(stem), int(number)) if has_depth else Learned(Path(text))
    if spec.startswith(PREFIX):
        return _checked(learned, spec)
    port = has_depth and int(number) > SearchLimits.DEEPEST
    return _checked(learned, spec) if learned.path.is_file() and not port else None


def learned_player(learned: Learned, game: Game) -> Callable[[int], SnapshotPlayer]:
    """What makes such a player from a seed; `CheckpointError` if it is of other rules
    than the game."""
    snapshot, limits = _load(learned, [game])
    return lambda seed: SnapshotPlayer(snapshot, seed, limits)


def learned_agent(
    learned: Learned, seed: int, games: Sequence[Game] = ()
) -> PlayerAgent:
    """Such an agent; in another game than its own, it plays by playouts.

    `games`: what it is going to play, where that is known: an error if it cannot.
    """
    snapshot, limits = _load(learned, games)
    return PlayerAgent(
        lambda own: SnapshotPlayer(snapshot, own, limits, MonteCarloPlayer(own)), seed
    )


def _load(learned: Learned, games: Sequence[Game]) -> tuple[Snapshot, SearchLimits]:
    """A snapshot that is ready before any clock runs, and how it searches."""
    snapshot = Snapshot.load(learned.path)
    limits = snapshot.limits(learned.depth)
    with waiting(f"preparing {snapshot.name}"):
        for game in games or [snapshot.form.game]:
            snapshot.translation(game)
        snapshot.engine()
    return snapshot, limits


def _checked(learned: Learned, spec: str) -> Learned:
    if learned.depth is not None and not 0 < learned.depth <= SearchLimits.DEEPEST:
        raise GameloreError(
            f"{spec}: the depth must be in 1 to {SearchLimits.DEEPEST}, got"
            f" {learned.depth}"
        )
    return learned
