"""Real cells with noise genes: scanpy's clusters and the labels of neighbours, from our graph and from its own."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from benchmarks import markdown, write_csv, write_page
from urerf import URerF
from urerf.datasets import add_noise

SEEDS = (0, 1, 2)
N_NOISE = 1000
K = 15
LABELLED = 10
OURS = "URerF"
EUCLIDEAN = "Euclidean"
PCA = "PCA, Euclidean"
METHODS = (OURS, EUCLIDEAN, PCA)
NONE = "none"
WIDE = "Gaussian, 70"
UNIFORM = "uniform, 70"
MATCHED = "Gaussian, matched"
SHUFFLED = "shuffled genes"
NOISES = (NONE, WIDE, UNIFORM, MATCHED, SHUFFLED)
Table = NDArray[np.float64]

NOTE = f"""700 blood cells and all 765 genes of `scanpy.datasets.pbmc68k_reduced()`: `scaled` is its X (each gene to
mean 0 and variance 1), `log` is its raw.X (logarithms of counts). {N_NOISE} noise columns are added: of variance 70,
Gaussian or uniform; Gaussian of the genes' mean variance; or genes drawn at random and shuffled, which have the law of
genes and no structure. `URerF` is `scanpy.pp.neighbors(..., transformer=URerF())`; `Euclidean` is scanpy's own search
on the same columns; `PCA, Euclidean` is its own on 50 principal components, its usual way. Mean of seeds 0, 1, 2.

*Clusters kept* is the adjusted Rand index between leiden's clusters with and without the noise columns, by the same
method. *Label precision* is the share of a cell's {LABELLED} nearest that have its `bulk_labels`."""


def tables() -> tuple[dict[str, Table], NDArray[Any]]:
    """Return the two tables of the cells, and their labels."""
    import scanpy

    cells = scanpy.datasets.pbmc68k_reduced()
    scaled = np.asarray(cells.X, dtype=float)
    logs = cells.raw.X.toarray().astype(float)
    return {"scaled": scaled, "log": logs}, cells.obs["bulk_labels"].to_numpy()


def with_noise(X: Table, noise: str, seed: int) -> Table:
    """Append the noise columns."""
    if noise == NONE:
        return X
    if noise == SHUFFLED:
        rng = np.random.default_rng(seed)
        return np.hstack([X, rng.permuted(X[:, rng.integers(X.shape[1], size=N_NOISE)], axis=0)])
    variance = X.var(axis=0).mean() if noise == MATCHED else 70.0
    kind: Any = "uniform" if noise == UNIFORM else "gaussian"
    return add_noise(X, N_NOISE, kind=kind, variance=variance, random_state=seed)


def neighbours_and_clusters(
    X: Table, method: str, seed: int
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return each cell's nearest, and leiden's clusters, from scanpy with the method's neighbours."""
    import scanpy

    cells = scanpy.AnnData(X.astype(np.float32))
    if method == PCA:
        scanpy.pp.pca(cells, random_state=seed)
    transformer = URerF(n_neighbors=K, random_state=seed) if method == OURS else None
    use_rep = "X_pca" if method == PCA else "X"
    scanpy.pp.neighbors(
        cells, n_neighbors=K, use_rep=use_rep, transformer=transformer, random_state=seed
    )
    scanpy.tl.leiden(cells, flavor="igraph", n_iterations=2, directed=False, random_state=seed)
    away = cells.obsp["distances"].tolil()  # scanpy stores no cell as its own neighbour
    nearest = [
        [j for _, j in sorted(zip(d, row))][:LABELLED] for d, row in zip(away.data, away.rows)
    ]
    return np.array(nearest), cells.obs["leiden"].to_numpy()


def measure(
    X: Table, labels: NDArray[Any], noises: tuple[str, ...], seed: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for each noise and method; the first noise must be none, which the others are compared with."""
    clean: dict[str, NDArray[Any]] = {}
    for noise in noises:
        Z = with_noise(X, noise, seed)
        for method in METHODS:
            nearest, clusters = neighbours_and_clusters(Z, method, seed)
            clean.setdefault(method, clusters)
            yield {
                "noise": noise,
                "method": method,
                "seed": seed,
                "clusters": len(set(clusters)),
                "clusters_kept": adjusted_rand_score(clean[method], clusters),
                "label_precision": np.mean(labels[nearest] == labels[:, None]),
            }


def summary(rows: list[dict[str, Any]], score: str, noises: tuple[str, ...] = NOISES) -> str:
    """Return a table of one score: a line for each table and method, a column for each noise."""

    def mean(table: str, noise: str, method: str) -> str:
        found = [
            r[score]
            for r in rows
            if (r["table"], r["noise"], r["method"]) == (table, noise, method)
        ]
        return f"{np.mean(found):.3f}"

    names = dict.fromkeys((row["table"], row["method"]) for row in rows)
    return markdown(
        ["table, method", *noises],
        [[f"{t}, {m}", *(mean(t, noise, m) for noise in noises)] for t, m in names],
    )


def main() -> None:
    warnings.filterwarnings("ignore", module="scanpy|anndata|legacy_api_wrap")
    data, labels = tables()
    rows = []
    for name, X in data.items():
        for seed in SEEDS:
            print(f"{name}, seed {seed}", file=sys.stderr, flush=True)
            rows += [{"table": name, **row} for row in measure(X, labels, NOISES, seed)]
    scores = ("clusters_kept", "label_precision")
    write_csv("pbmc", [{**row, **{score: f"{row[score]:.4f}" for score in scores}} for row in rows])
    kept = summary(rows, "clusters_kept", NOISES[1:])
    precision = summary(rows, "label_precision")
    write_page("pbmc", NOTE, "## Clusters kept", kept, "## Label precision", precision)


if __name__ == "__main__":
    main()
