"""The prover against the plainest evaluation there is, on random rules."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from tests.marks import mark_slow

from gamelore.engine.interpreter.clauses import Signature
from gamelore.engine.interpreter.prover import Prover
from gamelore.engine.interpreter.query_plans import BOUND, FREE
from gamelore.gdl import And, Atom, Condition, Not, Or, Rule, Term, Variable
from gamelore.gdl.rules import find_atoms, find_variables

CONSTANTS = ("a", "b", "c")
VARIABLES = tuple(map(Variable, "xyz"))
ARITIES = (2, 1, 2, 0, 2, 1)
"""Of the relations r0, r1, …; r0 is given by facts."""


def name(number: int) -> str:
    return f"r{number}"


def random_rules(random: Random) -> list[Rule]:
    """Facts and rules: a relation uses those up to itself, negated only those below."""
    pairs = random.sample(list(product(CONSTANTS, repeat=2)), 5)
    rules = [Rule(Atom(name(0), pair)) for pair in pairs]
    for number in range(1, len(ARITIES)):
        # the first rule is something for the others to recur to
        rules.append(_random_rule(random, number, number))
        for _ in range(random.randint(1, 2)):
            rules.append(_random_rule(random, number, number + 1))
    return rules


def _random_rule(random: Random, number: int, below: int) -> Rule:
    positive = [_random_atom(random, below) for _ in range(random.randint(1, 2))]
    known = sorted(set().union(*map(find_variables, positive)))
    terms: list[Term] = [*known, *CONSTANTS[:1]]
    body: list[Condition] = [*positive]
    if random.random() < 0.5:
        body.append(Not(_random_test(random, number, terms)))
    if random.random() < 0.4:
        options = [_random_test(random, number, terms) for _ in range(2)]
        body.append(Or(tuple(options)))
    if random.random() < 0.2:
        body.append(Atom("distinct", (random.choice(terms), random.choice(terms))))
    random.shuffle(body)
    head = Atom(name(number), tuple(random.choices(terms, k=ARITIES[number])))
    return Rule(head, tuple(body))


def _random_atom(random: Random, below: int) -> Atom:
    number = random.randrange(below)
    terms: tuple[Term, ...] = (*VARIABLES, *VARIABLES, *VARIABLES, "a")
    return Atom(name(number), tuple(random.choices(terms, k=ARITIES[number])))


def _random_test(random: Random, below: int, terms: list[Term]) -> Condition:
    """A condition on relations below a number, over terms that have values."""
    kind = random.randrange(6)
    if kind == 0:
        return Not(_random_test(random, below, terms))
    if kind <= 2:
        parts = [_random_test(random, below, terms) for _ in range(2)]
        return And(tuple(parts)) if kind == 1 else Or(tuple(parts))
    number = random.randrange(below)
    return Atom(name(number), tuple(random.choices(terms, k=ARITIES[number])))


Facts = set[tuple[str, tuple[Term, ...]]]


def evaluate(rules: list[Rule]) -> Facts:
    """Everything that holds: try all values in all rules, relation by relation."""
    facts: Facts = set()
    for number in range(len(ARITIES)):
        own = [rule for rule in rules if rule.head.relation == name(number)]
        before = -1
        while len(facts) > before:
            before = len(facts)
            for rule in own:
                facts |= set(_instances(rule, facts))
    return facts


def _instances(rule: Rule, facts: Facts) -> list[tuple[str, tuple[Term, ...]]]:
    found = []
    for values in product(CONSTANTS, repeat=len(VARIABLES)):
        given: dict[Term, Term] = dict(zip(VARIABLES, values, strict=True))
        if all(_holds(condition, given, facts) for condition in rule.body):
            found.append((rule.head.relation, _fill(rule.head, given)))
    return found


def _holds(condition: Condition, given: dict[Term, Term], facts: Facts) -> bool:
    match condition:
        case Atom("distinct"):
            left, right = _fill(condition, given)
            return left != right
        case Atom(relation):
            return (relation, _fill(condition, given)) in facts
        case Not(inner):
            return not _holds(inner, given, facts)
        case Or(options):
            return any(_holds(option, given, facts) for option in options)
        case And(parts):
            return all(_holds(part, given, facts) for part in parts)


def _fill(atom: Atom, given: dict[Term, Term]) -> tuple[Term, ...]:
    return tuple(given.get(term, term) for term in atom.arguments)


@pytest.mark.parametrize("seed", mark_slow(range(150), range(40, 150)))
def test_the_prover_derives_what_holds(seed: int) -> None:
    rules = random_rules(Random(seed))
    facts = evaluate(rules)
    prover = Prover(rules)
    for number, arity in enumerate(ARITIES):
        signature = Signature(name(number), arity)
        holding = {values for relation, values in facts if relation == name(number)}
        for values in product(CONSTANTS, repeat=arity):
            asked = prover.table(signature, (BOUND,) * arity)[values]
            assert asked is (values in holding), (values, *map(str, rules))
        if arity:
            assert prover.table(signature, (FREE,) * arity)[()] == holding
        if arity == 2:
            for value in CONSTANTS:
                expected = {right for left, right in holding if left == value}
                assert prover.values(name(number), value) == expected


def test_random_rules_are_worth_trying() -> None:
    programs = [random_rules(Random(seed)) for seed in range(150)]
    derived = sum(len(evaluate(rules)) for rules in programs)
    assert derived > 150 * 10
    negated = [
        atom
        for rules in programs
        for rule in rules
        for condition in rule.body
        for atom, positive in find_atoms(condition)
        if not positive
    ]
    assert len(negated) > 300
