"""Clusters: HDBSCAN on our neighbors and on Euclidean ones, with and without noise columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..._typing import FloatArray, IntArray
from ..study import BenchStudy, Plan, cross
from ..tables.labeled import load_labeled
from ..trial import Row, Trial
from .outliers import N_NOISE, add_columns, noise_table

K = 15
MOST_ROWS = 1000  # rows per table, so that a trial takes seconds
COMPARED = {"urerf": "URerF", "euclidean": "Euclidean"}
# Tables whose classes are groups of measurements: those with overlapping classes, such as spam7,
# say nothing about clusters.
CASES = (
    "wine",
    "iris",
    "digits",
    "breast_cancer",
    "biopsy",
    "olive",
    "hawks",
    "tissue",
    "penguins",
    "oils",
)
QUICK_CASES = ("wine", "iris")
NOTE = f"""The same algorithm, scikit-learn's HDBSCAN with the settings of `urerf.cluster`, on the
graph of {K} neighbors by URerF and on that of {K} Euclidean neighbors, for which columns are scaled
to unit variance. {N_NOISE} noise columns are added: Gaussian, or columns of the table with shuffled
rows.
The score is the adjusted Rand index between clusters and classes: 1 if they are the same, 0 for
chance; rows without a cluster count as one more cluster. Mean over seeds. Classes of real tables
are not always clusters, so that 1 is out of reach for any method."""


def find_clusters(X: FloatArray, method: str, seed: int, n_jobs: int) -> IntArray:
    """Return the clusters of our neighbor graph, or of the Euclidean one."""
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import scale

    from urerf import URerF, cluster
    from urerf.clusters import cluster_graph

    if method == "urerf":
        model = URerF(n_neighbors=K, random_state=seed, n_jobs=n_jobs).fit(X)
        return cluster(model)
    search = NearestNeighbors(n_neighbors=K).fit(scale(X))
    distances, neighbors = search.kneighbors()
    return cluster_graph(distances / distances.max(), neighbors)


@dataclass(frozen=True)
class ClusterTrial(Trial):
    """All noises on one table by one method."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row per noise."""
        from sklearn.metrics import adjusted_rand_score

        X, classes = load_labeled(self.dataset)
        rng = np.random.default_rng(self.seed)
        drawn = rng.permutation(len(X))[:MOST_ROWS]
        labels = classes[drawn]
        rows = []
        tables = add_columns(X[drawn], self.seed)
        for noise, noisy in tables.items():
            clusters = find_clusters(noisy, self.method, self.seed, n_jobs)
            row = {
                "noise": noise,
                "classes": len(set(labels)),
                "clusters": int(clusters.max()) + 1,
                "clustered": float(np.mean(clusters >= 0)),
                "rand_index": float(adjusted_rand_score(labels, clusters)),
            }
            rows.append(row)
        return rows


def trials(plan: Plan) -> list[Trial]:
    """Return each table by each method."""
    cases = QUICK_CASES if plan.quick else CASES
    return cross(ClusterTrial, dataset=cases, seed=plan.reported_seeds, method=COMPARED)


def sections(table: Any) -> list[str]:
    """Return one table per score."""
    score_table = partial(noise_table, table, methods=COMPARED, size="classes")
    return [
        NOTE,
        "## Adjusted Rand index",
        score_table("rand_index"),
        "## Number of clusters",
        score_table("clusters", digits=1),
        "## Share of the rows in a cluster",
        score_table("clustered"),
    ]


STUDY = BenchStudy(
    name="clusters",
    title="Clusters",
    trials=trials,
    columns=(
        "dataset",
        "noise",
        "method",
        "seed",
        "classes",
        "clusters",
        "clustered",
        "rand_index",
    ),
    sections=sections,
)
