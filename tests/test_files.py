"""Files are whole or absent, archives tell damage, locks are exclusive."""

from __future__ import annotations

import errno
import multiprocessing
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.files import (
    ArchiveError,
    LockedError,
    locked,
    pack_archive,
    unpack_archive,
    write_atomic,
    write_text_atomic,
)

MAGIC = b"gamelore test\n"
ARRAYS = {"numbers": np.arange(12).reshape(3, 4), "flags": np.array([True, False])}


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text_atomic(path, "old")
    write_atomic(path, b"n", memoryview(b"ew"))
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_new_files(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    write_text_atomic(tmp_path / "atomic", "")
    assert (tmp_path / "atomic").stat().st_mode == plain.stat().st_mode


def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    write_text_atomic(path, "old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_archives_round_trip() -> None:
    arrays = unpack_archive(MAGIC, pack_archive(MAGIC, ARRAYS))
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)


@given(st.data())
def test_every_damage_is_told(data: st.DataObject) -> None:
    content = bytearray(pack_archive(MAGIC, ARRAYS))
    if data.draw(st.booleans(), "cut off"):
        del content[data.draw(st.integers(0, len(content) - 1), "length") :]
    else:
        place = data.draw(st.integers(0, len(content) - 1), "place")
        content[place] ^= data.draw(st.integers(1, 255), "flipped")
    with pytest.raises(ArchiveError):
        unpack_archive(MAGIC, bytes(content))


def _hold(path: Path, held: object, go_on: object) -> None:
    with locked(path):
        held.set()  # type: ignore[attr-defined]
        go_on.wait()  # type: ignore[attr-defined]


def test_a_lock_is_exclusive_and_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    context = multiprocessing.get_context("spawn")
    held, go_on = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(path, held, go_on))
    process.start()
    assert held.wait(60)
    with pytest.raises(LockedError), locked(path):
        pass
    process.kill()
    process.join()
    with locked(path):
        pass
