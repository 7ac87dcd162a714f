"""Choose the split of a node: draw candidates, cut each, and take the best."""

from typing import Any, NamedTuple

import numpy as np

from ._jit import inlined, inner
from .bins import BINNED_ROWS, cut_unsorted
from .projection import AT_ONCE, Projections, empty_projections, project, project_sorted
from .rng import derive, random_below, random_unit
from .scratch import Scratch, make_scratch
from .settings import FAST_BIC, Rule
from .sort import sort_values
from .split import choose_cut, choose_fast_bic_cut, cut_at_random

# Sorted columns are used in nodes that hold more than one in so many of the fitted rows: smaller
# nodes are sorted faster than their rows are found.
PRESORT_SHARE = 4
# In smaller nodes, sorting takes less time than asking bins whether to sort.
UNSORTED_ROWS = 256
# Branches of a node's stream of random numbers. 0 and 1 are its children.
_SCREENING = 2
RANDOM_CUT = 3


class NodeSpace(NamedTuple):
    """What choosing a split writes to, allocated once per tree of m rows drawn from n."""

    values: np.ndarray
    """Values of a candidate: float32, m + `AT_ONCE`."""
    scratch: Scratch
    screen: np.ndarray
    """A sample of the rows of a large node: int32, screening_rows."""
    times: np.ndarray
    """How often the node holds each row: int32, n; zero between nodes."""
    deck: np.ndarray
    """The columns 0..p-1: int32."""
    projections: Projections
    """The candidates of the node, as long as they need no more room."""


def make_node_space(p, m, n, settings):
    """Allocate the space for a tree of m rows drawn from n, with p columns."""
    return NodeSpace(
        values=np.empty(m + AT_ONCE, np.float32),
        scratch=make_scratch(m),
        screen=np.empty(settings.screening_rows, np.int32),
        times=np.zeros(n, np.int32),
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
def _cut_candidate(z, is_sorted, rule, other, beat, use_bins, scratch):
    """Cut the values of a candidate; return (score, cut, whether z is sorted now, use_bins).

    The score is inf if no cut scores below ``beat``. Bins that could not rule out one candidate
    will hardly rule out the other ones of its node: then the returned ``use_bins`` is false.
    """
    known = False
    score = np.inf
    cut = np.float32(0.0)
    may_skip = use_bins and z.size >= UNSORTED_ROWS and beat < np.inf
    if rule.criterion == FAST_BIC and (z.size > BINNED_ROWS or may_skip) and not is_sorted:
        known, score, cut = cut_unsorted(z, rule, beat, scratch)
        use_bins = known
    if not known:
        if not is_sorted:
            sort_values(z, scratch.spare, scratch.counters)
        if other is None:
            score, cut = choose_fast_bic_cut(z, rule, beat, scratch)
        else:
            score, cut = choose_cut(z, rule, beat, scratch)
    return score, cut, is_sorted or not known, use_bins


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
    matrix, rows, order, key, projections, first, last, rule, random_flat_nodes, other, space
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
    values = space.values
    times = space.times
    z = values[: rows.size]
    best = 0.0 if random_flat_nodes else np.inf
    best_cut = np.float32(0.0)
    winner = -1
    is_sorted: Any = np.bool_(False)  # a literal would be compiled for itself
    use_bins = True
    presorted = False
    if order is not None:
        presorted = PRESORT_SHARE * rows.size > order.shape[1]
        if presorted:
            for i in range(rows.size):
                times[rows[i]] += 1
    for j in range(first, last):
        low = begin[j]
        high = begin[j + 1]
        is_sorted = presorted and high - low == 1
        if order is not None and is_sorted:
            column = columns[low]
            project_sorted(matrix[column], order[column], times, coefficients[low], values)
        if not is_sorted:
            project(matrix, rows, columns[low:high], coefficients[low:high], z)
        score, cut, is_sorted, use_bins = _cut_candidate(
            z, is_sorted, rule, other, best, use_bins, space.scratch
        )
        if score < best:
            best = score
            best_cut = cut
            winner = j
    if order is not None and presorted:
        for i in range(rows.size):
            times[rows[i]] = 0
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
def choose_split(matrix, rows, order, key, projections, settings, other, space):
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
            order,
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
