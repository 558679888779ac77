"""What counts as a step, and how rates are measured."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gamelore.errors import GameloreError

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gamelore.bench import environments


@pytest.mark.parametrize(
    "kind", [*environments.steppers("tictactoe", 8)], ids=lambda kind: kind
)
def test_every_kind_makes_steps(kind: str) -> None:
    """Those of others only where they are installed."""
    try:
        step = environments.steppers("tictactoe", 8)[kind]()
    except GameloreError as error:
        pytest.skip(str(error))
    made = sum(step() for _ in range(3))
    assert made >= 3
    assert made % 8 == 0


def test_rates_are_steps_by_time() -> None:
    def ticks() -> Iterator[float]:
        now = 0.0
        while True:
            yield now
            now += 0.25

    clock = ticks()
    rates = environments.measure_environments(
        "tictactoe",
        {"vector": lambda: lambda: 100, "single": lambda: lambda: 1},
        64,
        seconds=0.5,
        rounds=3,
        clock=lambda: next(clock),
    )
    assert [(rate.kind, rate.batch) for rate in rates] == [
        ("vector", 64),
        ("single", 1),
    ]
    assert [rate.steps_per_s for rate in rates] == [400, 4]
    assert environments.compare(rates) == {"single": 100}
