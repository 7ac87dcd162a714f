"""Find the rows of a table that are truly similar, even when most of its columns are noise.

`URerF`, an unsupervised randomer forest, is the estimator; the other functions take a fitted one.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import plot
    from .clusters import cluster
    from .embedding import embed
    from .estimator import URerF
    from .outliers import outlier_score
    from .report import write_report

try:
    __version__ = version("urerf")
except PackageNotFoundError:  # run from a source tree that was not installed
    __version__ = "0+unknown"

__all__ = [
    "URerF",
    "__version__",
    "cluster",
    "embed",
    "outlier_score",
    "plot",
    "write_report",
]

# Where each name is. They are imported when they are first asked for: ``urerf --help`` does not
# wait for scikit-learn.
HOMES = {
    "URerF": "estimator",
    "cluster": "clusters",
    "embed": "embedding",
    "outlier_score": "outliers",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for."""
    if name in HOMES:
        return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    if name == "plot":
        return import_module(f"{__name__}.plot")
    raise AttributeError(f"module 'urerf' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, whether or not they have been asked for."""
    return __all__
