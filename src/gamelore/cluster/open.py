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

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Ray prints that a worker has died on stdout, among results, unless its lines are
    # skipped; the executor tells of it itself.
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
_HTTP2_SETTINGS = 4
_HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(
    [0, 0, 0, _HTTP2_SETTINGS, 0, 0, 0, 0, 0]
)
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def ray_environment(*, loopback: bool) -> dict[str, str]:
    """Return the variables that Ray reads when it is imported.

    No reports of use are sent, and nothing is printed. With `loopback`, it listens on
    that interface only; the switch is named after the systems on which that is the
    default.
    """
    return {**_QUIET, **(_LOOPBACK if loopback else {})}


def open_executor(
    cluster: str,
    workers: int | None = None,
    observe: Callable[[LostWorker], None] = lambda lost: None,
) -> Executor:
    """Return an executor on a Ray cluster; close it when all is done.

    `cluster`: `local`, `auto` or `HOST:PORT`. `workers`: tasks at once; by default one
    for each core of the cluster. `ClusterError` if Ray is not installed or nothing
    answers.
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
    """Raise `ClusterError` unless something like Ray answers at HOST:PORT."""
    host, _, digits = address.rpartition(":")
    if not (host and digits.isascii() and digits.isdecimal()):
        raise ClusterError(
            f"{address!r} is no address of a cluster: it is local, auto or HOST:PORT"
        )
    port = int(digits)
    if not 0 < port < 65_536:
        raise ClusterError(f"{address}: there is no port {port}; ports are 1 to 65535")
    where = host.strip("[]"), port
    try:
        with socket.create_connection(where, CONNECT_SECONDS) as connection:
            speaks = _speaks_http2(connection)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    else:
        if speaks:
            return
        reason = "what listens there is something else"
    raise ClusterError(
        f"no cluster answers at {address} ({reason}); start one there, as in: ray start"
        f" --head --port {port}"
    )


def _speaks_http2(connection: socket.socket) -> bool:
    """Return whether the other end greets as Ray does.

    Ray itself would try for minutes.
    """
    if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
        return True  # it does not greet in plain text
    connection.sendall(_HTTP2_PREFACE)
    answer = connection.recv(9)
    return len(answer) >= 4 and answer[3] == _HTTP2_SETTINGS
