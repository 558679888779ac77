"""`gamelore games`: what the library holds."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from gamelore.cli.options import json_option
from gamelore.games import LibraryEntry, library, plugin_games


@click.command(
    "games",
    epilog="""\b
Examples:
  gamelore games
  gamelore games --json

Games on a board come in more sizes than these: hex-4x4 and tictactoe-6x6 are fine.
""",
)
@json_option
def command(as_json: bool) -> None:
    """List the games of the library and of other packages."""
    added, faults = plugin_games()
    for fault in faults:
        click.echo(f"warning: {fault}", err=True)
    entries = (*library(), *added)
    if as_json:
        click.echo(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    names = max(len(entry.name) for entry in entries)
    roles = max(len(" ".join(entry.roles)) for entry in entries)
    for entry in entries:
        players = " ".join(entry.roles)
        click.echo(f"{entry.name:<{names}}  {players:<{roles}}  {describe(entry)}")


def describe(entry: LibraryEntry) -> str:
    """Return a game's description, with its package where that is another one."""
    if entry.package == "gamelore":
        return entry.description
    return f"{entry.description} [{entry.package}]".strip()
