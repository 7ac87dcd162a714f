"""Rows that are not independent: declared, or noticed."""

import numpy as np
import pytest

from urerf import URerF
from urerf.relevance import column_relevance, examine_rows, rows_examined
from urerf.relevance.blocks import block_length, within_blocks
from urerf.relevance.rows import _has_pattern, without_copies


def walks(seed, n=300, p=6):
    return np.random.default_rng(seed).normal(size=(n, p)).cumsum(axis=0)


def patients(seed, n_patients=20, n_visits=10, p=6):
    """Every patient has a level in every column, and visits vary around it."""
    rng = np.random.default_rng(seed)
    number = np.repeat(np.arange(n_patients), n_visits)
    level = 3 * rng.normal(size=(n_patients, p))
    return level[number] + rng.normal(size=(number.size, p)), number


def n_structured(tables, **declared):
    return sum(column_relevance(X, **declared).verdict == "structure" for X in tables)


def titanic():
    """R's Titanic: the number of persons by class, sex, age and survival."""
    counts = [0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3]
    counts += [5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192, 140, 80, 76, 20]
    cells = np.indices((2, 2, 2, 4)).reshape(4, -1).T  # survival, age, sex, class
    X = np.repeat(cells, counts, axis=0).astype(float)
    return np.random.default_rng(0).permutation(X)


def test_rows_that_appear_twice_count_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 8))
    once = column_relevance(X)
    twice = column_relevance(np.repeat(X, 2, axis=0))
    assert once.verdict == twice.verdict == "none"
    assert twice.n_rows == 100
    (notice,) = twice.notices
    assert notice.startswith("100 of 200 rows examined are copies")
    assert notice in repr(twice)
    # Correlations are sums of float32, whose order depends on the processor.
    np.testing.assert_allclose(np.sort(once.p_value), np.sort(twice.p_value), rtol=1e-5)
    rounded = np.repeat(X.round(1), 3, axis=0)
    assert column_relevance(rounded).n_rows == 100


def test_copies_are_natural_in_a_table_of_categories():
    X = titanic()
    assert X.shape == (2201, 4)
    found = column_relevance(X, ["category"] * 4)
    assert found.n_rows == 2000
    assert found.notices == []
    assert found.verdict == "structure"
    assert found.used.all()


@pytest.mark.parametrize("n_levels", [2, 3, 20])
def test_equal_columns_of_categories_have_natural_copies(n_levels):
    """Rows are equal because the columns depend on each other; leaving them out loses that."""
    codes = np.random.default_rng(0).integers(0, n_levels, 300)
    X = np.repeat(codes[:, None], 6, axis=1) * 1.0
    found = examine_rows(X, ["category"] * 6)
    assert found.n_rows == 300
    assert found.strength.min() > 0.9


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
def test_rows_of_zeros_are_natural_copies(share):
    """Leaving them out made two independent columns depend on each other, at p = 1e-17."""
    rng = np.random.default_rng(31030)
    for n in (60, 100, 300):
        for _ in range(5):
            is_positive = rng.random((n, 2)) < share
            X = np.where(is_positive, rng.gamma(2, size=(n, 2)), 0.0)
            found = examine_rows(X)
            assert found.n_rows == n
            assert found.p_value.min() > 1e-3
    # A row of numbers that appears again is still a copy.
    twice = np.repeat(rng.gamma(2, size=(100, 2)) * (rng.random((100, 2)) < 0.8), 2, axis=0)
    assert examine_rows(twice).n_rows < 110


def test_a_few_copies_among_many_rows_are_kept():
    X = np.random.default_rng(0).normal(size=(200, 4))
    X[1] = X[0]
    everyone = np.ones(4, dtype=bool)
    rows, notices = without_copies(np.ascontiguousarray(X.T), everyone)
    assert notices == []
    np.testing.assert_array_equal(rows, np.arange(200))


@pytest.mark.parametrize(("n_copies", "left_out"), [(5, 0), (6, 6)])
def test_six_copies_among_numbers_are_more_than_chance(n_copies, left_out):
    """As many pairs of equal rows as a Poisson variable of mean 1 has with p < .001."""
    X = np.random.default_rng(0).normal(size=(200, 4))
    X[:n_copies] = X[100 : 100 + n_copies]
    rows, notices = without_copies(np.ascontiguousarray(X.T), np.ones(4, dtype=bool))
    assert len(rows) == 200 - left_out
    assert len(notices) == (left_out > 0)


def test_the_sign_of_zero_makes_no_difference_between_copies():
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[:, 0] = 0.0
    Z = X.copy()
    Z[:, 0] = -0.0
    assert column_relevance(np.vstack([X, Z])).n_rows == 60


def test_rows_that_appear_five_times_count_once():
    X = np.random.default_rng(0).normal(size=(100, 8)).round(1)
    assert column_relevance(np.repeat(X, 5, axis=0)).n_rows == 100


def test_a_balanced_design_with_two_replicates_keeps_its_rows():
    """Equal rows are as frequent as two factors make them, however regular."""
    X = np.repeat(np.indices((5, 10)).reshape(2, -1).T, 2, axis=0) * 1.0
    found = examine_rows(X, ["category"] * 2)
    assert found.n_rows == 100
    assert found.notices == []


@pytest.mark.parametrize(
    ("once", "twice", "thrice", "pattern"),
    [(3, 12, 1, True), (5, 12, 1, False), (3, 12, 3, False), (0, 9, 0, False), (0, 10, 0, True)],
)
def test_rows_that_mostly_appear_twice_are_a_pattern(once, twice, thrice, pattern):
    n_copies = np.repeat([1, 2, 3], [once, twice, thrice])
    assert _has_pattern(n_copies) == pattern


def test_rows_sorted_by_two_equal_groups_are_noticed():
    X = np.random.default_rng(0).normal(size=(200, 4))
    X[:, 2] = np.arange(200) >= 100
    (notice,) = column_relevance(X).notices
    assert notice.startswith("rows that follow each other are alike, most of all in column 2")


def test_gaps_do_not_hide_that_rows_follow_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    for row in range(1, 400):
        X[row, 2] += 0.6 * X[row - 1, 2]
    X[rng.random(400) < 0.5, 2] = np.nan
    (notice,) = column_relevance(X).notices
    assert "most of all in column 2" in notice


def test_the_notice_counts_the_columns_that_vary():
    """Weak dependence along the order is noticed among few columns, not among many."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    for row in range(1, 400):
        X[row, 2] += 0.2 * X[row - 1, 2]
    assert column_relevance(X).notices
    assert column_relevance(np.hstack([X, np.ones((400, 100))])).notices
    assert not column_relevance(np.hstack([X, rng.normal(size=(400, 100))])).notices


def test_rare_values_next_to_each_other_are_not_noticed():
    X = np.zeros((200, 4))
    for column in range(4):
        X[20 * column : 20 * column + 6, column] = 1
    assert column_relevance(X).notices == []


def test_copies_differ_in_no_feature_but_may_in_other_columns():
    X = np.random.default_rng(0).normal(size=(60, 4))
    X = np.column_stack([np.arange(120), np.repeat(X, 2, axis=0)])
    assert column_relevance(X, ["id"] + ["number"] * 4).n_rows == 60
    assert column_relevance(X).n_rows == 120


def test_random_walks_are_noticed_and_are_no_structure_if_declared():
    tables = [walks(seed) for seed in range(20)]
    assert n_structured(tables) == 20
    for X in tables:
        assert "rows that follow each other are alike" in column_relevance(X).notices[0]
    assert n_structured(tables, ordered=True) == 0
    assert column_relevance(tables[0], ordered=True).notices == []
    for seed, X in enumerate(tables):
        X[np.random.default_rng(seed).random(X.shape) < 0.3] = np.nan
    assert n_structured(tables, ordered=True) == 0


def test_groups_are_units():
    tables = [patients(seed) for seed in range(20)]
    found = [column_relevance(X).verdict for X, _ in tables]
    assert found.count("structure") > 15
    for X, number in tables:
        record = column_relevance(X, groups=number)
        assert record.verdict != "structure"
        assert record.n_rows == 20
        assert record.notices == []


def test_a_strong_pair_is_found_with_groups_and_in_order():
    X, number = patients(0)
    X[:, 4] = X[:, 1] ** 3 + 0.1 * X[:, 4]
    assert column_relevance(X, groups=number).structured.nonzero()[0].tolist() == [1, 4]
    W = walks(0, n=400)
    W[:, 4] = (W[:, 1] - W[:, 1].mean()) ** 2 + 0.1 * W[:, 4]
    assert column_relevance(W, ordered=True).structured.nonzero()[0].tolist() == [1, 4]
    gaps = np.random.default_rng(0).random(W.shape) < 0.1
    W[gaps] = np.nan
    assert column_relevance(W, ordered=True).structured.nonzero()[0].tolist() == [1, 4]


def test_independent_rows_are_hardly_ever_noticed():
    noticed = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 8))
        X[:, 4:] = rng.random((60, 4)) < 0.03  # two rare values may follow each other
        noticed += bool(column_relevance(X).notices)
    assert noticed <= 6  # 2 are expected


def test_one_row_per_group_and_whole_blocks_are_examined():
    number = np.random.default_rng(0).integers(0, 50, 400)
    rows = rows_examined(400, 0, number)
    np.testing.assert_array_equal(np.sort(number[rows]), np.unique(number))
    assert not np.array_equal(rows, rows_examined(400, 1, number))
    for n in (5, 30, 400, 7001):
        rows = rows_examined(n, 0, ordered=True)
        length = block_length(len(rows))
        assert (np.diff(rows) > 0).all()
        if n >= 8:
            blocks = rows.reshape(-1, length)
            assert (np.diff(blocks, axis=1) == 1).all()
            assert length == block_length(min(n, 2000))


def test_within_blocks_functions_have_mean_zero_and_norm_one():
    rng = np.random.default_rng(0)
    f = rng.normal(size=(3, 40))
    f[:, 8:16] = 2.0  # constant in one block
    keep = rng.random(40) < 0.8
    blocks = within_blocks(f, keep, 8).reshape(3, 5, 8)
    np.testing.assert_allclose(blocks.sum(axis=2), 0, atol=1e-12)
    norm = (blocks**2).sum(axis=2)
    np.testing.assert_allclose(norm, np.tile([1, 0, 1, 1, 1], (3, 1)))
    assert not blocks.reshape(3, 40)[:, ~keep].any()


def test_fit_takes_groups_and_order():
    X, number = patients(3)
    model = URerF(n_estimators=5, random_state=0)
    assert model.fit(X).relevance_.verdict == "structure"
    names = np.array([f"patient {i}" for i in number], dtype=object)
    assert model.fit(X, groups=names).relevance_.verdict != "structure"
    by_function = column_relevance(X, groups=number)
    np.testing.assert_array_equal(model.relevance_.p_value, by_function.p_value)
    graph = model.fit_transform(X, groups=number)
    assert graph.shape == (200, 200)
    assert model.relevance_.n_rows == 20
    assert model.fit(walks(0), ordered=True).relevance_.verdict != "structure"


def test_notices_are_saved_and_told(tmp_path, capsys):
    model = URerF(n_estimators=5, random_state=0, verbose=1).fit(walks(0))
    (notice,) = model.relevance_.notices
    assert f"urerf: {notice}" in capsys.readouterr().err
    model.save(tmp_path / "model.urerf")
    assert URerF.load(tmp_path / "model.urerf").relevance_.notices == [notice]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            {"groups": [1, 2]},
            r"groups: must have one value per row, shape \(30,\), got shape",
        ),
        ({"groups": [np.nan] + [1.0] * 29}, "groups: must not be missing, got 1 rows"),
        ({"groups": [None] + ["a"] * 29}, "groups: must not be missing, got 1 rows"),
        ({"ordered": "yes"}, "ordered: must be True or False, got 'yes'"),
        ({"groups": range(30), "ordered": True}, "ordered: must be False if groups are given"),
    ],
)
def test_wrong_declarations_are_refused(declared, message):
    X = np.random.default_rng(0).normal(size=(30, 3))
    for function in (URerF(n_estimators=2).fit, column_relevance):
        with pytest.raises(ValueError, match=message):
            function(X, **declared)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["walk", "twice", "patients"])
def test_dependent_rows_stay_at_the_level(kind):
    """At most 1 % of 600 tables: 12 of 600 would be above it with a confidence of 97 %."""
    found = 0
    for seed in range(600):
        p = int(np.random.default_rng(seed).choice([2, 5, 20, 50]))
        X = walks(seed, 200, p)
        declared = {"ordered": True}
        if kind == "twice":
            X = np.repeat(np.random.default_rng(seed).normal(size=(100, p)), 2, axis=0)
            declared = {}
        if kind == "patients":
            X, number = patients(seed, p=p)
            declared = {"groups": number}
        found += column_relevance(X, **declared).verdict == "structure"
    assert found < 12
