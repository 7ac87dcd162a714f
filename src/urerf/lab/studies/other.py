"""Other manifolds and kinds of noise, real tables, the connectome, and tables of pure noise."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd

from urerf.datasets import SIMULATIONS

from .. import published
from ..study import FIRST_SEED, BenchStudy, Plan, combinations
from ..trial import Trial
from ..words import at
from ..writing import markdown, met, short_name, write_frame
from ._size import COLUMNS, KEPT, Size, make_trial, size_of

Case = tuple[str, dict[str, Any]]  # a data set and settings of its trials

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
    alarms = Trial("noise", "", FIRST_SEED, "false_alarms", n=200, noise=50, count=200)
    found = [alarms]
    connectome_methods = ["urerf", "urerf_paper", "urerf_depth", *CONNECTOME_RIVALS]
    if size.with_slow:
        connectome_methods.append("umap")
    plain: list[Case] = list(product(SIMULATIONS, [{}]))
    cases = [*plain, *other_settings(size), *real_settings(size)]
    for seed in plan.reported_seeds:
        for method, (dataset, setting) in product(COMPARED, cases):
            found.append(make_trial(dataset, method, seed, size, **setting))
        for method in connectome_methods:
            found.append(make_trial("connectome", method, seed, size, n=1000, ks=CONNECTOME_KS))
    return found


def other_settings(size: Size) -> list[Case]:
    """Return other manifolds with the usual noise, and the four simulations with other noise."""
    counts = [count for count in (100, 1000) if count in size.counts]
    usual = [{}, *combinations(noise=counts, kind=("gaussian", "uniform"))]
    others = combinations(kind=OTHER_NOISES, noise=counts)
    return [*product(OTHER_MANIFOLDS, usual), *product(SIMULATIONS, others)]


def real_settings(size: Size) -> list[Case]:
    """Return real tables, without noise and with noise of variance 70 or of their own."""
    shape: dict[str, Any] = {"n": 1000, "ks": (REAL_K,)}
    noisy = shape | {"noise": min(1000, max(size.counts))}
    settings = (shape, noisy | {"kind": "gaussian"}, noisy | {"kind": "matched"})
    return list(product(REAL, settings))


def sections(table: Any) -> list[str]:
    """Return the sections of the page."""
    scores = table[table.dataset != "noise"]
    is_real = scores.dataset.isin(REAL)
    made = scores[~is_real]
    connectome = at(scores, dataset="connectome")
    found = [
        f"Means over at most {made.seed.nunique()} seeds.",
        f"## Other manifolds and kinds of noise: precision@{made.k.max():g}",
        made_table(made),
        f"## Real tables: label precision@{REAL_K}",
        real_table(at(scores[is_real], k=REAL_K)),
        "## Connectome: label precision",
        connectome_table(connectome[connectome.k != REAL_K]),
    ]
    noise = at(table, dataset="noise")
    if len(noise):
        found += ["## Pure noise", alarm_text(noise)]
    return found


def compared(table: Any) -> Any:
    """Return one row per table and noise: the methods, the share URerF keeps, and its seeds."""
    keys = ["dataset", "kind", "noise"]
    means = table.pivot_table("precision", keys, "method", sort=False)
    means = means.reindex(columns=list(COMPARED))
    ours = at(table, method="urerf")
    without_noise = at(ours, noise=0).set_index(["dataset", "seed"])
    clean = without_noise.precision.rename("clean")
    with_clean = ours.join(clean, ["dataset", "seed"])
    paired = with_clean.groupby(keys)
    means["kept"] = means.urerf / paired.clean.mean()
    means["seeds"] = paired.seed.nunique()
    in_order = table[keys].drop_duplicates()
    return in_order.merge(means.reset_index())


def made_table(table: Any) -> str:
    """Write one row per manifold and noise: URerF, the share it keeps, and Euclidean."""
    rows = []
    for one in compared(table).itertuples():
        words = "none"
        kept = verdict = ""
        if one.noise:
            words = f"{short_name(one.kind)}, {one.noise}"
            kept = one.kept
            verdict = "kept" if kept >= KEPT else "lost"
        name = short_name(one.dataset)
        scores = [one.urerf, kept, one.urerf_300, one.euclidean]
        rows.append([name, words, *scores, one.seeds, verdict])
    ours_label, *other_labels = COMPARED.values()
    head = ["manifold", "noise columns", ours_label, "share kept", *other_labels, "seeds", ""]
    return markdown(head, rows)


def real_table(table: Any) -> str:
    """Write one row per table and noise, and whether each target is met."""
    rows = []
    for one in compared(table).itertuples():
        words = "none"
        verdict = met(one.urerf >= one.euclidean - NOT_BELOW)
        if one.noise:
            words = f"{one.noise} {one.kind}"
            verdict = f"keeps {one.kept:.3f}: {met(one.kept >= KEPT)}"
        name = short_name(one.dataset)
        scores = [one.urerf, one.urerf_300, one.euclidean]
        rows.append([name, words, *scores, verdict])
    target = f"target: keeps {KEPT} with noise; at most {NOT_BELOW} below Euclidean without"
    return markdown(["table", "noise columns", *COMPARED.values(), target], rows)


def connectome_table(table: Any) -> str:
    """Write one row per method, and the published methods."""
    ours = table.pivot_table("precision", "method", "k", sort=False)
    ours = ours.sort_index(axis=1)
    known = at(published.load(), experiment="connectome", metric="precision")
    theirs = known.pivot_table("value", "method", "k", sort=False)
    theirs = theirs.reindex(columns=ours.columns)
    theirs = theirs.rename(index="published {}".format)
    both = pd.concat([ours, theirs])
    both = both.rename(columns="k = {:g}".format)
    return write_frame(both.rename_axis("method"))


def alarm_text(table: Any) -> str:
    """Say how often pure noise was taken for structure."""
    share = float(table.relevant.mean())
    shape = f"{table.n.max()} x {table.noise.max()}"
    return (
        f"{table.relevant.sum():g} of {len(table)} tables of {shape} (Gaussian, uniform, "
        f"bimodal and heavy-tailed in turn) had a relevant column at the 1 % level: {share:.3f}; "
        f"the target is at most {FALSE_ALARMS}: {met(share <= FALSE_ALARMS)}."
    )


STUDY = BenchStudy("other", "Other tables", trials, COLUMNS, sections)
