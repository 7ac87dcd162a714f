import numpy as np
import pytest
from relevance_tables import KINDS, noise, signal
from scipy.stats import chi2, fisher_exact, hypergeom, poisson, rankdata, skew

from urerf.datasets import add_noise, make_torus
from urerf.kernels.pair_scores import null_moments
from urerf.lab.tables.made import make_rough_moons
from urerf.lab.trial import Trial
from urerf.relevance import column_relevance, null, pairs, search
from urerf.relevance.basis import Basis
from urerf.relevance.pairs import _joins_groups, pair_evidence


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


def oracle_statistic(x: np.ndarray, y: np.ndarray, size: int) -> float:
    """(n - 1) times the sum of squared correlations, the slow and obvious way."""
    f = oracle_functions(x).T[:size]
    g = oracle_functions(y).T[:size]
    return (len(x) - 1) * sum(np.mean(a * b) ** 2 for a in f for b in g)


def compared(X, kinds=None):
    basis = Basis.of(np.ascontiguousarray(X.T), kinds, 1)
    evidence = pair_evidence(basis, 0.005, 0.01)
    return basis, evidence


def tails_of(basis, partner):
    found = pairs._compare(basis, partner, 1)
    return null.tails(found.correlations, found.moments, found.n_rows, basis.prefixes)


@pytest.mark.parametrize("n", [2000, 20_000])
def test_p_value_of_balanced_binary_columns_does_not_underflow(n):
    """With 1,000 of 2,000 rows marked, every p-value below 0.05 was 0: noise had structure."""
    x = np.repeat([0.0, 1.0], n // 2)
    y = np.tile([0.0, 1.0], n // 2)
    y[: int(4 * np.sqrt(n))] = 0  # a weak relation
    basis = Basis.of(np.array([x, y]), None, 1)
    table = np.histogram2d(x, y, bins=2)[0]
    for tail in tails_of(basis, np.array([[1], [0]])):
        np.testing.assert_allclose(tail, fisher_exact(table).pvalue, rtol=1e-3)
    assert 1e-6 < tail[0] < 0.05


def test_independent_binary_columns_of_a_long_table_have_no_structure():
    X = np.random.default_rng(0).integers(0, 2, (2000, 12)).astype(float)
    assert column_relevance(X, random_state=0).verdict != "structure"


def test_of_several_overwhelming_partners_the_closest_is_named():
    """Their p-values are all below the smallest; the partner was the weakest of them."""
    x = np.random.default_rng(0).normal(size=(2000, 4))
    X = np.column_stack([x[:, 0] + 0.05 * i * x[:, i] for i in range(4)])
    found = column_relevance(X, random_state=0)
    assert found.p_value.max() == 1e-300
    assert found.partner.tolist()[:2] == [1, 0]
    assert found.strength.argmax() in (0, 1)


@pytest.mark.parametrize("n", [30, 300])
def test_p_value_of_binary_columns_is_exact(n):
    rng = np.random.default_rng(n)
    X = (rng.random((n, 30)) < rng.uniform(0.05, 0.6, 30)) * 1.0
    X[: n * 4 // 5, 1] = X[: n * 4 // 5, 0]
    basis = Basis.of(np.ascontiguousarray(X.T), None, 1)
    partner = np.arange(30)[:, None] ^ 1
    tail = tails_of(basis, partner).smallest[:, 0]
    for i in np.flatnonzero(tail < 0.05):
        count = hypergeom(n, int(X[:, i].sum()), int(X[:, i ^ 1].sum()))
        k = (X[:, i] * X[:, i ^ 1]).sum()
        values = np.arange(n + 1)
        as_far = abs(values - count.mean()) >= abs(k - count.mean()) - 1e-9
        np.testing.assert_allclose(tail[i], count.pmf(values[as_far]).sum(), rtol=1e-6)
    assert tail[0] < 0.05


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [20, 57, 300])
def test_statistic_is_that_of_the_oracle(kind, n):
    rng = np.random.default_rng(n)
    X = noise(kind, n, 2, rng)
    X[: n // 2, 1] = np.maximum(X[: n // 2, 0], 0.1)  # some dependence, ties
    _, evidence = compared(X)
    for size in (1, 2, 4):
        squares = np.square(evidence.correlations[0, 0, :size, :size])
        np.testing.assert_allclose((n - 1) * squares.sum(), oracle_statistic(*X.T, size), rtol=2e-4)


@pytest.mark.parametrize("kinds", [("number", "number"), ("number", "category")], ids=str)
@pytest.mark.parametrize("n", [30, 100])
def test_p_value_is_that_of_permutations(kinds, n):
    """Among 4000 permutations, p-values below .05 and .005 are as frequent as they should be."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = rng.choice(6, n, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05]).astype(float)
    columns = np.array([x, *[rng.permutation(y) for _ in range(4000)]])
    basis = Basis.of(columns, [kinds[0], *[kinds[1]] * 4000], 1)
    partner = np.zeros((4001, 1), dtype=np.intp)
    found = tails_of(basis, partner)
    tail = found.smallest[1:, 0]
    assert (tail < 0.05).mean() < 0.06
    assert 0.001 < (tail < 0.005).mean() < 0.008
    mean = found.mean[1:, 0]
    assert (mean < 0.05).mean() < 0.06
    assert (mean < 0.005).mean() < 0.008


def test_variance_of_the_statistic_is_that_of_permutations():
    rng = np.random.default_rng(0)
    x = rng.poisson(1, 40).astype(float)
    columns = np.array([x, *[rng.permutation(rng.normal(size=40)) for _ in range(20_000)]])
    basis = Basis.of(columns, None, 1)
    f = basis.of_columns(0)
    g = basis.of_columns(np.arange(1, 20_001))
    statistic = 39 * np.square(np.einsum("an,pbn->pab", f, g) / 40).sum(axis=(1, 2))
    mean, variance, third = null_moments(basis.moments[0, -1], basis.moments[1, -1], 40)
    np.testing.assert_allclose(statistic.mean(), mean, rtol=0.01)
    np.testing.assert_allclose(statistic.var(), variance, rtol=0.04)
    np.testing.assert_allclose(np.mean((statistic - mean) ** 3), third, rtol=0.3)


def test_best_partner_is_the_best_of_all_pairs():
    rng = np.random.default_rng(0)
    X = noise("mixed", 150, 20, rng)
    basis, evidence = compared(X)
    everyone = np.array([np.delete(np.arange(20), i) for i in range(20)])
    tail = tails_of(basis, everyone).smallest
    assert (evidence.tail.min(axis=1) <= 1.5 * tail.min(axis=1)).all()  # Chernoff's bound ranks
    twice = column_relevance(np.hstack([X, X[:, ::-1] ** 3]))
    assert twice.partner.tolist() == list(range(39, -1, -1))


def test_pairs_are_compared_on_the_rows_that_both_columns_have():
    rng = np.random.default_rng(0)
    X = noise("mixed", 300, 12, rng)
    X[:, 1] = X[:, 0] + rng.normal(size=300)
    gaps = rng.random(X.shape) < 0.3
    gaps[:, [1, 5, 9]] = False
    X[gaps] = np.nan
    _, evidence = compared(X)
    for i in range(12):
        for place, j in enumerate(evidence.partner[i]):
            both = ~np.isnan(X[:, [i, j]]).any(axis=1)
            _, alone = compared(X[both][:, [i, j]])
            assert evidence.n_rows[i, place] == both.sum()
            np.testing.assert_allclose(evidence.tail[i, place], alone.tail[0, 0], rtol=1e-3)


def test_the_order_of_many_columns_with_gaps_makes_no_difference():
    """Columns are compared in blocks of 256, each with its own gaps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 300))
    X[rng.random(X.shape) < np.linspace(0, 0.6, 300)] = np.nan
    _, evidence = compared(X)
    _, other = compared(X[:, ::-1])
    assert [set(row) for row in evidence.partner] == [set(299 - row) for row in other.partner[::-1]]
    np.testing.assert_allclose(evidence.p_value, other.p_value[::-1], rtol=1e-3)


def test_fewer_than_twenty_shared_rows_give_no_verdict():
    t = np.random.default_rng(0).normal(size=100)
    for n_shared, found in ((19, False), (24, True)):
        X = np.column_stack([t, t, np.random.default_rng(1).normal(size=100)])
        X[n_shared:60, 0] = np.nan
        X[60:, 1] = np.nan
        _, evidence = compared(X)
        assert (evidence.p_value[0] < 0.01) == found


@pytest.mark.parametrize("rate", [0.01, 0.3, 2.0, 30.0, 300.0])
def test_tail_of_a_rare_coincidence_is_poisson(rate):
    for level in (1e-3, 1e-6, 1e-10):
        k = int(poisson.isf(level, rate)) + 1
        claimed = chi2.sf(null._corrected(np.array((k - rate) ** 2 / rate), np.array(1 / rate)), 1)
        assert 0.4 < claimed / poisson.sf(k - 1, rate) < 2.5


@pytest.mark.parametrize(("n", "n_marked"), [(400, 8), (1000, 10), (2000, 6)])
@pytest.mark.parametrize("n_common", [2, 3, 4])
def test_p_value_of_columns_that_live_on_the_same_few_rows(n, n_marked, n_common):
    """Without the correction of the tail, it was up to 10,000 times too small."""
    x = np.zeros(n)
    y = np.zeros(n)
    second = n_marked - n_common
    x[:n_marked] = 1 + np.arange(n_marked) % 2  # three values: binary columns have an exact tail
    y[second : second + n_marked] = 1 + np.arange(n_marked) // 2 % 2
    basis = Basis.of(np.array([x, y]), None, 1)
    claimed = tails_of(basis, np.array([[1], [0]])).smallest[0, 0]
    expected = hypergeom.sf(n_common - 1, n, n_marked, n_marked)
    assert 0.9 * expected < claimed < 10 * expected


def test_the_mean_of_the_tests_is_smaller_where_they_agree():
    """One, two and four functions all show a part of two moons; one shows nothing of |x|."""
    x = np.linspace(-1, 1, 60)
    moons = make_rough_moons(60, random_state=5).X
    for X, agree in ((moons, True), (np.column_stack([x, abs(x)]), False)):
        basis = Basis.of(np.ascontiguousarray(X.T), None, 1)
        found = tails_of(basis, np.array([[1], [0]]))
        assert (found.mean[0, 0] < found.smallest[0, 0]) == agree


def test_several_thousand_columns_are_screened():
    rng = np.random.default_rng(0)
    X = np.hstack([signal("sphere", 500, rng), noise("mixed", 500, 7000, rng)])
    assert (4 * X.shape[1]) ** 2 * 500 > search.SCREEN_WORK
    found = column_relevance(X)
    np.testing.assert_array_equal(found.structured.nonzero()[0], [0, 1, 2])


def test_few_columns_are_joined_only_by_strong_evidence():
    """One of 1000 noise columns depends on a torus as much as is seen in 1 of 100 tables."""
    torus = make_torus(1000, random_state=101)
    X = add_noise(torus.X, 1000, kind="uniform", variance=70, random_state=101)
    found = column_relevance(X)
    np.testing.assert_array_equal(found.structured.nonzero()[0], [0, 1, 2])


def test_same_bits_for_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.hstack([signal("sphere", 2500, rng), noise("mixed", 2500, 600, rng)])
    X[rng.random(X.shape) < 0.01] = np.nan
    for work in (search.SCREEN_WORK, 1e9):
        monkeypatch.setattr(search, "SCREEN_WORK", work)
        one = column_relevance(X, n_jobs=1)
        two = column_relevance(X, n_jobs=2)
        for field in ("strength", "p_value", "partner", "pairs"):
            np.testing.assert_array_equal(getattr(one, field), getattr(two, field))
        assert one.structured[:3].all()


def test_skewness_of_a_product_is_the_product_of_skewnesses():
    n = 200
    first, second = np.arange(n) < 6, np.arange(n) % 40 == 0
    basis = Basis.of(np.array([first, second]) * 1.0, None, 1)
    expected = skew(first * 1.0) ** 2 * skew(second * 1.0) ** 2
    np.testing.assert_allclose(null._skewness2(basis.moments[:, -1]), expected, rtol=1e-5)


@pytest.mark.parametrize("u", [1e-9, 1e-4, 0.0099, 0.0101, 0.02])
def test_tail_correction_is_accurate_where_its_formula_cancels(u):
    corrected = null._corrected(np.array(50.0), np.array(u**2 / 50))
    np.testing.assert_allclose(corrected / 50, 1 - u / 3 + u**2 / 6, rtol=2e-5)


def test_the_level_is_exactly_that_asked_for():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 300))
    X = np.array([x, y + 0.3 * x, rng.normal(size=300)])
    basis = Basis.of(X, None, 1)
    p_value = pair_evidence(basis, 1e-9, 0.01).p_value.min()
    assert 1e-9 < p_value < 0.01
    below = pair_evidence(basis, 0.99 * p_value, 0.01)
    assert not below.significant.any()
    above = pair_evidence(basis, 1.01 * p_value, 0.01)
    assert above.significant.any(axis=1).tolist() == [True, True, False]
    assert len(set(above.group)) == 2


def test_step_up_with_one_pair_is_the_adjustment_of_bonferroni():
    """Two columns of 20 have the same p-value, for 19 partners each: 190 pairs in all."""
    tail = np.append([1e-5, 1e-5], np.full(18, 0.5))
    adjusted, threshold = pairs.step_up(tail * 19, 0.005, pairs=True)
    np.testing.assert_allclose(adjusted[:2], 1e-5 * 190)
    assert (adjusted[2:] == 1).all()
    np.testing.assert_allclose(threshold, 0.005 * 2 / 20)


def test_three_columns_need_the_evidence_of_two():
    """Next to few true columns a false one does more harm, so a third one counts less."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    X[:, 1:3] += X[:, :1]
    _, evidence = compared(X)
    of_column = evidence.tail.min(axis=1) * 19
    weakest = of_column[:3].max()
    assert 0 < weakest < 1e-3
    np.testing.assert_allclose(evidence.p_value[:3].max(), weakest * 20 / 2)


def test_columns_at_the_level_are_not_named():
    adjusted, threshold = pairs.step_up(np.array([0.25, 1.0]), 0.5)
    assert adjusted.tolist() == [0.5, 1.0]
    assert threshold == -1
    assert pairs.step_up(np.array([0.25, 1.0]), 0.5001)[1] > 0


@pytest.mark.parametrize(("k", "counts"), [(3, 2), (5, 2.5), (8, 6.4), (10, 10), (30, 30)])
def test_step_up_counts_few_columns_less(k, counts):
    p_value = np.append(np.full(k, 1e-4), np.ones(100 - k))
    adjusted, _ = pairs.step_up(p_value, 0.01, pairs=True)
    np.testing.assert_allclose(adjusted[:k], 1e-4 * 100 / counts)


def test_groups_are_the_connected_components_of_the_dependent_pairs():
    rng = np.random.default_rng(0)
    manifolds = [signal("helix", 300, rng), signal("sphere", 300, rng)]
    X = np.hstack([*manifolds, rng.normal(size=(300, 9))])
    group = pair_evidence(Basis.of(X.T.copy(), None, 1), 0.005, 0.01).group
    assert len(set(group[:3])) == len(set(group[3:6])) == 1
    assert len(set(group)) == 11


def test_strength_is_the_share_of_the_largest_possible_dependence():
    rng = np.random.default_rng(0)
    n = 60
    x = rng.normal(size=n)
    columns = [x, x + rng.normal(size=n), np.round(x + rng.normal(size=n)).clip(-1, 1), x**3]
    _, with_constant = compared(np.column_stack([x, np.ones(n)]))
    assert with_constant.strength.tolist() == [[0], [0]]
    _, evidence = compared(np.column_stack(columns))
    n_functions = [4, 4, 2, 4]
    for i in range(4):
        for place, j in enumerate(evidence.partner[i]):
            squared = oracle_statistic(columns[i], columns[j], 4) / (n - 1)
            by_chance = n_functions[i] * n_functions[j] / (n - 1)
            largest = min(n_functions[i], n_functions[j]) - by_chance
            expected = np.sqrt(max(squared - by_chance, 0) / largest)
            np.testing.assert_allclose(evidence.strength[i, place], expected, atol=1e-3)


def test_strength_of_relations_that_people_know():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    related = 0.3 * x + np.sqrt(1 - 0.3**2) * rng.normal(size=2000)
    for y, strength in ((3 * x, 1.0), (np.exp(-x), 1.0), (x**2, 0.7), (related, 0.15)):
        _, evidence = compared(np.column_stack([x, y]))
        np.testing.assert_allclose(evidence.strength, strength, atol=0.03)


def test_a_dependence_of_degree_four_is_found_among_many_columns():
    rng = np.random.default_rng(0)
    t = rng.uniform(-1, 1, 300)
    wave = np.polynomial.Legendre.basis(4)(t) + 0.1 * rng.normal(size=300)
    _, evidence = compared(np.column_stack([t, wave, rng.normal(size=(300, 300))]))
    assert evidence.significant.any(axis=1).nonzero()[0].tolist() == [0, 1]


def test_screening_starts_above_a_limit_of_work(monkeypatch):
    basis = Basis.of(np.random.default_rng(0).normal(size=(5, 600)), None, 1)
    work = (4 * 5) ** 2 * 600
    monkeypatch.setattr(search, "SCREEN_WORK", work)
    prefixes, n_rows = search._screen(basis)
    assert (prefixes.tolist(), n_rows) == ([1, 2, 4], 600)
    monkeypatch.setattr(search, "SCREEN_WORK", work - 1)
    prefixes, n_rows = search._screen(basis)
    assert (prefixes.tolist(), n_rows) == ([1, 2], 600)
    monkeypatch.setattr(search, "SCREEN_WORK", (2 * 5) ** 2 * 550)
    assert search._screen(basis)[1] == 550
    monkeypatch.setattr(search, "SCREEN_WORK", 1)
    assert search._screen(basis)[1] == 500


def test_a_weak_pair_does_not_join_noise_to_a_manifold():
    """With 100 correlated columns of noise, ten of them were used next to a sphere."""
    _, X = Trial("sphere", seed=108, n=1000, noise=100, kind="correlated").make()
    found = column_relevance(X, random_state=108)
    assert np.flatnonzero(found.used).tolist() == [0, 1, 2]


def test_the_best_pair_of_a_column_joins_groups_and_so_do_clear_ones():
    tail = np.array([[1e-3, 2e-3], [2e-3, 5e-6], [1.0, 1.0]])
    joins = _joins_groups(tail, n_columns=100)
    assert joins.tolist() == [[True, False], [False, True], [True, True]]
    assert _joins_groups(tail, n_columns=10)[0].all()
