"""A random match by the interpreter: warnings of rules that do not play."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from gamelore.engine.interpreter.prover import Prover
from gamelore.gdl import Fact, Game, to_kif
from gamelore.gdl.problems import Span
from gamelore.gdl.source import ProblemReport

MOST_MOVES = 1000
"""A match that has not ended after so many moves may never end."""
SECONDS = 2.0
"""The time after which a match is left undecided."""


def check_first_match(
    game: Game,
    report: ProblemReport,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play one match at random, and warn where nobody can move or nothing ends it."""
    prover = Prover(game.rules)
    prover.set_position(())
    facts = frozenset(prover.values("init"))
    random = Random(0)
    deadline = clock() + seconds
    for played in range(MOST_MOVES):
        prover.set_position(facts)
        if prover.holds("terminal"):
            return
        found = (prover.values("legal", role) for role in game.roles)
        legal = [sorted(moves, key=to_kif) for moves in found]
        for role, moves in zip(game.roles, legal, strict=True):
            if not moves:
                _warn_stuck(game, report, role, played)
                return
        if clock() > deadline:
            return
        joint = map(random.choice, legal)
        facts = _advance(prover, game, facts, list(joint))
    message = f"a random match had not ended after {MOST_MOVES:,} moves: it may never"
    report.warning("endless", message, _find_head(game, "terminal"))


def _advance(
    prover: Prover, game: Game, facts: frozenset[Fact], joint: list[Fact]
) -> frozenset[Fact]:
    prover.set_position(facts)
    prover.set_moves(zip(game.roles, joint, strict=True))
    return frozenset(prover.values("next"))


def _warn_stuck(game: Game, report: ProblemReport, role: str, played: int) -> None:
    when = f"after {played} random moves" if played else "in the first position"
    message = f"`{role}` has no legal move {when}, which does not end the match"
    report.warning("stuck", message, _find_head(game, "role", role))


def _find_head(game: Game, relation: str, argument: str | None = None) -> Span:
    """Return where the first rule of a relation stands, or the one of a role."""
    heads = (rule.head for rule in game.rules if rule.head.relation == relation)
    for head in heads:
        if argument is None or head.arguments[0] == argument:
            return head.span
    return game.rules[0].head.span
