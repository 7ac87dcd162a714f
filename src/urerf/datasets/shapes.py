"""Manifolds beyond those of the paper."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from urerf._checks import check_int

from ._random import RandomState, seed_of
from .manifold import (
    FloatArray,
    Manifold,
    discrete_manifold,
    euclidean_distances,
)
from .simulations import make_helix

# Radii of the torus: of the circle around the hole, and of the tube.
_TORUS_RADIUS = 6
_TUBE_RADIUS = 2


def make_swiss_roll(n_samples: int = 1000, *, random_state: RandomState = 0) -> Manifold:
    """Roll up a strip of height 21.

    The height is a column of its own, independent of the other two.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    random_state : int, Generator, RandomState or None, default=0
        Draws the points.

    Returns
    -------
    Manifold
        `latent` is (arc length, height).
    """
    n = check_int("n_samples", n_samples, 1)
    seed = seed_of(random_state)
    rng = np.random.default_rng([seed, 10])
    t = rng.uniform(1.5 * math.pi, 4.5 * math.pi, n)
    height = rng.uniform(0, 21, n)
    speed = np.sqrt(1 + t**2)
    arc = (t * speed + np.arcsinh(t)) / 2
    x = t * np.cos(t)
    z = t * np.sin(t)
    return Manifold(
        X=np.column_stack([x, height, z]),
        latent=np.column_stack([arc, height]),
        name="swiss_roll",
        geodesic=euclidean_distances,
    )


def make_torus(n_samples: int = 1000, *, random_state: RandomState = 0) -> Manifold:
    """Draw points uniformly from the surface of a torus with radii 6 and 2.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    random_state : int, Generator, RandomState or None, default=0
        Draws the points.

    Returns
    -------
    Manifold
        `latent` is the two angles (u, v). The distance is the length of the straight line in
        (u, v), which is close for near points and never too short.
    """
    n = check_int("n_samples", n_samples, 1)
    seed = seed_of(random_state)
    rng = np.random.default_rng([seed, 11])
    v = _tube_angles(rng, 4 * n)
    while len(v) < n:
        more = _tube_angles(rng, 4 * n)
        v = np.append(v, more)
    v = v[:n]
    u = rng.uniform(0, 2 * math.pi, n)
    radius = _radius(v)
    x = radius * np.cos(u)
    y = radius * np.sin(u)
    z = _TUBE_RADIUS * np.sin(v)
    return Manifold(
        X=np.column_stack([x, y, z]),
        latent=np.column_stack([u, v]),
        name="torus",
        geodesic=_torus_distances,
    )


def make_moons(n_samples: int = 1000, *, random_state: RandomState = 0) -> Manifold:
    """Make two interleaving half circles; points are near when they lie on the same one.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    random_state : int, Generator, RandomState or None, default=0
        Draws the points.

    Returns
    -------
    Manifold
        `labels` is the half circle, 0 or 1.
    """
    from sklearn import datasets  # slow to import, and only needed here

    n = check_int("n_samples", n_samples, 1)
    seed = seed_of(random_state)
    X, labels = datasets.make_moons(n, noise=0.05, random_state=seed)
    return discrete_manifold(X, labels, "moons")


def make_rotated_helix(n_samples: int = 1000, *, random_state: RandomState = 0) -> Manifold:
    """Rotate the helix into 20 columns, so that every column carries some of it.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    random_state : int, Generator, RandomState or None, default=0
        Shuffles the rows and draws the rotation.

    Returns
    -------
    Manifold
        `latent` and the distances are those of `make_helix`.
    """
    seed = seed_of(random_state)
    helix = make_helix(n_samples, random_state=seed)
    rng = np.random.default_rng([seed, 12])
    directions = rng.normal(size=(20, 3))
    rotation, _ = np.linalg.qr(directions)
    rotated = helix.X @ rotation.T
    return replace(helix, X=rotated, name="helix_in_20")


def _tube_angles(rng: np.random.Generator, n_drawn: int) -> FloatArray:
    """Draw angles v of the tube, and keep those that make points uniform: about three quarters.

    Rejection sampling: the area at angle v is proportional to the distance from the axis.
    """
    v = rng.uniform(0, 2 * math.pi, n_drawn)
    largest_radius = _TORUS_RADIUS + _TUBE_RADIUS
    threshold = rng.uniform(0, largest_radius, n_drawn)
    is_kept = threshold < _radius(v)
    return v[is_kept]


def _radius(v: FloatArray) -> FloatArray:
    """Return the distance from the axis of the torus at angle v of the tube."""
    return _TORUS_RADIUS + _TUBE_RADIUS * np.cos(v)


def _torus_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Integrate straight lines in (u, v), the shorter way around, by Simpson's rule."""
    u, v = a.T
    u_end, v_end = b.T
    du = _shorter_angle(u_end - u[:, None])
    dv = _shorter_angle(v_end - v[:, None])
    along_tube = _TUBE_RADIUS * dv
    length = np.zeros_like(du)
    weights = {
        0.0: 1 / 12,
        0.25: 4 / 12,
        0.5: 2 / 12,
        0.75: 4 / 12,
        1.0: 1 / 12,
    }
    for place, weight in weights.items():
        angle = v[:, None] + place * dv
        around_axis = _radius(angle) * du
        speed = np.hypot(around_axis, along_tube)
        length += weight * speed
    return length


def _shorter_angle(angle: FloatArray) -> FloatArray:
    full_turn = 2 * math.pi
    return np.remainder(angle + math.pi, full_turn) - math.pi
