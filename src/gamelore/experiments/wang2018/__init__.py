"""Wang, Emmerich and Plaat (2018): Q-learning and QM-learning, rerun.

settings       the courses of learning behind each figure
run            playing them
analysis       four ways to read a "win rate"
best_response  the best there is, worked out exactly
claims         the paper's numbers and statements beside ours
published      how the authors' published program departs from the paper
beyond         what it takes to play perfectly
figures        drawing
report         writing
"""

from gamelore.experiments.experiment import Experiment
from gamelore.experiments.wang2018.reproduce import count_matches, reproduce
from gamelore.experiments.wang2018.settings import Wang2018Settings

EXPERIMENT = Experiment(
    settings=Wang2018Settings,
    reproduce=reproduce,
    matches=count_matches,
    quick={"scale": 0.04, "rounds": 3},
)
