"""Precision under every kind, number and scale of noise columns, and geodesic distances."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from urerf.datasets import SIMULATIONS

from ..._typing import Array
from .. import figures
from ..methods import METHODS
from ..study import FIRST_SEED, BenchStudy, Plan
from ..tables.made import PAPER_NOISES
from ..trial import THIRDS, Trial
from ..words import at, means_by, methods_in
from ..writing import markdown, short_name
from ._size import COLUMNS, KEPT, Size, make_trial, size_of, verdict

COMPARED = ("urerf", "urerf_paper", "euclidean", "screen", "isomap", "umap")
SLOW = ("umap", "isomap", "urerf_paper")
NOT_IN_QUICK = ("umap", "urerf_paper")
KINDS = [(kind, 70.0) for kind in PAPER_NOISES]
VARIANCES = [("gaussian", variance) for variance in (1.0, 10.0, 700.0)]
SETTING = ["noise", "kind", "variance", "rescaled"]
NAMES = [short_name(name) for name in SIMULATIONS]
# Targets for the four simulations, set when the project began.
NO_NOISE = (0.95, 0.95, 0.88, 0.98)
GEODESIC = (0.98, 0.98, 0.93, 0.98)
GEODESIC_ERROR = 0.10

METHODS_TEXT = """Precision without noise, and the smallest share of it that is kept in any
setting that was run. Methods with one seed and few settings were run on the smaller table: raw
columns, Gaussian noise of variance 70 or uniform noise, at most 1000 noise columns."""
GEODESICS_TEXT = """Rank correlation and median relative error (after one global scale factor)
over the near, middle and far third of pairs, and the precision of ranking by distance. Raw
columns; with noise, the mean over all kinds of noise that were run."""


def noises(size: Size) -> list[dict[str, Any]]:
    """Return the settings of the table: no noise, then every kind and count, raw and rescaled.

    Gaussian columns of any variance are the same after rescaling, so one variance is enough there.
    """
    found: list[dict[str, Any]] = [{"rescaled": False}, {"rescaled": True}]
    for count, (kind, variance) in product(size.counts, (*KINDS, *VARIANCES)):
        setting = {"noise": count, "kind": kind, "variance": variance}
        if count >= 10_000 and not is_usual(setting):
            continue
        found.append(setting | {"rescaled": False})
        if variance == 70.0:
            found.append(setting | {"rescaled": True})
    return found


def is_usual(setting: dict[str, Any]) -> bool:
    """Return whether noise is Gaussian of variance 70, or uniform."""
    return setting["kind"] in ("gaussian", "uniform") and setting["variance"] == 70.0


def is_reduced(setting: dict[str, Any]) -> bool:
    """Return whether a setting is in the smaller table of the slow methods."""
    if setting["rescaled"] or setting.get("noise", 0) >= 10_000:
        return False
    return "kind" not in setting or is_usual(setting)


def trials(plan: Plan) -> list[Trial]:
    """Return all trials, cheap ones first."""
    size = size_of(plan)
    methods = [name for name in COMPARED if size.with_slow or name not in NOT_IN_QUICK]
    found = []
    for seed, setting, method in product(plan.reported_seeds, noises(size), methods):
        if method not in SLOW or (seed == FIRST_SEED and is_reduced(setting)):
            found += [make_trial(name, method, seed, size, **setting) for name in SIMULATIONS]
    return sorted(found, key=lambda trial: (trial.seed, trial.method == "umap", trial.noise))


def with_shares(table: Any) -> Any:
    """Add the share of the precision without noise that is kept, per data set, method and seed."""
    is_clean = (table.noise == 0) & ~table.rescaled
    clean = table.assign(clean=table.precision.where(is_clean))
    groups = clean.groupby(["dataset", "method", "seed"])
    base = groups.clean.transform("max")
    return table.assign(share=table.precision / base)


def raw(table: Any, method: str, noise: int = 0) -> Any:
    """Return the rows of a method on raw tables."""
    return at(table, method=method, noise=noise, rescaled=False)


def means(table: Any, column: str) -> Array:
    """Return the mean of a column in each simulation, NaN where there is none."""
    values = table.reindex(columns=["dataset", column])
    found = means_by(values, "dataset", column)
    return found.reindex(list(SIMULATIONS)).to_numpy()


def least_shares(table: Any, method: str) -> Array:
    """Return the smallest share that a method keeps in any setting, for each simulation."""
    mine = at(table, method=method)
    changed = mine[(mine.noise > 0) | mine.rescaled]
    shares = means_by(changed, ["dataset", *SETTING], "share")
    least = shares.groupby("dataset").min()
    return least.reindex(list(SIMULATIONS)).to_numpy()


def sections(table: Any) -> list[str]:
    """Return the sections of the page."""
    table = with_shares(table)
    found = [f"{table.n.max()} rows, {table.k.max()} neighbors, rows shuffled."]
    if "urerf" in set(table.method):
        found += ["## Targets", targets_table(table)]
    return [
        *found,
        "## All methods",
        METHODS_TEXT,
        methods_table(table),
        "## All settings: share kept by URerF, mean over seeds",
        settings_table(table),
        "## Geodesic distances",
        GEODESICS_TEXT,
        geodesics_table(table),
    ]


def targets_table(table: Any) -> str:
    """Compare URerF with its targets."""
    clean = raw(table, "urerf")
    precision = means(clean, "precision")
    clean_target = "/".join(map(str, NO_NOISE))
    clean_verdict = verdict(precision >= NO_NOISE)
    rank = means(clean, "geodesic_precision")
    rank_target = "/".join(map(str, GEODESIC))
    rank_verdict = verdict(rank >= GEODESIC)
    kept = least_shares(table, "urerf")
    kept_verdict = verdict(kept >= KEPT)
    errors = means(raw(table, "urerf", 100), "error_all")[:3]
    error_verdict = verdict(errors <= GEODESIC_ERROR)
    isomap_errors = means(raw(table, "isomap", 100), "error_all")[:3]
    rows = [
        ["`kneighbors`, no noise", *precision, clean_target, clean_verdict],
        ["rank by `geodesic_distances`, no noise", *rank, rank_target, rank_verdict],
        ["smallest share kept, any noise", *kept, "at least .97", kept_verdict],
        ["geodesic error, 100 noise columns", *errors, "", "at most .10", error_verdict],
        ["the same, Isomap", *isomap_errors, "", "", ""],
    ]
    return markdown(["", *NAMES, "target", ""], rows)


def methods_table(table: Any) -> str:
    """Write one row per method: precision without noise, smallest share kept, and what was run."""
    rows = []
    for name in methods_in(table, COMPARED):
        mine = at(table, method=name)
        precision = means(raw(table, name), "precision")
        shares = least_shares(table, name)
        cells = []
        for value, kept in zip(precision, shares):
            words = f"{value:.3f}"
            if not np.isnan(kept):
                words += f", keeps {kept:.2f}"
            cells.append(words)
        label = METHODS[name].label
        n_settings = len(mine[SETTING].drop_duplicates())
        rows.append([label, *cells, mine.seed.nunique(), n_settings])
    return markdown(["method", *NAMES, "seeds", "settings"], rows)


def settings_table(table: Any) -> str:
    """Write one row per setting: the share that URerF keeps, and the number of seeds."""
    rows = []
    groups = at(table, method="urerf").groupby(SETTING)
    for (noise, kind, variance, rescaled), group in groups:
        words = f"{short_name(kind)}, variance {variance:g}" if noise else "no noise"
        scale = "rescaled" if rescaled else "raw"
        shares = means(group, "share")
        rows.append([words, noise, scale, *shares, group.seed.nunique()])
    return markdown(["noise", "columns", "scale", *NAMES, "seeds"], rows)


def geodesics_table(table: Any) -> str:
    """Write one row per manifold, number of noise columns and method."""
    scores = [f"{what}_{third}" for what in ("spearman", "error") for third in THIRDS]
    columns = [name for name in (*scores, "geodesic_precision") if name in table]
    rows = []
    for noise, dataset, method in product((0, 100), SIMULATIONS, ("urerf", "isomap")):
        mine = at(raw(table, method, noise), dataset=dataset)
        if len(mine):
            name = short_name(dataset)
            label = METHODS[method].label
            rows.append([name, noise, label, *mine[columns].mean()])
    heads = [name.replace("_", " ").capitalize() for name in columns]
    return markdown(["manifold", "noise columns", "method", *heads], rows)


def draw(table: Any) -> Any:
    """Draw the share kept: one panel per simulation, one row per kind of noise."""
    table = with_shares(table)
    raw_rows = table[~table.rescaled]
    is_70 = raw_rows.variance == 70
    is_gaussian = raw_rows.kind.isin(["none", "gaussian"])
    is_uniform = raw_rows.kind.isin(["none", "uniform"])
    rows = {
        "Gaussian noise, raw": raw_rows[is_gaussian & is_70],
        "uniform noise, raw": raw_rows[is_uniform],
        "worst of all kinds,\nvariances and scales": worst_by_count(table),
    }
    figure, axes = figures.panels(len(rows), height=2.2, sharey=True)
    for axes_row, shares in zip(axes, rows.values()):
        for one, dataset in zip(axes_row, SIMULATIONS):
            own = at(shares, dataset=dataset)
            figures.lines(one, own, "noise", y="share", log_zero=True)
            figures.noise_axis(one, table.noise.max())
            one.set_ylim(0, 1.06)
            one.tick_params(labelsize=8)
            one.grid(alpha=0.25)
    figures.legend(axes[0])
    labels = [f"{title}\n\nshare kept" for title in rows]
    figures.titles(axes, figures.NOISE, labels)
    return figure


def worst_by_count(table: Any) -> Any:
    """Return the smallest mean share of any setting, per simulation, method and noise columns."""
    full = table[~table.method.isin(SLOW)]
    shares = means_by(full, ["dataset", "method", *SETTING], "share")
    worst = shares.groupby(["dataset", "method", "noise"]).min()
    return worst.reset_index()


STUDY = BenchStudy("accuracy", "Accuracy", trials, COLUMNS, sections, draw)
