"""Matches.

match       one match between players in this process
referee     applies the rules to what players answer
record      what happened: joint moves, goals, faults
batch       many matches at once, between evaluators
ratings     Bradley-Terry ratings from results
standings   tables of results; plots draws them
"""

from gamelore.match.match import play_match
from gamelore.match.record import Fault, MatchRecord

__all__ = ["Fault", "MatchRecord", "play_match"]
