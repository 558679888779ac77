"""Stanford's CS221 lecture on TD-learning: its worked example, and what it compares.

worked     the worked example, by our learner
settings   the ways to learn, and the games
run        learning by self-play, and tests in between
figures    drawing
report     writing
"""

from gamelore.experiments.cs221.reproduce import count_matches, reproduce
from gamelore.experiments.cs221.settings import CS221Settings
from gamelore.experiments.experiment import Experiment

EXPERIMENT = Experiment(
    settings=CS221Settings,
    reproduce=reproduce,
    matches=count_matches,
    quick={"scale": 0.005, "runs": 2, "tests": 40, "playouts": 2},
)
