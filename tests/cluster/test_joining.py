"""How clusters are joined: tokens, settings and errors, with a stand-in for Ray."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gamelore.cluster.ray_cluster import MODE, TOKEN, TOKEN_PATH, RayCluster
from gamelore.errors import ClusterError

ADDRESS = "127.0.0.1:6379"


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is imported as `ray`; `ray.options` are those of `ray.init`."""
    module = SimpleNamespace(
        options={},
        error=None,
        exceptions=SimpleNamespace(RayError=Exception),
        is_initialized=lambda: False,
        shutdown=lambda: None,
        remote=lambda **options: lambda function: function,
    )

    def init(**options: object) -> None:
        module.options = options
        if module.error is not None:
            raise module.error

    module.init = init
    monkeypatch.setitem(sys.modules, "ray", module)
    monkeypatch.setattr(os, "environ", {**os.environ})
    for name in (MODE, TOKEN, TOKEN_PATH):
        os.environ.pop(name, None)
    return module


def test_a_local_cluster_has_a_token_of_its_own(ray: Any) -> None:
    RayCluster("local", 2).close()
    assert ray.options["address"] == "local"
    assert ray.options["num_cpus"] == 2
    token = os.environ[TOKEN]
    assert len(token) >= 32
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    RayCluster("local").close()
    assert os.environ[TOKEN] == token


@pytest.mark.parametrize("name", [TOKEN, TOKEN_PATH])
def test_a_token_of_the_user_is_left_alone(ray: Any, name: str) -> None:
    os.environ[name] = "theirs"
    RayCluster("local").close()
    assert os.environ[name] == "theirs"
    assert {TOKEN, TOKEN_PATH} & {*os.environ} == {name}


def test_other_clusters_get_no_token_of_ours(ray: Any) -> None:
    RayCluster(ADDRESS).close()
    assert ray.options["address"] == ADDRESS
    assert TOKEN not in os.environ


def test_a_process_with_a_token_of_its_own_joins_no_other(ray: Any) -> None:
    RayCluster("local").close()
    os.environ[MODE] = "token"  # as Ray does when it starts a cluster
    with pytest.raises(ClusterError, match=r"join 127.0.0.1:6379 from another process"):
        RayCluster(ADDRESS)


def test_a_token_may_be_missing(ray: Any) -> None:
    ray.error = ConnectionError(f"Failed to connect to Ray cluster at {ADDRESS}")
    with pytest.raises(ClusterError, match=r"Failed to connect.*set RAY_AUTH_MODE=tok"):
        RayCluster(ADDRESS)


def test_auto_says_how_to_start_a_cluster(ray: Any) -> None:
    ray.error = ConnectionError("no cluster found\nmore")
    with pytest.raises(ClusterError, match=r"no cluster found; start one.*ray start"):
        RayCluster("auto")


def test_ray_prints_nothing(ray: Any) -> None:
    """It reads these when it is imported; what workers print is not sent here."""
    RayCluster(ADDRESS).close()
    assert os.environ["RAY_DEDUP_LOGS"] == "1"
    assert os.environ["RAY_DEDUP_LOGS_SKIP_REGEX"] == "."
    assert ray.options["log_to_driver"] is False


def test_a_local_cluster_that_does_not_start_needs_no_token(ray: Any) -> None:
    ray.error = RuntimeError("The current node timed out during startup.")
    with pytest.raises(ClusterError, match=r"timed out during startup\.$"):
        RayCluster("local")
