"""Geodesic precision and recall: how many of the retrieved neighbors are neighbors on the manifold.

For one point and a query of size k, the *retrieved* points are the k that a method reports as
nearest, and

- precision = |relevant and retrieved| / |retrieved|
- recall    = |relevant and retrieved| / |relevant|

both averaged over all points. A point is never its own neighbor. Which points are *relevant*
depends on the truth:

Continuous (all geodesic distances are finite)
    The k truly nearest points. If several points share the k-th distance, as on a grid, any of them
    is correct: a retrieved point counts if its true distance is at most the k-th smallest, up to
    rounding. There are still k relevant points, so recall equals precision.
Discrete (labels, or components at infinite distance from each other)
    All other points of the same component. A point that is alone in its component has no relevant
    points: its precision is 0, and its recall, 0 / 0, is not included in the average.

The truth is read in blocks of rows, once for all values of k, so the whole distance matrix of a
`Manifold` is never computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._checks import check_integers
from ._threads import row_blocks
from ._typing import Array, BoolArray, FloatArray, IntArray
from .datasets import Manifold

__all__ = ["PrecisionRecall", "geodesic_precision", "geodesic_recall", "precision_recall_curve"]

Truth = Manifold | Array

# Relative difference below which two distances are tied: far above rounding errors, and below any
# difference that matters (test_rounding_does_not_break_ties, test_more_than_rounding_breaks_ties).
_TIE_TOLERANCE = 1e-9

# Elements of the distance matrix read at a time: bounds each array to 16 MB.
_BLOCK_ELEMENTS = 2**21


class PrecisionRecall(NamedTuple):
    """Geodesic precision and recall at several query sizes."""

    ks: IntArray
    precision: FloatArray
    recall: FloatArray


def geodesic_precision(indices: ArrayLike, truth: Manifold | ArrayLike) -> float:
    """Return the mean fraction of the retrieved neighbors that are relevant.

    Parameters
    ----------
    indices : array-like of int of shape (n, k)
        The neighbors of each point, nearest first, without the point itself.
    truth : Manifold, array-like of shape (n, n) or array-like of shape (n,)
        A manifold, true distances, or labels. The module docstring defines what is relevant.

    Returns
    -------
    float
        Between 0 and 1, higher is better.

    Examples
    --------
    >>> from urerf.metrics import geodesic_precision
    >>> labels = ["a", "a", "a", "b", "b"]
    >>> geodesic_precision([[1, 2], [0, 3], [0, 1], [4, 0], [3, 1]], labels)
    0.7
    """
    return float(_curve(indices, truth).precision[0])


def geodesic_recall(indices: ArrayLike, truth: Manifold | ArrayLike) -> float:
    """Return the mean fraction of the relevant points that were retrieved.

    Parameters
    ----------
    indices : array-like of int of shape (n, k)
        The neighbors of each point, nearest first, without the point itself.
    truth : Manifold, array-like of shape (n, n) or array-like of shape (n,)
        A manifold, true distances, or labels. The module docstring defines what is relevant.

    Returns
    -------
    float
        Between 0 and 1, higher is better.

    Examples
    --------
    >>> from urerf.metrics import geodesic_recall
    >>> labels = ["a", "a", "a", "b", "b"]
    >>> geodesic_recall([[1, 2], [0, 3], [0, 1], [4, 0], [3, 1]], labels)
    0.9
    """
    return float(_curve(indices, truth).recall[0])


def precision_recall_curve(
    indices: ArrayLike,
    truth: Manifold | ArrayLike,
    ks: ArrayLike,
) -> PrecisionRecall:
    """Return precision and recall for several query sizes, in one pass over the truth.

    Parameters
    ----------
    indices : array-like of int of shape (n, k)
        The neighbors of each point, nearest first, without the point itself. A query of
        size `k` takes the first `k` columns.
    truth : Manifold, array-like of shape (n, n) or array-like of shape (n,)
        A manifold, true distances, or labels. The module docstring defines what is relevant.
    ks : array-like of int
        Query sizes, each from 1 to the number of columns of `indices`.

    Returns
    -------
    PrecisionRecall
        A tuple (ks, precision, recall) of arrays, in the order of `ks`.

    Examples
    --------
    >>> from urerf.metrics import precision_recall_curve
    >>> labels = ["a", "a", "a", "b", "b"]
    >>> curve = precision_recall_curve([[1, 2], [0, 3], [0, 1], [4, 0], [3, 1]], labels, ks=[1, 2])
    >>> curve.precision, curve.recall
    (array([1. , 0.7]), array([0.7, 0.9]))
    """
    if np.ndim(ks) != 1 or np.size(ks) == 0:
        raise ValueError(f"ks: must be a list of query sizes, got shape {np.shape(ks)}")
    return _curve(indices, truth, ks)


def _curve(
    indices: ArrayLike,
    truth: Manifold | ArrayLike,
    query_sizes: ArrayLike | None = None,
) -> PrecisionRecall:
    """Return precision and recall; by default for one query, of all columns of ``indices``."""
    neighbors = _check_indices(indices)
    n, n_columns = neighbors.shape
    ks = np.array([n_columns])
    if query_sizes is not None:
        ks = check_integers("ks", query_sizes, 1, n_columns)
    neighbors = neighbors[:, : ks.max()]
    truth = _check_truth(truth, n)
    components = _components(truth)
    if components is None:
        hits, n_relevant = _continuous_hits(neighbors, truth, ks)
    else:
        hits, n_relevant = _discrete_hits(neighbors, components, ks)
    has_relevant = n_relevant[:, 0] > 0
    precision = _mean(hits / ks)
    recall = _mean(hits[has_relevant] / n_relevant[has_relevant])
    return PrecisionRecall(ks, precision, recall)


def _mean(fractions: FloatArray) -> FloatArray:
    """Average over points, separately for each k: its rounding must not depend on the other ks."""
    return np.ascontiguousarray(fractions.T).mean(axis=1)


def _continuous_hits(indices: IntArray, truth: Truth, ks: IntArray) -> tuple[IntArray, IntArray]:
    """Return the number of relevant points retrieved, and of relevant points, both (n, len(ks))."""
    n = len(indices)
    hits = np.empty((n, len(ks)), dtype=np.intp)
    for block in row_blocks(n, max(1, _BLOCK_ELEMENTS // n)):
        rows = np.arange(block.start, block.stop)
        D = _read_rows(truth, rows)
        retrieved = np.take_along_axis(D, indices[rows], axis=1)
        D[rows - rows[0], rows] = np.inf  # the point itself comes last, whatever the diagonal is
        partitioned = np.partition(D, ks - 1, axis=1)
        kth_smallest = partitioned[:, ks - 1]
        limit = kth_smallest * (1 + _TIE_TOLERANCE)
        for j, k in enumerate(ks):
            is_relevant = retrieved[:, :k] <= limit[:, [j]]
            hits[rows, j] = is_relevant.sum(axis=1)
    return hits, np.broadcast_to(ks, hits.shape)


def _discrete_hits(
    indices: IntArray,
    components: IntArray,
    ks: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return what `_continuous_hits` returns."""
    n_relevant = np.bincount(components)[components] - 1
    if not n_relevant.any():
        raise ValueError(
            "truth: every point is alone in its component, so there is nothing to retrieve; "
            "labels must repeat (for continuous values, pass a distance matrix)"
        )
    is_relevant = components[indices] == components[:, None]
    n_hits = np.cumsum(is_relevant, axis=1)
    hits = n_hits[:, ks - 1]
    return hits, np.broadcast_to(n_relevant[:, None], hits.shape)


def _read_rows(truth: Truth, rows: IntArray) -> FloatArray:
    """Return a copy of some rows of the distance matrix."""
    if not isinstance(truth, Manifold):
        return truth[rows].astype(np.float64)
    D = truth.distances(rows)
    _check_distances(D)
    if np.isinf(D).any():
        raise ValueError(
            "truth: a Manifold with infinite distances must have labels that name its components"
        )
    return D


def _components(truth: Truth) -> IntArray | None:
    """Return the component number of each point, or None if the truth is continuous."""
    if isinstance(truth, Manifold):
        return None
    if truth.ndim == 1:
        return _number(truth)
    connected = np.isfinite(truth)
    np.fill_diagonal(connected, True)
    if connected.all():
        return None
    first = connected.argmax(axis=1)  # the first point of a component represents it
    components = _number(first)
    same_component = components[:, None] == components
    if (connected != same_component).any():
        raise ValueError(
            "truth: the infinite distances do not divide the points into components "
            "(i to j is finite, j to k is finite, but i to k or j to i is not); pass labels instead"
        )
    return components


def _number(labels: Array) -> IntArray:
    try:
        return np.unique(labels, return_inverse=True)[1]
    except TypeError as error:
        raise TypeError("truth: labels must be all of one type, without missing values") from error


def _check_truth(truth: Manifold | ArrayLike, n: int) -> Truth:
    """Return labels (n,), distances (n, n), or a Manifold that has no labels."""
    checked: Truth
    if isinstance(truth, Manifold):
        checked = truth if truth.labels is None else truth.labels
    else:
        checked = np.asarray(truth)
        _check_array(checked)
    if len(checked) != n:
        raise ValueError(
            f"truth: has {len(checked)} points, but indices has {n} rows; they must match"
        )
    return checked


def _check_array(truth: Array) -> None:
    if truth.ndim == 1:
        _check_known(truth)
    elif truth.ndim != 2:
        raise ValueError(
            f"truth: must be a Manifold, (n, n) distances or (n,) labels, got shape {truth.shape}"
        )
    elif truth.shape[0] != truth.shape[1] or truth.dtype.kind not in "iuf":
        raise ValueError(
            f"truth: distances must be a square matrix of numbers, got {truth.dtype} {truth.shape}"
        )
    else:
        _check_distances(truth)


def _check_distances(D: Array) -> None:
    _check_known(D)
    if (D < 0).any():
        raise ValueError(
            "truth: distances must not be negative; convert similarities to distances first"
        )


def _check_known(values: Array) -> None:
    nan = values != values  # only NaN differs from itself; unlike np.isnan, works for any dtype
    if nan.any():
        row = np.argwhere(nan)[0, 0]
        raise ValueError(f"truth: must not contain NaN, got one in row {row}")


def _check_indices(indices: ArrayLike) -> IntArray:
    given = np.asarray(indices)
    if given.ndim != 2 or given.shape[1] == 0:
        raise ValueError(f"indices: must have shape (n, k) with k >= 1, got shape {given.shape}")
    if given.dtype.kind not in "iu":
        raise TypeError(f"indices: must be integers, got dtype {given.dtype}")
    n, k = given.shape
    if k >= n:
        raise ValueError(f"indices: {n} points have at most {n - 1} neighbors each, got k = {k}")
    _refuse(given, (given < 0) | (given >= n), f"every index must lie in 0..{n - 1}")
    given = given.astype(np.intp)
    itself = np.arange(n)[:, None]
    _refuse(given, given == itself, "a point must not be its own neighbor")
    ordered = np.sort(given, axis=1)
    repeats = np.diff(ordered, axis=1) == 0
    _refuse(ordered[:, 1:], repeats, "a neighbor must not be listed twice")
    return given


def _refuse(indices: Array, wrong: BoolArray, rule: str) -> None:
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(f"indices: row {row} contains {indices[row, column]}; {rule}")
