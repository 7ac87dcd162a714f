"""A layout of a graph in two dimensions, by stochastic gradient steps.

The likelihood is that of LargeVis (Tang et al., 2016): two points at distance d are connected with
probability 1 / (1 + d^2). Edges attract, random pairs repel. There is one thread and one order, so
the result is the same bit for bit.
"""

from ._jit import jit
from .rng import random_below

# The longest step per coordinate, as in LargeVis and UMAP: a few steps cannot undo the layout.
LONGEST_STEP = 4.0
# Keeps the force between two points at the same position finite.
NEAR = 0.01


@jit
def _bounded(step):
    return min(max(step, -LONGEST_STEP), LONGEST_STEP)


@jit
def _attract(points, i, j, rate):
    """Pull two points together along their edge."""
    dx = points[i, 0] - points[j, 0]
    dy = points[i, 1] - points[j, 1]
    pull = 2.0 * rate / (1.0 + dx * dx + dy * dy)
    # Each end takes half of the step, so that they meet in the middle.
    x = _bounded(0.5 * pull * dx)
    y = _bounded(0.5 * pull * dy)
    points[i, 0] -= x
    points[i, 1] -= y
    points[j, 0] += x
    points[j, 1] += y


@jit
def _repel(points, i, j, rate):
    """Push the first point away from the second."""
    dx = points[i, 0] - points[j, 0]
    dy = points[i, 1] - points[j, 1]
    square = dx * dx + dy * dy
    push = 2.0 * rate / ((NEAR + square) * (1.0 + square))
    points[i, 0] += _bounded(push * dx)
    points[i, 1] += _bounded(push * dy)


@jit
def relax(points, neighbors, epochs, pushes, key):
    """Move ``points`` in place: each edge attracts its ends, and its first end meets random points.

    Parameters
    ----------
    points : ndarray of float64, (n, 2)
        Where to start, in units in which neighbors are about 1 apart.
    neighbors : ndarray of int32, (n, k)
        The edges.
    epochs, pushes : int
        Passes over all edges, and random points per edge in each pass.
    key : uint64
        Stream of random numbers.
    """
    n, k = neighbors.shape
    draw = 0
    for epoch in range(epochs):
        rate = 1.0 - epoch / epochs
        for i in range(n):
            for j in range(k):
                _attract(points, i, neighbors[i, j], rate)
                for _ in range(pushes):
                    _repel(points, i, random_below(key, draw, n), rate)
                    draw += 1
