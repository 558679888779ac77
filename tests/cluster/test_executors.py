"""Executors: every result once, in whatever order, whoever dies."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.killing import kill_once_done

from gamelore.cluster import (
    Executor,
    LocalProcesses,
    LostWorker,
    SerialExecutor,
    open_executor,
)
from gamelore.cluster import open as open_module
from gamelore.errors import ClusterError, GdlError

Make = Callable[[], Executor]

EXECUTORS: dict[str, Make] = {
    "serial": SerialExecutor,
    "processes": lambda: LocalProcesses(2),
}


def square(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number * number


def die_once(folder: Path, number: int) -> int:
    """Return a square; the first time that it is asked for 3, the process dies."""
    mark = folder / "died"
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


class OddError(Exception):
    """An error that cannot be pickled."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def fail_oddly(number: int) -> int:
    raise OddError(number, number)


@pytest.fixture(params=EXECUTORS)
def make(request: pytest.FixtureRequest) -> Make:
    return EXECUTORS[request.param]


def test_results_come_in_the_order_of_tasks(make: Make) -> None:
    heard: list[int] = []
    with make() as executor:
        assert executor.map(square, [3, 1, 2], heard.append) == [9, 1, 4]
        assert executor.map(square, []) == []
    assert sorted(heard) == [1, 2, 3]


def test_tasks_may_be_started_one_by_one(make: Make) -> None:
    with make() as executor:
        numbers = {executor.start(square, n): n for n in range(5)}
        done = [executor.wait() for _ in numbers]
        with pytest.raises(ValueError, match="no task is under way"):
            executor.wait()
    assert {numbers[number]: result for number, result in done} == {
        n: n * n for n in range(5)
    }


def test_an_error_of_the_work_ends_it(make: Make) -> None:
    with make() as executor:
        with pytest.raises(ValueError, match="-1 is negative"):
            executor.map(square, [1, -1, 2])
        assert executor.map(square, [2]) == [4]


def test_leaving_early_ends_what_is_left(make: Make) -> None:
    with make() as executor:
        for done in executor.run(square, range(100)):
            assert done.result == done.number**2
            break
        assert executor.map(square, [5]) == [25]


def test_what_is_shared_arrives(make: Make) -> None:
    with make() as executor:
        shared = executor.share({"a": 7})
        assert executor.map(partial(_look_up, shared), ["a", "a"]) == [7, 7]


def _look_up(shared: object, key: str) -> int:
    value: int = shared.get()[key]  # type: ignore[attr-defined]
    return value


def test_a_process_that_dies_loses_nothing(tmp_path: Path) -> None:
    lost: list[LostWorker] = []
    with LocalProcesses(2, observe=lost.append) as executor:
        results = executor.map(partial(die_once, tmp_path), range(8))
    assert results == [n * n for n in range(8)]
    assert lost and executor.lost == len(lost)
    assert lost[0].attempt == 1


LEFT_ALONE = """
import time
from gamelore.cluster import LocalProcesses

if __name__ == "__main__":
    with LocalProcesses(1) as executor:
        executor.map(abs, [-1])
        print("one is done", flush=True)
        time.sleep(3600)
"""


def test_processes_end_with_the_one_that_began_them(tmp_path: Path) -> None:
    kill_once_done(LEFT_ALONE, tmp_path)


def test_a_task_that_kills_its_workers_is_given_up() -> None:
    with (
        LocalProcesses(1, retries=2) as executor,
        pytest.raises(ClusterError, match="3 workers died with the same task"),
    ):
        executor.map(die, [1])


def test_errors_that_cannot_travel_arrive_as_text() -> None:
    with (
        LocalProcesses(1) as executor,
        pytest.raises(Exception, match="OddError: 1 and 1"),
    ):
        executor.map(fail_oddly, [1])


def test_errors_of_rules_travel_whole() -> None:
    with LocalProcesses(1) as executor, pytest.raises(GdlError, match="role"):
        executor.map(_read_rules, ["(<= (next a) (true b))"])


def _read_rules(text: str) -> str:
    from gamelore.gdl import Game

    return Game.from_kif(text).name


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", "'nowhere' is no address of a cluster: it is local, auto or HOST"),
        ("localhost:99999", "there is no port 99999"),
        ("127.0.0.1:9", "no cluster answers at 127.0.0.1:9 .*ray start --head"),
    ],
)
def test_addresses_that_lead_nowhere(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_module, "find_spec", lambda name: True)
    with pytest.raises(ClusterError, match=message):
        open_executor(address)


def test_what_is_no_cluster_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_module, "find_spec", lambda name: True)
    monkeypatch.setattr(open_module, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        answers = iter([b"HTTP/1.0 400 Bad Request\r\n\r\n", b""])

        def answer() -> None:
            for text in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(100)
                    connection.sendall(text)

        thread = threading.Thread(target=answer)
        thread.start()
        for _ in range(2):
            with pytest.raises(ClusterError, match="listens there is something else"):
                open_executor(address)
        thread.join()


def test_without_ray_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_module, "find_spec", lambda name: None)
    with pytest.raises(ClusterError, match=r"pip install 'gamelore\[ray\]'"):
        open_executor("local")
