"""The data of the paper: four simulated manifolds whose geodesics are known, noise columns, and a connectome.

Every maker returns a `Manifold`: the points, their latent coordinates and the true geodesic
distances.

The paper's text and its authors' scripts disagree in places; ``variant="text"`` (the default)
follows the text and ``variant="scripts"`` takes the constants and the truth of the scripts:

| manifold | text | scripts |
|---|---|---|
| linear | (4t, 6t, 9t) | (21t, 6t, 14t) |
| helix | t in (2 pi, 9 pi) | t in (3 pi, 9 pi) |
| sphere | the same in both | |
| mixture | near = same component | near = by Euclidean distance of the clean columns |

The scripts also draw t, u and v at random; both variants keep the equally spaced grid of the text.

Grids are the midpoints of equal cells, so no point lies on the end of an open interval: the poles
of the sphere and its seam u = 0 = 2 pi are never hit twice. Rows are shuffled: in manifold order,
ties broken by row index would look like skill.
"""

from .connectome import load_connectome
from .manifold import Manifold
from .noise import add_noise, rescale
from .simulations import make_gaussian_mixture, make_helix, make_linear, make_sphere

__all__ = [
    "Manifold",
    "add_noise",
    "load_connectome",
    "make_gaussian_mixture",
    "make_helix",
    "make_linear",
    "make_sphere",
    "rescale",
]
