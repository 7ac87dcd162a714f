"""All manifolds by name. Each maker is called as ``maker(n_samples, random_state=seed)``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .connectome import load_connectome
from .manifold import Manifold, discrete_manifold
from .shapes import make_moons, make_rotated_helix, make_swiss_roll, make_torus
from .simulations import (
    make_gaussian_mixture,
    make_helix,
    make_linear,
    make_sphere,
)

Maker = Callable[..., Manifold]


def load_table(name: str, n_samples: int | None = None, *, random_state: int = 0) -> Manifold:
    """Load a labeled table of scikit-learn, all rows of it, shuffled."""
    from sklearn import datasets  # slow to import, and only needed here

    loader = getattr(datasets, f"load_{name}")
    X, labels = loader(return_X_y=True)
    rng = np.random.default_rng([random_state, 13])
    order = rng.permutation(len(X))
    shuffled = X[order].astype(float)
    return discrete_manifold(shuffled, labels[order], name)


def _connectome(n_samples: int | None = None, *, random_state: int = 0) -> Manifold:
    return load_connectome()


# The simulations of the paper; only these take `variant`.
SIMULATIONS: dict[str, Maker] = {
    "linear": make_linear,
    "helix": make_helix,
    "sphere": make_sphere,
    "gaussian_mixture": make_gaussian_mixture,
}
MANIFOLDS: dict[str, Maker] = {
    **SIMULATIONS,
    "swiss_roll": make_swiss_roll,
    "torus": make_torus,
    "moons": make_moons,
    "helix_in_20": make_rotated_helix,
    "digits": partial(load_table, "digits"),
    "wine": partial(load_table, "wine"),
    "breast_cancer": partial(load_table, "breast_cancer"),
    "connectome": _connectome,
}
