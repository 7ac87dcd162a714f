"""The parameters of URerF: allowed values, and what they mean for n rows and p columns."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._checks import check_bool, check_choice, check_int, check_n_jobs, is_bool, is_int
from ._random import check_state
from .kernels.settings import BIC_CRITERIA, CRITERIA, SPLIT_SCORES
from .kinds.declared import check_column_kinds
from .ranking.similarity import SIMILARITIES, get_similarity

if TYPE_CHECKING:
    from .estimator import URerF
    from .forest import Growth

CHOICES: dict[str, tuple[str, ...]] = {
    "criterion": tuple(CRITERIA),
    "split_score": tuple(SPLIT_SCORES),
    "projection": ("oblique", "axis"),
    "flat_nodes": ("random", "best"),
    "feature_weighting": ("relevance", "all_groups", "uniform"),
    "similarity": ("auto", *SIMILARITIES),
    "missing": ("handle", "error"),
}

# n_estimators="auto": trees for n rows. If the forest alone ranks neighbors, each further digit of
# the ranking takes many trees. Otherwise trees only have to propose candidates, and the more rows,
# the closer these are to each other and the more the straight distance decides
# (docs/design/ranking.md): TREES_TIMES_ROWS / n, between two bounds.
TREES_OF_FOREST = 300
MOST_TREES = 150
LEAST_TREES = 60
TREES_TIMES_ROWS = 250_000

# density="auto": columns per random direction. Fewer lose on images and rotated manifolds (on
# average over 35 real tables 1 or 2 columns score .739 to .752 and 10 score .753), more lose on
# tables whose columns matter one at a time.
DIRECTION_COLUMNS = 10

# max_samples="auto": trees that see few rows cut at different places, which makes the average
# smooth (`urerf bench ablation` compares with all rows); with many rows, a tree still needs enough
# of them to keep its leaves small.
SAMPLE_SHARE = 0.3
ENOUGH_SAMPLES = 4096
LEAST_SHARE = 1 / 40

# min_samples_split="auto": nodes of SPLIT_SAMPLES rows of the sample. If the sample is a share of
# the rows below SPLIT_SHARE, such a node holds more of the table, and is split further in
# proportion, so that a leaf holds about 50 rows of the table (80 from 163,840 rows on, as a cut
# needs LEAST_SPLIT rows of the sample). Leaves of 100 rows take longer for less precision
# (`python -m benchmarks leaves`).
SPLIT_SAMPLES = 10
SPLIT_SHARE = 1 / 10
LEAST_SPLIT = 4


def is_word(value: Any, word: str) -> bool:
    """Return whether the value is this word; an array is not."""
    return isinstance(value, str) and value == word


def _unexpected(name: str, value: Any, expected: str) -> Exception:
    """Return the error for a value that is none of what is expected."""
    error = ValueError if isinstance(value, str) else TypeError
    return error(f"{name}: must be {expected}, got {value!r}")


def check_n_neighbors(n_neighbors: Any, n_samples_fit: int, spare: int) -> int:
    """Return k; there must be at least ``spare`` more fitted rows than that."""
    k = check_int("n_neighbors", n_neighbors, 1)
    if k + spare > n_samples_fit:
        raise ValueError(
            f"n_neighbors: {k} neighbors need at least {k + spare} fitted rows, but "
            f"n_samples_fit_ = {n_samples_fit}; ask for at most {n_samples_fit - spare}"
        )
    return k


def check_n_estimators(value: Any) -> int | str:
    """Return the number of trees, or "auto"."""
    if is_word(value, "auto"):
        return "auto"
    if is_int(value):
        return check_int("n_estimators", value, 1)
    raise _unexpected("n_estimators", value, "'auto' or an integer")


def check_model(model: Any) -> None:
    """Check that a fitted model was passed, not the table itself."""
    if not isinstance(model, BaseEstimator):
        raise TypeError(
            f"model: must be a fitted URerF, got {type(model).__name__}; "
            "pass what URerF().fit(X) returned"
        )
    check_is_fitted(model)


def check_parameters(model: URerF) -> None:
    """Check every parameter that can be judged without knowing the table."""
    check_n_estimators(model.n_estimators)
    check_int("n_neighbors", model.n_neighbors, 1)
    check_int("min_samples_leaf", model.min_samples_leaf, 1)
    check_bool("bootstrap", model.bootstrap)
    check_bool("warm_start", model.warm_start)
    check_n_jobs(model.n_jobs)
    if model.max_depth is not None:
        check_int("max_depth", model.max_depth, 1)
    if not is_bool(model.verbose):
        check_int("verbose", model.verbose, 0)
    for name, choices in CHOICES.items():
        check_choice(name, getattr(model, name), choices)
    check_column_kinds(model.column_kinds)
    check_state(model.random_state)


def resolve_n_estimators(model: URerF, n: int, grown: int = 0) -> int:
    """Return the number of trees for n rows, of which ``grown`` exist already.

    "auto" never asks for fewer than there are.
    """
    n_trees = check_n_estimators(model.n_estimators)
    if isinstance(n_trees, int):
        if n_trees < grown:
            raise ValueError(
                f"n_estimators: with warm_start=True it must be at least {grown}, the number of "
                f"trees already grown, got {n_trees}"
            )
        return n_trees
    is_auto = model.similarity == "auto"
    if not is_auto and get_similarity(model.similarity).ranking == "forest":
        return max(TREES_OF_FOREST, grown)
    affordable = max(TREES_TIMES_ROWS // n, LEAST_TREES)
    return max(min(affordable, MOST_TREES), grown)


def draws_directions(model: URerF) -> bool:
    """Return whether candidates are random directions, density="auto"."""
    return model.projection == "oblique" and isinstance(model.density, str)


def growth_of(model: URerF, n: int, p: int) -> Growth:
    """Return how the trees of a model grow on n rows and p columns."""
    from .forest import UNLIMITED_DEPTH, Growth  # imports Numba

    max_features = resolve_max_features(model.max_features, p)
    if model.projection == "axis":
        max_features = min(max_features, p)
    max_samples = resolve_max_samples(model.max_samples, n)
    split = resolve_min_samples_split(model.min_samples_split, max_samples, n)
    finds_flat_nodes = model.split_score == "gain" and model.criterion in BIC_CRITERIA
    return Growth(
        max_features=max_features,
        density=resolve_density(model.density, p),
        min_samples_split=split,
        max_samples=max_samples,
        bootstrap=bool(model.bootstrap),
        projection="direction" if draws_directions(model) else model.projection,
        criterion=model.criterion,
        split_score=model.split_score,
        min_samples_leaf=int(model.min_samples_leaf),
        max_depth=UNLIMITED_DEPTH if model.max_depth is None else int(model.max_depth),
        random_flat_nodes=finds_flat_nodes and model.flat_nodes == "random",
    )


def _check_number(name: str, value: Any, low: int, expected: str) -> int | float:
    """Return an integer of at least ``low``, or a float that is a share in (0, 1]."""
    if is_int(value):
        return check_int(name, value, low)
    is_float = isinstance(value, Real) and not is_bool(value)
    if not is_float:
        raise _unexpected(name, value, expected)
    if not 0.0 < value <= 1.0:
        raise ValueError(f"{name}: as a float it is a share and must lie in (0, 1], got {value!r}")
    return float(value)


def _resolve(
    name: str,
    value: Any,
    low: int,
    total: int,
    rounded: Callable[[float], float],
    expected: str,
) -> int:
    """Return an integer as it is, and a share of the total as an integer of at least ``low``."""
    number = _check_number(name, value, low, expected)
    if isinstance(number, int):
        return number
    return max(low, int(rounded(number * total)))


def resolve_max_features(max_features: Any, p: int) -> int:
    """Return the number of candidate projections per node (the paper's d)."""
    if is_word(max_features, "sqrt"):
        return max(1, int(np.sqrt(p)))
    expected = "'sqrt', an integer or a float"
    return _resolve("max_features", max_features, 1, p, np.floor, expected)


def resolve_density(density: Any, p: int) -> float:
    """Return the share of non-zeros in the p x d projection matrix (the paper's lambda)."""
    number: int | float = DIRECTION_COLUMNS
    if not is_word(density, "auto"):
        expected = "'auto', a float share or an integer count"
        number = _check_number("density", density, 1, expected)
    return min(1.0, number / p) if isinstance(number, int) else number


def resolve_max_samples(max_samples: Any, n: int) -> int:
    """Return the number of rows drawn for each tree (the paper's m)."""
    if max_samples is None:
        return n
    if is_word(max_samples, "auto"):
        enough = min(SAMPLE_SHARE * n, ENOUGH_SAMPLES)
        return max(2, round(max(enough, LEAST_SHARE * n)))
    if is_int(max_samples) and not 2 <= max_samples <= n:
        raise ValueError(
            f"max_samples: must lie between 2 and the number of rows, {n}, got {max_samples}"
        )
    expected = "'auto', None, an integer or a float"
    return _resolve("max_samples", max_samples, 2, n, np.round, expected)


def resolve_min_samples_split(min_samples_split: Any, max_samples: int, n: int) -> int:
    """Return the size of the smallest node that is split (the paper's minparent)."""
    if is_word(min_samples_split, "auto"):
        share = max_samples / n
        in_proportion = round(SPLIT_SAMPLES * share / SPLIT_SHARE)
        return min(max(in_proportion, LEAST_SPLIT), SPLIT_SAMPLES)
    expected = "'auto', an integer or a float"
    return _resolve("min_samples_split", min_samples_split, 2, max_samples, np.ceil, expected)
