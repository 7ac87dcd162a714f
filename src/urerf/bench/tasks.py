"""What one cell computes: a method's precision on a table, its geodesic distances, and false alarms on pure noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from urerf.bench.tables import MANIFOLDS, with_noise
from urerf.datasets import Manifold, rescale
from urerf.metrics import geodesic_precision, precision_recall_curve
from urerf.paper import tasks
from urerf.paper.baselines import METHODS, Indices, nearest, quiet, ties_by_seed
from urerf.paper.tasks import Cell, Row

Table = NDArray[np.float64]
PAIRS = 100_000
SCREEN_LEVEL = 0.01


def score_cell(dataset: str, method: str, seed: int, **settings: Any) -> Cell:
    """Say what a cell is: defaults, with changes."""
    cell: Cell = {
        "task": "bench",
        "dataset": dataset,
        "method": method,
        "seed": seed,
        "n": 1000,
        "ks": [50],
    }
    cell |= {
        "noise": 0,
        "kind": "none",
        "variance": 70.0,
        "rescaled": False,
        "geodesic": False,
        "params": {},
    }
    return cell | settings


def make(cell: Cell) -> tuple[Manifold, Table]:
    """Build the manifold of a cell and the table a method gets to see."""
    manifold = MANIFOLDS[cell["dataset"]](cell["n"], cell["seed"])
    X = manifold.X
    if cell["noise"]:
        X = with_noise(X, cell["noise"], cell["kind"], cell["variance"], cell["seed"])
    return manifold, rescale(X) if cell["rescaled"] else X


@ties_by_seed
def screened_euclidean(X: Table, k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Straight distance in the columns that are not Gaussian: D'Agostino and Pearson's test at 1 % over all columns."""
    from scipy.stats import normaltest

    p_value = normaltest(X, axis=0).pvalue
    kept = p_value < SCREEN_LEVEL / X.shape[1]
    return METHODS["euclidean"].neighbors(
        X[:, kept] if kept.any() else X, k, random_state=random_state, n_jobs=n_jobs
    )


def score(cell: Cell, n_jobs: int) -> list[Row]:
    """Score a method by precision, a row for each k; with ``geodesic``, its distances along the manifold as well."""
    manifold, X = make(cell)
    indices, distances = METHODS_HERE.get(cell["method"], ask_baseline)(cell, X, n_jobs)
    curve = precision_recall_curve(indices, manifold, cell["ks"])
    more: Row = {}
    if distances is not None:
        more["geodesic_precision"] = geodesic_precision(
            nearest(distances, max(cell["ks"])), manifold
        )
        if manifold.labels is None:
            more |= geodesic_errors(distances, manifold.distances(), cell["seed"])
    return [{"k": int(k), "precision": float(p), **more} for k, p in zip(curve.ks, curve.precision)]


def ask_urerf(cell: Cell, X: Table, n_jobs: int) -> tuple[Indices, Table | None]:
    """Ask our forest for neighbours and, if wanted, for geodesic distances."""
    from urerf import URerF

    make_model = URerF if cell["method"] == "urerf" else URerF.paper
    model = make_model(n_jobs=n_jobs, random_state=cell["seed"], **cell["params"]).fit(X)
    indices = model.kneighbors(n_neighbors=max(cell["ks"]))[1]
    return indices, model.geodesic_distances() if cell["geodesic"] else None


def ask_isomap(cell: Cell, X: Table, n_jobs: int) -> tuple[Indices, Table | None]:
    """Ask Isomap for its shortest paths; its neighbours are the ends of the shortest."""
    from sklearn.manifold import Isomap

    with quiet():
        distances = Isomap(n_neighbors=15, n_jobs=n_jobs).fit(X).dist_matrix_
    return nearest(distances, max(cell["ks"])), distances if cell["geodesic"] else None


def ask_screened(cell: Cell, X: Table, n_jobs: int) -> tuple[Indices, None]:
    """Ask the screen."""
    return screened_euclidean(X, max(cell["ks"]), random_state=cell["seed"], n_jobs=n_jobs), None


def ask_baseline(cell: Cell, X: Table, n_jobs: int) -> tuple[Indices, None]:
    """Ask one of the paper's competitors."""
    find = METHODS[cell["method"]].neighbors
    return find(
        X, max(cell["ks"]), random_state=cell["seed"], n_jobs=n_jobs, **cell["params"]
    ), None


METHODS_HERE = {
    "urerf": ask_urerf,
    "urerf_paper": ask_urerf,
    "isomap": ask_isomap,
    "screen": ask_screened,
}


def geodesic_errors(estimated: Table, true: Table, seed: int) -> Row:
    """Compare distances over near, middle and far thirds of pairs of points.

    Parameters
    ----------
    estimated, true : ndarray of shape (n, n)
        Distances; estimated ones may be infinite.
    seed : int
        Draws 100,000 pairs.

    Returns
    -------
    dict
        ``spearman_*`` and ``error_*`` (median relative error after one global scale factor, the
        median ratio) for all, near, middle and far pairs, and ``reached``, the share of pairs at a
        finite distance.
    """
    from scipy.stats import spearmanr

    first, second = np.random.default_rng([seed, 15]).integers(len(true), size=(2, PAIRS))
    t = true[first, second]
    e = estimated[first, second]
    apart = (t > 0) & (first != second)
    reached = apart & np.isfinite(e) & (e > 0)
    t = t[reached]
    e = e[reached]
    row = {"reached": float(reached.sum() / apart.sum())}
    error = np.abs(e * np.median(t / e) - t) / t
    third = np.searchsorted(np.quantile(t, [1 / 3, 2 / 3]), t)
    for name, part in [
        ("all", third >= 0),
        ("near", third == 0),
        ("middle", third == 1),
        ("far", third == 2),
    ]:
        row[f"spearman_{name}"] = float(spearmanr(t[part], e[part]).statistic)
        row[f"error_{name}"] = float(np.median(error[part]))
    return row


def false_alarm(cell: Cell, n_jobs: int) -> list[Row]:
    """Ask for relevant columns in tables of pure noise, of four laws in turn; a row a table."""
    from urerf.relevance import column_relevance

    rows = []
    for table in range(cell["tables"]):
        law = ("gaussian", "uniform", "bimodal", "heavy_tailed")[table % 4]
        X = with_noise(
            np.empty((cell["n"], 0)), cell["noise"], law, 70.0, 1000 * cell["seed"] + table
        )
        found = column_relevance(X, alpha=0.01, n_jobs=n_jobs)
        rows.append(
            {
                "table": table,
                "kind": law,
                "relevant": int(found.verdict == "structure"),
                "rests_on": found.verdict,
            }
        )
    return rows


tasks.TASKS |= {"bench": score, "false_alarm": false_alarm}
