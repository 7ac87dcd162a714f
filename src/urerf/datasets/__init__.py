"""Data sets with known geodesic distances, and noise columns to hide them in.

Each maker returns a `Manifold`: the points, their latent coordinates and the true geodesic
distances. The first four are the simulations of the paper. Its text and its authors' scripts
disagree in places; ``variant="text"`` (the default) follows the text, and ``variant="scripts"``
uses the constants and the ground truth of the scripts:

| manifold | text | scripts |
|---|---|---|
| linear | (4t, 6t, 9t) | (21t, 6t, 14t) |
| helix | t in (2 pi, 9 pi) | t in (3 pi, 9 pi) |
| sphere | the same in both | |
| mixture | near = same component | near = Euclidean distance of the clean columns |

The scripts also draw t, u and v at random; both variants use the equally spaced grid of the text.

Grid points are the midpoints of equal intervals, so that no point lies on the boundary: the poles
of the sphere and its seam at u = 0 = 2 pi do not occur twice. Rows are shuffled, because ties
broken by row index would look like skill if rows were in manifold order.

`MANIFOLDS` and `NOISE_KINDS` list everything by name.
"""

from .connectome import load_connectome
from .manifold import Manifold
from .noise import NOISE_KINDS, add_noise, rescale
from .penguins import load_penguins
from .registry import MANIFOLDS, SIMULATIONS
from .shapes import make_moons, make_rotated_helix, make_swiss_roll, make_torus
from .simulations import (
    make_gaussian_mixture,
    make_helix,
    make_linear,
    make_sphere,
)

__all__ = [
    "MANIFOLDS",
    "NOISE_KINDS",
    "SIMULATIONS",
    "Manifold",
    "add_noise",
    "load_connectome",
    "load_penguins",
    "make_gaussian_mixture",
    "make_helix",
    "make_linear",
    "make_moons",
    "make_rotated_helix",
    "make_sphere",
    "make_swiss_roll",
    "make_torus",
    "rescale",
]
