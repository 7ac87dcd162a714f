import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import oracle
from urerf.kernels import rng

counters = st.integers(0, 2**40)


@given(hostile.keys, counters, st.integers(1, 2**32 - 1))
def test_numbers_are_the_stated_hash(key, counter, n):
    k = np.uint64(key)
    assert rng.mix(k) == oracle.mix(key)
    assert rng.random_bits(k, counter) == oracle.random_bits(key, counter)
    assert rng.random_below(k, counter, n) == oracle.random_below(key, counter, n) < n
    assert rng.random_unit(k, counter) == oracle.random_unit(key, counter) < 1.0
    assert rng.derive(k, counter) == oracle.derive(key, counter)


def test_splitmix64_reference_values():
    """The published generator, seeded with 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [int(rng.random_bits(np.uint64(1234567), i)) for i in range(4)] == published


@given(hostile.keys, st.integers(1, 60), st.floats(0, 1), st.booleans())
def test_rows_are_drawn_as_stated(key, n, share, bootstrap):
    m = max(1, round(share * n))
    rows = rng.sample_rows(np.uint64(key), n, m, bootstrap)
    assert rows.dtype == np.int32
    assert rows.tolist() == oracle.sample_rows(key, n, m, bootstrap)
    assert (np.diff(rows) >= (0 if bootstrap else 1)).all()


@pytest.mark.parametrize("bootstrap", [False, True])
def test_every_row_is_equally_likely(bootstrap):
    n = 20
    m = 7
    draws = 4000
    times = np.zeros(n)
    for key in range(draws):
        np.add.at(times, rng.sample_rows(np.uint64(key), n, m, bootstrap), 1)
    expected = draws * m / n
    # Without replacement counts vary less than chi-square assumes, hence only an upper bound.
    assert ((times - expected) ** 2 / expected).sum() < chi2.ppf(0.999, n - 1)


def test_streams_do_not_overlap():
    keys = {
        int(rng.derive(np.uint64(seed), branch)) for seed in range(100) for branch in range(100)
    }
    assert len(keys) == 100 * 100


def test_units_are_uniform_and_streams_uncorrelated():
    units = np.array(
        [[rng.random_unit(np.uint64(key), i) for i in range(2000)] for key in range(8)]
    )
    assert np.abs(units.mean(axis=1) - 0.5).max() < 4 * np.sqrt(1 / 12 / 2000)
    correlations = np.corrcoef(units)[np.triu_indices(8, 1)]
    assert np.abs(correlations).max() < 4 / np.sqrt(2000)
    serial = [np.corrcoef(u[:-1], u[1:])[0, 1] for u in units]
    assert np.abs(serial).max() < 4 / np.sqrt(2000)
