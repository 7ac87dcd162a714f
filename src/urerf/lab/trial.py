"""One run of an experiment: from its settings to the rows of a tidy table."""

from __future__ import annotations

import gc
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from urerf.datasets import SIMULATIONS, Manifold, rescale
from urerf.metrics import geodesic_precision, precision_recall_curve

from .._typing import Array, FloatArray, IntArray
from .methods import METHODS, nearest
from .tables.made import PAPER_NOISES, TABLES, with_noise

Row = dict[str, Any]

# Pairs of points that geodesic distances are judged by: the standard error of a median relative
# error is then below .001.
JUDGED_PAIRS = 100_000
THIRDS = ("near", "middle", "far")
TIMED_RUNS = 2  # the first one may compile


@dataclass(frozen=True)
class Trial:
    """One measurement of one method on one data set.

    Parameters
    ----------
    dataset, method : str
        Keys of `urerf.lab.tables.made.TABLES` and of `urerf.lab.methods.METHODS`.
    seed : int
        Draws the points, the noise and whatever the method draws.
    measure : str
        Key of `MEASURES`.
    n : int
        Number of rows; loaded data sets have their own.
    ks : tuple of int
        Numbers of neighbors.
    variant : str
        Variant of a simulation, "text" or "scripts".
    noise, kind, variance
        Number and distribution of noise columns; "matched" is Gaussian noise with the mean variance
        of the data set, "permuted" its own columns with permuted rows, "none" is for trials without
        noise columns.
    rescaled : bool
        Whether all columns are mapped to [0, 1].
    latent_noise : float
        Noise added to the signal columns, relative to their standard deviation.
    params : mapping
        Parameters of the method.
    count : int
        Number of pairs ("pairs") or of tables ("false_alarms").
    cores : int
        Number of threads of a timed trial.
    row : str
        Label of the trial in a study; not a setting.
    """

    dataset: str
    method: str = ""
    seed: int = 0
    measure: str = "precision"
    n: int = 1000
    ks: tuple[int, ...] = (50,)
    variant: str = "text"
    noise: int = 0
    kind: str = "gaussian"
    variance: float = 70.0
    rescaled: bool = False
    latent_noise: float = 0.0
    params: Mapping[str, Any] = field(default_factory=dict)
    count: int = 0
    cores: int = 0
    row: str = ""

    def settings(self) -> Row:
        """Return everything that determines the result."""
        values = vars(self) | {"class": type(self).__name__}
        del values["row"]
        return values

    def columns(self) -> Row:
        """Return the settings as columns of a table."""
        values = self.settings() | dict(self.params)
        for name in ("ks", "params", "measure", "count", "class"):
            del values[name]
        if self.row:
            return {"row": self.row} | values
        return values

    @property
    def is_timed(self) -> bool:
        """Whether nothing else should run at the same time."""
        return self.measure == "runtime"

    def make(self) -> tuple[Manifold, FloatArray]:
        """Make the manifold, and the table that the method sees."""
        settings: dict[str, Any] = {"random_state": self.seed}
        if self.dataset in SIMULATIONS:
            settings["variant"] = self.variant
        manifold = TABLES[self.dataset](self.n, **settings)
        X = manifold.X
        if self.latent_noise:
            variance = X.var(axis=0).mean()
            scale = self.latent_noise * np.sqrt(variance)
            rng = np.random.default_rng([self.seed, 1])
            X = X + rng.normal(scale=scale, size=X.shape)
        if self.noise:
            X = with_noise(X, self.noise, self.kind, self.variance, self.seed)
        if self.rescaled:
            X = rescale(X)
        return manifold, X

    def options(self, n_jobs: int) -> dict[str, Any]:
        """Return the keyword arguments of the method of this trial."""
        return {"random_state": self.seed, "n_jobs": n_jobs, **self.params}

    def find(self, X: Any, n_jobs: int) -> IntArray:
        """Find the neighbors by the method of this trial; X is a table or a `Frame`."""
        neighbors = METHODS[self.method].neighbors
        assert neighbors is not None
        return neighbors(X, max(self.ks), **self.options(n_jobs))

    def distances(self, X: FloatArray, n_jobs: int, **more: Any) -> FloatArray:
        """Estimate all distances by the method of this trial."""
        distances = METHODS[self.method].distances
        assert distances is not None
        return distances(X, **self.options(n_jobs), **more)

    def score(self, n_jobs: int) -> list[Row]:
        """Run the trial; return the rows of its result."""
        return MEASURES[self.measure](self, n_jobs)


def chance(manifold: Manifold, k: int) -> float:
    """Return the precision of random neighbors."""
    if manifold.labels is not None:
        return chance_of_labels(manifold.labels)
    return k / (len(manifold) - 1)


def chance_of_labels(labels: Array) -> float:
    """Return the share of pairs of different rows that have the same label.

    >>> chance_of_labels(np.array(["a", "a", "b"]))
    0.3333333333333333
    """
    _, sizes = np.unique(labels, return_counts=True)
    n = len(labels)
    n_same = np.sum(sizes * (sizes - 1))
    return float(n_same / (n * (n - 1)))


def score_neighbors(trial: Trial, manifold: Manifold, indices: IntArray) -> list[Row]:
    """Return precision, recall and chance level for each k."""
    curve = precision_recall_curve(indices, manifold, trial.ks)
    rows = []
    for k, precision, recall in zip(trial.ks, curve.precision, curve.recall):
        row = {
            "k": k,
            "precision": float(precision),
            "recall": float(recall),
            "chance": chance(manifold, k),
        }
        rows.append(row)
    return rows


def measure_precision(trial: Trial, n_jobs: int) -> list[Row]:
    """Score the neighbors by geodesic precision and recall."""
    manifold, X = trial.make()
    return score_neighbors(trial, manifold, trial.find(X, n_jobs))


def measure_geodesics(trial: Trial, n_jobs: int) -> list[Row]:
    """Score the neighbors and the geodesic distances."""
    manifold, X = trial.make()
    estimated = trial.distances(X, n_jobs, bridge=False)
    by_distance = nearest(estimated, max(trial.ks))
    # Isomap ranks neighbors by these distances, our forest by its similarity.
    indices = by_distance
    if METHODS[trial.method].is_ours:
        indices = trial.find(X, n_jobs)
    rows = score_neighbors(trial, manifold, indices)
    judged: Row = {"geodesic_precision": geodesic_precision(by_distance, manifold)}
    if manifold.labels is None:
        judged |= geodesic_errors(estimated, manifold.distances(), trial.seed)
    return [row | judged for row in rows]


def geodesic_errors(estimated: FloatArray, true: FloatArray, seed: int) -> Row:
    """Compare distances over the near, middle and far third of pairs of points.

    Parameters
    ----------
    estimated, true : ndarray of shape (n, n)
        Distances; estimated ones may be infinite.
    seed : int
        Draws `JUDGED_PAIRS` pairs.

    Returns
    -------
    dict
        ``spearman_*`` and ``error_*`` (median relative error after one global scale factor, the
        median ratio) for all, near, middle and far pairs, and ``reached``, the share of pairs at a
        finite distance.
    """
    import pandas as pd  # optional

    rng = np.random.default_rng([seed, 15])
    drawn = rng.integers(len(true), size=(2, JUDGED_PAIRS))
    pairs = tuple(drawn)
    table = pd.DataFrame({"true": true[pairs], "estimated": estimated[pairs]})
    table = table[table.true > 0]
    is_reached = table.estimated.between(0, np.inf, inclusive="neither")
    row = {"reached": float(is_reached.mean())}
    table = table[is_reached]
    ratio = table.estimated / table.true
    error = ratio / ratio.median() - 1
    table = table.assign(error=error.abs())
    third = pd.qcut(table.true, 3, labels=THIRDS)
    thirds = table.groupby(third, observed=True)
    for name, group in [("all", table), *thirds]:
        row[f"spearman_{name}"] = float(group.true.corr(group.estimated, "spearman"))
        row[f"error_{name}"] = float(group.error.median())
    return row


def measure_pairs(trial: Trial, n_jobs: int) -> list[Row]:
    """Return the true and the estimated distance of random pairs of points."""
    import pandas as pd  # optional

    manifold, X = trial.make()
    estimated = trial.distances(X, n_jobs)
    rng = np.random.default_rng([trial.seed, 2])
    drawn = rng.integers(len(X), size=(2, 2 * trial.count))
    different = drawn[:, drawn[0] != drawn[1]]
    pairs = tuple(different[:, : trial.count])
    true = manifold.distances()[pairs]
    true[np.isinf(true)] = 1.0  # labels: 0 is the same component, 1 another one
    table = pd.DataFrame({"true": true, "estimated": estimated[pairs]})
    return table.round(6).to_dict("records")


def points(trial: Trial, n_jobs: int) -> list[Row]:
    """Return the coordinates, and the component or the first latent coordinate as ``shade``."""
    import pandas as pd  # optional

    manifold, X = trial.make()
    shade = manifold.labels
    if shade is None:
        shade = manifold.latent[:, 0]
    names = [f"x{i + 1}" for i in range(X.shape[1])]
    coordinates = pd.DataFrame(X, columns=names).round(6)
    return coordinates.assign(shade=shade).to_dict("records")


def measure_runtime(trial: Trial, n_jobs: int) -> list[Row]:
    """Return the seconds that a method takes."""
    _, X = trial.make()
    seconds = timeit.repeat(
        lambda: trial.find(X, trial.cores),
        setup=gc.enable,  # as for a user; timeit turns it off
        number=1,
        repeat=TIMED_RUNS,
    )
    return [{"seconds": min(seconds)}]


def count_false_alarms(trial: Trial, n_jobs: int) -> list[Row]:
    """Look for relevant columns in tables of pure noise, of four distributions in turn."""
    from urerf.relevance import column_relevance

    rows = []
    no_columns = np.empty((trial.n, 0))
    for table in range(trial.count):
        kind = PAPER_NOISES[table % len(PAPER_NOISES)]
        seed = 1000 * trial.seed + table
        X = with_noise(no_columns, trial.noise, kind, trial.variance, seed)
        verdict = column_relevance(X, alpha=0.01, n_jobs=n_jobs).verdict
        row = {
            "table": table,
            "kind": kind,
            "relevant": int(verdict == "structure"),
            "rests_on": verdict,
        }
        rows.append(row)
    return rows


MEASURES: dict[str, Callable[[Trial, int], list[Row]]] = {
    "precision": measure_precision,
    "geodesics": measure_geodesics,
    "pairs": measure_pairs,
    "points": points,
    "runtime": measure_runtime,
    "false_alarms": count_false_alarms,
}
