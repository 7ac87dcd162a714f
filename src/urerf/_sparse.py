"""Check sparse matrices before they are used."""

from __future__ import annotations

from typing import Any

from ._typing import Array


def checked_sparse(matrix: Any, name: str = "X") -> Any:
    """Return a sparse matrix whose indices all lie inside of it; raise ValueError otherwise.

    SciPy does not check them and reads, or writes, wherever they point to; its ``check_format``
    stops early if the last entry of indptr is 0. ``name`` is what messages call the matrix.
    """
    if matrix.ndim != 2:
        shape = matrix.shape
        raise ValueError(f"{name}: must have rows and columns, got a sparse array of shape {shape}")
    if matrix.format == "coo":
        n_rows, n_columns = matrix.shape
        _require_below(matrix.row, n_rows, name)
        _require_below(matrix.col, n_columns, name)
        return matrix
    if matrix.format not in ("csr", "csc", "bsr"):  # those that are made of Python objects
        return checked_sparse(matrix.tocsr(), name)
    _check_compressed(matrix, name)
    return matrix


def _check_compressed(matrix: Any, name: str) -> None:
    """Check rows (of CSC: columns) that are stored one after the other, in blocks of BSR."""
    shape = matrix.shape
    if matrix.format == "csc":
        shape = shape[::-1]
    block = getattr(matrix, "blocksize", (1, 1))
    n_runs = shape[0] // block[0]
    n_positions = shape[1] // block[1]
    start = matrix.indptr
    begins_at_zero = start[:1].sum() == 0
    ascends = (start[1:] >= start[:-1]).all()
    if len(start) != n_runs + 1 or not begins_at_zero or not ascends:
        raise ValueError(f"{name}: is not a valid sparse matrix: indptr must ascend from 0")
    n_stored = min(len(matrix.indices), len(matrix.data))
    if start[-1] > n_stored:
        raise ValueError(
            f"{name}: is not a valid sparse matrix: indptr points beyond the stored values"
        )
    _require_below(matrix.indices, n_positions, name)


def _require_below(positions: Array, limit: int, name: str) -> None:
    if len(positions) == 0:
        return
    least = positions.min()
    largest = positions.max()
    if least < 0 or largest >= limit:
        raise ValueError(
            f"{name}: is not a valid sparse matrix: indices must lie between 0 and {limit - 1}, "
            f"got {least} to {largest}"
        )
