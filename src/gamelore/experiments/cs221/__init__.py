"""Stanford's CS221 lecture on TD-learning: its worked example, and what it compares.

settings         the learners, and the games
run              training by self-play, and test matches in between
worked_example   the worked example, by our learner
claims           what the lecture compares, by matches
plots, report    figures, report.md and the data
reproduce        all of it
"""

from gamelore.experiments.cs221.reproduce import EXPERIMENT

__all__ = ["EXPERIMENT"]
