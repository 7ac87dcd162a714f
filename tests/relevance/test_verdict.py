import numpy as np
import pytest
from relevance_tables import KINDS, correlated, noise, signal
from sklearn.datasets import load_breast_cancer, load_wine

from urerf.datasets import add_noise, make_helix
from urerf.lab.tables.made import make_rough_moons
from urerf.relevance import column_relevance
from urerf.relevance.combine import _joining_level


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "bimodal", "heavy_tailed", "mixed"])
@pytest.mark.parametrize("name", ["linear", "helix", "sphere", "mixture"])
@pytest.mark.parametrize("count", [0, 10, 300])
def test_exactly_the_signal_columns_are_relevant(name, kind, count):
    rng = np.random.default_rng(count)
    X = np.hstack([signal(name, 400, rng), noise(kind, 400, count, rng)])
    found = column_relevance(X)
    assert found.verdict == "structure"
    np.testing.assert_array_equal(found.structured, np.arange(count + 3) < 3)


@pytest.mark.parametrize("kind", KINDS)
def test_noise_has_no_structure(kind):
    rng = np.random.default_rng(7)
    found = [column_relevance(noise(kind, n, 60, rng)) for n in (50, 120, 400) for _ in range(10)]
    wrong = [f for f in found if f.verdict == "structure"]
    if kind in ("bimodal", "mixed"):  # their columns do fall into groups
        wrong = [f for f in wrong if set(f.test) != {"", "groups"}]
    assert len(wrong) <= 2  # expected: 0.3 of 30
    for f in found:
        if f.verdict != "structure":
            assert not f.strength.any()
            assert f.p_value.min() >= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "p"), [(50, 30), (100, 300), (1000, 100)])
def test_false_positives_stay_at_the_nominal_rate(kind, n, p):
    rng = np.random.default_rng(0)
    found = [column_relevance(noise(kind, n, p, rng)) for _ in range(200)]
    wrong = sum(f.verdict == "structure" for f in found)
    assert wrong <= 10


def test_columns_of_real_tables_are_kept():
    assert column_relevance(load_wine().data).structured.all()
    cancer = load_breast_cancer().data
    assert column_relevance(cancer).structured.all()
    X = np.hstack([cancer, noise("gaussian", len(cancer), 300, np.random.default_rng(0))])
    np.testing.assert_array_equal(column_relevance(X).structured, np.arange(330) < 30)


def test_a_manifold_rotated_into_many_columns_is_found():
    rng = np.random.default_rng(0)
    X = np.hstack(
        [signal("helix", 500, rng) @ rng.normal(size=(3, 20)), noise("uniform", 500, 300, rng)]
    )
    np.testing.assert_array_equal(column_relevance(X).structured, np.arange(320) < 20)


def test_a_column_of_its_own_is_kept_with_a_lower_weight():
    rng = np.random.default_rng(0)
    found = column_relevance(signal("swiss_roll", 1000, rng))
    np.testing.assert_allclose(found.weight, [1, 1, 2 / 3])
    assert found.structured.tolist() == [True, True, False]
    X = np.hstack([signal("swiss_roll", 1000, rng), noise("gaussian", 1000, 300, rng)])
    np.testing.assert_allclose(column_relevance(X).weight, [1, 1, 2 / 3] + [0] * 300)


def test_one_in_ten_columns_may_be_coordinates_of_their_own():
    rng = np.random.default_rng(0)
    helix = signal("helix", 500, rng) @ rng.normal(size=(3, 20))
    for count, kept in ((2, True), (3, False)):
        found = column_relevance(np.hstack([helix, noise("uniform", 500, count, rng)]))
        assert (found.weight[:20] == 1).all()
        np.testing.assert_allclose(found.weight[20:], kept * 20 / 22)


def test_noise_of_several_kinds_does_not_stand_out():
    rng = np.random.default_rng(0)
    gamma = rng.gamma(rng.uniform(0.2, 5, 100), size=(500, 100))
    for other in (gamma, noise("uniform", 500, 100, rng), noise("uniform", 500, 15, rng)):
        X = np.hstack([signal("helix", 500, rng), noise("gaussian", 500, 100, rng), other])
        np.testing.assert_array_equal(column_relevance(X).weight.nonzero()[0], [0, 1, 2])


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "heavy_tailed"])
def test_a_lonely_column_is_found_by_its_marginal(kind):
    rng = np.random.default_rng(0)
    found = column_relevance(np.hstack([noise("bimodal", 600, 1, rng), noise(kind, 600, 60, rng)]))
    assert found.test[0] == "groups"
    assert (found.partner == -1).all()
    assert found.pairs.shape == (0, 2)
    np.testing.assert_array_equal(found.structured, np.arange(61) == 0)


@pytest.mark.parametrize("name", ["linear", "helix", "sphere", "mixture", "torus", "moons"])
@pytest.mark.parametrize("rho", [0.4, 0.9])
def test_correlated_noise_next_to_a_manifold_is_noise(name, rho):
    rng = np.random.default_rng(0)
    S = signal(name, 1000, rng)
    X = np.hstack([S, correlated(20, 5, rho, 1000, rng), noise("gaussian", 1000, 30, rng)])
    found = column_relevance(X)
    np.testing.assert_array_equal(found.weight, np.arange(X.shape[1]) < S.shape[1])
    set_aside = sum(reason.endswith("set aside") for reason in found.reason)
    assert 100 <= set_aside <= 101  # of 100 columns named, one may be false
    assert f"{set_aside} columns are correlated, but not with these, and not used." in found.message
    assert (found.p_value[S.shape[1] : -30] < 0.01).all()
    assert found.pairs.max() < S.shape[1]


@pytest.mark.parametrize("name", ["linear", "helix", "sphere"])
def test_columns_correlated_with_a_manifold_belong_to_it(name):
    rng = np.random.default_rng(0)
    S = signal(name, 1000, rng)
    noisy = S + S.std(axis=0) * rng.normal(size=S.shape)
    found = column_relevance(np.hstack([S, noisy, correlated(2, 5, 0.7, 1000, rng)]))
    np.testing.assert_array_equal(found.weight, [1] * 6 + [0] * 10)


def test_columns_of_few_values_are_kept_and_demote_no_others():
    rng = np.random.default_rng(0)
    yes = rng.random(500) < 0.5
    answers = np.column_stack([yes, np.where(rng.random(500) < 0.85, yes, ~yes)]) * 1.0
    assert (
        column_relevance(np.hstack([answers, correlated(2, 5, 0.7, 500, rng)])).weight == 1
    ).all()
    next_to_a_manifold = np.hstack(
        [answers, signal("helix", 500, rng), correlated(2, 5, 0.7, 500, rng)]
    )
    np.testing.assert_array_equal(column_relevance(next_to_a_manifold).weight, [1] * 5 + [0] * 10)


def test_a_date_and_the_number_of_its_day_do_not_demote_measurements():
    rng = np.random.default_rng(0)
    day = rng.permutation(500)[:, None] * 1.0
    found = column_relevance(np.hstack([day, 3 * day + 7, correlated(2, 5, 0.7, 500, rng)]))
    assert (found.weight == 1).all()
    next_to_a_manifold = column_relevance(np.hstack([signal("helix", 500, rng), day, 3 * day + 7]))
    np.testing.assert_array_equal(next_to_a_manifold.weight, [1, 1, 1, 0, 0])


def test_correlated_columns_alone_are_structure():
    assert (
        column_relevance(correlated(10, 5, 0.5, 500, np.random.default_rng(0))).weight == 1
    ).all()


def test_pairs_are_those_of_the_relevant_columns():
    rng = np.random.default_rng(0)
    found = column_relevance(
        np.hstack([signal("linear", 100, rng), noise("gaussian", 100, 20, rng)])
    )
    assert {tuple(pair) for pair in found.pairs.tolist()} == {(0, 1), (0, 2), (1, 2)}
    assert (found.p_value[:3] < 0.01).all()
    assert (found.p_value[3:] >= 0.01).all()


def test_a_pair_by_chance_next_to_a_manifold():
    """Two noise columns with p = .003, as in 1 of 300 tables, must not be mixed with a helix."""
    X = add_noise(make_helix(1000, random_state=0).X, 2, random_state=0)
    found = column_relevance(X)
    assert 1e-4 < found.p_value[3] < 0.01
    assert found.weight.tolist() == [1, 1, 1, 0, 0]
    alone = column_relevance(X[:, 3:])  # without a manifold the level is the one asked for
    assert alone.verdict == "structure"
    assert alone.weight.tolist() == [1, 1]


def test_ten_times_as_many_correlated_columns_are_set_aside_and_more_are_not():
    rng = np.random.default_rng(0)
    moons = signal("moons", 300, rng)
    genes = correlated(1, 21, 0.7, 300, rng)
    assert column_relevance(np.hstack([moons, genes[:, :20]])).used.sum() == 2
    assert column_relevance(np.hstack([moons, genes])).used.all()


@pytest.mark.parametrize(("n_grouped", "n_named"), [(4, 4), (5, 0)])
def test_groups_in_more_than_a_third_of_the_columns_are_common(n_grouped, n_named):
    rng = np.random.default_rng(0)
    X = np.hstack(
        [noise("bimodal", 400, n_grouped, rng), noise("gaussian", 400, 12 - n_grouped, rng)]
    )
    assert column_relevance(X).structured.sum() == n_named


def test_messages():
    rng = np.random.default_rng(0)
    helix = signal("helix", 500, rng)
    gaussian = noise("gaussian", 500, 60, rng)
    tables = {
        "3 columns depend on each other.": helix,
        "3 columns depend on each other. 1 other column is kept with a lower weight.": np.hstack(
            [helix, noise("uniform", 500, 1, rng)]
        ),
        "3 columns depend on each other. 5 columns are correlated, but not with these, "
        "and not used.": np.hstack([helix, correlated(1, 5, 0.7, 500, rng)]),
        "No two columns depend on each other; the values of 1 column fall into groups.": np.hstack(
            [gaussian, noise("bimodal", 500, 1, rng)]
        ),
        "No structure found: all columns that vary are used alike.": gaussian,
        "Too few rows or columns to compare: all columns that vary are used.": gaussian[:10],
    }
    for message, X in tables.items():
        assert column_relevance(X).message == message


def joined(p_value, by_pairs=True, tested=True):
    shape = len(p_value)
    masks = {"by_pairs": by_pairs, "tested": tested}
    masks = {name: np.broadcast_to(mask, shape) for name, mask in masks.items()}
    return np.array(p_value) < _joining_level(np.array(p_value), alpha=0.01, **masks)


def test_next_to_clear_pairs_doubtful_columns_do_not_join():
    """One column of noise among four costs a third of the precision of a sphere."""
    named = joined([1e-9, 1e-9, 0.005, 0.005, 0.02], [True, True, True, False, True])
    assert named.tolist() == [True, True, False, True, False]
    assert joined([0.005, 0.005, 0.009, 0.02]).tolist() == [True, True, True, False]


@pytest.mark.parametrize(("n_noise", "joins"), [(0, True), (6, True), (7, False), (1000, False)])
def test_the_larger_the_share_of_clear_columns_the_easier_others_join(n_noise, joins):
    p_value = [1e-6] * 8 + [0.0049, 0.011] + [0.5] * n_noise
    named = joined(p_value)
    assert named[:8].all()
    assert named[8:10].tolist() == [joins, False]
    assert not named[10:].any()
    # Columns that cannot be tested do not count.
    tested = [True] * len(p_value) + [False] * 50
    np.testing.assert_array_equal(joined(p_value + [1.0] * 50, tested=tested)[:-50], named)


def test_p_values_below_alpha_are_those_of_named_columns():
    """A column that may not join clear ones had a p-value of .005 and no structure."""
    rng = np.random.default_rng(31020)
    n_doubtful = 0
    for _ in range(60):
        X = rng.normal(size=(60, 12))
        X[:, 1] += 3 * X[:, 0]
        X[:, 3] += 0.65 * X[:, 2]
        found = column_relevance(X)
        np.testing.assert_array_equal(found.p_value < 0.01, found.structured)
        is_doubtful = (found.p_value >= 0.01) & (found.p_value < 0.05)
        n_doubtful += int(is_doubtful.sum())
    assert n_doubtful > 5


def test_the_strength_is_that_of_the_partner_which_is_named():
    """The largest strength of any test, with another partner, had been shown beside it."""
    rng = np.random.default_rng(31021)
    t = rng.uniform(0, 1, 400)
    wave = np.cos(60 * t) + rng.normal(scale=0.1, size=400)
    line = t + rng.normal(scale=0.3, size=400)
    found = column_relevance(np.column_stack([t, wave, line]))
    assert found.test == ["pairs", "waves", "pairs"]
    assert found.partner.tolist() == [2, 0, 0]
    assert found.strength[0] == found.strength[2] < 0.7 < found.strength[1]


def test_columns_in_several_groups_are_not_said_to_depend_on_each_other_all():
    rng = np.random.default_rng(31022)
    first = rng.normal(size=(300, 1)) + rng.normal(scale=0.3, size=(300, 2))
    second = rng.normal(size=(300, 1)) + rng.normal(scale=0.3, size=(300, 3))
    found = column_relevance(np.hstack([first, second]))
    assert found.message == "5 columns depend on each other, in 2 separate groups."
    assert len(found.groups) == 2


def test_small_moons_are_found_or_hinted_at():
    """By the smallest p-value of each pair, as before, it is 32 of these tables; now 36."""
    n_steered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        moons = make_rough_moons(60, random_state=seed)
        found = column_relevance(np.hstack([moons.X, rng.normal(size=(60, 18))]))
        n_steered += found.verdict != "none" and bool((found.weight[:2] == 1).all())
    assert n_steered >= 34


def test_a_relation_that_is_nearly_significant_is_told():
    """With few columns, most of them related, there is no hint that could steer the trees."""
    rng = np.random.default_rng(31023)
    n_told = 0
    for _ in range(40):
        X = rng.normal(size=(30, 3))
        X[:, 1] += 0.5 * X[:, 0]
        found = column_relevance(X)
        if found.verdict == "none" and found.p_value.min() <= 0.2:
            n_told += 1
            assert "The clearest relation, of column " in found.message
            assert "may be chance (p = 0." in found.message
        else:
            assert "The clearest relation" not in found.message
    assert n_told > 5


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]])
@pytest.mark.parametrize(("shares", "used"), [([1, 1, 1, 1], True), ([12, 1, 1, 1], False)])
def test_a_category_on_its_own_does_not_depend_on_its_codes(order, shares, used):
    rng = np.random.default_rng(31024)
    t = rng.normal(size=300)
    levels = rng.choice(order, 300, p=np.array(shares) / sum(shares))
    X = np.column_stack([t, t + rng.normal(scale=0.1, size=300), levels])
    found = column_relevance(X, ["number", "number", "category"])
    assert found.used.tolist() == [True, True, used]
    if used:
        assert found.reason[2].endswith("but may matter on its own: lower weight")
