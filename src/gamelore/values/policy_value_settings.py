"""Settings of networks of policy and value."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.settings import check, setting


@dataclass(frozen=True)
class PolicyValueSettings:
    """Two hidden layers over facts; one value for each role, one logit for each move.

    They say what is learned; `ZeroSettings` say how.
    """

    hidden: int = setting(128, least=8, most=10_000)
    """Hidden units of a network; of policy and value, in its first layer."""
    second_hidden: int = setting(64, least=8, most=10_000)
    """Hidden units in the second layer."""
    final_facts: float = setting(0.0, least=0, most=100)
    """The weight of the loss at one more task: to foresee the facts of the terminal
    position. With 0 the network has no outputs for it."""
    exchange: bool = True
    """Whether the second of two players sees the position as if it were the first,
    where the rules are the same to both."""

    def __post_init__(self) -> None:
        check(self)
