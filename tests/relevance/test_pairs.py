import numpy as np
import pytest
from relevance_tables import KINDS, noise, signal
from scipy.stats import chi2, poisson, rankdata

from urerf.datasets import add_noise, make_torus
from urerf.relevance import column_relevance, pairs
from urerf.relevance.basis import Basis
from urerf.relevance.pairs import pair_evidence


def oracle_functions(x: np.ndarray) -> np.ndarray:
    """Legendre polynomials of the mid-ranks of a column, each orthogonal to those before it."""
    n = len(x)
    u = (2 * rankdata(x) - 1) / n - 1
    found = [np.ones(n)]
    for degree in range(1, min(4, len(np.unique(x)) - 1) + 1):
        f = np.polynomial.Legendre.basis(degree)(u)
        f = f - np.column_stack(found) @ np.linalg.lstsq(np.column_stack(found), f, rcond=None)[0]
        f = f / np.sqrt(np.mean(f**2))
        if degree > 1 and np.mean(f**4) > 6:
            break
        found.append(f)
    return np.column_stack(found)[:, 1:]


def oracle_pair_statistic(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The statistic of two columns and its p-value, the slow and obvious way."""
    f = oracle_functions(x)
    g = oracle_functions(y)
    n = len(x)
    dof = f.shape[1] * g.shape[1]
    if dof == 0:
        return 0.0, 1.0
    statistic = (n - 1) * sum(np.mean(a * b) ** 2 for a in f.T for b in g.T)
    skew = tilt = 1.0
    for h in (f, g):
        third = np.array([[[np.mean(a * b * c) for c in h.T] for b in h.T] for a in h.T])
        skew *= np.sum(third**2)
        tilt *= sum(np.trace(plane) ** 2 for plane in third)
    b = np.sqrt((6 * skew + 9 * tilt) / (dof * (dof + 2) * (dof + 4)) / n)
    u = b * np.sqrt(statistic)
    rate = 2 / b**2 * ((1 + u) * np.log(1 + u) - u) if u > 1e-4 else statistic
    return statistic, chi2.sf(rate, dof)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [20, 57, 300])
def test_statistic_and_p_value_are_those_of_the_oracle(kind, n):
    rng = np.random.default_rng(n)
    X = noise(kind, n, 2, rng)
    X[: n // 2, 1] = np.maximum(X[: n // 2, 0], 0.1)  # some dependence, ties
    found = column_relevance(X)
    statistic, p_value = oracle_pair_statistic(*X.T)
    np.testing.assert_allclose(found.statistic, statistic, rtol=2e-4)
    np.testing.assert_allclose(found.p_value, p_value, rtol=2e-2)


def test_best_partner_is_the_best_of_the_oracle():
    rng = np.random.default_rng(0)
    X = noise("mixed", 150, 20, rng)
    oracle = np.array([[oracle_pair_statistic(x, y)[1] for y in X.T] for x in X.T])
    np.fill_diagonal(oracle, 1)
    chosen = oracle[np.arange(20), column_relevance(X).partner]
    assert (
        chosen <= 1.5 * oracle.min(axis=1)
    ).all()  # Chernoff's bound ranks pairs of unlike degrees of freedom
    assert column_relevance(np.hstack([X, X[:, ::-1] ** 3])).partner.tolist() == list(
        range(39, -1, -1)
    )


@pytest.mark.parametrize("rate", [0.01, 0.3, 2.0, 30.0, 300.0])
def test_tail_of_a_rare_coincidence_is_poisson(rate):
    for level in (1e-3, 1e-6, 1e-10):
        k = int(poisson.isf(level, rate)) + 1
        claimed = chi2.sf(pairs._corrected(np.array((k - rate) ** 2 / rate), np.array(1 / rate)), 1)
        assert 0.4 < claimed / poisson.sf(k - 1, rate) < 2.5


def test_several_thousand_columns_are_screened():
    rng = np.random.default_rng(0)
    X = np.hstack([signal("sphere", 500, rng), noise("mixed", 500, 7000, rng)])
    assert (4 * X.shape[1]) ** 2 * 500 > pairs.SCREEN_WORK
    found = column_relevance(X)
    np.testing.assert_array_equal(found.relevance.nonzero()[0], [0, 1, 2])
    np.testing.assert_allclose(
        found.statistic[0], oracle_pair_statistic(X[:, 0], X[:, found.partner[0]])[0], rtol=2e-4
    )


def test_few_columns_are_joined_only_by_strong_evidence():
    """One of 1000 noise columns depends on a torus as much as is seen in 1 of 100 tables."""
    torus = make_torus(1000, random_state=101)
    X = add_noise(torus.X, 1000, kind="uniform", variance=70, random_state=101)
    found = column_relevance(X)
    np.testing.assert_array_equal(found.relevance.nonzero()[0], [0, 1, 2])
    np.testing.assert_allclose(found.p_value[560], 0.0096135 * 10 / 3, rtol=1e-4)


def test_same_bits_for_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.hstack([signal("sphere", 2500, rng), noise("mixed", 2500, 600, rng)])
    for work in (pairs.SCREEN_WORK, 1e9):
        monkeypatch.setattr(pairs, "SCREEN_WORK", work)
        one = column_relevance(X, n_jobs=1)
        two = column_relevance(X, n_jobs=2)
        for field in ("relevance", "statistic", "p_value", "partner", "pairs"):
            np.testing.assert_array_equal(getattr(one, field), getattr(two, field))
        assert one.relevance[:3].tolist() == [1, 1, 1]


@pytest.mark.parametrize("rate", [0.01, 0.3, 2.0, 30.0, 300.0])
def test_score_bounds_the_poisson_tail_of_a_rare_coincidence(rate):
    for level in (1e-3, 1e-6, 1e-10):
        k = int(poisson.isf(level, rate)) + 1
        score = pairs._score(np.array((k - rate) ** 2 / rate), np.array(1), np.array(1 / rate))
        assert 0.5 < np.exp(-score / 2) / poisson.sf(k - 1, rate) < 200


@pytest.mark.parametrize("u", [1e-9, 1e-4, 0.0099, 0.0101, 0.02])
def test_tail_correction_is_accurate_where_its_formula_cancels(u):
    corrected = pairs._corrected(np.array(50.0), np.array(u**2 / 50))
    np.testing.assert_allclose(corrected / 50, 1 - u / 3 + u**2 / 6, rtol=2e-5)


def test_the_level_is_exactly_alpha():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 300))
    X = np.array([x, y + 0.3 * x, rng.normal(size=300)])
    basis = Basis.of(X, 1)
    p_value = pair_evidence(basis, 1e-9).p_value.min()
    assert 1e-6 < p_value < 0.01
    below = pair_evidence(basis, 0.99 * p_value)
    assert not below.significant.any()
    assert len(set(below.group)) == 3
    above = pair_evidence(basis, 1.01 * p_value)
    assert above.significant.any(axis=1).tolist() == [True, True, False]
    assert len(set(above.group)) == 2


def test_columns_are_tested_again_only_with_significant_ones():
    """Pair (0, 1) alone is significant at level .01, and counts as ten columns."""
    partner = np.array([[1], [0], [0], [4], [3]])
    varied = np.arange(5) < 4
    for share, n_pairs in ((0.9, 10 * 2), (1.1, 10)):
        tail = np.array([1e-3, 1e-3, 0.02, 0.03, 0.03])[:, None]
        tail[:2] *= share
        adjusted = pairs._adjusted(tail, partner, varied, 0.01)
        np.testing.assert_allclose(adjusted, tail * np.array([[10], [10], [n_pairs], [10], [10]]))


def test_groups_are_the_connected_components_of_the_dependent_pairs():
    rng = np.random.default_rng(0)
    manifolds = [signal("helix", 300, rng), signal("sphere", 300, rng)]
    X = np.hstack([*manifolds, rng.normal(size=(300, 9))])
    group = pair_evidence(Basis.of(X.T.copy(), 1), 0.01).group
    assert len(set(group[:3])) == len(set(group[3:6])) == 1
    assert len(set(group)) == 11
