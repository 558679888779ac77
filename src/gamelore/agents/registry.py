"""The registry of agents: one table of names, and one parser of specs.

    random                     a built-in player
    minimax-4                  … with a number: its depth, or its playouts of each move
    level-3                    the level of strength 3, of 1 to 10
    minimax-4:material         alpha-beta over an evaluator, by its name
    trained                    searches over weights that come with gamelore; in games
                               that have none by playouts, as mcts, and learns them
                               while it plays
    td                         an agent that learns from its matches
    openspiel-1000             OpenSpiel's MCTSBot; with a number: its simulations
    openspiel:BOT              another bot that is registered with OpenSpiel
    learned:FILE[:DEPTH]       what a training run has saved, looking DEPTH moves ahead
    mcts:FILE[:PLAYOUTS]       tree search that values leaves by what was saved
    package.module:Class       a player or agent of your own, made from a seed
    NAME                       one that another package brings: see `gamelore.plugins`

Agents of higher layers are named by import path and imported when they are made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from gamelore.agents.agent import Agent, PlayerAgent
from gamelore.agents.builtin import (
    LEVEL,
    MOST,
    OVER_EVALUATORS,
    PARAMETERS,
    PLAYERS,
    Parameter,
    make_player,
    make_search,
)
from gamelore.errors import GameloreError
from gamelore.gdl import Game
from gamelore.player import Player
from gamelore.plugins import find_plugins
from gamelore.search.alpha_beta import SearchLimits
from gamelore.search.evaluators import make_evaluator

LEARNERS = {
    "td": "gamelore.learn.agent:make_td_agent",
    "q": "gamelore.learn.agent:make_q_agent",
    "qm": "gamelore.learn.agent:make_qm_agent",
    "transfer": "gamelore.transfer.agent:make_transfer_agent",
}
"""Agents that learn: import paths of functions of a store and a seed."""

LEARNED = "learned"
IMPORTED = "import"
PLUGIN = "plug-in"
OPENSPIEL = "openspiel"
TREE = "mcts"
TRAINED = "trained"
"""The player by the weights that come with gamelore; without them, tree search."""
DEFAULT = TRAINED
"""The player where none is named: the strongest on any game."""
_SNAPSHOT_AGENT = "gamelore.learn.learned_player:make_snapshot_agent"
_OPENSPIEL_PLAYER = "gamelore.adapters.open_spiel_bots:make_open_spiel_player"
_TRAINED_AGENT = "gamelore.learn.trained:make_trained_agent"
_TRAINED_GAMES = "gamelore.learn.trained:load_trained_games"
_TRAINING_KERNELS = "gamelore.learn.in_match:load_kernels"
_TREE_AGENT = "gamelore.learn.learned_player:make_tree_agent"

NAMES: tuple[str, ...] = (TRAINED, *PLAYERS, *LEARNERS)
"""Every name of the table."""

FORMS = (
    *NAMES,
    *(f"{name}-N" for name in (*PARAMETERS, LEVEL)),
    *(f"{name}[-N]:EVALUATOR" for name in OVER_EVALUATORS),
    "openspiel[-N]",
    "openspiel:BOT",
    "learned:FILE[:DEPTH]",
    "mcts:FILE[:PLAYOUTS]",
    "package.module:Class",
)
"""All forms of a spec, for help texts; plug-ins come on top."""


def known_forms() -> tuple[str, ...]:
    """Return all forms of a spec, with the names that other packages bring."""
    return (*FORMS, *(name for name in find_plugins("agents") if name not in NAMES))


@dataclass(frozen=True)
class AgentSpec:
    """Who plays, parsed; `str` gives the text back."""

    name: str
    """A name of the table, or `learned`, `openspiel`, `import` or `plug-in`."""
    number: int | None = None
    """The depth, the playouts of each move or the level, where the text has one."""
    target: str = ""
    """The file of what was learned, an import path, the name of a plug-in, of a bot of
    OpenSpiel's or of an evaluator."""

    @classmethod
    def parse(cls, text: str) -> AgentSpec:
        """Return the spec that a text stands for; `GameloreError` if there is none."""
        if text in NAMES:
            return cls(text)
        numbered = _parse_number(text)
        if numbered is not None:
            return numbered
        learned = _parse_learned(text) or _parse_tree(text)
        if learned is not None:
            return learned
        if text in find_plugins("agents"):
            return cls(PLUGIN, target=text)
        if ":" in text:
            return _parse_target(text)
        raise GameloreError(_unknown(text))

    def __str__(self) -> str:
        if self.name in (IMPORTED, PLUGIN):
            return self.target
        if self.is_learned:
            number = "" if self.number is None else f":{self.number}"
            return f"{self.name}:{self.target}{number}"
        number = "" if self.number is None else f"-{self.number}"
        return f"{self.name}{number}{':' if self.target else ''}{self.target}"

    @property
    def label(self) -> str:
        """The short name in tables of results: of a learned agent, its file's name."""
        if not self.is_learned:
            return str(self)
        number = "" if self.number is None else f":{self.number}"
        kind = f"{TREE}:" if self.name == TREE else ""
        return f"{kind}{Path(self.target).name}{number}"

    @property
    def is_learned(self) -> bool:
        """Whether it plays by the file of a training run."""
        return self.name == LEARNED or (self.name == TREE and bool(self.target))

    @property
    def learns(self) -> bool:
        """Whether it learns from the matches it plays, and so has use for a store."""
        return self.name in LEARNERS

    @property
    def is_own(self) -> bool:
        """Whether gamelore brings it along; else it is somebody's class."""
        return self.name not in (IMPORTED, PLUGIN)


def make_agent(
    spec: str | AgentSpec,
    *,
    store: Path | None = None,
    seed: int = 0,
    games: Sequence[Game] = (),
) -> Agent:
    """Return the agent of a spec.

    `store`: the file in which an agent that learns keeps what it learns; without one,
    that is lost when it is closed. `games`: what it is going to play, if that is known;
    `CheckpointError` if a learned agent does not know one.

    An imported class is one of players or of agents, made from a seed. So may be what a
    function of that path returns.
    """
    if isinstance(spec, str):
        spec = AgentSpec.parse(spec)
    if spec.learns:
        if store is not None and not store.parent.is_dir():
            raise GameloreError(f"there is no folder {store.parent} for {store.name}")
        return cast(Agent, _look_up(LEARNERS[spec.name])(store, seed))
    if spec.is_learned:
        make = _look_up(_TREE_AGENT if spec.name == TREE else _SNAPSHOT_AGENT)
        return cast(Agent, make(Path(spec.target), spec.number, seed, games))
    if spec.name == TRAINED:
        return cast(Agent, _look_up(_TRAINED_AGENT)(seed))
    if spec.name == IMPORTED:
        return _import_agent(spec.target, seed)
    if spec.name == PLUGIN:
        return _plugin_agent(spec.target, seed)
    name, number, target = spec.name, spec.number, spec.target
    if spec.name == OPENSPIEL:
        make_bot = _look_up(_OPENSPIEL_PLAYER)
        make_bot(seed, number, target or "mcts")  # says what is missing before a match
        return PlayerAgent(lambda own: make_bot(own, number, target or "mcts"), seed)
    if target:
        make_evaluator(target)
        return PlayerAgent(
            lambda own: make_search(make_evaluator(target), own, number), seed
        )
    return PlayerAgent(lambda own: make_player(name, own, number), seed)


def load_trained_games() -> tuple[Game, ...]:
    """Return the games that weights come with."""
    return cast(tuple[Game, ...], _look_up(_TRAINED_GAMES)())


def load_training_kernels() -> None:
    """Have this process load what `trained` learns unknown games with."""
    _look_up(_TRAINING_KERNELS)()


# ── parsing ─────────────────────────────────────────────────────────────────────────


def _parse_number(text: str) -> AgentSpec | None:
    """Return the spec of NAME-NUMBER, and of `openspiel` with or without one."""
    if text == OPENSPIEL:
        return AgentSpec(OPENSPIEL)
    stem, _, digits = text.rpartition("-")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    parameter: Parameter | None = PARAMETERS.get(stem)
    if stem == LEVEL:
        parameter = "level"
    if stem == OPENSPIEL:
        parameter = "simulations"
    if parameter is None:
        return None
    return AgentSpec(stem, _check_number(text, parameter, int(digits)))


def _parse_target(text: str) -> AgentSpec:
    """Return the spec of NAME:TARGET: of a bot, of a search, or an import path."""
    head, _, target = text.partition(":")
    if head == OPENSPIEL and target:
        return AgentSpec(OPENSPIEL, target=target)
    search = AgentSpec(head) if head in OVER_EVALUATORS else _parse_number(head)
    if target and search is not None and search.name in OVER_EVALUATORS:
        return AgentSpec(search.name, search.number, target)
    return AgentSpec(IMPORTED, target=text)


def _unknown(text: str) -> str:
    """Say that there is no such player, and which there are."""
    known = (*NAMES, OPENSPIEL, *find_plugins("agents"))
    stem = text.rpartition("-")[0]
    near = get_close_matches(text, known, n=1) or get_close_matches(stem, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"there is no player {text!r}{hint} (there are {', '.join(known_forms())})"


def _parse_learned(text: str) -> AgentSpec | None:
    """Return the spec of learned:FILE[:DEPTH]; of a file alone where there is one."""
    path = text.removeprefix(f"{LEARNED}:")
    stem, _, digits = path.rpartition(":")
    depth = int(digits) if stem and digits.isascii() and digits.isdecimal() else None
    file = path if depth is None else stem
    if path == text:
        port = depth is not None and depth > SearchLimits.DEEPEST
        if port or not Path(file).is_file():
            return None
    if depth is not None:
        _check_number(text, "depth", depth)
    return AgentSpec(LEARNED, depth, file)


def _parse_tree(text: str) -> AgentSpec | None:
    """Return the spec of mcts:FILE[:PLAYOUTS]."""
    path = text.removeprefix(f"{TREE}:")
    if path in ("", text):
        return None
    stem, _, digits = path.rpartition(":")
    if not (stem and digits.isascii() and digits.isdecimal()):
        return AgentSpec(TREE, None, path)
    return AgentSpec(TREE, _check_number(text, "playouts", int(digits)), stem)


def _check_number(text: str, parameter: Parameter, number: int) -> int:
    most = MOST[parameter]
    if not 0 < number <= most:
        raise GameloreError(
            f"{text}: the {parameter} must be in 1 to {most}, got {number}"
        )
    return number


# ── import paths ────────────────────────────────────────────────────────────────────


def _import_agent(path: str, seed: int) -> Agent:
    """Return the agent that an import path leads to."""
    here = str(Path.cwd())
    if here not in sys.path:  # a console script does not look in the current folder
        sys.path.insert(0, here)
    return _foreign_agent(_look_up(path), path, seed)


def _plugin_agent(name: str, seed: int) -> Agent:
    """Return the agent that another package brings; `PluginError` if it cannot play."""
    plugin = find_plugins("agents").get(name)
    if plugin is None:
        raise GameloreError(_unknown(name))
    found = plugin.load()
    try:
        return _foreign_agent(found, plugin.target, seed)
    except GameloreError as error:
        raise plugin.fault(str(error)) from error


def _foreign_agent(found: object, path: str, seed: int) -> Agent:
    """Return the agent of an object that somebody else wrote."""
    if _is_agent(found) and not isinstance(found, type):
        return cast(Agent, found)
    if not callable(found):
        raise GameloreError(
            f"{path} is neither a class nor a function that makes a player from a seed"
        )
    make = cast(Callable[[int], Any], found)
    try:
        made = make(seed)
    except Exception as error:  # foreign code
        raise GameloreError(
            f"{path} cannot be made from a seed: {type(error).__name__}: {error}"
        ) from error
    if _is_agent(made):
        return cast(Agent, made)
    if not _has(made, "start", "choose"):
        raise GameloreError(
            f"{path} makes {type(made).__name__}, which is no player: it needs the"
            " methods start and choose"
        )
    return PlayerAgent(cast(Callable[[int], Player], make), seed)


def _look_up(path: str) -> Any:
    """Return the object that an import path names."""
    module_name, _, names = path.partition(":")
    try:
        found: object = import_module(module_name)
    except Exception as error:  # foreign code runs when it is imported
        raise GameloreError(
            f"cannot import {module_name!r}: {type(error).__name__}: {error}"
        ) from error
    for name in names.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            near = get_close_matches(name, dir(found), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise GameloreError(f"{path}: there is no {name!r}{hint}") from None
    return found


def _is_agent(found: object) -> bool:
    return _has(found, "enter", "finish", "close")


def _has(found: object, *methods: str) -> bool:
    return all(callable(getattr(found, name, None)) for name in methods)
