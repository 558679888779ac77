"""Options about players, for the commands in which they play.

Apart from other options, since players need what `gamelore games` must not load.
"""

from __future__ import annotations

from pathlib import Path

import click

from gamelore.agents.registry import LEARNERS, known_forms
from gamelore.cli.options import Command

*_FIRST, _LAST = known_forms()
PLAYERS = f"{', '.join(_FIRST)} or {_LAST}"
"""All players by name, for help texts."""


def store_option(command: Command) -> Command:
    """`--store`, as every command takes it in which agents learn."""
    return click.option(
        "--store",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"File in which players that learn ({', '.join(LEARNERS)}) save every"
        " match and their values; without it, both are lost at the end.",
    )(command)
