"""Select rows of a table of results, and put numbers into words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scipy.stats import t as student

from .methods import METHODS, OURS
from .writing import short, short_name


def at(table: Any, **where: Any) -> Any:
    """Return the rows that have the given values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def means_by(table: Any, keys: str | list[str], score: str = "precision") -> Any:
    """Return the mean score of each group of rows."""
    return table.groupby(keys)[score].mean()


def rank_correlation(table: Any, one: str, other: str) -> float:
    """Return Spearman's correlation of two columns, NaN if one of them is constant."""
    correlations = table[[one, other]].corr("spearman")
    return correlations.iloc[0, 1]


def student_interval(values: Any, level: float) -> tuple[float, float]:
    """Return the interval of the mean that leaves out `level` on either side, by Student's t."""
    mean = values.mean()
    quantile = student.isf(level, len(values) - 1)
    half_width = quantile * values.sem()
    return mean - half_width, mean + half_width


def methods_in(table: Any, names: Iterable[str]) -> list[str]:
    """Return which of the methods a table has, in their order."""
    found = set(table.method)
    return [name for name in names if name in found]


def share(value: float) -> str:
    """Return a precision with two digits."""
    return short(float(value), 2)


def by_simulation(table: Any, method: str) -> str:
    """Return the mean precision of a method in each simulation."""
    words = []
    groups = at(table, method=method).groupby("dataset", sort=False)
    for name, rows in groups:
        mean = rows.precision.mean()
        words.append(f"{short_name(name)} {share(mean)}")
    return ", ".join(words)


def best_rival(table: Any) -> tuple[str, float]:
    """Return the label and the mean precision of the best method that is not ours."""
    means = means_by(table, "method")
    means = means.drop(index=list(OURS), errors="ignore")
    if means.empty:
        return "no other method", 0.0
    return METHODS[means.idxmax()].label, float(means.max())


def rivals_by_simulation(table: Any) -> str:
    """Return the best other method in each simulation."""
    words = []
    for name, rows in table.groupby("dataset", sort=False):
        label, value = best_rival(rows)
        words.append(f"{short_name(name)} {share(value)} ({label})")
    return ", ".join(words)


def ours_and_best_rival(table: Any) -> str:
    """Return the precision of our forests and of the best other method in each simulation."""
    words = []
    for method in methods_in(table, ("urerf_paper", "urerf")):
        words.append(f"{METHODS[method].label}: {by_simulation(table, method)}")
    words.append(f"best other method: {rivals_by_simulation(table)}")
    return "; ".join(words)
