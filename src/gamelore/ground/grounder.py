"""Every instance of every rule: `Game` → `GroundGame`, by clingo in a process apart."""

from __future__ import annotations

import pickle
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.errors import GroundingError, GroundingLimit
from gamelore.gdl import Fact, Game, Move, Role, Rule, Term
from gamelore.gdl.features import FeatureRules
from gamelore.ground._worker import COMMAND, GroundRequest, GroundRules
from gamelore.ground.asp import Vocabulary, to_asp
from gamelore.ground.demand import bind_heads
from gamelore.ground.domains import Domains
from gamelore.ground.features import GroundFeature, assemble_features
from gamelore.ground.forwards import run_forwards
from gamelore.ground.normal import (
    GUARD,
    NormalRule,
    RelationMaker,
    all_variables,
    made_for,
    normalise,
)
from gamelore.ground.order import natural_order
from gamelore.ground.split import split
from gamelore.ground.unfold import LARGE, find_candidates, unfold

_SHOWN = ("true", "does", "init", "next", "legal", "terminal", "goal")
_IGNORED = frozenset({"base", "input", "sees"})
"""Relations that play does not need: hints for other engines, and percepts."""

_WAITING = 4  # seconds that may pass for each of processor time

TRUE, FALSE = 0, -(2**31)
"""Literals of atoms that are always true, or never."""

_Atoms: TypeAlias = dict[str, dict[tuple[Term, ...], int]]
"""Per relation, the literals of its atoms by their arguments."""


@dataclass(frozen=True)
class GroundLimits:
    """How much grounding may take; beyond it, `GroundingLimit` is raised."""

    seconds: float = 40.0
    """Of processor time, so that whether a game grounds does not depend on what else
    the machine does; four times as many seconds may pass."""
    memory_mb: int = 4096
    rules: int = 4_000_000
    """Ground rules."""

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise ValueError(f"seconds must be positive, got {self.seconds}")
        if self.memory_mb < 64:
            raise ValueError(f"memory_mb must be at least 64, got {self.memory_mb}")
        if self.rules < 1:
            raise ValueError(f"rules must be positive, got {self.rules}")


@dataclass(frozen=True)
class GroundGame:
    """A game without variables: what there is, and rules over numbered atoms.

    A literal is an atom's number, negative for `not`; `TRUE` and `FALSE` are constants.
    """

    roles: tuple[Role, ...]
    fluents: tuple[Fact, ...]
    fluent_atoms: tuple[int, ...]
    """Per fluent, the atom `(true f)`; an input."""
    initial: tuple[bool, ...]
    """Per fluent, whether `(init f)`."""
    next: tuple[int, ...]
    """Per fluent, the literal of `(next f)`."""
    moves: tuple[tuple[Move, ...], ...]
    """Per role."""
    move_atoms: tuple[tuple[int, ...], ...]
    """Per role and move, the atom `(does r m)`; an input."""
    legal: tuple[tuple[int, ...], ...]
    """Per role and move, the literal of `(legal r m)`."""
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]
    """Per role, pairs of a goal value and its literal."""
    heads: npt.NDArray[np.int32]
    """int32 [N]: the head atom of each rule"""
    ends: npt.NDArray[np.int32]
    """int32 [N]: where its body ends in `bodies`"""
    bodies: npt.NDArray[np.int32]
    """int32: the bodies' literals, one after the other"""
    guards: frozenset[int]
    """Atoms that only guard: taken as true wherever they stand in a body."""
    features: tuple[tuple[GroundFeature, ...], ...] = ()
    """Per role, or once for all roles if they see the same; none without a file."""


def ground(
    game: Game,
    limits: GroundLimits | None = None,
    features: FeatureRules | None = None,
) -> GroundGame:
    """Instantiate a game's rules, within limits that hold whatever the rules do."""
    limits = limits or GroundLimits()
    added = features.rules_for(game.roles) if features else ()
    views = features.views(game.roles) if features else ()
    try:
        result, vocabulary = _instantiate([*game.rules, *added], views, limits)
    except _LimitReached as reached:
        raise GroundingLimit(
            f"grounding ended at its limit of {reached.limit}: relation "
            f"{reached.relation!r} grew most, {reached.rules:,} ground rules were made"
        ) from None
    atoms, guarding = _named_atoms(result, vocabulary, (*_SHOWN, *views))
    grounded = _assemble(game, result, atoms, guarding)
    if features is None:
        return grounded
    return replace(grounded, features=assemble_features(features, game.roles, atoms))


def _instantiate(
    rules: Sequence[Rule], views: Sequence[str], limits: GroundLimits
) -> tuple[GroundRules, Vocabulary]:
    """Ground rules; once more, within the same limits, if relations can be unfolded
    that turn out to be large, or that the limits were reached with."""
    normal = normal_form(rules, RelationMaker())
    candidates = find_candidates(normal, Domains(normal))
    try:
        result, vocabulary = _ground_once(prepare(rules), views, candidates, limits)
    except _LimitReached as reached:
        if reached.relation not in candidates:
            raise
        unfolded = prepare(rules, [reached.relation])
        return _ground_once(unfolded, views, frozenset(), limits)
    counts = {vocabulary.name(code): n for code, n in result.counts.items()}
    large = [name for name in sorted(counts) if counts[name] >= LARGE]
    if large:
        unfolded = prepare(rules, large)
        try:
            again, other = _ground_once(unfolded, views, frozenset(), limits)
        except _LimitReached:
            return result, vocabulary
        if len(again.heads) < len(result.heads):
            return again, other
    return result, vocabulary


def _ground_once(
    rules: Sequence[NormalRule],
    views: Sequence[str],
    counted: frozenset[str],
    limits: GroundLimits,
) -> tuple[GroundRules, Vocabulary]:
    """Ground rules that are split; `_LimitReached` where that takes too much."""
    vocabulary = Vocabulary()
    program = to_asp(rules, vocabulary)
    guards = {r.head.relation for r in rules if r.head.relation.startswith(GUARD)}
    request = GroundRequest(
        program,
        limits.memory_mb * 1024 * 1024,
        limits.rules,
        shown=frozenset(
            vocabulary.code("r", name) for name in (*_SHOWN, *views, *guards)
        ),
        counted=frozenset(vocabulary.code("r", name) for name in counted),
        seconds=limits.seconds,
    )
    try:
        return _run(request, limits, vocabulary), vocabulary
    except _LimitReached as reached:
        reached.relation = made_for(reached.relation or largest_join(rules))
        raise


def prepare(rules: Iterable[Rule], unfolded: Iterable[str] = ()) -> list[NormalRule]:
    """Return rules in normal form and split, without what play does not need."""
    maker = RelationMaker()
    normal = normal_form(rules, maker)
    domains = Domains(normal)
    for relation in unfolded:
        normal = unfold(normal, relation)
    result = list(split(normal, domains, maker))
    return result + maker.guard_rules


def normal_form(rules: Iterable[Rule], maker: RelationMaker) -> list[NormalRule]:
    """Return rules in normal form, without the relations that play does not need.

    Large recursions that can are run forwards.
    """
    wanted = [rule for rule in rules if rule.head.relation not in _IGNORED]
    normal = bind_heads(list(normalise(wanted, maker)), maker)
    normal += maker.guard_rules
    maker.guard_rules.clear()
    return run_forwards(normal)


def largest_join(rules: Sequence[NormalRule]) -> str:
    """Return the head of the rule with the most instances, by a rough count."""
    domains = Domains(rules)

    def instances(rule: NormalRule) -> int:
        atoms = [literal.atom for literal in rule.body if literal.binds]
        return prod(domains.size(v, atoms) for v in all_variables(rule.body))

    return max(rules, key=instances).head.relation


class _LimitReached(Exception):  # noqa: N818 - told on as a GroundingLimit
    """The worker was ended at a limit; with the largest relation, if it has said so."""

    def __init__(self, limit: str, relation: str, rules: int) -> None:
        self.limit = limit
        self.relation = relation
        self.rules = rules
        super().__init__(limit)


def _run(
    request: GroundRequest, limits: GroundLimits, vocabulary: Vocabulary
) -> GroundRules:
    """Run the worker to its end, or end it at the limit of time."""
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        timed_out = threading.Event()

        def end() -> None:
            timed_out.set()
            worker.kill()

        timer = threading.Timer(_WAITING * limits.seconds, end)
        timer.daemon = True
        timer.start()
        largest, made, limit = "", 0, f"{limits.memory_mb} MB"
        try:
            pickle.dump(tuple(request), worker.stdin, protocol=5)
            worker.stdin.flush()  # but left open: the worker ends when it is closed
            for message in _messages(worker.stdout):
                match message:
                    case ("progress", relation, rules):
                        largest, made = vocabulary.name(relation), rules
                    case ("done", result):
                        return GroundRules(*result)
                    case ("rules",):
                        limit = f"{limits.rules:,} ground rules"
                    case ("error", text):
                        raise GroundingError(f"the rules cannot be grounded: {text}")
        except BrokenPipeError:
            pass
        finally:
            timer.cancel()
            worker.kill()
    if worker.returncode == 1 and limit.endswith("MB"):
        raise GroundingError("the grounding process ended with an error")
    if timed_out.is_set() or worker.returncode == -signal.SIGXCPU:
        limit = f"{limits.seconds:g} seconds"
    raise _LimitReached(limit, largest, made)


def _messages(stream: Any) -> Iterator[tuple[Any, ...]]:
    while True:
        try:
            yield pickle.load(stream)
        except (EOFError, pickle.UnpicklingError):
            return


def _named_atoms(
    result: GroundRules, vocabulary: Vocabulary, wanted: Iterable[str]
) -> tuple[_Atoms, frozenset[int]]:
    """Return the literals of wanted relations by their arguments, and of all guards."""
    atoms: _Atoms = {name: {} for name in wanted}
    guards = set()
    for symbol, literal in result.names:
        relation, arguments = vocabulary.read(symbol)
        if relation in atoms:
            atoms[relation][arguments] = literal
        else:
            guards.add(literal)
    return atoms, frozenset(guards)


def _assemble(
    game: Game, result: GroundRules, atoms: _Atoms, guards: frozenset[int]
) -> GroundGame:
    """Sort the named atoms by what they are for."""
    fluents = sorted((arguments[0] for arguments in atoms["true"]), key=natural_order)
    does = sorted(atoms["does"], key=lambda arguments: natural_order(arguments[1]))
    by_role = [[a[1] for a in does if a[0] == role] for role in game.roles]
    return GroundGame(
        roles=game.roles,
        fluents=tuple(fluents),
        fluent_atoms=tuple(atoms["true"][f,] for f in fluents),
        initial=tuple((f,) in atoms["init"] for f in fluents),
        next=tuple(atoms["next"].get((f,), FALSE) for f in fluents),
        moves=tuple(map(tuple, by_role)),
        move_atoms=tuple(
            tuple(atoms["does"][role, move] for move in moves)
            for role, moves in zip(game.roles, by_role, strict=True)
        ),
        legal=tuple(
            tuple(atoms["legal"].get((role, move), FALSE) for move in moves)
            for role, moves in zip(game.roles, by_role, strict=True)
        ),
        terminal=atoms["terminal"].get((), FALSE),
        goals=tuple(_goals(role, atoms["goal"]) for role in game.roles),
        heads=np.frombuffer(result.heads, dtype=np.int32),
        ends=np.frombuffer(result.ends, dtype=np.int32),
        bodies=np.frombuffer(result.bodies, dtype=np.int32),
        guards=guards,
    )


def _goals(
    role: Role, atoms: dict[tuple[Term, ...], int]
) -> tuple[tuple[int, int], ...]:
    values = [
        (int(str(value)), literal)
        for (who, value), literal in atoms.items()
        if who == role and str(value).lstrip("-").isdigit()
    ]
    return tuple(sorted(values))
