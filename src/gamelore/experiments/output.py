"""Folders of results: complete or absent, never half written."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gamelore.errors import GameloreError

SETTINGS_FILE = "settings.json"
"""In every folder of results: how it came about, and the sign that it is ours."""


@contextmanager
def results_folder(folder: Path, experiment: str, settings: Any) -> Iterator[Path]:
    """A folder to write results into, which takes its place once all went well.

    An older folder of results is replaced; `GameloreError` if anything else is there.
    """
    check_folder(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{folder.name}-", dir=folder.parent
    ) as place:
        draft = Path(place) / folder.name
        draft.mkdir()
        record = {"experiment": experiment, **asdict(settings)}
        write_text(draft / SETTINGS_FILE, json.dumps(record, indent=2) + "\n")
        yield draft
        if folder.exists():
            shutil.move(folder, Path(place) / "older")
        shutil.move(draft, folder)


def check_folder(folder: Path) -> None:
    """`GameloreError` if results must not be written there."""
    if folder.exists() and not folder.is_dir():
        raise GameloreError(f"{folder} is a file, not a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / SETTINGS_FILE).exists():
        raise GameloreError(
            f"{folder} holds something other than results (no {SETTINGS_FILE}); "
            "name another folder, or empty this one"
        )


def write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def write_csv(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """A table as a file; numbers with a fraction are rounded to six digits."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow([_plain(cell) for cell in row])


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as Markdown, without a newline at its end."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _plain(cell: object) -> object:
    return round(float(cell), 6) if isinstance(cell, float) else cell
