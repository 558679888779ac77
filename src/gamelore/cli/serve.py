"""`gamelore serve`: a player on a port, for any GGP manager to call."""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from threading import Event

import click

from gamelore.agents.registry import DEFAULT, AgentSpec, make_agent
from gamelore.agents.warm_up import warm_up
from gamelore.cli.options import Finite, seed_option
from gamelore.cli.player_options import PLAYERS, store_option
from gamelore.cli.progress import waiting
from gamelore.cli.signals import stop_on_signals
from gamelore.errors import GameloreError
from gamelore.ggp.player.server import PORT, PlayerServer, ServerLimits

_SWITCHES = 0.001
"""Seconds between chances for another thread: a thinking player is not to hold up the
one that watches its clock."""

DEFAULTS = ServerLimits()


@click.command(name="serve")
@click.option(
    "--player",
    "player",
    metavar="PLAYER",
    default=DEFAULT,
    show_default=True,
    help=f"The player: {PLAYERS}.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 lets other machines connect.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 lets the system choose.",
)
@click.option("--name", help="Name that managers see.  [default: gamelore-PLAYER]")
@click.option(
    "--at-once",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Matches at the same time; further ones are answered with `busy`.",
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    help="Name of an opponent, if the manager does not send it; repeat for more.",
)
@store_option
@seed_option
@click.option(
    "--margin",
    type=Finite(0.001, 10),
    default=DEFAULTS.margin,
    show_default=True,
    help="Seconds before the end of a clock at which the player must answer.",
)
@click.option("-q", "--quiet", is_flag=True, help="Log errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Log more than results.")
def command(
    player: str,
    host: str,
    port: int,
    name: str | None,
    at_once: int,
    opponents: tuple[str, ...],
    store: Path | None,
    seed: int,
    margin: float,
    quiet: bool,
    verbose: bool,
) -> None:
    """Listen on a port, and play for any GGP manager.

    The manager sends the rules of a game, asks for moves, and says when the match is
    over. The server logs one line per match to standard error. Ctrl-C ends the server.

    \b
    Examples:
      gamelore serve
      gamelore serve --player minimax --port 9148 --name ann
      gamelore serve --player mine.players:Clever --at-once 2
      gamelore serve --player learned:net.ckpt:4
    """
    _report(quiet, verbose)
    sys.setswitchinterval(_SWITCHES)
    spec = AgentSpec.parse(player)
    with waiting(f"preparing {spec.label}"):
        agent = make_agent(spec, store=store, seed=seed)
    try:
        server = PlayerServer(
            agent,
            host,
            port,
            name=name or _name_player(spec),
            limits=ServerLimits(margin=margin),
            at_once=at_once,
            opponents=opponents,
        )
    except (GameloreError, ValueError) as error:
        agent.close()
        raise GameloreError(str(error)) from error
    ended = Event()
    with stop_on_signals(ended.set, last_words=lambda: f"{server.name} has ended"):
        with waiting("warming up"):
            warm_up(spec)
        if ended.is_set():
            agent.close()
            raise KeyboardInterrupt
        with server:
            where = "{}:{}".format(*server.address)
            click.echo(f"{server.name} listens on {where}", err=True)
            ended.wait()
    click.echo(f"{server.name} has ended", err=True)


def _name_player(spec: AgentSpec) -> str:
    """Return the name that such a player gives itself: one word."""
    own = str(spec).rpartition(":")[2]
    if spec.is_learned:
        own = Path(spec.target).stem
    return "gamelore-" + re.sub(r"[\s();.]+", "-", own)


def _report(quiet: bool, verbose: bool) -> None:
    """Send the log to standard error, as much of it as is wanted."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("gamelore")
    log.handlers[:] = [handler]
    log.propagate = False
    level = logging.DEBUG if verbose else logging.INFO
    log.setLevel(logging.ERROR if quiet else level)
