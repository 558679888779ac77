"""The journal of long benchmarks: nothing is lost, nothing is done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamelore.bench.journal import Journal, Record, work_through

TASKS = [{"number": number, "name": "square"} for number in range(4)]


def square(task: Record) -> Record:
    return {"square": task["number"] ** 2}


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "journal.json"
    run = work_through(TASKS, square, Journal(path))
    assert [next(run)[1]["square"] for _ in range(2)] == [0, 1]
    del run

    done = []

    def note(task: Record) -> Record:
        done.append(task["number"])
        return square(task)

    results = list(work_through(TASKS, note, Journal(path)))
    assert [result["square"] for _, result in results] == [0, 1, 4, 9]
    assert done == [2, 3]


def test_a_torn_line_is_dropped_and_its_task_done_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.json"
    list(work_through(TASKS[:3], square, Journal(path)))
    path.write_bytes(path.read_bytes()[:-5])
    journal = Journal(path)
    assert journal.find(TASKS[1]) == {"square": 1}
    assert journal.find(TASKS[2]) is None
    list(work_through(TASKS, square, journal))
    assert all(Journal(path).find(task) == square(task) for task in TASKS)


def test_other_settings_are_other_tasks() -> None:
    journal = Journal()
    journal.add({"a": 1, "b": 2}, {"kept": True})
    assert journal.find({"b": 2, "a": 1}) == {"kept": True}
    assert journal.find({"a": 1, "b": 3}) is None


@pytest.mark.slow
def test_several_processes_give_the_same_results() -> None:
    results = list(work_through(TASKS, square, Journal(), jobs=2))
    results.sort(key=lambda pair: pair[0]["number"])
    assert results == [(task, square(task)) for task in TASKS]
