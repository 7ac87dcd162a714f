import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2, poisson, rankdata

from urerf import relevance as module
from urerf.datasets import add_noise, make_helix, make_torus
from urerf.relevance import column_relevance

KINDS = [
    "gaussian",
    "uniform",
    "bimodal",
    "heavy_tailed",
    "poisson",
    "binary",
    "zero_inflated",
    "rare",
    "mixed",
]


def noise(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Independent columns; those of discrete kinds differ in their parameter."""
    if kind == "mixed":
        return np.hstack([noise(k, n, -(-p // 6), rng) for k in KINDS[:6]])[
            :, rng.permutation(-(-p // 6) * 6)[:p]
        ]
    return {
        "gaussian": lambda: rng.normal(scale=70**0.5, size=(n, p)),
        "uniform": lambda: rng.random((n, p)),
        "bimodal": lambda: rng.normal(size=(n, p)) + 4 * rng.integers(0, 2, (n, p)),
        "heavy_tailed": lambda: rng.standard_t(2, size=(n, p)),
        "poisson": lambda: rng.poisson(rng.uniform(0.05, 5, p), (n, p)).astype(float),
        "binary": lambda: (rng.random((n, p)) < rng.uniform(0.02, 0.5, p)).astype(float),
        "zero_inflated": lambda: np.where(
            rng.random((n, p)) < rng.uniform(0.02, 0.6, p), rng.gamma(2, size=(n, p)), 0
        ),
        "rare": lambda: (rng.random((n, p)) < 1 / n + rng.uniform(0, 0.03, p)).astype(float),
    }[kind]()


def signal(name: str, n: int, rng: np.random.Generator) -> np.ndarray:
    t = rng.uniform(0, 1, n)
    a = rng.uniform(0, 2 * np.pi, n)
    b = rng.uniform(0, 2 * np.pi, n)
    winding = 2 * np.pi + 7 * np.pi * t
    roll = 1.5 * np.pi * (1 + 2 * t)
    sphere = rng.normal(size=(n, 3))
    return {
        "linear": lambda: np.column_stack([4 * t, 6 * t, 9 * t]),
        "helix": lambda: np.column_stack(
            [winding * np.cos(winding), winding * np.sin(winding), winding]
        ),
        "sphere": lambda: 9 * sphere / np.linalg.norm(sphere, axis=1, keepdims=True),
        "mixture": lambda: rng.normal(size=(n, 3)) + 3 * rng.integers(-1, 2, (n, 1)),
        "torus": lambda: np.column_stack(
            [(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)]
        ),
        "swiss_roll": lambda: np.column_stack(
            [roll * np.cos(roll), roll * np.sin(roll), 21 * rng.random(n)]
        ),
        "moons": lambda: np.column_stack([np.cos(a) + (a > np.pi), np.sin(a) + (a > np.pi) / 2]),
    }[name]()


def correlated(groups: int, size: int, rho: float, n: int, rng: np.random.Generator) -> np.ndarray:
    common = rng.normal(size=(n, groups, 1))
    own = rng.normal(size=(n, groups, size))
    return (np.sqrt(rho) * common + np.sqrt(1 - rho) * own).reshape(n, -1)


def oracle_functions(x: np.ndarray) -> np.ndarray:
    """Legendre polynomials of the mid-ranks of one column, one by one made orthogonal to those before."""
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


def test_degrees_of_freedom_follow_the_distinct_values():
    n = 600
    X = np.array([np.arange(n) % k for k in (1, 2, 3, 4, 5, 600)], dtype=float)
    basis = module.Basis.of(X, 1)
    np.testing.assert_array_equal(basis.size[-1], [0, 1, 2, 3, 4, 4])
    f = basis.functions[0].transpose(1, 0, 2).astype(float)
    eye = np.array([np.diag(np.arange(4) < size) for size in basis.size[-1]])
    np.testing.assert_allclose(f @ f.transpose(0, 2, 1) / n, eye, atol=1e-5)
    np.testing.assert_allclose(f.mean(axis=2), 0, atol=1e-6)


@pytest.mark.parametrize("rate", [0.01, 0.3, 2.0, 30.0, 300.0])
def test_tail_of_a_rare_coincidence_is_poisson(rate):
    for level in (1e-3, 1e-6, 1e-10):
        k = int(poisson.isf(level, rate)) + 1
        claimed = chi2.sf(module._deflate(np.array((k - rate) ** 2 / rate), np.array(1 / rate)), 1)
        assert 0.4 < claimed / poisson.sf(k - 1, rate) < 2.5


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "bimodal", "heavy_tailed", "mixed"])
@pytest.mark.parametrize("name", ["linear", "helix", "sphere", "mixture"])
@pytest.mark.parametrize("count", [0, 10, 300])
def test_exactly_the_signal_columns_are_relevant(name, kind, count):
    rng = np.random.default_rng(count)
    X = np.hstack([signal(name, 400, rng), noise(kind, 400, count, rng)])
    found = column_relevance(X)
    assert found.method == "dependence"
    np.testing.assert_array_equal(found.relevance, np.arange(count + 3) < 3)


def test_several_thousand_columns_are_screened():
    rng = np.random.default_rng(0)
    X = np.hstack([signal("sphere", 500, rng), noise("mixed", 500, 7000, rng)])
    assert (4 * X.shape[1]) ** 2 * 500 > module.SCREEN_WORK
    found = column_relevance(X)
    np.testing.assert_array_equal(found.relevance.nonzero()[0], [0, 1, 2])
    np.testing.assert_allclose(
        found.statistic[0], oracle_pair_statistic(X[:, 0], X[:, found.partner[0]])[0], rtol=2e-4
    )


@pytest.mark.parametrize("kind", KINDS)
def test_noise_has_no_structure(kind):
    rng = np.random.default_rng(7)
    found = [column_relevance(noise(kind, n, 60, rng)) for n in (50, 120, 400) for _ in range(10)]
    assert sum(f.method != "uniform" for f in found) <= 2  # expected: 0.3 of 30
    assert all(set(f.relevance) <= {0.0, 1.0} for f in found if f.method == "uniform")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "p"), [(50, 30), (100, 300), (1000, 100)])
def test_false_positives_stay_at_the_nominal_rate(kind, n, p):
    rng = np.random.default_rng(0)
    wrong = sum(column_relevance(noise(kind, n, p, rng)).method != "uniform" for _ in range(200))
    assert wrong <= 10


def test_columns_of_real_tables_are_kept():
    from sklearn.datasets import load_breast_cancer, load_wine

    assert (column_relevance(load_wine().data).relevance == 1).all()
    cancer = load_breast_cancer().data
    assert (column_relevance(cancer).relevance == 1).all()
    X = np.hstack([cancer, noise("gaussian", len(cancer), 300, np.random.default_rng(0))])
    np.testing.assert_array_equal(column_relevance(X).relevance, np.arange(330) < 30)


def test_a_manifold_rotated_into_many_columns_is_found():
    rng = np.random.default_rng(0)
    X = np.hstack(
        [signal("helix", 500, rng) @ rng.normal(size=(3, 20)), noise("uniform", 500, 300, rng)]
    )
    np.testing.assert_array_equal(column_relevance(X).relevance, np.arange(320) < 20)


def test_a_column_of_its_own_is_kept_where_nothing_is_known_of_it():
    rng = np.random.default_rng(0)
    found = column_relevance(signal("swiss_roll", 1000, rng))
    np.testing.assert_allclose(found.relevance, [1, 1, 2 / 3])
    X = np.hstack([signal("swiss_roll", 1000, rng), noise("gaussian", 1000, 300, rng)])
    np.testing.assert_allclose(column_relevance(X).relevance, [1, 1, 2 / 3] + [0] * 300)


def test_noise_of_several_kinds_does_not_stand_out():
    rng = np.random.default_rng(0)
    gamma = rng.gamma(rng.uniform(0.2, 5, 100), size=(500, 100))
    for other in (gamma, noise("uniform", 500, 100, rng), noise("uniform", 500, 15, rng)):
        X = np.hstack([signal("helix", 500, rng), noise("gaussian", 500, 100, rng), other])
        np.testing.assert_array_equal(column_relevance(X).relevance.nonzero()[0], [0, 1, 2])


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "heavy_tailed"])
def test_a_lonely_column_is_found_by_its_marginal(kind):
    rng = np.random.default_rng(0)
    found = column_relevance(np.hstack([noise("bimodal", 600, 1, rng), noise(kind, 600, 60, rng)]))
    assert found.method == "marginal"
    np.testing.assert_array_equal(found.relevance, np.arange(61) == 0)


@pytest.mark.parametrize("name", ["linear", "helix", "sphere", "mixture", "torus", "moons"])
@pytest.mark.parametrize("rho", [0.4, 0.9])
def test_correlated_noise_beside_a_manifold_is_noise(name, rho):
    rng = np.random.default_rng(0)
    S = signal(name, 1000, rng)
    X = np.hstack([S, correlated(20, 5, rho, 1000, rng), noise("gaussian", 1000, 30, rng)])
    found = column_relevance(X)
    np.testing.assert_array_equal(found.relevance, np.arange(X.shape[1]) < S.shape[1])
    assert "100 are only correlated" in found.message
    assert (found.p_value[S.shape[1] : -30] < 0.01).all()
    assert found.pairs.max() < S.shape[1]


@pytest.mark.parametrize("name", ["linear", "helix", "sphere"])
def test_columns_correlated_with_a_manifold_belong_to_it(name):
    rng = np.random.default_rng(0)
    S = signal(name, 1000, rng)
    noisy = S + S.std(axis=0) * rng.normal(size=S.shape)
    found = column_relevance(np.hstack([S, noisy, correlated(2, 5, 0.7, 1000, rng)]))
    np.testing.assert_array_equal(found.relevance, [1] * 6 + [0] * 10)


def test_columns_of_few_values_make_noise_of_nothing_and_are_kept():
    rng = np.random.default_rng(0)
    yes = rng.random(500) < 0.5
    answers = np.column_stack([yes, np.where(rng.random(500) < 0.85, yes, ~yes)]) * 1.0
    assert (
        column_relevance(np.hstack([answers, correlated(2, 5, 0.7, 500, rng)])).relevance == 1
    ).all()
    beside_a_manifold = np.hstack(
        [answers, signal("helix", 500, rng), correlated(2, 5, 0.7, 500, rng)]
    )
    np.testing.assert_array_equal(column_relevance(beside_a_manifold).relevance, [1] * 5 + [0] * 10)


def test_what_joins_few_columns_must_be_surer():
    """One of 1000 noise columns is as near to a torus of three as is seen in one table of a hundred (p = .0096)."""
    X = add_noise(make_torus(random_state=101).X, 1000, kind="uniform", random_state=101)
    found = column_relevance(X)
    np.testing.assert_array_equal(found.relevance.nonzero()[0], [0, 1, 2])
    np.testing.assert_allclose(found.p_value[560], 0.0096135 * 10 / 3, rtol=1e-4)


def test_a_day_and_its_date_do_not_make_noise_of_what_is_measured():
    rng = np.random.default_rng(0)
    day = rng.permutation(500)[:, None] * 1.0
    found = column_relevance(np.hstack([day, 3 * day + 7, correlated(2, 5, 0.7, 500, rng)]))
    assert (found.relevance == 1).all()
    beside_a_manifold = column_relevance(np.hstack([signal("helix", 500, rng), day, 3 * day + 7]))
    np.testing.assert_array_equal(beside_a_manifold.relevance, [1, 1, 1, 0, 0])


def test_correlated_columns_alone_are_structure():
    assert (
        column_relevance(correlated(10, 5, 0.5, 500, np.random.default_rng(0))).relevance == 1
    ).all()


def test_same_under_monotone_maps_and_permutations():
    rng = np.random.default_rng(3)
    X = np.hstack([signal("helix", 200, rng), noise("mixed", 200, 30, rng)])
    found = column_relevance(X)
    monotone = np.exp(-X / np.abs(X).max(axis=0))
    rows = rng.permutation(200)
    columns = rng.permutation(33)
    for Z, order in [(monotone, np.arange(33)), (X[rows], np.arange(33)), (X[:, columns], columns)]:
        other = column_relevance(Z)
        np.testing.assert_allclose(other.statistic, found.statistic[order], rtol=1e-4)
        np.testing.assert_allclose(other.p_value, found.p_value[order], rtol=1e-2)
        np.testing.assert_array_equal(other.relevance, found.relevance[order])
        np.testing.assert_array_equal(order[other.partner], found.partner[order])


def test_same_bits_for_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.hstack([signal("sphere", 2500, rng), noise("mixed", 2500, 600, rng)])
    for work in (module.SCREEN_WORK, 1e9):
        monkeypatch.setattr(module, "SCREEN_WORK", work)
        one = column_relevance(X, n_jobs=1)
        two = column_relevance(X, n_jobs=2)
        for field in ("relevance", "statistic", "p_value", "partner", "pairs"):
            np.testing.assert_array_equal(getattr(one, field), getattr(two, field))
        assert one.relevance[:3].tolist() == [1, 1, 1]


def test_pairs_speak_for_the_relevant_columns():
    rng = np.random.default_rng(0)
    found = column_relevance(
        np.hstack([signal("linear", 100, rng), noise("gaussian", 100, 20, rng)])
    )
    assert {tuple(pair) for pair in found.pairs.tolist()} == {(0, 1), (0, 2), (1, 2)}
    assert (found.p_value[:3] < 0.01).all()
    assert (found.p_value[3:] >= 0.01).all()


@pytest.mark.parametrize("n", [1, 2, 3, 5, 19, 20, 21])
@pytest.mark.parametrize("p", [1, 2, 3, 9, 40])
def test_trivial_sizes(n, p):
    X = np.random.default_rng(0).normal(size=(n, p))
    found = column_relevance(X)
    assert (
        found.relevance.shape
        == found.p_value.shape
        == found.statistic.shape
        == found.partner.shape
        == (p,)
    )
    assert found.method == "uniform"
    assert (found.relevance == (n > 1)).all()


def test_constant_columns_have_no_relevance():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [np.full(100, 1e30), rng.normal(size=100), np.zeros(100), rng.normal(size=100)]
    )
    found = column_relevance(X)
    np.testing.assert_array_equal(found.relevance, [0, 1, 0, 1])
    np.testing.assert_array_equal(found.partner, [-1, 3, -1, 1])
    np.testing.assert_array_equal(column_relevance(np.ones((100, 3))).relevance, [0, 0, 0])
    for p in (
        3,
        300,
    ):  # nothing to compare with but itself, constants and the filling of the last block
        lonely = np.ones((100, p))
        lonely[:, 0] = rng.normal(size=100)
        found = column_relevance(lonely)
        assert found.method == "uniform"
        assert (found.partner == -1).all()


@pytest.mark.parametrize(
    "X",
    [np.zeros(3), np.zeros((0, 2)), np.zeros((2, 0)), np.full((30, 2), np.inf), [[np.inf], [0]]],
)
def test_bad_input_is_refused(X):
    with pytest.raises(ValueError, match="X must"):
        column_relevance(X)


hostile = st.sampled_from(
    [0.0, -0.0, 1.0, 2.0, -1.0, 1e-30, 1e30, -1e30, 1e-308, 1e308, -1e308]
) | st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 14)), elements=hostile),
    st.integers(0, 3),
)
def test_hostile_tables(X, copies):
    X = np.hstack([X] + [X[:, :1]] * copies)
    found = column_relevance(X)
    varied = (X[:1] != X).any(axis=0)
    assert ((found.relevance >= 0) & (found.relevance <= 1)).all()
    assert (found.relevance[~varied] == 0).all()
    assert ((found.p_value >= 0) & (found.p_value <= 1)).all()
    assert np.isfinite(found.statistic).all()
    assert found.relevance.any() == varied.any()
    assert (
        (found.partner >= -1)
        & (found.partner < X.shape[1])
        & (found.partner != np.arange(X.shape[1]))
    ).all()
    assert (found.relevance[np.unique(found.pairs)] > 0).all()


def test_a_pair_by_chance_beside_a_manifold():
    """Two noise columns of p = .003, a chance of 1 in 300: no reason to mix them with a helix."""
    X = add_noise(make_helix(1000, random_state=0).X, 2, random_state=0)
    found = column_relevance(X)
    assert 1e-4 < found.p_value[3] < 0.01
    assert found.relevance.tolist() == [1, 1, 1, 0, 0]
    alone = column_relevance(X[:, 3:])  # without a manifold the level is the one asked for
    assert alone.method == "dependence"
    assert alone.relevance.tolist() == [1, 1]
