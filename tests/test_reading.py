"""What trees read: levels without an order, missing values filled anew for every tree."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urerf import URerF, outlier_score
from urerf.columns import Columns
from urerf.dask import tasks
from urerf.datasets import make_helix, make_sphere
from urerf.forest import Forest, Growth, tree_keys
from urerf.metrics import geodesic_precision
from urerf.reading import Reading
from urerf.schema import CATEGORY, Column, Frame, Schema

FEW = {"n_estimators": 20, "n_neighbors": 5, "feature_weighting": "uniform", "random_state": 0}


def frame_of(numbers, labels):
    """Return a Frame of numbers and labels: levels by first appearance, "" is missing."""
    numbers = np.asarray(numbers, dtype=float)
    values = [*numbers.T]
    columns = [Column(f"x{i}") for i in range(len(values))]
    for i, cells in enumerate(np.asarray(labels, dtype=object).T):
        levels = [level for level in dict.fromkeys(cells) if level != ""]
        code = {level: float(c) for c, level in enumerate(levels)}
        values.append(np.array([code.get(cell, np.nan) for cell in cells]))
        columns.append(Column(f"c{i}", CATEGORY, tuple(levels)))
    return Frame(np.column_stack(values), Schema(tuple(columns)))


def mixed_table(n=200, seed=0, gaps=0.1, empty=()):
    """Return numbers and labels that depend on a common angle."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    numbers = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.05, (n, 2))
    sectors = [np.floor(angle / (2 * np.pi) * k).astype(int) for k in (3, 12)]
    labels = np.array([[f"level {x}" for x in row] for row in np.transpose(sectors)], dtype=object)
    numbers[rng.random(numbers.shape) < gaps] = np.nan
    labels[rng.random(labels.shape) < gaps] = ""
    empty = list(empty)
    numbers[empty] = np.nan
    labels[empty] = ""
    return numbers, labels


EMPTY = [3, 50, 51]


@pytest.fixture(scope="module")
def table():
    return frame_of(*mixed_table(empty=EMPTY))


@pytest.fixture(scope="module")
def model(table):
    return URerF(**FEW).fit(table)


def rows_of(frame, rows):
    return Frame(frame.values[rows], frame.schema)


def assert_same_model(one, other):
    """The same trees, leaves, neighbors and distances, bit for bit."""
    for field in fields(Forest):
        np.testing.assert_array_equal(
            getattr(one.forest_, field.name), getattr(other.forest_, field.name)
        )
    np.testing.assert_array_equal(one._fitted.leaves, other._fitted.leaves)
    for a, b in zip(one.kneighbors(), other.kneighbors(), strict=True):
        assert a.tobytes() == b.tobytes()


# -- levels have neither names nor an order


names = st.text(min_size=1, max_size=6)


@settings(max_examples=30)
@given(st.integers(6, 40), st.integers(2, 6), st.integers(0, 2**32 - 1), st.data())
def test_renaming_levels_changes_no_bit(n, n_levels, seed, data):
    """Nor does the order in which names are sorted or declared: codes are by first appearance."""
    rng = np.random.default_rng(seed)
    numbers = np.where(rng.random((n, 1)) < 0.1, np.nan, rng.normal(size=(n, 1)))
    codes = rng.integers(-1, n_levels, size=(n, 2))  # -1: missing
    renamed = data.draw(st.lists(names, min_size=n_levels, max_size=n_levels, unique=True))
    plain = [str(code) for code in range(n_levels)]
    tables = []
    for levels in (plain, renamed):
        labels = np.array([*levels, ""], dtype=object)[codes]
        tables.append(frame_of(numbers, labels))
    forest = {**FEW, "n_estimators": 3, "n_neighbors": 2}
    one, other = (URerF(**forest).fit(table) for table in tables)
    assert_same_model(one, other)
    new = rng.integers(0, n, 4)
    for a, b in zip(
        one.kneighbors(rows_of(tables[0], new)), other.kneighbors(rows_of(tables[1], new))
    ):
        assert a.tobytes() == b.tobytes()


def test_no_level_is_between_two_others():
    """Each of three levels is as often nearest to one of the others, over many trees."""
    reading = Reading(
        np.arange(3, dtype=np.float32)[None], np.array([3], np.int32), np.ones(1), None
    )
    between = np.zeros(3)
    for key in range(3000):
        values = reading.rows(np.arange(3), np.uint64(key))[0]
        between[np.argsort(values)[1]] += 1
    assert np.abs(between / 3000 - 1 / 3).max() < 0.03


def test_levels_of_two_columns_are_drawn_separately():
    matrix = np.tile(np.arange(5, dtype=np.float32), (2, 1))
    reading = Reading(matrix, np.array([5, 5], np.int32), np.ones(2), None)
    one, other = reading.rows(np.arange(5), np.uint64(1))
    assert not np.isin(one, other).any()


def test_many_levels_find_their_neighbors():
    """Rows of one level are together, whatever their codes are."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 20, 400)
    labels = np.array([[f"{g}a", f"{g}b", f"{g}c"] for g in group], dtype=object)
    noise = rng.random(labels.shape) < 0.1
    labels[noise] = "other"
    frame = frame_of(np.empty((400, 0)), labels)
    near = URerF(60, feature_weighting="uniform", random_state=0).fit(frame).kneighbors()[1]
    assert (group[near] == group[:, None]).mean() > 0.8  # chance: 0.05


# -- the same bits everywhere


def test_any_number_of_threads(table, model):
    assert_same_model(URerF(**FEW, n_jobs=2).fit(table), model)


def test_after_saving(table, model, tmp_path):
    model.save(tmp_path / "m.urerf")
    loaded = URerF.load(tmp_path / "m.urerf")
    assert_same_model(loaded, model)
    for a, b in zip(loaded.kneighbors(table), model.kneighbors(table)):
        assert a.tobytes() == b.tobytes()
    np.testing.assert_array_equal(loaded.geodesic_distances(), model.geodesic_distances())


@pytest.mark.parametrize("saved", [False, True])
def test_trees_added_later(table, model, tmp_path, saved):
    first = URerF(**{**FEW, "n_estimators": 7}, warm_start=True).fit(table)
    if saved:
        first.save(tmp_path / "m.urerf")
        first = URerF.load(tmp_path / "m.urerf")
    assert_same_model(first.set_params(n_estimators=20).fit(table), model)


def test_trees_are_added_for_the_same_rows_only(table):
    model = URerF(**FEW, warm_start=True).fit(table)
    values = table.values.copy()
    values[EMPTY[0]] = values[0]
    with pytest.raises(ValueError, match="X: with warm_start=True"):
        model.fit(Frame(values, table.schema))


@pytest.mark.parametrize("lengths", [[200], [1, 49, 0, 150]])
def test_tasks_of_a_cluster(table, model, lengths):
    """Partitions are read, and trees grown, as in one process."""
    columns = model._fitted.columns
    growth = Growth(
        max_features=2, density=0.5, min_samples_split=6, max_samples=60, bootstrap=True
    )
    ends = np.cumsum(lengths)
    starts = ends - lengths
    blocks = [table.values[start:end] for start, end in zip(starts, ends)]
    readings = [tasks.make_reading(block, columns) for block in blocks]
    keys = tree_keys(5, range(4))
    drawn = tasks.draw_rows(keys, 200, growth)
    pieces = [
        tasks.take_drawn(reading, start, drawn, keys) for reading, start in zip(readings, starts)
    ]
    forest = tasks.grow_trees(pieces, keys, 200, growth, columns.feature_weights)
    local = Forest.grow(model._fitted.reading, growth, seed=5, trees=range(4), n_jobs=1)
    for field in fields(Forest):
        np.testing.assert_array_equal(getattr(forest, field.name), getattr(local, field.name))
    leaves = np.hstack([forest.apply(reading, n_jobs=1) for reading in readings])
    np.testing.assert_array_equal(leaves, local.apply(model._fitted.reading, n_jobs=2))
    assert (leaves[:, EMPTY] == -1).all()


def test_a_row_is_read_alike_wherever_it_is(table, model):
    reading = model._fitted.reading
    rows = np.array([40, 3, 40, 0, 199])
    few = model._fitted.columns.read(table.values[rows])
    for key in (0, 1, 2**63):
        key = np.uint64(key)
        everywhere = reading.rows(np.arange(200), key)
        assert not np.isnan(everywhere).any()
        np.testing.assert_array_equal(reading.rows(rows, key), everywhere[:, rows])
        np.testing.assert_array_equal(few.rows(np.arange(5), key), everywhere[:, rows])


# -- new rows


def test_a_fitted_row_finds_itself(table, model):
    distances, ids = model.kneighbors(table, n_neighbors=3)
    np.testing.assert_array_equal(ids[:, 0], np.arange(200))
    assert (distances[:, 0] == 0.0).all()
    backwards = rows_of(table, np.arange(200)[::-1])
    distances, ids = model.kneighbors(backwards, n_neighbors=1)
    whole = ~np.isin(np.arange(200)[::-1], EMPTY)
    assert (distances[whole] == 0.0).all()
    equal = (table.values[ids[:, 0]] == backwards.values) | np.isnan(backwards.values)
    assert equal[whole].all()


def test_equal_rows_are_at_distance_zero(table):
    twice = rows_of(table, np.repeat(np.delete(np.arange(200), EMPTY), 2))
    model = URerF(**FEW).fit(twice)
    assert (model.kneighbors(n_neighbors=1)[0] == 0.0).all()
    pairs = np.arange(model.n_samples_fit_).reshape(-1, 2)
    assert (model.proximity()[pairs[:, 0], pairs[:, 1]] == 1.0).all()


def test_a_missing_value_is_filled_with_values_of_near_rows():
    """A row whose number is missing is among rows of its level, never of the other one."""
    rng = np.random.default_rng(0)
    side = np.repeat([0.0, 1.0], 100)
    numbers = np.column_stack([20 * side + rng.normal(size=200), 20 * side + rng.normal(size=200)])
    labels = np.array([["left"], ["right"]], dtype=object)[side.astype(int)]
    numbers[[0, 100]] = np.nan
    near = URerF(**FEW).fit(frame_of(numbers, labels)).kneighbors()[1]
    assert (side[near[0]] == 0).all()
    assert (side[near[100]] == 1).all()


def test_of_two_possible_values_each_is_read_in_some_trees():
    """Not their mean, which no row has."""
    labels = np.tile([["a"], ["b"]], (20, 1)).astype(object)
    numbers = np.where(labels == "a", 1.0, 0.0) * np.tile([[1], [1], [-1], [-1]], (10, 1))
    numbers[0] = np.nan
    frame = frame_of(numbers, labels)
    columns = Columns.learn(
        frame.values, np.ones(2), scaled=False, missing=True, n_levels=frame.schema.n_levels
    )
    reading = columns.reading(columns.measure(frame.values))
    read = [reading.rows(np.array([0]), np.uint64(key))[0, 0] for key in range(40)]
    assert set(read) == {1.0, -1.0}


# -- rows without any value


def test_a_row_without_any_value_is_in_no_leaf(table, model):
    leaves = model.apply(table)
    empty = np.isin(np.arange(200), EMPTY)
    assert (leaves[empty] == -1).all()
    assert (leaves[~empty] >= 0).all()


def test_it_is_as_far_from_all_rows_as_can_be(table, model):
    distances, ids = model.kneighbors(n_neighbors=199)
    empty = np.isin(np.arange(200), EMPTY)
    assert (distances[empty] == 1.0).all()
    is_near = distances < 1.0
    assert not np.isin(ids[is_near], EMPTY).any()
    proximity = model.proximity()
    np.testing.assert_array_equal(proximity[empty], np.eye(200)[empty])
    np.testing.assert_array_equal(proximity, proximity.T)
    for samples in ("in_bag", "out_of_bag"):
        np.testing.assert_array_equal(model.proximity(samples=samples)[empty], np.eye(200)[empty])


def test_its_neighbors_are_drawn_from_all_rows(model):
    ids = model.kneighbors(n_neighbors=60)[1][EMPTY]
    assert all(len(set(row)) == 60 for row in ids)
    assert not (ids == np.array(EMPTY)[:, None]).any()
    assert 70 < ids.mean() < 130


def test_it_is_itself_in_the_graph_of_the_fitted_rows(table, model):
    for graph in (model.transform(table), model.kneighbors_graph()):
        assert graph.nnz == 200 * 6
        np.testing.assert_array_equal(graph.indices[graph.indptr[:-1]], np.arange(200))
        assert (graph.data[graph.indptr[:-1]] == 0.0).all()


def test_as_a_new_row_it_is_nobody(table, model):
    empty = Frame(np.full((2, 4), np.nan), table.schema)
    distances, _ = model.kneighbors(empty)
    assert (distances == 1.0).all()
    assert (model.apply(empty) == -1).all()
    assert (model.proximity(empty) == 0.0).all()


def test_only_rows_without_any_value():
    X = np.full((12, 2), np.nan)
    with pytest.warns(UserWarning, match="constant"):
        model = URerF(**FEW).fit(X)
    assert (model.kneighbors()[0] == 1.0).all()
    graph = model.transform(X)
    np.testing.assert_array_equal(graph.indices[graph.indptr[:-1]], np.arange(12))


def test_a_level_that_was_not_fitted_is_a_missing_value():
    """Such a row is where its other values are."""
    numbers, labels = mixed_table(gaps=0.0)
    frame = frame_of(numbers, labels)
    model = URerF(**FEW).fit(frame)
    unseen = frame.values.copy()
    unseen[:, 3] = np.nan
    near = model.kneighbors(Frame(unseen, frame.schema), n_neighbors=10)[1]
    true = model.kneighbors(frame, n_neighbors=10)[1]
    assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near, true)]) > 0.6


# -- what is kept of the truth when a tenth of the values is missing


@pytest.mark.parametrize(("make", "kept"), [(make_sphere, 0.72), (make_helix, 0.92)])
def test_a_tenth_missing(make, kept):
    manifold = make(1000, random_state=0)
    X = manifold.X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    forest = {"n_estimators": 100, "similarity": "blend", "random_state": 0}
    found = [
        geodesic_precision(URerF(**forest).fit(V).kneighbors(n_neighbors=50)[1], manifold)
        for V in (manifold.X, X)
    ]
    assert found[1] >= kept * found[0]


# -- other settings, other questions


WHOLE = {
    "axis": URerF(**FEW, projection="axis"),
    "one column": URerF(**FEW, density=1),
    "half of the columns": URerF(**FEW, density=0.5),
    "two means": URerF(**FEW, criterion="two_means"),
    "the paper": URerF.paper(n_estimators=20, min_samples_split=20, random_state=0, n_neighbors=5),
}


@pytest.mark.parametrize("model", WHOLE.values(), ids=WHOLE.keys())
def test_other_settings(model):
    """Neighbors on the circle, whose sectors are levels, are near: chance is .25."""
    numbers, labels = mixed_table(gaps=0.0)
    frame = frame_of(numbers, labels)
    angle = np.arctan2(numbers[:, 1], numbers[:, 0])
    distances, near = model.fit(frame).kneighbors()
    apart = np.abs(np.angle(np.exp(1j * (angle[near] - angle[:, None]))))
    assert apart.mean() < 0.2 * np.pi / 2
    assert (distances < 1.0).mean() > 0.9
    distances, ids = model.kneighbors(frame)
    assert (distances[:, 0] == 0.0).all()
    np.testing.assert_array_equal(ids[:, 0], np.arange(200))


def test_missing_values_are_refused_on_request(table):
    with pytest.raises(ValueError, match=r"X.* contains NaN"):
        URerF.paper().fit(table)


def test_geodesic_distances_of_a_mixed_table():
    frame = frame_of(*mixed_table())
    model = URerF(**FEW).fit(frame)
    D = model.geodesic_distances(bridge=True)
    assert np.isfinite(D).all()
    np.testing.assert_allclose(D, D.T, rtol=1e-12)
    assert (np.diag(D) == 0.0).all()
    new = model.geodesic_distances(X=rows_of(frame, [7, 9]), bridge=True)
    assert np.isfinite(new).all()
    assert new[0, 7] == 0.0
    assert new[1, 9] == 0.0


def test_no_path_leads_through_rows_without_any_value(table, model):
    D = model.geodesic_distances()
    others = np.delete(np.arange(200), EMPTY)
    assert np.isinf(D[np.ix_(EMPTY, others)]).all()
    whole = URerF(**FEW).fit(rows_of(table, others))
    parts = np.isinf(whole.geodesic_distances()).any()
    assert np.isinf(D[np.ix_(others, others)]).any() == parts
    assert np.isfinite(model.geodesic_distances(bridge=True)).all()


def test_two_rows_of_different_levels_are_a_step_apart():
    """sqrt(1 / 6) of the width of the number, times the width of a category of two levels."""
    number = np.repeat([0.0, 1.0], 20)[:, None]
    labels = np.tile(np.repeat(["a", "b"], 10), 2)[:, None].astype(object)
    model = URerF(**{**FEW, "n_estimators": 5}).fit(frame_of(number, labels))
    D = model.geodesic_distances(n_neighbors=39)
    np.testing.assert_allclose(D[0, :20], np.repeat([0.0, 1.5 * np.sqrt(1 / 6)], 10), atol=1e-7)
    np.testing.assert_allclose(D[0, 20:30], 1.0, atol=1e-7)


def test_outlier_scores_of_a_mixed_table(table, model):
    """A row of the wrong level, in the middle of the circle, is an outlier."""
    scores = outlier_score(model)
    assert np.isfinite(scores).all()
    assert np.isfinite(outlier_score(model, table)).all()
    numbers, labels = mixed_table(gaps=0.0)
    numbers[0] = 0.0
    labels[0] = "strange"
    assert np.argmax(outlier_score(URerF(**FEW).fit(frame_of(numbers, labels)))) == 0
