"""Many tasks on many processes, here or on other machines.

An `Executor` runs tasks and gives back their results, each exactly once, whatever dies
on the way:

    `SerialExecutor`    in this process, one after the other
    `LocalProcesses`    in processes of this machine
    `RayCluster`        on a Ray cluster; from `open_executor`

What comes of a task may depend on the task alone, so results are the same wherever and
however often it is run.
"""

from gamelore.cluster.executor import Done, Executor, LostWorker, SerialExecutor, Shared
from gamelore.cluster.local import LocalProcesses
from gamelore.cluster.open import (
    LOCAL,
    open_executor,
    ray_environment,
)

__all__ = [
    "LOCAL",
    "Done",
    "Executor",
    "LocalProcesses",
    "LostWorker",
    "SerialExecutor",
    "Shared",
    "open_executor",
    "ray_environment",
]
