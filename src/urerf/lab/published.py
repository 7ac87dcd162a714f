"""The numbers behind the figures of the paper, and how ours differ from them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from .words import at, means_by

METHOD_NAMES = {"shi_cutler_rf": "shi_cutler"}
DATASET_NAMES = {"right": "connectome"}
NOT_PUBLISHED = "not published"
URERF_NAMES = {"urerf_paper": "urerf", "urerf_scripts": "urerf", "urerf": NOT_PUBLISHED}
# In the mixture, the text counts points of the same component as near, and the scripts those at a
# small distance. Chance is .34 for one and .05 for the other, so that published precision cannot
# be compared with ours when we follow the text.
OTHER_TRUTH = ("gaussian_mixture", "text")
EXPERIMENTS = ("noise", "criteria", "connectome")
KEYS = ["dataset", "method", "noise", "k", "metric"]


@cache
def load() -> Any:
    """Read the published numbers.

    Returns
    -------
    DataFrame
        Columns experiment, dataset, method, noise, k, metric, value. URerF is always "urerf",
        regardless of its settings.
    """
    with (files("urerf") / "data" / "published.csv").open() as file:
        table = pd.read_csv(file).rename(columns={"noise_dims": "noise"})
    return table.replace({"method": METHOD_NAMES, "dataset": DATASET_NAMES})


def curve(
    experiment: str,
    dataset: str,
    method: str,
    variant: str,
    x: str,
    metric: str = "precision",
) -> Any:
    """Return a published curve as a frame with columns `x` and value; empty if there is none."""
    name = published_name(method, dataset, variant)
    rows = at(load(), experiment=experiment, dataset=dataset, method=name, metric=metric)
    return rows.sort_values(x)[[x, "value"]]


def published_name(method: str, dataset: str, variant: str) -> str:
    """Return what a method is called in the published numbers that ours can be compared with."""
    if (dataset, variant) == OTHER_TRUTH:
        return NOT_PUBLISHED
    return URERF_NAMES.get(method, method)


def name_criteria(table: Any) -> Any:
    """Return results of the study of criteria with the names of the published methods."""
    return table.assign(method=table.criterion + "/" + table.projection)


def compare(experiment: str, table: Any) -> Any:
    """Compare our means with the published numbers.

    Parameters
    ----------
    experiment : str
        One of `EXPERIMENTS`.
    table : DataFrame
        The results of our study of that name.

    Returns
    -------
    DataFrame
        Columns variant, dataset, method, noise, k, metric, published, ours, difference.
    """
    if experiment == "noise":
        table = at(table, kind="gaussian")
    elif experiment == "criteria":
        table = name_criteria(table)
    settings = [*KEYS[:-1], "variant"]
    scores = table.melt(settings, ["precision", "recall"], "metric")
    means = means_by(scores, [*KEYS, "variant"], "value")
    ours = means.rename("ours").reset_index()
    truths = zip(ours.method, ours.dataset, ours.variant)
    ours["name"] = [published_name(*truth) for truth in truths]
    theirs = at(load(), experiment=experiment)
    theirs = theirs.rename(columns={"method": "name", "value": "published"})
    both = ours.merge(theirs)
    both["difference"] = both.ours - both.published
    return both[["variant", *KEYS, "published", "ours", "difference"]]
