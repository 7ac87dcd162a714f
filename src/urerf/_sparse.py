"""Check sparse matrices before they are used."""

from __future__ import annotations

from typing import Any

import numpy as np


def checked_sparse(matrix: Any, name: str = "X") -> Any:
    """Return a sparse matrix whose indices all lie inside of it; raise ValueError otherwise.

    SciPy does not check them and reads, or writes, wherever they point to; its ``check_format``
    stops early if the last entry of indptr is 0. ``name`` is what messages call the matrix.
    """
    if matrix.ndim != 2:
        shape = matrix.shape
        raise ValueError(f"{name}: must have rows and columns, got a sparse array of shape {shape}")
    if matrix.format == "coo":
        for axis, positions in enumerate((matrix.row, matrix.col)):
            _require_below(positions, matrix.shape[axis], name)
        return matrix
    if matrix.format not in ("csr", "csc", "bsr"):  # those that are made of Python objects
        return checked_sparse(matrix.tocsr(), name)
    n_major, n_minor = matrix.shape if matrix.format != "csc" else matrix.shape[::-1]
    height, width = getattr(matrix, "blocksize", (1, 1))
    start = matrix.indptr
    ascends = start[:1].sum() == 0 and (start[1:] >= start[:-1]).all()
    if len(start) != n_major // height + 1 or not ascends:
        raise ValueError(f"{name}: is not a valid sparse matrix: indptr must ascend from 0")
    if start[-1] > min(len(matrix.indices), len(matrix.data)):
        raise ValueError(
            f"{name}: is not a valid sparse matrix: indptr points beyond the stored values"
        )
    _require_below(matrix.indices, n_minor // width, name)
    return matrix


def _require_below(positions: np.ndarray, limit: int, name: str) -> None:
    if len(positions) and not (positions.min() >= 0 and positions.max() < limit):
        raise ValueError(
            f"{name}: is not a valid sparse matrix: indices must lie between 0 and {limit - 1}, "
            f"got {positions.min()} to {positions.max()}"
        )
