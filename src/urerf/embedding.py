"""From the forest's neighbour graph to a picture: two coordinates for every row."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra

from .graph import symmetrize, to_csr, with_self

if TYPE_CHECKING:
    from .estimator import URerF

LANDMARKS = 100
APART = 1.2  # how much farther than the longest path lies a row that no path leads to
PERPLEXITY = 30.0
EPOCHS = 200
PUSHES = 4
SPREAD = 8.0  # where pulls and pushes are about even, for any number of rows
MOST_MOVES = 3e8  # pulls and pushes in a layout: some ten seconds


def embed(
    model: URerF, method: str = "layout", *, n_neighbors: int = 15, random_state: int = 0
) -> np.ndarray:
    """Return coordinates of the fitted rows, (rows, 2).

    Parameters
    ----------
    model : URerF
        Fitted.
    method : {"layout", "isomap", "spectral", "tsne", "umap"}
        "layout": neighbours pull, others push, from where their shortest paths put them. "isomap":
        the geodesic distances themselves. The others are those of scikit-learn and of umap-learn,
        which must be installed.
    n_neighbors : int, default=15
        Neighbours of every row in the graph ("tsne" and "isomap" take as many as they need).
    random_state : int, default=0
        Seed of the layout.
    """
    check_method(method)
    return np.asarray(METHODS[method](model, n_neighbors, random_state), dtype=np.float64)


def check_method(method: str) -> None:
    """Refuse a method that is unknown or not installed."""
    if method not in METHODS:
        raise ValueError(f"method: must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if method == "umap" and find_spec("umap") is None:
        raise ImportError("umap-learn is needed for umap: pip install urerf[umap]")


def layout(distances: np.ndarray, neighbors: np.ndarray, random_state: int = 0) -> np.ndarray:
    """Lay out the graph of every row's neighbours, as `URerF.kneighbors` gives them: neighbours pull, others push."""
    from .kernels.layout import relax
    from .kernels.rng import mix

    n, k = neighbors.shape
    points = start(distances, neighbors)
    epochs = int(np.clip(MOST_MOVES / (n * k * (1 + PUSHES)), 20, EPOCHS))
    relax(
        points,
        np.ascontiguousarray(neighbors, dtype=np.int32),
        epochs,
        PUSHES,
        mix(np.uint64(random_state)),
    )
    points -= points.mean(axis=0)
    return points @ np.linalg.eigh(points.T @ points)[1][:, ::-1]  # its longest extent lies along x


def start(distances: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Put rows where their shortest paths to some landmarks say, no two on one spot.

    Parts of the graph that no path joins are put side by side, the largest first.
    """
    n = len(neighbors)
    graph = symmetrize(to_csr(*with_self(distances, neighbors), n))
    _, part = connected_components(graph, directed=False)
    sizes = np.bincount(part)
    members = np.split(np.argsort(part, kind="stable"), np.cumsum(sizes)[:-1])
    members.sort(key=len, reverse=True)
    points = np.random.default_rng(0).normal(scale=1e-2, size=(n, 2))
    for rows in members:
        local = by_paths(*paths_from_landmarks(graph[rows][:, rows], min(LANDMARKS, len(rows))))
        local *= SPREAD * np.sqrt(len(rows) / n) / max(float(local.std()), 1e-12)
        points[rows] += local - local.min(axis=0)
    corners = side_by_side(np.array([np.ptp(points[rows], axis=0) + 2.0 for rows in members]))
    for rows, corner in zip(members, corners):
        points[rows] += corner
    return points - points.mean(axis=0)


def side_by_side(sizes: np.ndarray) -> np.ndarray:
    """Return a corner for every box (width, height), on shelves of about the width that the whole is high.

    >>> side_by_side(np.array([[3.0, 2.0], [1.0, 1.0], [1.0, 1.0]]))
    array([[0., 0.], [0., 2.], [1., 2.]])
    """
    width = max(float(sizes[:, 0].max()), float(np.sqrt(sizes.prod(axis=1).sum())))
    corners = np.empty_like(sizes)
    x = y = height = 0.0
    for i, (w, h) in enumerate(sizes):
        if x > 0 and x + w > width:
            x = 0.0
            y = y + height
            height = 0.0
        corners[i] = x, y
        x = x + w
        height = max(height, h)
    return corners


def paths_from_landmarks(graph: sp.csr_matrix, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose landmarks one after the other, each as far as can be from those before it.

    Returns the landmarks and the lengths of the paths from each to every row, (landmarks, rows).
    """
    landmarks = np.empty(count, dtype=np.intp)
    lengths = np.empty((count, graph.shape[0]))
    nearest = dijkstra(graph, indices=0)
    for i in range(count):
        landmarks[i] = nearest.argmax()
        lengths[i] = dijkstra(graph, indices=landmarks[i])
        nearest = lengths[0].copy() if i == 0 else np.minimum(nearest, lengths[i])
    return landmarks, lengths


def by_paths(landmarks: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return two coordinates of every row: classical scaling of the landmarks, the others by their paths to them.

    With all rows as landmarks this is Isomap. Parts that no path joins are set apart.

    Examples
    --------
    >>> place = np.array([0.0, 1.0, 3.0, 4.0])
    >>> points = by_paths(np.array([0, 3]), np.abs(place[[0, 3], None] - place))
    >>> np.round(np.abs(points[:, 0] - points[0, 0]), 6)
    array([0., 1., 3., 4.])
    """
    reached = np.isfinite(lengths)
    squares = np.where(reached, lengths, APART * lengths[reached].max()) ** 2
    among = squares[:, landmarks]
    mean = among.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (among - mean - mean[:, None] + mean.mean()))
    largest = [-1, -2] if len(landmarks) > 1 else [-1, -1]
    width = np.sqrt(np.maximum(values[largest], 1e-9 * max(values[-1], 1e-300)))
    return -0.5 * (squares - mean[:, None]).T @ (vectors[:, largest] / width)


def _layout(model: URerF, n_neighbors: int, random_state: int) -> Any:
    distances, ids = model.kneighbors(n_neighbors=n_neighbors)
    return layout(distances, ids, random_state)


def _isomap(model: URerF, n_neighbors: int, random_state: int) -> Any:
    n = model.n_samples_fit_
    landmarks = np.random.default_rng(random_state).choice(n, min(5 * LANDMARKS, n), replace=False)
    return by_paths(landmarks, model.geodesic_distances(landmarks))


def _spectral(model: URerF, n_neighbors: int, random_state: int) -> Any:
    from sklearn.manifold import SpectralEmbedding

    method = SpectralEmbedding(
        affinity="precomputed_nearest_neighbors", n_neighbors=n_neighbors, random_state=random_state
    )
    return method.fit_transform(model.kneighbors_graph(n_neighbors=n_neighbors))


def _tsne(model: URerF, n_neighbors: int, random_state: int) -> Any:
    from sklearn.manifold import TSNE

    perplexity = min(PERPLEXITY, (model.n_samples_fit_ - 2) / 3)
    distances, ids = model.kneighbors(n_neighbors=int(3 * perplexity + 1))
    begin = 1e-4 * _unit(start(distances, ids)).astype(np.float32)
    method = TSNE(
        metric="precomputed", perplexity=perplexity, init=begin, random_state=random_state
    )
    return method.fit_transform(to_csr(*with_self(distances, ids), len(ids)))


def _umap(model: URerF, n_neighbors: int, random_state: int) -> Any:
    import umap

    distances, ids = with_self(*model.kneighbors(n_neighbors=n_neighbors))
    begin = 10.0 * _unit(start(distances[:, 1:], ids[:, 1:])).astype(np.float32)
    method = umap.UMAP(
        n_neighbors=n_neighbors + 1,
        precomputed_knn=(ids, distances.astype(np.float32)),
        init=begin,
        n_jobs=1,
        random_state=random_state,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "precomputed_knn.* is not an NNDescent"
        )  # it matters for new rows only
        return method.fit_transform(
            begin
        )  # of which it only counts the rows: neighbours and start are given


def _unit(points: np.ndarray) -> np.ndarray:
    return points / max(float(points.std()), 1e-12)


METHODS: dict[str, Callable[[URerF, int, int], Any]] = {
    "layout": _layout,
    "isomap": _isomap,
    "spectral": _spectral,
    "tsne": _tsne,
    "umap": _umap,
}
