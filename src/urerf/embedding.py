"""Two coordinates for every row, computed from the neighbor graph of the forest."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra

from ._checks import check_choice
from ._random import seed_of
from ._typing import Array
from .graph import to_csr, undirected, with_self
from .parameters import check_model

if TYPE_CHECKING:
    from .estimator import URerF

# Rows from which shortest paths are computed for the initial layout, so that its cost grows with
# the number of rows, not with its square. "isomap" shows these paths themselves and takes more.
LANDMARKS = 100
ISOMAP_LANDMARKS = 500
# Rows times landmarks, which bounds the time for these paths to a few seconds.
MOST_LENGTHS = 1e7
# Length of an edge between equal rows: sums and maxima of sparse matrices drop zeros.
SHORTEST = 1e-9
# Distance of a row that no path reaches, in units of the longest path: just outside the others.
UNREACHED = 1.2
# As UMAP's default.
NEIGHBORS = 15
# As in scikit-learn's TSNE.
PERPLEXITY = 30.0
# Passes over all edges, and random rows that each edge is pushed away from in a pass: about the
# effort of UMAP, whose defaults are 200 to 500 passes and 5 random rows.
EPOCHS = 200
PUSHES = 4
# Passes below which a layout stays unfinished, however large the graph is.
FEWEST_EPOCHS = 20
# Pulls and pushes in one layout, which bounds its time to about ten seconds.
MOST_MOVES = 3e8
# Standard deviation of the initial layout, at which pulls and pushes are about balanced.
SPREAD = 8.0
# Space between components in the initial layout; neighbors are about 1 apart.
GAP = 2.0


def embed(
    model: URerF,
    method: str = "layout",
    *,
    n_neighbors: int | None = None,
    random_state: Any = 0,
) -> Array:
    """Compute two coordinates for every fitted row.

    Parameters
    ----------
    model : URerF
        A fitted model.
    method : {"layout", "isomap", "spectral", "tsne", "umap"}, default="layout"
        "layout": a force-directed layout in which neighbors attract each other and other rows repel
        each other. "isomap": classical scaling of the geodesic distances. "spectral", "tsne":
        the methods of scikit-learn. "umap": the method of umap-learn, which must be installed.
    n_neighbors : int, optional
        Number of neighbors per row; None for 15, or all other rows of a smaller table. "tsne" and
        "isomap" use as many as they need.
    random_state : int, RandomState or None, default=0
        Seed of the method.

    Returns
    -------
    ndarray of shape (n_samples_fit_, 2)

    Examples
    --------
    >>> from urerf import URerF, embed
    >>> from urerf.datasets import make_helix
    >>> embed(URerF(random_state=0).fit(make_helix(100).X), "isomap").shape
    (100, 2)
    """
    check_method(method)
    check_model(model)
    if n_neighbors is None:
        n_neighbors = min(NEIGHBORS, model.n_samples_fit_ - 1)
    points = METHODS[method](model, n_neighbors, seed_of(random_state))
    return np.asarray(points, dtype=np.float64)


def check_method(method: str) -> None:
    """Refuse a method that is unknown or not installed."""
    check_choice("method", method, METHODS)
    if method == "umap" and find_spec("umap") is None:
        raise ImportError("umap-learn is needed for umap: pip install urerf[umap]")


def layout(distances: Array, neighbors: Array, random_state: int = 0) -> Array:
    """Lay out a neighbor graph by forces, as ``embed(model, "layout")`` does.

    Parameters
    ----------
    distances, neighbors : ndarray of shape (rows, k)
        What `URerF.kneighbors` returns without X.
    random_state : int, default=0
        Seed of the layout.

    Returns
    -------
    ndarray of shape (rows, 2)
        Points around the origin; their longest extent is along x.
    """
    from .kernels.layout import relax  # start-up time: loads Numba
    from .kernels.rng import mix

    n_moves = neighbors.size * (1 + PUSHES)
    epochs = int(np.clip(MOST_MOVES / n_moves, FEWEST_EPOCHS, EPOCHS))
    points = initial_layout(distances, neighbors)
    edges = np.ascontiguousarray(neighbors, dtype=np.int32)
    key = np.uint64(mix(np.uint64(random_state)))
    relax(points, edges, epochs, PUSHES, key)
    return along_x(points)


def along_x(points: Array) -> Array:
    """Return points around the origin, turned so that their longest extent is along x."""
    centered = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centered.T @ centered)
    return centered @ axes[:, ::-1]


def initial_layout(distances: Array, neighbors: Array) -> Array:
    """Place rows by their shortest paths to some landmarks, no two rows at the same position.

    Connected components are placed side by side, the largest first.
    """
    n = len(neighbors)
    graph = undirected(distances, neighbors, SHORTEST)
    components = _components(graph)
    rng = np.random.default_rng(0)
    points = rng.normal(scale=1e-2, size=(n, 2))
    boxes = np.empty((len(components), 2))
    for i, rows in enumerate(components):
        component = graph[rows][:, rows]
        local = _scaled_component(component, n)
        points[rows] += local - local.min(axis=0)
        boxes[i] = np.ptp(points[rows], axis=0) + GAP
    for rows, corner in zip(components, side_by_side(boxes)):
        points[rows] += corner
    return points - points.mean(axis=0)


def _components(graph: sp.csr_matrix) -> list[Array]:
    """Return the rows of each connected component, the largest component first."""
    _, label = connected_components(graph, directed=False)
    by_label = np.argsort(label, kind="stable")
    ends = np.cumsum(np.bincount(label))
    components = np.split(by_label, ends[:-1])
    components.sort(key=len, reverse=True)
    return components


def _scaled_component(graph: sp.csr_matrix, n_total: int) -> Array:
    """Place the rows of one component; its area is proportional to its number of rows."""
    n = graph.shape[0]
    affordable = int(MOST_LENGTHS / n_total)
    n_landmarks = min(LANDMARKS, n, max(10, affordable))
    landmarks, lengths = paths_from_landmarks(graph, n_landmarks)
    points = landmark_scaling(landmarks, lengths)
    spread = SPREAD * np.sqrt(n / n_total)
    points *= spread / max(float(points.std()), 1e-12)
    return points


def side_by_side(boxes: Array) -> Array:
    """Return a corner for every box (width, height), on shelves that together are about square.

    >>> side_by_side(np.array([[3.0, 2.0], [1.0, 1.0], [1.0, 1.0]]))
    array([[0., 0.], [0., 2.], [1., 2.]])
    """
    widest = float(boxes[:, 0].max())
    area = float(boxes.prod(axis=1).sum())
    shelf_width = max(widest, np.sqrt(area))
    corners = np.empty_like(boxes)
    x = 0.0
    y = 0.0
    shelf_height = 0.0
    for i, (width, height) in enumerate(boxes):
        if x > 0 and x + width > shelf_width:
            x = 0.0
            y += shelf_height
            shelf_height = 0.0
        corners[i] = (x, y)
        x += width
        shelf_height = max(shelf_height, height)
    return corners


def paths_from_landmarks(graph: sp.csr_matrix, n_landmarks: int) -> tuple[Array, Array]:
    """Choose landmarks, each as far as possible from those before, and compute their paths.

    Returns the landmarks and the path lengths from each to every row, (landmarks, rows).
    """
    landmarks = np.empty(n_landmarks, dtype=np.intp)
    lengths = np.empty((n_landmarks, graph.shape[0]))
    farthest = dijkstra(graph, indices=0).argmax()
    nearest = np.full(graph.shape[0], np.inf)
    for i in range(n_landmarks):
        landmarks[i] = farthest
        lengths[i] = dijkstra(graph, indices=farthest)
        nearest = np.minimum(nearest, lengths[i])
        farthest = nearest.argmax()
    return landmarks, lengths


def landmark_scaling(landmarks: Array, lengths: Array) -> Array:
    """Return two coordinates for every row by landmark multidimensional scaling.

    Classical scaling of the landmarks, other rows by their distances to them (de Silva and
    Tenenbaum, 2004); with all rows as landmarks this is Isomap. With S the squared distances among
    the landmarks, and s those of a row to them, of mean m over the landmarks:

        B = -1/2 J S J = V diag(v) V',    J = I - 11'/n,    x = -1/2 diag(v)^(-1/2) V' (s - m)

    Rows that no path reaches are placed apart.

    Examples
    --------
    >>> place = np.array([0.0, 1.0, 3.0, 4.0])
    >>> points = landmark_scaling(np.array([0, 3]), np.abs(place[[0, 3], None] - place))
    >>> np.round(np.abs(points[:, 0] - points[0, 0]), 6)
    array([0., 1., 3., 4.])
    """
    reached = np.isfinite(lengths)
    unreached_length = UNREACHED * lengths[reached].max()
    squares = np.where(reached, lengths, unreached_length) ** 2
    among_landmarks = squares[:, landmarks]
    mean = among_landmarks.mean(axis=0)
    column_mean = mean[:, None]
    double_centered = among_landmarks - mean - column_mean + mean.mean()
    values, vectors = np.linalg.eigh(-0.5 * double_centered)
    largest = [-1, -2] if len(landmarks) > 1 else [-1, -1]
    floor = 1e-9 * max(values[-1], 1e-300)  # landmarks on a line have no second axis
    width = np.sqrt(np.maximum(values[largest], floor))
    axes = vectors[:, largest] / width
    return -0.5 * (squares - column_mean).T @ axes


def _layout(model: URerF, n_neighbors: int, random_state: int) -> Any:
    distances, neighbors = model.kneighbors(n_neighbors=n_neighbors)
    return layout(distances, neighbors, random_state)


def _isomap(model: URerF, n_neighbors: int, random_state: int) -> Any:
    n = model.n_samples_fit_
    generator = np.random.default_rng(random_state)
    landmarks = generator.choice(n, min(ISOMAP_LANDMARKS, n), replace=False)
    lengths = model.geodesic_distances(landmarks)
    return landmark_scaling(landmarks, lengths)


def _spectral(model: URerF, n_neighbors: int, random_state: int) -> Any:
    from sklearn.manifold import SpectralEmbedding  # start-up time

    _require_rows(model, 4, "spectral")
    method = SpectralEmbedding(
        affinity="precomputed_nearest_neighbors",
        n_neighbors=n_neighbors,
        random_state=random_state,
    )
    return method.fit_transform(model.kneighbors_graph(n_neighbors=n_neighbors))


def _tsne(model: URerF, n_neighbors: int, random_state: int) -> Any:
    from sklearn.manifold import TSNE  # start-up time

    _require_rows(model, 3, "tsne")
    perplexity = min(PERPLEXITY, (model.n_samples_fit_ - 2) / 3)
    n_used = int(3 * perplexity + 1)  # as many as scikit-learn looks up
    distances, neighbors = model.kneighbors(n_neighbors=n_used)
    method = TSNE(
        metric="precomputed",
        perplexity=perplexity,
        init=_scaled_start(distances, neighbors, 1e-4),
        random_state=random_state,
    )
    distances, neighbors = with_self(distances, neighbors)
    graph = to_csr(distances, neighbors, len(neighbors))
    return method.fit_transform(graph)


def _umap(model: URerF, n_neighbors: int, random_state: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)  # of Tensorflow, which is not needed here
        import umap  # optional package

    distances, neighbors = model.kneighbors(n_neighbors=n_neighbors)
    init = _scaled_start(distances, neighbors, 10.0)
    distances, neighbors = with_self(distances, neighbors)
    method = umap.UMAP(
        n_neighbors=n_neighbors + 1,
        precomputed_knn=(neighbors, distances.astype(np.float32)),
        init=init,
        n_jobs=1,
        random_state=random_state,
    )
    with warnings.catch_warnings():
        # UMAP would need its own index only to transform new rows.
        warnings.filterwarnings("ignore", "precomputed_knn.* is not an NNDescent")
        # Neighbors and start are given, so UMAP takes only the number of rows from its argument.
        return method.fit_transform(init)


def _require_rows(model: URerF, fewest: int, method: str) -> None:
    """Refuse a table that is too small for a method of scikit-learn."""
    if model.n_samples_fit_ < fewest:
        raise ValueError(
            f"method: {method!r} needs at least {fewest} fitted rows, got {model.n_samples_fit_}; "
            "use 'layout'"
        )


def _scaled_start(distances: Array, neighbors: Array, spread: float) -> Array:
    """Return the initial layout with the standard deviation that a method expects."""
    points = initial_layout(distances, neighbors)
    unit = points / max(float(points.std()), 1e-12)
    return spread * unit.astype(np.float32)


METHODS: dict[str, Callable[[URerF, int, int], Any]] = {
    "layout": _layout,
    "isomap": _isomap,
    "spectral": _spectral,
    "tsne": _tsne,
    "umap": _umap,
}
