"""All methods that are compared, each as the library that implements it, behind one signature.

``method.neighbors(X, k, random_state=, n_jobs=)`` returns the (n, k) indices of the k nearest rows
of each row, nearest first, without the row itself. Ties are broken by the seed and never by row
order: each method sees the rows in a random order, and its answer is mapped back.
``method.distances(X, random_state=, n_jobs=)`` returns estimated distances between all rows.
``method.select(X, told, random_state=)`` returns a score for each column, the highest for those
that a selector of columns would keep.
"""

from .common import nearest, nearest_by_leaf, need
from .registry import METHODS, OURS, SELECTORS, Method

__all__ = [
    "METHODS",
    "OURS",
    "SELECTORS",
    "Method",
    "nearest",
    "nearest_by_leaf",
    "need",
]
