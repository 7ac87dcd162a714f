"""The paper's claims, checked against the numbers of this run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from urerf.paper import published
from urerf.paper.baselines import METHODS, OURS
from urerf.paper.words import at, called, share


class Check(NamedTuple):
    """A claim, whether it holds (None: this run cannot tell) and the numbers behind the verdict."""

    claim: str
    holds: bool | None
    detail: str


def check(tables: Mapping[str, Any]) -> list[Check]:
    """Check every claim that the given experiments can tell about.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Results by experiment.

    Returns
    -------
    list of Check
    """
    checks = []
    if "noise" in tables:
        noise = at(tables["noise"], kind="gaussian")
        checks += [above_chance(noise), not_below_published(noise), above_baselines(noise)]
    if "connectome" in tables:
        checks += [
            connectome(tables["connectome"], method)
            for method in ("urerf_paper", "urerf_depth", "urerf")
        ]
    return checks


def above_chance(noise: Any) -> Check:
    """URerF never falls to chance, even among 10,000 noise columns."""
    claim = "With 10,000 noise columns URerF, set as in the text, stays above chance by .05 or more in all simulations."
    end = at(noise, variant="text", method="urerf_paper", noise=10_000)
    if end.empty:
        return Check(claim, None, "needs the full run: a quick one stops at 1,000 columns")
    means = end.groupby("dataset")[["precision", "chance"]].mean()
    lead = means.precision - means.chance
    words = ", ".join(
        f"{called(name)} {share(row.precision)} (chance {share(row.chance)})"
        for name, row in means.iterrows()
    )
    return Check(claim, bool((lead >= 0.05).all()), words)


def not_below_published(noise: Any) -> Check:
    """Our forest does at least what the published one did, on the same data with the same settings."""
    claim = "With the data and settings of the authors' scripts, URerF is nowhere more than .05 below what was published."
    cells = at(published.compare("noise", noise), variant="scripts", method="urerf_scripts")
    if cells.empty:
        return Check(claim, None, "needs URerF (authors' scripts)")
    worst = cells.loc[cells.difference.idxmin()]
    words = (
        f"lowest of {len(cells)} differences: {share(worst.difference)} ({called(worst.dataset)}, "
        f"{worst.noise:,} noise columns: {share(worst.ours)} against {share(worst.published)})"
    )
    return Check(claim, bool(worst.difference >= -0.05), words)


def above_baselines(noise: Any) -> Check:
    """No other method is above URerF once there are 10 noise columns."""
    claim = "On raw data URerF, set as in the text, is above every other method from 10 noise columns on."
    text = at(noise, variant="text")
    text = text[text.noise >= 10]
    means = text.groupby(["dataset", "noise", "method"]).precision.mean().unstack()
    rivals = [name for name in means.columns if name not in OURS]
    if "urerf_paper" not in means or not rivals:
        return Check(claim, None, "needs URerF (paper's text) and another method")
    lead = means["urerf_paper"] - means[rivals].max(axis=1)
    dataset, columns = lead.idxmin()
    rival = means.loc[(dataset, columns), rivals].idxmax()
    words = f"smallest lead {share(lead.min())}: {called(dataset)}, {columns:,} noise columns, over {METHODS[rival].label}"
    return Check(claim, bool(lead.min() > 0), words)


def connectome(table: Any, method: str) -> Check:
    """URerF has the highest precision at equal recall on the connectome."""
    label = METHODS[method].label
    claim = f"On the connectome {label} has the highest precision at equal recall, from 50 neighbours on."
    means = table[table.k >= 50].groupby(["method", "k"])[["recall", "precision"]].mean()
    rivals = [name for name in means.index.unique("method") if name not in OURS]
    if method not in means.index.unique("method") or not rivals:
        return Check(claim, None, f"needs {label} and another method")
    lead, k, rival = min(
        (value, k, name)
        for name in rivals
        for k, value in leads(means.loc[method], means.loc[name]).items()
    )
    fifty = means.loc[method, 50]
    words = (
        f"precision {fifty.precision:.3f}, recall {fifty.recall:.3f} at 50 (published .794, .624); "
        f"smallest lead {lead:+.3f}, over {METHODS[rival].label} at its recall for k = {k:g}"
    )
    return Check(claim, bool(lead > 0), words)


def leads(ours: Any, theirs: Any) -> Any:
    """How far our curve is above another one, at those of its recalls that ours reaches; indexed by its k."""
    inside = theirs[theirs.recall.between(ours.recall.min(), ours.recall.max())]
    return np.interp(inside.recall, ours.recall, ours.precision) - inside.precision
