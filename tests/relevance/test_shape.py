from dataclasses import replace

import numpy as np
import pytest
from relevance_tables import correlated, signal

from urerf.relevance.basis import Basis
from urerf.relevance.pairs import pair_evidence
from urerf.relevance.shape import _curvature, shape_evidence


def evidence_of(X):
    return pair_evidence(Basis.of(X.T.copy(), None, 1), 0.005, 0.01)


def with_correlations(C, n=1000):
    """Evidence of three dependent columns, all of whose pairs have the same correlations C."""
    pairs = evidence_of(signal("linear", n, np.random.default_rng(0)))
    assert pairs.significant.all()
    return replace(
        pairs,
        correlations=np.broadcast_to(C, pairs.correlations.shape),
        n_rows=np.full_like(pairs.n_rows, n),
    )


@pytest.mark.parametrize(("curvature", "shaped"), [(0.24, False), (0.26, True)])
def test_a_group_is_shaped_from_a_curvature_of_a_quarter(curvature, shaped):
    C = np.zeros((4, 4))
    C[1, 1] = np.sqrt(curvature + 15 / 1000)  # 15 / n is expected by chance
    assert (shape_evidence(with_correlations(C)).shaped == shaped).all()


@pytest.mark.parametrize(("r", "shaped"), [(0.955, False), (0.97, True)])
def test_a_curve_is_nearly_the_same_column_three_times(r, shaped):
    """The sum of squares is 2.8 at a correlation of .955, and 3.1 at .97."""
    pairs = evidence_of(correlated(1, 3, r, 2000, np.random.default_rng(0)))
    assert (shape_evidence(pairs).shaped == shaped).all()


@pytest.mark.parametrize(("total", "shaped"), [(2.99, False), (3.01, True)])
def test_a_curve_explains_three_of_four_polynomials(total, shaped):
    h_gaussian = evidence_of(correlated(1, 2, 0.96, 2000, np.random.default_rng(0))).correlations
    C = h_gaussian[0, 0] * np.sqrt(total / np.square(h_gaussian[0, 0]).sum())
    assert (shape_evidence(with_correlations(C, 2000)).shaped == shaped).all()


def test_two_columns_on_a_curve_are_copies_and_not_a_shape():
    t = np.random.default_rng(0).uniform(size=(500, 1))
    assert not shape_evidence(evidence_of(np.hstack([t, t**3]))).shaped.any()
    assert shape_evidence(evidence_of(np.hstack([t, t**3, np.exp(t)]))).shaped.all()


@pytest.mark.parametrize("n", [200, 1000])
def test_curvature_of_manifolds_and_of_correlated_columns(n):
    rng = np.random.default_rng(0)
    for name in ("helix", "sphere", "mixture", "torus", "moons"):
        pairs = evidence_of(signal(name, n, rng))
        assert _curvature(pairs.correlations[pairs.significant], n).max() > 0.25
    for rho in (0.4, 0.7, 0.9, 0.95, 0.99):
        pairs = evidence_of(correlated(1, 10, rho, n, rng))
        curvature = _curvature(pairs.correlations[pairs.significant], n)
        assert np.abs(curvature).max() < (0.12 if n == 200 else 0.03)


def test_ties_conceal_the_shape():
    rng = np.random.default_rng(0)
    few = rng.integers(0, 3, size=(500, 1)).astype(float)
    X = np.hstack([few, few, signal("helix", 500, rng)])
    evidence = shape_evidence(evidence_of(X))
    assert evidence.tied.tolist() == [True, True, False, False, False]
    assert evidence.shaped.tolist() == [False, False, True, True, True]
