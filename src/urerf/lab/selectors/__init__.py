"""Selectors of columns: methods that score every column, each in the words of its paper.

A selector is called as ``selector(X, told, random_state=seed)`` and returns one score per column;
the columns with the highest scores are kept. `Told` is what a selector is told about the table and
a user would not know: how many columns are true, and how many clusters there are.

Each selector standardizes the columns if its result depends on their units, except for the
variance. Models of scikit-learn are imported where they are used, so that ``urerf demo``, which
reads the registry of methods, does not wait for them.
"""

from .common import Told, best_columns

__all__ = ["Told", "best_columns"]
