"""Matches: the referee, the record of a match, ratings and standings."""

from gamelore.match.match import Fault, MatchRecord, play_match

__all__ = ["Fault", "MatchRecord", "play_match"]
