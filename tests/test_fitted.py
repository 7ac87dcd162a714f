"""The fitted record: pickling, recognition of fitted rows, and the limit of memory."""

import pickle
from dataclasses import fields

import numpy as np
import pytest

from urerf import URerF, _memory, fitted
from urerf.fitted import Fitted
from urerf.forest import Forest
from urerf.parameters import growth_of

N = 60


@pytest.fixture(scope="module")
def X():
    X = np.random.default_rng(0).normal(size=(N, 3))
    X[[20, 40]] = X[10]  # three equal rows
    return X


def fit(X, **changes) -> Fitted:
    settings = {"n_estimators": 8, "feature_weighting": "uniform", "random_state": 0}
    return URerF(**{**settings, **changes}).fit(X)._fitted


@pytest.fixture
def record(X):
    return fit(X)


def answers(record: Fitted, matrix) -> list[np.ndarray]:
    """Return the answers for the fitted rows and for the rows of a matrix."""
    found = []
    for similarity in ("depth", "leaf"):
        for rows in (None, matrix):
            found += record.nearest(rows, 5, similarity=similarity)
            found.append(record.proximity(rows, samples="all", similarity=similarity))
    path = {"n_neighbors": 5, "bridge": True, "similarity": "depth"}
    found.append(record.geodesic_distances(None, None, **path))
    found.append(record.geodesic_distances(None, matrix, **path))
    return found


def assert_same(a: list[np.ndarray], b: list[np.ndarray]) -> None:
    assert len(a) == len(b)
    for x, y in zip(a, b):
        np.testing.assert_array_equal(x, y)


def test_a_pickled_record_has_no_index_and_gives_the_same_answers(record, X):
    new = record.columns.read(X[:9] + 0.1)
    size = len(pickle.dumps(record))
    expected = answers(record, new)
    assert set(record._indexes) == {"depth", "leaf"}
    blob = pickle.dumps(record)
    assert len(blob) == size
    copy = pickle.loads(blob)
    assert not copy._indexes
    assert {field.name for field in fields(copy)} == {field.name for field in fields(record)}
    assert_same(answers(copy, new), expected)


def test_the_index_is_built_once_per_similarity(record, monkeypatch):
    built = []
    original = fitted.build_index

    def record_build(forest, leaves, similarity, n_jobs):
        built.append(similarity)
        return original(forest, leaves, similarity, n_jobs)

    monkeypatch.setattr(fitted, "build_index", record_build)
    for similarity in ("depth", "leaf", "depth", "leaf"):
        record.nearest(None, 3, similarity=similarity)
    assert built == ["depth", "leaf"]


def test_each_row_itself_can_be_included(record):
    distances, ids = record.nearest(None, 4, similarity="depth")
    with_self, ids_with_self = record.nearest(None, 4, similarity="depth", include_self=True)
    assert (ids_with_self[:, 0] == np.arange(N)).all()
    assert (with_self[:, 0] == 0).all()
    assert_same([with_self[:, 1:], ids_with_self[:, 1:]], [distances, ids])


def test_a_record_with_more_trees_has_its_own_index(record, X):
    growth = growth_of(URerF(), N, 3)
    more = Forest.grow(record.matrix, growth, seed=record.seed, trees=range(8, 12))
    before = record.nearest(None, 5, similarity="depth")
    larger = record.with_more_trees(more, more.apply(record.matrix))
    assert not larger._indexes
    at_once = fit(X, n_estimators=12)
    expected = at_once.nearest(None, 5, similarity="depth")
    assert_same(larger.nearest(None, 5, similarity="depth"), expected)
    assert_same(record.nearest(None, 5, similarity="depth"), before)


def test_fitted_rows_are_recognized(record, X):
    new = np.vstack([X[5:8], X[5:8] + 1e-3, X[[50]]])
    rows = record.known_rows(record.columns.read(new))
    assert rows.tolist() == [5, 6, 7, -1, -1, -1, 50]


def test_copies_are_recognized_at_their_own_position_or_as_the_first(record, X):
    """Rows 10, 20 and 40 are equal."""
    assert record.known_rows(record.reading).tolist() == list(range(N))
    assert record.known_rows(record.columns.read(X[[40, 20, 10]])).tolist() == [10, 10, 10]
    reversed_rows = record.known_rows(record.columns.read(X[::-1]))
    expected = np.arange(N)[::-1].copy()
    expected[[N - 1 - 20, N - 1 - 40, N - 1 - 10]] = 10
    assert_same([reversed_rows], [expected])


def test_more_rows_than_were_fitted_are_recognized(record, X):
    rows = record.known_rows(record.columns.read(np.vstack([X, X])))
    assert rows[:N].tolist() == list(range(N))
    assert rows[N + 40] == 10
    assert rows[N + 41] == 41


@pytest.mark.parametrize(("samples", "size"), [("all", 12), ("in_bag", 24), ("out_of_bag", 24)])
def test_a_proximity_that_does_not_fit_is_refused(record, monkeypatch, samples, size):
    question = {"samples": samples, "similarity": "depth"}
    monkeypatch.setattr(_memory, "available_memory", lambda: float(size * N * N))
    assert record.proximity(None, **question).shape == (N, N)
    monkeypatch.setattr(_memory, "available_memory", lambda: size * N * N - 1.0)
    message = rf"^X: a dense {N} x {N} proximity needs .* GiB is available; kneighbors_graph"
    with pytest.raises(ValueError, match=message):
        record.proximity(None, **question)


def test_distances_that_do_not_fit_are_refused(record, X, monkeypatch):
    question = {"n_neighbors": 5, "bridge": False, "similarity": "depth"}
    monkeypatch.setattr(_memory, "available_memory", lambda: 8.0 * 10 * N)
    assert record.geodesic_distances(np.arange(10), None, **question).shape == (10, N)
    with pytest.raises(ValueError, match=rf"^rows: a dense 11 x {N} distance matrix needs"):
        record.geodesic_distances(np.arange(11), None, **question)
    with pytest.raises(ValueError, match=rf"^X: a dense 11 x {N} distance matrix needs"):
        record.geodesic_distances(None, record.columns.read(X[:11]), **question)


def test_all_columns_have_the_same_weight_if_no_test_was_run(record):
    assert record.relevance is None
    assert record.columns.feature_weights.tolist() == [1.0, 1.0, 1.0]
