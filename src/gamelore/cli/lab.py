"""`gamelore lab`: the page in the browser."""

from __future__ import annotations

import contextlib
import signal
import threading
import webbrowser
from pathlib import Path

import click

from gamelore.errors import GameloreError

USUAL_FOLDER = "~/gamelore-lab"


@click.command(
    "lab",
    epilog="""\b
Examples:
  gamelore lab
  gamelore lab --folder my-games --port 9000
  gamelore lab --host 0.0.0.0 --no-browser
""",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help="The port to listen on.  [default: 8421, or any that is free]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Any but this machine's own needs a token.",
)
@click.option("--token", help="The token, if it is not to be a new one.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=USUAL_FOLDER,
    show_default=True,
    help="Where your rules, records and training runs are.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(
    port: int | None, host: str, token: str | None, folder: Path, no_browser: bool
) -> None:
    """Open a page to play, analyse, watch, learn and write games.

    It is served on this machine alone, unless --host says otherwise. Ctrl-C closes it;
    training runs are saved, and go on when it is opened again.
    """
    try:
        # not every installation has the web server
        from gamelore.lab.access import Access
        from gamelore.lab.server import bind, find_address, run_server
        from gamelore.lab.shared import Lab
        from gamelore.lab.workspace import Workspace
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "gamelore":
            raise
        raise GameloreError(
            f"the lab needs {error.name}: pip install 'gamelore[lab]' gets it"
        ) from error
    if token is not None and not token.strip():
        raise click.BadParameter("must not be empty", param_hint="--token")
    access = Access.open_to(host, token)
    lab = Lab(Workspace(folder.expanduser()))
    lab.workspace.create()
    bound = bind(host, port)
    address = find_address(bound, access)

    def ready() -> None:
        click.echo(f"the lab is open at {address}")
        click.echo(f"your files are in {lab.workspace.folder}; Ctrl-C closes it")
        if not no_browser:
            threading.Thread(
                target=webbrowser.open, args=(address,), daemon=True
            ).start()

    # the server hears signals itself, and sends them again when it has closed
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    with contextlib.suppress(KeyboardInterrupt):
        run_server(lab, access, bound, ready)
    click.echo("closed; training runs are saved")
