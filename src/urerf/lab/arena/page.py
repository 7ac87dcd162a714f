"""The page of the arena."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..methods import SELECTORS
from ..words import at, means_by
from ..writing import markdown, met, short, write_frame
from .cases import GROUPS, all_cases, quick_cases
from .standings import (
    CAUSES,
    CLOSE,
    TARGET,
    Standing,
    means_of_uses,
    name_of,
    share_close,
    standings,
)

INTRODUCTION = """Which rows are neighbors when most columns are noise? Every method that a person
might use is run on the same tables. Precision is the share of the neighbors that are right: the
nearest along the manifold, or rows of the same class. Settings of other methods were not chosen
with these seeds. Two of them, 7000 and 7001, once showed that surfaces were behind, which led to
paths that are straightened, and when a grid is a surface was set with a sphere of seed 7000; real
tables are the same with every seed; and our defaults were chosen with digits, wine, breast cancer
and the connectome in view.

The other methods are favored. Each is used in every way that is listed, on columns in their own
units and standardized, and its best mean counts, chosen after the fact. **Selectors of columns are
told how many columns are true**, and those that look for clusters are told how many there are;
Euclidean distance or Isomap follows. URerF has its defaults and is told nothing."""
CONNECTOME = """213 neurons, four cell types, no noise columns: the share of the k nearest that have
the same type. Means over seeds, the best use of each method at the smallest k. URerF has its
defaults; the settings of *paper's criterion by depth* were chosen on these data."""
METHODS_TEXT = f"""For each method, its best use over the cases with noise: the mean precision, the
number of cases in which it is within {CLOSE} of the best of all methods, URerF included, and how
far below it is at worst. A selector also shows the share of the columns it chose that are true.
UMAP has one seed where there are noise columns."""
NO_TREEPLE = "treeple, which also implements the paper, cannot be imported here and was not run."


def cases_of(table: Any) -> list[Any]:
    """Return the cases that occur in a table, of a full or a quick run."""
    n_rows = dict(zip(table.row, table.n))
    known = dict.fromkeys([*all_cases(), *quick_cases()])
    return [case for case in known if n_rows.get(case.label) == case.n]


def sections(table: Any) -> list[str]:
    """Return the sections of the page."""
    results = standings(table, cases_of(table))
    found = [INTRODUCTION, summary(table, results), "![Precision of every method](arena.png)"]
    for group in GROUPS:
        mine = [result for result in results if result.case.group == group]
        if mine:
            title = group[0].upper() + group[1:]
            found += [f"## {title}", standings_table(mine)]
    lost = [result for result in results if result.is_lost]
    found += ["## Where another method is ahead", losses(lost)]
    found += ["## All methods", METHODS_TEXT, methods_table(table, results)]
    if "treeple" not in set(table.method):
        found.append(NO_TREEPLE)
    connectome = at(table, dataset="connectome", noise=0, only_true=False)
    if connectome.k.nunique() > 1:
        found += ["## Connectome, more neighbors", CONNECTOME, connectome_table(connectome)]
    return found


def summary(table: Any, results: Sequence[Standing]) -> str:
    """Say in how many cases URerF is first or close to it."""
    noisy = [result for result in results if result.case.noise]
    clean = [result for result in results if not result.case.noise]
    seeds = "one seed"
    if table.seed.nunique() > 1:
        seeds = f"{table.seed.min()} to {table.seed.max()}"
    n_uses = len(table[["method", "use"]].drop_duplicates())
    lines = [f"{table.method.nunique()} methods used in {n_uses} ways; seeds: {seeds}.", ""]
    if noisy:
        verdict = met(share_close(noisy) >= TARGET)
        target = f"the target is {TARGET:.0%}: {verdict}"
        lines.append(f"- With noise columns, {counts(noisy)}; {target}.")
        told_nothing = table[~table.method.isin(SELECTORS)]
        untold = standings(told_nothing, [result.case for result in noisy])
        lines.append(f"- Among the methods that are told nothing, {counts(untold)}.")
    if clean:
        lines.append(f"- Without noise columns, {counts(clean)}.")
    return "\n".join(lines)


def counts(results: Sequence[Standing]) -> str:
    """Say in how many cases URerF is first or close to it."""
    n_close = sum(not result.is_lost for result in results)
    n_first = sum(result.lead >= 0 for result in results)
    return (
        f"URerF is first or within {CLOSE} of the first in {n_close} of {len(results)} cases "
        f"({share_close(results):.0%}), and first in {n_first}"
    )


def standings_table(results: Sequence[Standing]) -> str:
    """Write one row per case."""
    rows = []
    for result in results:
        case = result.case
        label = f"**{case.label}**" if result.is_lost else case.label
        lead = f"{result.lead:+.3f} ± {short(result.error)}"
        chance = short(result.chance, 2)
        rows.append([label, case.k, chance, result.ours, result.theirs, result.rival, lead])
    heads = ["case", "k", "chance", "URerF", "best other", "which", "lead, standard error"]
    return markdown(heads, rows)


def losses(lost: Sequence[Standing]) -> str:
    """List the cases that are lost, each with its reason."""
    if not lost:
        return f"In no case is another method ahead by more than {CLOSE}."
    lines = [f"- *{cause}*: {text}." for cause, text in CAUSES.items()]
    lines = ["Reasons are decided by controls that see only the true columns:", "", *lines, ""]
    for result in sorted(lost, key=lambda result: result.lead):
        words = short(-result.lead)
        if -result.lead < 2 * result.error:
            words += " (less than two standard errors)"
        lines.append(
            f"- **{result.case.label}**: {result.rival} is ahead by {words}. "
            f"Reason: {result.reason}."
        )
    return "\n".join(lines)


def methods_table(table: Any, results: Sequence[Standing]) -> str:
    """Write one row per method: its best use, how often it is close to the best, and the worst."""
    best = {}
    played = []
    for result in results:
        case = result.case
        if case.noise:
            best[case.label] = max(result.ours, result.theirs)
            case_rows = at(table, row=case.label, k=case.k, only_true=False)
            played.append(case_rows)
    rows = []
    by_method = pd.concat(played).groupby("method")
    for method, mine in by_method:
        _, use = means_of_uses(mine).idxmax()
        means = means_by(at(mine, use=use), "row")
        behind = means.index.map(best) - means
        close = f"{np.sum(behind <= CLOSE)} of {len(means)}"
        share = ""
        if method in (*SELECTORS, "urerf"):
            n_columns = mine.true_columns + mine.other_columns
            true_shares = mine.true_columns / n_columns
            share = f"{true_shares.mean():.2f}"
        name = name_of(method, use)
        rows.append([name, means.mean(), close, behind.max(), share])
    rows.sort(key=lambda row: row[1], reverse=True)
    heads = ["method, best use", "mean precision", "close to the best", "worst", "true columns"]
    return markdown(heads, rows)


def connectome_table(table: Any) -> str:
    """Write one row per method, by the precision at the smallest k of the table."""
    means = table.pivot_table("precision", ["method", "use"], "k")
    means = means.drop(columns=means.columns[0])
    first = means.columns[0]
    best = means.loc[means.groupby("method")[first].idxmax()]
    best = best.sort_values(list(best), ascending=False)
    labels = [name_of(method, use) for method, use in best.index]
    best.index = [f"**{label}**" if label == "URerF" else label for label in labels]
    best = best.rename(columns="k = {}".format)
    return write_frame(best.rename_axis("method"))
