"""DaskURerF gives the same bits as URerF, for any partitions, and clear errors."""

import pickle
from dataclasses import fields

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone

from urerf import URerF, _memory, outlier_score
from urerf.dask import DaskURerF, fitted
from urerf.dask.partitions import checked
from urerf.datasets import add_noise, make_helix

pytestmark = pytest.mark.xdist_group("dask")

FEW = {"n_estimators": 7, "n_neighbors": 6, "random_state": 5}
AXIS = {"projection": "axis", "criterion": "two_means"}
SETTINGS = {
    "defaults": FEW,
    "leaf": {**FEW, "similarity": "leaf", "feature_weighting": "uniform"},
    "bootstrap": {**FEW, **AXIS, "bootstrap": True, "max_samples": None},
    # More rows in a leaf than the forest proposes as candidates.
    "crowded": {**FEW, "n_estimators": 1, "similarity": "blend", "min_samples_split": 100},
}


@pytest.fixture(scope="module")
def client():
    # Two processes with one thread each, shared by all tests of the module.
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="2GB"
    )
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(params=["broadcast", "sharded"])
def index(request, monkeypatch):
    """How the neighbor index is distributed; if sharded, in blocks of few rows."""
    broadcast = request.param == "broadcast"
    monkeypatch.setattr(fitted, "fits_every_worker", lambda client, size: broadcast)
    if not broadcast:
        monkeypatch.setattr(fitted, "TASK_BYTES", 40_000)
    return request.param


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(500, random_state=0).X, 7, random_state=0)


@pytest.fixture(scope="module")
def new(X):
    """New rows, and fitted rows at the same position, at another position and twice."""
    return np.vstack([X[:20], X[:60] + 0.5, X[40:70], X[40:50]])


def in_partitions(X, lengths):
    """Return a Dask DataFrame: its partitions may be empty and their lengths are unknown."""
    parts = [pd.DataFrame(part) for part in np.split(X, np.cumsum(lengths)[:-1])]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=parts[0][:0])


def assert_same(a, b):
    a = np.ascontiguousarray(a)
    b = np.ascontiguousarray(b)
    assert a.shape == b.shape
    assert a.dtype == b.dtype
    assert a.tobytes() == b.tobytes()


def assert_same_forest(a, b):
    for field in fields(a):
        assert_same(getattr(a, field.name), getattr(b, field.name))


def assert_same_graph(frame, graph):
    graph = graph.tocoo()
    frame = frame.compute()
    assert list(frame.columns) == ["row", "neighbor", "distance"]
    np.testing.assert_array_equal(frame["row"], graph.row)
    np.testing.assert_array_equal(frame["neighbor"], graph.col)
    assert_same(frame["distance"], graph.data)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("lengths", [[500], [100, 1, 250, 0, 149]], ids=["one", "uneven"])
def test_neighbors_are_those_of_one_process(client, index, X, new, settings, lengths):
    local = URerF(**settings).fit(X)
    model = DaskURerF(client=client, **settings).fit(in_partitions(X, lengths))
    assert_same_forest(model.forest_, local.forest_)
    assert_same(model.feature_weights_, local.feature_weights_)
    distances, ids = model.kneighbors()
    assert ids.chunks[0] == tuple(length for length in lengths if length)
    for mine, theirs in zip(dask.compute(distances, ids), local.kneighbors()):
        assert_same(mine, theirs)
    queries = in_partitions(new, [35, 0, 70, len(new) - 105])
    found = dask.compute(*model.kneighbors(queries, n_neighbors=4))
    for mine, theirs in zip(found, local.kneighbors(new, 4)):
        assert_same(mine, theirs)


def test_every_method_gives_the_answer_of_one_process(client, index, X, new):
    local = URerF(**FEW).fit(X)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(X, [260, 240]))
    queries = in_partitions(new, [50, len(new) - 50])
    assert_same(model.apply(queries).compute(), local.apply(new))
    assert_same_graph(model.kneighbors_graph(), local.kneighbors_graph())
    assert_same_graph(
        model.kneighbors_graph(queries, 3, mode="connectivity"),
        local.kneighbors_graph(new, 3, mode="connectivity"),
    )
    assert_same_graph(model.transform(queries), local.transform(new))
    assert_same(
        model.kneighbors(n_neighbors=2, return_distance=False).compute(),
        local.kneighbors(n_neighbors=2)[1],
    )


def test_methods_that_run_in_one_process(client, X, new, tmp_path):
    local = URerF(**FEW).fit(X)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(X, [260, 240]))
    assert_same(model.proximity(da.from_array(new)), local.proximity(new))
    stability = [one.neighbor_stability(5).per_row for one in (model, local)]
    assert_same(*stability)
    frames = [one.neighbors_frame(2) for one in (model, local)]
    pd.testing.assert_frame_equal(*frames)
    assert_same(
        model.geodesic_distances([3], bridge=True), local.geodesic_distances([3], bridge=True)
    )
    by_path = model.set_params(similarity="geodesic").kneighbors(da.from_array(new))
    for mine, theirs in zip(
        dask.compute(*by_path), local.set_params(similarity="geodesic").kneighbors(new)
    ):
        assert_same(mine, theirs)
    model.set_params(similarity="blend")
    local.set_params(similarity="blend")
    model.save(tmp_path / "model.urerf")
    assert_same(URerF.load(tmp_path / "model.urerf").kneighbors(new)[0], local.kneighbors(new)[0])
    with pytest.raises(TypeError, match=r"URerF\.load"):
        DaskURerF.load(tmp_path / "model.urerf")


def test_to_local_returns_the_local_model(client, X, new):
    local = URerF(**FEW).fit(X)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(X, [300, 200]))
    copy = model.to_local()
    assert type(copy) is URerF
    assert copy.get_params() == local.get_params()
    assert_same_forest(copy.forest_, local.forest_)
    for name in ("leaves", "matrix", "fingerprints"):
        assert_same(getattr(copy._fitted, name), getattr(local._fitted, name))
    assert_same(copy.feature_weights_, local.feature_weights_)
    assert vars(copy).keys() == vars(local).keys()
    assert_same(copy.transform(new).data, local.transform(new).data)


def test_to_local_refuses_a_model_that_does_not_fit_into_memory(client, X, monkeypatch):
    model = DaskURerF(client=client, **FEW).fit(X)
    monkeypatch.setattr(_memory, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=r"to_local: .* GiB is available"):
        model.to_local()


def test_the_same_sample_of_many_rows_is_measured(client):
    """Columns are measured on 4096 rows and tested for relevance on 2000, at most."""
    X = add_noise(make_helix(5000, random_state=1).X, 3, random_state=1)
    settings = {**FEW, "n_estimators": 2, "max_samples": 300}
    local = URerF(**settings).fit(X)
    model = DaskURerF(client=client, **settings).fit(da.from_array(X, chunks=(1111, 4)))
    assert_same(model._fitted.columns.center, local._fitted.columns.center)
    assert_same(model._fitted.columns.unit, local._fitted.columns.unit)
    assert_same(model.relevance_.p_value, local.relevance_.p_value)
    assert_same_forest(model.forest_, local.forest_)


def test_data_frames_from_parquet_files(client, X, tmp_path):
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    frame = frame.astype({"c3": "float32", "c4": "float32"})
    for i, part in enumerate(np.array_split(np.arange(len(X)), 3)):
        frame.iloc[part].to_parquet(tmp_path / f"{i}.parquet")
    local = URerF(**FEW).fit(frame)
    model = DaskURerF(client=client, **FEW).fit(dd.read_parquet(tmp_path))
    np.testing.assert_array_equal(model.feature_names_in_, local.feature_names_in_)
    assert_same(model.kneighbors()[0].compute(), local.kneighbors()[0])
    reordered = dd.from_pandas(frame[frame.columns[::-1]], npartitions=2)
    assert_same(model.apply(reordered).compute(), local.apply(frame))
    with pytest.raises(ValueError, match="X, partition 0: column 'c2' of the fitted table is miss"):
        model.apply(dd.from_pandas(frame.drop(columns="c2"), npartitions=2))


def test_batches_of_trees_fit_into_a_task(client, monkeypatch):
    trees = range(20, 120)
    batches = fitted.batches(client, trees, 1000, 10, 300)
    assert [list(b) for b in batches] == [list(range(20, 70)), list(range(70, 120))]  # two threads
    monkeypatch.setattr(fitted, "TASK_BYTES", 4 * 10 * 300 * 20)
    assert [len(b) for b in fitted.batches(client, trees, 1000, 10, 300)] == [20] * 5
    monkeypatch.setattr(fitted, "TASK_BYTES", 1)
    assert len(fitted.batches(client, trees, 1000, 10, 300)) == 100


def test_the_index_is_broadcast_if_workers_have_memory_to_spare(client):
    assert fitted.fits_every_worker(client, 500_000_000)
    assert not fitted.fits_every_worker(client, 500_000_001)


@pytest.mark.parametrize(
    ("value", "missing"), [(np.nan, "error"), (np.inf, "error"), (np.inf, "handle")]
)
def test_the_partition_of_a_bad_number_is_named(client, X, value, missing):
    X = X.copy()
    X[410, 2] = value
    with pytest.raises(ValueError, match=r"X, partition 4: .*(NaN|infinity)"):
        DaskURerF(client=client, missing=missing, **FEW).fit(da.from_array(X, chunks=(100, 10)))


def test_masked_values_and_dates_of_an_array_are_read_as_in_one_process():
    masked = np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 3.0)
    np.testing.assert_array_equal(checked(masked, 2, "handle"), [[1, 2], [np.nan, 4]])
    dates = np.array([["1970-01-03"], ["NaT"]], dtype="M8[s]")
    np.testing.assert_array_equal(checked(dates, 1, "handle"), [[2], [np.nan]])
    with pytest.raises(ValueError, match="X: has integers too large for float64"):
        checked(np.array([[10**400]], dtype=object), 1, "handle")


@pytest.mark.parametrize("rows", [500, 5000], ids=["all rows are donors", "some rows are donors"])
def test_missing_values_are_filled_as_in_one_process(client, rows):
    X = add_noise(make_helix(rows, random_state=0).X, 4, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    settings = {**FEW, "n_estimators": 3, "max_samples": 200}
    local = URerF(**settings).fit(X)
    model = DaskURerF(client=client, **settings)
    model.fit(in_partitions(X, [rows // 3, rows - rows // 3]))
    assert_same(model._fitted.columns.donors, local._fitted.columns.donors)
    readings = dask.compute(*model._fitted.readings)
    matrices = [reading.matrix for reading in readings]
    assert_same(np.concatenate(matrices, axis=1), local._fitted.matrix)
    for name in ("column", "value", "n_values", "fingerprint"):
        joined = np.concatenate([getattr(reading.gaps, name) for reading in readings])
        assert_same(joined, getattr(local._fitted.reading.gaps, name))
    assert_same(model.feature_weights_, local.feature_weights_)
    assert_same_forest(model.forest_, local.forest_)
    for mine, theirs in zip(dask.compute(*model.kneighbors()), local.kneighbors()):
        assert_same(mine, theirs)
    for mine, theirs in zip(dask.compute(*model.kneighbors(X[40:90])), local.kneighbors(X[40:90])):
        assert_same(mine, theirs)


def test_rows_without_any_value(client, index):
    """They are in no leaf; in shards as well, where members are positions."""
    X = make_helix(300, random_state=0).X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[[0, 7, 150, 151, 299]] = np.nan
    local = URerF(**FEW).fit(X)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(X, [151, 0, 149]))
    for table in (None, X, X[140:160]):
        for mine, theirs in zip(
            dask.compute(*model.kneighbors(table)), local.kneighbors(table), strict=True
        ):
            assert_same(mine, theirs)
    assert_same_graph(model.transform(X), local.transform(X))
    assert_same(model.apply(X).compute(), local.apply(X))


def test_missing_values_in_queries_are_refused_on_request(client, X):
    model = DaskURerF(client=client, missing="error", **FEW).fit(X)
    new = X[:9].copy()
    new[3, 3] = np.nan
    with pytest.raises(ValueError, match=r"X, partition 0: .*NaN"):
        model.kneighbors(new)


def test_adding_trees_gives_the_forest_grown_at_once(client, index, X, new):
    model = DaskURerF(client=client, warm_start=True, **{**FEW, "n_estimators": 4})
    model.fit(in_partitions(X, [300, 200])).kneighbors()  # builds an index of the first trees
    local = URerF(**FEW).fit(X)
    for _ in range(2):  # the second fit adds no trees
        model.set_params(n_estimators=FEW["n_estimators"]).fit(in_partitions(X, [100, 400]))
        assert_same_forest(model.forest_, local.forest_)
        for mine, theirs in zip(dask.compute(*model.kneighbors(new)), local.kneighbors(new)):
            assert_same(mine, theirs)


def test_the_number_of_trees_is_chosen_as_in_one_process(client):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = DaskURerF(client=client, random_state=0).fit(da.from_array(X, chunks=(25, 2)))
    assert model.n_estimators_ == URerF(random_state=0).fit(X).n_estimators_ == 150


def test_adding_trees_is_refused_for_other_rows_or_parameters(client, X):
    model = DaskURerF(client=client, warm_start=True, **FEW).fit(X)
    with pytest.raises(ValueError, match=r"X: with warm_start=True .* the same X"):
        model.fit(X[::-1].copy())
    message = "n_estimators: with warm_start=True it must be at least 7"
    with pytest.raises(ValueError, match=message):
        model.set_params(n_estimators=6).fit(X)
    assert model.apply(X[:5]).compute().shape == (5, 7)  # the model is unchanged
    with pytest.raises(ValueError, match=r"max_samples: must not change"):
        model.set_params(n_estimators=8, max_samples=0.5).fit(X)
    model.set_params(max_samples="auto", feature_weighting="uniform")
    with pytest.raises(ValueError, match=r"feature_weighting: is 'uniform', but .* was tested"):
        model.fit(X)
    model.set_params(feature_weighting="relevance")
    for change in ({"max_depth": 1}, {"projection": "axis"}):
        (name,) = change
        unchanged = {name: getattr(model, name)}
        with pytest.raises(ValueError, match=f"{name}: must not change"):
            model.set_params(**change).fit(X)
        model.set_params(**unchanged)


def test_the_partition_with_a_wrong_number_of_columns_is_named(client, X):
    parts = [dask.delayed(X[:100]), dask.delayed(X[100:200, :9])]
    bad = da.concatenate([da.from_delayed(part, (100, 10), float) for part in parts])
    message = r"X, partition 1: has shape \(100, 9\), but the table has 10 columns"
    with pytest.raises(ValueError, match=message):
        DaskURerF(client=client, **FEW).fit(bad)


def test_the_partition_with_other_column_names_is_named(client):
    frames = [
        pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
        pd.DataFrame({"a": [1.0, 2.0], "c": [3.0, 4.0]}),
    ]
    bad = dd.from_delayed([dask.delayed(f) for f in frames], meta=frames[0], verify_meta=False)
    message = r"X, partition 1: has columns \['a', 'c'\], expected \['a', 'b'\]"
    with pytest.raises(ValueError, match=message):
        DaskURerF(client=client, **FEW).fit(bad)


@pytest.mark.parametrize("missing", ["handle", "error"])
def test_the_partition_of_values_beyond_float32_is_named(client, X, missing):
    X = X.copy()
    X[250, 0] = 1e300
    model = DaskURerF(client=client, feature_weighting="uniform", missing=missing, **FEW)
    with pytest.raises(ValueError, match=r"X, partition 2: has values too large for float32"):
        model.fit(da.from_array(X, chunks=(100, 10)))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1.0, 2.0]], TypeError, "X: must be a Dask array"),
        (da.ones(10), ValueError, "X: must have two dimensions"),
        (da.ones((1, 3)), ValueError, "X: must have at least 2 rows, got 1"),
        (
            np.array([["a"], ["b"]], dtype=object),
            ValueError,
            "X, partition 0: column 0 contains 'a'",
        ),
        (
            pd.DataFrame({"a": [1.5, 2.5]}),
            TypeError,
            r"X: .*got DataFrame; make it one, .*from_pandas",
        ),
    ],
)
def test_bad_tables_are_refused(client, X, error, message):
    with pytest.raises(error, match=message):
        DaskURerF(client=client).fit(X)


def test_what_needs_a_local_model_says_so(client, X):
    model = DaskURerF(client=client, **FEW).fit(X)
    with pytest.raises(TypeError, match=r"model: is on a cluster; pass model\.to_local\(\)"):
        outlier_score(model)
    with pytest.raises(ValueError, match="set_output: must be 'default', got 'pandas'"):
        model.set_output(transform="pandas").transform(X)


def test_constant_columns_give_a_warning(client):
    with pytest.warns(UserWarning, match="all columns are constant"):
        DaskURerF(client=client, **FEW).fit(da.ones((40, 3), chunks=(10, 3)))


def test_bad_queries_are_refused(client, X):
    model = DaskURerF(client=client, **FEW).fit(X)
    with pytest.raises(ValueError, match="X: must have the 10 columns"):
        model.kneighbors(da.ones((5, 3)))
    message = "n_neighbors: 500 neighbors need at least 501 fitted rows"
    with pytest.raises(ValueError, match=message):
        model.kneighbors(n_neighbors=500)
    with pytest.raises(ValueError, match="mode: must be one of"):
        model.kneighbors_graph(mode="both")


def test_parameters_are_those_of_urerf(client):
    model = DaskURerF(11, client=client, max_depth=3)
    assert model.get_params() == URerF(11, max_depth=3).get_params()
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    assert DaskURerF.paper(client=client).get_params() == URerF.paper().get_params()
    with pytest.raises(TypeError, match="unexpected keyword argument 'trees'"):
        DaskURerF(trees=3)
    with pytest.raises(TypeError, match=r"client: must be a distributed\.Client"):
        DaskURerF(client="tcp://host").fit(da.ones((3, 3)))


def test_a_fitted_model_cannot_be_pickled(client, X):
    with pytest.raises(TypeError, match=r"use to_local\(\)"):
        pickle.dumps(DaskURerF(client=client, **FEW).fit(X))


def test_rows_that_are_not_independent_are_declared_as_in_one_process(client, X):
    table = da.from_array(X, chunks=(200, -1))
    for declared in ({"groups": np.arange(len(X)) // 5}, {"ordered": True}):
        local = URerF(n_estimators=2, random_state=0).fit(X, **declared)
        model = DaskURerF(n_estimators=2, random_state=0, client=client).fit(table, **declared)
        found = model.relevance_
        np.testing.assert_array_equal(found.p_value, local.relevance_.p_value)
        assert found.n_rows == local.relevance_.n_rows
        assert found.notices == local.relevance_.notices
