"""Blood cells with noise genes: scanpy's clusters and the labels of neighbors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from urerf.metrics import geodesic_precision

from ..._typing import Array, FloatArray, IntArray
from ..methods import METHODS, need
from ..study import BenchStudy, Plan, cross
from ..tables.made import with_noise
from ..trial import Row, Trial
from ..writing import fixed, write_frame

N_NOISE = 1000
K = 15
LABELED = 10
# scanpy's own graph on the same columns, and its usual one, on 50 principal components.
PCA = "pca"
COMPARED = {
    "urerf": METHODS["urerf"].label,
    "euclidean": "Euclidean",
    PCA: "PCA, Euclidean",
}
NOISES = {
    "none": "none",
    "gaussian": "Gaussian, 70",
    "uniform": "uniform, 70",
    "matched": "Gaussian, matched",
    "shuffled": "shuffled genes",
}
QUICK_NOISES = ("none", "gaussian")
NOTE = f"""700 blood cells and all 765 genes of `scanpy.datasets.pbmc68k_reduced()`: `scaled` is
its X (each gene with mean 0 and variance 1), `log` is its raw.X (logarithms of counts).
{N_NOISE} noise columns are added: Gaussian or uniform of variance 70; Gaussian of the mean
variance of the genes; or randomly drawn genes with shuffled cells, which have the distribution
of genes but no structure. `URerF` is `scanpy.pp.neighbors(..., transformer=URerF())`;
`Euclidean` is scanpy's own search on the same columns; `PCA, Euclidean` is its own search on 50
principal components, as is usual. Mean over seeds.

*Clusters kept* is the adjusted Rand index between the Leiden clusters with and without the
noise columns, by the same method. *Label precision* is the share of the {LABELED} nearest cells
that have the same `bulk_labels`."""


@dataclass(frozen=True)
class CellTrial(Trial):
    """All noises on one table of the cells by one method; clusters are compared with the first."""

    noises: tuple[str, ...] = tuple(NOISES)

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row per noise."""
        from sklearn.metrics import adjusted_rand_score

        X, labels = load_cells(self.dataset)
        rows = []
        clean = None
        for noise in self.noises:
            kind = "permuted" if noise == "shuffled" else noise
            noisy = with_noise(X, N_NOISE, kind, 70.0, self.seed)
            nearest, clusters = nearest_and_clusters(noisy, self.method, self.seed)
            if clean is None:
                clean = clusters
            row = {
                "noise": noise,
                "clusters": len(set(clusters)),
                "clusters_kept": float(adjusted_rand_score(clean, clusters)),
                "label_precision": geodesic_precision(nearest, labels),
            }
            rows.append(row)
        return rows


def load_cells(table: str) -> tuple[FloatArray, Array]:
    """Return a table of the cells, "scaled" or "log", and their labels."""
    cells = need("scanpy").datasets.pbmc68k_reduced()
    X = cells.X if table == "scaled" else cells.raw.X.toarray()
    labels = cells.obs["bulk_labels"].to_numpy()
    return np.asarray(X, dtype=float), labels


def nearest_and_clusters(X: FloatArray, method: str, seed: int) -> tuple[IntArray, Array]:
    """Return the nearest cells of each cell and the Leiden clusters, by scanpy."""
    from urerf import URerF

    scanpy = need("scanpy")
    warnings.filterwarnings("ignore", module="scanpy|anndata|legacy_api_wrap")
    cells = scanpy.AnnData(X.astype(np.float32))
    table = "X"
    if method == PCA:
        scanpy.pp.pca(cells, random_state=seed)
        table = "X_pca"
    transformer = None
    if method == "urerf":
        transformer = URerF(n_neighbors=K, random_state=seed)
    scanpy.pp.neighbors(
        cells,
        n_neighbors=K,
        use_rep=table,
        transformer=transformer,
        random_state=seed,
    )
    scanpy.tl.leiden(
        cells,
        flavor="igraph",
        n_iterations=2,
        directed=False,
        random_state=seed,
    )
    graph = cells.obsp["distances"].tolil()
    nearest = []
    for own, (distances, row) in enumerate(zip(graph.data, graph.rows)):
        closest_first = [cell for _, cell in sorted(zip(distances, row))]
        others = [cell for cell in closest_first if cell != own]  # a transformer lists it too
        nearest.append(others[:LABELED])
    return np.array(nearest), cells.obs["leiden"].to_numpy()


def trials(plan: Plan) -> list[Trial]:
    """Return each table by each method."""
    noises = QUICK_NOISES if plan.quick else tuple(NOISES)
    tables = ("log",) if plan.quick else ("scaled", "log")
    make = partial(CellTrial, n=700, noises=noises)
    return cross(make, dataset=tables, seed=range(plan.seeds), method=COMPARED)


def sections(table: Any) -> list[str]:
    """Return one table per score."""
    kept = score_table(table[table.noise != "none"], "clusters_kept")
    precision = score_table(table, "label_precision")
    return [NOTE, "## Clusters kept", kept, "## Label precision", precision]


def score_table(table: Any, score: str) -> str:
    """Write one row per table and method, one column per noise."""
    names = table.dataset + ", " + table.method.map(COMPARED)
    names = names.rename("table, method")
    means = table.pivot_table(score, names, "noise", sort=False)
    return write_frame(means.rename(columns=NOISES), fixed(3))


STUDY = BenchStudy(
    name="cells",
    title="Blood cells with noise genes",
    trials=trials,
    columns=(
        "dataset",
        "noise",
        "method",
        "seed",
        "clusters",
        "clusters_kept",
        "label_precision",
    ),
    sections=sections,
)
