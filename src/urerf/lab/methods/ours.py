"""Our forest with its defaults, with the settings of the paper, and in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._typing import FloatArray, IntArray
from .common import Neighbors


def fit_urerf(X: FloatArray, *, paper: bool, **params: Any) -> Any:
    """Fit our forest with its defaults, or with the paper's settings and 300 trees."""
    from urerf import URerF

    if not paper:
        return URerF(**params).fit(X)
    params = {"n_estimators": 300, **params}
    return URerF.paper(**params).fit(X)


def forest(about: str, *, paper: bool = True, **changes: Any) -> Neighbors:
    """Return a method: our forest with some changed settings, and a sentence about it."""

    def find(X: FloatArray, k: int, **params: Any) -> IntArray:
        model = fit_urerf(X, paper=paper, **changes, **params)
        return model.kneighbors(n_neighbors=k, return_distance=False)

    find.__doc__ = about
    return find


urerf = forest("URerF with the defaults of this package.", paper=False)
urerf_300 = forest(
    "URerF with trees that rank neighbors alone, by depth: 300 of them by default.",
    paper=False,
    similarity="depth",
)
urerf_paper = forest(
    "URerF as described in the text of the paper, with 300 trees as in its authors' scripts."
)
urerf_scripts = forest(
    "URerF as in its authors' scripts for the noise figures: axis-aligned, nodes of 32.",
    projection="axis",
    min_samples_split=32,
)
# Nodes of 15 rows are split, with 12 candidates per node of two or three columns each.
urerf_depth = forest(
    "URerF with the paper's criterion and our depth similarity.",
    similarity="depth",
    min_samples_split=15,
    max_features=12,
    density=0.4,
)
urf = forest("URF: the paper's forest with axis-aligned splits.", projection="axis")


def urerf_distances(X: FloatArray, *, bridge: bool = True, **params: Any) -> FloatArray:
    """Return shortest paths over the neighbors of the forest.

    `bridge` joins components that are not connected, as Isomap does.
    """
    model = fit_urerf(X, paper=False, **params)
    return model.geodesic_distances(bridge=bridge)


def urerf_paper_distances(X: FloatArray, *, bridge: bool = True, **params: Any) -> FloatArray:
    """Return one minus the proximity, the only distance that the paper has."""
    model = fit_urerf(X, paper=True, **params)
    return 1.0 - np.asarray(model.proximity())
