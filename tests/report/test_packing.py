import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist

from urerf.report.packing import packed


def test_islands_come_closer_and_keep_their_shape():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [100, 0], [0, 90], [70, 80]])
    points = np.vstack([center + rng.normal(size=(50, 2)) for center in centers])
    result = packed(points)
    assert np.ptp(result, axis=0).max() < 0.6 * np.ptp(points, axis=0).max()
    islands = np.split(np.arange(200), 4)
    for rows in islands:
        np.testing.assert_allclose(pdist(result[rows]), pdist(points[rows]))
    for i, rows in enumerate(islands):
        for others in islands[i + 1 :]:
            assert cdist(result[rows], result[others]).min() > 1


@settings(max_examples=20)
@given(st.integers(1, 40), st.integers(0, 5))
def test_any_points_stay_finite(n_points, seed):
    points = np.random.default_rng(seed).normal(size=(n_points, 2)) ** 3
    assert np.isfinite(packed(points)).all()
    assert packed(np.zeros((n_points, 2))).shape == (n_points, 2)
