"""All methods by name: what runs them, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ..palette import (
    BLACK,
    BLUE,
    BROWN,
    CORAL,
    GRAY,
    GREEN,
    LIGHT_GRAY,
    OLIVE,
    ORANGE,
    RED,
    ROSE,
    SKY,
)
from ..selectors import graphs, matrices, pairs, single, sparse_kmeans
from ..selectors.common import Selector
from . import distances, forests, gower, ours
from .common import Distances, Neighbors


@dataclass(frozen=True)
class Method:
    """A method, how it is drawn, and what its results depend on.

    Parameters
    ----------
    label, color, marker : str
        How it is named and drawn.
    neighbors, distances, select : callable or None
        See the docstring of the package; all are None for methods that are only timed.
    is_ours : bool
        Whether the results depend on the code of this package.
    needs : tuple of str
        Optional distributions that must be installed.
    linestyle : str
        Dashed lines are reserved for published results.
    """

    label: str
    color: str
    marker: str
    neighbors: Neighbors | None = None
    distances: Distances | None = None
    select: Selector | None = None
    is_ours: bool = False
    needs: tuple[str, ...] = ()
    linestyle: str = "-"


of_ours = partial(Method, is_ours=True)
METHODS: dict[str, Method] = {
    "urerf_paper": of_ours(
        "URerF, paper's settings",
        ORANGE,
        "o",
        ours.urerf_paper,
        ours.urerf_paper_distances,
    ),
    "urerf_scripts": of_ours("URerF, authors' scripts", ORANGE, "o", ours.urerf_scripts),
    "urerf": of_ours("URerF", RED, "*", ours.urerf, ours.urerf_distances),
    "urerf_depth": of_ours("URerF, paper's criterion by depth", CORAL, "h", ours.urerf_depth),
    "urerf_300": of_ours("URerF, 300 trees by depth", CORAL, "p", ours.urerf_300),
    "urf": of_ours("URF, axis-aligned", BROWN, "s", ours.urf),
    "totally_random_trees": Method("Totally random trees", BLUE, "^", forests.totally_random_trees),
    "shi_cutler": Method("Shi-Cutler forest", ROSE, "v", forests.shi_cutler),
    "random_projection_forest": Method(
        "Random projection forest", GRAY, "D", forests.random_projection_forest
    ),
    "random_projection_tree": Method(
        "Random projection tree",
        GRAY,
        "d",
        forests.random_projection_tree,
        linestyle=":",
    ),
    "treeple": Method("treeple", BROWN, "p", forests.treeple, needs=("treeple",)),
    "isomap": Method("Isomap", GREEN, "P", distances.isomap, distances.isomap_distances),
    "umap": Method(
        "UMAP",
        SKY,
        "X",
        distances.umap,
        distances.umap_distances,
        needs=("umap-learn", "pynndescent"),
    ),
    "flann": Method("FLANN", OLIVE, "<", distances.flann, needs=("opencv-python-headless",)),
    "euclidean": Method(
        "Euclidean", BLACK, ".", distances.euclidean, distances.euclidean_distances
    ),
    "screen": Method("Euclidean after normality test", ROSE, ">", distances.screen),
    "pynndescent": Method(
        "pynndescent",
        BLACK,
        "x",
        distances.pynndescent,
        needs=("pynndescent",),
        linestyle=":",
    ),
    "gower": Method("Gower", BROWN, "H", gower.gower),
    "one_hot": Method("One-hot, Euclidean", OLIVE, "H", gower.one_hot),
    "pca": Method("PCA", OLIVE, "p", distances.pca),
    # Selectors of columns, by what they look at: single columns, the graph of all columns, pairs.
    "random_columns": Method("Random columns", LIGHT_GRAY, ".", select=single.random_columns),
    "variance": Method("Variance", SKY, "o", select=single.variance),
    "kurtosis": Method("Kurtosis", SKY, "s", select=single.kurtosis),
    "dip": Method("Dip", SKY, "^", select=single.dip),
    "kolmogorov_smirnov": Method(
        "Kolmogorov-Smirnov screen of IF-PCA", SKY, "D", select=single.kolmogorov_smirnov
    ),
    "laplacian_score": Method("Laplacian score", GREEN, "o", select=graphs.laplacian_score),
    "mcfs": Method("MCFS", GREEN, "s", select=graphs.mcfs),
    "sparse_kmeans": Method("Sparse k-means", GREEN, "^", select=sparse_kmeans.sparse_kmeans),
    "mutual_information": Method("Mutual information", BLUE, "o", select=pairs.mutual_information),
    "distance_correlation": Method(
        "Distance correlation", BLUE, "s", select=matrices.distance_correlation
    ),
    "hsic": Method("HSIC", BLUE, "D", select=matrices.hsic),
    "xi": Method("Xi", BLUE, "v", select=pairs.xi),
    # Only timed.
    "hnswlib": Method("hnswlib", SKY, "1", needs=("hnswlib",)),
    "isolation_forest": Method("IsolationForest", GREEN, "v"),
}
OURS = tuple(name for name, method in METHODS.items() if method.is_ours)
SELECTORS = tuple(name for name, method in METHODS.items() if method.select)
