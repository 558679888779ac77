"""Commands on real Ray clusters: of one machine, and of two nodes that lose workers."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cluster.conftest import (
    LIMIT,
    LOOPBACKS,
    StartedCluster,
    find_children,
    find_listening_addresses,
    find_workers,
    is_running,
    killer,
    run_gamelore,
    start_gamelore,
    wait_until,
)

from gamelore.cache import cache_folder
from gamelore.cluster import SerialExecutor, open_executor
from gamelore.engine import simulator
from gamelore.errors import ClusterError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.cluster_trainer import ClusterTrainer, SpreadSettings
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.opponents import AgentOpponent
from gamelore.values.table import Cells

ray = pytest.importorskip("ray", reason="Ray is not installed: make test-extras")
ray.cloudpickle.register_pickle_by_value(
    sys.modules[__name__]
)  # for tasks of this file

pytestmark = pytest.mark.slow

LOCAL = ("--cluster", "local", "--workers", 2)


def square(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number * number


def die_once(folder: Path, number: int) -> int:
    """Return a square; the first time that it is asked for 3, the process dies."""
    mark = folder / "died"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def share_length(shared: Any, number: int) -> int:
    return len(shared.get()) + number


def assert_same_tables(one: Mapping[Any, Cells], other: Mapping[Any, Cells]) -> None:
    """Check that tables are the same, bit for bit."""
    assert one.keys() == other.keys()
    for role in one:
        for name in Cells._fields:
            mine, theirs = getattr(one[role], name), getattr(other[role], name)
            assert np.array_equal(mine, theirs)


def test_a_local_cluster_runs_tasks(tmp_path: Path) -> None:
    lost: list[object] = []
    with open_executor("local", 2, lost.append) as executor:
        assert executor.map(square, range(50)) == [n * n for n in range(50)]
        with pytest.raises(ValueError, match="-1 is negative"):
            executor.map(square, [1, -1, 2])
        work = partial(share_length, executor.share(np.zeros(1000)))
        assert executor.map(work, range(3)) == [1000, 1001, 1002]
        assert not lost
        results = executor.map(partial(die_once, tmp_path), range(8))
        assert results == [n * n for n in range(8)]
        assert len(lost) == executor.lost == 1
        with pytest.raises(ClusterError, match="joined a cluster already"):
            open_executor("local")


# ── the same as in one process ──────────────────────────────────────────────────────


SIMULATE = "simulate", "connect-four", "--count", 200_000, "--json"


def read_totals(out: str) -> dict[str, object]:
    """Return what `simulate` has printed, but for times."""
    record: dict[str, object] = json.loads(out)
    del record["seconds"], record["matches_per_s"]
    return record


def test_simulate_gives_the_same(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        **{name: text for name, text in os.environ.items() if "_AUTH_" not in name},
        "HOME": str(home),
        "GAMELORE_CACHE": str(cache_folder()),
    }
    alone, spread = (
        read_totals(
            run_gamelore(*SIMULATE, *more, folder=tmp_path, environment=environment)[0]
        )
        for more in ((), LOCAL)
    )
    assert alone == spread
    assert not (home / ".ray").exists()  # with a token for clusters of other commands


def test_reproduce_gives_the_same(tmp_path: Path) -> None:
    for name, more in (("alone", ()), ("spread", LOCAL)):
        arguments = "reproduce", "banerjee2007", "--quick", "--out", name
        run_gamelore(*arguments, *more, folder=tmp_path)
    files = sorted(path.name for path in (tmp_path / "alone").glob("*.csv"))
    assert files
    for name in [*files, "report.md"]:
        alone, spread = (
            (tmp_path / folder / name).read_bytes() for folder in ("alone", "spread")
        )
        assert alone == spread, name


def test_an_arena_gives_the_same(tmp_path: Path) -> None:
    learn = "learn", "tictactoe", "--against", "self", "--matches", 500
    run_gamelore(*learn, "--save", "a.ckpt", "--quiet", folder=tmp_path)
    arguments = "arena", "a.ckpt", "--against", "random", "--against", "mcts-10"
    alone, spread = (
        json.loads(
            run_gamelore(*arguments, "--matches", 50, "--json", *more, folder=tmp_path)[
                0
            ]
        )
        for more in ((), LOCAL)
    )
    assert alone == spread
    assert len(alone["matches"]) == 100


@pytest.mark.parametrize(
    "options",
    [
        ("--values", "network", "--hidden", 8),
        ("--self-values", "own", "--role", "alternate"),
    ],
    ids=["network", "tables"],
)
def test_learning_does_not_depend_on_workers(
    options: tuple[object, ...], tmp_path: Path
) -> None:
    arguments = ("learn", "tictactoe", "--against", "self", *options, "--quiet")
    spread = "--part", 40, "--staleness", 200, "--evaluate-every", 0
    states = []
    for workers, matches in ((1, 1500), (2, 1500)):
        name = f"{workers}.ckpt"
        cluster = "--cluster", "local", "--workers", workers
        files = "--save", name, "--matches", matches
        run_gamelore(*arguments, *cluster, *spread, *files, folder=tmp_path)
        states.append(load_checkpoint(tmp_path / name))
    one, two = states
    assert np.array_equal(one.rewards, two.rewards)
    assert one.weights.keys() == two.weights.keys()
    assert all(np.array_equal(one.weights[n], two.weights[n]) for n in one.weights)
    assert_same_tables(one.tables, two.tables)


# ── two nodes that lose workers ─────────────────────────────────────────────────────

CUP = """
repeats = 5
seed = 5
play_clock = 60
start_clock = 60
games = ["tictactoe", "connect-3"]
[players]
tree = "mcts-100"
deep = "minimax-2"
chance = "random"
"""


def read_matches(folder: Path) -> dict[str, tuple[Any, Any]]:
    """Return moves and goals of all matches in a folder, by their ids."""
    found = {}
    for path in folder.glob("matches/*.json"):
        record = json.loads(path.read_text())
        assert record["matchId"] not in found
        found[record["matchId"]] = record["moves"], record["goalValues"]
    return found


def test_commands_join_nodes_that_were_started(
    two_nodes: StartedCluster, tmp_path: Path
) -> None:
    alone = read_totals(run_gamelore(*SIMULATE, folder=tmp_path)[0])
    for cluster in (two_nodes.address, "auto"):
        out, _ = two_nodes.run(*SIMULATE, "--cluster", cluster, folder=tmp_path)
        assert read_totals(out) == alone
    code = "import gamelore.cluster as c; e = c.open_executor('auto'); "
    code += "print(len(e.nodes), e.workers); e.close()"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env=two_nodes.environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    assert shown.stdout.split() == ["2", "2"]
    addresses = find_listening_addresses(two_nodes.processes)
    assert addresses
    assert addresses <= LOOPBACKS


def test_who_has_no_token_is_told_so(two_nodes: StartedCluster, tmp_path: Path) -> None:
    none = {k: v for k, v in two_nodes.environment.items() if "_AUTH_" not in k}
    other = {**two_nodes.environment, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    for environment in (none, other):
        environment["HOME"] = str(tmp_path)
        _, err = run_gamelore(
            *("simulate", "tictactoe", "--cluster", two_nodes.address),
            folder=tmp_path,
            environment=environment,
            status=1,
        )
        assert "if it asks for a token, set RAY_AUTH_MODE=token" in err


def test_a_tournament_loses_no_match(two_nodes: StartedCluster, tmp_path: Path) -> None:
    for name in ("alone", "spread"):
        (tmp_path / f"{name}.toml").write_text(CUP)
    run_gamelore("tournament", "alone.toml", folder=tmp_path)
    expected = read_matches(tmp_path / "alone")
    assert len(expected) == 60

    def count() -> int:
        return len([*tmp_path.glob("spread/matches/*.json")])

    arguments = "tournament", "spread.toml", "--cluster", two_nodes.address, "--json"
    with killer(two_nodes, count, [4, 15, 30, 45], seed=1) as killed:
        out, err = two_nodes.run(*arguments, folder=tmp_path)
    assert len(killed) == 4
    assert "a worker died, its task is run again" in err
    assert read_matches(tmp_path / "spread") == expected
    players = {row["player"]: row["matches"] for row in json.loads(out)["standings"]}
    assert players == {"tree": 40, "deep": 40, "chance": 40}


def test_a_tournament_goes_on_without_a_node(
    own_nodes: StartedCluster, tmp_path: Path
) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    arguments = "tournament", "cup.toml", "--cluster", own_nodes.address, "--json"
    process = own_nodes.start(*arguments, folder=tmp_path)
    try:
        wait_until(
            lambda: len([*tmp_path.glob("cup/matches/*.json")]) > 10, LIMIT, process
        )
        own_nodes.kill_node()
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert len(read_matches(tmp_path / "cup")) == 60
    assert sum(row["matches"] for row in json.loads(out)["standings"]) == 120


def test_a_training_run_loses_no_match(
    two_nodes: StartedCluster, tmp_path: Path
) -> None:
    config = TrainConfig(opponent=AgentOpponent("mcts-30"), seed=4)
    graph = StateGraph(simulator(load("tictactoe")))
    settings = SpreadSettings(part=8, staleness=48)
    twin = ClusterTrainer(make_trainer(graph, config), SerialExecutor(), settings)
    rewards = twin.run(400).rewards

    def count() -> int:
        path = tmp_path / "run.ckpt"
        return load_checkpoint(path).matches if path.exists() else 0

    arguments = ("learn", "tictactoe", "--against", "mcts-30", "--seed", 4)
    spread = "--cluster", two_nodes.address, "--part", 8, "--staleness", 48
    files = "--save", "run.ckpt", "--matches", 400, "--evaluate-every", 0, "--quiet"
    with killer(two_nodes, count, [2, 60, 120, 180], seed=2) as killed:
        _, err = two_nodes.run(*arguments, *spread, *files, folder=tmp_path)
    assert killed
    assert "a worker died, its task is run again" in err
    saved = load_checkpoint(tmp_path / "run.ckpt")
    assert saved.matches == 400
    assert np.array_equal(saved.rewards, rewards.astype(np.int16))
    restored = saved.trainer(graph).state()
    assert_same_tables(twin.state().tables, restored.tables)


# ── the end of it ───────────────────────────────────────────────────────────────────


def test_an_interrupt_leaves_nothing_running(tmp_path: Path) -> None:
    arguments = "simulate", "othello", "--count", 10**9
    process = start_gamelore(*arguments, *LOCAL, folder=tmp_path)
    try:
        wait_until(lambda: len(find_workers(process.pid)) >= 2, LIMIT, process)
        family = find_children(process.pid)
        addresses = find_listening_addresses(family | {process.pid})
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 130, (out, err)
    wait_until(lambda: not any(map(is_running, family)))
    assert addresses
    assert addresses <= LOOPBACKS


def test_an_interrupted_run_is_saved_and_goes_on(
    two_nodes: StartedCluster, tmp_path: Path
) -> None:
    arguments = ("learn", "tictactoe", "--against", "self", "--epsilon", 0.1, "--quiet")
    spread = "--cluster", two_nodes.address, "--part", 20, "--staleness", 100
    files = "--evaluate-every", 0, "--save", "run.ckpt"
    endless = "--matches", 10**7
    process = two_nodes.start(*arguments, *spread, *files, *endless, folder=tmp_path)
    path = tmp_path / "run.ckpt"
    try:
        wait_until(
            lambda: path.exists() and load_checkpoint(path).matches > 100,
            LIMIT,
            process,
        )
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert f"gamelore learn tictactoe --cluster {two_nodes.address}" in err
    wait_until(lambda: not two_nodes.find_workers(idle=False))
    cut = load_checkpoint(path)
    assert cut.pending is not None
    assert len(cut.pending) >= 100
    more = "--matches", cut.matches + 500, "--resume"
    two_nodes.run(*arguments, *spread, *files, *more, folder=tmp_path)
    saved = load_checkpoint(path)
    graph = StateGraph(simulator(load("tictactoe")))
    settings = SpreadSettings(part=20, staleness=100)
    source = make_trainer(graph, saved.config)
    twin = ClusterTrainer(source, SerialExecutor(), settings)
    rewards = twin.run(cut.matches + 500).rewards
    assert np.array_equal(saved.rewards, rewards.astype(np.int16))
    restored = saved.trainer(graph).state()
    assert_same_tables(twin.state().tables, restored.tables)
