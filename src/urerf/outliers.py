"""Outliers: rows that are far from their nearest rows, or that have little in common with others.

There are two kinds. A row beside the manifold is *far* from its nearest rows, even if it lies in
the middle of the table. Rows that form a small group of their own are near each other, but stand
*apart* from all the rest. Each figure alone misses the other kind (``urerf bench outliers``), so
the score is the larger one:

- far: the forest finds the nearest rows, and their mean Euclidean distance in the columns that
  carry structure says how far away they are, as for geodesic distances;
- apart: Breiman's measure, the reciprocal of the mean squared similarity to all rows, here to a
  random sample of them.

Noise columns affect neither, no n x n matrix is needed, and new rows can be scored as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._threads import row_blocks
from ._typing import Array
from .fitted import Fitted
from .geodesic import edge_lengths
from .parameters import check_model
from .ranking.index import build_index, similarity_matrix
from .reading import Reading

if TYPE_CHECKING:
    from .estimator import URerF

# Nearest rows that count by default, as in scikit-learn's LocalOutlierFactor. With fewer, rows
# beside the manifold are found better; with more, groups of outliers.
NEIGHBORS = 20
# Rows that all rows are compared with. The mean over 512 instead of all rows changed the area under
# the ROC curve by less than .01 on average (`urerf bench outliers` has the tables).
COMPARED_ROWS = 512
# Similarities that are held at a time: 64 MB of int32.
BLOCK_ROWS = 1 << 16
# Rows whose differences from one row are held at a time: those of all rows at once took 30 times as
# long for a million rows of 50 columns, because they do not fit into the cache.
CACHED_ROWS = 1 << 12
# Differences up to this, in units of the trees, are rounding errors.
NEGLIGIBLE = 1e-6


def outlier_score(model: URerF, X: Any = None, *, n_neighbors: int | None = None) -> Array:
    """Return how unusual each row is; outliers have the largest scores.

    Parameters
    ----------
    model : URerF
        A fitted model.
    X : array-like of shape (rows, columns), optional
        Rows to score, in the units of the fitted rows; None for the fitted rows themselves.
    n_neighbors : int, optional
        Number of nearest rows that count; None for 20, or all rows of a smaller table.

    Returns
    -------
    ndarray of shape (rows,)
        The larger of two figures: how far a row is from its nearest rows, in the columns that carry
        structure and in the units of the trees, and how far apart it stands from all rows, by the
        similarity of the forest. Both are given as median absolute deviations above the median of
        the fitted rows, so that a typical row has about 0. There is no threshold: look at the rows
        with the largest scores first.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf import URerF, outlier_score
    >>> from urerf.datasets import add_noise, make_helix
    >>> X = make_helix(200).X
    >>> X[0] = 0, 0, X[:, 2].max()  # on the axis of the helix, far from its turns
    >>> model = URerF(random_state=0).fit(add_noise(X, 20, random_state=0))
    >>> int(np.argmax(outlier_score(model)))
    0
    """
    return outlier_figures(model, X, n_neighbors=n_neighbors).score


class Outliers(NamedTuple):
    """The two figures of every row; see `outlier_score`."""

    far: Array
    """How far from its nearest rows."""
    apart: Array
    """How little it has in common with other rows."""

    @property
    def score(self) -> Array:
        """The larger of the two."""
        return np.maximum(self.far, self.apart)


def outlier_figures(model: URerF, X: Any = None, *, n_neighbors: int | None = None) -> Outliers:
    """Return both figures that `outlier_score` is made of; parameters as there."""
    check_model(model)
    if not isinstance(model._fitted, Fitted):
        raise TypeError("model: is on a cluster; pass model.to_local()")
    k = min(NEIGHBORS, model.n_samples_fit_ - 1)
    if n_neighbors is not None:
        k = model._check_n_neighbors(n_neighbors, spare=1)
    fitted = _figures(model, None, k)
    figures = fitted
    if X is not None:
        figures = _figures(model, model._query(X), k)
    return Outliers(*map(_above, figures, fitted))


def unusual_columns(
    model: URerF,
    rows: Array,
    *,
    is_far: Array,
    top: int,
) -> Array:
    """Return the columns in which rows differ most, (rows, top); -1 if there are fewer columns.

    Only columns that trees use, in which the row differs more from the others than they differ from
    each other, and in which it has a value: a missing one, which was filled from other rows, does
    not set it apart.

    Parameters
    ----------
    model : URerF
        A fitted model.
    rows : ndarray of int
        Fitted rows.
    is_far : ndarray of bool
        For each row: whether it is compared with its nearest rows, or else with all rows.
    top : int
        Number of columns.
    """
    columns = model._fitted.columns
    reading = model._fitted.reading
    points = columns.points(reading, raw_units=False)
    k = min(NEIGHBORS, model.n_samples_fit_ - 1)
    neighbors = model.kneighbors(n_neighbors=k, return_distance=False)
    spread_of_all = _spread(points.values, points.mismatch)
    result = np.full((len(rows), top), -1)
    for i, row in enumerate(rows):
        others = points.values
        spread = spread_of_all
        if is_far[i]:
            others = points.values[neighbors[row]]
            spread = _spread(others, points.mismatch)
        excess = _mean_distances(points.values[row], others, points.mismatch) - spread
        is_missing = np.isnan(reading.matrix[:, row])
        excess[is_missing] = -np.inf
        largest_first = np.argsort(-excess, kind="stable")
        largest_first = largest_first[excess[largest_first] > NEGLIGIBLE]
        shown = columns.chosen[largest_first[:top]]
        result[i, : len(shown)] = shown
    return result


def _mean_distances(point: Array, others: Array, mismatch: Array) -> Array:
    """Return the mean distance from a point to others in each column."""
    has_levels = mismatch > 0
    total = np.zeros(len(point))
    for block in row_blocks(len(others), CACHED_ROWS):
        distance = np.abs(others[block] - point)
        is_other_level = others[block, has_levels] != point[has_levels]
        distance[:, has_levels] = mismatch[has_levels] * is_other_level
        total += distance.sum(axis=0, dtype=np.float64)
    return total / len(others)


def _spread(points: Array, mismatch: Array) -> Array:
    """Return the mean distance between two points, drawn with replacement, in each column."""
    n_rows, n_columns = points.shape
    # Of the differences between values in order, the s-th is part of s * (n_rows - s) distances.
    s = np.arange(1.0, n_rows)
    n_distances = s * (n_rows - s)
    mean = np.empty(n_columns)
    for column in range(n_columns):
        values = points[:, column]
        if mismatch[column]:
            _, counts = np.unique(values, return_counts=True)
            share_that_agrees = ((counts / n_rows) ** 2).sum()
            mean[column] = mismatch[column] * (1 - share_that_agrees)
        else:
            gaps = np.diff(np.sort(values))
            mean[column] = 2 * (n_distances @ gaps) / n_rows**2
    return mean


def _figures(model: URerF, rows: Reading | None, k: int) -> tuple[Array, Array]:
    """Return the two figures of rows (None: of the fitted rows), each in a unit of its own."""
    return _mean_distance(model, rows, k), _isolation(model, rows)


def _above(values: Array, fitted: Array) -> Array:
    """Return how many median absolute deviations values are above the median of the fitted."""
    center = np.median(fitted)
    deviation = np.abs(fitted - center)
    spread = np.median(deviation)
    if spread <= 0:
        spread = 1.0
    return (values - center) / spread


def _mean_distance(model: URerF, rows: Reading | None, k: int) -> Array:
    """Return the mean Euclidean distance to the k nearest rows found by the forest."""
    columns = model._fitted.columns
    fitted = columns.points(model._fitted.reading, raw_units=False)
    if rows is None:
        points = fitted
        _, ids = model._nearest(None, k)
    else:
        points = columns.points(rows, raw_units=False)
        distances, ids = model._nearest(rows, k + 1)
        # A row at distance 0 from a fitted one is that row, which is not its own neighbor.
        is_fitted = distances[:, :1] == 0
        ids = np.where(is_fitted, ids[:, 1:], ids[:, :-1])
    return edge_lengths(points, fitted, ids).mean(axis=1)


def _isolation(model: URerF, rows: Reading | None) -> Array:
    """Return the reciprocal of the mean squared similarity to the row itself and to others.

    With S_j the similarities to m other rows of the sample: (1 + m) / (1 + sum of S_j ** 2).
    """
    fitted = model._fitted
    leaves = fitted.leaves_of(rows, model.n_jobs)
    selves = np.arange(fitted.n_samples) if rows is None else fitted.known_rows(rows)
    rng = np.random.default_rng(fitted.seed)
    compared = rng.permutation(fitted.n_samples)[:COMPARED_ROWS]
    compared_leaves = np.ascontiguousarray(fitted.leaves[:, compared])
    index = build_index(fitted.forest, compared_leaves, "depth")
    total = np.empty(len(selves))
    for block in row_blocks(len(selves), BLOCK_ROWS):
        block_leaves = np.ascontiguousarray(leaves[:, block])
        sums = similarity_matrix(index, block_leaves, model.n_jobs)
        similarity = sums / index.perfect
        is_self = selves[block, None] == compared
        similarity[is_self] = 0.0
        total[block] = (similarity**2).sum(axis=1)
    n_others = len(compared) - np.isin(selves, compared)
    return (1.0 + n_others) / (1.0 + total)
