"""Other manifolds and kinds of noise, real tables, the connectome, and tables of pure noise."""

from __future__ import annotations

import math
from typing import Any

from urerf.datasets import SIMULATIONS
from urerf.lab import published
from urerf.lab.studies._size import (
    COLUMNS,
    KEPT,
    Size,
    make_trial,
    size_of,
)
from urerf.lab.study import FIRST_SEED, BenchStudy, Plan
from urerf.lab.trial import Trial
from urerf.lab.words import at, mean_of
from urerf.lab.writing import markdown, met, short_name

OTHER_MANIFOLDS = ("swiss_roll", "torus", "moons", "helix_in_20")
OTHER_NOISES = ("correlated", "poisson", "mixed", "random_scales")
REAL = ("digits", "wine", "breast_cancer", "connectome")
REAL_K = 10
COMPARED = {
    "urerf": "URerF",
    "urerf_300": "300 trees by depth",
    "euclidean": "Euclidean",
}
CONNECTOME_KS = (50, 70, 90, 110, 150)
CONNECTOME_RIVALS = (
    "isomap",
    "shi_cutler",
    "euclidean",
    "random_projection_forest",
    "totally_random_trees",
    "flann",
)
# Targets: without noise, precision on real tables may be this much below Euclidean distance; with
# pure noise, at most this share of tables may have a relevant column.
NOT_BELOW = 0.01
FALSE_ALARMS = 0.05


def trials(plan: Plan) -> list[Trial]:
    """Return all trials."""
    size = size_of(plan)
    noise = {"measure": "false_alarms", "n": 200, "noise": 50, "count": 200}
    found = [Trial("noise", seed=FIRST_SEED, **noise)]  # type: ignore[arg-type]
    connectome_methods = [
        "urerf",
        "urerf_paper",
        "urerf_depth",
        *CONNECTOME_RIVALS,
    ]
    if size.with_slow:
        connectome_methods.append("umap")
    for seed in plan.reported_seeds:
        for method in COMPARED:
            found += [make_trial(name, method, seed, size) for name in SIMULATIONS]
            for dataset, setting in [
                *other_settings(size),
                *real_settings(size),
            ]:
                found.append(make_trial(dataset, method, seed, size, **setting))
        for method in connectome_methods:
            setting = {"n": 1000, "ks": CONNECTOME_KS}
            found.append(make_trial("connectome", method, seed, size, **setting))
    return found


def other_settings(size: Size) -> list[tuple[str, dict[str, Any]]]:
    """Return other manifolds with the usual noise, and the four simulations with other noise."""
    counts = [count for count in (100, 1000) if count in size.counts]
    found: list[tuple[str, dict[str, Any]]] = []
    for dataset in OTHER_MANIFOLDS:
        found.append((dataset, {}))
        for count in counts:
            for kind in ("gaussian", "uniform"):
                found.append((dataset, {"noise": count, "kind": kind}))
    for dataset in SIMULATIONS:
        for kind in OTHER_NOISES:
            found += [(dataset, {"noise": count, "kind": kind}) for count in counts]
    return found


def real_settings(size: Size) -> list[tuple[str, dict[str, Any]]]:
    """Return real tables, without noise and with noise of variance 70 or of their own."""
    most = min(1000, max(size.counts))
    shape = {"n": 1000, "ks": (REAL_K,)}
    noises: list[dict[str, Any]] = [{}]
    noises += [{"noise": most, "kind": kind} for kind in ("gaussian", "matched")]
    return [(dataset, shape | noise) for dataset in REAL for noise in noises]


def sections(table: Any) -> list[str]:
    """Return the sections of the page."""
    scores = table[table.dataset != "noise"]
    is_real = scores.dataset.isin(REAL)
    made = scores[~is_real]
    real = scores[is_real & (scores.k == REAL_K)]
    connectome = at(scores, dataset="connectome")
    connectome = connectome[connectome.k != REAL_K]
    found = [f"Means over at most {made.seed.nunique()} seeds."]
    title = f"## Other manifolds and kinds of noise: precision@{int(made.k.max())}"
    found += [title, made_table(made)]
    found += [f"## Real tables: label precision@{REAL_K}", real_table(real)]
    found += ["## Connectome: label precision", connectome_table(connectome)]
    noise = at(table, dataset="noise")
    if len(noise):
        found += ["## Pure noise", alarm_text(noise)]
    return found


def made_table(table: Any) -> str:
    """Write one row per manifold and noise: URerF, the share it keeps, and Euclidean."""
    rows = []
    groups = table.groupby(["dataset", "kind", "noise"], sort=False)
    for (dataset, kind, noise), group in groups:
        ours, alone, euclidean = (mean_of(group, method=method) for method in COMPARED)
        seeds = at(group, method="urerf").seed
        same_seeds = table[table.seed.isin(seeds)]
        share = ours / mean_of(same_seeds, dataset=dataset, noise=0, method="urerf")
        verdict = ""
        if noise and not math.isnan(share):
            verdict = "kept" if share >= KEPT else "lost"
        words = f"{short_name(kind)}, {noise}" if noise else "none"
        kept = share if noise else ""
        names = [short_name(dataset), words]
        rows.append([*names, ours, kept, alone, euclidean, seeds.nunique(), verdict])
    ours_label, *other_labels = COMPARED.values()
    head = ["manifold", "noise columns", ours_label, "share kept", *other_labels, "seeds", ""]
    return markdown(head, rows)


def real_table(table: Any) -> str:
    """Write one row per table and noise, and whether each target is met."""
    rows = []
    groups = table.groupby(["dataset", "noise", "kind"], sort=False)
    for (dataset, noise, kind), group in groups:
        ours, alone, euclidean = (mean_of(group, method=method) for method in COMPARED)
        if noise:
            share = ours / mean_of(table, dataset=dataset, noise=0, method="urerf")
            verdict = f"keeps {share:.3f}: {met(share >= KEPT)}"
        else:
            verdict = met(ours >= euclidean - NOT_BELOW)
        words = f"{noise} {kind}" if noise else "none"
        rows.append([short_name(dataset), words, ours, alone, euclidean, verdict])
    target = f"target: keeps {KEPT} with noise; at most {NOT_BELOW} below Euclidean without"
    return markdown(["table", "noise columns", *COMPARED.values(), target], rows)


def connectome_table(table: Any) -> str:
    """Write one row per method, and the published methods."""
    ks = sorted(map(int, set(table.k)))
    rows = []
    for method in dict.fromkeys(table.method):
        means = [mean_of(table, method=method, k=k) for k in ks]
        rows.append([method, *means])
    known = published.load().query("experiment == 'connectome' and metric == 'precision'")
    for method in dict.fromkeys(known.method):
        curve = at(known, method=method).set_index("k").value
        values = [float(curve.get(k, float("nan"))) for k in ks]
        rows.append([f"published {method}", *values])
    heads = [f"k = {k}" for k in ks]
    return markdown(["method", *heads], rows)


def alarm_text(table: Any) -> str:
    """Say how often pure noise was taken for structure."""
    share = float(table.relevant.mean())
    shape = f"{int(table.n.max())} x {int(table.noise.max())}"
    return (
        f"{int(table.relevant.sum())} of {len(table)} tables of {shape} (Gaussian, uniform, "
        f"bimodal and heavy-tailed in turn) had a relevant column at the 1 % level: {share:.3f}; "
        f"the target is at most {FALSE_ALARMS}: {met(share <= FALSE_ALARMS)}."
    )


STUDY = BenchStudy("other", "Other tables", trials, COLUMNS, sections)
