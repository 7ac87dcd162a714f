"""Our forest with its defaults, with the settings of the paper, and in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from urerf.lab.methods.common import Indices, Rows


def fit_urerf(X: Rows, *, paper: bool, **params: Any) -> Any:
    """Fit our forest with its defaults, or with the paper's settings and 300 trees."""
    from urerf import URerF

    if paper:
        params = {"n_estimators": 300, **params}
        return URerF.paper(**params).fit(X)
    return URerF(**params).fit(X)


def nearest_by(X: Rows, k: int, *, paper: bool, **params: Any) -> Indices:
    """Fit a forest, and return the neighbors that it finds."""
    model = fit_urerf(X, paper=paper, **params)
    return model.kneighbors(n_neighbors=k, return_distance=False)


def urerf(X: Rows, k: int, **params: Any) -> Indices:
    """URerF with the defaults of this package."""
    return nearest_by(X, k, paper=False, **params)


def urerf_300(X: Rows, k: int, **params: Any) -> Indices:
    """URerF with trees that rank neighbors alone, by depth: 300 of them by default."""
    return urerf(X, k, similarity="depth", **params)


def urerf_distances(X: Rows, *, bridge: bool = True, **params: Any) -> Rows:
    """Return shortest paths over the neighbors of the forest.

    `bridge` joins components that are not connected, as Isomap does.
    """
    model = fit_urerf(X, paper=False, **params)
    return model.geodesic_distances(bridge=bridge)


def urerf_paper(X: Rows, k: int, **params: Any) -> Indices:
    """URerF as described in the text of the paper, with 300 trees as in its authors' scripts."""
    return nearest_by(X, k, paper=True, **params)


def urerf_paper_distances(X: Rows, *, bridge: bool = True, **params: Any) -> Rows:
    """Return one minus the proximity, the only distance that the paper has."""
    model = fit_urerf(X, paper=True, **params)
    proximity = np.asarray(model.proximity())
    return 1.0 - proximity


def urerf_scripts(X: Rows, k: int, **params: Any) -> Indices:
    """URerF as in its authors' scripts for the noise figures: axis-aligned, nodes of 32."""
    return urerf_paper(X, k, projection="axis", min_samples_split=32, **params)


def urerf_depth(X: Rows, k: int, **params: Any) -> Indices:
    """URerF with the paper's criterion and our depth similarity.

    Nodes of 15 rows are split, with 12 candidates per node of two or three columns each.
    """
    changes = {
        "similarity": "depth",
        "min_samples_split": 15,
        "max_features": 12,
        "density": 0.4,
    }
    return urerf_paper(X, k, **changes, **params)


def urf(X: Rows, k: int, **params: Any) -> Indices:
    """URF: the paper's forest with axis-aligned splits."""
    return urerf_paper(X, k, projection="axis", **params)
