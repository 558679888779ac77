"""Campos and Langlois (2003): Abalearn, risk-sensitive self-play in Abalone, rerun.

settings    the methods, and what the paper leaves open
run         training agents, and testing them on the way
games       agents against each other, and against deep search
published   the paper's numbers
readings    self-play, where the paper may be read otherwise
claims      the paper's numbers and statements beside ours
figures     drawing
report      writing
"""

from gamelore.experiments.abalearn2003.reproduce import count_matches, reproduce
from gamelore.experiments.abalearn2003.settings import Abalearn2003Settings
from gamelore.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    settings=Abalearn2003Settings,
    reproduce=reproduce,
    matches=count_matches,
    quick={
        "agents": 2,
        "scale": 0.01,
        "tests": 4,
        "move_limit": 80,
        "search_nodes": 50,
    },
)
