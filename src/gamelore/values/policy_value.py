"""Networks of policy and value: for each role a value, for each move a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.errors import DivergenceError, GameloreError
from gamelore.gdl.canonical.symmetry import find_exchange
from gamelore.kernels import direct
from gamelore.values import _policy_value_kernels as kernels
from gamelore.values._policy_value_kernels import (
    LossRule,
    Network,
    NetworkBuffers,
    NetworkWeights,
    OptimiserRule,
    OptimiserState,
    Samples,
    Views,
)
from gamelore.values.arrays import round_up, zeros32
from gamelore.values.policy_value_settings import PolicyValueSettings

__all__ = [
    "LossRule",
    "Losses",
    "OptimiserRule",
    "PolicyValueNetwork",
    "PolicyValueOptimiser",
    "Samples",
]

Floats32: TypeAlias = npt.NDArray[np.float32]
Ints32: TypeAlias = npt.NDArray[np.int32]
Legal: TypeAlias = Sequence[npt.NDArray[np.bool_]]

_evaluate_positions = direct(kernels.evaluate_positions)
_evaluate_moves = direct(kernels.evaluate_moves)
_add_gradient = direct(kernels.add_gradient)
_step = direct(kernels.step)

_CACHE_LINE = 16  # floats


class Losses(NamedTuple):
    """Mean cross-entropies of a batch, each over all roles or facts."""

    value: float
    policy: float
    facts: float


class PolicyValueNetwork:
    """Values of all roles, and the policy of each, from the facts of a position."""

    def __init__(
        self,
        simulator: CircuitSimulator,
        settings: PolicyValueSettings | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(simulator, CircuitSimulator):
            raise GameloreError(
                f"networks of policy and value need {simulator.game.name!r} compiled;"
                " on the interpreter there are tables"
            )
        self.simulator = simulator
        self.settings = settings or PolicyValueSettings()
        self.players = [r for r, name in enumerate(simulator.roles) if name != "random"]
        self.shapes = self._find_shapes()
        self.parameters = _allocate(self.shapes)
        """float32 [P]: all weights"""
        self.weights = split(self.parameters, self.shapes)
        self.views = self._make_views()
        self.load(self._initial_weights(seed))

    @property
    def inputs(self) -> int:
        """Facts."""
        return len(self.simulator.fluents)

    def handle(self) -> Network:
        """Return the network for kernels, with working arrays for one thread."""
        first, second = self.shapes["second"][0] - 1, self.shapes["second"][1]
        buffers = NetworkBuffers(
            first=zeros32(1, first)[0],
            second=zeros32(1, second)[0],
            terms=zeros32(1, second)[0],
            first_slope=zeros32(1, first)[0],
            second_slope=zeros32(1, second)[0],
            values=np.zeros(len(self.simulator.roles), np.float32),
            logits=np.zeros(sum(map(len, self.simulator.moves)), np.float32),
        )
        return Network(self.weights, self.views, buffers)

    # ── weights ─────────────────────────────────────────────────────────────────────

    def copy_weights(self) -> dict[str, npt.NDArray[Any]]:
        """Return a copy of the weights by name, without what only fills up vectors."""
        own = self.settings
        found = {name: array.copy() for name, array in self.weights._asdict().items()}
        found["first"] = found["first"][:, : own.hidden]
        kept = [*range(own.hidden), len(found["second"]) - 1]
        found["second"] = found["second"][kept, : own.second_hidden]
        for name in ("value", "policy", "facts"):
            found[name] = found[name][:, : own.second_hidden]
        return {name: np.ascontiguousarray(array) for name, array in found.items()}

    def load(self, weights: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take these weights; `ValueError` if they are another network's."""
        own = self.settings
        for name, own_one in self.copy_weights().items():
            if name not in weights or weights[name].shape != own_one.shape:
                raise ValueError(f"weights must have {name} {list(own_one.shape)}")
        self.parameters[:] = 0
        mine = self.weights
        mine.first[:, : own.hidden] = weights["first"]
        mine.second[: own.hidden, : own.second_hidden] = weights["second"][:-1]
        mine.second[-1, : own.second_hidden] = weights["second"][-1]
        for name in ("value", "policy", "facts"):
            getattr(mine, name)[:, : own.second_hidden] = weights[name]
            getattr(mine, f"{name}_bias")[:] = weights[f"{name}_bias"]

    def _initial_weights(self, seed: int) -> dict[str, npt.NDArray[Any]]:
        """Return weights that keep the size of signals; the heads begin near 0."""
        random = np.random.default_rng(seed)
        found = {n: np.zeros_like(a) for n, a in self.copy_weights().items()}
        on = max(1, int(np.bitwise_count(self.simulator.initial_row()).sum()))
        inputs = max(on, self.inputs // 4)  # about as many facts are true
        scales = {"first": inputs, "second": self.settings.hidden}
        for name, count in scales.items():
            shape = found[name][:-1].shape
            found[name][:-1] = random.normal(0, np.sqrt(2 / count), shape)
        for name in ("value", "policy", "facts"):
            scale = 0.1 / np.sqrt(self.settings.second_hidden)
            found[name][:] = random.normal(0, scale, found[name].shape)
        return found

    def _find_shapes(self) -> dict[str, tuple[int, ...]]:
        roles, moves = len(self.simulator.roles), sum(map(len, self.simulator.moves))
        hidden = round_up(self.settings.hidden)
        second = round_up(self.settings.second_hidden)
        facts = self.inputs if self.settings.final_facts else 0
        return {
            "first": (self.inputs + 1, hidden),
            "second": (hidden + 1, second),
            "value": (roles, second),
            "value_bias": (roles,),
            "policy": (moves, second),
            "policy_bias": (moves,),
            "facts": (facts, second),
            "facts_bias": (facts,),
        }

    # ── views ───────────────────────────────────────────────────────────────────────

    def _make_views(self) -> Views:
        """Return the view of the first player, and that of the second if it differs."""
        simulator = self.simulator
        facts = np.arange(64 * simulator.width, dtype=np.int32)[None]
        moves = np.arange(sum(map(len, simulator.moves)), dtype=np.int32)[None]
        roles = np.arange(len(simulator.roles), dtype=np.int32)[None]
        plain = Views(facts, moves, roles)
        other = _exchanged(simulator) if self.settings.exchange else None
        if other is None or len(self.players) != 2:
            return plain
        joined = [np.vstack(pair) for pair in zip(plain, other, strict=True)]
        return Views(*joined)

    @property
    def is_symmetric(self) -> bool:
        """Whether the second player sees the position as if it were the first."""
        return len(self.views.roles) > 1

    def choose_views(self, choices: npt.NDArray[np.integer]) -> Ints32:
        """Return int32 [n]: the views of positions, where roles have so many choices.

        choices: [n, R]. It is the second player's where only it has a choice.
        """
        if not self.is_symmetric:
            return np.zeros(len(choices), np.int32)
        first, second = self.players
        seconds = (choices[:, second] > 1) & (choices[:, first] <= 1)
        return seconds.astype(np.int32)

    # ── evaluation ──────────────────────────────────────────────────────────────────

    def evaluate(self, rows: Rows, legal: Legal | None = None) -> Floats32:
        """Return float32 [n, R]: the values of positions to all roles, in 0 to 1.

        `legal`: their legal moves, if they are known.
        """
        legal = self.simulator.legal(rows) if legal is None else legal
        values = np.zeros((len(rows), len(self.simulator.roles)), np.float32)
        views = self.choose_views(np.stack([one.sum(axis=1) for one in legal], axis=1))
        _evaluate_positions(self.handle(), np.ascontiguousarray(rows), views, values)
        return values

    def policy(self, rows: Rows, legal: Legal | None = None) -> list[Floats32]:
        """Return per role float32 [n, M[r]]: probabilities of moves, 0 if illegal."""
        legal = self.simulator.legal(rows) if legal is None else legal
        views = self.choose_views(np.stack([one.sum(axis=1) for one in legal], axis=1))
        flags = np.hstack(legal)
        width = max(1, int(flags.sum(axis=1).max(initial=0)))
        moves = np.zeros((len(rows), width), np.int32)
        counts = flags.sum(axis=1).astype(np.int32)
        listed = np.arange(width) < counts[:, None]
        moves[listed] = np.nonzero(flags)[1]
        logits = np.zeros(moves.shape, np.float32)
        positions = np.ascontiguousarray(rows)
        _evaluate_moves(self.handle(), positions, views, moves, counts, logits)
        spread = np.full(flags.shape, -np.inf, np.float32)
        spread[flags] = logits[listed]
        ends = np.cumsum([one.shape[1] for one in legal])[:-1]
        return [_make_shares(one) for one in np.split(spread, ends, axis=1)]


class PolicyValueOptimiser:
    """Adam on a network's weights, over batches of samples."""

    def __init__(self, network: PolicyValueNetwork, rule: OptimiserRule) -> None:
        self.network = network
        self.rule = rule
        count = len(network.parameters)
        self._gradient = _allocate(network.shapes)
        self._parts = split(self._gradient, network.shapes)
        self._handle = network.handle()
        self.state = OptimiserState(
            mean=np.zeros(count, np.float32),
            square=np.zeros(count, np.float32),
            steps=np.zeros(1, np.int64),
        )

    def learn(
        self, samples: Samples, picked: npt.NDArray[np.int64], loss: LossRule
    ) -> Losses:
        """Take a step down the mean loss over picked samples; return it before.

        `DivergenceError` where the gradient is not finite; then nothing changes.
        """
        sums = np.zeros(3)
        _add_gradient(self._handle, self._parts, loss, samples, picked, sums)
        norm = _step(self.network.parameters, self._gradient, self.state, self.rule)
        if not np.isfinite(norm):
            self._gradient[:] = 0
            raise DivergenceError(
                "the weights diverged; the last sound ones are kept: lower the step"
                " size"
            )
        return Losses(*(float(one) for one in sums / len(picked)))

    def gradient(
        self, samples: Samples, picked: npt.NDArray[np.int64], loss: LossRule
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the gradient of the mean loss by name, and take no step."""
        _add_gradient(self._handle, self._parts, loss, samples, picked, np.zeros(3))
        found = {name: array.copy() for name, array in self._parts._asdict().items()}
        self._gradient[:] = 0
        return found


def split(
    parameters: Floats32, shapes: Mapping[str, tuple[int, ...]]
) -> NetworkWeights:
    """Return the parts of one array; each begins at a cache line."""
    parts, first = [], 0
    for shape in shapes.values():
        size = int(np.prod(shape))
        parts.append(parameters[first : first + size].reshape(shape))
        first += -(-size // _CACHE_LINE) * _CACHE_LINE
    return NetworkWeights(*parts)


def _allocate(shapes: Mapping[str, tuple[int, ...]]) -> Floats32:
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    count = sum(-(-size // _CACHE_LINE) * _CACHE_LINE for size in sizes)
    floats: Floats32 = allocate_aligned(-(-count // 2)).view(np.float32)[:count]
    return floats


def _make_shares(logits: Floats32) -> Floats32:
    """Return probabilities, row by row; -inf is none, and a row of these all 0."""
    highest = logits.max(axis=1, initial=-np.inf, keepdims=True)
    shares = np.exp(logits - np.where(np.isfinite(highest), highest, 0))
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.where(total > 0, total, 1), np.float32)


def _exchanged(simulator: CircuitSimulator) -> Views | None:
    """Return the view in which two players are exchanged, where the rules allow it."""
    exchange = find_exchange(simulator.game)
    if exchange is None:
        return None
    facts = np.arange(64 * simulator.width, dtype=np.int32)
    number = {fact: place for place, fact in enumerate(simulator.fluents)}
    images = [number.get(exchange.fact(fact)) for fact in simulator.fluents]
    roles = [simulator.roles.index(exchange.role(role)) for role in simulator.roles]
    ends = np.cumsum([0, *map(len, simulator.moves)])
    moves: list[int | None] = []
    for role, names in enumerate(simulator.moves):
        other = roles[role]
        places = {move: place for place, move in enumerate(simulator.moves[other])}
        found = [places.get(exchange.move(move)) for move in names]
        moves += [None if one is None else int(ends[other]) + one for one in found]
    if None in images or None in moves:
        return None
    facts[: len(images)] = np.array(images, np.int32)
    return Views(facts[None], np.array([moves], np.int32), np.array([roles], np.int32))
