"""The steps of `URerF.fit`: from a validated table to `Fitted`.

The parameters of the model say what to do; nothing here changes the model. `urerf.dask` takes the
same steps on a cluster.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import parameters as check
from ._messages import one_line
from ._random import draw_seed
from ._typing import Array
from .columns import Columns, is_constant
from .fitted import Fitted
from .forest import Forest
from .reading import Reading
from .relevance import Relevance, check_order, examine_rows, group_numbers, rows_examined
from .relevance.examine import count_groups
from .schema import Schema
from .tree_settings import check_settings
from .warmup import compile_kernels

if TYPE_CHECKING:
    from .estimator import URerF

ALL_CONSTANT = "X: all columns are constant, so all rows are equally close to each other"
OTHER_ROWS = (
    "X: with warm_start=True trees are added for the fitted rows; pass the same X, or fit a new "
    "model"
)


def learn(
    model: URerF,
    X: Any,
    schema: Schema | None,
    groups: Any,
    ordered: bool,
) -> Fitted:
    """Return what a model learns from values with a schema; ``groups`` as in `URerF.fit`."""
    n_samples, n_features = X.shape
    numbers = group_numbers(groups, n_samples)
    check_order(ordered, numbers)
    compile_kernels()
    seed = draw_seed(model.random_state)
    evidence = _examine(model, X, schema, seed, numbers, ordered)
    columns = learn_columns(model, X, schema, evidence, missing=model.missing)
    matrix = columns.measure(X, model.n_jobs)
    if all(is_constant(column) for column in matrix):
        warnings.warn(ALL_CONSTANT, stacklevel=4)
    reading = columns.reading(matrix, model.n_jobs)
    n_trees = check.resolve_n_estimators(model, n_samples)
    forest, leaves = _grow(model, reading, columns, seed, range(n_trees))
    return Fitted.of(
        columns,
        forest,
        matrix,
        leaves,
        seed=seed,
        n_features_in=n_features,
        relevance=evidence,
        schema=schema,
    )


def add_trees(model: URerF, fitted: Fitted, rows: Reading) -> Fitted:
    """Grow the trees that are missing to ``n_estimators``; ``rows`` must be the fitted ones."""
    known = fitted.known_rows(rows)
    if not np.array_equal(known, np.arange(fitted.n_samples)):
        raise ValueError(OTHER_ROWS)
    check_settings(model, fitted)
    n_wanted = check.resolve_n_estimators(model, fitted.n_samples, fitted.n_trees)
    trees = range(fitted.n_trees, n_wanted)
    more = _grow(model, fitted.reading, fitted.columns, fitted.seed, trees)
    return fitted.with_more_trees(*more)


def _examine(
    model: URerF,
    X: Any,
    schema: Schema | None,
    seed: int,
    groups: Array | None,
    ordered: bool,
) -> Relevance | None:
    """Return the evidence for the relevance of the columns, found in a sample of the rows."""
    if model.feature_weighting == "uniform":
        return None
    rows = rows_examined(X.shape[0], seed, groups, ordered)
    options = how_to_examine(model, rows, groups, ordered)
    evidence = examine_rows(X[rows], schema, n_jobs=model.n_jobs, **options)
    tell(model, evidence.notices)
    return evidence


def how_to_examine(
    model: URerF,
    rows: Array,
    groups: Array | None,
    ordered: bool,
) -> dict[str, Any]:
    """Return how `urerf.relevance.examine_rows` treats rows that were drawn by `rows_examined`."""
    return {
        "keep_groups": model.feature_weighting == "all_groups",
        "rows": rows if groups is None else None,
        "n_groups": count_groups(groups),
        "ordered": ordered,
    }


def learn_columns(
    model: URerF,
    X: Any,
    schema: Schema | None,
    evidence: Relevance | None,
    *,
    missing: str,
) -> Columns:
    """Return which columns trees read; without evidence, they draw all features alike."""
    weights = np.ones(X.shape[1])
    if evidence is not None:
        weights = evidence.weight
    elif schema is not None:
        weights = np.array(schema.is_feature, dtype=float)
    return Columns.learn(
        X,
        weights,
        scaled=check.draws_directions(model),
        missing=missing == "handle",
        n_levels=0 if schema is None else schema.n_levels,
    )


def _grow(
    model: URerF,
    reading: Reading,
    columns: Columns,
    seed: int,
    trees: range,
) -> tuple[Forest, Array]:
    """Return the trees of the given numbers, and the leaves of all rows in them."""
    show_progress = bool(model.verbose)
    p, n = reading.matrix.shape
    forest = Forest.grow(
        reading,
        check.growth_of(model, n, p),
        seed=seed,
        trees=trees,
        feature_weights=columns.feature_weights,
        n_jobs=model.n_jobs,
        show_progress=show_progress,
    )
    return forest, forest.apply(reading, model.n_jobs, show_progress)


def tell(model: URerF, notices: Sequence[str]) -> None:
    """Print what the user should know about the columns, if the model is verbose."""
    if model.verbose:
        for notice in notices:
            print(f"urerf: {one_line(notice)}", file=sys.stderr)
