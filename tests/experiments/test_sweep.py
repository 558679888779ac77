"""Tasks on several cores give the same as on one."""

from __future__ import annotations

import pytest

from gamelore.experiments.sweep import run_tasks, seed_for


def square(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number * number


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_tasks(jobs: int) -> None:
    heard: list[int] = []
    assert run_tasks(square, [3, 1, 2], jobs, heard.append) == [9, 1, 4]
    assert sorted(heard) == [1, 2, 3]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_error_ends_the_work(jobs: int) -> None:
    with pytest.raises(ValueError, match="-1 is negative"):
        run_tasks(square, [1, -1, 2], jobs)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interrupt_ends_the_work(jobs: int) -> None:
    def interrupt(task: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks(square, list(range(100)), jobs, interrupt)


def test_there_is_at_least_one_job() -> None:
    with pytest.raises(ValueError, match="jobs must be at least 1, got 0"):
        run_tasks(square, [1], 0)


def test_seeds_depend_on_every_part() -> None:
    seeds = [
        seed_for(0, 1, "a"),
        seed_for(0, 2, "a"),
        seed_for(1, 1, "a"),
        seed_for(0, 1, "b"),
    ]
    assert len(set(seeds)) == 4
    assert seeds[0] == seed_for(0, 1, "a")
    assert all(0 <= seed < 2**64 for seed in seeds)
