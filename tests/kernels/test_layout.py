import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.layout import relax

PLACES = [0.0, 1.0, -1.0, 0.5, 1e-9, 40.0, -300.0]


@given(
    st.integers(2, 12), st.integers(1, 3), st.integers(0, 2), st.integers(0, 2**64 - 1), st.data()
)
def test_like_the_oracle(n, k, pushes, key, data):
    """Points in one place, very close or far apart; edges to themselves and repeated edges."""
    places = st.lists(st.sampled_from(PLACES), min_size=2 * n, max_size=2 * n)
    points = np.array(data.draw(places)).reshape(n, 2)
    ends = st.lists(st.integers(0, n - 1), min_size=n * k, max_size=n * k)
    neighbors = np.array(data.draw(ends), np.int32).reshape(n, k)
    expected = oracle.relax(points, neighbors, 3, pushes, key)
    relax(points, neighbors, 3, pushes, np.uint64(key))
    np.testing.assert_allclose(points, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("n", [20, 200])
def test_edges_become_short(n):
    """A ring of points in random places: neighbors come closer together than others."""
    rng = np.random.default_rng(0)
    points = rng.normal(scale=10, size=(n, 2))
    ring = np.arange(n)
    neighbors = np.column_stack([(ring + 1) % n, (ring - 1) % n]).astype(np.int32)
    relax(points, neighbors, 100, 2, np.uint64(1))
    edges = np.linalg.norm(points - points[neighbors[:, 0]], axis=1)
    across = np.linalg.norm(points - points[(ring + n // 2) % n], axis=1)
    assert np.median(edges) < 0.5 * np.median(across)
