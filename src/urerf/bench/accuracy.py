"""``urerf bench accuracy``: precision under every kind, count and scale of noise, and geodesic distances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from urerf.bench import grids
from urerf.bench.runner import PARTS, frame, markdown, met, name_of, origin, run, write
from urerf.paper.tasks import SIMULATIONS

LABELS = {
    "urerf": "URerF",
    "urerf_paper": "URerF.paper()",
    "euclidean": "Euclidean",
    "screen": "normality screen + Euclidean",
    "isomap": "Isomap",
    "umap": "UMAP",
}
# Okabe and Ito's colours, red for URerF alone.
COLORS = dict(zip(LABELS, ("#d00000", "#e69f00", "#000000", "#cc79a7", "#009e73", "#56b4e9")))
MARKERS = dict(zip(LABELS, "*o.vPX"))
SETTING = ["kind", "variance", "noise", "rescaled"]
NO_NOISE = (0.95, 0.95, 0.88, 0.98)
GEODESIC = (0.98, 0.98, 0.93, 0.98)
KEPT = (0.97,) * 4
GEODESIC_ERROR = 0.10


def bench(out: Path, *, size: grids.Size, methods: Sequence[str], jobs: int, command: str) -> Path:
    """Run the accuracy table; write accuracy.csv, accuracy.png and accuracy.md.

    Parameters
    ----------
    out : Path
        Folder for the results; what is computed there is not computed again.
    size : Size
        How much to run.
    methods : sequence of str
        Keys of `LABELS`.
    jobs : int
        Processes side by side.
    command : str
        Written into the results.

    Returns
    -------
    Path
        The Markdown page.
    """
    cells = grids.accuracy_cells(size, methods)
    store = run(cells, out, jobs)
    command = origin(command, cells, store)
    table = with_shares(frame(cells, store))
    draw(table).savefig(out / "accuracy.png", dpi=100, metadata={"Software": None})
    return write(out, "accuracy", table, command, summary(table, command))


def with_shares(table: Any) -> Any:
    """Add ``share``: precision over the method's precision without noise, raw, on the same seed."""
    keys = ["dataset", "method", "seed"]
    bare = table[(table.noise == 0) & ~table.rescaled].set_index(keys).precision
    base = [bare.get(key, float("nan")) for key in table[keys].itertuples(index=False, name=None)]
    return table.assign(share=table.precision / base)


def plain(table: Any, method: str, noise: int = 0) -> Any:
    """Take a method's rows on raw tables with so many noise columns."""
    return table[(table.method == method) & (table.noise == noise) & ~table.rescaled]


def means(table: Any, column: str) -> list[float]:
    """Mean of a column in each simulation, NaN where there is none."""
    found = table.groupby("dataset")[column].mean() if column in table else {}
    return [float(found[name]) if name in found else float("nan") for name in SIMULATIONS]


def worst(table: Any, method: str) -> Any:
    """Find, for each simulation, the setting in which a method keeps least: a frame with share and the setting."""
    rows = table[(table.method == method) & ((table.noise > 0) | table.rescaled)]
    shares = rows.groupby(["dataset", *SETTING]).share.mean().reset_index()
    return shares.loc[shares.groupby("dataset").share.idxmin()].set_index("dataset")


def summary(table: Any, command: str) -> str:
    """Write the page: the bars, every method, geodesic errors."""
    n = int(table.n.max())
    k = int(table.k.max())
    head = f"# Accuracy\n\nMade by `{command}`: {n} rows, {k} neighbours, rows shuffled.\n"
    parts = [head]
    if "urerf" in set(table.method):
        parts += ["## The bars\n", bars_table(table), ""]
    parts += ["## Every method\n", METHODS_TEXT, methods_table(table), ""]
    parts += [
        "## Every setting: share kept by URerF, mean of its seeds\n",
        settings_table(table),
        "",
    ]
    parts += ["## Geodesic distances\n", GEODESICS_TEXT, geodesics_table(table), ""]
    return "\n".join(parts)


METHODS_TEXT = (
    "Precision without noise, and the least share of it that is kept in any setting that was run.\n"
    "A method with one seed and few settings had the smaller table: raw, Gaussian of variance 70 or uniform,\n"
    "at most 1000 noise columns.\n"
)
GEODESICS_TEXT = (
    "Rank correlation and median relative error (after one global scale factor) over the near, middle and far third\n"
    "of pairs, and the precision of ranking by distance. Raw tables; the noise is the mean over all kinds that ran.\n"
)


def bars_table(table: Any) -> str:
    """Set URerF beside each bar."""
    least = worst(table, "urerf").share
    kept = [float(least.get(name, float("nan"))) for name in SIMULATIONS]
    noisy = plain(table, "urerf", 100)
    errors = means(noisy, "error_all")[:3]
    precision = means(plain(table, "urerf"), "precision")
    rank = means(plain(table, "urerf"), "geodesic_precision")
    rows = [
        [
            "`kneighbors`, no noise",
            *precision,
            "/".join(map(str, NO_NOISE)),
            met(precision, NO_NOISE),
        ],
        [
            "rank by `geodesic_distances`, no noise",
            *rank,
            "/".join(map(str, GEODESIC)),
            met(rank, GEODESIC),
        ],
        ["least share kept, any noise", *kept, "at least .97", met(kept, KEPT)],
        [
            "geodesic error, 100 noise columns",
            *errors,
            "",
            "at most .10",
            met(errors, (GEODESIC_ERROR,) * 3, most=True),
        ],
        ["the same, Isomap", *means(plain(table, "isomap", 100), "error_all")[:3], "", "", ""],
    ]
    return markdown(["", *map(name_of, SIMULATIONS), "bar", ""], rows)


def methods_table(table: Any) -> str:
    """Write a row a method: precision without noise, least share kept, and what was run."""
    rows = []
    for method in [name for name in LABELS if name in set(table.method)]:
        mine = table[table.method == method]
        least = worst(table, method).share
        pairs = [
            f"{value:.3f}, keeps {least[name]:.2f}" if name in least else f"{value:.3f}"
            for name, value in zip(SIMULATIONS, means(plain(table, method), "precision"))
        ]
        settings = len(mine[SETTING].drop_duplicates())
        rows.append([LABELS[method], *pairs, mine.seed.nunique(), settings])
    return markdown(["method", *map(name_of, SIMULATIONS), "seeds", "settings"], rows)


def settings_table(table: Any) -> str:
    """Write a row a setting: the share that URerF keeps, and how many seeds it was run on."""
    rows = []
    for (noise, kind, variance, rescaled), group in table[table.method == "urerf"].groupby(
        ["noise", "kind", "variance", "rescaled"]
    ):
        words = f"{name_of(kind)}, variance {variance:g}" if noise else "no noise"
        rows.append(
            [
                words,
                noise,
                "rescaled" if rescaled else "raw",
                *means(group, "share"),
                group.seed.nunique(),
            ]
        )
    return markdown(["noise", "columns", "scale", *map(name_of, SIMULATIONS), "seeds"], rows)


def geodesics_table(table: Any) -> str:
    """Write a row a method, manifold and number of noise columns."""
    rows = []
    names = [f"{what}_{part}" for what in ("spearman", "error") for part in PARTS[1:]]
    for noise in (0, 100):
        for dataset in SIMULATIONS:
            for method in ("urerf", "isomap"):
                mine = plain(table, method, noise)
                mine = mine[mine.dataset == dataset]
                if len(mine) and "geodesic_precision" in mine:
                    values = [
                        float(mine[name].mean()) if name in mine else float("nan") for name in names
                    ]
                    rank = float(mine.geodesic_precision.mean())
                    rows.append([name_of(dataset), noise, LABELS[method], *values, rank])
    columns = [f"{what} {part}" for what in ("Spearman", "error") for part in PARTS[1:]]
    return markdown(["manifold", "noise columns", "method", *columns, "precision by rank"], rows)


def draw(table: Any) -> Any:
    """Draw the share of the no-noise precision that is kept: a panel a simulation, a row a kind of noise."""
    from urerf.paper import figures
    from urerf.paper.baselines import Method

    rows = {
        "Gaussian noise, raw": table[
            table.kind.isin(["none", "gaussian"]) & (table.variance == 70) & ~table.rescaled
        ],
        "uniform noise, raw": table[table.kind.isin(["none", "uniform"]) & ~table.rescaled],
        "worst of all kinds,\nvariances and scales": worst_by_count(table),
    }
    figure, axes = figures.new(len(rows), height=2.2)
    for axes_row, (title, part) in zip(axes, rows.items()):
        for axis, dataset in zip(axes_row, SIMULATIONS):
            for method, label in LABELS.items():
                here = part[(part.dataset == dataset) & (part.method == method)]
                if len(here):
                    style = Method(None, label, COLORS[method], "-", MARKERS[method])  # type: ignore[arg-type]
                    figures.line(axis, here, "noise", style, y="share", log_zero=True)
            figures.noise_axis(axis, int(table.noise.max()))
            axis.set_ylim(0, 1.06)
            axis.tick_params(labelsize=8)
            axis.grid(alpha=0.25)
        axes_row[0].set_ylabel(f"{title}\n\nshare kept", fontsize=9)
    figures.legend(axes[0])
    for axis, dataset in zip(axes[0], SIMULATIONS):
        axis.set_title(figures.LABELS[dataset])
    for axis in axes[-1]:
        axis.set_xlabel("noise columns")
    return figure


def worst_by_count(table: Any) -> Any:
    """Take, for every simulation, method and number of noise columns, the least mean share of any setting."""
    full = table[table.method.isin(["urerf", "euclidean", "screen"])]
    shares = full.groupby(["dataset", "method", *SETTING]).share.mean().reset_index()
    return shares.groupby(["dataset", "method", "noise"]).share.min().reset_index()
