"""Numbers of a table put into words for the page."""

from __future__ import annotations

from typing import Any

from urerf.paper.baselines import METHODS, OURS
from urerf.paper.tasks import SIMULATIONS


def share(value: float) -> str:
    """Write a precision the short way.

    Examples
    --------
    >>> share(0.804), share(1.0), share(-0.05)
    ('.80', '1.00', '-.05')
    """
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.2f}"


def called(dataset: str) -> str:
    """Name a data set within a sentence."""
    return {"gaussian_mixture": "mixture"}.get(dataset, dataset)


def by_simulation(table: Any, method: str, y: str = "precision") -> str:
    """Say a method's mean in each simulation."""
    means = table[table.method == method].groupby("dataset")[y].mean()
    return ", ".join(
        f"{called(name)} {share(means[name])}" for name in SIMULATIONS if name in means
    )


def best_rival(table: Any, y: str = "precision") -> tuple[str, float]:
    """Find the best method that is not ours in a table: its label and its mean."""
    means = table[~table.method.isin(OURS)].groupby("method")[y].mean()
    if means.empty:
        return "no other method", 0.0
    return METHODS[means.idxmax()].label, float(means.max())


def rivals_by_simulation(table: Any) -> str:
    """Say which other method is best in each simulation."""
    found = []
    for name in SIMULATIONS:
        here = table[table.dataset == name]
        if len(here):
            label, value = best_rival(here)
            found.append(f"{called(name)} {share(value)} ({label})")
    return ", ".join(found)


def at(table: Any, **where: Any) -> Any:
    """Keep the rows of a table that have the given values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table
