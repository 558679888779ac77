"""Tasks on a Ray cluster: of this machine alone, or of many.

Ray's own retries are off: the executor runs a task again itself, so that every loss is
counted and shown.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

from gamelore.cluster.executor import (
    RETRIES,
    Executor,
    LostWorker,
    Raised,
    Shared,
    Task,
    WorkerLostError,
    call,
    keep,
)
from gamelore.cluster.open import AUTO, LOCAL, ray_environment
from gamelore.errors import ClusterError
from gamelore.processors import count_cores

RESOURCES_SECONDS = 1.0
"""Time between two looks at how many cores the cluster has."""

MODE, TOKEN, TOKEN_PATH = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
"""Variables that Ray reads: whether clusters ask for a token, and which."""
_own_token = secrets.token_hex(32)  # of clusters that this process starts

T = TypeVar("T")


class RayCluster(Executor):
    """Runs tasks on a Ray cluster, each on one core.

    Without a number of workers there is one for each core that the cluster has at the
    time, so that nodes may come and go. One cluster at a time can be open in a process.
    """

    def __init__(
        self,
        cluster: str = LOCAL,
        workers: int | None = None,
        retries: int = RETRIES,
        observe: Callable[[LostWorker], None] = lambda lost: None,
    ) -> None:
        super().__init__(retries, observe)
        self._given = workers
        self._cores = 1
        self._looked = -RESOURCES_SECONDS
        self._ray = _connect(cluster, workers)
        self._call = self._ray.remote(max_retries=0, num_cpus=1)(call)

    @property
    def workers(self) -> int:
        if self._given is not None:
            return self._given
        if time.monotonic() - self._looked >= RESOURCES_SECONDS:
            self._looked = time.monotonic()
            self._cores = int(self._ray.cluster_resources().get("CPU", 0))
        return max(1, self._cores)

    @property
    def nodes(self) -> list[str]:
        """The ids of the machines that are there and have a core for tasks."""
        return [
            node["NodeID"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def share(self, value: T) -> Shared[T]:
        """Put a value into the object store; each node fetches it once."""
        return _Stored(self._ray.put(value))

    def warm_up(self, work: Callable[[Task], object], task: Task) -> None:
        """Run a task on every node, once; nodes that die meanwhile are left out."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        handles = [
            self._call.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)
            ).remote(work, task)
            for node in self.nodes
        ]
        for handle in handles:
            with suppress(WorkerLostError):
                result = self._fetch(handle)
                if isinstance(result, Raised):
                    raise result.error

    def close(self) -> None:
        """Cancel what is left, and leave the cluster; a local one ends."""
        with suppress(self._ray.exceptions.RayError):
            self.cancel()
        self._ray.shutdown()

    def _submit(self, work: Callable[[Any], Any], task: Any) -> Hashable:
        return cast(Hashable, self._call.remote(work, task))

    def _wait(self, handles: Sequence[Hashable]) -> Sequence[Hashable]:
        # Not without a limit: an interrupt is noticed between two calls.
        while True:
            done, _ = self._ray.wait([*handles], timeout=1.0, fetch_local=False)
            if done:
                return cast(Sequence[Hashable], done)
            self._fill()  # nodes may have joined

    def _fetch(self, handle: Hashable) -> object:
        errors = self._ray.exceptions
        try:
            return self._ray.get(handle)
        except errors.RayTaskError as error:  # not of the work, which is caught there
            raise ClusterError(
                f"a worker of the cluster cannot run tasks: {_last_line(error)}; is the"
                " same version of gamelore installed on every node, and your own code?"
            ) from error
        except errors.RayError as error:
            raise WorkerLostError(_first_line(error)) from error

    def _cancel(self, handles: Sequence[Hashable]) -> None:
        for handle in handles:
            with suppress(Exception):  # it may have ended, or the cluster may have
                self._ray.cancel(handle, force=True)


class _Stored(Generic[T]):
    """A value in the object store."""

    def __init__(self, ref: Any) -> None:
        self._ref = ref

    def get(self) -> T:
        """Return the value."""
        import ray

        return keep(self._ref.hex(), lambda: cast(T, ray.get(self._ref)))


def _connect(cluster: str, workers: int | None) -> Any:
    """Join a cluster, or start one on this machine; return the module `ray`."""
    os.environ.update(ray_environment(loopback=cluster == LOCAL))
    if cluster == LOCAL:
        _make_token()
    elif os.environ.get(TOKEN) == _own_token and os.environ.get(MODE) == "token":
        raise ClusterError(
            "this process had a cluster of its own, and keeps the token of it; join"
            f" {cluster} from another process"
        )
    import ray

    if ray.is_initialized():
        raise ClusterError("this process has joined a cluster already")
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if cluster == LOCAL:
            cores = workers or count_cores()
            ray.init(address=LOCAL, num_cpus=cores, include_dashboard=False, **quiet)
        else:
            ray.init(address=cluster, **quiet)
    except Exception as error:  # foreign code, which raises plain ones, too
        ray.shutdown()
        raise ClusterError(
            f"the cluster {cluster} cannot be joined:"
            f" {_first_line(error)}{_advise(cluster)}"
        ) from error
    return ray


def _make_token() -> None:
    """Have the cluster of this machine ask for a token that nobody else knows.

    Since version 2.59 Ray would write one to the home directory, and every cluster that
    is started there afterwards would ask for it.
    """
    if not any(os.environ.get(name) for name in (TOKEN, TOKEN_PATH)):
        os.environ[TOKEN] = _own_token


def _advise(cluster: str) -> str:
    """Return what to try when a cluster cannot be joined.

    Ray's error does not say that a token was refused.
    """
    if cluster == LOCAL:
        return ""
    start = "; start one, as in: ray start --head" if cluster == AUTO else ""
    return (
        f"{start}; if it asks for a token, set {MODE}=token, and put the token into"
        f" ~/.ray/auth_token or {TOKEN}"
    )


def _first_line(error: BaseException) -> str:
    """Return the first line of an error: what has happened."""
    return _cut(_lines(error)[0])


def _last_line(error: BaseException) -> str:
    """Return the last line of an error with a traceback: what was raised."""
    return _cut(_lines(error)[-1])


def _lines(error: BaseException) -> list[str]:
    lines = [line.strip() for line in str(error).splitlines()]
    return [line for line in lines if line] or [type(error).__name__]


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]} …"
