"""What GDL demands of rules."""

from __future__ import annotations

from collections.abc import Sequence

from gamelore.gdl.problems import Problem
from gamelore.gdl.rules import Rule


def check(rules: Sequence[Rule], text: str, source: str = "") -> list[Problem]:
    return []
