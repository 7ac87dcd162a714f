"""The connectome of the mushroom body of the larval fly."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np

from .._typing import Array, FloatArray
from .manifold import Manifold, discrete_manifold


def load_connectome() -> Manifold:
    """Load the connectome of the right mushroom body of the larval fly.

    It has 213 cells of four types and 7536 connections. Each cell is placed in six dimensions by
    adjacency spectral embedding of the directed, binary graph: with A = U S V', the three largest
    singular values give three outgoing coordinates, U sqrt(S), and three incoming ones, V sqrt(S).
    The diagonal of A, which is not observed, is first set to the mean of the cell's out- and
    in-degree divided by n - 1. The sign of each singular pair is chosen so that the outgoing entry
    of largest magnitude is positive.

    Returns
    -------
    Manifold
        `X` has shape (213, 6), outgoing before incoming. `labels` are the cell types: "K" (Kenyon
        cell), "I" (input neuron), "O" (output neuron), "P" (projection neuron). Two cells are near
        when they have the same type.

    References
    ----------
    Eichler et al., "The complete connectome of a learning and memory centre in an insect brain",
    Nature 548, 175-182, 2017. The embedding is that of Priebe et al., "Semiparametric spectral
    modeling of the Drosophila connectome", arXiv:1705.03297, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import load_connectome
    >>> cells = load_connectome()
    >>> cells.X.shape
    (213, 6)
    >>> dict(zip(*(values.tolist() for values in np.unique(cells.labels, return_counts=True))))
    {'I': 21, 'K': 100, 'O': 29, 'P': 63}
    """
    cells = _read_csv("cells.csv", dtype=str)
    types = cells[:, 1]
    edges = _read_csv("edges.csv", dtype=np.intp)
    source, target, _synapses = edges.T
    n = len(types)
    A = np.zeros((n, n))
    A[source, target] = 1.0
    X = _adjacency_spectral_embedding(A, d=3)
    return discrete_manifold(X, types, "connectome")


def _adjacency_spectral_embedding(A: FloatArray, d: int) -> FloatArray:
    from scipy.sparse.linalg import svds  # slower to import than the rest of this module

    n = len(A)
    A = A.copy()
    in_degree = A.sum(axis=0)
    out_degree = A.sum(axis=1)
    degree = (in_degree + out_degree) / 2
    np.fill_diagonal(A, degree / (n - 1))
    start = np.ones(n)  # a random one if it is not given
    U, S, Vt = svds(A, k=d, v0=start)
    descending = np.argsort(-S)
    U = U[:, descending]
    S = S[descending]
    V = Vt[descending].T
    rows = np.abs(U).argmax(axis=0)
    columns = np.arange(d)
    largest = U[rows, columns]
    sign = np.sign(largest)
    scale = sign * np.sqrt(S)
    outgoing = U * scale
    incoming = V * scale
    return np.hstack([outgoing, incoming])


def _read_csv(name: str, dtype: Any) -> Array:
    path = files("urerf") / "data" / "connectome" / name
    with path.open(encoding="utf-8") as file:
        return np.loadtxt(file, delimiter=",", skiprows=1, dtype=dtype)
