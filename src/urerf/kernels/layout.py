"""Points pulled together along the edges of a graph and pushed apart elsewhere, by stochastic gradient steps.

The likelihood is that of LargeVis: an edge of length d is there with chance 1 / (1 + d^2), a pair
drawn at random is not. One thread, one order: the same bits every time.
"""

from ._jit import jit
from .rng import random_below

FARTHEST_STEP = 4.0
NEAR = 0.01  # keeps the push of two points on the same spot finite


@jit
def _bounded(step):
    return min(max(step, -FARTHEST_STEP), FARTHEST_STEP)


@jit
def relax(points, neighbors, epochs, pushes, key):
    """Move ``points`` (n, 2) in place: every epoch each edge pulls its ends, and its first end meets random points.

    Parameters
    ----------
    points : ndarray of float64, (n, 2)
        Where to start, in units in which neighbours are about 1 apart.
    neighbors : ndarray of int32, (n, k)
        The edges.
    epochs, pushes : int
        Passes over all edges, and random points an edge meets in each.
    key : uint64
        Stream of random numbers.
    """
    n, k = neighbors.shape
    draw = 0
    for epoch in range(epochs):
        rate = 1.0 - epoch / epochs
        for i in range(n):
            for j in range(k):
                other = neighbors[i, j]
                dx = points[i, 0] - points[other, 0]
                dy = points[i, 1] - points[other, 1]
                pull = 2.0 * rate / (1.0 + dx * dx + dy * dy)
                # The whole pull would put the two on one spot at d = 0; half for each end meets in
                # the middle.
                x = _bounded(0.5 * pull * dx)
                y = _bounded(0.5 * pull * dy)
                points[i, 0] -= x
                points[i, 1] -= y
                points[other, 0] += x
                points[other, 1] += y
                for _ in range(pushes):
                    far = random_below(key, draw, n)
                    draw += 1
                    dx = points[i, 0] - points[far, 0]
                    dy = points[i, 1] - points[far, 1]
                    square = dx * dx + dy * dy
                    push = 2.0 * rate / ((NEAR + square) * (1.0 + square))
                    points[i, 0] += _bounded(push * dx)
                    points[i, 1] += _bounded(push * dy)
