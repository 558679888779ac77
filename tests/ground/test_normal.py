"""Normal form: no `or`, negation at atoms only, the same meaning."""

from __future__ import annotations

from gamelore.gdl import Game, Rule
from gamelore.gdl.reader import read_rules
from gamelore.ground.normal import GUARD, NormalRule, RelationMaker, made_for, normalise


def normal(text: str) -> tuple[list[NormalRule], RelationMaker]:
    rules: list[Rule] = list(read_rules(text)[0])
    maker = RelationMaker()
    return list(normalise(rules, maker)), maker


def shown(rule: NormalRule) -> str:
    body = [("" if lit.positive else "not ") + str(lit.atom) for lit in rule.body]
    return f"{rule.head} <- {', '.join(body)}"


def test_a_plain_rule_stays_as_it_is() -> None:
    rules, _ = normal("(<= (p ?x) (q ?x) (not (r ?x)) (distinct ?x a))")
    assert [shown(r) for r in rules] == [
        "(p ?x) <- (q ?x), not (r ?x), (distinct ?x a)"
    ]


def test_double_negation_vanishes() -> None:
    rules, _ = normal("(<= (p ?x) (q ?x) (not (not (r ?x))))")
    assert shown(rules[0]) == "(p ?x) <- (q ?x), (r ?x)"


def test_negated_or_is_a_list_of_negations() -> None:
    rules, _ = normal("(<= (p ?x) (q ?x) (not (or (r ?x) (s ?x))))")
    assert shown(rules[0]) == "(p ?x) <- (q ?x), not (r ?x), not (s ?x)"


def test_or_becomes_a_relation_over_the_shared_variables() -> None:
    rules, _ = normal("(<= (p ?x) (q ?x) (or (r ?x ?y) (s ?x)))")
    *options, rule = rules
    either = rule.body[-1].atom
    assert either.relation.startswith("or ")
    assert made_for(either.relation) == "p"
    assert [str(v) for v in either.arguments] == ["?x"]
    assert [r.head for r in options] == [either, either]


def test_an_option_that_binds_nothing_gets_a_guard() -> None:
    rules, maker = normal("(<= (p ?x) (q ?x) (or (distinct ?x a) (s ?x)))")
    guarded = [
        r for r in rules if any(lit.atom.relation == "distinct" for lit in r.body)
    ]
    assert any(lit.atom.relation.startswith(GUARD) for lit in guarded[0].body)
    assert [shown(r).partition(" <- ")[2] for r in maker.guard_rules] == ["(q ?x)"]


def test_a_free_variable_under_not_is_projected_away() -> None:
    rules, _ = normal("(<= (p ?x) (q ?x) (not (r ?x ?y)))")
    some, rule = rules
    assert some.head.relation.startswith("some ")
    assert rule.body[1].atom == some.head
    assert not rule.body[1].positive


def test_every_library_rule_is_in_normal_form_after_it() -> None:
    text = (
        "(role a) (init (f 1)) (<= (next (f 1)) (true (f 1)) (or (true (f 2)) "
        "(and (true (f 3)) (not (or (true (f 4)) (true (f 5)))))))"
        "(legal a b) (goal a 100) (<= terminal (true (f 2)))"
    )
    game = Game.from_kif(text)
    for rule in normalise(game.rules, RelationMaker()):
        assert all(lit.atom.relation not in ("or", "not", "and") for lit in rule.body)
