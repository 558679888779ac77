"""Executors by what a user asks for: `local`, or the address of a Ray cluster."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from importlib.util import find_spec

from gamelore.cluster.executor import Executor, LostWorker
from gamelore.errors import ClusterError

LOCAL = "local"
"""A cluster on this machine alone, which ends with the command."""
AUTO = "auto"
"""The cluster that this machine is a node of."""
CONNECT_SECONDS = 5.0

_CLIENT = "ray://"
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def ray_environment(*, loopback: bool) -> dict[str, str]:
    """Return the variables that Ray reads when it is imported.

    No reports of use are sent. With `loopback`, it listens on that interface only; the
    switch is named after the systems on which that is the default.
    """
    return {**_QUIET, **(_LOOPBACK if loopback else {})}


def open_executor(
    cluster: str,
    workers: int | None = None,
    observe: Callable[[LostWorker], None] = lambda lost: None,
) -> Executor:
    """Return an executor on a Ray cluster; close it when all is done.

    `cluster`: `local`, `auto`, `HOST:PORT` or `ray://HOST:PORT`. `workers`: tasks at
    once; by default one for each core of the cluster. `ClusterError` if Ray is not
    installed or nothing answers.
    """
    if find_spec("ray") is None:
        raise ClusterError(
            "a cluster needs Ray, which is not installed: pip install 'gamelore[ray]'"
        )
    if cluster not in (LOCAL, AUTO):
        check_address(cluster)
    from gamelore.cluster.ray_cluster import RayCluster  # takes a second to import

    return RayCluster(cluster, workers, observe=observe)


def check_address(address: str) -> None:
    """Raise `ClusterError` unless something answers at HOST:PORT."""
    host, _, digits = address.removeprefix(_CLIENT).rpartition(":")
    if not (host and digits.isascii() and digits.isdecimal()):
        raise ClusterError(
            f"{address!r} is no address of a cluster: it is local, auto, HOST:PORT or"
            " ray://HOST:PORT"
        )
    port = int(digits)
    if not 0 < port < 65_536:
        raise ClusterError(f"{address}: there is no port {port}; ports are 1 to 65535")
    try:
        socket.create_connection((host.strip("[]"), port), CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ClusterError(
            f"no cluster answers at {address} ({reason.lower()}); start one there, as"
            f" in: ray start --head --port {port}"
        ) from error


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
