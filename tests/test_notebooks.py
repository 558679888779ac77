"""The example notebooks run from top to bottom, and show what they promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SHOWN = {
    "engine": {"text/html"},
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    for package in ("ipykernel", "gymnasium", "pettingzoo"):
        pytest.importorskip(package, reason=f"{package} is not installed")
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
