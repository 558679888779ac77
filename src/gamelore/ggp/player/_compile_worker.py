"""The process that compiles a game for a server, apart so that it can be ended.

Reads one request from standard input, a line of JSON; writes lines to standard output:
`ready` once it can take the request, `sound` once the interpreter is seen to play the
game, `playable` once some circuit is in the cache, `compiled` once the better one has
taken its place, with all that a search needs of it, `failed …` where that is not to be.
Ends when standard input is closed.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Sequence
from random import Random
from typing import TypedDict

from gamelore.circuit import compile_in_stages
from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Game, Rule
from gamelore.ground import GroundLimits
from gamelore.search.mcts.lanes import find_lookahead
from gamelore.search.mcts.profile import profile_game

_STEPS = 8  # joint moves that the interpreter is tried with, or fewer …
_ENOUGH = 1.0  # … once the trial has lasted so many seconds
_HEAD_START = 2.0  # seconds that compiling waits for the trial, which a match waits for
_TRIAL = 20.0  # seconds that the trial may last beyond compiling


class CompileRequest(TypedDict):
    """What to prepare, and within which limits."""

    rules: str
    interpreted: str
    """The same rules in the order that the interpreter takes."""
    name: str
    seconds: float
    memory_mb: int


def main() -> None:
    """Prepare one game."""
    _say("ready")
    line = sys.stdin.readline()
    if not line:
        return
    request: CompileRequest = json.loads(line)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    memory = request["memory_mb"] * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    game = Game.from_kif(request["rules"], request["name"])
    rules = Game.from_kif(request["interpreted"], request["name"]).rules
    trial = threading.Thread(target=_try_out, args=(game, rules), daemon=True)
    trial.start()
    trial.join(_HEAD_START)
    try:
        limits = GroundLimits(request["seconds"], request["memory_mb"])
        is_large = False
        for compiled in compile_in_stages(game, limits):
            if not compiled.statistics.reaches("normal"):
                is_large = True
                _say("playable")
                continue
            if is_large:
                _compose_lookahead(game)
            _say("compiled")
    except GameloreError as error:
        _say(f"failed {error}")
    except MemoryError:
        _say(f"failed compiling takes over {request['memory_mb']} MB")
    trial.join(_TRIAL)


def _compose_lookahead(game: Game) -> None:
    """Have what the tree search composes in the cache too: it can take seconds."""
    engine = simulator(game, "circuit")
    assert isinstance(engine, CircuitSimulator)
    profile = profile_game(engine, engine.initial_row(), 0)
    if profile.in_turns:
        find_lookahead(engine, profile.constant_sum)


def _try_out(game: Game, rules: Sequence[Rule]) -> None:
    """See whether the interpreter plays the game within the limits."""
    random = Random(0)
    enough = time.monotonic() + _ENOUGH
    try:
        position = Position.initial(Interpreter(game, rules=rules))
        for step in range(_STEPS):
            if position.is_terminal or (step and time.monotonic() > enough):
                break
            options = [position.legal_moves(role) for role in position.roles]
            if not all(options):
                break
            position = position.advance(tuple(map(random.choice, options)))
        _say("sound")
    except MemoryError:
        _say("unsound it takes too much memory")
    except Exception as error:  # whatever rules from anywhere lead to
        _say(f"unsound {type(error).__name__}: {error}")


def _say(line: str) -> None:
    text = " ".join(line.split())
    with _speaking:
        print(text, flush=True)


_speaking = threading.Lock()


def _end_with_parent() -> None:
    """Wait until standard input is closed; then end, with all processes started."""
    sys.stdin.read()
    os.killpg(os.getpgrp(), signal.SIGKILL)
