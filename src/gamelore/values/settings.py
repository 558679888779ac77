"""Settings of value functions that generalise: linear ones and networks.

They say what is learned; how it is learned (step size, discount, traces) is said by
`TDSettings` or `QSettings`, as for tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class _FunctionSettings:
    """What every value function can be told."""

    updates: Literal["online", "offline"] = "online"
    """*online*: every update changes the predictions that follow it, as in Equations 1
    and 5 of Campos and Langlois (2003). *offline*: all predictions of a match are made
    with the weights from before it, and the updates are added at its end; cheaper."""
    terminal_target: Literal["reward", "bootstrap", "both"] = "reward"
    """What the position before the last is updated towards: the *reward* of the match;
    the function's value of the terminal position, which learns the reward itself
    (*bootstrap*, as in tables); or *both* added up."""
    terminal_lookahead: bool = True
    """Whether a move that ends the match is chosen by its reward, not by its value."""
    reward_in_selection: bool = False
    """Whether a move is chosen by its shaping reward plus the discounted value of what
    it leads to; else by that value alone."""
    trace_includes: Literal["current", "successor"] = "current"
    """The last position in the eligibility trace when a TD error is applied: the
    *current* one, which is TD(λ), or its *successor* as well, which is Equation 5 of
    Campos and Langlois as printed."""
    perspective: Literal["first", "current-player"] = "first"
    """*first*: values are of the first player's goals, whoever moves, and every
    position of a match is learned from. *current-player*: values are of the goals of
    the player that has just moved, with inputs from its side, and it learns from its
    own moves. Features are counted for its side; fluents are renamed as if it were the
    first player where the rules are symmetric (its discs are red, whichever colour they
    have), and are the same for both players elsewhere."""
    lowest_reward: float = 0.0
    """What the lowest goal counts."""
    highest_reward: float = 1.0
    """What the highest goal counts."""
    fluents: bool | None = None
    """Whether each fluent is an input; if not given, where there are no features."""
    scaling: tuple[tuple[str, float], ...] = ()
    """What a feature, by name, is multiplied by before it is an input; else by 1."""

    def __post_init__(self) -> None:
        _check_choice("updates", self.updates, ("online", "offline"))
        targets = ("reward", "bootstrap", "both")
        _check_choice("terminal_target", self.terminal_target, targets)
        includes = ("current", "successor")
        _check_choice("trace_includes", self.trace_includes, includes)
        perspectives = ("first", "current-player")
        _check_choice("perspective", self.perspective, perspectives)
        for name in ("lowest_reward", "highest_reward"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be finite, got {getattr(self, name)}")
        for name, factor in self.scaling:
            if not 0 < factor < math.inf:
                raise ValueError(f"scaling of {name} must be positive, got {factor}")
        if self.lowest_reward >= self.highest_reward:
            raise ValueError(
                f"lowest_reward must be less than highest_reward, got"
                f" {self.lowest_reward} and {self.highest_reward}"
            )


@dataclass(frozen=True)
class LinearSettings(_FunctionSettings):
    """V = w · φ, as in the CS221 lecture."""

    output: Literal["identity", "sigmoid", "tanh"] = "identity"
    """What is made of the sum."""
    bias: bool = True
    """Whether there is an input that is always 1."""
    initial_value: float = 0.0
    """The weights at first."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("output", self.output, ("identity", "sigmoid", "tanh"))
        if not math.isfinite(self.initial_value):
            raise ValueError(f"initial_value must be finite, got {self.initial_value}")


@dataclass(frozen=True)
class NetworkSettings(_FunctionSettings):
    """One hidden layer; defaults are those of Campos and Langlois (2003)."""

    hidden: int = 40
    """Hidden units."""
    activation: Literal["sigmoid", "tanh"] = "sigmoid"
    """Of the hidden units."""
    output: Literal["identity", "sigmoid", "tanh"] = "sigmoid"
    """Of the output unit."""
    initial_range: float | None = 0.01
    """Weights are drawn at first from plus or minus this; if `None`, from a range that
    shrinks with the number of inputs that are on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_choice("activation", self.activation, ("sigmoid", "tanh"))
        _check_choice("output", self.output, ("identity", "sigmoid", "tanh"))
        if self.hidden < 1:
            raise ValueError(f"hidden must be at least 1, got {self.hidden}")
        if self.initial_range is not None and not 0 < self.initial_range < math.inf:
            raise ValueError(
                f"initial_range must be positive, got {self.initial_range}"
            )


FunctionSettings: TypeAlias = LinearSettings | NetworkSettings


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
