import numpy as np
import pytest
from relevance_tables import noise

from urerf.relevance import column_relevance
from urerf.relevance.basis import Basis
from urerf.relevance.marginals import QUANTILES, SIZES, TAILS, dip_tail, marginal_evidence


def evidence_of(X, kind="number"):
    basis = Basis.of(np.ascontiguousarray(X.T), None, 1)
    return marginal_evidence(basis, [kind] * X.shape[1])


def test_tail_is_that_of_the_table():
    for row, n in zip(QUANTILES, SIZES):
        tail = dip_tail((row + 1e-9) / np.sqrt(n), np.full(len(TAILS), n))
        np.testing.assert_allclose(tail, TAILS, rtol=1e-5)
        assert dip_tail(np.array([0.9 * row[0] / np.sqrt(n)]), np.array([n])) == 1
    beyond = dip_tail(np.array([0.03, 0.04, 0.05]), np.full(3, 1000))
    assert beyond[0] < 1e-5
    assert (np.diff(np.log(beyond)) < -2).all()


@pytest.mark.parametrize("n", [20, 30, 50, 150, 700])
def test_uniform_samples_have_uniform_p_values(n):
    X = np.random.default_rng(0).random((n, 3000))
    tail = evidence_of(X).tail
    for level in (0.01, 0.05, 0.1, 0.2):
        assert abs((tail < level).mean() / level - 1) < 0.35


def test_quantiles_change_little_from_one_size_to_the_next():
    assert (np.diff(TAILS) < 0).all()
    assert (np.diff(QUANTILES, axis=1) > 0).all()
    ratio = QUANTILES[1:] / QUANTILES[:-1]
    assert ratio.min() > 0.98
    assert ratio.max() < 1.07


def test_strength_is_the_share_of_the_largest_dip():
    """Two narrow groups of equal size have the largest dip, 1/4; other columns a share of it."""
    x = np.arange(400) / 400
    gaps = (0.0, 0.5, 1e6)
    none, wide, far = evidence_of(np.column_stack([x + gap * (x >= 0.5) for gap in gaps])).strength
    assert none < 0.02
    assert 0.2 < wide < 0.8
    np.testing.assert_allclose(far, 1, atol=0.02)


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: rng.exponential(size=(300, 500)) ** 2,
        lambda rng: rng.normal(size=(300, 500)),
        lambda rng: rng.normal(size=(300, 500)).round(1),
        lambda rng: rng.poisson(3, (300, 500)) * 1.0,
        lambda rng: np.where(rng.random((300, 500)) < 0.3, 0, rng.random((300, 500))),
    ],
    ids=["skewed", "gaussian", "rounded", "counts", "zeros"],
)
def test_one_mode_is_not_called_groups(make):
    assert (evidence_of(make(np.random.default_rng(0))).p_value > 0.01).all()


def test_columns_of_two_groups_are_found():
    rng = np.random.default_rng(0)
    X = np.hstack([noise("bimodal", 400, 8, rng), noise("gaussian", 400, 92, rng)])
    found = evidence_of(X)
    assert (found.p_value < 0.01).tolist() == [True] * 8 + [False] * 92
    assert found.strength[:8].min() > 0.1
    relevance = column_relevance(X)
    assert relevance.structured.tolist() == [True] * 8 + [False] * 92
    assert relevance.reason[0] == "its values fall into groups"
    assert (evidence_of(X, "ordinal").p_value == 1).all()


def test_groups_that_are_common_tell_nothing():
    X = noise("bimodal", 400, 40, np.random.default_rng(0))
    found = column_relevance(X)
    assert found.verdict != "structure"
    assert (found.weight > 0).all()


@pytest.mark.parametrize("power", [0, 1])
def test_one_flat_or_skewed_column_is_not_structure(power):
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(60):
        one = rng.random((200, 1)) if power == 0 else rng.exponential(size=(200, 1)) ** 2
        found = column_relevance(np.hstack([one, rng.normal(size=(200, 40))]))
        wrong += found.verdict == "structure"
    assert wrong <= 3


def test_once_a_table_has_groups_its_columns_are_named_by_a_false_discovery_rate():
    rng = np.random.default_rng(31040)
    n_more = 0
    for _ in range(10):
        groups = 3.3 * rng.integers(2, size=(300, 8))
        X = np.hstack([groups + rng.normal(size=(300, 8)), rng.normal(size=(300, 60))])
        found = column_relevance(X)
        adjusted = evidence_of(X).p_value
        has_groups = adjusted.min() < 0.001
        np.testing.assert_array_equal(found.structured, has_groups & (adjusted < 0.05))
        np.testing.assert_array_equal(found.p_value < 0.01, found.structured)
        n_more += int((has_groups & (adjusted >= 0.01) & (adjusted < 0.05)).sum())
    assert n_more > 0
