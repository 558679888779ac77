"""Splitting: fewer variables to a rule."""

from __future__ import annotations

from gamelore.gdl.reader import read_rules
from gamelore.ground.domains import Domains
from gamelore.ground.normal import NormalRule, RelationMaker, all_variables, normalise
from gamelore.ground.split import split


def split_text(text: str) -> list[NormalRule]:
    maker = RelationMaker()
    normal = list(normalise(read_rules(text)[0], maker))
    return [*split(normal, Domains(normal), maker), *maker.guard_rules]


CHAIN = """
(e 1 2) (e 2 3) (e 3 4) (e 4 5)
(<= (far ?a ?e) (e ?a ?b) (e ?b ?c) (e ?c ?d) (e ?d ?e))
"""


def test_a_chain_never_joins_more_than_three_variables() -> None:
    assert max(len(all_variables(rule.body)) for rule in split_text(CHAIN)) == 3


def test_a_rule_without_anything_to_eliminate_is_left_alone() -> None:
    rules = split_text("(q 1) (r 1) (<= (p ?x) (q ?x) (r ?x))")
    assert len(rules) == 3


def test_negated_literals_get_guards_where_they_are_moved() -> None:
    rules = split_text(
        "(n 1) (n 2) (e 1 2) (<= (p ?a) (n ?a) (n ?b) (n ?c) (e ?b ?c) (not (e ?a ?c)))"
    )
    for rule in rules:
        bound = all_variables(lit for lit in rule.body if lit.binds)
        assert all_variables(rule.body) <= bound


def test_domains_follow_facts_through_rules() -> None:
    maker = RelationMaker()
    text = "(n 1) (n 2) (n 3) (init (at 1)) (<= (next (at ?x)) (true (at ?y)) (n ?x))"
    normal = list(normalise(read_rules(text)[0], maker))
    domains = Domains(normal)
    rule = normal[-1]
    (at, n) = (literal.atom for literal in rule.body)
    (y,) = (v for v in all_variables(rule.body) if v.name == "y")
    assert domains.size(y, [at]) == 3
    assert domains.size(y, [n]) == 1  # it does not occur there
