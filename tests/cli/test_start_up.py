"""What commands import before they do anything: those that only read must be quick."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gamelore.cli import main

SLOW = {
    "clingo",
    "importlib.metadata",
    "matplotlib",
    "msgspec",
    "numba",
    "numpy",
    "pyspiel",
    "rich",
    "socket",
}
"""What is slow to import: from a fiftieth of a second to more than one."""

CODE = """
import sys
from gamelore.cli import main
try:
    main(sys.argv[1:], prog_name="gamelore")
except SystemExit as end:
    assert not end.code
print(*sys.modules, file=sys.stderr)
"""


def start(*command: str) -> tuple[str, set[str]]:
    """Return what a command prints, and the modules it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *command],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    return done.stdout, set(done.stderr.split())


@pytest.mark.parametrize(
    "command", [["--help"], ["games"], ["games", "--json"], ["check", "--no-play"]]
)
def test_commands_that_only_read_import_nothing_slow(command: list[str]) -> None:
    """`benchmarks/start_up.py` measures what that gives."""
    files = ["trio"] if "check" in command else []
    printed, modules = start(*command, *files)
    assert printed
    assert SLOW & modules == set()


def test_kernels_on_disk_load_nothing_that_compiles() -> None:
    """What numba imports before it compiles takes as long as numba itself."""
    command = ["learn", "tictactoe", "--against", "novice", "--matches", "2", "--json"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    printed, modules = start(*command)
    assert json.loads(printed)["matches"] == 2
    assert "numba" in modules
    assert {"numba.np.arraymath", "scipy.linalg"} & modules == set()
