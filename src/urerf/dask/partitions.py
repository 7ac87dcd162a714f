"""A Dask array or DataFrame as a list of checked partitions.

Rows are numbered across all partitions, as in one table. Nothing here holds more than one partition
in one place; every pass reads the data again, unless it was persisted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.utils import check_array

from urerf.forest import starts_of
from urerf.frames.arrays import (
    as_numbers,
    bad_cell,
    check_positions,
    match_array,
    needs_matching,
)
from urerf.frames.dataframe import check_values, column_names, match_frame
from urerf.kinds.declared import declared_kinds
from urerf.schema import NUMBER, Frame, Schema

from .._typing import Array
from .cluster import fetch
from .kinds import in_each, learn_schema

# Values per partition of an array that is not a Dask collection: 32 MB.
BLOCK_VALUES = 1 << 22


@dataclass(frozen=True)
class Partitions:
    """Partitions as delayed arrays, and the first row of each; ``first[-1]`` is n.

    ``names`` are those of a data frame, unless they are not text; ``schema`` is None for an array
    of numbers.
    """

    blocks: list[Any]
    first: Array
    n_columns: int
    names: Array | None = None
    schema: Schema | None = None
    notices: Sequence[str] = ()

    @classmethod
    def to_fit(
        cls,
        X: Any,
        client: Client,
        missing: str,
        column_kinds: Any,
    ) -> Partitions:
        """Recognize the columns of a table, or check that an array holds numbers.

        ``missing`` and ``column_kinds`` are the parameters of `URerF`. An error names the
        partition.
        """
        X = _as_collection(X)
        is_array = isinstance(X, da.Array)
        is_auto = isinstance(column_kinds, str) or not column_kinds
        if is_array and is_auto:
            return cls._of_numbers(X, client, missing)
        names = [f"x{i}" for i in range(X.shape[1])]
        has_names = False
        if not is_array:
            names, has_names = column_names(X)
        declared = declared_kinds(column_kinds, names)
        if is_array:
            check_positions(column_kinds)
            declared = {i: declared.get(i, NUMBER) for i in range(len(names))}
        raw = in_each(_delayed_blocks(X), with_columns, names)
        schema, notices, lengths = learn_schema(client, raw, names, declared)
        return cls(
            blocks=_match_all(raw, schema, missing),
            first=starts_of(lengths),
            n_columns=len(names),
            names=np.array(names, dtype=object) if has_names else None,
            schema=schema,
            notices=notices,
        )

    @classmethod
    def to_ask(
        cls,
        X: Any,
        client: Client,
        missing: str,
        schema: Schema | None,
    ) -> Partitions:
        """Return new rows in the columns of a model, whose schema is None for numbers."""
        X = _as_collection(X)
        is_array = isinstance(X, da.Array)
        if schema is None or (is_array and not needs_matching(schema)):
            return cls._of_numbers(X, client, missing)
        blocks = _match_all(_delayed_blocks(X), schema, missing)
        first = _starts(client, blocks)
        return cls(blocks, first, len(schema.columns), schema=schema)

    @classmethod
    def _of_numbers(cls, X: Any, client: Client, missing: str) -> Partitions:
        """Check every partition once; an error names the partition."""
        n_columns = X.shape[1]
        blocks = in_each(_delayed_blocks(X), checked, n_columns, missing)
        return cls(blocks, _starts(client, blocks), n_columns)

    @property
    def n_rows(self) -> int:
        """Number of rows in all partitions."""
        return int(self.first[-1])

    def take(self, rows: Array) -> Any:
        """Return the given rows, in the given order, as one delayed array."""
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        bounds = np.searchsorted(ascending, self.first)
        pieces = []
        for block, first, (begin, end) in zip(self.blocks, self.first, pairwise(bounds)):
            if begin < end:
                pieces.append(block[ascending[begin:end] - first])
        joined = delayed(np.concatenate)(pieces)
        return joined[np.argsort(order)]


def checked(block: Any, n_columns: int, missing: str) -> Array:
    """Return a partition as an array of finite floats (or NaN, if these are handled)."""
    check_shape(block, n_columns)
    block = as_numbers(block)
    try:
        return check_array(
            block,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if missing == "handle" else True,
            ensure_min_samples=0,
        )
    except OverflowError as error:
        raise ValueError("X: has integers too large for float64; rescale its columns") from error
    except (ValueError, TypeError) as error:
        problem = bad_cell(block, missing_allowed=missing == "handle")
        raise type(error)(f"X: {problem or error}") from error


def check_shape(block: Any, n_columns: int) -> None:
    """Raise ValueError unless a partition has the columns of the table."""
    shape = np.shape(block)
    if len(shape) != 2 or shape[1] != n_columns:
        raise ValueError(
            f"X: has shape {shape}, but the table has {n_columns} columns; make all "
            "partitions alike"
        )


def with_columns(block: Any, names: list[str]) -> Any:
    """Return a partition of a table that is to be fitted, if it has the columns of the table."""
    check_shape(block, len(names))
    own_names = list(getattr(block, "columns", names))
    if list(map(str, own_names)) != names:
        raise ValueError(f"X: has columns {own_names}, expected {names}; make all partitions alike")
    return block


def matched(block: Any, schema: Schema, missing: str) -> Array:
    """Return a partition in the columns of a model."""
    match = match_array if isinstance(block, np.ndarray) else match_frame
    values = match(block, schema)
    check_values(Frame(values, schema), missing_allowed=missing == "handle")
    return values


def _match_all(raw: list[Any], schema: Schema, missing: str) -> list[Any]:
    shared = delayed(schema)  # sent once: it holds all levels
    return in_each(raw, matched, shared, missing)


def _starts(client: Client, blocks: list[Any]) -> Array:
    """Return the position of the first row of every partition, and the number of rows."""
    lengths = [delayed(len)(block) for block in blocks]
    return starts_of(fetch(client, lengths))


def _delayed_blocks(X: Any) -> list[Any]:
    """Return the partitions of a collection."""
    if isinstance(X, dd.DataFrame):
        return X.to_delayed()
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    return list(X.to_delayed().ravel())


def _as_collection(X: Any) -> Any:
    if isinstance(X, (da.Array, dd.DataFrame)):
        if X.ndim != 2:
            raise ValueError(f"X: must have two dimensions, rows and columns, got {X.ndim}")
        return X
    if isinstance(X, np.ndarray) and X.ndim == 2:
        n_columns = max(1, X.shape[1])
        n_rows = max(1, BLOCK_VALUES // n_columns)
        return da.from_array(X, chunks=(n_rows, -1))
    raise TypeError(
        "X: must be a Dask array, a Dask DataFrame or a two-dimensional ndarray, "
        f"got {type(X).__name__}; make it one, for example with dask.dataframe.from_pandas"
    )
