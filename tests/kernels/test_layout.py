import numpy as np

import oracle
from urerf.kernels.layout import relax


def naive(points, neighbors, epochs, pushes, key):
    """The same steps in plain NumPy."""
    points = points.copy()
    draw = 0
    for epoch in range(epochs):
        rate = 1 - epoch / epochs
        for i, others in enumerate(neighbors):
            for other in others:
                gap = points[i] - points[other]
                step = np.clip(rate * gap / (1 + gap @ gap), -4, 4)
                points[i] -= step
                points[other] += step
                for _ in range(pushes):
                    gap = points[i] - points[oracle.random_below(key, draw, len(points))]
                    draw += 1
                    square = gap @ gap
                    points[i] += np.clip(2 * rate * gap / ((0.01 + square) * (1 + square)), -4, 4)
    return points


def test_it_takes_the_stated_steps():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    neighbors = rng.integers(0, 20, size=(20, 3)).astype(np.int32)
    want = naive(points, neighbors, 5, 2, 7)
    relax(points, neighbors, 5, 2, np.uint64(7))
    np.testing.assert_allclose(points, want, atol=1e-9)
