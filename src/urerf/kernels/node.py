"""Choose the split of a node: draw candidates, cut each, and take the best."""

from typing import Any, NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, inner
from .fast_bic import cut_fast_bic
from .projection import Projections, empty_projections, project
from .rng import derive, random_below, random_unit
from .scratch import Scratch, make_scratch
from .settings import Rule
from .sort import sort_values
from .split import choose_cut, cut_at_random

# Smaller nodes are sorted, which takes less time than putting their values into bins.
UNSORTED_ROWS = 128
# Branches of a node's stream of random numbers. 0 and 1 are its children.
_SCREENING = 2
RANDOM_CUT = 3


class NodeSpace(NamedTuple):
    """What choosing a split writes to, allocated once per tree of m rows."""

    values: Array
    """Values of a candidate: float32, m."""
    scratch: Scratch
    screen: Array
    """A sample of the rows of a large node: int32, screening_rows."""
    deck: Array
    """The columns 0..p-1: int32."""
    projections: Projections
    """The candidates of the node, as long as they need no more room."""


def make_node_space(p, m, settings):
    """Allocate the space for a tree of m rows and p columns."""
    return NodeSpace(
        values=np.empty(m, np.float32),
        scratch=make_scratch(m),
        screen=np.empty(settings.screening_rows, np.int32),
        deck=np.arange(p, dtype=np.int32),
        projections=empty_projections(settings.max_features),
    )


@inlined
def _sample_screen(key, rows, screen):
    """Draw screen.size rows, one from each of as many equal runs, so that they stay in order."""
    n = rows.size
    m = screen.size
    begin = 0
    for i in range(m):
        end = (i + 1) * n // m
        screen[i] = rows[begin + random_below(key, i, end - begin)]
        begin = end


@inlined
def _cut_candidate(z, rule, other, beat, scratch):
    """Cut the values of a candidate; return (score, cut, whether z is sorted now).

    The score is inf if no cut is allowed; by Fast-BIC also if none scores below ``beat``.
    """
    is_sorted = z.size < UNSORTED_ROWS or other is not None
    if is_sorted:
        sort_values(z, scratch.spare, scratch.counters)
    if other is None:
        score, cut = cut_fast_bic(z, is_sorted, rule, beat, scratch)
    else:
        score, cut = choose_cut(z, rule, beat, scratch)
    return score, cut, is_sorted


@inner
def cut_flat_node(
    matrix, rows, key, projections, first, last, min_samples_leaf, z, is_sorted, scratch
):
    """Cut the last candidate that can be cut at random; return (cut, candidate or -1).

    ``is_sorted`` says whether z holds the sorted values of the last candidate.
    """
    begin = projections.begin
    columns = projections.columns
    coefficients = projections.coefficients
    unit = random_unit(key, np.int64(0))
    cut = np.float32(0.0)
    winner = -1
    j = last - 1
    while winner < 0 and j >= first:
        if not is_sorted:
            low = begin[j]
            high = begin[j + 1]
            project(matrix, rows, columns[low:high], coefficients[low:high], z)
            sort_values(z, scratch.spare, scratch.counters)
        is_sorted = False
        cut, found = cut_at_random(z, min_samples_leaf, unit)
        winner = j if found else -1
        j -= 1
    return cut, winner


@inner
def _best_candidate(
    matrix, rows, key, projections, first, last, rule, random_flat_nodes, other, space
):
    """Cut the candidates first..last - 1 on the given rows; return (cut, candidate, in_place).

    The candidate is -1 if none can be cut. With ``random_flat_nodes``, if no candidate's two
    components beat one, the last candidate that can be cut is cut at random. ``in_place`` says
    whether space.values holds the values of the candidate, row by row.

    It is a kernel of its own, because Numba copies all of an inlined function for each of its
    blocks: through three layers of functions, that took a second of the first fit.
    """
    begin = projections.begin
    columns = projections.columns
    coefficients = projections.coefficients
    z = space.values[: rows.size]
    best = 0.0 if random_flat_nodes else np.inf
    best_cut = np.float32(0.0)
    winner = -1
    is_sorted: Any = np.bool_(False)  # a literal would be compiled for itself
    for j in range(first, last):
        low = begin[j]
        high = begin[j + 1]
        project(matrix, rows, columns[low:high], coefficients[low:high], z)
        score, cut, is_sorted = _cut_candidate(z, rule, other, best, space.scratch)
        if score < best:
            best = score
            best_cut = cut
            winner = j
    in_place = winner == last - 1 and not is_sorted
    if random_flat_nodes and winner < 0:
        best_cut, winner = cut_flat_node(
            matrix,
            rows,
            key,
            projections,
            first,
            last,
            rule.min_samples_leaf,
            z,
            is_sorted,
            space.scratch,
        )
    return best_cut, winner, in_place


@inlined
def choose_split(matrix, rows, key, projections, settings, other, space):
    """Choose the split of a node; return (cut, candidate or -1, in_place, work).

    A node of more than twice as many rows as the screen has ranks its candidates on the screen, a
    random sample, and cuts the winner on all rows: which candidate wins is then an estimate, but
    its cut is exact. If the winner cannot be cut on all rows, all candidates are tried. ``work`` is
    the number of values that were looked at; for ``in_place`` see `_best_candidate`.
    """
    screen = space.screen
    n = rows.size
    d = projections.begin.size - 1
    first = np.int64(0)  # a literal 0 would be compiled for itself
    last = d
    work = 0
    screening = n > 2 * screen.size > 0
    cut_key = derive(key, np.int64(RANDOM_CUT))
    if screening:
        _sample_screen(derive(key, np.int64(_SCREENING)), rows, screen)
    while True:  # once, or two or three times after screening
        seen = screen if screening else rows
        min_samples_leaf = settings.min_samples_leaf
        if screening:
            min_samples_leaf = max(1, min_samples_leaf * screen.size // n)
        rule = Rule(settings.criterion, settings.split_score, settings.floor, min_samples_leaf)
        work += seen.size * (last - first)
        cut, winner, in_place = _best_candidate(
            matrix,
            seen,
            cut_key,
            projections,
            first,
            last,
            rule,
            settings.random_flat_nodes,
            other,
            space,
        )
        if not screening and (winner >= 0 or last - first == d):
            return cut, winner, in_place, work
        if screening and winner >= 0:
            first = winner
            last = winner + 1
        else:
            first = np.int64(0)
            last = d
        screening = False
