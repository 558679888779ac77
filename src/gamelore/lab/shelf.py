"""Games by their ids, each with what plays and draws it.

connect-four      a library game
file:my-game.kif  a rule sheet of the folder
rules:3f2a…       rules that were kept under an id of their own
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock, Thread

import numpy as np

from gamelore.board import Board
from gamelore.engine import CircuitSimulator, Simulator, simulator_in_stages
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import entry, library, load
from gamelore.gdl import Game, Move, read_term, to_kif
from gamelore.lab.events import GameEntry
from gamelore.lab.priority import give_way
from gamelore.lab.requests import Place
from gamelore.lab.workspace import RULES, Workspace
from gamelore.match.record import CHANCE

_KEPT = 24  # games that stay prepared
_SAMPLES = 64  # random matches that tell whether goals add up
_MOST_MOVES = 400  # of those


@dataclass(frozen=True)
class LabGame:
    """A game with its simulator and its board."""

    id: str
    game: Game
    simulator: Simulator
    board: Board
    spots: dict[tuple[bytes, str, Move], str] = field(default_factory=dict, repr=False)
    """Where moves go that name more than two cells, as far as that was looked for."""

    @property
    def players(self) -> tuple[str, ...]:
        """The roles that somebody plays."""
        return tuple(role for role in self.game.roles if role != CHANCE)

    @cached_property
    def goal_sum(self) -> float | None:
        """What the goals of two players add up to, if it is always the same."""
        if len(self.players) != 2:
            return None
        rows = np.repeat(self.simulator.initial_row()[None], _SAMPLES, axis=0)
        if self.simulator.engine == "interpreter":
            rows = rows[:2]
        found = self.simulator.playouts(rows, 1, seed=1, move_limit=_MOST_MOVES)
        numbers = [self.game.roles.index(role) for role in self.players]
        sums = set(found.goal_sums[:, numbers].sum(axis=1).tolist())
        if found.cut_off or len(sums) != 1:
            return None
        return float(sums.pop())

    def locate(self, place: Place) -> list[Position]:
        """Return all positions on the way to a place, from the initial one."""
        positions = [Position.initial(self.simulator)]
        for joint in place.moves:
            complete = complete_joint(positions[-1], joint)
            positions.append(positions[-1].advance(complete))
        return positions


def complete_joint(position: Position, given: Sequence[str]) -> tuple[Move, ...]:
    """Return a joint move; those who have no choice may be left out of what is given.

    `GameloreError` where moves are missing or are not legal.
    """
    terms = [read_term(text) for text in given]
    roles = position.roles
    if len(terms) != len(roles):
        deciding = [role for role in roles if len(position.legal_moves(role)) > 1]
        if len(deciding) != len(terms):
            raise GameloreError(f"give a move for each of {', '.join(deciding)}")
        chosen = dict(zip(deciding, terms, strict=True))
        terms = [chosen.get(role) or position.legal_moves(role)[0] for role in roles]
    for role, move in zip(roles, terms, strict=True):
        if move not in position.legal_moves(role):
            raise GameloreError(f"{to_kif(move):.80} is not legal for {role} there")
    return tuple(terms)


def _is_provisional(engine: Simulator) -> bool:
    """Return whether a better simulator of its game is to come."""
    return isinstance(engine, CircuitSimulator) and not (
        engine.compiled.statistics.reaches("normal")
    )


class GameShelf:
    """Finds games, and prepares them to be played."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._lock = Lock()
        self._prepared: OrderedDict[tuple[str, str], LabGame] = OrderedDict()

    def load(self, key: str) -> Game:
        """Return the game of an id; `GameloreError` if there is none."""
        kind, _, rest = key.partition(":")
        if rest and kind == "file":
            text, _ = self.workspace.read_rules(rest)
            name = rest.rpartition("/")[2].removesuffix(RULES)
            return Game.from_kif(text, name)
        if rest and kind == "rules":
            text, name = self.workspace.read_draft(rest)
            return Game.from_kif(text, name)
        return load(entry(key).name)

    def prepare(self, key: str) -> LabGame:
        """Return a game that is ready to be played; this may take a while.

        Of a large game it has the circuit of the least effort at first. The better one
        is compiled in a thread, and is that of whoever asks for the game later.
        """
        game = self.load(key)
        known = key, game.fingerprint
        with self._lock:
            if known in self._prepared:
                self._prepared.move_to_end(known)
                return self._prepared[known]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of games that the interpreter plays
            stages = simulator_in_stages(game)
            engine = next(stages)
        prepared = LabGame(key, game, engine, engine.board)
        with self._lock:
            if known in self._prepared:  # by another thread, meanwhile
                return self._prepared[known]
            self._prepared[known] = prepared
            while len(self._prepared) > _KEPT:
                self._prepared.popitem(last=False)
        if _is_provisional(engine):
            Thread(target=self._improve, args=(known, stages), daemon=True).start()
        return prepared

    def _improve(self, known: tuple[str, str], stages: Iterator[Simulator]) -> None:
        """Take better simulators of a game as they are compiled."""
        give_way()
        for engine in stages:
            with self._lock:
                prepared = self._prepared.get(known)
                if prepared is None:
                    return
                self._prepared[known] = replace(prepared, simulator=engine)

    def keep(self, text: str, name: str) -> str:
        """Keep rules without an error, and return the id of their game."""
        Game.from_kif(text, name)
        return f"rules:{self.workspace.keep_draft(text, name)}"

    def list_games(self) -> list[GameEntry]:
        """Return the library's games and the rule sheets of the folder."""
        games = [
            GameEntry(one.name, one.name, one.description, list(one.roles))
            for one in library()
        ]
        for path in self.workspace.list_files(RULES):
            name = self.workspace.relative(path)
            if name.endswith(".features.kif"):
                continue
            try:
                roles = list(self.load(f"file:{name}").roles)
            except (GameloreError, OSError):
                roles = []  # rules with errors can be edited, not played
            described = "in your folder" if roles else "in your folder, with errors"
            games.append(GameEntry(f"file:{name}", name, described, roles))
        return games
