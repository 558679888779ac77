"""The interpreter on games small enough to work out by hand."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.engine.interpreter.prover import MAX_DEPTH, Prover
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import NO_GOAL, Row
from gamelore.errors import GdlError, IllegalMoveError, PositionError, StuckError
from gamelore.games import load
from gamelore.gdl import Atom, Compound, Game, Or, Rule, Variable, read_term, to_kif
from gamelore.gdl.reader import read_rules

# ── what rules derive ───────────────────────────────────────────────────────────────


def prover(rules: str, facts: str = "") -> Prover:
    """A prover of rules as they are, unchecked, in a position of these facts."""
    read, problems = read_rules(rules)
    assert not problems
    made = Prover(read)
    made.set_position(read_term(fact) for fact in facts.split(";") if fact)
    return made


def derived(rules: str, facts: str = "") -> str:
    """The values of `(p ?x)`, as sorted text."""
    return " ".join(sorted(map(to_kif, prover(rules, facts).values("p"))))


@pytest.mark.parametrize(
    ("rules", "facts", "expected"),
    [
        pytest.param("(p a) (p b) (p a)", "", "a b", id="facts"),
        pytest.param(
            "(<= (p ?x) (true (f ?x)))", "(f 1);(g 2);f;(f 1 2)", "1", id="true"
        ),
        pytest.param("(<= (p ?f) (true ?f))", "(f 1);g", "(f 1) g", id="true of all"),
        pytest.param("(<= (p ?x) (q ?x)) (q a) (p b)", "", "a b", id="facts and rules"),
        pytest.param(
            "(q a) (q b) (<= (p ?x) (distinct ?x a) (q ?x))",
            "",
            "b",
            id="distinct first",
        ),
        pytest.param(
            "(q a) (q b) (<= (p ?x) (not (q ?x)) (r ?x)) (r b) (r c)",
            "",
            "c",
            id="not first",
        ),
        pytest.param(
            "(q a) (<= (p ?x) (r ?x) (not (distinct ?x a))) (r a) (r b)",
            "",
            "a",
            id="not distinct",
        ),
        pytest.param(
            "(q a b) (q c c) (<= (p ?x) (q ?x ?x))", "", "c", id="same variable"
        ),
        pytest.param(
            "(q a b) (q c c) (r a) (r d) (<= (p ?x) (r ?x) (not (q ?x ?y)))",
            "",
            "d",
            id="no instance under not",
        ),
        pytest.param(
            "(q a b) (r a) (<= (p ?x) (r ?x) (not (q ?y ?y)))",
            "",
            "a",
            id="same variable under not",
        ),
        pytest.param(
            "(q a) (<= (p ?x) (or (q ?x) (r ?x)) s) (r b) s", "", "a b", id="or"
        ),
        pytest.param(
            "(q a) (q b) (q c) (r a) (s b)(<= (p ?x) (q ?x) (not (or (r ?x) (s ?x))))",
            "",
            "c",
            id="not or",
        ),
        pytest.param(
            "(q a) (q b) (q c) (r a) (r b) (s b)"
            "(<= (p ?x) (q ?x) (not (and (r ?x) (s ?x))))",
            "",
            "a c",
            id="not and",
        ),
        pytest.param(
            "(q a) (q b) (r a) (<= (p ?x) (q ?x) (not (not (r ?x))))",
            "",
            "a",
            id="not not",
        ),
        pytest.param(
            "(q a) (q b) (r a z) (s z)(<= (p ?x) (q ?x) (not (and (r ?x ?y) (s ?y))))",
            "",
            "b",
            id="variable of its own under not",
        ),
        pytest.param(
            "(q a) (q b) (q c)"
            "(<= (p ?x) (or (distinct ?x a) (r ?x)) (not (s ?x)) (q ?x)) (s c)",
            "",
            "b",
            id="or of tests first",
        ),
        pytest.param(
            "(q a) (<= (p ?x) (or (and (q ?x) (not (r ?x))) (or (s ?x) (t ?x))))(t c)",
            "",
            "a c",
            id="or in or",
        ),
        pytest.param(
            "(<= (p ?x) q (r ?x)) (<= q (not s)) (r a)", "", "a", id="no arguments"
        ),
        pytest.param("(q a) (<= (p b) (q a)) (<= (p c) (q b))", "", "b", id="ground"),
    ],
)
def test_what_is_derived(rules: str, facts: str, expected: str) -> None:
    assert derived(rules, facts) == expected


EDGES = "(e 1 2) (e 2 3) (e 3 1) (e 4 5)"


@pytest.mark.parametrize(
    "path",
    [
        "(<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (e ?x ?y) (r ?y ?z))",
        "(<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (r ?x ?y) (e ?y ?z))",
        "(<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (r ?x ?y) (r ?y ?z))",
        "(<= (r ?x ?y) (s ?x ?y)) (<= (s ?x ?y) (e ?x ?y))"
        "(<= (s ?x ?z) (e ?x ?y) (r ?y ?z))",
    ],
    ids=["right", "left", "both", "mutual"],
)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("(<= (p ?x) (r 1 ?x))", "1 2 3"),
        ("(<= (p ?x) (r ?x 5))", "4"),
        ("(<= (p ?x) (r ?x ?x))", "1 2 3"),
        ("(<= (p yes) (r 1 1))", "yes"),
        ("(<= (p yes) (r 1 4))", ""),
        ("(<= (p ?x) (e ?x ?y) (not (r ?x 3)))", "4"),
    ],
)
def test_recursion_reaches_its_fixed_point(
    path: str, question: str, expected: str
) -> None:
    assert derived(EDGES + path + question) == expected


def test_negation_in_a_circle_of_relations_but_not_of_goals() -> None:
    rules = """
        (move 1 2) (move 2 3) (move 3 4) (move 1 4) (move 5 4) (move 5 2)
        (<= (wins ?x) (move ?x ?y) (not (wins ?y)))
        (<= (p ?x) (wins ?x))
    """
    assert derived(rules) == "1 3 5"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("(q (f a (g b))) (<= (p ?x) (q (f ?y (g ?x))))", "b"),
        ("(q (f a)) (q b) (<= (p ?x) (q ?x))", "(f a) b"),
        (
            "(<= (q (f ?x) ?x) (r ?x)) (r a) (r (f a)) (<= (p ?x) (q (f (f a)) ?x))",
            "(f a)",
        ),
        (
            "(<= (q ?x) (r ?x)) (r (f a b)) (r (f c d)) (r e)(<= (p ?x) (q (f ?x ?y)))",
            "a c",
        ),
        ("(<= (q ?x ?x) (r ?x)) (r (f a)) (r b) (<= (p ?y) (q (f ?y) ?z))", "a"),
        ("(<= (q (f ?x)) (r ?x)) (r a) (<= (p yes) (q (g ?x)))", ""),
        ("(<= (q (f ?x)) (r ?x)) (r a) (<= (p yes) (q (f ?x ?y)))", ""),
        ("(<= (p ?x) (r (f ?x)) (distinct (f ?x) (f a))) (r (f a)) (r (f b))", "b"),
        ("(<= (p (g ?x (h ?x))) (r ?x)) (r a)", "(g a (h a))"),
    ],
)
def test_terms_are_taken_apart_and_put_together(rules: str, expected: str) -> None:
    assert derived(rules) == expected


def test_an_endless_relation_is_derived_only_as_far_as_asked() -> None:
    rules = "(even z) (<= (even (s (s ?x))) (even ?x))"
    assert derived(rules + "(<= (p yes) (even (s (s (s (s z))))))") == "yes"
    assert derived(rules + "(<= (p yes) (even (s (s (s z)))))") == ""


def test_a_body_longer_than_python_nests_loops() -> None:
    steps = " ".join(f"(next_to ?{i} ?{i + 1})" for i in range(60))
    rules = "".join(f"(next_to {i} {i + 1})" for i in range(70))
    rules += f"(<= (p ?60) (distinct ?60 65) {steps} (not (odd ?59))) (odd 61)"
    assert derived(rules) == "60 61 63 64 66 67 68 69 70"


def test_relations_deeper_than_the_stack() -> None:
    depth = 30 * MAX_DEPTH
    chain = "".join(f"(<= (c{i} ?x) (c{i + 1} ?x))" for i in range(depth))
    assert derived(f"(<= (p ?x) (c0 ?x)) {chain} (c{depth} a)") == "a"


def test_a_test_of_a_variable_that_only_the_head_has_is_left_out() -> None:
    asked = prover("(<= (p ?x ?y) (q ?y) (not (r ?x))) (q 1) (r a)")
    assert asked.values("p", "a") == {"1"}


def test_a_variable_without_any_value_is_an_error() -> None:
    with pytest.raises(GdlError, match=r"\?x has no value in a rule for p"):
        derived("(<= (p ?x) (q a)) (q a)")
    with pytest.raises(GdlError, match=r"\?y has no value in a rule for p"):
        derived("(<= (p ?x) (q ?x) (distinct ?x ?y)) (q a)")


def test_answers_are_found_again_with_position_and_moves() -> None:
    asked = prover("(<= (p ?x) (q ?x)) (<= (q ?x) (true ?x)) (<= (n ?m) (does a ?m))")
    for fact in "one", "two":
        asked.set_position([fact])
        assert asked.values("p") == {fact}
        assert asked.values("n") == set()
        for move in "left", "right":
            asked.set_moves([("a", move)])
            assert asked.values("n") == {move}
    asked.set_position([])
    assert asked.values("p") == asked.values("n") == set()


def test_hostile_names_stay_names() -> None:
    name = "x')]+__import__('os').abort()#\"\\"
    head, asked = Atom("p", (Variable(name),)), Atom("q", (Variable(name), name))
    rules = [Rule(Atom("q", (name, name))), Rule(head, (asked,))]
    assert Prover(rules).values("p") == {name}


def test_an_or_of_nothing_is_false() -> None:
    rule = Rule(Atom("p", ("a",)), (Or(()),))
    assert Prover([rule]).values("p") == set()


# ── matches ─────────────────────────────────────────────────────────────────────────

DUEL = """
    (role left) (role right)
    (init (round 1)) (init (score left 0)) (init (score right 0))
    (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
    (<= same (does left ?m) (does right ?m))
    (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
    (<= (winner left) same) (<= (winner right) (not same))
    (<= (next (score ?r ?m)) (winner ?r) (true (score ?r ?n)) (succ ?n ?m))
    (<= (next (score ?r ?n)) (role ?r) (not (winner ?r)) (true (score ?r ?n)))
    (<= terminal (true (round 3)))
    (<= (goal ?r 100) (true (score ?r 2)))
    (<= (goal ?r 50) (true (score ?r 1)))
    (<= (goal ?r 0) (true (score ?r 0)))
"""


def number_moves(simulator: Interpreter, *texts: str) -> npt.NDArray[np.int32]:
    numbers = [simulator.move_number(r, read_term(t)) for r, t in enumerate(texts)]
    return np.array([numbers], dtype=np.int32)


def write_facts(simulator: Interpreter, row: Row) -> str:
    return " ".join(sorted(map(to_kif, simulator.facts(row))))


def test_simultaneous_moves() -> None:
    duel = Interpreter(Game.from_kif(DUEL))
    row = duel.initial_row()
    assert write_facts(duel, row) == "(round 1) (score left 0) (score right 0)"
    assert [array.tolist() for array in duel.legal(row[None])] == [[[True, True]]] * 2
    assert duel.moves[0] == duel.moves[1] == ["heads", "tails"]
    same = duel.advance(row[None], number_moves(duel, "heads", "heads"))
    assert write_facts(duel, same[0]) == "(round 2) (score left 1) (score right 0)"
    after = duel.advance(same, number_moves(duel, "heads", "tails"))
    assert duel.terminal(np.stack([row, same[0], after[0]])).tolist() == [0, 0, 1]
    assert duel.goals(after).tolist() == [[50, 50]]


THREE = """
    (role a) (role b) (role c) (init (turn a)) (init (left 4))
    (after a b) (after b c) (after c a) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal ?r (take 1)) (true (turn ?r)))
    (<= (legal ?r (take 2)) (true (turn ?r)) (true (left ?n)) (distinct ?n 1))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
    (<= (next (left ?m)) (does ?r (take 1)) (true (left ?n)) (succ ?m ?n))
    (<= (next (left ?k)) (does ?r (take 2)) (true (left ?n)) (succ ?m ?n) (succ ?k ?m))
    (<= terminal (true (left 0)))
    (<= (goal ?r 100) terminal (true (turn ?s)) (after ?r ?s))
    (<= (goal ?r 0) terminal (role ?r) (true (turn ?s)) (not (after ?r ?s)))
"""


def test_three_players() -> None:
    three = Interpreter(Game.from_kif(THREE))
    row = three.initial_row()[None]
    assert three.goals(row).tolist() == [[NO_GOAL] * 3]
    three.legal(row)
    row = three.advance(row, number_moves(three, "(take 2)", "wait", "wait"))
    assert write_facts(three, row[0]) == "(left 2) (turn b)"
    three.legal(row)
    row = three.advance(row, number_moves(three, "wait", "(take 2)", "wait"))
    assert three.terminal(row).all()
    assert three.goals(row).tolist() == [[0, 100, 0]]


def test_goals_that_are_missing_double_or_no_numbers() -> None:
    rules = """
        (role none) (role double) (role same) (role word) (role huge) (init f)
        (<= (legal ?r noop) (role ?r)) (<= terminal (true f))
        (goal double 0) (goal double 100)
        (<= (goal same 70) (true f)) (<= (goal same 70) (not (true g)))
        (goal word many) (goal huge 123456789)
    """
    simulator = Interpreter(
        Game(
            "odd",
            ("none", "double", "same", "word", "huge"),
            tuple(read_rules(rules)[0]),
        )
    )
    goals = simulator.goals(simulator.initial_row()[None])
    assert goals.tolist() == [[NO_GOAL, NO_GOAL, 70, NO_GOAL, NO_GOAL]]


def test_rows_are_positions() -> None:
    simulator = Interpreter(load("tictactoe"))
    facts = simulator.facts(simulator.initial_row())
    assert simulator.encode(facts) == simulator.initial_row()
    other = simulator.encode([*facts, Compound("cell", ("1", "1", "x"))])
    assert other != simulator.initial_row()
    with pytest.raises(PositionError, match=r"\(cell 1 \?x\) has a variable"):
        simulator.encode([Compound("cell", ("1", Variable("x")))])
    with pytest.raises(IllegalMoveError, match="fly has not been a legal move of x"):
        simulator.move_number(0, "fly")


def test_expansion_has_every_successor() -> None:
    duel = Interpreter(Game.from_kif(DUEL))
    expansion = duel.expand(duel.initial_row()[None])
    assert expansion.moves.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert len(set(expansion.successors[:, 0].tolist())) == 2


# ── playouts ────────────────────────────────────────────────────────────────────────


def test_playouts_add_up_and_repeat() -> None:
    simulator = Interpreter(load("tictactoe"))
    playouts = simulator.playouts(count=200, seed=3)
    assert playouts.count == 200
    assert playouts.cut_off == 0
    assert sum(playouts.length_counts.values()) == 200
    lengths = sum(length * n for length, n in playouts.length_counts.items())
    assert playouts.lengths.tolist() == [lengths]
    for role, counts in enumerate(playouts.goal_counts):
        total = sum(goal * n for goal, n in counts.items())
        assert playouts.goal_sums[0, role] == total
    assert np.allclose(playouts.goal_sums.sum(), 200 * 100)
    assert abs(playouts.mean_goals[0, 0] - 64.8) < 12
    again = Interpreter(load("tictactoe")).playouts(count=200, seed=3, threads=2)
    assert again.goal_counts == playouts.goal_counts
    assert again.length_counts == playouts.length_counts
    other = simulator.playouts(count=200, seed=4)
    assert other.length_counts != playouts.length_counts


def test_playouts_keep_the_move_limit() -> None:
    simulator = Interpreter(load("tictactoe"))
    playouts = simulator.playouts(count=5, move_limit=3)
    assert playouts.cut_off == 5
    assert playouts.lengths.tolist() == [15]
    assert playouts.goal_sums.sum() == 0
    nine = simulator.playouts(count=20, move_limit=9)
    assert nine.cut_off == 0


def test_a_role_without_a_move_is_stuck() -> None:
    rules = """
        (role a) (init (on 1)) (<= (legal a go) (true (on 1)))
        (<= (next (on 2)) (does a go)) (<= terminal (true (on 3))) (goal a 0)
    """
    with pytest.raises(StuckError, match="a has no legal move"):
        Interpreter(Game.from_kif(rules)).playouts()


def test_threads_may_share_an_interpreter() -> None:
    simulator = Interpreter(load("connect-four-4x4"))
    with ThreadPoolExecutor(4) as pool:
        results = list(
            pool.map(lambda s: simulator.playouts(count=5, seed=s), range(8))
        )
    for seed, result in enumerate(results):
        alone = Interpreter(load("connect-four-4x4")).playouts(count=5, seed=seed)
        assert result.length_counts == alone.length_counts
        assert result.goal_counts == alone.goal_counts


def test_rules_in_another_order_are_the_same_game() -> None:
    game = load("connect-four")
    backwards = [Rule(rule.head, rule.body[::-1]) for rule in game.rules[::-1]]
    plain, other = Interpreter(game), Interpreter(game, rules=backwards)
    for seed in range(3):
        played = [one.playouts(seed=seed) for one in (plain, other)]
        assert played[0].goal_counts == played[1].goal_counts
        assert played[0].length_counts == played[1].length_counts


def test_playouts_are_cut_off_by_a_clock() -> None:
    plain = Interpreter(load("tictactoe"))
    rows = plain.initial_row()[None]
    played = plain.playouts(rows, 4, seed=3)
    in_time = plain.playouts_until(rows, 4, 3, 100, math.inf)
    assert in_time.goal_counts == played.goal_counts
    late = plain.playouts_until(rows, 4, 3, 100, time.monotonic() - 1)
    assert (late.cut_off, late.lengths.tolist()) == (4, [0])
