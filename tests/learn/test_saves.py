"""Checkpoints in files: read as written, never lost."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gamelore.engine import simulator
from gamelore.errors import CheckpointError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import MAGIC, load_checkpoint, save_checkpoint
from gamelore.learn.state_codec import RowLayout
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.values.table import Cells

CONFIG = TrainConfig(opponent=PlayerSettings("novice"), seed=11)

LEARN = """
    import os
    import sys
    from gamelore.graph import StateGraph
    from gamelore.games import load
    from gamelore.learn import *
    from gamelore.search.policies import PlayerSettings
    from gamelore.engine import simulator
    import numpy as np

    path, wanted = sys.argv[1], int(sys.argv[2])
    graph = StateGraph(simulator(load("tictactoe")))
    config = TrainConfig(opponent=PlayerSettings("novice"), seed=11)
    checkpoint = load_checkpoint(path) if os.path.exists(path) else None
    trainer = checkpoint.trainer(graph) if checkpoint else Trainer(graph, config)
    rewards = checkpoint.rewards if checkpoint else np.zeros(0)
    while trainer.matches < wanted:
        rewards = np.concatenate([rewards, trainer.run(1).rewards])
        save_checkpoint(Checkpoint.of(trainer, rewards), path, overwrite=True)
        print(trainer.matches, flush=True)
"""


@cache
def graph() -> StateGraph:
    return StateGraph(simulator(load("tictactoe")))


def trained(matches: int, config: TrainConfig = CONFIG) -> Checkpoint:
    """A training run of tic-tac-toe after so many matches, never interrupted."""
    trainer = Trainer(graph(), config)
    return Checkpoint.of(trainer, trainer.run(matches).rewards)


def assert_same(left: Checkpoint, right: Checkpoint | None) -> None:
    """Bit for bit."""
    assert right is not None
    assert left.header() == right.header()
    assert left.arrays().keys() == right.arrays().keys()
    for name, array in left.arrays().items():
        other = right.arrays()[name]
        assert (array.dtype, array.shape) == (other.dtype, other.shape)
        assert array.tobytes() == other.tobytes(), name


@st.composite
def checkpoints(draw: st.DrawFn) -> Checkpoint:
    """Any table under any names, with any values there are."""
    fluents = draw(st.integers(0, 200))
    words = max(1, -(-fluents // 64))
    roles = draw(st.lists(st.text(min_size=1), min_size=1, max_size=2, unique=True))
    tables = {}
    for role in roles:
        n = draw(st.integers(0, 40))
        tables[role] = Cells(
            draw(arrays(np.uint64, (n, words))),
            draw(arrays(np.float64, n)),
            draw(arrays(np.uint32, n)),
        )
    rewards = draw(arrays(np.int16, st.integers(0, 40)))
    return replace(
        trained(0),
        game=draw(st.text()),
        matches=len(rewards),
        wanted=draw(st.integers(0, 10**12)),
        layout=RowLayout(tuple(f"f{i}" for i in range(fluents)), ((), ("noop",))),
        streams=draw(arrays(np.uint64, (3, 4))),
        tables=tables,
        rewards=rewards,
    )


# ── files ───────────────────────────────────────────────────────────────────────────


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved.ckpt"
    save_checkpoint(trained(200), path)
    return path


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=50,
)
@given(checkpoints())
def test_files_are_read_as_they_were_written(
    tmp_path: Path, checkpoint: Checkpoint
) -> None:
    path = tmp_path / "any.ckpt"
    save_checkpoint(checkpoint, path, overwrite=True)
    assert_same(checkpoint, load_checkpoint(path))


def test_the_same_run_gives_the_same_file(saved: Path, tmp_path: Path) -> None:
    save_checkpoint(trained(200), tmp_path / "again")
    assert saved.read_bytes() == (tmp_path / "again").read_bytes()


def test_a_file_cut_off_anywhere_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    for length in [*range(1, 80), *range(80, len(content), 997), len(content) - 1]:
        saved.write_bytes(content[:length])
        with pytest.raises(CheckpointError, match=f"{saved.name} is cut off"):
            load_checkpoint(saved)


def test_a_bit_that_flipped_is_noticed(saved: Path) -> None:
    content = saved.read_bytes()
    for place in [*range(80), *range(80, len(content), 1499)]:
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        saved.write_bytes(damaged)
        with pytest.raises(CheckpointError, match=saved.name):
            load_checkpoint(saved)
    saved.write_bytes(content + b"more")
    with pytest.raises(CheckpointError, match="damaged"):
        load_checkpoint(saved)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n", bytes(1000)])
def test_foreign_files_are_refused_and_left_alone(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"no checkpoint.*left as it is"):
        load_checkpoint(path)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        save_checkpoint(trained(5), path)
    assert path.read_bytes() == content
    save_checkpoint(trained(5), path, overwrite=True)
    assert load_checkpoint(path).matches == 5


def test_a_later_version_is_told(saved: Path) -> None:
    content = saved.read_bytes().replace(MAGIC, b"gamelore checkpoint 9\n")
    saved.write_bytes(content)
    with pytest.raises(CheckpointError, match="of another version of the format"):
        load_checkpoint(saved)


def test_only_earlier_states_of_a_run_are_replaced(saved: Path) -> None:
    save_checkpoint(trained(300), saved)
    with pytest.raises(CheckpointError, match="300 matches of this training run"):
        save_checkpoint(trained(200), saved)
    with pytest.raises(CheckpointError, match="another training run"):
        save_checkpoint(trained(400, TrainConfig(seed=1)), saved)
    assert_same(load_checkpoint(saved), trained(300, CONFIG))


def test_a_write_that_fails_leaves_the_old_file(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match=r"cannot write .*: no space left"):
        save_checkpoint(trained(300), saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_places_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"cannot read .*: No such file"):
        load_checkpoint(tmp_path / "missing")
    with pytest.raises(CheckpointError, match=r"cannot write .*: No such file"):
        save_checkpoint(trained(1), tmp_path / "no" / "folder")
    with pytest.raises(CheckpointError, match=r"cannot read .*: Is a directory"):
        load_checkpoint(tmp_path)


@pytest.mark.slow
def test_killed_at_any_moment_and_resumed(tmp_path: Path) -> None:
    """Every save that was reported is there, and training goes on the same."""
    path = tmp_path / "killed"
    command = [sys.executable, "-c", textwrap.dedent(LEARN), str(path)]
    generator = np.random.default_rng(5)
    matches = 0
    for _ in range(5):
        with subprocess.Popen(
            [*command, "1000000"], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            assert int(child.stdout.readline()) == matches + 1
            time.sleep(generator.uniform(0.0, 0.2))
            child.kill()
            reported = [matches + 1, *map(int, child.stdout.read().split())]
        saved = load_checkpoint(path)
        assert max(reported) <= saved.matches <= max(reported) + 1
        assert_same(saved, trained(saved.matches))
        matches = saved.matches
    subprocess.run([*command, f"{matches + 100}"], check=True, capture_output=True)
    assert_same(trained(matches + 100), load_checkpoint(path))
