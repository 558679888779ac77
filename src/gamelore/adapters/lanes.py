"""Matches in lanes: what every adapter to environments of reinforcement learning uses.

Shapes: n matches, R roles, K words per position, A actions, F facts.

An action is the number of a move in one list for all roles, so that the same move has
the same number whoever makes it. In every match one role is asked for an action at a
time: roles with more than one legal move are, and, where nobody has a choice, those
whose only move does something. All other moves the lanes make by themselves: moves that
are forced, and those of roles that are played at random.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.adapters import _lane_kernels as kernels
from gamelore.engine import CircuitSimulator, Interpreter, Rows, Simulator
from gamelore.engine import simulator as make_simulator
from gamelore.engine.checks import MOST_MOVES as MOST
from gamelore.engine.checks import check_integer
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.position import Playable, Position
from gamelore.errors import ArgumentError, GameloreError, GroundingError, StuckError
from gamelore.games import load
from gamelore.gdl import Game, Move
from gamelore.kernels import direct
from gamelore.match.match import MOVE_LIMIT
from gamelore.match.record import CHANCE

IllegalAction: TypeAlias = Literal["lose", "random"]
"""What comes of an action that is not legal: the match is lost, or a random legal one
takes its place."""

Actions: TypeAlias = npt.NDArray[np.integer]
Mask: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]

WIN_LOSS = (-1.0, 1.0)
"""The rewards of goal 0 and goal 100."""

KEEP, BEGIN = kernels.KEEP, kernels.BEGIN
GOING, ENDED, CUT_OFF, ILLEGAL = range(4)
LANES = 512

_play = direct(kernels.play)
_observe = direct(kernels.observe)
_mask_actions = direct(kernels.mask_actions)
_score = direct(kernels.score)
_draw_actions = direct(kernels.draw_actions)


def find_simulator(game: Playable) -> CircuitSimulator:
    """Return the compiled simulator of a game; `GameloreError` if it has none.

    Only the compiler knows all facts and moves of a game beforehand, which spaces of
    observations and actions are made of.
    """
    if isinstance(game, Simulator):
        found, reason = game, "it was given"
    else:
        rules = game if isinstance(game, Game) else load(game)
        try:
            found, reason = make_simulator(rules, "circuit"), ""
        except GroundingError as error:
            found, reason = Interpreter(rules), str(error)
    if isinstance(found, CircuitSimulator):
        return found
    raise GameloreError(
        f"{found.game.name} has no spaces of observations and actions, since only the"
        f" interpreter plays it, which does not know all its facts and moves"
        f" beforehand: {reason}"
    )


class MatchLanes:
    """Matches of one game, in step; each asks for one action at a time."""

    def __init__(
        self,
        simulator: CircuitSimulator,
        count: int,
        *,
        asked: Collection[int] | None = None,
        move_limit: int | None = None,
        illegal: IllegalAction = "lose",
        reward_range: tuple[float, float] = WIN_LOSS,
    ) -> None:
        """`asked`: the roles whose moves come from outside, all but `random` by
        default; the others are played at random. `move_limit`: joint moves after which
        a match is cut off. `reward_range`: the rewards of goal 0 and goal 100."""
        if count < 1:
            raise ArgumentError(f"there must be at least one match, got {count}")
        if illegal not in ("lose", "random"):
            raise ArgumentError(f"illegal must be 'lose' or 'random', got {illegal!r}")
        self.simulator = simulator
        self.count = count
        if asked is None:
            asked = list_players(simulator)
        low, high = reward_range
        self.table = self._make_table(asked)._replace(
            move_limit=check_integer("move_limit", move_limit or MOVE_LIMIT, 1, MOST),
            replace_illegal=illegal == "random",
            lowest=float(low),
            scale=(high - low) / 100,
        )
        self.matches = self._make_matches()
        self._work = self._make_workspace()
        self._draws = make_stream(0)

    # ── names ───────────────────────────────────────────────────────────────────────

    @cached_property
    def actions(self) -> tuple[Move, ...]:
        """The moves that actions stand for, A of them."""
        return tuple(dict.fromkeys(m for moves in self.simulator.moves for m in moves))

    @property
    def player(self) -> npt.NDArray[np.int32]:
        """int32 [n]: the role that is asked, or was the last where a match is over."""
        return self.matches.player

    @property
    def status(self) -> npt.NDArray[np.int8]:
        """int8 [n]: GOING, ENDED, CUT_OFF or ILLEGAL"""
        return self.matches.status

    def position(self, number: int) -> Position:
        """Return where a match stands."""
        return Position.from_row(self.simulator, self.matches.rows[number].copy())

    # ── play ────────────────────────────────────────────────────────────────────────

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Start the random stream of each match anew, where there is a seed."""
        for number, seed in enumerate(seeds):
            if seed is not None:
                self.matches.random[number] = make_stream(seed)
        if seeds and seeds[0] is not None:
            self._draws = make_stream(seeds[0], 1)

    def begin(self, which: Mask | None = None) -> None:
        """Begin new matches, everywhere or where a mask says so."""
        given = np.full(self.count, BEGIN, np.int32)
        if which is not None:
            given[~which] = KEEP
        self.step(given)

    def step(self, given: Actions) -> None:
        """Take an action in each match, or KEEP it, or BEGIN another in its place.

        Actions in matches that are over are not looked at.
        """
        actions = np.ascontiguousarray(given, np.int32)
        program = self.simulator.program
        stuck = _play(program, self.table, self.matches, self._work, actions)
        if stuck >= 0:
            raise StuckError(
                f"a role has no legal move in {self.simulator.game.name!r}, in the"
                f" position\n{self.position(stuck)}"
            )

    def draw_actions(self) -> npt.NDArray[np.int64]:
        """Return int64 [n]: a random legal action for each match."""
        actions = np.empty(self.count, np.int64)
        _draw_actions(self.table, self.matches, self._draws, actions)
        return actions

    # ── what is seen ────────────────────────────────────────────────────────────────

    def observe(self) -> npt.NDArray[np.int8]:
        """Return int8 [n, F]: which facts are true."""
        facts = np.empty((self.count, len(self.simulator.fluents)), np.int8)
        _observe(self.matches.rows, facts)
        return facts

    def mask_actions(
        self, roles: npt.NDArray[np.int32] | None = None
    ) -> npt.NDArray[np.int8]:
        """Return int8 [n, A]: which actions are legal, for the roles that are asked or
        for others; all, where a match is over."""
        masks = np.zeros((self.count, len(self.actions)), np.int8)
        roles = self.matches.player if roles is None else roles
        _mask_actions(self.table, self.matches, roles, masks)
        return masks

    def score(self, roles: npt.NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Return the rewards of all roles, float64 [n, R], and of one in each match,
        float64 [n]; 0 where a match goes on, was cut off, or has no goal.

        Where a match was lost by an illegal action, that is as goal 0 to the role that
        took it and as goal 100 to the others.
        """
        rewards = np.zeros((self.count, len(self.simulator.roles)))
        own = np.zeros(self.count)
        _score(self.table, self.matches, roles, rewards, own)
        return rewards, own

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _make_table(self, asked: Collection[int]) -> kernels.ActionTable:
        simulator, program = self.simulator, self.simulator.program
        start = simulator.initial_row()
        legal, terminal, _ = simulator._view(start[None])
        if terminal[0]:
            raise ArgumentError(f"a match of {simulator.game.name!r} ends as it begins")
        if not all(moves.any() for moves in simulator.legal(start[None])):
            raise StuckError(f"a role of {simulator.game.name!r} has no first move")
        number = {move: action for action, move in enumerate(self.actions)}
        owners = [(r, m) for r, moves in enumerate(simulator.moves) for m in moves]
        moves = np.full((len(simulator.roles), len(number)), -1, np.int32)
        for place, (role, move) in enumerate(owners):
            moves[role, number[move]] = place
        own = np.zeros((len(simulator.roles), legal.shape[1]), np.uint64)
        for place, (role, _) in enumerate(owners):
            own[role, place >> 6] |= np.uint64(1 << (place & 63))
        words = [np.flatnonzero(of_role) for of_role in own]
        spans = [(of_role[0], of_role[-1] + 1) for of_role in words]
        read = np.concatenate([program.left, program.right, program.next]) >> 1
        slots = program.first_move + np.arange(len(owners))
        return kernels.ActionTable(
            moves=moves,
            actions=np.array([number[move] for _, move in owners], np.int32),
            idle=~np.isin(slots, read),
            own=own,
            spans=np.array(spans, np.int32),
            asked=np.isin(np.arange(len(simulator.roles)), list(asked)),
            start=start,
            start_legal=legal[0].copy(),
            move_limit=MOVE_LIMIT,
            replace_illegal=False,
            lowest=0.0,
            scale=0.0,
        )

    def _make_matches(self) -> kernels.Matches:
        n, roles = self.count, len(self.simulator.roles)
        return kernels.Matches(
            rows=self._rows(n, self.simulator.width),
            legal=self._rows(n, len(self.table.start_legal)),
            chosen=np.full((n, roles), -1, np.int32),
            player=np.zeros(n, np.int32),
            steps=np.zeros(n, np.int32),
            status=np.full(n, ENDED, np.int8),
            goals=np.full((n, roles), -1, np.int16),
            random=self._rows(n, 4),
        )

    def _make_workspace(self) -> kernels.Workspace:
        slots = self.simulator.program.slots
        return kernels.Workspace(
            words=allocate_aligned(8 * slots).reshape(slots, 8),
            going=np.zeros(self.count, np.int32),
            rows=self._rows(LANES, self.simulator.width),
            legal=self._rows(LANES, len(self.table.start_legal)),
            block=np.zeros(64, np.uint64),
        )

    @staticmethod
    def _rows(count: int, width: int) -> Rows:
        return np.zeros((count, width), np.uint64)


def list_players(simulator: CircuitSimulator) -> tuple[int, ...]:
    """Return the numbers of the roles that are not played at random by the rules."""
    return tuple(r for r, role in enumerate(simulator.roles) if role != CHANCE)


def make_stream(*seed: int) -> npt.NDArray[np.uint64]:
    """Return uint64 [4]: a random stream."""
    state: npt.NDArray[np.uint64] = np.zeros(4, np.uint64)
    state[:] = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    return state
