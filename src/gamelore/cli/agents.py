"""Who plays, by name: built-in players, learners, and anybody's Python classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from gamelore.agents.agent import Agent, Entry, PlayerAgent
from gamelore.agents.builtin import NEED_TURNS, PLAYERS, SIZED, maker_of
from gamelore.agents.fallback import FallbackPlayer
from gamelore.agents.random_player import RandomPlayer
from gamelore.cli.learned import HOW, learned_agent, learned_of
from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.learn.agent import LearningAgent
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.snapshots import Snapshot
from gamelore.match.match import FAILURES, play_match
from gamelore.player import Clock, Player
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.transfer.agent import TransferAgent

_PLAYOUTS = 100  # of qm, for each move, where it knows nothing

Command = TypeVar("Command", bound=Callable[..., object])

LEARNERS: dict[str, Callable[[Path | None, int], Agent]] = {
    "td": lambda store, seed: LearningAgent(TDSettings(), store, seed),
    "q": lambda store, seed: LearningAgent(QSettings(), store, seed),
    "qm": lambda store, seed: LearningAgent(QSettings(playouts=_PLAYOUTS), store, seed),
    "transfer": lambda store, seed: TransferAgent(TDSettings(), store, seed),
}
"""For each name, what makes such an agent from its store and a seed."""

NAMES: tuple[str, ...] = (*PLAYERS, *LEARNERS)
"""Every name that `make_agent` knows."""

WHO = (
    f"{', '.join(NAMES)}; {', '.join(f'{name}-N' for name in SIZED)}; {HOW};"
    " or a class as package.module:Class"
)
"""Who can play, for texts of help."""

_REHEARSED = "tictactoe"
_MOVES = 9  # of a rehearsal


def store_option(command: Command) -> Command:
    """`--store`, as every command takes it that lets learners play."""
    return click.option(
        "--store",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="File in which learners (td, q, qm, transfer) keep every match and what"
        " it taught; without one, what they learn is lost at the end.",
    )(command)


def make_agent(
    spec: str,
    *,
    store: Path | None = None,
    seed: int = 0,
    games: Sequence[Game] = (),
) -> Agent:
    """The agent of a name, or of an import path: `package.module:Class`.

    Some names may have a number: minimax-4 looks four moves ahead, and monte-carlo-100
    plays out every move 100 times. `learned:FILE` plays by what a course has saved;
    `games`: what it is going to play, so that it is refused if it does not know one.

    The class is one of players or of agents, made from a seed; so may be what a
    function of that path returns. Learners keep what they learn in the store, or, where
    there is none, as long as they are not closed.
    """
    if spec in LEARNERS:
        if store is not None and not store.parent.is_dir():
            raise GameloreError(f"there is no folder {store.parent} for {store.name}")
        return LEARNERS[spec](store, seed)
    make = maker_of(spec)
    if make is not None and (spec in NEED_TURNS or spec not in PLAYERS):
        return PlayerAgent(
            lambda own: FallbackPlayer(make(own), MonteCarloPlayer(own)), seed
        )
    if make is not None:
        return PlayerAgent(make, seed)
    learned = learned_of(spec)
    if learned is not None:
        return learned_agent(learned, seed, games)
    if ":" in spec:
        return _imported(spec, seed)
    near = get_close_matches(spec, NAMES, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise GameloreError(f"no player {spec!r}{hint} (there are {WHO})")


def rehearses(spec: str) -> bool:
    """Whether such an agent is one of ours, which may play at any time."""
    return spec in NAMES or learned_of(spec) is not None


def rehearse(spec: str) -> None:
    """Have such an agent of ours play two short matches, which nobody keeps.

    They load what no match should have to wait for, learning included.
    """
    agent = make_agent(spec)
    learned = learned_of(spec)
    game = load(_REHEARSED) if learned is None else Snapshot.load(learned.path).game
    engine = simulator(game)
    own, *others = engine.roles
    try:
        for match in ("first", "second"):
            entry = Entry(match, engine, own, ("rehearsal",))
            players = {role: cast(Player, RandomPlayer()) for role in others}
            players[own] = agent.enter(entry, Clock(60.0))
            record = play_match(engine, players, play_clock=0.1, move_limit=_MOVES)
            agent.finish(entry, record)
    finally:
        agent.close()


# ── import paths ────────────────────────────────────────────────────────────────────


def _imported(spec: str, seed: int) -> Agent:
    """What an import path leads to."""
    found = _look_up(spec)
    if _is_agent(found) and not isinstance(found, type):
        return cast(Agent, found)
    if not callable(found):
        raise GameloreError(
            f"{spec} is neither a class nor a function that makes a player from a seed"
        )
    make = cast(Callable[[int], Any], found)
    made = _made(spec, make, seed)
    if _is_agent(made):
        return cast(Agent, made)
    if not _is_player(made):
        raise GameloreError(
            f"{spec} makes {type(made).__name__}, which is no player: it needs the"
            " methods start and choose"
        )
    return PlayerAgent(cast(Callable[[int], Player], make), seed)


def _look_up(spec: str) -> object:
    """The object that an import path names."""
    module_name, _, path = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:  # a console script does not look in the current folder
        sys.path.insert(0, here)
    try:
        found: object = import_module(module_name)
    except (ImportError, SyntaxError, ValueError) as error:
        raise GameloreError(f"cannot import {module_name!r}: {error}") from error
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            near = get_close_matches(name, dir(found), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise GameloreError(f"{spec}: there is no {name!r}{hint}") from None
    return found


def _made(spec: str, make: Callable[[int], Any], seed: int) -> object:
    try:
        return make(seed)
    except FAILURES as error:
        raise GameloreError(
            f"{spec} cannot be made from a seed: {type(error).__name__}: {error}"
        ) from error


def _is_agent(found: object) -> bool:
    return _has(found, "enter", "finish", "close")


def _is_player(found: object) -> bool:
    return _has(found, "start", "choose")


def _has(found: object, *methods: str) -> bool:
    return all(callable(getattr(found, name, None)) for name in methods)
