"""How repeatable neighbors are: two forests, each grown on half of the rows, asked the same.

Without labels, nobody can say how many neighbors are right. But neighbors that change with the rows
and the random numbers that the trees happened to get cannot be right, so the agreement of two
forests that share neither is a figure that every table has.

It says nothing about columns: forests that are given the same noise columns agree on neighbors in
these, the more trees they have. Whether columns carry structure is what `urerf.relevance` tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ._typing import Array
from .forest import Forest
from .graph import to_csr, without_self
from .ranking.similarity import get_similarity

if TYPE_CHECKING:
    from .estimator import URerF
    from .fitted import Fitted
    from .forest import Growth

# Below this, a half has too few rows to grow trees on, and the figure means nothing.
FEWEST_ROWS = 10
# Above this, commands and the report leave it out: two more forests take as long as the first.
MOST_ROWS = 20_000
# From which figure the words change. `urerf bench stability`: the mean precision beyond chance is
# .05 for figures below .2, .76 for those from .6 to .8, and .88 above; in between it varies widely.
STABLE = 0.7
UNSTABLE = 0.2


class NothingToCompareError(ValueError):
    """The table is too small for two forests on its halves."""


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """What `URerF.neighbor_stability` returns.

    Attributes
    ----------
    overall : float
        Agreement of the neighbors beyond chance, in [0, 1]: 0 for lists that have no more neighbors
        in common than random ones, 1 for equal lists.
    per_row : ndarray of shape (rows,)
        The same for every row. A single row may be below 0.
    shared : float
        Share of the neighbors that the two forests have in common, not corrected for chance.
    n_neighbors : int
        Number of neighbors compared for every row.
    """

    overall: float
    per_row: Array
    shared: float
    n_neighbors: int

    @property
    def word(self) -> str:
        """The figure in a word or two: "stable", "partly stable" or "not stable"."""
        if self.overall >= STABLE:
            return "stable"
        return "partly stable" if self.overall >= UNSTABLE else "not stable"

    @property
    def sentence(self) -> str:
        """What was compared, as a sentence."""
        return (
            f"Two forests, each grown on half of the rows, have {self.shared:.0%} of the neighbors "
            "in common."
        )

    @property
    def message(self) -> str:
        """What was compared, and the figure."""
        return (
            f"neighbors are {self.word}: two forests, each grown on half of the rows, have "
            f"{self.shared:.0%} of them in common ({self.overall:.2f} corrected for chance)"
        )

    def __repr__(self) -> str:
        return self.message


def stability_if_quick(model: URerF, n_neighbors: int) -> Stability | None:
    """Return the stability of a model's neighbors; None for a table too small or too large."""
    n_others = model.n_samples_fit_ - 1
    if n_others >= MOST_ROWS or n_neighbors >= n_others:
        return None
    try:
        return model.neighbor_stability(n_neighbors)
    except NothingToCompareError:
        return None


def compare_halves(
    fitted: Fitted,
    growth: Growth,
    n_neighbors: int,
    *,
    similarity: str,
    rows: Array | None = None,
    n_jobs: int | None = None,
) -> Stability:
    """Grow a forest on each half of the rows, with half of the trees, and compare the neighbors.

    Parameters
    ----------
    fitted : Fitted
        The model whose rows and columns are used.
    growth : Growth
        How its trees grow.
    n_neighbors : int
        Number of neighbors to compare.
    similarity : str
        How neighbors are ranked.
    rows : ndarray of int, optional
        Rows whose neighbors are compared; None for all.
    n_jobs : int or None
        Threads.
    """
    n = fitted.n_samples
    if rows is not None and len(rows) == 0:
        raise ValueError("rows: must not be empty; pass positions of fitted rows, or None for all")
    _check_size(n, growth, similarity)
    order = np.random.default_rng(fitted.seed).permutation(n)
    halves = [np.sort(order[start::2]) for start in (0, 1)]
    lists = []
    for number, half in enumerate(halves):
        forest = _regrown(fitted, growth, half, number, n_jobs)
        leaves = forest.apply(fitted.reading, n_jobs)
        # Another seed breaks ties in another way: rows that are equally close do not agree.
        seed = fitted.seed + 1 + number
        model = replace(fitted, forest=forest, leaves=leaves, seed=seed)
        lists.append(_neighbors(model, rows, n_neighbors, similarity, n_jobs))
    first, second = lists
    shared = shared_neighbors(first, second, n)
    chance = n_neighbors / (n - 1)
    beyond = np.zeros(len(shared))
    if chance < 1.0:
        beyond = (shared - chance) / (1.0 - chance)
    overall = float(np.clip(beyond.mean(), 0.0, 1.0))
    return Stability(overall, beyond, float(shared.mean()), n_neighbors)


def _check_size(n: int, growth: Growth, similarity: str) -> None:
    """Check that there are rows enough for two forests that may differ."""
    if n < FEWEST_ROWS:
        raise NothingToCompareError(
            f"neighbor_stability: needs at least {FEWEST_ROWS} fitted rows, got {n}; "
            "fit a larger table"
        )
    n_per_tree = min(growth.max_samples, n // 2)
    has_splits = n_per_tree >= growth.min_samples_split
    if not has_splits and get_similarity(similarity).ranking != "forest":
        raise NothingToCompareError(
            f"neighbor_stability: {n} fitted rows are too few, since trees of {n_per_tree} rows "
            "have no splits and straight distances alone rank the neighbors; fit a larger table, "
            "or set max_samples=None or a smaller min_samples_split"
        )


def shared_neighbors(first: Array, second: Array, n: int) -> Array:
    """Return for each row the share of neighbors that two lists, (rows, k), have in common.

    >>> shared_neighbors(np.array([[1, 2], [0, 2]]), np.array([[2, 1], [3, 2]]), 4)
    array([1. , 0.5])
    """
    ones = np.ones(first.shape)
    in_first = to_csr(ones, first, n)
    in_second = to_csr(ones, second, n)
    common = in_first.multiply(in_second)
    n_common = np.asarray(common.sum(axis=1)).ravel()
    return n_common / first.shape[1]


def _regrown(
    fitted: Fitted,
    growth: Growth,
    rows: Array,
    number: int,
    n_jobs: int | None,
) -> Forest:
    """Return half as many trees, of the same size, grown on some of the rows."""
    columns = fitted.columns
    matrix = np.ascontiguousarray(fitted.matrix[:, rows])
    max_samples = min(growth.max_samples, len(rows))
    n_trees = max(1, fitted.forest.n_trees // 2)
    first = number * n_trees
    forest = Forest.grow(
        columns.reading(matrix, n_jobs),
        growth._replace(max_samples=max_samples),
        seed=fitted.seed,
        trees=range(first, first + n_trees),
        feature_weights=columns.feature_weights,
        n_jobs=n_jobs,
    )
    return replace(forest, n_fitted=fitted.n_samples)


def _neighbors(
    model: Fitted,
    rows: Array | None,
    k: int,
    similarity: str,
    n_jobs: int | None,
) -> Array:
    """Return the neighbors of all or some of the fitted rows, each row itself left out."""
    if rows is None:
        _, ids = model.nearest(None, k, similarity=similarity, n_jobs=n_jobs)
        return ids
    matrix = np.ascontiguousarray(model.matrix[:, rows])
    asked = model.columns.reading(matrix, n_jobs)
    _, ids = model.nearest(asked, k + 1, similarity=similarity, n_jobs=n_jobs)
    return without_self(ids, rows)
