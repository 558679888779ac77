"""`--cluster` and `--workers`, for commands whose work can be spread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

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


def check_workers(
    context: click.Context, parameter: click.Parameter, workers: int | None
) -> int | None:
    """Refuse `--workers` without `--cluster`, which is read first."""
    if workers is not None and context.params.get("cluster") is None:
        raise click.UsageError("--workers is for --cluster: give it, too")
    return workers


CLUSTER: dict[str, Any] = {"metavar": "local|ADDRESS", "is_eager": True}
WORKERS: dict[str, Any] = {
    "type": click.IntRange(1, 100_000),
    "callback": check_workers,
    "help": WORKERS_HELP,
}


def cluster_options(command: Command) -> Command:
    """`--cluster` and `--workers`."""
    command = click.option("--workers", **WORKERS)(command)
    return click.option("--cluster", help=CLUSTER_HELP, **CLUSTER)(command)


@contextmanager
def opened_cluster(
    cluster: str | None, workers: int | None
) -> Iterator[Executor | None]:
    """Yield an executor on a cluster, if one is asked for; nothing runs afterwards.

    Workers that die are told on standard error.
    """
    if cluster is None:
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
