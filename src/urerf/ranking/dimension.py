"""How many dimensions the rows fill locally, and what that means for ranking neighbors.

Along a curve the number of rows within a distance grows with the distance, on a surface with its
square. The estimate is that of Levina and Bickel (2004), from the distances of each row to its
nearest rows, with every column in units of its width.

Where rows lie on a curve or a surface, paths along it rank neighbors better than the forest, which
cannot tell one turn of a helix from the next once they are close (``similarity="auto"``). This
needs columns that can be measured in a common unit, since the lengths of paths add them up.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from .._typing import Array
from ..units import LARGEST_RATIO, have_like_widths

# Nearest rows per row. More see the next turn of a helix: ten turns of 1000 rows have a dimension
# of 1.1 by 5 nearest rows and of 1.7 by 20.
NEAREST = 5
# Rows and values examined: tens of milliseconds.
ROWS_EXAMINED = 1000
VALUES_EXAMINED = 50_000
# Fewer rows are too far from each other for their manifold to show.
LEAST_ROWS = 100
# Share of different values in at least half of the columns. Rows with repeated values, such as
# ratings, subjects or points in time, lie on a grid: their nearest rows are its next points,
# whatever the dimension.
LEAST_DISTINCT = 0.2
# Estimates up to these are a curve and a surface. Curves have 1.0 to 1.4, surfaces 1.8 to 2.2
# (docs/design/ranking.md).
CURVE = 1.6
SURFACE = 2.4
# Rows that fill the space of their columns do not lie on a surface. In two columns, a curve leaves
# little for paths to improve.
LEAST_COLUMNS = 3
LARGEST_SHARE = 0.8
# Where some columns are much narrower than others, the nearest rows in the units of the data have
# to be near in units of the widths as well: at most MOST_ASTRAY of the rows may have one among
# their nearest that is FAR times as far as those by the widths. No row of the simulations does, but
# 20 to 97 % of those of coils whose height is in another unit (docs/design/ranking.md).
FAR = 3.0
MOST_ASTRAY = 0.1
# With more rows, paths cost too much: for a surface of 100,000 rows the graph took three times the
# CPU time of the blend (8.5 and 2.6 s), for a precision of .97 instead of .91.
MOST_ROWS = 16_384


def local_dimension(points: Array) -> float:
    """Return the number of dimensions that rows fill near each other; inf if there is no estimate.

    Parameters
    ----------
    points : ndarray of shape (rows, columns)
        Equal rows say nothing. Missing and infinite values, and repeated values in most columns,
        allow no estimate: rows whose gaps are filled lie next to the manifold.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.random.default_rng(0).uniform(size=(500, 1))
    >>> round(local_dimension(np.hstack([t, t, t])), 1)
    1.0
    """
    if not np.isfinite(points).all():
        return np.inf
    sample = _sample(points)
    n = len(sample)
    if n < LEAST_ROWS:
        return np.inf
    n_different = [len(np.unique(column)) for column in sample.T]
    if np.median(n_different) < LEAST_DISTINCT * n:
        return np.inf
    distances = cdist(sample, sample)
    np.fill_diagonal(distances, np.inf)
    distances.partition(NEAREST - 1, axis=1)
    nearest = np.sort(distances[:, :NEAREST], axis=1)
    is_distinct = nearest[:, 0] > 0.0
    if 2 * is_distinct.sum() < n:
        return np.inf
    nearest = nearest[is_distinct]
    farthest = nearest[:, -1:]
    ratios = farthest / nearest[:, :-1]
    growth = np.log(ratios).mean()
    return float(1.0 / growth) if growth > 0.0 else np.inf


def _sample(points: Array) -> Array:
    """Return some of the rows, from all parts of the table."""
    most = max(LEAST_ROWS, VALUES_EXAMINED // points.shape[1])
    n = min(len(points), ROWS_EXAMINED, most)
    rows = np.linspace(0, len(points) - 1, n).astype(int)
    return points[rows].astype(np.float64)


def is_curve(dimension: float) -> bool:
    """Return whether rows of this dimension lie along a curve."""
    return dimension <= CURVE


def is_surface(dimension: float) -> bool:
    """Return whether rows of this dimension lie on a surface."""
    return CURVE < dimension <= SURFACE


def have_common_unit(widths: Array) -> bool:
    """Return whether paths can be measured in columns of these widths, in the units of the data.

    A single wide column would decide the lengths of paths. Narrow ones hardly count in them:
    whether they matter, `near_by_unit` tells.
    """
    if len(widths) < LEAST_COLUMNS or not have_like_widths(widths):
        return False
    return bool(widths.max() <= LARGEST_RATIO * np.median(widths))


def near_by_unit(points: Array, widths: Array) -> bool:
    """Return whether the nearest rows in the units of the data are near in units of the widths.

    If not, columns too narrow to count in the lengths of paths tell parts of the table from each
    other, such as the turns of a coil whose height is in another unit.

    Parameters
    ----------
    points : ndarray of shape (rows, columns)
        Finite values in units of the widths.
    widths : ndarray of shape (columns,)
        Widths of the columns in the units of the data.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.random.default_rng(0).uniform(0, 20, 500)
    >>> coil = np.column_stack([np.cos(t), np.sin(t), t / 20])
    >>> near_by_unit(coil, np.array([2.0, 2.0, 2.0]))
    True
    >>> near_by_unit(coil, np.array([2.0, 2.0, 0.001]))
    False
    """
    if widths.max() <= LARGEST_RATIO * widths.min():
        return True
    sample = _sample(points)
    by_width = cdist(sample, sample)
    in_units = sample * (widths / widths.max())  # their squares do not overflow
    by_unit = cdist(in_units, in_units)
    np.fill_diagonal(by_width, np.inf)
    np.fill_diagonal(by_unit, np.inf)
    nearest = np.argpartition(by_unit, NEAREST - 1, axis=1)[:, :NEAREST]
    lengths = np.take_along_axis(by_width, nearest, axis=1)
    reached = lengths.max(axis=1)
    needed = np.partition(by_width, NEAREST - 1, axis=1)[:, NEAREST - 1]
    is_astray = reached > FAR * needed
    return bool(is_astray.mean() <= MOST_ASTRAY)


def has_paths(dimension: float, n_columns: int) -> bool:
    """Return whether rows of this dimension lie on a curve or a surface in this many columns."""
    return dimension <= min(SURFACE, LARGEST_SHARE * n_columns)
