"""Evaluators by name: the built-in ones, and those that other packages bring."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from gamelore.errors import GameloreError
from gamelore.plugins import find_plugins
from gamelore.search.evaluator import (
    ConstantEvaluator,
    Evaluator,
    HeuristicEvaluator,
)

EVALUATORS: dict[str, Callable[[], Evaluator]] = {
    "constant": ConstantEvaluator,
    "heuristic": HeuristicEvaluator,
}
"""The built-in evaluators that need no other setting."""


def make_evaluator(name: str) -> Evaluator:
    """Return the evaluator of a name; `GameloreError` if there is none.

    That of a plug-in is an evaluator, or a class or function that makes one from
    nothing.
    """
    if name in EVALUATORS:
        return EVALUATORS[name]()
    plugins = find_plugins("evaluators")
    if name not in plugins:
        known = [*EVALUATORS, *plugins]
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise GameloreError(
            f"there is no evaluator {name!r}{hint} (there are {', '.join(known)})"
        )
    plugin = plugins[name]
    found = plugin.load()
    if isinstance(found, Evaluator):
        return found
    if not callable(found):
        raise plugin.fault(f"{plugin.target} makes no evaluator")
    try:
        made = found()
    except Exception as error:  # foreign code
        raise plugin.fault(f"{type(error).__name__}: {error}") from error
    if not isinstance(made, Evaluator):
        raise plugin.fault(
            f"{plugin.target} makes {type(made).__name__}, which is no Evaluator"
        )
    return made
