import hostile
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

import oracle
from urerf.kernels import fast_bic, split
from urerf.kernels.settings import FAST_BIC, FLOORS, GAIN, MCLUST_BIC, RAW, TWO_MEANS

CRITERIA = pytest.mark.parametrize(
    "criterion", [TWO_MEANS, FAST_BIC, MCLUST_BIC], ids=["means", "fast", "mclust"]
)
SHARP = pytest.mark.parametrize("criterion", [TWO_MEANS, FAST_BIC], ids=["means", "fast"])
SCORES = pytest.mark.parametrize("score", [GAIN, RAW], ids=["gain", "raw"])

FLOOR = {GAIN: FLOORS["gain"], RAW: FLOORS["raw"]}
EPSILON = np.finfo(float).eps
leaf_sizes = st.integers(1, 4)
whole_numbers = st.lists(st.integers(-500, 500), min_size=2, max_size=40).map(
    lambda v: np.array(v, np.float32)
)


def choose(values, criterion, score=GAIN, min_leaf=1, beat=np.inf):
    """Sort and cut; return (score, cut)."""
    z = np.sort(np.asarray(values, np.float32))
    left = np.full(z.size + 2, np.nan)
    right = np.full(z.size + 2, np.nan)
    return split.choose_cut(
        z, criterion, score, min_leaf, left, right, fast_bic.x_log_x(z.size), FLOOR[score], beat
    )


def below(values, cut):
    return int((np.asarray(values) < cut).sum())


def all_cuts(z, criterion, score=GAIN, min_leaf=1):
    return oracle.all_cuts(z, criterion, score, min_leaf, FLOOR[score])


def tolerance(z, criterion, score):
    """How far rounding may move a score: sums of squares are exact relative to that of the whole node."""
    if criterion == TWO_MEANS:
        return 1e-12 * (oracle.within(z) if score == RAW else 1.0)
    return 1e-9 * (len(z) + abs(oracle.bic_one(z))) + 4 * EPSILON * len(z) ** 2 / FLOOR[score]


def assert_is_best(z, found, cuts, slack):
    """The kernel's (score, cut) is one of the oracle's cuts, and none is better by more than rounding."""
    if not cuts:
        assert found == (np.inf, 0.0)
        return
    score, value = found
    best = min(c.score for c in cuts)
    assert abs(score - best) <= slack
    assert any(c.value == value and c.score <= best + slack for c in cuts)


# Against the oracle
# ---------------------------------------------------------------------------------------------------


@SHARP
@SCORES
@given(values=hostile.arrays(), min_leaf=leaf_sizes)
def test_cut_like_the_oracle(criterion, score, values, min_leaf):
    z = np.sort(values)
    cuts = all_cuts(z, criterion, score, min_leaf)
    assert_is_best(
        z,
        choose(values, criterion, score, min_leaf),
        cuts,
        tolerance(z, criterion, score) if cuts else 0,
    )


LONG = {
    "gaussian": lambda r, n: r.normal(size=n),
    "uniform": lambda r, n: r.uniform(size=n),
    "clusters": lambda r, n: np.concatenate([r.normal(m, 1, n // 3 + 1) for m in (0, 6, 30)]),
    "skewed": lambda r, n: r.exponential(size=n),
    "heavy": lambda r, n: r.standard_cauchy(size=n),
    "ties": lambda r, n: r.integers(0, 9, n),
    "bootstrap": lambda r, n: r.choice(r.normal(size=n), n),
    "tiny": lambda r, n: np.concatenate([r.normal(0, 1e-20, n // 2), r.normal(1e-3, 1e-12, n)]),
    "huge": lambda r, n: 1e18 * r.normal(size=n),
}


@SCORES
@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("n", [17, 64, 333])
@pytest.mark.parametrize("min_leaf", [1, 20])
def test_no_block_hides_the_best_cut(score, shape, n, min_leaf):
    """Many blocks of cuts, most of them passed over: the best of all is found all the same."""
    for seed in range(3):
        z = np.sort(LONG[shape](np.random.default_rng(seed), n).astype(np.float32))
        found = choose(z, FAST_BIC, score, min_leaf)
        cuts = all_cuts(z, FAST_BIC, score, min_leaf)
        assert_is_best(z, found, cuts, tolerance(z, FAST_BIC, score))
        assert choose(z, FAST_BIC, score, min_leaf, beat=found[0] + 1e-6) == pytest.approx(
            found, rel=1e-12
        )
        assert choose(z, FAST_BIC, score, min_leaf, beat=found[0] - 1e-6)[0] == np.inf


@given(st.floats(1e-300, 1e300))
def test_a_bound_of_the_logarithm(x):
    assert np.log(x) - 5e-4 <= fast_bic.log_below(x) <= np.log(x)


@SCORES
@given(values=hostile.arrays(max_size=25), min_leaf=leaf_sizes)
def test_mixture_cut_like_the_oracle(score, values, min_leaf):
    z = np.sort(values)
    found, value = choose(values, MCLUST_BIC, score, min_leaf)
    cuts = all_cuts(z, MCLUST_BIC, score, min_leaf)
    if not cuts:
        assert found == np.inf
        return
    # EM stops when a round gains less than 1e-6 a value; rounding may move that by a round.
    slack = 1e-5 * len(z)
    width = float(z[-1]) - float(z[0])
    best = min(c.score for c in cuts)
    assert abs(found - best) <= slack
    assert any(
        abs(float(c.value) - float(value)) <= 1e-3 * width and c.score <= best + slack for c in cuts
    )


@given(hostile.arrays(max_size=30))
def test_sums_of_squares(values):
    z = np.sort(values)
    left = np.full(z.size + 2, np.nan)
    right = np.full(z.size + 2, np.nan)
    spread = oracle.within(z)
    slack = 1e-12 * spread
    assert abs(split.sums_of_squares(z, left, right) - spread) <= slack
    for s in range(1, z.size):
        assert abs(left[s - 1] - oracle.within(z[:s])) <= slack
        assert abs(right[s - 1] - oracle.within(z[s:])) <= slack


@given(hostile.arrays())
def test_one_component(values):
    assume(oracle.within(values) > 0)
    assert split.bic_one(oracle.within(values), values.size) == pytest.approx(
        oracle.bic_one(values), rel=1e-12
    )


def test_table_of_n_log_n():
    n = np.arange(1, 1001)
    assert fast_bic.x_log_x(1000)[0] == 0.0
    assert np.allclose(fast_bic.x_log_x(1000)[1:], n * np.log(n), rtol=1e-15)
    assert fast_bic.x_log_x(0).tolist() == [0.0]


def test_the_two_variance_models():
    """Cuts by hand: {-1, 1} and {9, 11} are best described by one variance, clusters of 0.25 and 100 by two."""
    h = -2 * (4 * np.log(0.5)) + 4 * (1 + np.log(2 * np.pi))
    assert choose([9, -1, 11, 1], FAST_BIC, RAW, min_leaf=2) == (
        pytest.approx(h + 4 * np.log(4)),
        5.0,
    )
    h = -2 * (20 * np.log(0.5)) + 20 * (1 + np.log(2 * np.pi))
    wide = np.array([-0.5, 0.5, 90, 110] * 5)
    expected = h + 10 * np.log(0.25) + 10 * np.log(100) + 5 * np.log(20)
    assert choose(wide, FAST_BIC, RAW)[0] == pytest.approx(expected)


def test_the_floor():
    """By hand: ten equal values count as if their variance were ``floor`` times that of all values."""
    values = np.array([0] * 10 + [90, 110] * 5)
    spread = values.var()
    h = -2 * (20 * np.log(0.5)) + 20 * (1 + np.log(2 * np.pi))
    for score in (GAIN, RAW):
        one = oracle.bic_one(values) if score == GAIN else 0.0
        expected = h + 10 * np.log(FLOOR[score] * spread) + 10 * np.log(100) + 5 * np.log(20) - one
        assert choose(values, FAST_BIC, score) == (pytest.approx(expected), 45.0)


# What every cut must be
# -----------------------------------------------------------------------------------------------


@CRITERIA
@SCORES
@given(values=hostile.arrays(max_size=25), min_leaf=leaf_sizes)
def test_cut_separates(criterion, score, values, min_leaf):
    found, cut = choose(values, criterion, score, min_leaf)
    assert not np.isnan(found)
    if found == np.inf:
        return
    low = values[values < cut]
    high = values[values >= cut]
    assert min(low.size, high.size) >= min_leaf
    assert low.max() < cut <= high.min()
    assert np.float32(cut) == cut


@SHARP
@given(values=hostile.arrays(), min_leaf=leaf_sizes)
def test_a_cut_is_found_wherever_one_is_allowed(criterion, values, min_leaf):
    allowed = oracle.allowed(np.sort(values), min_leaf)
    assert (choose(values, criterion, min_leaf=min_leaf)[0] < np.inf) == bool(allowed)


@CRITERIA
@SCORES
@pytest.mark.parametrize(
    "values", [[1.0], [1.0] * 5, [0.0, -0.0], [3e38] * 3, [-1e-45] * 2], ids=str
)
def test_equal_values_are_not_cut(criterion, score, values):
    assert choose(values, criterion, score) == (np.inf, 0.0)


@CRITERIA
@SCORES
@pytest.mark.parametrize("low", [-3e38, -1e30, -1.0, 0.0, 1e-30, 1e-45, 1.0, 1e30])
def test_two_values(criterion, score, low):
    """Two neighbouring floats, and two that are far apart, are cut; the cut is above the lower one."""
    for high in (np.nextafter(np.float32(low), np.float32(np.inf)), np.float32(3e38)):
        found, cut = choose([high, low], criterion, score)
        assert np.isfinite(found)
        assert np.float32(low) < cut <= high


@given(hostile.numbers(), hostile.numbers())
def test_between(low, high):
    low, high = sorted([np.float32(low), np.float32(high)])
    assume(low < high)
    cut = split.between(low, high)
    assert low < cut <= high
    assert cut == oracle.midpoint(low, high)


@given(hostile.arrays(), leaf_sizes, st.floats(0, 1, exclude_max=True))
def test_random_cut_like_the_oracle(values, min_leaf, unit):
    z = np.sort(values)
    assume(oracle.allowed(z, min_leaf))
    cut, found = split.cut_at_random(z, min_leaf, unit)
    assert found
    assert cut == oracle.cut_at_random(z, min_leaf, unit)
    assert min_leaf <= below(z, cut) <= z.size - min_leaf
    assert z[below(z, cut) - 1] < cut <= z[below(z, cut)]


def test_random_cuts_are_uniform_between_quantiles():
    z = np.arange(1000, dtype=np.float32)
    cuts = [split.cut_at_random(z, 1, (i + 0.5) / 500)[0] for i in range(500)]
    assert np.allclose(cuts, np.linspace(50, 949, 500), atol=2)


# What must not move a cut
# ---------------------------------------------------------------------------------------------


@CRITERIA
@SCORES
@given(values=hostile.arrays(max_size=25), seed=st.integers(0, 10))
def test_order_of_rows(criterion, score, values, seed):
    shuffled = np.random.default_rng(seed).permutation(values)
    assert choose(shuffled, criterion, score) == choose(values, criterion, score)


@SHARP
@SCORES
@given(values=whole_numbers, shift=st.integers(-(2**22), 2**22))
def test_shift(criterion, score, values, shift):
    """Exactly: the sums run over differences, which are the same."""
    found, cut = choose(values, criterion, score)
    moved_found, moved = choose(values + np.float32(shift), criterion, score)
    assert moved_found == found
    assert found == np.inf or below(values + np.float32(shift), moved) == below(values, cut)


@CRITERIA
@given(values=hostile.arrays(max_size=25), power=st.integers(-20, 20))
def test_scale_by_a_power_of_two(criterion, values, power):
    """Exactly: no digit changes, neither does the cut. (Denormal and overflowing values do lose digits.)"""
    scale = np.float32(2.0**power)
    magnitude = np.abs(values[values != 0]).astype(float)
    assume(
        magnitude.size
        and min(1, scale) * magnitude.min() > 1e-30
        and max(1, scale) * magnitude.max() < 1e38
    )
    found, cut = choose(values, criterion)
    scaled_found, scaled = choose(values * scale, criterion)
    if found == np.inf:
        assert scaled_found == np.inf
        return
    assert scaled_found == pytest.approx(found, abs=1e-7 * len(values))
    z = np.sort(values)
    if criterion == MCLUST_BIC:
        assert any(np.isclose(c.value, scaled / scale, rtol=1e-3) for c in all_cuts(z, MCLUST_BIC))
    elif scaled != cut * scale:
        cuts = all_cuts(z, criterion)
        assert_is_best(
            z, (scaled_found, np.float32(scaled / scale)), cuts, tolerance(z, criterion, GAIN)
        )


@SHARP
@given(values=whole_numbers, scale=st.sampled_from([3, 7, 10, 1000, 12345]))
def test_scale_by_a_whole_number(criterion, values, scale):
    """Gain does not move, nor does the cut, unless two cuts are level to rounding."""
    z = np.sort(values)
    found, cut = choose(values, criterion)
    scaled_found, scaled = choose(values * np.float32(scale), criterion)
    if found == np.inf:
        assert scaled_found == np.inf
        return
    slack = tolerance(z * scale, criterion, GAIN)
    assert abs(scaled_found - found) <= slack
    if below(values * np.float32(scale), scaled) != below(values, cut):
        s = below(values * np.float32(scale), scaled)
        assert min(c.score for c in all_cuts(z, criterion) if c.below == s) <= found + slack


@pytest.mark.parametrize(
    "move", [lambda x: x + 4096, lambda x: x - 1000, lambda x: x * 1000, lambda x: x * 0.001]
)
@pytest.mark.parametrize("seed", range(20))
def test_mixture_moves_with_the_data(seed, move):
    """EM rounds, so its cut is compared between the same two values, on data where one optimum is clear."""
    rng = np.random.default_rng(seed)
    n1 = rng.integers(20, 80)
    values = np.round(
        np.concatenate([rng.normal(0, 1, n1), rng.normal(7, rng.uniform(0.5, 2), 100 - n1)]), 2
    )
    found, cut = choose(values, MCLUST_BIC)
    moved_found, moved = choose(move(values), MCLUST_BIC)
    assert moved_found == pytest.approx(found, abs=0.02)
    assert below(move(values).astype(np.float32), moved) == below(values.astype(np.float32), cut)


# What must be found
# ---------------------------------------------------------------------------------------------------


@CRITERIA
@SCORES
@pytest.mark.parametrize("seed", range(25))
def test_clusters_at_0_and_10(criterion, score, seed):
    rng = np.random.default_rng(seed)
    n1, n2 = rng.integers(2, 60, 2)
    values = np.concatenate([rng.normal(0, 1, n1).clip(-3, 3), rng.normal(10, 1, n2).clip(7, 13)])
    _, cut = choose(rng.permutation(values), criterion, score)
    assert below(values, cut) == n1
    tight = np.concatenate([np.zeros(n1), np.full(n2, 10.0)])
    assert 0 < choose(rng.permutation(tight), criterion, score)[1] <= 10


@CRITERIA
@SCORES
@pytest.mark.parametrize("seed", range(25))
def test_150_and_50(criterion, score, seed):
    rng = np.random.default_rng(seed)
    values = rng.permutation(np.concatenate([rng.normal(0, 1, 150), rng.normal(8, 1, 50)]))
    assert below(values, choose(values, criterion, score)[1]) == 150


@pytest.mark.parametrize("criterion", [FAST_BIC, MCLUST_BIC], ids=["fast", "mclust"])
@pytest.mark.parametrize("lonely", [[-0.5], [1.25] * 2, [-0.75] * 5], ids=str)
def test_a_cluster_without_variance_does_not_win(criterion, lonely):
    """One point or a few equal ones near the edge of a cluster are not preferred to the real gap."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.uniform(0, 1, 60), rng.uniform(5, 6, 40), lonely])
    cut = choose(values, criterion)[1]
    assert 1.3 < cut < 5


@pytest.mark.parametrize("seed", range(10))
def test_what_a_cluster_without_variance_wins_is_bounded(seed):
    """Three equal values far away are cut off, for a finite gain."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(0, 1, 50), [40.0] * 3])
    found, cut = choose(values, FAST_BIC)
    n = len(values)
    assert found > n * np.log(FLOOR[GAIN])
    assert below(values, cut) == 50


@given(hostile.arrays(), leaf_sizes)
def test_gain_is_bounded(values, min_leaf):
    """However hostile the values, the floor bounds what two components win."""
    found, _ = choose(values, FAST_BIC, GAIN, min_leaf)
    assert found >= len(values) * np.log(FLOOR[GAIN]) - 1e-6
    assert choose(values, TWO_MEANS, GAIN, min_leaf)[0] >= 0


# Mixtures
# -------------------------------------------------------------------------------------------------------------


def mixtures():
    return st.builds(
        oracle.Mixture,
        st.floats(0.01, 0.99),
        st.floats(-5, 5),
        st.floats(0.05, 9),
        st.floats(-5, 5),
        st.floats(0.05, 9),
    )


@given(mixtures(), hostile.arrays())
def test_log_likelihood(mixture, values):
    got = split.log_likelihood(values, *mixture)
    assert got == pytest.approx(oracle.log_likelihood(values, mixture), rel=1e-10)


@given(mixtures(), st.booleans())
def test_equally_likely(mixture, equal):
    if equal:
        mixture = mixture._replace(v2=mixture.v1)
    low = -20.0
    high = 20.0
    expected = oracle.equally_likely(mixture, low, high)
    got = split.equally_likely(*mixture, low, high)
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
    likelihood, *mixture = fit(z, start, equal, floor)
    hard = oracle.maximise(z.astype(float), (np.arange(z.size) < start).astype(float), equal, floor)
    assert likelihood >= oracle.log_likelihood(z, hard) - 1e-6 * z.size
    assert likelihood == pytest.approx(oracle.log_likelihood(z, mixture), rel=1e-9, abs=1e-9)
    assert likelihood == pytest.approx(
        oracle.fit_mixture(z, start, equal, floor)[0], abs=1e-5 * z.size
    )


def fit(z, start, equal, floor):
    left = np.empty(z.size + 2)
    right = np.empty(z.size + 2)
    spread = split.sums_of_squares(z, left, right)
    return split.fit_mixture(z, start, spread, equal, left, right, floor)


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
    """Its best of several starts is no better than ours, as far as it respects the floor under the variances.

    Where there are no two clusters to find (noise, or one inside the other with equal variances),
    its random starts may win a little.
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
