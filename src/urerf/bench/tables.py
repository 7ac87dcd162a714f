"""Tables beyond the paper's: other manifolds, other noises, and real tables with labels."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from urerf import datasets
from urerf.datasets import Manifold

Table = NDArray[np.float64]


def swiss_roll(n: int, seed: int) -> Manifold:
    """Roll up a strip; its height, 21, is a column of its own that no other column depends on."""
    rng = np.random.default_rng([seed, 10])
    t = rng.uniform(1.5 * math.pi, 4.5 * math.pi, n)
    height = rng.uniform(0, 21, n)
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    X = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    return Manifold(
        X=X, latent=np.column_stack([arc, height]), name="swiss_roll", geodesic=flat_distances
    )


def flat_distances(a: Table, b: Table) -> Table:
    """Straight distances between latent coordinates."""
    return np.sqrt(sum(np.subtract.outer(x, y) ** 2 for x, y in zip(a.T, b.T)))


def torus(n: int, seed: int) -> Manifold:
    """Draw from a torus with radii 6 and 2, evenly over its area."""
    rng = np.random.default_rng([seed, 11])
    v = rng.uniform(0, 2 * math.pi, 4 * n)
    v = v[rng.uniform(0, 8, 4 * n) < 6 + 2 * np.cos(v)][:n]
    u = rng.uniform(0, 2 * math.pi, n)
    X = np.column_stack(
        [(6 + 2 * np.cos(v)) * np.cos(u), (6 + 2 * np.cos(v)) * np.sin(u), 2 * np.sin(v)]
    )
    return Manifold(X=X, latent=np.column_stack([u, v]), name="torus", geodesic=torus_distances)


def torus_distances(a: Table, b: Table) -> Table:
    """Length of the straight way in (u, v), the shorter way round: right for near points, never too short."""
    du, dv = (np.subtract.outer(x, y) for x, y in zip(b.T, a.T))
    du, dv = (np.remainder(d.T + math.pi, 2 * math.pi) - math.pi for d in (du, dv))
    length = np.zeros_like(du)
    for place, weight in zip((0.0, 0.25, 0.5, 0.75, 1.0), (1 / 12, 4 / 12, 2 / 12, 4 / 12, 1 / 12)):
        radius = 6 + 2 * np.cos(a[:, [1]] + place * dv)
        length += weight * np.hypot(radius * du, 2 * dv)
    return length


def moons(n: int, seed: int) -> Manifold:
    """Two half circles, one inside the other; points are near when they lie on the same one."""
    from sklearn.datasets import make_moons

    X, labels = make_moons(n, noise=0.05, random_state=seed)
    return labelled(X, labels, "moons")


def labelled(X: Table, labels: NDArray[np.int64], name: str) -> Manifold:
    """Make a manifold where points are near when they have the same label."""
    return Manifold(X=X, latent=labels[:, None], name=name, geodesic=by_label, labels=labels)  # type: ignore[arg-type]


def by_label(a: Table, b: Table) -> Table:
    """Distance 0 within a label, infinite across."""
    return np.where(a == b.T, 0.0, np.inf)


def helix_in_20(n: int, seed: int) -> Manifold:
    """Rotate the helix into 20 columns, all of which then carry it."""
    helix = datasets.make_helix(n, random_state=seed)
    rotation, _ = np.linalg.qr(np.random.default_rng([seed, 12]).normal(size=(20, 3)))
    return Manifold(
        X=helix.X @ rotation.T, latent=helix.latent, name="helix_in_20", geodesic=helix.geodesic
    )


def real(name: str) -> Callable[[int, int], Manifold]:
    """Return a maker of one of scikit-learn's tables, as it is."""

    def make(n: int, seed: int) -> Manifold:
        from sklearn import datasets as sk

        X, y = getattr(sk, f"load_{name}")(return_X_y=True)
        order = np.random.default_rng([seed, 13]).permutation(len(X))
        return labelled(X[order].astype(float), y[order], name)

    return make


def simulation(name: str) -> Callable[[int, int], Manifold]:
    """Return a maker of one of the paper's manifolds."""
    return lambda n, seed: getattr(datasets, f"make_{name}")(n, random_state=seed)


MANIFOLDS: dict[str, Callable[[int, int], Manifold]] = {
    **{name: simulation(name) for name in ("linear", "helix", "sphere", "gaussian_mixture")},
    "swiss_roll": swiss_roll,
    "torus": torus,
    "moons": moons,
    "helix_in_20": helix_in_20,
    **{name: real(name) for name in ("digits", "wine", "breast_cancer")},
    "connectome": lambda n, seed: datasets.load_connectome(),
}


def correlated(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    """Draw blocks of 10 Gaussian columns, correlation .7 within a block."""
    columns, n = shape
    factor = np.repeat(rng.standard_normal((-(-columns // 10), n)), 10, axis=0)[:columns]
    return math.sqrt(70) * (math.sqrt(0.7) * factor + math.sqrt(0.3) * rng.standard_normal(shape))


def poisson(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    """Draw counts of mean 3: many ties."""
    return rng.poisson(3.0, shape).astype(float)


def mixed(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    """Draw columns of six laws in turn."""
    laws = [
        lambda size: rng.normal(0, 8, size),
        lambda size: rng.uniform(-15, 15, size),
        lambda size: rng.normal(0, 3, size) + rng.choice([-9.0, 9.0], size),
        lambda size: 5 * rng.standard_t(3, size),
        lambda size: rng.poisson(3.0, size).astype(float),  # type: ignore[attr-defined]
        lambda size: rng.exponential(8, size),
    ]
    return np.array([laws[column % 6](shape[1]) for column in range(shape[0])])


def random_scales(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    """Draw Gaussian columns whose standard deviations run from 1e-3 to 1e3."""
    return 10 ** rng.uniform(-3, 3, (shape[0], 1)) * rng.standard_normal(shape)


NOISES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Table]] = {
    "correlated": correlated,
    "poisson": poisson,
    "mixed": mixed,
    "random_scales": random_scales,
}


def with_noise(X: Table, columns: int, kind: str, variance: float, seed: int) -> Table:
    """Append noise columns of one of the package's kinds or of `NOISES`; "matched" is Gaussian of X's mean variance."""
    if kind in NOISES:
        return np.hstack([X, NOISES[kind](np.random.default_rng([seed, 14]), (columns, len(X))).T])
    if kind == "matched":
        kind = "gaussian"
        variance = float(X.var(axis=0).mean())
    return datasets.add_noise(X, columns, kind=kind, variance=variance, random_state=seed)  # type: ignore[arg-type]
