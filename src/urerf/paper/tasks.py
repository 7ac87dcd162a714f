"""What one cell of an experiment computes: from its settings, a plain dict, to the rows of a tidy table."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urerf import datasets
from urerf.metrics import precision_recall_curve
from urerf.paper.baselines import METHODS
from urerf.paper.distances import DISTANCES

Cell = dict[str, Any]
Row = dict[str, Any]

SIMULATIONS = ("linear", "helix", "sphere", "gaussian_mixture")


def score_cell(dataset: str, method: str, *, seed: int, ks: list[int], **settings: Any) -> Cell:
    """Say what a cell is that scores one method on one data set.

    Parameters
    ----------
    dataset, method : str
        One of `SIMULATIONS` or "connectome", and a key of ``METHODS``.
    seed : int
        Draws the points, the noise and whatever the method draws.
    ks : list of int
        Numbers of neighbours at which precision and recall are taken.
    **settings
        Changes to: n=1000, variant="text", noise=0 columns of kind="gaussian", rescaled=False,
        latent_noise=0.0 (as a share of the signal's spread), params={} of the method.

    Returns
    -------
    dict
    """
    cell: Cell = {
        "task": "score",
        "dataset": dataset,
        "n": 1000,
        "variant": "text",
        "noise": 0,
        "kind": "gaussian",
        "rescaled": False,
        "latent_noise": 0.0,
        "method": method,
        "params": {},
        "seed": seed,
        "ks": list(ks),
    }
    return cell | settings


def make(cell: Cell) -> tuple[datasets.Manifold, NDArray[np.float64]]:
    """Build the manifold of a cell and the table a method gets to see."""
    if cell["dataset"] == "connectome":
        manifold = datasets.load_connectome()
    else:
        maker = getattr(datasets, f"make_{cell['dataset']}")
        manifold = maker(cell["n"], variant=cell["variant"], random_state=cell["seed"])
    X = manifold.X
    if cell["latent_noise"]:
        spread = np.sqrt(X.var(axis=0).mean())
        rng = np.random.default_rng([cell["seed"], 1])
        X = X + rng.normal(scale=cell["latent_noise"] * spread, size=X.shape)
    if cell["noise"]:
        X = datasets.add_noise(X, cell["noise"], kind=cell["kind"], random_state=cell["seed"])
    return manifold, datasets.rescale(X) if cell["rescaled"] else X


def chance(manifold: datasets.Manifold, k: int) -> float:
    """Precision of neighbours drawn at random."""
    n = len(manifold)
    if manifold.labels is None:
        return k / (n - 1)
    _, sizes = np.unique(manifold.labels, return_counts=True)
    return float((sizes * (sizes - 1)).sum() / (n * (n - 1)))


def score(cell: Cell, n_jobs: int) -> list[Row]:
    """Score one method by geodesic precision and recall, a row for each k."""
    manifold, X = make(cell)
    find = METHODS[cell["method"]].neighbors
    found = find(X, max(cell["ks"]), random_state=cell["seed"], n_jobs=n_jobs, **cell["params"])
    curve = precision_recall_curve(found, manifold, cell["ks"])
    return [
        {
            "k": int(k),
            "precision": float(precision),
            "recall": float(recall),
            "chance": chance(manifold, int(k)),
        }
        for k, precision, recall in zip(curve.ks, curve.precision, curve.recall)
    ]


def pairs(cell: Cell, n_jobs: int) -> list[Row]:
    """Take the true and the estimated distance of pairs of points drawn at random."""
    manifold, X = make(cell)
    estimated = DISTANCES[cell["method"]](X, random_state=cell["seed"], n_jobs=n_jobs)
    rng = np.random.default_rng([cell["seed"], 2])
    first, second = rng.integers(len(X), size=(2, 2 * cell["pairs"]))
    apart = first != second
    first = first[apart][: cell["pairs"]]
    second = second[apart][: cell["pairs"]]
    true = manifold.distances()[first, second]
    true[np.isinf(true)] = 1.0  # discrete truth: 0 is the same component, 1 another
    return [
        {"true": round(float(t), 6), "estimated": round(float(e), 6)}
        for t, e in zip(true, estimated[first, second])
    ]


def points(cell: Cell, n_jobs: int) -> list[Row]:
    """Coordinates of a data set, with the component or the first latent coordinate for a colour."""
    manifold, X = make(cell)
    shade = (
        manifold.latent.reshape(len(X), -1)[:, 0] if manifold.labels is None else manifold.labels
    )
    names = [f"x{column + 1}" for column in range(X.shape[1])]
    return [
        dict(zip(names, (round(float(value), 6) for value in row))) | {"shade": s}
        for row, s in zip(X, np.asarray(shade).tolist())
    ]


def runtime(cell: Cell, n_jobs: int) -> list[Row]:
    """Seconds one method takes; the better of two runs, as the first one may compile."""
    _, X = make(cell)
    find = METHODS[cell["method"]].neighbors
    spent = []
    for _ in range(2):
        wall = time.perf_counter()
        cpu = time.process_time()
        find(X, max(cell["ks"]), random_state=cell["seed"], n_jobs=cell["cores"], **cell["params"])
        spent.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = min(spent)
    return [{"seconds": wall, "cpu_seconds": cpu}]


TASKS: dict[str, Callable[[Cell, int], list[Row]]] = {
    "score": score,
    "pairs": pairs,
    "points": points,
    "runtime": runtime,
}
