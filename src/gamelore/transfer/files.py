"""Knowledge in a readable file: JSON, always the same for the same knowledge."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NoReturn

from gamelore.errors import KnowledgeError, PatternError
from gamelore.transfer.knowledge import Knowledge, Lesson

FORMAT = "gamelore knowledge"
VERSION = 1


def save_knowledge(
    knowledge: Knowledge, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write a file whole or not at all.

    A file of that name that holds no knowledge is left alone, with a `KnowledgeError`,
    unless `overwrite` says that it may go.
    """
    path = Path(path)
    try:
        if path.exists() and not overwrite:
            _check_ours(path)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                file.write(to_json(knowledge))
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise KnowledgeError(f"cannot write {path}: {error.strerror}") from error


def load_knowledge(path: str | Path) -> Knowledge:
    """Read such a file; `KnowledgeError` where it is damaged or something else."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise KnowledgeError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise KnowledgeError(f"{path} is no knowledge file: it is not text") from None
    try:
        return from_json(text)
    except KnowledgeError as error:
        raise KnowledgeError(f"{path} is no knowledge file: {error}") from error


def to_json(knowledge: Knowledge) -> str:
    """Knowledge as text, one feature to a line."""
    lessons = ",\n".join(_lesson_text(lesson) for lesson in knowledge.lessons)
    return (
        f'{{\n"format": {json.dumps(FORMAT)},\n"version": {VERSION},\n'
        f'"lessons": [\n{lessons}\n]\n}}\n'
    )


def from_json(text: str) -> Knowledge:
    """The knowledge of such a text; `KnowledgeError` says what is wrong with it."""
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise KnowledgeError(
            f"{error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise KnowledgeError("it is nested too deeply") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise KnowledgeError(f'it lacks "format": "{FORMAT}"')
    if content.get("version") != VERSION:
        raise KnowledgeError(
            f"it has version {content.get('version')}, and this gamelore reads"
            f" version {VERSION}"
        )
    lessons = content.get("lessons")
    if not isinstance(lessons, list):
        raise KnowledgeError("lessons must be a list")
    return Knowledge(tuple(read_lesson(one, n) for n, one in enumerate(lessons, 1)))


def read_lesson(record: object, number: int) -> Lesson:
    """One lesson of several; errors say which."""
    try:
        return Lesson.from_record(record)
    except (KnowledgeError, PatternError) as error:
        raise KnowledgeError(f"{error} (lesson {number})") from error


def _lesson_text(lesson: Lesson) -> str:
    record: dict[str, Any] = lesson.record()
    patterns = record.pop("features")
    head = json.dumps(record, ensure_ascii=False, indent=1)[1:-2]
    lines = ",\n".join(
        f"  {json.dumps(pattern, ensure_ascii=False)}" for pattern in patterns
    )
    return f'{{{head},\n "features": [\n{lines}\n ]}}'


def _check_ours(path: Path) -> None:
    try:
        load_knowledge(path)
    except KnowledgeError as error:
        raise KnowledgeError(f"{error}; it is not overwritten") from error


def _refuse_constant(name: str) -> NoReturn:
    raise KnowledgeError(f"{name} is no number that can be learned")
