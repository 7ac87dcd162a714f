"""The four simulations of the paper; the docstring of `urerf.datasets` describes them."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np

from urerf._checks import check_choice, check_int

from ._random import RandomState, stream
from .manifold import (
    FloatArray,
    Manifold,
    discrete_manifold,
    euclidean_distances,
)

Variant = Literal["text", "scripts"]

_SPHERE_RADIUS = 9.0
_MIXTURE_WEIGHTS = (0.3, 0.3, 0.4)
_MIXTURE_MEANS = (-3.0, 0.0, 3.0)  # the same in each of the three columns


def make_linear(
    n_samples: int = 1000,
    *,
    variant: Variant = "text",
    random_state: RandomState = 0,
) -> Manifold:
    """Make a line in three dimensions: (4t, 6t, 9t) with t in (0, 1) on an equally spaced grid.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        "scripts" uses the direction in the scripts of the paper's authors, (21t, 6t, 14t).
    random_state : int, Generator, RandomState or None, default=0
        Shuffles the rows.

    Returns
    -------
    Manifold
        `latent` is t; the geodesic distance is the difference in t times the length of the line.

    Examples
    --------
    >>> from urerf.datasets import make_linear
    >>> line = make_linear(5)
    >>> print(line.distances().max().round(3))  # 4/5 of the length, the square root of 133
    9.226
    """
    n = check_int("n_samples", n_samples, 1)
    direction = np.array([4.0, 6.0, 9.0])
    if _is_scripts(variant):
        direction = np.array([21.0, 6.0, 14.0])
    rng = stream(random_state, "make")
    t = rng.permutation(_grid(0.0, 1.0, n))
    length = float(np.linalg.norm(direction))
    geodesic = partial(_line_distances, length=length)
    return Manifold(
        X=t[:, None] * direction,
        latent=t[:, None],
        name="linear",
        geodesic=geodesic,
    )


def make_helix(
    n_samples: int = 1000,
    *,
    variant: Variant = "text",
    random_state: RandomState = 0,
) -> Manifold:
    """Make a widening helix: (t cos t, t sin t, t), t in (2 pi, 9 pi) on an equally spaced grid.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        "scripts" uses the interval in the scripts of the paper's authors, t in (3 pi, 9 pi).
    random_state : int, Generator, RandomState or None, default=0
        Shuffles the rows.

    Returns
    -------
    Manifold
        `latent` is t; the geodesic distance is the length of the curve between two points.

    Examples
    --------
    >>> from urerf.datasets import make_helix
    >>> helix = make_helix(1000)
    >>> bool((abs(helix.X[:, 2] - helix.latent[:, 0]) < 1e-12).all())
    True
    """
    n = check_int("n_samples", n_samples, 1)
    start = 3 * math.pi if _is_scripts(variant) else 2 * math.pi
    grid = _grid(start, 9 * math.pi, n)
    rng = stream(random_state, "make")
    t = rng.permutation(grid)
    x = t * np.cos(t)
    y = t * np.sin(t)
    return Manifold(
        X=np.column_stack([x, y, t]),
        latent=t[:, None],
        name="helix",
        geodesic=_helix_distances,
    )


def make_sphere(
    n_samples: int = 1000,
    *,
    variant: Variant = "text",
    random_state: RandomState = 0,
) -> Manifold:
    """Make a sphere of radius 9 on a grid of u in (0, 2 pi) and v in (0, pi).

    The points are (r cos u sin v, r sin u sin v, r cos v). The steps in u and in v are as equal as
    `n_samples` allows: the grid has about twice as many values of u as of v. If n is not the size
    of such a grid, the next larger grid is made, and n of its nodes are drawn at random, each with
    the same probability.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        Has no effect; accepted so that all makers have the same signature.
    random_state : int, Generator, RandomState or None, default=0
        Shuffles the rows and draws the nodes.

    Returns
    -------
    Manifold
        `latent` is (u, v); the geodesic distance is measured along the great circle.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import make_sphere
    >>> sphere = make_sphere(200)
    >>> [np.unique(angle).size for angle in sphere.latent.T]
    [20, 10]
    >>> print(np.linalg.norm(sphere.X, axis=1).round(6).max())
    9.0
    """
    n = check_int("n_samples", n_samples, 1)
    _is_scripts(variant)
    n_v = max(1, round(math.sqrt(n / 2)))
    n_u = math.ceil(n / n_v)
    all_u = _grid(0.0, 2 * math.pi, n_u)
    all_v = _grid(0.0, math.pi, n_v)
    u, v = np.meshgrid(all_u, all_v)
    nodes = np.column_stack([u.ravel(), v.ravel()])
    rng = stream(random_state, "make")
    shuffled = rng.permutation(nodes)
    latent = shuffled[:n]
    return Manifold(
        X=_SPHERE_RADIUS * _unit_vectors(latent),
        latent=latent,
        name="sphere",
        geodesic=_sphere_distances,
    )


def make_gaussian_mixture(
    n_samples: int = 1000,
    *,
    variant: Variant = "text",
    random_state: RandomState = 0,
) -> Manifold:
    """Draw from three Gaussians with identity covariance.

    The weights are 0.3, 0.3 and 0.4, and the means (-3, -3, -3), (0, 0, 0) and (3, 3, 3).

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    variant : {"text", "scripts"}, default="text"
        With "text", the distance is 0 within a component and infinite between components. With
        "scripts", as in the scripts of the paper's authors, it is the Euclidean distance of the
        three columns, and `labels` is None. The points are the same.
    random_state : int, Generator, RandomState or None, default=0
        Draws the points.

    Returns
    -------
    Manifold
        `labels` and `latent` are the component, 0, 1 or 2 ("scripts": `latent` is the point
        itself).

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import make_gaussian_mixture
    >>> mixture = make_gaussian_mixture(1000)
    >>> np.unique(mixture.labels)
    array([0, 1, 2])
    >>> np.unique(mixture.distances(rows=[0]))
    array([ 0., inf])
    """
    n = check_int("n_samples", n_samples, 1)
    rng = stream(random_state, "make")
    component = rng.choice(3, size=n, p=_MIXTURE_WEIGHTS)
    means = np.array(_MIXTURE_MEANS)
    mean = means[component]
    within = rng.standard_normal((n, 3))
    X = mean[:, None] + within
    if _is_scripts(variant):
        return Manifold(
            X=X,
            latent=X.copy(),
            name="gaussian_mixture",
            geodesic=euclidean_distances,
        )
    return discrete_manifold(X, component, "gaussian_mixture")


def _grid(start: float, stop: float, n: int) -> FloatArray:
    """Return the midpoints of n equal intervals between start and stop."""
    place = np.arange(n) + 0.5
    return start + (stop - start) * place / n


def _line_distances(a: FloatArray, b: FloatArray, *, length: float) -> FloatArray:
    return length * np.abs(a - b.T)


def _helix_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    to_a = _helix_arc_length(a)
    to_b = _helix_arc_length(b)
    return np.abs(to_a - to_b.T)


def _helix_arc_length(t: FloatArray) -> FloatArray:
    """Integrate the speed of (t cos t, t sin t, t), which is sqrt(t^2 + 2), from 0 to t."""
    speed = np.sqrt(t**2 + 2)
    return t / 2 * speed + np.arcsinh(t / math.sqrt(2))


def _sphere_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return great-circle distances by Kahan's formula.

    It is accurate at angles 0 and pi, where arccos loses half of its digits.
    """
    a = _unit_vectors(a)
    b = _unit_vectors(b)
    chord = euclidean_distances(a, b)
    opposite_chord = euclidean_distances(a, -b)
    half_angle = np.arctan2(chord, opposite_chord)
    return 2 * _SPHERE_RADIUS * half_angle


def _unit_vectors(latent: FloatArray) -> FloatArray:
    u, v = latent.T
    x = np.cos(u) * np.sin(v)
    y = np.sin(u) * np.sin(v)
    z = np.cos(v)
    return np.column_stack([x, y, z])


def _is_scripts(variant: str) -> bool:
    return check_choice("variant", variant, ("text", "scripts")) == "scripts"
