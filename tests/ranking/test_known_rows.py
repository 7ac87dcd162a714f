"""Fitted rows that come back, found by comparing every pair of rows."""

import numpy as np
import pytest

from urerf.columns import Columns
from urerf.gaps import fingerprints_of
from urerf.ranking.known_rows import KnownRows
from urerf.reading import Reading


def reading_of(rows):
    return Reading.of_numbers(np.ascontiguousarray(rows.T, dtype=np.float32))


def expected_row(row, position, fitted):
    """Return the fitted row at the same position if it is equal, else the first equal one."""
    if position < len(fitted) and (fitted[position] == row).all():
        return position
    equal = np.flatnonzero((fitted == row).all(axis=1))
    return equal[0] if len(equal) else -1


@pytest.mark.parametrize("start", [0, 7, 39, 40, 55])
def test_rows_are_found_wherever_the_query_begins(start):
    rng = np.random.default_rng(0)
    fitted = rng.integers(0, 3, size=(40, 2)).astype(float)  # many rows are equal
    queries = rng.integers(0, 4, size=(30, 2)).astype(float)
    known = KnownRows.of(fingerprints_of(reading_of(fitted).matrix))
    expected = [expected_row(row, start + i, fitted) for i, row in enumerate(queries)]
    assert known.find(reading_of(queries), start).tolist() == expected
    assert -1 in expected
    assert len(set(expected)) > 3


def test_a_row_without_any_value_equals_only_itself():
    fitted = np.array([[np.nan, np.nan], [1.0, 2.0], [np.nan, np.nan]])
    columns = Columns.learn(fitted, np.ones(2), scaled=False, missing=True)
    reading = columns.reading(columns.measure(fitted))
    known = KnownRows.of(fingerprints_of(reading.matrix))
    assert known.find(reading).tolist() == [0, 1, 2]
    assert known.find(reading, start=1).tolist() == [-1, 1, -1]
