"""Every snippet of docs/interop.md runs, and its result shows that the other tool read the graph.

UMAP, which scanpy also calls, compiles for most of a minute in every process, so all snippets that
use it run in the same process.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import adjusted_rand_score
from snippets import run, snippets

PAGE = "interop.md"
SETUP, *REST = snippets(PAGE)
# Packages that the snippet below a heading needs, besides scikit-learn.
PEERS = {
    "UMAP by precomputed_knn": ["umap"],
    "UMAP of new rows": ["umap"],
    "openTSNE": ["openTSNE"],
    "scanpy, leiden": ["scanpy", "umap", "igraph"],
    "scanpy, umap": ["scanpy", "umap"],
    "networkx": ["networkx"],
    "igraph": ["igraph"],
}
# Warnings that UMAP always gives when it is used in this way.
THEIR_WARNINGS = [
    "ignore:using precomputed metric; inverse_transform will be unavailable:UserWarning",
    r"ignore:precomputed_knn\[2\]:UserWarning",  # its index is missing: no transform
    "ignore:Transforming new data with precomputed metric:UserWarning",
]
pytestmark = [pytest.mark.filterwarnings(text) for text in THEIR_WARNINGS]


def follows_helix(embedding: np.ndarray, names: dict, rows: slice = slice(0, 400)) -> None:
    """Points that are nearest in the plane are near on the helix."""
    place = np.argsort(np.argsort(names["helix"].latent[rows, 0]))
    away = np.linalg.norm(embedding[:, None] - embedding[None], axis=2)
    nearest = np.argsort(away, axis=1)[:, 1:6]
    assert np.isfinite(embedding).all()
    assert np.median(np.abs(place[nearest] - place[:, None])) < 0.03 * len(place)


def in_order(embedding: np.ndarray, names: dict, rows: slice = slice(0, 400)) -> None:
    assert abs(spearmanr(embedding[:, 0], names["helix"].latent[rows, 0]).statistic) > 0.95


def finds_groups(labels: Any, names: dict) -> None:
    """The clusters are the groups; rows labeled as noise are not counted, but must be few."""
    labels = np.asarray(labels)
    kept = labels != -1
    assert kept.mean() > 0.75
    assert adjusted_rand_score(names["y"][kept], labels[kept]) > 0.85


def check_isomap(names: dict) -> None:
    in_order(names["embedding"], names)
    in_order(names["later"], names, slice(400, 500))


def check_classifier(names: dict) -> None:
    assert (names["predicted"] == names["y_new"]).mean() > 0.95


def check_outliers(names: dict) -> None:
    assert np.median(names["unusual"]) < np.quantile(names["usual"], 0.1)


def check_new_rows(names: dict) -> None:
    """New rows are embedded next to the rows that are nearest on the helix."""
    follows_helix(names["embedding"], names)
    helix = names["helix"]
    embedding = names["embedding"]
    later = names["later"]
    beside = np.argmin(helix.distances()[400:, :400], axis=1)
    off = np.linalg.norm(later - embedding[beside], axis=1)
    assert np.median(off) < 0.1 * np.ptp(embedding, axis=0).max()


def check_network(names: dict) -> None:
    """Every neighbor is an edge weighted by similarity, and there are no loops."""
    network = names["network"]
    distances, indices = names["model"].kneighbors()
    assert network.number_of_nodes() == 400
    assert not any(i == j for i, j in network.edges)
    weights = [network.edges[i, j]["weight"] for i, row in enumerate(indices) for j in row]
    np.testing.assert_allclose(weights, 1 - distances.ravel())


CHECKS: dict[str, Callable[[dict], None]] = {
    "Isomap": check_isomap,
    "SpectralEmbedding": lambda names: in_order(names["embedding"], names),
    "TSNE": lambda names: follows_helix(names["embedding"], names),
    "DBSCAN": lambda names: finds_groups(names["labels"], names),
    "HDBSCAN": lambda names: finds_groups(names["labels"], names),
    "SpectralClustering": lambda names: finds_groups(names["labels"], names),
    "KNeighborsClassifier": check_classifier,
    "LocalOutlierFactor": check_outliers,
    "UMAP by precomputed_knn": lambda names: follows_helix(names["embedding"], names),
    "UMAP of new rows": check_new_rows,
    "openTSNE": lambda names: follows_helix(np.asarray(names["embedding"]), names),
    "scanpy, leiden": lambda names: finds_groups(names["labels"], names),
    "scanpy, umap": lambda names: follows_helix(names["embedding"], names),
    "networkx": check_network,
    "igraph": lambda names: finds_groups(names["labels"], names),
}


def parameters() -> list:
    """Return one test per snippet; those that need UMAP are in one group of pytest-xdist."""
    umap = pytest.mark.xdist_group("umap")
    return [
        pytest.param(s, id=s.title, marks=umap if "umap" in PEERS.get(s.title, ()) else ())
        for s in REST
    ]


@pytest.fixture(scope="module")
def setup() -> dict:
    return run(PAGE, SETUP, {})


@pytest.mark.parametrize("snippet", parameters())
def test_snippet(snippet, setup):
    for peer in PEERS.get(snippet.title, ()):
        pytest.importorskip(peer, reason=f"{peer} is not installed; pip install urerf[interop]")
    CHECKS[snippet.title](run(PAGE, snippet, setup))


def test_every_snippet_is_checked():
    assert [snippet.title for snippet in REST] == list(CHECKS)
