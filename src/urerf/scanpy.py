"""Neighbors of cells for scanpy: what ``scanpy.pp.neighbors`` writes, but found by the forest.

After ``urerf.scanpy.neighbors(adata)``, ``scanpy.tl.umap``, ``leiden``, ``diffmap`` and ``paga``
work as usual. The forest reads the genes themselves: principal components would mix noise genes
into every column.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ._checks import check_int
from ._messages import hint
from .estimator import URerF
from .graph import to_csr

# Values that are looked at to recognize raw counts, and the largest one that logarithms of counts
# hardly ever reach: e^20 molecules in one cell.
EXAMINED = 100_000
LARGEST_LOGARITHM = 20.0


def neighbors(
    adata: Any,
    n_neighbors: int = 15,
    *,
    layer: str | None = None,
    model: URerF | None = None,
    random_state: int = 0,
    key_added: str | None = None,
    copy: bool = False,
) -> Any:
    """Find the neighbors of all cells, and write them where scanpy looks for them.

    Parameters
    ----------
    adata : AnnData
        Cells and genes: logarithms of normalized counts, not raw counts; see Notes.
    n_neighbors : int, default=15
        Size of the neighborhood, at least 2: as in scanpy, it includes the cell itself.
    layer : str, optional
        Layer with the values; None for ``adata.X``.
    model : URerF, optional
        A forest with other settings; its ``n_neighbors`` is not used. It is not changed.
    random_state : int, default=0
        Seed of the forest; not used if there is a ``model``.
    key_added : str, optional
        As in ``scanpy.pp.neighbors``: where to write; None for ``adata.uns["neighbors"]``,
        ``adata.obsp["distances"]`` and ``adata.obsp["connectivities"]``.
    copy : bool, default=False
        Whether to return a copy instead of writing to ``adata``.

    Returns
    -------
    None, or with ``copy=True`` an AnnData
        Also written: ``adata.var["urerf_relevance"]``, how much structure each gene carries, in
        [0, 1], unless no test was run.

    Notes
    -----
    In raw counts, cells differ most by how many molecules were captured. Normalize them first::

        scanpy.pp.normalize_total(adata)
        scanpy.pp.log1p(adata)
    """
    scanpy = _need_scanpy()
    check_int("n_neighbors", n_neighbors, 2)
    if model is not None and not isinstance(model, URerF):
        raise TypeError(f"model: must be a URerF, got {type(model).__name__}")
    cells = adata.copy() if copy else adata
    values = _values(cells, layer)
    _warn_of_counts(values)
    forest = URerF(random_state=random_state, n_jobs=-1) if model is None else clone(model)
    forest.set_params(n_neighbors=n_neighbors)
    table = scanpy.AnnData(values)
    scanpy.pp.neighbors(
        table,
        n_neighbors=n_neighbors,
        use_rep="X",
        transformer=forest,
        random_state=random_state,
        key_added=key_added,
    )
    name = key_added or "neighbors"
    entry = table.uns[name]
    cells.uns[name] = entry
    cells.obsp[entry["connectivities_key"]] = table.obsp[entry["connectivities_key"]]
    # Without the cell itself, as scanpy's own search stores them.
    distances, indices = forest.kneighbors(n_neighbors=n_neighbors - 1)
    cells.obsp[entry["distances_key"]] = to_csr(distances, indices, cells.n_obs)
    evidence = getattr(forest, "relevance_", None)
    if evidence is not None:
        cells.var["urerf_relevance"] = evidence.strength
    return cells if copy else None


def _need_scanpy() -> Any:
    try:
        import scanpy  # optional
    except ImportError:
        raise ImportError("neighbors: needs scanpy; install it with 'pip install scanpy'") from None
    return scanpy


def _values(cells: Any, layer: str | None) -> Any:
    """Return the values of all cells and genes."""
    if layer is None:
        if cells.X is None:
            raise ValueError("adata: has no X; name a layer")
        return cells.X
    if layer not in cells.layers:
        raise ValueError(f"layer: adata has no layer {layer!r}; {hint(layer, list(cells.layers))}")
    return cells.layers[layer]


def _warn_of_counts(values: Any) -> None:
    """Warn if values look like raw counts."""
    stored = values.data if sp.issparse(values) else np.asarray(values).ravel()
    stored = stored[:EXAMINED]
    if len(stored) == 0 or stored.max() <= LARGEST_LOGARITHM:
        return
    is_count = (stored >= 0) & (stored == np.floor(stored))
    if is_count.all():
        warnings.warn(
            "adata: holds raw counts, in which cells differ most by how many molecules were "
            "captured; call scanpy.pp.normalize_total(adata) and scanpy.pp.log1p(adata) first",
            stacklevel=3,
        )
