"""Folders of results: complete or absent, never half written."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gamelore.errors import GameloreError
from gamelore.experiments.claims import Claim
from gamelore.experiments.statistics import Interval

SETTINGS_FILE = "settings.json"
"""In every folder of results: what was run, and the mark by which we know our own."""


@contextmanager
def results_folder(folder: Path, record: Mapping[str, Any]) -> Iterator[Path]:
    """Yield a folder to write results into, which takes its place once all went well.

    An older folder of results is replaced; `GameloreError` if anything else is there.
    `record` says what was run.
    """
    check_folder(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{folder.name}-", dir=folder.parent
    ) as place:
        draft = Path(place) / folder.name
        draft.mkdir()
        write_text(draft / SETTINGS_FILE, json.dumps(record, indent=2) + "\n")
        yield draft
        if folder.exists():
            shutil.move(folder, Path(place) / "older")
        shutil.move(draft, folder)


def check_folder(folder: Path) -> None:
    """Raise `GameloreError` if results must not be written there."""
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
    """Write a text as UTF-8, lines ended by a line feed."""
    path.write_text(text, encoding="utf-8", newline="\n")


def write_csv(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Write a table; numbers with a fraction are rounded to six digits."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow([_round(cell) for cell in row])


def write_claims(path: Path, claims: Iterable[Claim]) -> None:
    """Write claims with what was measured of them, one column a measurement."""
    write_csv(
        path,
        ("group", "where", "claim", "measured", "mean", "low", "high", "verdict"),
        (
            (claim.group, claim.where, claim.statement, name, *cells, claim.verdict)
            for claim in claims
            for name, value in claim.measured.items()
            for cells in [value if isinstance(value, Interval) else (value, "", "")]
        ),
    )


def _round(cell: object) -> object:
    return round(float(cell), 6) if isinstance(cell, float) else cell
