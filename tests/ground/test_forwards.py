"""Recursion run forwards: the same answers, from what is asked for alone."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from gamelore.circuit import compile_game
from gamelore.engine import CircuitSimulator, Interpreter
from gamelore.gdl import Game
from gamelore.ground import forwards, ground
from gamelore.ground.grounder import normal_form
from gamelore.ground.normal import RelationMaker

FRAME = """
(role x) (role y)
(init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(number 0) (number 1) (number 2) (number 3) (number 4)
(after a b) (after b c) (after c d)
(place a) (place b) (place c) (place d)
(<= (legal ?r (set ?p)) (role ?r) (place ?p) (not (true (at ?p))))
(<= (legal ?r noop) (role ?r))
(<= (next (at ?p)) (true (at ?p)))
(<= (next (at ?p)) (does ?r (set ?p)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 3)))
"""

LOOP = """
(<= (count ?p ?m ?n) (plus ?p ?m ?k) (after ?p ?q) (count ?q ?k ?n))
(<= (count d ?m ?n) (plus d ?m ?n))
(<= (plus ?p ?m ?n) (true (at ?p)) (succ ?m ?n))
(<= (plus ?p ?m ?m) (not (true (at ?p))) (place ?p) (number ?m))
"""

COUNT = f"""
{LOOP}
(<= (stones ?n) (count a 0 ?n))
(<= (goal ?r ?n) (role ?r) (stones ?n))
"""

REFUSED = {
    "asked for in two places": COUNT + "(<= (goal x 9) (count b 0 2))",
    "asked for with a variable": """
        (<= (goal ?r ?n) (role ?r) (true (at ?p)) (count ?p 0 ?n))
        (<= (count ?p ?m ?n) (after ?p ?q) (succ ?m ?k) (count ?q ?k ?n))
        (<= (count d ?m ?n) (succ ?m ?n))""",
    "looked at on the way": """
        (<= (goal ?r ?n) (role ?r) (count a 0 ?n))
        (<= (count ?p ?m ?n)
            (after ?p ?q) (succ ?m ?k) (number ?n) (distinct ?n 2) (count ?q ?k ?n))
        (<= (count d ?m ?n) (succ ?m ?n))""",
    "called twice": """
        (<= (goal ?r ?n) (role ?r) (count a 0 ?n))
        (<= (count ?p ?m ?n)
            (after ?p ?q) (number ?m) (count ?q ?m ?n) (count ?q 0 ?n))
        (<= (count d ?m ?n) (succ ?m ?n))""",
    "counted on the way back": """
        (<= (goal ?r ?n) (role ?r) (count a ?n))
        (<= (count ?p ?n) (after ?p ?q) (count ?q ?m) (succ ?m ?n))
        (count d 0)""",
}


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwards, "LARGE", 0)


def relations(game: Game) -> set[str]:
    return {rule.head.relation for rule in normal_form(game.rules, RelationMaker())}


def agree_everywhere(game: Game) -> None:
    """Compare both engines in all positions that can be reached."""
    circuit = CircuitSimulator(game, compile_game(game, cached=False))
    oracle = Interpreter(game)
    pending = [(circuit.initial_row(), oracle.initial_row())]
    seen = set()
    while pending:
        row, truth = pending.pop()
        facts = circuit.facts(row)
        assert facts == oracle.facts(truth)
        assert circuit.observe(row).goals == oracle.observe(truth).goals
        assert circuit.observe(row).legal == oracle.observe(truth).legal
        assert circuit.observe(row).terminal == oracle.observe(truth).terminal
        if facts in seen or circuit.observe(row).terminal:
            continue
        seen.add(facts)
        for joint in product(*circuit.observe(row).legal):
            numbers = [
                [one.move_number(r, move) for r, move in enumerate(joint)]
                for one in (circuit, oracle)
            ]
            pending.append(
                (
                    circuit.advance_one(row, numbers[0]),
                    oracle.advance_one(truth, numbers[1]),
                )
            )


def test_a_count_is_run_forwards() -> None:
    game = Game.from_kif(FRAME + COUNT)
    names = relations(game)
    assert "count" not in names
    assert {"asked count", "answer count"} <= names
    agree_everywhere(game)


def test_a_count_that_is_negated_is_run_forwards() -> None:
    goals = """
    (<= (goal x 1) (not (count a 0 2)))
    (<= (goal x 0) (count a 0 2))
    (goal y 1)
    """
    game = Game.from_kif(FRAME + LOOP + goals)
    assert "asked count" in relations(game)
    agree_everywhere(game)


@pytest.mark.parametrize("why", REFUSED)
def test_what_depends_on_results_stays_as_it_is(why: str) -> None:
    game = Game.from_kif(FRAME + REFUSED[why])
    assert "count" in relations(game)
    assert "asked count" not in relations(game)
    agree_everywhere(game)


def test_fewer_rules_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_kif(FRAME + COUNT)
    fewer = len(ground(game).heads)
    monkeypatch.setattr(forwards, "LARGE", 1_000_000)
    assert fewer < len(ground(game).heads)


@pytest.mark.slow
def test_a_sheet_that_counts_two_colours_grounds(corpus: Path) -> None:
    game = Game.from_file(corpus / "games" / "merrills.kif")
    assert len(ground(game).heads) < 1_000_000
