import hostile
import numpy as np
import pytest
from cuts import FLOOR, SCORES, all_cuts, below, choose, leaf_sizes
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

import oracle
from urerf.kernels.mixture import Mixture, equally_likely, fit_mixture, log_likelihood
from urerf.kernels.settings import GAIN, MCLUST_BIC
from urerf.kernels.two_means import prefix_sums


def mixtures():
    return st.builds(
        Mixture,
        st.floats(0.01, 0.99),
        st.floats(-5, 5),
        st.floats(0.05, 9),
        st.floats(-5, 5),
        st.floats(0.05, 9),
    )


@given(mixtures(), hostile.arrays())
def test_log_likelihood(mixture, values):
    got = log_likelihood(values, mixture)
    assert got == pytest.approx(oracle.log_likelihood(values, mixture), rel=1e-10)


@given(mixtures(), st.booleans())
def test_equally_likely(mixture, equal):
    if equal:
        mixture = mixture._replace(v2=mixture.v1)
    low = -20.0
    high = 20.0
    expected = oracle.equally_likely(mixture, low, high)
    got = equally_likely(mixture, low, high)
    if not expected:
        assert np.isnan(got)
        return
    one, two = oracle.log_densities(got, mixture)
    assert one == pytest.approx(two, abs=1e-6)
    assert low < got < high
    assert any(got == pytest.approx(x, abs=1e-6) for x in expected)


@given(
    hostile.arrays(min_size=3),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(list(FLOOR.values())),
)
def test_em_never_loses(values, share, equal, floor):
    """EM ends no lower than its start, and near where the oracle's EM ends."""
    z = np.sort(values)
    assume(z[0] < z[-1])
    start = min(z.size - 1, 1 + int(share * (z.size - 1)))
    likelihood, mixture = fit(z, start, equal, floor)
    hard = oracle.maximize(z.astype(float), (np.arange(z.size) < start).astype(float), equal, floor)
    assert likelihood >= oracle.log_likelihood(z, hard) - 1e-6 * z.size
    assert likelihood == pytest.approx(oracle.log_likelihood(z, mixture), rel=1e-9, abs=1e-9)
    assert likelihood == pytest.approx(
        oracle.fit_mixture(z, start, equal, floor)[0], abs=1e-5 * z.size
    )


def fit(z, start, equal, floor):
    """Fit a mixture; return (log-likelihood, mixture)."""
    sums = np.empty(z.size + 1)
    squares = np.empty(z.size + 1)
    spread = prefix_sums(z, sums, squares)
    return fit_mixture(z, start, spread, equal, floor, sums, squares)


SHAPES = {
    "two": lambda r, n: np.concatenate(
        [r.normal(0, 1, n // 3), r.normal(r.uniform(3, 6), r.uniform(0.3, 2), n)]
    ),
    "close": lambda r, n: np.concatenate([r.normal(0, 1, n // 2), r.normal(2, 0.4, n)]),
    "three": lambda r, n: np.concatenate([r.normal(m, 1, n // 3) for m in (0, 4, 9)]),
    "few": lambda r, n: np.concatenate([r.normal(0, 1, n), r.normal(6, 0.5, 5)]),
    "inside": lambda r, n: np.concatenate([r.normal(0, 3, n), r.normal(0, 0.5, n)]),
    "skewed": lambda r, n: r.exponential(size=n),
    "uniform": lambda r, n: r.uniform(size=n),
    "noise": lambda r, n: r.normal(size=n),
}


@pytest.mark.parametrize("equal", [False, True], ids=["full", "tied"])
@pytest.mark.parametrize("shape", SHAPES)
def test_mixture_as_likely_as_that_of_scikit_learn(shape, equal):
    """Its best of several starts is no better than ours, if its variances respect the floor.

    If there are no two clusters to find (noise, or one inside the other with equal variances), its
    random starts may win a little.
    """
    a_value = 0.03 if shape == "noise" or (shape, equal) == ("inside", True) else 1e-4
    compared = 0
    floor = FLOOR[GAIN]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        z = np.sort(SHAPES[shape](rng, rng.integers(40, 200))).astype(np.float32)
        theirs = sklearn_mixture(z, "tied" if equal else "full")
        if theirs.covariances_.min() >= floor * z.var():
            compared += 1
            ours = [fit(z, start, equal, floor)[0] for start in oracle.mixture_starts(z, floor)]
            assert max(ours) >= z.size * (theirs.score(z[:, None].astype(float)) - a_value)
    assert compared >= 3


def sklearn_mixture(z, covariance):
    model = GaussianMixture(
        2,
        covariance_type=covariance,
        n_init=4,
        init_params="k-means++",
        tol=1e-5,
        max_iter=1000,
        random_state=0,
    )
    return model.fit(z[:, None].astype(float))


@SCORES
@given(values=hostile.arrays(max_size=25), min_leaf=leaf_sizes)
def test_mixture_cut_like_the_oracle(score, values, min_leaf):
    z = np.sort(values)
    found, value = choose(values, MCLUST_BIC, score, min_leaf)
    cuts = all_cuts(z, MCLUST_BIC, score, min_leaf)
    if not cuts:
        assert found == np.inf
        return
    # EM stops when a round gains less than 1e-6 per value; rounding may move that by a round.
    slack = 1e-5 * len(z)
    width = float(z[-1]) - float(z[0])
    best = min(c.score for c in cuts)
    assert abs(found - best) <= slack
    assert any(
        abs(float(c.value) - float(value)) <= 1e-3 * width and c.score <= best + slack for c in cuts
    )


@pytest.mark.parametrize(
    "move", [lambda x: x + 4096, lambda x: x - 1000, lambda x: x * 1000, lambda x: x * 0.001]
)
@pytest.mark.parametrize("seed", range(20))
def test_mixture_moves_with_the_data(seed, move):
    """Up to rounding, the cut falls between the same values, on data with one clear optimum."""
    rng = np.random.default_rng(seed)
    n1 = rng.integers(20, 80)
    values = np.round(
        np.concatenate([rng.normal(0, 1, n1), rng.normal(7, rng.uniform(0.5, 2), 100 - n1)]), 2
    )
    found, cut = choose(values, MCLUST_BIC)
    moved_found, moved = choose(move(values), MCLUST_BIC)
    assert moved_found == pytest.approx(found, abs=0.02)
    assert below(move(values).astype(np.float32), moved) == below(values.astype(np.float32), cut)
