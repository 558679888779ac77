"""Search of games of one player: the best path is kept, and followed.

search        methods in turns, for a compiled game
layers        breadth-first search over rows, whole or as a beam
beam          beams that become wider and wider
adaptation    nested rollout policy adaptation, 512 rollouts at once
planner       the unrolled game, solved by clasp
unrolled      a circuit run on a solver's literals
plain         breadth-first search and nested rollouts on either engine, the slow twin
path          the best path so far
"""

from gamelore.search.puzzle.path import BestPath, Path
from gamelore.search.puzzle.plain import PlainPuzzleSearch
from gamelore.search.puzzle.search import PuzzleSearch

__all__ = ["BestPath", "Path", "PlainPuzzleSearch", "PuzzleSearch"]
