"""Knowledge in a readable file: JSON, always the same for the same knowledge."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gamelore.errors import KnowledgeError
from gamelore.files import write_text_atomic
from gamelore.transfer.knowledge import Knowledge, ResultRecord, SourceResult

FORMAT = "gamelore knowledge"
VERSION = 2


class _FileHeader(msgspec.Struct):
    """The part that all versions of the file have."""

    format: str = ""
    version: int = 0


class _Content(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    version: int
    results: list[ResultRecord]


def save_knowledge(
    knowledge: Knowledge, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write a knowledge file, whole or not at all.

    A file of that name that holds no knowledge is left alone, with a `KnowledgeError`,
    unless `overwrite` is set.
    """
    path = Path(path)
    if path.exists() and not overwrite:
        try:
            read_knowledge_file(path)
        except KnowledgeError as error:
            raise KnowledgeError(f"{error}; it is not overwritten") from error
    try:
        write_text_atomic(path, encode_knowledge(knowledge))
    except OSError as error:
        raise KnowledgeError(f"cannot write {path}: {error.strerror}") from error


def read_knowledge_file(path: str | Path) -> Knowledge:
    """Read a knowledge file; `KnowledgeError` if it is damaged or something else."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise KnowledgeError(f"cannot read {path}: {error.strerror}") from error
    try:
        return decode_knowledge(content)
    except KnowledgeError as error:
        raise KnowledgeError(f"{path} is no knowledge file: {error}") from error


def encode_knowledge(knowledge: Knowledge) -> str:
    """Return knowledge as JSON text, with one line for each pattern."""
    results = ",\n".join(map(_encode_result, knowledge.results))
    return (
        f'{{\n"format": "{FORMAT}",\n"version": {VERSION},\n'
        f'"results": [\n{results}\n]\n}}\n'
    )


def decode_knowledge(content: str | bytes) -> Knowledge:
    """Read what `encode_knowledge` returns; `KnowledgeError` says what is wrong."""
    try:
        header = msgspec.json.decode(content, type=_FileHeader)
        if header.format != FORMAT:
            raise KnowledgeError(f'it lacks "format": "{FORMAT}"')
        if header.version != VERSION:
            raise KnowledgeError(
                f"it has version {header.version}, and this gamelore reads version"
                f" {VERSION}"
            )
        records = msgspec.json.decode(content, type=_Content).results
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise KnowledgeError(str(error)) from error
    except RecursionError:
        raise KnowledgeError("it is nested too deeply") from None
    results = []
    for number, record in enumerate(records, 1):
        try:
            results.append(record.result())
        except KnowledgeError as error:
            raise KnowledgeError(f"{error} (result {number})") from error
    return Knowledge(tuple(results))


def _encode_result(result: SourceResult) -> str:
    record = result.record()
    patterns = [_format(one, indent=0) for one in record.patterns]
    record.patterns = []
    head = _format(record, indent=1).removesuffix("[]\n}")
    lines = ",\n".join(f"  {line}" for line in patterns)
    return f"{head}[\n{lines}\n ]}}"


def _format(record: msgspec.Struct, indent: int) -> str:
    """Return a record as JSON, on one line if there is no indent."""
    return msgspec.json.format(msgspec.json.encode(record), indent=indent).decode()
