"""Select rows of a table of results, and put numbers into words."""

from __future__ import annotations

from typing import Any

from urerf.datasets import SIMULATIONS
from urerf.lab.methods import METHODS, OURS
from urerf.lab.writing import short, short_name


def at(table: Any, **where: Any) -> Any:
    """Return the rows that have the given values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def share(value: float) -> str:
    """Return a precision with two digits."""
    return short(float(value), 2)


def by_simulation(table: Any, method: str) -> str:
    """Return the mean precision of a method in each simulation."""
    means = at(table, method=method).groupby("dataset").precision.mean()
    found = [name for name in SIMULATIONS if name in means]
    return ", ".join(f"{short_name(name)} {share(means[name])}" for name in found)


def best_rival(table: Any) -> tuple[str, float]:
    """Return the label and the mean precision of the best method that is not ours."""
    means = table[~table.method.isin(OURS)].groupby("method").precision.mean()
    if means.empty:
        return "no other method", 0.0
    return METHODS[means.idxmax()].label, float(means.max())


def rivals_by_simulation(table: Any) -> str:
    """Return the best other method in each simulation."""
    words = []
    for name in SIMULATIONS:
        rows = at(table, dataset=name)
        if len(rows):
            label, value = best_rival(rows)
            words.append(f"{short_name(name)} {share(value)} ({label})")
    return ", ".join(words)


def ours_and_best_rival(table: Any) -> str:
    """Return the precision of our forests and of the best other method in each simulation."""
    words = [
        f"{METHODS[method].label}: {by_simulation(table, method)}"
        for method in ("urerf_paper", "urerf")
        if method in set(table.method)
    ]
    return "; ".join([*words, f"best other method: {rivals_by_simulation(table)}"])
