"""One column of a data frame of any library (pandas, polars, Arrow, by narwhals) as `Plain`.

Here it is decided by the data type alone; `urerf.kinds.recognize` then looks at the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .._typing import Array
from ..kinds.convert import Levels, Plain, is_empty, keep_levels, level_text, merged, plain
from ..schema import BOOLEAN, NUMBER

# What `pandas.api.types.infer_dtype` calls columns of Python objects that `plain` can read.
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")
_TIMES = ("datetime", "datetime64", "date", "timedelta", "timedelta64", "time")


def read_series(series: Any) -> Plain:
    """Return the cells of a narwhals series; raise ValueError if they are of no known type."""
    dtype = series.dtype
    if dtype in (nw.Int128, nw.UInt128, nw.Decimal):
        numbers = series.cast(nw.Float64)
        return Plain(NUMBER, numbers.to_numpy())
    if dtype.is_numeric():
        values = series.to_numpy()
        return Plain(NUMBER, values.astype(np.float64))
    if dtype == nw.Boolean:
        numbers = series.cast(nw.Float64)
        return Plain(BOOLEAN, numbers.to_numpy())
    if dtype == nw.String:
        return _texts(series)
    if dtype == nw.Categorical or dtype == nw.Enum:
        return _categories(series)
    if dtype in (nw.Datetime, nw.Date, nw.Duration, nw.Time):
        return plain(series.to_numpy())
    return _other(series)


def levels_of(codes: Array, levels: Sequence[Any], ordered: bool = False) -> Plain:
    """Return categories of any type; a negative code and an empty level are missing values.

    >>> levels_of(np.array([1, 0, -1]), [0.5, 2.0]).values
    Levels(codes=array([ 1,  0, -1]), levels=('0.5', '2'), ordered=False)
    """
    texts = tuple(map(level_text, levels))
    is_filled = [not is_empty(level) for level in levels]
    all_levels = Levels(codes.astype(np.int64), texts, ordered)
    text = keep_levels(all_levels, is_filled)
    if not text.levels:
        return _empty(len(codes))
    different = merged(text)
    return plain(different)


def _texts(series: Any) -> Plain:
    """Return text as codes of its levels, by the fastest way of each library."""
    native = series.to_native()
    if series.implementation.is_polars():
        polars = nw.dependencies.get_polars()
        levels = native.drop_nulls().unique(maintain_order=True)
        enum = native.cast(polars.Enum(levels))
        codes = _physical_codes(enum)
        return levels_of(codes, levels.to_list())
    if series.implementation.is_pyarrow():
        array = native.combine_chunks()
        return _dictionary(array.dictionary_encode())
    return _factorized(native)


def _factorized(native: Any) -> Plain:
    """Return the levels of a series of pandas."""
    pandas = nw.dependencies.get_pandas()
    codes, levels = pandas.factorize(native)
    return levels_of(codes, levels)


def _categories(series: Any) -> Plain:
    """Return categories; those that pandas or Arrow call ordered are ordinals."""
    native = series.to_native()
    if series.implementation.is_polars():
        if series.dtype == nw.Categorical:
            return _texts(series.cast(nw.String))
        codes = _physical_codes(native)
        levels = list(series.dtype.categories)
        return levels_of(codes, levels)
    if not series.implementation.is_pyarrow() and hasattr(native, "cat"):
        categories = native.cat
        codes = categories.codes.to_numpy()
        levels = list(categories.categories)
        return levels_of(codes, levels, bool(categories.ordered))
    return _dictionary(series.to_arrow())


def _physical_codes(enum: Any) -> Array:
    """Return the codes of an enum of polars, -1 for missing values."""
    polars = nw.dependencies.get_polars()
    codes = enum.to_physical().cast(polars.Int64)
    return codes.fill_null(-1).to_numpy()


def _dictionary(array: Any) -> Plain:
    """Return the dictionary-encoded array of Arrow."""
    if hasattr(array, "combine_chunks"):
        array = array.combine_chunks()
    indices = array.indices.cast("int64")
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    levels = array.dictionary.to_pylist()
    return levels_of(codes, levels, bool(array.type.ordered))


def _other(series: Any) -> Plain:
    """Return columns for which narwhals has no data type, or one of any Python objects."""
    native = series.to_native()
    arrow_type = getattr(native, "type", series.dtype)
    name = str(getattr(native, "dtype", arrow_type))
    if name in ("null", "Null"):
        return _empty(len(series))
    if series.implementation.is_pandas_like():
        if name == "object":
            return _objects(native)
        if name.startswith("Sparse"):
            dense = native.sparse.to_dense()
            return plain(dense.to_numpy())
        if name.startswith("period"):
            starts = native.dt.to_timestamp()
            return plain(starts.to_numpy())
        if name.startswith("interval"):
            return _factorized(native)
    if name.startswith("date64"):
        return plain(series.to_numpy())
    raise ValueError(
        f"has the data type {name}, which is neither numbers, text nor dates; convert it, drop "
        'it, or declare it as "ignore" in column_kinds'
    )


def _empty(n_rows: int) -> Plain:
    values = np.full(n_rows, np.nan)
    return Plain(NUMBER, values)


def _objects(native: Any) -> Plain:
    """Return Python objects, if all of them are of one type."""
    pandas = nw.dependencies.get_pandas()
    inferred = pandas.api.types.infer_dtype(native, skipna=True)
    if inferred == "string":
        return _factorized(native)
    if inferred in (*_NUMBERS, *_TIMES):
        return plain(native.to_numpy())
    filled = native[native.notna()]
    first = filled.iloc[0]
    different = [value for value in filled if type(value) is not type(first)]
    if not different:
        raise ValueError(
            f"has values such as {first!r:.60}, which are neither numbers, text nor dates; convert "
            'it, drop it, or declare it as "ignore" in column_kinds'
        )
    raise ValueError(
        f"has values of different types, such as {first!r:.60} and {different[0]!r:.60}; make "
        'them alike, for instance with astype(str), or declare it as "ignore" in column_kinds'
    )
