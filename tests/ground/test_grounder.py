"""Grounding: what comes out, and the limits that hold."""

from __future__ import annotations

import pickle
import subprocess

import pytest

from gamelore.errors import GroundingLimit
from gamelore.gdl import Compound, Game
from gamelore.ground import FALSE, GroundLimits, ground, grounder
from gamelore.ground._worker import COMMAND, GroundRequest

COUNTER = """
(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
(<= (legal robot step) (true (at ?x)))
(<= (legal robot stay) (true (at ?x)))
(<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does robot stay) (true (at ?x)))
(<= terminal (true (at 2)))
(<= (goal robot 100) (true (at 2)))
(<= (goal robot 0) (not (true (at 2))))
"""

# Every tuple of 8 out of 60 numbers: far more rules than any machine holds. A second
# rule for them keeps the first from being written into the rule that uses it.
EXPLODING = (
    "(role r) (legal r a) (goal r 100) (<= terminal (true (x 1))) (init (x 1))"
    + (
        "".join(f"(n {i})" for i in range(60))
        + "(<= (boom ?a ?b ?c ?d ?e ?f ?g ?h) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f)"
        "(n ?g) (n ?h)) (boom 1 1 1 1 1 1 1 1)"
        "(<= (next (x ?a)) (boom ?a ?b ?c ?d ?e ?f ?g ?h))"
    )
)


def test_fluents_moves_and_goals_of_a_small_game() -> None:
    grounded = ground(Game.from_kif(COUNTER))
    assert grounded.fluents == tuple(Compound("at", (n,)) for n in "012")
    assert grounded.initial == (True, False, False)
    assert grounded.moves == (("stay", "step"),)
    assert [value for value, _ in grounded.goals[0]] == [0, 100]
    assert grounded.terminal != FALSE


def test_a_name_that_is_never_derived_is_false() -> None:
    grounded = ground(Game.from_kif(COUNTER.replace("(succ 1 2)", "")))
    assert grounded.terminal == FALSE


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(GroundLimits(seconds=1), marks=pytest.mark.slow),
        GroundLimits(seconds=60, memory_mb=130),
        GroundLimits(seconds=60, rules=20_000),
    ],
    ids=["time", "memory", "rules"],
)
def test_an_explosion_ends_at_each_limit_and_is_named(limits: GroundLimits) -> None:
    with pytest.raises(GroundingLimit, match="'boom'"):
        ground(Game.from_kif(EXPLODING), limits)


def test_time_is_counted_as_the_worker_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends by its own limit, though nobody would end it for hours."""
    monkeypatch.setattr(grounder, "_WAITING", 10_000)
    with pytest.raises(GroundingLimit, match=r"limit of 1 seconds.*'boom'"):
        ground(Game.from_kif(EXPLODING), GroundLimits(seconds=1))


def test_the_worker_ends_when_nobody_waits_for_it() -> None:
    endless = "n(1..100000). p(A, B, C) :- n(A), n(B), n(C)."
    request = GroundRequest(endless, 64 << 30, 1 << 40, frozenset())
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        try:
            pickle.dump(tuple(request), worker.stdin)
            worker.stdin.flush()
            worker.stdout.read(1)  # it has begun, and tells of its progress
            worker.stdin.close()  # as the system does when a parent is killed
            assert worker.wait(timeout=60) == 1
        finally:
            worker.kill()


def test_heads_that_only_a_question_binds_are_grounded() -> None:
    text = (
        COUNTER + "(<= (differs ?x ?y) (distinct ?x ?y))"
        "(<= (legal ?r wait) (true (at ?x)) (differs ?x 1))"
    )
    grounded = ground(Game.from_kif(text))
    assert "wait" in grounded.moves[0]


@pytest.mark.parametrize("field", ["seconds", "memory_mb", "rules"])
def test_limits_must_make_sense(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        GroundLimits(**{field: 0})
