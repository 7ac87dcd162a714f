import numpy as np
import pytest
from scipy.stats import rankdata

from urerf.relevance import column_relevance, waves
from urerf.relevance.basis import Basis
from urerf.relevance.waves import DEGREE, OTHER, wave_evidence


def helix_of_ten_turns(n, n_noise, rng):
    t = rng.uniform(0, 2 * np.pi, n)
    helix = np.column_stack([np.cos(10 * t), np.sin(10 * t), t])
    return np.hstack([helix, rng.random((n, n_noise))])


def evidence_of(X):
    return wave_evidence(Basis.of(np.ascontiguousarray(X.T), None, 1))


def test_a_wavy_column_is_found():
    X = helix_of_ten_turns(600, 30, np.random.default_rng(0))
    found = column_relevance(X)
    assert np.flatnonzero(found.structured).tolist() == [0, 1, 2]
    assert found.test[:3] == ["pairs", "pairs", "waves"]  # a circle, and its turns
    evidence = evidence_of(X)
    assert (evidence.p_value[:3] < 1e-20).all()
    assert evidence.partner[2] in (0, 1)
    assert evidence.strength[2] > 0.5


def test_gaps_leave_the_waves():
    rng = np.random.default_rng(0)
    X = helix_of_ten_turns(600, 30, rng)
    X[rng.random(X.shape) < 0.2] = np.nan
    assert (evidence_of(X).p_value[:3] < 1e-9).all()


@pytest.mark.parametrize("kind", ["normal", "rounded", "gaps"])
def test_independent_columns_are_not_wavy(kind):
    rng = np.random.default_rng(0)
    smallest = []
    promising = []
    for _ in range(40):
        X = rng.normal(size=(150, 15))
        if kind == "rounded":
            X = X.round(2)
        if kind == "gaps":
            X[X > 1] = np.nan
        found = evidence_of(X)
        smallest.append(found.p_value.min())
        promising.append((found.partner >= 0).mean())
    assert np.mean(promising) < 0.3  # one in 200 pairs, and each names two of 15 columns
    assert np.min(smallest) > 1e-4
    assert np.mean(np.array(smallest) < 0.05) < 0.15


def test_wide_tables_are_not_tested(monkeypatch):
    X = helix_of_ten_turns(300, 10, np.random.default_rng(0))
    monkeypatch.setattr(waves, "MAX_WORK", 1e6)
    found = evidence_of(X)
    assert (found.p_value == 1).all()
    assert (found.partner == -1).all()


def test_p_values_are_adjusted_for_the_number_of_pairs():
    rng = np.random.default_rng(0)
    t = rng.random(400)
    wave = np.cos(20 * t) + 1.5 * rng.normal(size=400)
    alone = evidence_of(np.column_stack([t, wave])).p_value
    assert 1e-12 < alone[0] < 1e-4
    X = np.column_stack([t, wave, rng.normal(size=(400, 8))])
    np.testing.assert_allclose(evidence_of(X).p_value[:2], 45 * alone)  # of 10 columns
    constants = np.column_stack([X, np.ones((400, 20))])
    found = evidence_of(constants)
    np.testing.assert_allclose(found.p_value[:2], 45 * alone)
    assert found.partner[:2].tolist() == [1, 0]
    assert (found.partner[10:] == -1).all()


def test_strength_is_the_share_that_the_cosines_explain():
    """The oracle: cosines of the ranks of one column, polynomials of the ranks of the other."""
    rng = np.random.default_rng(0)
    n = 170
    t = rng.random(n)
    wave = np.cos(25 * t) + 0.3 * rng.normal(size=n)
    found = evidence_of(np.column_stack([t, wave]))
    angle = np.pi * (rankdata(t) - 0.5) / n
    cosines = np.sqrt(2) * np.cos(np.outer(np.arange(1, DEGREE + 1), angle))
    np.testing.assert_allclose(cosines @ cosines.T / n, np.eye(DEGREE), atol=1e-9)
    u = (2 * rankdata(wave) - 1) / n - 1
    polynomials = np.polynomial.legendre.legvander(u, OTHER)
    orthonormal = np.linalg.qr(polynomials)[0][:, 1:].T * np.sqrt(n)
    explained = np.square(cosines @ orthonormal.T / n).sum()
    by_chance = DEGREE * OTHER / (n - 1)
    expected = np.sqrt((explained - by_chance) / (OTHER - by_chance))
    np.testing.assert_allclose(found.strength, [expected, expected], rtol=1e-4)


def test_twenty_five_rows_are_enough_for_five_cosines():
    for n, tested in ((24, False), (25, True)):
        t = np.linspace(0, 1, n)
        X = np.column_stack([t, np.cos(5 * np.pi * t)])
        assert (evidence_of(X).p_value < 0.1).all() == tested


def test_columns_with_many_ties_are_not_expanded_in_cosines():
    x = np.random.default_rng(0).permutation(100.0 + np.arange(100))
    for n_distinct, expanded in ((90, True), (89, False)):
        tied = np.minimum(x, 99 + n_distinct)
        basis = Basis.of(np.array([tied, x[::-1]]), None, 1)
        assert waves._distinct(basis).tolist() == [expanded, True]
