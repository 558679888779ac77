"""Value functions: tables, linear functions, networks and n-tuple networks."""

from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import LinearSettings, NetworkSettings
from gamelore.values.table import Cell, Cells, Table

__all__ = [
    "Cell",
    "Cells",
    "LinearSettings",
    "NTupleSettings",
    "NetworkSettings",
    "Table",
    "ValueFunction",
    "ValueFunctionEvaluator",
]
