"""What `gamelore learn` reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from gamelore.errors import CheckpointError, GameloreError
from gamelore.settings import check, setting
from gamelore.transfer import check_destination

PICTURES = (".png", ".svg")

_INITIAL = "Initial values and transfer"
_FILES = "Files"


@dataclass(frozen=True)
class LearnFiles:
    """The files of a training run, and what goes into them."""

    preset: bool = False
    """Train by settings that were found to be good for the game."""
    features: str | None = setting(None, group="Value function")
    """Features of the game, by name or as a file: inputs of a value function, and what
    --shaping refers to."""
    sources: tuple[Path, ...] = setting((), option="from", group=_INITIAL)
    """A knowledge file of other games to take initial values from; may be repeated."""
    from_opponent: str | None = setting(None, group=_INITIAL)
    """Of that knowledge, take only what was learned against this opponent."""
    map: str | None = setting(None, group=_INITIAL)
    """Which rewards mean the same, as OURS=THEIRS,…; by default the ranks decide."""
    save: Path | None = setting(None, group=_FILES)
    """Write checkpoints of the training run to this file."""
    resume: bool = setting(False, group=_FILES)
    """Go on from the checkpoint in the file of --save."""
    force: bool = setting(False, group=_FILES)
    """Replace files that exist."""
    plot: Path | None = setting(None, group=_FILES)
    """Draw the scores against the reference players, as .png or .svg."""
    knowledge: Path | None = setting(None, group=_FILES)
    """Add the values of the game's tree patterns to this file; with suffix .db, to that
    store."""
    pattern_depth: int = setting(2, least=1, most=8, group=_FILES)
    """Depth of these tree patterns, in moves."""
    rewards: bool = setting(False, group=_FILES)
    """In it, tell outcomes apart by reward, not as win, draw and loss."""
    quiet: bool = False
    """Print nothing but errors and JSON."""

    def __post_init__(self) -> None:
        check(self)

    def check(self) -> None:
        """Refuse what cannot go together, and paths that cannot be used."""
        save, plot = self.save, self.plot
        if self.resume and self.force:
            raise click.UsageError("--resume goes on, --force starts anew: choose one")
        if self.resume and save is None:
            raise click.UsageError("--resume needs --save FILE, to go on from there")
        if plot is not None and plot.suffix not in PICTURES:
            raise click.UsageError(f"--plot draws .png and .svg, not {plot.name}")
        if not self.sources and (self.map or self.from_opponent):
            name = "map" if self.map else "from-opponent"
            raise click.UsageError(f"--{name} has no meaning without --from")
        for path in (save, plot):
            if path is not None and not path.parent.is_dir():
                raise GameloreError(f"there is no folder {path.parent}")
        if self.knowledge is not None:
            check_destination(self.knowledge, self.force)
        if save is not None and save.exists() and not (self.resume or self.force):
            raise CheckpointError(
                f"{save} exists: --resume goes on with it, --force starts anew and"
                " replaces it"
            )
