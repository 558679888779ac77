"""The example notebooks run from top to bottom, and show what they promise.

Their cells run in this process; among the slow tests, as Jupyter runs them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SHOWN = {
    "engine": {"text/html", "image/svg+xml"},
    "learning_and_transfer": {"text/html", "image/svg+xml", "text/markdown"},
    "own_game": {"text/html"},
}
"""The kinds of output that a notebook has at least."""


def test_there_are_three() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_output(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    for cell in code:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


def read_code(path: Path) -> list[str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


def import_needed() -> None:
    for package in ("ipykernel", "gymnasium", "pettingzoo"):
        pytest.importorskip(package, reason=f"{package} is not installed")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What runs cells in a notebook, in this process."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    pytest.importorskip("IPython", reason="IPython is not installed")
    from IPython.core.interactiveshell import InteractiveShell

    streams = sys.stdout, sys.stderr, sys.displayhook, sys.excepthook
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()
    sys.stdout, sys.stderr, sys.displayhook, sys.excepthook = streams


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_run(
    path: Path, shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_needed()
    monkeypatch.chdir(tmp_path)
    kinds: set[str] = set()
    for code in read_code(path):
        done = shell.run_cell(code)
        done.raise_error()
        if done.result is not None:
            kinds |= set(shell.display_formatter.format(done.result)[0])
    assert kinds >= SHOWN[path.stem]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    import_needed()
    notebook: Any = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    kinds: set[str] = set()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            kinds |= set(output.get("data", ()))
            assert output["output_type"] != "error"
    assert kinds >= SHOWN[path.stem]
