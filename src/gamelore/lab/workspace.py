"""The folder of the user: rule sheets, match records, training runs.

*.kif               rule sheets, in any folder that is not hidden
matches/*.json      match records, here and in other folders
drafts/NAME.ID.kif  rules that were played without being saved
runs/ID/            training runs
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from gamelore.errors import GameloreError
from gamelore.files import write_text_atomic
from gamelore.gdl.reader import read_text
from gamelore.ggp.live_record import SUFFIX

RULES = ".kif"
RECORDS = ".json"
LIVE = SUFFIX
"""Of records of matches that another program is playing."""
MOST_FILES = 2000
"""Files of a kind that are listed."""
MOST_DRAFTS = 500

_LONGEST_PATH = 200
_PART = re.compile(r"[^\x00-\x1f\x7f\\/:*?\"<>|]+")
_DIGEST = 12


class WorkspaceError(GameloreError):
    """A path that leads nowhere, or somewhere it must not."""


class Workspace:
    """A folder, and the paths in it that the lab may read and write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.matches = self.folder / "matches"
        self.drafts = self.folder / "drafts"
        self.runs = self.folder / "runs"

    def create(self) -> None:
        """Make the folder; `WorkspaceError` where that cannot be."""
        try:
            for folder in (self.folder, self.matches, self.drafts, self.runs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise WorkspaceError(
                f"cannot use the folder {self.folder}: {reason};"
                " choose another by --folder"
            ) from (error)

    def find(self, path: str, suffix: str) -> Path:
        """Return the file of a relative path; `WorkspaceError` unless it lies inside.

        Links are followed before that is decided.
        """
        parts = PurePosixPath(path).parts
        sound = (
            0 < len(path) <= _LONGEST_PATH
            and not path.startswith(("/", "~"))
            and all(_PART.fullmatch(part) for part in parts)
            and not any(part.startswith(".") for part in parts)
        )
        if not sound:
            raise WorkspaceError(
                f"{path!r:.80} is no path inside the folder: take a name such as"
                " my-game.kif or games/my-game.kif"
            )
        if not path.endswith(suffix):
            raise WorkspaceError(f"{path!r:.80} must end in {suffix}")
        found = self.folder.joinpath(*parts)
        if not found.resolve().is_relative_to(self.folder):
            raise WorkspaceError(f"{path!r:.80} leads out of the folder")
        return found

    def list_files(self, suffix: str) -> Iterator[Path]:
        """Yield the files of a kind, sorted by folder; hidden ones are left out."""
        left = MOST_FILES
        for here, folders, names in os.walk(self.folder):
            inside = Path(here) == self.folder
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith(".")
                and not (inside and name in ("runs", "drafts"))
            )
            for name in sorted(names):
                if name.endswith(suffix) and not name.startswith("."):
                    yield Path(here, name)
                    left -= 1
                    if not left:
                        return

    def relative(self, path: Path) -> str:
        """Return a file's path as the page knows it."""
        return path.relative_to(self.folder).as_posix()

    # ── rule sheets ─────────────────────────────────────────────────────────────────

    def read_rules(self, path: str) -> tuple[str, str]:
        """Return the text of a rule sheet, and its version."""
        found = self.find(path, RULES)
        if not found.is_file():
            raise WorkspaceError(f"there is no file {path}")
        text = read_text(found)
        return text, hash_text(text)

    def write_rules(self, path: str, text: str, version: str | None) -> str:
        """Write a rule sheet and return its version.

        `version`: the one that is replaced, none for a new file; `WorkspaceError` if
        the file has changed since.
        """
        found = self.find(path, RULES)
        if found.exists():
            now = hash_text(read_text(found))
            if version is None:
                raise WorkspaceError(f"{path} exists: choose another name, or open it")
            if now not in (version, hash_text(text)):
                raise WorkspaceError(
                    f"{path} was changed by somebody else meanwhile: open it again,"
                    " or save yours by another name"
                )
        try:
            found.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(found, text)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise WorkspaceError(f"cannot write {path}: {reason}") from error
        return hash_text(text)

    # ── drafts ──────────────────────────────────────────────────────────────────────

    def keep_draft(self, text: str, name: str) -> str:
        """Keep rules under an id of their own, and return the id."""
        key = hash_text(text)[:_DIGEST]
        if self._draft_file(key) is None:
            stem = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "draft"
            kept = sorted(self.drafts.glob(f"*{RULES}"), key=_modified)
            for old in kept[: max(0, len(kept) - MOST_DRAFTS + 1)]:
                old.unlink(missing_ok=True)
            write_text_atomic(self.drafts / f"{stem}.{key}{RULES}", text)
        return key

    def read_draft(self, key: str) -> tuple[str, str]:
        """Return the text of kept rules, and the name that they were given."""
        found = self._draft_file(key)
        if found is None:
            raise WorkspaceError(f"no rules are kept under {key!r:.40}")
        return read_text(found), found.name.partition(".")[0]

    def _draft_file(self, key: str) -> Path | None:
        if not re.fullmatch(rf"[0-9a-f]{{{_DIGEST}}}", key):
            return None
        return next(iter(self.drafts.glob(f"*.{key}{RULES}")), None)


def hash_text(text: str) -> str:
    """Return a hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
