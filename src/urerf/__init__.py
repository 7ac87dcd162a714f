"""Geodesic learning by unsupervised randomer forests.

`URerF` finds which rows of a table are near each other on the latent manifold, when most columns are noise.
"""

from importlib.metadata import PackageNotFoundError, version

from .estimator import URerF

try:
    __version__ = version("urerf")
except PackageNotFoundError:  # run from a source tree that was not installed
    __version__ = "0+unknown"

__all__ = ["URerF", "__version__"]
