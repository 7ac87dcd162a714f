"""The data of the paper: four simulated manifolds whose geodesics are known, noise columns, and a connectome.

Every maker returns a `Manifold`: the points, their latent coordinates and the true geodesic distances.

The paper's text and its authors' scripts disagree in places; ``variant="text"`` (the default) follows the text and
``variant="scripts"`` takes the constants and the truth of the scripts:

| manifold | text | scripts |
|---|---|---|
| linear | (4t, 6t, 9t) | (21t, 6t, 14t) |
| helix | t in (2 pi, 9 pi) | t in (3 pi, 9 pi) |
| sphere | the same in both | |
| mixture | near = same component | near = by Euclidean distance of the clean columns |

The scripts also draw t, u and v at random; both variants keep the equally spaced grid of the text.

Grids are the midpoints of equal cells, so no point lies on the end of an open interval: the poles of the sphere and its
seam u = 0 = 2 pi are never hit twice. Rows are shuffled: in manifold order, ties broken by row index would look like
skill.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Manifold",
    "add_noise",
    "load_connectome",
    "make_gaussian_mixture",
    "make_helix",
    "make_linear",
    "make_sphere",
    "rescale",
]

FloatArray = NDArray[np.float64]
RandomState = int | np.random.Generator | None
Variant = Literal["text", "scripts"]
NoiseKind = Literal["gaussian", "uniform", "bimodal", "heavy_tailed"]

_SPHERE_RADIUS = 9.0
_MIXTURE_WEIGHTS = (0.3, 0.3, 0.4)
_MIXTURE_MEANS = (-3.0, 0.0, 3.0)  # the same in each of the three columns


@dataclass(frozen=True, eq=False)
class Manifold:
    """Points on a manifold whose geodesic distances are known.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The points as observed, without noise columns.
    latent : ndarray of shape (n, d)
        Their coordinates on the manifold; for a discrete manifold the number of the component.
    name : str
        What it is.
    geodesic : callable
        ``geodesic(a, b)`` gives the (len(a), len(b)) geodesic distances between rows of latent coordinates.
    labels : ndarray of shape (n,) or None
        The component of each point when the manifold is discrete (distance 0 within a component, infinite across),
        otherwise None.

    Examples
    --------
    >>> from urerf.datasets import make_helix
    >>> helix = make_helix(100)
    >>> helix.X.shape, helix.latent.shape, helix.labels
    ((100, 3), (100, 1), None)
    >>> helix.distances().shape, helix.distances(rows=[0, 7]).shape
    ((100, 100), (2, 100))
    """

    X: FloatArray
    latent: FloatArray
    name: str
    geodesic: Callable[[FloatArray, FloatArray], FloatArray] = field(repr=False)
    labels: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.X)

    def distances(self, rows: ArrayLike | None = None) -> FloatArray:
        """Return the true geodesic distances, from all points or only from those in `rows`, to every point.

        Parameters
        ----------
        rows : array-like of int of shape (m,), default=None
            The points to measure from; None means all.

        Returns
        -------
        ndarray of shape (m, n)
            No more than these rows is ever built.
        """
        source = self.latent if rows is None else self.latent[self._check_rows(rows)]
        return self.geodesic(source, self.latent)

    def _check_rows(self, rows: ArrayLike) -> NDArray[np.intp]:
        given = np.asarray(rows)
        if given.ndim != 1:
            raise ValueError(f"rows: expected a one-dimensional list of row numbers, got shape {given.shape}.")
        if given.size and given.dtype.kind not in "iu":
            raise TypeError(f"rows: expected integers, got dtype {given.dtype}; use np.flatnonzero for a mask.")
        if given.size and (given.min() < 0 or given.max() >= len(self)):
            raise ValueError(f"rows: must lie in 0..{len(self) - 1}, got {given.min()}..{given.max()}.")
        return given.astype(np.intp)


def make_linear(n_samples: int = 1000, *, variant: Variant = "text", random_state: RandomState = 0) -> Manifold:
    """Make a line in three dimensions: (4t, 6t, 9t) with t in (0, 1) on an equally spaced grid.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        "scripts" uses the direction in the scripts of the paper's authors, (21t, 6t, 14t).
    random_state : int, Generator or None, default=0
        Shuffles the rows.

    Returns
    -------
    Manifold
        `latent` is t; the geodesic distance is the difference in t times the length of the line.

    Examples
    --------
    >>> from urerf.datasets import make_linear
    >>> line = make_linear(5)
    >>> print(line.distances().max().round(3))  # 4/5 of the length, the square root of 133
    9.226
    """
    n = _check_count("n_samples", n_samples, at_least=1)
    direction = np.array([21.0, 6.0, 14.0] if _is_scripts(variant) else [4.0, 6.0, 9.0])
    t = _rng(random_state, "make").permutation(_grid(0.0, 1.0, n))
    geodesic = partial(_line_distances, length=float(np.linalg.norm(direction)))
    return Manifold(X=t[:, None] * direction, latent=t[:, None], name="linear", geodesic=geodesic)


def make_helix(n_samples: int = 1000, *, variant: Variant = "text", random_state: RandomState = 0) -> Manifold:
    """Make a widening helix: (t cos t, t sin t, t) with t in (2 pi, 9 pi) on an equally spaced grid.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        "scripts" uses the interval in the scripts of the paper's authors, t in (3 pi, 9 pi).
    random_state : int, Generator or None, default=0
        Shuffles the rows.

    Returns
    -------
    Manifold
        `latent` is t; the geodesic distance is the length of the curve between two points, in closed form.

    Examples
    --------
    >>> from urerf.datasets import make_helix
    >>> helix = make_helix(1000)
    >>> bool((abs(helix.X[:, 2] - helix.latent[:, 0]) < 1e-12).all())
    True
    """
    n = _check_count("n_samples", n_samples, at_least=1)
    start = (3 if _is_scripts(variant) else 2) * math.pi
    t = _rng(random_state, "make").permutation(_grid(start, 9 * math.pi, n))
    X = np.column_stack([t * np.cos(t), t * np.sin(t), t])
    return Manifold(X=X, latent=t[:, None], name="helix", geodesic=_helix_distances)


def make_sphere(n_samples: int = 1000, *, variant: Variant = "text", random_state: RandomState = 0) -> Manifold:
    """Make a sphere of radius 9: (r cos u sin v, r sin u sin v, r cos v) on a grid of u in (0, 2 pi), v in (0, pi).

    The steps in u and in v are as equal as `n_samples` allows: the grid has about twice as many values of u as of v.
    Where n is not the size of such a grid, the next larger grid is made (fewer nodes too many than it has values of
    v) and n of its nodes are taken at random, each with the same chance.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        The same for both; taken so that all makers are called alike.
    random_state : int, Generator or None, default=0
        Shuffles the rows and chooses the nodes.

    Returns
    -------
    Manifold
        `latent` is (u, v); the geodesic distance is that along the great circle.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import make_sphere
    >>> sphere = make_sphere(200)
    >>> [np.unique(angle).size for angle in sphere.latent.T]
    [20, 10]
    >>> print(np.linalg.norm(sphere.X, axis=1).round(6).max())
    9.0
    """
    n = _check_count("n_samples", n_samples, at_least=1)
    _is_scripts(variant)
    n_v = max(1, round(math.sqrt(n / 2)))
    n_u = math.ceil(n / n_v)
    u, v = np.meshgrid(_grid(0.0, 2 * math.pi, n_u), _grid(0.0, math.pi, n_v))
    nodes = np.column_stack([u.ravel(), v.ravel()])
    latent = _rng(random_state, "make").permutation(nodes)[:n]
    return Manifold(X=_SPHERE_RADIUS * _unit_vectors(latent), latent=latent, name="sphere", geodesic=_sphere_distances)


def make_gaussian_mixture(
    n_samples: int = 1000, *, variant: Variant = "text", random_state: RandomState = 0
) -> Manifold:
    """Draw from three Gaussians: weights .3, .3, .4, means (-3, -3, -3), 0, (3, 3, 3), identity covariance.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        With "text" the truth is discrete: distance 0 within a component and infinite across. With "scripts", as in
        the scripts of the paper's authors, it is the Euclidean distance of the three columns and `labels` is None;
        the points are the same.
    random_state : int, Generator or None, default=0
        Draws the points.

    Returns
    -------
    Manifold
        `labels` and `latent` are the component, 0, 1 or 2 ("scripts": `latent` is the point itself).

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import make_gaussian_mixture
    >>> mixture = make_gaussian_mixture(1000)
    >>> np.unique(mixture.labels)
    array([0, 1, 2])
    >>> np.unique(mixture.distances(rows=[0]))
    array([ 0., inf])
    """
    n = _check_count("n_samples", n_samples, at_least=1)
    rng = _rng(random_state, "make")
    component = rng.choice(3, size=n, p=_MIXTURE_WEIGHTS)
    X = np.array(_MIXTURE_MEANS)[component][:, None] + rng.standard_normal((n, 3))
    if _is_scripts(variant):
        return Manifold(X=X, latent=X.copy(), name="gaussian_mixture", geodesic=_euclidean_distances)
    return _discrete_manifold(X, component, "gaussian_mixture")


def load_connectome() -> Manifold:
    """Load the right mushroom body of the larval fly: 213 cells of four types, joined by 7536 connections.

    Each cell is placed in six dimensions by adjacency spectral embedding of the directed, binary graph: with
    A = U S V' the three largest singular values give three outgoing coordinates, U sqrt(S), and three incoming ones,
    V sqrt(S). The diagonal of A, where nothing is observed, is first set to the mean of the cell's out- and in-degree
    over n - 1. Of each singular pair, the sign is such that the outgoing entry of largest magnitude is positive.

    Returns
    -------
    Manifold
        `X` has shape (213, 6), outgoing before incoming. `labels` are the cell types: "K" (Kenyon cell), "I" (input
        neuron), "O" (output neuron), "P" (projection neuron). Two cells are near when they are of one type.

    References
    ----------
    Eichler et al., "The complete connectome of a learning and memory centre in an insect brain", Nature 548,
    175-182, 2017. The embedding is that of Priebe et al., "Semiparametric spectral modeling of the Drosophila
    connectome", arXiv:1705.03297, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import load_connectome
    >>> cells = load_connectome()
    >>> cells.X.shape
    (213, 6)
    >>> dict(zip(*(values.tolist() for values in np.unique(cells.labels, return_counts=True))))
    {'I': 21, 'K': 100, 'O': 29, 'P': 63}
    """
    types = _read_csv("cells.csv", dtype=str)[:, 1]
    source, target, _synapses = _read_csv("edges.csv", dtype=np.intp).T
    A = np.zeros((len(types), len(types)))
    A[source, target] = 1.0
    return _discrete_manifold(_adjacency_spectral_embedding(A, d=3), types, "connectome")


def add_noise(
    X: ArrayLike,
    n_columns: int,
    *,
    kind: NoiseKind = "gaussian",
    variance: float = 70.0,
    random_state: RandomState = None,
) -> FloatArray:
    """Append columns of independent noise to `X`.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The table.
    n_columns : int
        Number of columns to append.
    kind : {"gaussian", "uniform", "bimodal", "heavy_tailed"}, default="gaussian"
        The law of the noise. "bimodal" is two equal Gaussians six standard deviations apart; "heavy_tailed" is
        Student's t with three degrees of freedom.
    variance : float, default=70.0
        The variance of every kind; the mean is 0. The paper's is 70.
    random_state : int, Generator or None, default=None
        Draws the noise. With an int, the first columns are the same however many are asked for.

    Returns
    -------
    ndarray of shape (n, p + n_columns)
        `X`, then the noise.

    Examples
    --------
    >>> from urerf.datasets import add_noise, make_helix
    >>> add_noise(make_helix(100).X, 10, random_state=0).shape
    (100, 13)
    """
    X = _check_table(X)
    n_columns = _check_count("n_columns", n_columns, at_least=0)
    if kind not in _NOISE:
        raise ValueError(f"kind: must be one of {', '.join(map(repr, _NOISE))}, got {kind!r}.")
    if not (isinstance(variance, (int, float, np.number)) and 0 < variance < math.inf):
        raise ValueError(f"variance: must be a finite number above 0, got {variance!r}.")
    n, p = X.shape
    Z = np.empty((n, p + n_columns))
    Z[:, :p] = X
    # One row of the draw is one column of noise, so that asking for more columns leaves the first as they are.
    Z[:, p:] = _NOISE[kind](_rng(random_state, "noise"), (n_columns, n)).T
    Z[:, p:] *= math.sqrt(variance)
    return Z


def rescale(X: ArrayLike) -> FloatArray:
    """Map every column linearly to [0, 1]; a constant column becomes 0.

    Parameters
    ----------
    X : array-like of shape (n, p)
        A table of finite numbers.

    Returns
    -------
    ndarray of shape (n, p)
        A new table.

    Examples
    --------
    >>> from urerf.datasets import rescale
    >>> rescale([[1, 7], [2, 7], [5, 7]])
    array([[0.  , 0.  ],
           [0.25, 0.  ],
           [1.  , 0.  ]])
    """
    X = _check_table(X)
    bad = ~np.isfinite(X).all(axis=0)
    if bad.any():
        raise ValueError(f"X: column {bad.argmax()} has NaN or infinite values; fill them or leave the column out.")
    low = X.min(axis=0)
    span = X.max(axis=0) - low
    return (X - low) / np.where(span > 0, span, 1.0)


def _grid(start: float, stop: float, n: int) -> FloatArray:
    """Return the midpoints of n equal cells of the open interval (start, stop)."""
    return start + (stop - start) * (np.arange(n) + 0.5) / n


def _line_distances(a: FloatArray, b: FloatArray, *, length: float) -> FloatArray:
    return length * np.abs(a - b.T)


def _helix_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.abs(_helix_arc_length(a) - _helix_arc_length(b).T)


def _helix_arc_length(t: FloatArray) -> FloatArray:
    """Integrate the speed of (t cos t, t sin t, t), the square root of t^2 + 2, from 0 to t."""
    return t / 2 * np.sqrt(t**2 + 2) + np.arcsinh(t / math.sqrt(2))


def _sphere_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Angle between unit vectors by Kahan's formula, accurate at 0 and at pi, where arccos loses half its digits."""
    a, b = _unit_vectors(a), _unit_vectors(b)
    return 2 * _SPHERE_RADIUS * np.arctan2(_euclidean_distances(a, b), _euclidean_distances(a, -b))


def _unit_vectors(latent: FloatArray) -> FloatArray:
    u, v = latent.T
    return np.column_stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])


def _euclidean_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Sum squared differences column by column: exact at 0, symmetric, and no (m, n, p) array."""
    total = np.zeros((len(a), len(b)))
    for a_column, b_column in zip(a.T, b.T):
        total += np.subtract.outer(a_column, b_column) ** 2
    return np.sqrt(total)


def _component_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.where(a == b.T, 0.0, np.inf)


def _discrete_manifold(X: FloatArray, labels: NDArray[Any], name: str) -> Manifold:
    component = np.unique(labels, return_inverse=True)[1].astype(np.float64)
    return Manifold(X=X, latent=component[:, None], name=name, geodesic=_component_distances, labels=labels)


def _adjacency_spectral_embedding(A: FloatArray, d: int) -> FloatArray:
    from scipy.sparse.linalg import svds  # takes longer to import than the rest of this module

    n = len(A)
    A = A.copy()
    np.fill_diagonal(A, (A.sum(axis=0) + A.sum(axis=1)) / (2 * (n - 1)))
    U, S, Vt = svds(A, k=d, v0=np.ones(n))  # without v0 the start is random
    order = np.argsort(-S)
    U, S, V = U[:, order], S[order], Vt[order].T
    sign = np.sign(U[np.abs(U).argmax(axis=0), np.arange(d)])
    return np.hstack([U, V]) * np.tile(sign * np.sqrt(S), 2)


def _read_csv(name: str, dtype: Any) -> NDArray[Any]:
    with (files("urerf") / "data" / "connectome" / name).open(encoding="utf-8") as file:
        return np.loadtxt(file, delimiter=",", skiprows=1, dtype=dtype)


def _gaussian(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_normal(shape)


def _uniform(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)


def _bimodal(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    n_columns, n = shape
    side, z = np.moveaxis(rng.standard_normal((n_columns, 2, n)), 1, 0)
    return (3 * np.where(side < 0, -1, 1) + z) / math.sqrt(10)


def _heavy_tailed(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_t(3, shape) / math.sqrt(3)


# Each draws noise of mean 0 and variance 1.
_NOISE: dict[str, Callable[[np.random.Generator, tuple[int, int]], FloatArray]] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
    "bimodal": _bimodal,
    "heavy_tailed": _heavy_tailed,
}


def _rng(random_state: RandomState, purpose: Literal["make", "noise"]) -> np.random.Generator:
    """Give points and noise a stream each: from one stream the same seed would draw the points again as noise."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    seed = None if random_state is None else _check_count("random_state", random_state, at_least=0)
    spawn_key = (0,) if purpose == "make" else (1,)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))


def _check_count(name: str, value: int, *, at_least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: must be an integer, got {value!r} ({type(value).__name__}).") from None
    if count < at_least:
        raise ValueError(f"{name}: must be at least {at_least}, got {count}.")
    return count


def _check_table(X: ArrayLike) -> FloatArray:
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"X: must be a table of numbers; could not convert it ({error}).") from error
    if table.ndim != 2:
        raise ValueError(f"X: must have two dimensions (rows, columns), got shape {table.shape}.")
    if len(table) == 0:
        raise ValueError("X: has no rows; give at least one.")
    return table


def _is_scripts(variant: str) -> bool:
    if variant not in ("text", "scripts"):
        raise ValueError(f"variant: must be 'text' or 'scripts', got {variant!r}.")
    return variant == "scripts"
