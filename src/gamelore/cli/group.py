"""The command `gamelore`: finds the subcommand asked for, and reports errors.

Each subcommand is the attribute `command` of the module of its name, imported only when
it runs: `gamelore games` must not wait for the libraries that simulate.
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

import click

from gamelore.cli.streams import (
    INTERRUPTED,
    reader_has_gone,
    shown_warnings,
    stopping_promptly,
)
from gamelore.errors import GameloreError

COMMANDS = {
    "games": "List the games of the library and of other packages.",
    "check": "Report every problem in rule sheets, and in features files.",
    "show": "Show what a game is made of, and how it compiles.",
    "compile": "Compile games, with more effort for fewer gates.",
    "lab": "Open a page to play, analyse, watch, learn and write games.",
    "play": "Play a game in the terminal.",
    "analyse": "Show what the tree search thinks of a position, while it thinks.",
    "serve": "Listen on a port, and play for any GGP manager.",
    "match": "Run matches between players, here or on the network.",
    "watch": "Show a recorded match, move by move, in the terminal.",
    "simulate": "Play random matches, and sum them up.",
    "perft": "Count the matches of a given number of moves.",
    "patterns": "Find the tree patterns of a game.",
    "learn": "Learn a game by playing it, and save what was learned.",
    "arena": "Have snapshots play each other, and rate them.",
    "verify": "Compare playout records with what the engine says.",
    "tournament": "Run a tournament, and rate the players.",
    "reproduce": "Rerun a published experiment.",
    "bench": "Measure speed: random playouts, and learning.",
}
"""The subcommands in the order of the help, each with its first line of help."""

STATELESS = {
    "games",
    "check",
    "show",
    "compile",
    "analyse",
    "simulate",
    "perft",
    "verify",
    "bench",
}
"""The subcommands that have nothing to save when they are interrupted."""


class Commands(click.Group):
    """Subcommands imported when needed; errors of gamelore end in one message."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"gamelore.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"no such command: {name}{hint}", ctx)
        if name in STATELESS:
            ctx.with_resource(stopping_promptly())
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with shown_warnings():
                return super().invoke(ctx)
        except BrokenPipeError:
            if not reader_has_gone():
                raise
            raise click.exceptions.Exit(0) from None
        except GameloreError as error:
            click.echo(f"error: {error}", err=True)
            raise click.exceptions.Exit(1) from error
        except KeyboardInterrupt as interrupt:
            click.echo("interrupted", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from interrupt


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="gamelore COMMAND --help says more, with examples.",
)
@click.version_option(package_name="gamelore", prog_name="gamelore")
def main() -> None:
    """Give gamelore the rules of a game, and it plays it.

    GAME is the name of a library game (gamelore games lists them) or the path of a rule
    sheet in GDL.
    """
