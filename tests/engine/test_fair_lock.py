"""A lock in turns: whoever asks gets it, even beside a thread in a tight loop."""

from __future__ import annotations

import threading

import pytest

from gamelore.engine.fair_lock import FairLock


def test_one_at_a_time() -> None:
    lock = FairLock()
    total = 0

    def add() -> None:
        nonlocal total
        for _ in range(2000):
            with lock:
                seen = total
                total = seen + 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == 8000


def test_a_loop_does_not_keep_others_waiting() -> None:
    lock = FairLock()
    asked, got = threading.Event(), threading.Event()
    rounds_after_asking = 0

    def ask() -> None:
        asked.set()
        with lock:
            got.set()

    other = threading.Thread(target=ask)
    with lock:
        other.start()
        asked.wait()
        while not lock._waiting:  # it has asked, and queues up in a moment
            pass
    while not got.is_set():
        with lock:
            rounds_after_asking += not got.is_set()
    other.join()
    assert rounds_after_asking == 0


def test_an_error_inside_releases_it() -> None:
    lock = FairLock()
    with pytest.raises(KeyError), lock:
        raise KeyError
    with lock:
        pass
