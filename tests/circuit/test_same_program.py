"""The same rules give the same program, in any process and under any load."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_PRINT_PROGRAM = """
import sys
from gamelore.circuit import compile_game
from gamelore.games import load
compiled = compile_game(load(sys.argv[1]), cached=False)
assert not compiled.statistics.cut_short
print(compiled.digest())
"""


def compile_in_process(game: str, hash_seed: str) -> str:
    """Compile a game in a process of its own; return a digest of its programs."""
    return subprocess.run(
        [sys.executable, "-c", _PRINT_PROGRAM, game],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@contextmanager
def keep_busy(processes: int) -> Iterator[None]:
    """Keep the machine busy."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(processes)
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_another_process_compiles_the_same_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sets of strings have another order in every process."""
    game = "breakthrough-5x5"
    monkeypatch.setattr(sys, "argv", ["-c", game])
    exec(_PRINT_PROGRAM, {})
    assert compile_in_process(game, "1") == capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("game", ["breakthrough-5x5", "othello-4x4"])
def test_every_process_compiles_the_same_program(game: str) -> None:
    assert len({compile_in_process(game, seed) for seed in ("1", "2", "3")}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", ["english-draughts", "gomoku", "checkersSmall.kif", "skirmish.kif"]
)
def test_load_changes_nothing(game: str, request: pytest.FixtureRequest) -> None:
    if game.endswith(".kif"):
        game = str(request.getfixturevalue("corpus") / "games" / game)
    programs = set()
    for processes in (0, 2, 6):
        with keep_busy(processes):
            programs.add(compile_in_process(game, str(1 + processes)))
    assert len(programs) == 1
