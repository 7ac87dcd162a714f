"""How often neighbors have the label of the row, and how often random rows have it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def agreement(indices: NDArray[np.integer], labels: NDArray[Any]) -> float:
    """Return the share of neighbors, (rows, k), that have the label of the row.

    >>> agreement(np.array([[1], [0], [1]]), np.array(["a", "a", "b"]))
    0.6666666666666666
    """
    is_same = labels[indices] == labels[:, None]
    return float(is_same.mean())


def chance_agreement(labels: NDArray[Any]) -> float:
    """Return the share of pairs of different rows that have the same label.

    >>> chance_agreement(np.array(["a", "a", "b"]))
    0.3333333333333333
    """
    _, sizes = np.unique(labels, return_counts=True)
    n = len(labels)
    n_same = (sizes * (sizes - 1)).sum()
    return float(n_same / (n * (n - 1)))
