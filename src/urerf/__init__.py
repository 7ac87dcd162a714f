"""Geodesic learning by unsupervised randomer forests.

`URerF` finds which rows of a table are near each other on the latent manifold, when most columns
are noise.
"""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .estimator import URerF
    from .outliers import outlier_score

try:
    __version__ = version("urerf")
except PackageNotFoundError:  # run from a source tree that was not installed
    __version__ = "0+unknown"

__all__ = ["URerF", "__version__", "outlier_score"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: ``urerf --help`` need not wait for scikit-learn."""
    if name == "URerF":
        from .estimator import URerF

        return URerF
    if name == "outlier_score":
        from .outliers import outlier_score

        return outlier_score
    raise AttributeError(f"module 'urerf' has no attribute {name!r}")
