"""Tables of noise, of manifolds and of correlated columns."""

import numpy as np

KINDS = [
    "gaussian",
    "uniform",
    "bimodal",
    "heavy_tailed",
    "poisson",
    "binary",
    "zero_inflated",
    "rare",
    "mixed",
]


def noise(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Independent columns; those of discrete kinds differ in their parameter."""
    if kind == "mixed":
        return np.hstack([noise(k, n, -(-p // 6), rng) for k in KINDS[:6]])[
            :, rng.permutation(-(-p // 6) * 6)[:p]
        ]
    return {
        "gaussian": lambda: rng.normal(scale=70**0.5, size=(n, p)),
        "uniform": lambda: rng.random((n, p)),
        "bimodal": lambda: rng.normal(size=(n, p)) + 4 * rng.integers(0, 2, (n, p)),
        "heavy_tailed": lambda: rng.standard_t(2, size=(n, p)),
        "poisson": lambda: rng.poisson(rng.uniform(0.05, 5, p), (n, p)).astype(float),
        "binary": lambda: (rng.random((n, p)) < rng.uniform(0.02, 0.5, p)).astype(float),
        "zero_inflated": lambda: np.where(
            rng.random((n, p)) < rng.uniform(0.02, 0.6, p), rng.gamma(2, size=(n, p)), 0
        ),
        "rare": lambda: (rng.random((n, p)) < 1 / n + rng.uniform(0, 0.03, p)).astype(float),
    }[kind]()


def signal(name: str, n: int, rng: np.random.Generator) -> np.ndarray:
    t = rng.uniform(0, 1, n)
    a = rng.uniform(0, 2 * np.pi, n)
    b = rng.uniform(0, 2 * np.pi, n)
    winding = 2 * np.pi + 7 * np.pi * t
    roll = 1.5 * np.pi * (1 + 2 * t)
    sphere = rng.normal(size=(n, 3))
    return {
        "linear": lambda: np.column_stack([4 * t, 6 * t, 9 * t]),
        "helix": lambda: np.column_stack(
            [winding * np.cos(winding), winding * np.sin(winding), winding]
        ),
        "sphere": lambda: 9 * sphere / np.linalg.norm(sphere, axis=1, keepdims=True),
        "mixture": lambda: rng.normal(size=(n, 3)) + 3 * rng.integers(-1, 2, (n, 1)),
        "torus": lambda: np.column_stack(
            [(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)]
        ),
        "swiss_roll": lambda: np.column_stack(
            [roll * np.cos(roll), roll * np.sin(roll), 21 * rng.random(n)]
        ),
        "moons": lambda: np.column_stack([np.cos(a) + (a > np.pi), np.sin(a) + (a > np.pi) / 2]),
    }[name]()


def correlated(groups: int, size: int, rho: float, n: int, rng: np.random.Generator) -> np.ndarray:
    common = rng.normal(size=(n, groups, 1))
    own = rng.normal(size=(n, groups, size))
    return (np.sqrt(rho) * common + np.sqrt(1 - rho) * own).reshape(n, -1)
