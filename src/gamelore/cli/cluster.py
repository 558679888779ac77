"""`--cluster` and `--workers`, for commands whose work can be spread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from gamelore.cli.options import counted
from gamelore.cli.progress import waiting
from gamelore.cluster import LOCAL, Executor, LostWorker, open_executor

Command = TypeVar("Command", bound=Callable[..., object])

CLUSTER_HELP = (
    "Play on a Ray cluster: local for one on this machine that ends with the command, "
    "or the address of one, as HOST:PORT, or auto. Results are the same."
)
WORKERS_HELP = "How many tasks run at once on the cluster.  [default: one per core]"
WORKERS = click.IntRange(1, 100_000)


def cluster_options(command: Command) -> Command:
    """`--cluster` and `--workers`."""
    command = click.option("--workers", type=WORKERS, help=WORKERS_HELP)(command)
    return click.option("--cluster", metavar="local|ADDRESS", help=CLUSTER_HELP)(
        command
    )


@contextmanager
def opened_cluster(
    cluster: str | None, workers: int | None
) -> Iterator[Executor | None]:
    """Yield an executor on a cluster, if one is asked for; nothing runs afterwards.

    Workers that die are told on standard error.
    """
    if cluster is None:
        if workers is not None:
            raise click.UsageError("--workers is for --cluster: give it, too")
        yield None
        return
    started = "starting" if cluster == LOCAL else "joining"
    with waiting(f"{started} the cluster"):
        executor = open_executor(cluster, workers, report_loss)
    try:
        yield executor
    finally:
        executor.close()
        if executor.lost:
            click.echo(
                f"{counted(executor.lost, 'task')} had to be run again", err=True
            )


def report_loss(lost: LostWorker) -> None:
    """Say on standard error that a worker has died."""
    click.echo(f"a worker died, its task is run again: {lost.reason}", err=True)
