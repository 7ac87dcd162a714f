"""What the parameters of URerF may be, and the numbers they mean for a table of n rows and p columns."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

CHOICES = {
    "criterion": ("fast_bic", "two_means", "mclust_bic"),
    "score": ("gain", "raw"),
    "projection": ("oblique", "axis"),
    "flat_nodes": ("random", "best"),
    "feature_weighting": ("relevance", "uniform"),
    "similarity": ("depth", "leaf"),
    "missing": ("handle", "error"),
}


LARGEST = 2**31 - 1  # of any integer: kernels count in 32 bits

DIRECTION_COLUMNS = 10

# max_samples="auto": trees that see few rows cut at different places; of many rows, enough to keep
# leaves small.
SHARE = 0.3
ENOUGH_ROWS = 4096
LEAF_ROWS = 20


def is_int(value: Any) -> bool:
    """Whether the value is an integer, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def is_float(value: Any) -> bool:
    """Whether the value is a real number that is no integer."""
    return isinstance(value, Real) and not isinstance(value, (Integral, bool, np.bool_))


def check_int(name: str, value: Any, low: int) -> int:
    """Return the value as an int from ``low`` to `LARGEST`, or say what is wrong with it."""
    if not is_int(value):
        raise TypeError(f"{name}: must be an integer, got {value!r}")
    if value < low:
        raise ValueError(f"{name}: must be at least {low}, got {value}")
    if value > LARGEST:
        raise ValueError(f"{name}: must be at most {LARGEST}, got {value}")
    return int(value)


def check_bool(name: str, value: Any) -> bool:
    """Return the value as a bool, or say what is wrong with it."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: must be True or False, got {value!r}")
    return bool(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: must be one of {', '.join(map(repr, choices))}, got {value!r}")
    if value not in choices:
        raise ValueError(f"{name}: must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def check_share(name: str, value: Any) -> float:
    """Return the value as a float in (0, 1]."""
    if not 0.0 < value <= 1.0:
        raise ValueError(f"{name}: as a float it is a share and must lie in (0, 1], got {value!r}")
    return float(value)


def check_n_jobs(value: Any) -> int | None:
    """Return n_jobs as joblib takes it."""
    if value is None:
        return None
    if not is_int(value):
        raise TypeError(f"n_jobs: must be None or an integer, got {value!r}")
    if value == 0:
        raise ValueError("n_jobs: must not be 0; use None or 1 for one thread, -1 for all cores")
    if abs(value) > LARGEST:
        raise ValueError(f"n_jobs: must lie between {-LARGEST} and {LARGEST}, got {value}")
    return int(value)


def draw_seed(random_state: Any) -> int:
    """Draw the seed of a fit; the same `random_state` gives the same rows and trees everywhere."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def candidates(max_features: Any, p: int) -> int:
    """Return d, the number of candidates a node looks at."""
    if isinstance(max_features, str):
        check_choice("max_features", max_features, ("sqrt",))
        return max(1, int(np.sqrt(p)))
    if is_float(max_features):
        return max(1, int(check_share("max_features", max_features) * p))
    if not is_int(max_features):
        raise TypeError(
            f"max_features: must be 'sqrt', an integer or a float, got {max_features!r}"
        )
    return check_int("max_features", max_features, 1)


def nonzero_share(density: Any, p: int) -> float:
    """Return lambda, the share of non-zeros in the p x d projection matrix."""
    if isinstance(density, str):
        check_choice("density", density, ("auto",))
        return min(1.0, DIRECTION_COLUMNS / p)
    if is_float(density):
        return check_share("density", density)
    if not is_int(density):
        raise TypeError(
            f"density: must be 'auto', a float share or an integer count, got {density!r}"
        )
    return min(1.0, check_int("density", density, 1) / p)


def rows_drawn(max_samples: Any, n: int) -> int:
    """Return m, the number of rows a tree is grown on."""
    if max_samples is None:
        return n
    if isinstance(max_samples, str):
        check_choice("max_samples", max_samples, ("auto",))
        return max(2, round(max(min(SHARE * n, ENOUGH_ROWS), n / LEAF_ROWS)))
    if is_float(max_samples):
        return max(2, round(check_share("max_samples", max_samples) * n))
    if not is_int(max_samples):
        raise TypeError(
            f"max_samples: must be 'auto', None, an integer or a float, got {max_samples!r}"
        )
    if not 2 <= max_samples <= n:
        raise ValueError(
            f"max_samples: must lie between 2 and the number of rows, {n}, got {max_samples}"
        )
    return int(max_samples)


def smallest_parent(min_samples_split: Any, m: int) -> int:
    """Return minparent, the smallest node that is split."""
    if is_float(min_samples_split):
        return max(2, int(np.ceil(check_share("min_samples_split", min_samples_split) * m)))
    if not is_int(min_samples_split):
        raise TypeError(
            f"min_samples_split: must be an integer or a float, got {min_samples_split!r}"
        )
    return check_int("min_samples_split", min_samples_split, 2)


def check_rows(name: str, rows: Any, n: int) -> np.ndarray:
    """Return row numbers as a 1-D array of integers in [0, n)."""
    found = np.atleast_1d(np.asarray(rows))
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise TypeError(f"{name}: must be integers, the numbers of fitted rows, got {rows!r}")
    if found.size and not (found.min() >= 0 and found.max() < n):
        raise ValueError(
            f"{name}: must lie between 0 and {n - 1}, the last fitted row, got {rows!r}"
        )
    return found.astype(np.intp)
