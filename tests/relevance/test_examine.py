import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from relevance_tables import noise, signal
from typer.testing import CliRunner

from urerf import URerF
from urerf.cli import app
from urerf.relevance import column_relevance, examine, examine_rows, rows_examined
from urerf.relevance.basis import Basis
from urerf.relevance.examine import group_numbers
from urerf.relevance.pairs import pair_evidence
from urerf.relevance.record import Why

FIELDS = ("strength", "weight", "p_value", "partner", "pairs", "group", "why")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 19, 20, 21])
@pytest.mark.parametrize("p", [1, 2, 3, 9, 40])
def test_trivial_sizes(n, p):
    X = np.random.default_rng(1).normal(size=(n, p))
    found = column_relevance(X)
    for name in ("strength", "weight", "p_value", "partner"):
        assert getattr(found, name).shape == (p,)
    assert found.verdict in ("none", "hint")
    assert not found.strength.any()
    assert found.pairs.shape == (0, 2)
    assert ((found.weight > 0) == (n > 1)).all()


def test_twenty_rows_are_enough_for_a_curve():
    t = np.random.default_rng(0).random(20)
    X = np.column_stack([t, np.exp(t)])
    assert column_relevance(X).verdict == "structure"
    assert column_relevance(X[:19]).message.startswith("Too few rows or columns to compare")


def test_columns_of_fewer_than_twenty_values_are_not_compared():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    X[:, 1] += 0.7 * X[:, 0]
    for n_present, compared in ((19, False), (20, True)):
        X[:, 3] = X[:, 2]
        X[n_present:, 3] = np.nan
        found = column_relevance(X)
        assert (found.p_value[3] < 1e-6) == compared
        assert found.reason[3].startswith("follows" if compared else "too few rows to tell")
    few = np.full((100, 50), np.nan)
    few[:10] = rng.normal(size=(10, 50))
    with_few = column_relevance(np.hstack([X[:, :3], few]))
    np.testing.assert_allclose(with_few.p_value[:3], column_relevance(X[:, :3]).p_value)


def test_constant_columns_have_no_relevance():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [np.full(100, 1e30), rng.normal(size=100), np.zeros(100), rng.normal(size=100)]
    )
    found = column_relevance(X)
    np.testing.assert_array_equal(found.weight, [0, 1, 0, 1])
    np.testing.assert_array_equal(found.partner, [-1, 3, -1, 1])
    assert found.reason[0] == "the same value in all rows examined"
    np.testing.assert_array_equal(column_relevance(np.ones((100, 3))).weight, [0, 0, 0])
    for p in (
        3,
        300,
    ):  # nothing to compare with but itself, constants and the filling of the last block
        lonely = np.ones((100, p))
        lonely[:, 0] = rng.normal(size=100)
        found = column_relevance(lonely)
        assert found.verdict == "none"
        assert (found.partner == -1).all()


@pytest.mark.parametrize(
    "X",
    [np.zeros(3), np.zeros((0, 2)), np.zeros((2, 0)), np.full((30, 2), np.inf), [[np.inf], [0]]],
)
def test_bad_input_is_refused(X):
    with pytest.raises(ValueError, match="X: must"):
        column_relevance(X)


@pytest.mark.parametrize(
    "bad",
    [{"alpha": 0}, {"alpha": 1.0}, {"alpha": "x"}, {"random_state": -1}],
)
def test_errors_name_the_argument(bad):
    (name,) = bad
    with pytest.raises(ValueError, match=f"^{name}: must"):
        column_relevance(np.zeros((30, 2)), **bad)


def test_groups_are_values_not_the_name_of_a_column():
    with pytest.raises(ValueError, match=r"^groups: must have one value per row.*X\['patient'\]"):
        group_numbers("patient", 30)


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
    for numbers in (found.strength, found.weight, found.p_value):
        assert ((numbers >= 0) & (numbers <= 1)).all()
    assert (found.weight[~varied] == 0).all()
    assert (found.strength[found.weight == 0] == 0).all()
    assert found.weight.any() == varied.any()
    assert (found.p_value[found.structured] < 0.01).all()
    assert (
        (found.partner >= -1)
        & (found.partner < X.shape[1])
        & (found.partner != np.arange(X.shape[1]))
    ).all()
    assert (found.strength[np.unique(found.pairs)] > 0).all()


def test_same_under_monotone_maps_and_permutations():
    rng = np.random.default_rng(3)
    X = np.hstack([signal("helix", 200, rng), noise("mixed", 200, 30, rng)])
    found = column_relevance(X)
    monotone = np.exp(-X / np.abs(X).max(axis=0))
    rows = rng.permutation(200)
    columns = rng.permutation(33)
    for Z, order in [(monotone, np.arange(33)), (X[rows], np.arange(33)), (X[:, columns], columns)]:
        other = column_relevance(Z)
        np.testing.assert_allclose(other.strength, found.strength[order], rtol=1e-4)
        np.testing.assert_allclose(other.p_value, found.p_value[order], rtol=1e-2)
        np.testing.assert_array_equal(other.weight, found.weight[order])
        np.testing.assert_array_equal(order[other.partner], found.partner[order])


@pytest.fixture(scope="module")
def tall():
    """A table of 5000 rows, of which 2000 are examined, with many zeros."""
    rng = np.random.default_rng(0)
    X = np.hstack([signal("helix", 5000, rng), rng.normal(size=(5000, 4))]).round(3)
    X[rng.random(X.shape) < 0.3] = 0
    return X


def assert_same(a, b):
    assert a.message == b.message
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_rows_are_examined_everywhere(tall, seed, tmp_path):
    model = URerF(n_estimators=2, max_samples=100, random_state=seed).fit(tall)
    expected = model.relevance_
    sparse = sp.csr_matrix(tall)
    of_sparse = URerF(n_estimators=2, max_samples=100, random_state=seed).fit(sparse)
    assert_same(of_sparse.relevance_, expected)
    for X in (tall, sparse, sp.csc_array(tall)):
        assert_same(column_relevance(X, random_state=seed), expected)
    assert_same(examine_rows(tall[rows_examined(5000, model._fitted.seed)]), expected)

    path = tmp_path / "tall.csv"
    np.savetxt(path, tall, delimiter=",", header="a,b,c,d,e,f,g", comments="", fmt="%.3f")
    printed = CliRunner().invoke(app, ["relevance", str(path), "--json", "--seed", str(seed)])
    by_column = {row["column"]: row for row in json.loads(printed.stdout)}
    for i, name in enumerate("abcdefg"):
        np.testing.assert_allclose(by_column[name]["strength"], expected.strength[i], rtol=1e-5)
        assert by_column[name]["used"] == expected.used[i]


def test_another_seed_examines_other_rows(tall):
    assert_same(column_relevance(tall), column_relevance(tall, random_state=0))
    assert (
        column_relevance(tall, random_state=0).strength
        != column_relevance(tall, random_state=1).strength
    ).any()


def test_rows_examined():
    rows = rows_examined(5000, 3)
    assert rows.shape == np.unique(rows).shape == (2000,)
    assert rows.max() < 5000
    assert sorted(rows_examined(30, 3)) == list(range(30))
    np.testing.assert_array_equal(rows, rows_examined(5000, 3))


def test_rows_of_a_huge_table_are_drawn_without_a_permutation(monkeypatch):
    monkeypatch.setattr("urerf.relevance.rows.MAX_PERMUTED", 4999)
    rows = rows_examined(5000, 3)
    assert rows.shape == np.unique(rows).shape == (2000,)


def test_a_sparse_table_is_made_dense_only_in_the_rows_examined(monkeypatch):
    shapes = []
    dense = sp.csr_matrix.toarray
    monkeypatch.setattr(
        sp.csr_matrix, "toarray", lambda self: shapes.append(self.shape) or dense(self)
    )
    column_relevance(sp.random(100_000, 5, density=0.3, format="csr", random_state=0))
    assert shapes == [(2000, 5)]


def pair(strength):
    """Return two columns that depend on each other, more or less."""
    x, y = np.random.default_rng(0).normal(size=(2, 300))
    return np.column_stack([x, y + strength * x])


def strength_of(p_value):
    """Return the strength at which the test of pairs has some p-value, by bisection."""
    low = 0.15
    high = 1.0
    for _ in range(40):
        middle = (low + high) / 2
        evidence = pair_evidence(Basis.of(pair(middle).T.copy(), None, 1), 0.01, 0.01)
        if evidence.p_value.min() > p_value:
            low = middle
        else:
            high = middle
    return high


def test_the_test_of_pairs_has_its_share_of_the_level_of_the_table(monkeypatch):
    """Five times that level went unnoticed once."""
    level = 0.01 * 0.45
    assert examine_rows(pair(strength_of(0.9 * level))).verdict == "structure"
    assert examine_rows(pair(strength_of(1.1 * level))).verdict != "structure"
    asked = []

    def watched(basis, level, *others, **named):
        asked.append(level)
        return pair_evidence(basis, level, *others, **named)

    monkeypatch.setattr(examine, "pair_evidence", watched)
    examine_rows(pair(1.0))
    column_relevance(pair(1.0), ordered=True)
    np.testing.assert_allclose(asked, level)


@pytest.mark.parametrize("n_groups", [19, 20])
def test_too_few_groups_are_told(n_groups):
    """One row of each group is examined, and 20 rows are the fewest that are compared."""
    rng = np.random.default_rng(0)
    t = rng.uniform(size=400)
    X = np.column_stack([t, t**2, rng.normal(size=400)])
    found = column_relevance(X, groups=np.arange(400) % n_groups)
    if n_groups == 20:
        assert found.tested
        assert found.notices == []
        return
    assert not found.tested
    assert "were examined" not in repr(found)
    assert found.used.all()
    assert found.message == "Too few groups to compare (19): all columns that vary are used."
    assert set(found.reason) == {"not tested: too few rows, columns or groups to compare"}
    (notice,) = found.notices
    assert "one row of each group is examined, and 20 are needed, got 19 groups" in notice


def test_fit_prints_that_there_are_too_few_groups(capsys):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = URerF(n_estimators=2, random_state=0, verbose=1).fit(X, groups=np.arange(60) % 3)
    assert "urerf: relevance was not tested" in capsys.readouterr().err
    assert model.relevance_.verdict == "none"


@pytest.mark.parametrize("n_rows", [20, 60])
@pytest.mark.parametrize("n_columns", [2, 3])
def test_columns_that_have_nothing_in_common_are_tested(n_columns, n_rows):
    """The less two columns depend on each other, the lower their score, but they are compared."""
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
        found = column_relevance(X)
        assert found.tested
        assert np.isin(found.why, [Why.UNRELATED, Why.FOLLOWS]).all()
        assert (found.partner >= 0).all()


@pytest.mark.parametrize("value", [-1.0, 0.5])
def test_categories_without_codes_are_refused(value):
    """Kernels read codes as positions: others would crash the interpreter."""
    codes = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
    codes[0, 0] = np.nan
    codes[7, 1] = value
    with pytest.raises(ValueError, match=f"'column 1' is a category, whose .* got {value:g}"):
        column_relevance(codes, ["category", "category"])


def test_text_is_refused():
    with pytest.raises(ValueError, match=r"^X: must hold numbers or codes of categories"):
        column_relevance([["a", "b"]] * 30)


def test_the_number_of_threads_is_checked():
    with pytest.raises(ValueError, match=r"^n_jobs: must not be 0"):
        column_relevance(np.eye(30), n_jobs=0)


def test_one_word_is_not_the_kinds_of_all_columns():
    with pytest.raises(TypeError, match="kinds: must have one entry per column, 30, got 'number'"):
        column_relevance(np.eye(30), "number")
