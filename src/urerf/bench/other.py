"""``urerf bench other``: other manifolds and noises, real tables, the connectome, and tables of pure noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from urerf.bench import grids
from urerf.bench.runner import frame, markdown, name_of, origin, run, write

REAL = ("digits", "wine", "breast_cancer", "connectome")
KEPT = 0.97
NOT_BELOW = 0.01
FALSE_ALARMS = 0.05


def bench(out: Path, *, size: grids.Size, jobs: int, command: str) -> Path:
    """Run it; write other.csv and other.md, and return the page. Parameters as in `accuracy.bench`."""
    cells = grids.other_cells(size)
    store = run(cells, out, jobs)
    command = origin(command, cells, store)
    table = frame(cells, store)
    table = table.drop_duplicates(["dataset", "method", "noise", "kind", "seed", "k", "table"])
    return write(out, "other", table, command, summary(table, command))


def summary(table: Any, command: str) -> str:
    """Write the page."""
    scores = table[table.dataset != "noise"]
    real = scores[scores.dataset.isin(REAL) & (scores.k == 10)]
    made = scores[~scores.dataset.isin(REAL)]
    cells = scores[(scores.dataset == "connectome") & (scores.k != 10)]
    parts = [
        f"# Other tables\n\nMade by `{command}`; means over at most {made.seed.nunique()} seeds.\n"
    ]
    parts += [
        f"## Other manifolds and noises: precision@{int(made.k.max())}\n",
        made_table(made),
        "",
    ]
    parts += ["## Real tables: label precision@10\n", real_table(real), ""]
    parts += ["## Connectome: label precision\n", connectome_table(cells), ""]
    return "\n".join([*parts, "## Pure noise\n", alarm_text(table[table.dataset == "noise"]), ""])


def mean(table: Any, **where: Any) -> float:
    """Mean precision of the rows that have the given values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return float(table.precision.mean())


def made_table(table: Any) -> str:
    """Write a row a manifold and noise: URerF with the share it keeps, Euclidean."""
    rows = []
    for (dataset, kind, noise), group in table.groupby(["dataset", "kind", "noise"], sort=False):
        ours = mean(group, method="urerf")
        seeds = group[group.method == "urerf"].seed
        share = ours / mean(table[table.seed.isin(seeds)], dataset=dataset, noise=0, method="urerf")
        verdict = "" if share != share or noise == 0 else "kept" if share >= KEPT else "lost"
        law = f"{name_of(kind)}, {noise}" if noise else "none"
        shown = [
            name_of(dataset),
            law,
            ours,
            share if noise else "",
            mean(group, method="euclidean"),
        ]
        rows.append([*shown, seeds.nunique(), verdict])
    return markdown(
        ["manifold", "noise columns", "URerF", "share kept", "Euclidean", "seeds", ""], rows
    )


def real_table(table: Any) -> str:
    """Write a row a table and noise, and whether each bar is met."""
    rows = []
    for (dataset, noise, kind), group in table.groupby(["dataset", "noise", "kind"], sort=False):
        ours = mean(group, method="urerf")
        euclid = mean(group, method="euclidean")
        if noise:
            share = ours / mean(table, dataset=dataset, noise=0, method="urerf")
            verdict = f"keeps {share:.3f}: {'met' if share >= KEPT else 'missed'}"
        else:
            verdict = "met" if ours >= euclid - NOT_BELOW else "missed"
        rows.append(
            [name_of(dataset), f"{noise} {kind}" if noise else "none", ours, euclid, verdict]
        )
    bar = f"bar: noise keeps {KEPT}; plain not below Euclidean by more than {NOT_BELOW}"
    return markdown(["table", "noise columns", "URerF", "Euclidean", bar], rows)


def connectome_table(table: Any) -> str:
    """Write a row a method, and the published URerF."""
    from urerf.paper import published

    ks = sorted(map(int, set(table.k)))
    rows = [
        [method, *(mean(table, method=method, k=k) for k in ks)]
        for method in dict.fromkeys(table.method)
    ]
    known = published.load().query("experiment == 'connectome' and metric == 'precision'")
    for method in dict.fromkeys(known.method):
        curve = known[known.method == method].set_index("k").value
        rows.append([f"published {method}", *(float(curve.get(k, float("nan"))) for k in ks)])
    return markdown(["method", *(f"k = {k}" for k in ks)], rows)


def alarm_text(table: Any) -> str:
    """Say how often pure noise was taken for structure."""
    share = float(table.relevant.mean())
    verdict = "met" if share <= FALSE_ALARMS else "missed"
    return (
        f"{int(table.relevant.sum())} of {len(table)} tables of {int(table.n.max())} x {int(table.noise.max())} "
        f"(Gaussian, uniform, bimodal and heavy-tailed in turn) had a relevant column at the 1 % level: {share:.3f}; "
        f"the bar is at most {FALSE_ALARMS}: {verdict}."
    )
