"""Short matches that load what no real match should have to wait for."""

from __future__ import annotations

from contextlib import nullcontext

from gamelore.agents.agent import MatchEntry
from gamelore.agents.builtin import LEVEL
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import (
    TRAINED,
    TREE,
    AgentSpec,
    load_trained_games,
    load_training_kernels,
    make_agent,
)
from gamelore.ahead import compiled_ahead
from gamelore.engine import load_many_moves, simulator
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.player import Clock, Player
from gamelore.search.mcts.ahead import TASK as SEARCH

_GAME = "tictactoe"
_RANDOM = "random"
_PUZZLE = "peg-solitaire"
_MOVES = 9
_warm = set[str]()  # names of built-in agents whose kernels are loaded


def warm_up(spec: AgentSpec) -> None:
    """Have a new agent of a spec play two short matches, learning included.

    One that searches plays a puzzle too: its search is another one. So does `trained`
    every game that it has weights for: under other names it plays on a circuit of its
    own, which must be there; and it loads what it learns other games with. All but the
    random player load what playouts of games of many moves need. Nothing is kept of
    the matches. Agents of your own are left alone, and built-in ones that this process
    has warmed up before.
    """
    if not spec.is_own or spec.name in _warm:
        return
    searches = spec.name in (TRAINED, TREE, LEVEL)
    with compiled_ahead(SEARCH) if searches else nullcontext():
        _play_matches(spec)
    if not spec.target:
        _warm.add(spec.name)


def _play_matches(spec: AgentSpec) -> None:
    if spec.name != _RANDOM:
        load_many_moves()
    agent = make_agent(spec)
    engine = simulator(getattr(agent, "game", None) or load(_GAME))
    matches = [(engine, 60.0), (engine, 60.0)]
    if spec.name in (TRAINED, TREE, LEVEL):
        # first, while another process compiles what the other matches need
        matches.insert(0, (simulator(load(_PUZZLE)), 0.1))
    if spec.name == TRAINED:
        load_training_kernels()
        matches += [(simulator(game), 0.1) for game in load_trained_games()]
    try:
        for number, (engine, seconds) in enumerate(matches):
            own, *others = engine.roles
            match = f"match-{number}"
            entry = MatchEntry(match, engine, own, ("random",))
            players: dict[str, Player] = {role: RandomPlayer() for role in others}
            players[own] = agent.enter(entry, Clock(seconds))
            record = play_match(engine, players, play_clock=0.1, move_limit=_MOVES)
            agent.finish(entry, record)
    finally:
        agent.close()
