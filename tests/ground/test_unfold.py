"""Unfolding: relations that are written into the rules that use them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.gdl import Game
from gamelore.gdl.reader import read_rules
from gamelore.ground import GroundLimits, ground, grounder
from gamelore.ground.domains import Domains
from gamelore.ground.normal import NormalRule, RelationMaker, normalise
from gamelore.ground.unfold import find_candidates, unfold

PIECES = " ".join(f"(piece {i}) (odd {i} {i % 2}) (odd {i} {i % 3})" for i in range(16))

SPARSE = " ".join(f"(piece {i}) (odd {i} {i})" for i in range(16))

BITS = " ".join(f"(bit {i})" for i in range(16))

LINE = f"""
{PIECES} {BITS}
(<= (alike ?p ?q ?r ?s) (bit ?b) (odd ?p ?b) (odd ?q ?b) (odd ?r ?b) (odd ?s ?b))
(<= line (true (cell 1 ?p)) (true (cell 2 ?q)) (true (cell 3 ?r)) (true (cell 4 ?s))
    (alike ?p ?q ?r ?s))
"""

GAME = f"""
(role x) {LINE}
(place 1) (place 2) (place 3) (place 4)
(init (free 1)) (init (free 2)) (init (free 3)) (init (free 4))
(<= (legal x (put ?c ?p)) (true (free ?c)) (piece ?p))
(<= (next (cell ?c ?p)) (does x (put ?c ?p)))
(<= (next (cell ?c ?p)) (true (cell ?c ?p)))
(<= (next (free ?c)) (true (free ?c)) (place ?c) (does x (put ?d ?p)) (distinct ?c ?d))
(<= some (true (free ?c))) (<= terminal (not some))
(<= (goal x 100) line) (<= (goal x 0) (not line))
"""


def unfold_text(text: str) -> list[NormalRule]:
    rules = read_rules(
        f"(init (cell 1 1)) (<= (next (cell ?x ?p)) (does x ?x ?p)){text}"
    )
    normal = list(normalise(rules[0], RelationMaker()))
    for relation in sorted(find_candidates(normal, Domains(normal))):
        normal = unfold(normal, relation)
    return normal


def relations(rules: list[NormalRule]) -> set[str]:
    return {rule.head.relation for rule in rules}


def fill(text: str) -> str:
    """The text, with every place able to hold every piece."""
    cells = " ".join(f"(init (cell {c} {p}))" for c in range(1, 5) for p in range(16))
    return f"{cells} {text}"


def test_a_relation_over_many_variables_is_written_into_its_use() -> None:
    rules = unfold_text(fill(LINE))
    assert "alike" not in relations(rules)
    (line,) = (rule for rule in rules if rule.head.relation == "line")
    assert sum(literal.atom.relation == "odd" for literal in line.body) == 4


@pytest.mark.parametrize(
    "more",
    [
        "(alike 1 2 3 4)",
        "(<= odd_one_out (piece ?p) (not (alike ?p ?p ?p ?p)))",
    ],
    ids=["two rules", "negated"],
)
def test_a_relation_that_is_needed_elsewhere_stays(more: str) -> None:
    assert "alike" in relations(unfold_text(fill(LINE) + more))


def test_small_relations_stay() -> None:
    rules = unfold_text("(e 1 2) (e 2 3) (<= (f ?x ?y) (e ?x ?y)) (<= g (f ?x ?y))")
    assert {"f", "g"} <= relations(rules)


def test_no_rule_for_every_tuple_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    unfolded = ground(Game.from_kif(GAME, "line"))
    assert len(unfolded.heads) < 16**3
    monkeypatch.setattr(grounder, "LARGE", 10**9)
    plain = ground(Game.from_kif(GAME, "line"))
    assert len(plain.heads) > 16**3
    assert (plain.fluents, plain.moves) == (unfolded.fluents, unfolded.moves)


def test_a_relation_that_reaches_the_limits_is_unfolded() -> None:
    limits = GroundLimits(rules=5_000)
    assert len(ground(Game.from_kif(GAME, "line"), limits).heads) < 5_000


def test_a_relation_with_few_instances_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have many by a rough count, and still few."""
    sparse = GAME.replace(PIECES, SPARSE)
    attempts = []
    once = grounder._ground_once

    def count(rules: Any, views: Any, counted: Any, limits: Any) -> Any:
        attempts.append(counted)
        return once(rules, views, counted, limits)

    monkeypatch.setattr(grounder, "_ground_once", count)
    ground(Game.from_kif(sparse, "sparse"))
    assert attempts == [{"alike"}]


def test_unfolded_rules_say_the_same() -> None:
    game = Game.from_kif(GAME, "line")
    circuit, interpreter = CircuitSimulator(game), Interpreter(game)
    random = Random(3)
    goals = set()
    for _ in range(20):
        one, other = Position.initial(circuit), Position.initial(interpreter)
        while not other.is_terminal:
            legal = other.legal_moves("x")
            assert one.legal_moves("x") == legal
            assert one.goals == other.goals
            move = (random.choice(legal),)
            one, other = one.advance(move), other.advance(move)
        assert one.is_terminal
        assert one.goals == other.goals
        goals.add(one.goals["x"])
    assert len(goals) == 2
