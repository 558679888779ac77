"""Matches of self-play in lanes: choose moves by the searches, keep what is learned.

B matches, S samples of the window, L moves of a sample at most, R roles, K words.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import draw_below, draw_unit
from gamelore.engine.compiled._kernels import LANES
from gamelore.engine.compiled._pass_kernels import has_ended, load_lanes
from gamelore.kernels import lean, lean_part
from gamelore.learn.zero._forest_kernels import (
    GUMBEL,
    PROVEN,
    count_tries,
    edge_value,
    expected_value,
    find_child,
    improve_policy,
    mean_value,
    root_share,
)
from gamelore.learn.zero._growth_kernels import (
    FINE,
    STUCK,
    advance_lanes,
    find_view,
    list_all_moves,
    scaled_goal,
    view_lanes,
)

SAMPLES, FINISHED, TOO_LONG = range(3)
"""Indices into counts: samples so far, matches that ended in this step, and those that
were cut off."""

_ATTEMPTS = 1000  # at a sample whose match has ended

OVER = -1_000_000
"""In place of moves made: the match has ended, and another is to begin."""


class Lanes(NamedTuple):
    """Matches under way."""

    steps: np.ndarray  # int32 [B]   moves made; below 0, random ones still to make
    last: np.ndarray  # int64 [B]   the number of the latest sample, or -1
    joint: np.ndarray  # int32 [B, R]   moves chosen, of all moves of all roles
    values: np.ndarray  # float64 [B, R]   of the searches
    rewards: np.ndarray  # int16 [B]   first player's goals of matches that ended
    lengths: np.ndarray  # int32 [B]   and their lengths
    counts: np.ndarray  # int64 [3]


class Window(NamedTuple):
    """The latest samples, number n in place n % S; see `Samples` for the rest."""

    rows: np.ndarray  # uint64 [S, K]
    views: np.ndarray  # int32 [S]
    moves: np.ndarray  # int32 [S, L]
    counts: np.ndarray  # int32 [S, R]
    policy: np.ndarray  # float32 [S, L]
    values: np.ndarray  # float32 [S, R]   of the search, then what is to be learned
    weights: np.ndarray  # float32 [S]
    ends: np.ndarray  # uint64 [S, K]
    number: np.ndarray  # int64 [S]   of the sample in each place, or -1
    before: np.ndarray  # int64 [S]   the number of the sample before it in its match
    known: np.ndarray  # int8 [S]   whether its match has ended


class PlayRule(NamedTuple):
    """How moves are chosen and matches begin."""

    temperature_moves: int  # PUCT: moves of a match that are drawn by visits
    pruned: int  # PUCT: whether forced playouts are taken out of targets
    weight: float  # of the policy of this step's samples
    opening: int  # random moves that a match may begin with, at most
    opening_share: float  # of matches that begin with some
    decay: float  # λ of value targets: 1 is the result, 0 the next search's value
    longest: int  # moves of a match


# ── choosing ────────────────────────────────────────────────────────────────────────


@lean
def choose_moves(forest, rule, play, lanes):
    """Choose the moves of all matches; put what the searches found into `policy`.

    Returns how many moves of roles with a choice a position has at most.
    """
    most = 0
    for b in range(lanes.steps.shape[0]):
        listed = 0
        for role in range(forest.counts.shape[2]):
            first, count = forest.first[b, 0, role], forest.counts[b, 0, role]
            edge = np.int64(first)
            lanes.values[b, role] = forest.values[b, 0, role]
            if role == rule.chance:
                edge = first + draw_below(forest.random[b], np.int64(count))
            elif count > 1:
                listed += count
                edge = _choose(forest, rule, play, lanes, b, role)
            lanes.joint[b, role] = forest.move[b, edge]
        most = max(most, listed)
        if forest.status[b, 0] != PROVEN:
            _find_values(forest, rule, lanes, b)
    return most


@lean_part
def _find_values(forest, rule, lanes, b):
    """Set the values of the root: means over its children, weighted by the policy.

    Where not exactly one player has a choice, they are means of all that was backed up.
    """
    roles = forest.counts.shape[2]
    chooser, choosers = 0, 0
    for role in range(roles):
        lanes.values[b, role] = mean_value(forest, b, 0, role)
        if forest.counts[b, 0, role] > 1:
            chooser = role
            choosers += 1
    if choosers != 1 or chooser == rule.chance:
        return
    first = forest.first[b, 0, chooser]
    for role in range(roles):
        weight, total = 0.0, 0.0
        for i in range(forest.counts[b, 0, chooser]):
            child = find_child(forest, b, 0, np.int64(i))  # others have one move only
            if child >= 0:
                weight += forest.policy[b, first + i]
                total += forest.policy[b, first + i] * mean_value(
                    forest, b, child, role
                )
        if weight > 0.0:
            lanes.values[b, role] = total / weight


@lean_part
def _choose(forest, rule, play, lanes, b, role):
    """Return the edge a role takes at the root, and set its policy."""
    if forest.status[b, 0] == PROVEN:
        return _take_proven(forest, b, role)
    if rule.kind == GUMBEL:
        improve_policy(forest, rule, b, 0, role)
        return _take_candidate(forest, rule, b, role)
    return _take_visited(forest, rule, play, lanes, b, role)


@lean_part
def _take_proven(forest, b, role):
    """Share the policy between all moves that are proven to be best; draw one."""
    first, count = forest.first[b, 0, role], forest.counts[b, 0, role]
    value = forest.values[b, 0, role]
    best = 0
    for edge in range(first, first + count):
        best += forest.exact[b, edge] == value
    drawn = draw_below(forest.random[b], np.int64(best))
    taken = np.int64(first)
    for edge in range(first, first + count):
        forest.policy[b, edge] = 0.0
        if forest.exact[b, edge] == value:
            forest.policy[b, edge] = 1.0 / best
            if drawn == 0:
                taken = np.int64(edge)
            drawn -= 1
    return taken


@lean_part
def _take_candidate(forest, rule, b, role):
    """Return the edge with the highest score of those that were tried most."""
    first = forest.first[b, 0, role]
    end = first + forest.counts[b, 0, role]
    total, most = count_tries(forest, b, first, end)
    unknown = expected_value(forest, b, 0, role, total)
    best, highest = np.int64(first), -np.inf
    for edge in range(first, end):
        if forest.tries[b, edge] < most:
            continue
        score = forest.noise[b, edge] + forest.logit[b, edge]
        value = edge_value(forest, b, edge, unknown)
        score += rule.scale * (rule.offset + most) * value
        if score > highest:
            best, highest = np.int64(edge), score
    return best


@lean_part
def _take_visited(forest, rule, play, lanes, b, role):
    """Draw an edge by visits, or take the one with most; both without forced ones."""
    first = forest.first[b, 0, role]
    end = first + forest.counts[b, 0, role]
    total, _ = count_tries(forest, b, first, end)
    best = np.int64(first)
    for edge in range(first, end):
        forest.policy[b, edge] = np.float64(forest.tries[b, edge])
        if forest.tries[b, edge] > forest.tries[b, best]:
            best = np.int64(edge)
    if play.pruned:
        _prune(forest, rule, b, role, best, total)
    whole = 0.0
    for edge in range(first, end):
        whole += forest.policy[b, edge]
    left = draw_unit(forest.random[b]) * whole
    drawn = np.int64(first)
    for edge in range(first, end):
        if left > 0.0 and forest.policy[b, edge] > 0.0:
            drawn = np.int64(edge)
            left -= forest.policy[b, edge]
        forest.policy[b, edge] /= whole
    return drawn if lanes.steps[b] < play.temperature_moves else best


@lean_part
def _prune(forest, rule, b, role, best, total):
    """Take out of the policy the visits that only forcing led to (Wu 2019)."""
    first = forest.first[b, 0, role]
    factor = rule.exploration * math.sqrt(1.0 + total)
    share = root_share(forest, rule, b, best, 0)
    bound = edge_value(forest, b, best, 0.0)
    bound += factor * share / (1.0 + forest.tries[b, best])
    for edge in range(first, first + forest.counts[b, 0, role]):
        tries = np.float64(forest.tries[b, edge])
        if edge == best or tries == 0.0:
            continue
        share = root_share(forest, rule, b, edge, 0)
        value = edge_value(forest, b, edge, 0.0)
        forced = math.sqrt(rule.forced * share * total)
        kept = max(tries - math.floor(forced), 0.0)
        if bound > value:  # as few as keep it below the bound of the best
            kept = max(kept, math.ceil(factor * share / (bound - value) - 1.0))
        forest.policy[b, edge] = 0.0 if kept <= 1.0 else min(kept, tries)


# ── keeping ─────────────────────────────────────────────────────────────────────────


@lean
def keep_samples(forest, rule, play, lanes, window, passes):
    """Add the present positions of all matches to the window, where there is a choice.

    Their values are at first those of the searches.
    """
    for b in range(lanes.steps.shape[0]):
        choices = 0
        for role in range(forest.counts.shape[2]):
            if role != rule.chance:
                choices = max(choices, forest.counts[b, 0, role])
        if choices > 1:
            place = lanes.counts[SAMPLES] % window.number.shape[0]
            window.weights[place] = np.float32(play.weight)
            _keep(forest, rule, lanes, window, passes, b)


@lean_part
def _keep(forest, rule, lanes, window, passes, b):
    number = lanes.counts[SAMPLES]
    lanes.counts[SAMPLES] += 1
    place = number % window.number.shape[0]
    listed = 0
    for word in range(window.rows.shape[1]):
        window.rows[place, word] = forest.rows[b, 0, word]
    for role in range(forest.counts.shape[2]):
        first, count = forest.first[b, 0, role], forest.counts[b, 0, role]
        passes.ends[role] = count + (passes.ends[role - 1] if role else 0)
        window.values[place, role] = np.float32(lanes.values[b, role])
        window.counts[place, role] = 0
        if count == 1 or role == rule.chance:
            continue
        window.counts[place, role] = count
        for edge in range(first, first + count):
            window.moves[place, listed] = forest.move[b, edge]
            window.policy[place, listed] = np.float32(forest.policy[b, edge])
            listed += 1
    window.views[place] = find_view(passes)
    window.number[place] = number
    window.before[place] = lanes.last[b]
    window.known[place] = 0
    lanes.last[b] = number


@lean_part
def _learn_end(lanes, play, window, passes, b):
    """Set what is to be learned of all samples of a match that has ended.

    Values are those of later searches, and at last the result: the λ-return.
    """
    size = window.number.shape[0]
    lane = b % LANES
    for role in range(window.values.shape[1]):
        lanes.values[b, role] = scaled_goal(passes, lane, role)
    number = lanes.last[b]
    while number >= 0 and window.number[number % size] == number:
        place = number % size
        for role in range(window.values.shape[1]):
            found = np.float64(window.values[place, role])
            target = lanes.values[b, role]
            window.values[place, role] = np.float32(target)
            lanes.values[b, role] = found + play.decay * (target - found)
        for word in range(window.ends.shape[1]):
            window.ends[place, word] = passes.rows[lane, word]
        window.known[place] = 1
        number = window.before[place]
    lanes.last[b] = -1


# ── going on ────────────────────────────────────────────────────────────────────────


@lean
def advance_matches(program, forest, play, lanes, window, passes):
    """Make the chosen moves; matches that end give way to new ones at node 0.

    The rows of new matches are the first position's: `begin_matches` plays openings.
    """
    lanes.counts[FINISHED] = 0
    matches = lanes.steps.shape[0]
    for start in range(0, matches, LANES):
        count = min(LANES, matches - start)
        for lane in range(count):
            b = start + lane
            for word in range(passes.rows.shape[1]):
                passes.rows[lane, word] = forest.rows[b, 0, word]
            for role in range(passes.joint.shape[1]):
                passes.joint[lane, role] = lanes.joint[b, role]
        advance_lanes(program, passes, count)
        view_lanes(program, passes, count)
        for lane in range(count):
            b = start + lane
            for word in range(passes.rows.shape[1]):
                forest.rows[b, 0, word] = passes.rows[lane, word]
            lanes.steps[b] += 1
            if has_ended(passes, lane) or lanes.steps[b] >= play.longest:
                _finish(lanes, play, window, passes, b)


@lean_part
def _finish(lanes, play, window, passes, b):
    """Note the result of a match: its goals, or the middle of all if it is cut off."""
    goals = passes.goals[b % LANES]
    if not has_ended(passes, b % LANES):
        lanes.counts[TOO_LONG] += 1
        for role in range(goals.shape[0]):
            goals[role] = -1
    _learn_end(lanes, play, window, passes, b)
    place = lanes.counts[FINISHED]
    lanes.counts[FINISHED] += 1
    lanes.rewards[place] = max(goals[passes.sides[0]], 0)
    lanes.lengths[place] = lanes.steps[b]
    lanes.steps[b] = OVER


@lean
def begin_matches(program, forest, play, lanes, passes, start):
    """Begin matches in the lanes that have none, some of them with random moves.

    start: uint64 [K]. Returns a status, and a match where a role is stuck.
    """
    for b in range(lanes.steps.shape[0]):
        if lanes.steps[b] == OVER:
            _begin(forest, play, lanes, start, b)
    while True:
        count = 0
        for b in range(lanes.steps.shape[0]):
            if lanes.steps[b] < 0 and count < LANES:
                passes.lanes[count] = b
                for word in range(start.shape[0]):
                    passes.rows[count, word] = forest.rows[b, 0, word]
                count += 1
        if count == 0:
            return FINE, 0
        load_lanes(program, passes, count)
        view_lanes(program, passes, count)
        for lane in range(count):
            if not _draw_moves(program, forest, passes, lane):
                return STUCK, passes.lanes[lane]
        advance_lanes(program, passes, count)
        view_lanes(program, passes, count)
        for lane in range(count):
            b = passes.lanes[lane]
            if has_ended(passes, lane):
                _begin(forest, play, lanes, start, b)
                continue
            for word in range(start.shape[0]):
                forest.rows[b, 0, word] = passes.rows[lane, word]
            lanes.steps[b] += 1


@lean_part
def _draw_moves(program, forest, passes, lane):
    """Draw a joint move for a lane; return whether there is one."""
    if not list_all_moves(program, passes, lane):
        return False
    random = forest.random[passes.lanes[lane]]
    first = 0
    for role in range(passes.ends.shape[0]):
        drawn = draw_below(random, np.int64(passes.ends[role] - first))
        passes.joint[lane, role] = passes.listed[first + drawn]
        first = passes.ends[role]
    return True


@lean_part
def _begin(forest, play, lanes, start, b):
    """Put the first position in the place of a match; draw how many random moves."""
    for word in range(start.shape[0]):
        forest.rows[b, 0, word] = start[word]
    lanes.last[b] = -1
    lanes.steps[b] = 0
    if play.opening > 0 and draw_unit(forest.random[b]) < play.opening_share:
        drawn = 1 + draw_below(forest.random[b], np.int64(play.opening))
        lanes.steps[b] = -drawn


# ── picking ─────────────────────────────────────────────────────────────────────────


@lean
def pick_samples(window, random, total, recent, picked):
    """Pick samples of matches that have ended; return whether there are enough.

    total: samples so far, of which so many recent ones count; picked: int64 [n]
    """
    size = window.number.shape[0]
    for i in range(picked.shape[0]):
        picked[i] = -1
        for _ in range(_ATTEMPTS):
            place = (total - 1 - draw_below(random, recent)) % size
            if window.known[place]:
                picked[i] = place
                break
        if picked[i] < 0:
            return False
    return True
