"""Who can play in the lab: persons, built-in players, levels, snapshots of runs.

    person        whoever clicks
    level-3       a level of strength
    trained       by weights that come with gamelore
    mcts, …       a built-in player, with a number or without
    run:ID        what a training run has learned so far
    run:ID:1000   its snapshot after so many matches

Classes to be imported and paths of files are for the command line: a page names none.
"""

from __future__ import annotations

from pathlib import Path

from gamelore.agents.agent import Agent
from gamelore.agents.builtin import LEVEL, PLAYERS
from gamelore.agents.levels import LEVELS
from gamelore.agents.registry import LEARNED, TRAINED, TREE, AgentSpec, make_agent
from gamelore.errors import GameloreError
from gamelore.gdl import Game
from gamelore.lab.events import AgentEntry
from gamelore.lab.workspace import Workspace

PERSON = "person"
RUN = "run"
USUAL_SECONDS = 1.0
"""For a move of a player that nothing else limits."""

_DESCRIPTIONS = {
    TRAINED: "by learned values where they come with the game, else as mcts",
    TREE: "tree search, without anything learned",
    "random": "any legal move",
    "novice": "sees wins and losses one move ahead",
    "weak": "a novice that slips",
    "minimax": "looks all moves ahead, to a depth",
    "monte-carlo": "counts random matches",
    "nested": "nested random matches, for puzzles",
    "heuristic": "looks ahead, and counts features",
}


class Roster:
    """Lists agents, and makes them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list_agents(self) -> list[AgentEntry]:
        """Return those that play every game; runs are listed by themselves."""
        levels = [
            AgentEntry(
                f"{LEVEL}-{number}", f"Level {number}", _describe(level.playouts)
            )
            for number, level in enumerate(LEVELS, 1)
        ]
        return levels + [
            AgentEntry(name, name, _DESCRIPTIONS.get(name, ""))
            for name in (TRAINED, *PLAYERS)
        ]

    def check(self, spec: str) -> None:
        """Raise `GameloreError` unless somebody of that name can play."""
        if spec != PERSON and not spec.startswith(f"{RUN}:"):
            self._parse(spec)

    def describe(self, spec: str) -> str:
        """Return the name of a player for people."""
        if spec == PERSON:
            return "you"
        if spec.startswith(f"{LEVEL}-"):
            return f"level {spec.removeprefix(f'{LEVEL}-')}"
        if spec.startswith(f"{RUN}:"):
            _, run, *rest = spec.split(":")
            return f"run {run}" + (f" after {int(rest[0]):,}" if rest else "")
        return spec

    def make(self, spec: str, game: Game, seed: int) -> Agent:
        """Return the agent of a spec."""
        if not spec.startswith(f"{RUN}:"):
            return make_agent(self._parse(spec), seed=seed, games=[game])
        file = self.find_snapshot(spec)
        own = AgentSpec(LEARNED, None, str(file))
        return make_agent(own, seed=seed, games=[game])

    def seconds_for(self, spec: str) -> float | None:
        """Return the clock that a player needs where the match has none."""
        unlimited = (TRAINED, TREE, f"{LEVEL}-{len(LEVELS)}")
        if spec in unlimited or spec.startswith(f"{RUN}:"):
            return USUAL_SECONDS
        return None

    def find_snapshot(self, spec: str) -> Path:
        """Return the checkpoint that `run:ID` or `run:ID:MATCHES` names."""
        _, run, *rest = spec.split(":")
        if not run.isalnum() or len(rest) > 1 or not all(r.isdecimal() for r in rest):
            raise GameloreError(f"there is no run {run!r:.40}")
        name = f"run-{rest[0]}.ckpt" if rest else "run.ckpt"
        file = self._workspace.runs / run / name
        if not file.is_file():
            what = (
                f"no snapshot {rest[0]}"
                if rest
                else "nothing learned yet: wait a little"
            )
            raise GameloreError(f"run {run} has {what}")
        return file

    def _parse(self, spec: str) -> AgentSpec:
        if ":" in spec or "/" in spec or "\\" in spec:
            raise GameloreError(f"{spec!r:.60} is not for the lab: start it by command")
        parsed = AgentSpec.parse(spec)
        if parsed.learns or parsed.name == LEARNED or not parsed.is_own:
            raise GameloreError(
                f"{spec!r:.60} is not for the lab: start a training run"
            )
        return parsed


def _describe(playouts: int | None) -> str:
    if playouts is None:
        return "searches as long as its clock allows"
    return f"searches {playouts:,} playouts a move"
