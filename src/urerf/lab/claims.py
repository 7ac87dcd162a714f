"""The claims of the paper, checked against the numbers of this run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import published
from .methods import METHODS, OURS
from .words import at, means_by, share
from .writing import short_name

# Smallest difference in precision that is counted: seeds differ by .01 on average (urerf bench
# floor), so that .05 is well outside of their spread.
MARGIN = 0.05


class Claim(NamedTuple):
    """A claim, whether it holds (None if this run cannot tell), and the numbers behind it."""

    text: str
    holds: bool | None
    detail: str


def check(tables: Mapping[str, Any]) -> list[Claim]:
    """Check every claim that the given studies can decide.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Results by study.

    Returns
    -------
    list of Claim
    """
    claims = []
    if "noise" in tables:
        noise = at(tables["noise"], kind="gaussian")
        claims += [
            above_chance(noise),
            not_below_published(noise),
            above_others(noise),
        ]
    if "connectome" in tables:
        connectome = tables["connectome"]
        for method in ("urerf_paper", "urerf_depth", "urerf"):
            claims.append(best_on_connectome(connectome, method))
    return claims


def above_chance(noise: Any) -> Claim:
    """URerF never falls to chance, even with 10,000 noise columns."""
    text = (
        "With 10,000 noise columns, URerF with the settings of the text is above chance by at "
        "least .05 in all simulations."
    )
    end = at(noise, variant="text", method="urerf_paper", noise=10_000)
    if end.empty:
        return Claim(text, None, "needs the full run: a quick one stops at 1,000 columns")
    means = end.groupby("dataset")[["precision", "chance"]].mean()
    words = []
    for name, row in means.iterrows():
        words.append(f"{short_name(name)} {share(row.precision)} (chance {share(row.chance)})")
    leads = means.precision - means.chance
    holds = bool(leads.min() >= MARGIN)
    return Claim(text, holds, ", ".join(words))


def not_below_published(noise: Any) -> Claim:
    """Our forest is as good as the published one, on the same data with the same settings."""
    text = (
        "With the data and settings of the authors' scripts, URerF is never more than .05 below "
        "the published numbers."
    )
    compared = published.compare("noise", noise)
    rows = at(compared, variant="scripts", method="urerf_scripts")
    if rows.empty:
        return Claim(text, None, f"needs {METHODS['urerf_scripts'].label}")
    worst = rows.loc[rows.difference.idxmin()]
    where = f"{short_name(worst.dataset)}, {worst.noise:,} noise columns"
    detail = (
        f"lowest of {len(rows)} differences: {share(worst.difference)} "
        f"({where}: {share(worst.ours)} against {share(worst.published)})"
    )
    return Claim(text, bool(worst.difference >= -MARGIN), detail)


def above_others(noise: Any) -> Claim:
    """No other method is above URerF with 10 noise columns or more."""
    text = (
        "On raw data, URerF with the settings of the text is above every other method from 10 "
        "noise columns on."
    )
    rows = at(noise, variant="text")
    rows = rows[rows.noise >= 10]
    means = means_by(rows, ["dataset", "noise", "method"]).unstack()
    rivals = [name for name in means.columns if name not in OURS]
    if "urerf_paper" not in means or not rivals:
        return Claim(text, None, f"needs {METHODS['urerf_paper'].label} and another method")
    leads = means["urerf_paper"] - means[rivals].max(axis=1)
    lead = leads.min()
    dataset, columns = leads.idxmin()
    precisions = means.loc[(dataset, columns), rivals]
    rival = METHODS[precisions.idxmax()]
    where = f"{short_name(dataset)}, {columns:,} noise columns"
    detail = f"smallest lead {share(lead)}: {where}, over {rival.label}"
    return Claim(text, bool(lead > 0), detail)


def best_on_connectome(table: Any, method: str) -> Claim:
    """URerF has the highest precision at equal recall on the connectome."""
    label = METHODS[method].label
    text = (
        f"On the connectome, {label} has the highest precision at equal recall, from 50 neighbors "
        "on."
    )
    many = table[table.k >= 50]
    groups = many.groupby(["method", "k"])
    means = groups[["recall", "precision"]].mean()
    rivals = means.drop(index=list(OURS), errors="ignore")
    if method not in means.index or rivals.empty:
        return Claim(text, None, f"needs {label} and another method")
    ours = means.loc[method]
    is_inside = rivals.recall.between(ours.recall.min(), ours.recall.max())
    theirs = rivals[is_inside]
    precision = np.interp(theirs.recall, ours.recall, ours.precision)
    leads = precision - theirs.precision
    lead = leads.min()
    k, rival = leads.swaplevel().sort_index().idxmin()  # of equal ones, that of the smallest k
    fifty = ours.loc[50]
    detail = (
        f"precision {fifty.precision:.3f}, recall {fifty.recall:.3f} at 50 (published .794, .624); "
        f"smallest lead {lead:+.3f}, over {METHODS[rival].label} at its recall for k = {k:g}"
    )
    return Claim(text, bool(lead > 0), detail)
