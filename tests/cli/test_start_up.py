"""What commands import before they do anything: those that only read must be quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    "command", [["--help"], ["games"], ["games", "--json"], ["check", "--no-play"]]
)
def test_commands_that_only_read_import_nothing_slow(command: list[str]) -> None:
    """`benchmarks/start_up.py` measures what that gives."""
    files = ["trio"] if "check" in command else []
    done = subprocess.run(
        [sys.executable, "-c", CODE, *command, *files],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    assert done.stdout
    assert SLOW & set(done.stderr.split()) == set()
