"""Settings of value functions that generalise: linear ones and networks.

They say what is learned. `TDSettings` and `QSettings` say how it is learned (step size,
discount, traces), as for tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gamelore.settings import SettingError, check, setting
from gamelore.values.ntuple.settings import NTupleSettings


@dataclass(frozen=True)
class _FunctionSettings:
    """What every value function can be told."""

    updates: Literal["online", "offline", "during-play"] = "online"
    """When weights change. *online*: a match is learned from once it has ended, but
    every update changes the predictions that follow it, as in Equations 1 and 5 of
    Campos and Langlois (2003). *offline*: all predictions of a match are made with the
    weights from before it, and the updates are added at its end. *during-play*: like
    online, and each move is chosen with the weights of that moment; by TD(λ) alone."""
    terminal_target: Literal["reward", "bootstrap", "both"] = "reward"
    """What the position before the last is updated towards: the *reward* of the match;
    the function's value of the terminal position, which learns the reward itself
    (*bootstrap*, as in tables); or *both* added up."""
    terminal_lookahead: bool = setting(True, option="function-terminal-lookahead")
    """Whether a move that ends the match is chosen by its reward, not by its value."""
    reward_in_selection: bool = False
    """Whether a move is chosen by its shaping reward plus the discounted value of what
    it leads to; else by that value alone."""
    trace_includes: Literal["current", "successor"] = "current"
    """The last position in the eligibility trace when a TD error is applied: the
    *current* one, which is TD(λ), or its *successor* as well, which is Equation 5 of
    Campos and Langlois as printed."""
    perspective: Literal["first", "learner", "current-player"] = "first"
    """Whose goals values are of: the first player's, the learner's, or those of who has
    just moved. *first*: values are of the first player's goals, whoever moves, and
    every position of a match is learned from. *learner*: values are of the goals of the
    role that learns in a match, with inputs from its side, and every position is
    learned from; in self-play the other role takes the move with the lowest value.
    *current-player*: values are of the goals of the player that has just moved, with
    inputs from its side, and it learns from its own moves. Inputs from a side: features
    are counted for it; fluents are renamed as if it were the first player where the
    rules are symmetric (its discs are red, whichever colour they have), and are the
    same for both players elsewhere."""
    risk_side: Literal["values", "mover"] = "values"
    """Whose gain a TD error is when κ weighs it: that of the role whose *values* these
    are, or that of the *mover*, so that on the other role's moves gains and losses are
    exchanged and each side seeks or avoids risk about its own luck. With κ = 0 there
    is no difference."""
    lowest_reward: float = setting(0.0, least=-1e9, most=1e9)
    """What the lowest goal counts."""
    highest_reward: float = setting(1.0, least=-1e9, most=1e9)
    """What the highest goal counts."""
    fluents: bool | None = None
    """Whether each fluent is an input. By default only where there are no features."""
    scaling: tuple[tuple[str, float], ...] = ()
    """What a feature is multiplied by before it is an input; may be repeated."""

    def __post_init__(self) -> None:
        check(self)
        for name, factor in self.scaling:
            if factor <= 0:
                requirement = f"of {name} must be positive, got {factor}"
                raise SettingError("scaling", requirement)
        if self.risk_side == "mover" and self.perspective == "current-player":
            raise SettingError(
                "risk_side",
                "mover is for values that are learned from every move: the perspective"
                " must be first or learner, got current-player",
            )
        if self.lowest_reward >= self.highest_reward:
            raise SettingError(
                "lowest_reward",
                f"must be less than the highest, got {self.lowest_reward} and"
                f" {self.highest_reward}",
            )


@dataclass(frozen=True)
class LinearSettings(_FunctionSettings):
    """V = w · φ, as in the CS221 lecture."""

    output: Literal["identity", "sigmoid", "tanh"] = "identity"
    """The output function."""
    bias: bool = True
    """Whether there is an input that is always 1."""
    initial_value: float = 0.0
    """The weights at first."""


@dataclass(frozen=True)
class NetworkSettings(_FunctionSettings):
    """One hidden layer; defaults are those of Campos and Langlois (2003)."""

    hidden: int = setting(40, least=1, most=10_000)
    """Hidden units of a network."""
    activation: Literal["sigmoid", "tanh"] = "sigmoid"
    """The activation function of hidden units."""
    output: Literal["identity", "sigmoid", "tanh"] = "sigmoid"
    """The output function."""
    initial_range: float | None = setting(0.01, above=0, most=1000, none="scaled")
    """First weights of a network are drawn from plus or minus this; scaled: from a
    range that is smaller where more inputs are on, which is `None` in Python."""


FunctionSettings: TypeAlias = LinearSettings | NetworkSettings | NTupleSettings
