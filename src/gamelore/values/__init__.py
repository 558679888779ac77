"""Value functions: tables, linear functions and networks."""

from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings, NetworkSettings
from gamelore.values.table import Cell, Cells, Table

__all__ = [
    "Cell",
    "Cells",
    "LinearSettings",
    "NetworkSettings",
    "Table",
    "ValueFunction",
    "ValueFunctionEvaluator",
]
