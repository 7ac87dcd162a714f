"""A forest on a cluster of processes: the same bits as in one process, for any partitions, and clear errors."""

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

from urerf import URerF
from urerf.dask import DaskURerF, fitted
from urerf.datasets import add_noise, make_helix

pytestmark = pytest.mark.xdist_group("dask")

FEW = {"n_estimators": 7, "n_neighbors": 6, "random_state": 5}
SETTINGS = {
    "defaults": FEW,
    "leaf": {**FEW, "similarity": "leaf", "feature_weighting": "uniform"},
    "bootstrap": {
        **FEW,
        "bootstrap": True,
        "max_samples": None,
        "projection": "axis",
        "criterion": "two_means",
    },
}


@pytest.fixture(scope="module")
def client():
    # Two processes of one thread each; the module's tests share them.
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="2GB"
    )
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(params=["broadcast", "sharded"])
def index(request, monkeypatch):
    """How the leaf index is spread; sharded with blocks of few rows."""
    monkeypatch.setattr(
        fitted, "fits_every_worker", lambda client, size: request.param == "broadcast"
    )
    if request.param == "sharded":
        monkeypatch.setattr(fitted, "TASK_BYTES", 40_000)
    return request.param


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(500, random_state=0).X, 7, random_state=0)


@pytest.fixture(scope="module")
def new(X):
    """New rows, with fitted ones at their own place, at another place, and twice."""
    return np.vstack([X[:20], X[:60] + 0.5, X[40:70], X[40:50]])


def in_partitions(X, lengths):
    """A Dask DataFrame: unlike an array it may have empty partitions, and does not know how long they are."""
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


def assert_same_graph(frame, graph, first=0):
    graph = graph.tocoo()
    frame = frame.compute()
    assert list(frame.columns) == ["row", "neighbor", "distance"]
    np.testing.assert_array_equal(frame["row"], graph.row)
    np.testing.assert_array_equal(frame["neighbor"], graph.col)
    assert_same(frame["distance"], graph.data)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("lengths", [[500], [100, 1, 250, 0, 149]], ids=["one", "uneven"])
def test_same_bits_as_in_one_process(client, index, X, new, settings, lengths):
    local = URerF(**settings).fit(X)
    model = DaskURerF(client=client, **settings).fit(in_partitions(X, lengths))
    assert_same_forest(model.forest_, local.forest_)
    assert_same(model.feature_weights_, local.feature_weights_)
    distances, ids = model.kneighbors()
    assert ids.chunks[0] == tuple(length for length in lengths if length)
    for mine, theirs in zip(dask.compute(distances, ids), local.kneighbors()):
        assert_same(mine, theirs)
    queries = in_partitions(new, [35, 0, 70, len(new) - 105])
    for mine, theirs in zip(
        dask.compute(*model.kneighbors(queries, n_neighbors=4)), local.kneighbors(new, 4)
    ):
        assert_same(mine, theirs)


def test_every_method_says_the_same(client, index, X, new):
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


def test_methods_that_go_through_one_process(client, X, new, tmp_path):
    local = URerF(**FEW).fit(X)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(X, [260, 240]))
    assert_same(model.proximity(da.from_array(new)), local.proximity(new))
    assert_same(
        model.geodesic_distances([3], bridge=True), local.geodesic_distances([3], bridge=True)
    )
    model.save(tmp_path / "model.urerf")
    assert_same(URerF.load(tmp_path / "model.urerf").kneighbors(new)[0], local.kneighbors(new)[0])
    with pytest.raises(TypeError, match=r"URerF\.load"):
        DaskURerF.load(tmp_path / "model.urerf")


def test_to_local_is_the_local_model(client, X, new):
    local = URerF(**FEW).fit(X)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(X, [300, 200]))
    brought = model.to_local()
    assert type(brought) is URerF
    assert brought.get_params() == local.get_params()
    assert_same_forest(brought.forest_, local.forest_)
    for name in ("leaves", "matrix", "fingerprints", "feature_weights"):
        assert_same(getattr(brought._fitted, name), getattr(local._fitted, name))
    assert vars(brought).keys() == vars(local).keys()
    assert_same(brought.transform(new).data, local.transform(new).data)


def test_to_local_refuses_what_does_not_fit_here(client, X, monkeypatch):
    model = DaskURerF(client=client, **FEW).fit(X)
    monkeypatch.setattr(fitted, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=r"to_local: .* GiB is available"):
        model.to_local()


def test_only_some_rows_are_looked_at_of_many(client):
    """Beyond 4096 rows columns are measured, and beyond 2000 judged, on some rows: the same ones as in one process."""
    X = add_noise(make_helix(5000, random_state=1).X, 3, random_state=1)
    settings = {**FEW, "n_estimators": 2, "max_samples": 300}
    local = URerF(**settings).fit(X)
    model = DaskURerF(client=client, **settings).fit(da.from_array(X, chunks=(1111, 4)))
    assert_same(model._fitted.columns.center, local._fitted.columns.center)
    assert_same(model._fitted.columns.unit, local._fitted.columns.unit)
    assert_same(model.relevance_.p_value, local.relevance_.p_value)
    assert_same_forest(model.forest_, local.forest_)


def test_data_frames_of_parquet_files(client, X, tmp_path):
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]).astype(
        {"c3": "float32", "c4": "float32"}
    )
    for i, part in enumerate(np.array_split(np.arange(len(X)), 3)):
        frame.iloc[part].to_parquet(tmp_path / f"{i}.parquet")
    local = URerF(**FEW).fit(frame)
    model = DaskURerF(client=client, **FEW).fit(dd.read_parquet(tmp_path))
    np.testing.assert_array_equal(model.feature_names_in_, local.feature_names_in_)
    assert_same(model.kneighbors()[0].compute(), local.kneighbors()[0])
    with pytest.raises(ValueError, match="X: its columns are"):
        model.apply(dd.from_pandas(frame[frame.columns[::-1]], npartitions=2))


def test_trees_are_batched_to_fit_a_task(client, monkeypatch):
    trees = np.arange(20, 120)
    assert [list(b) for b in fitted._batches(client, trees, 1000, 10, 300)] == [
        list(range(20, 70)),  # two threads
        list(range(70, 120)),
    ]
    monkeypatch.setattr(fitted, "TASK_BYTES", 4 * 10 * 300 * 20)
    assert [len(b) for b in fitted._batches(client, trees, 1000, 10, 300)] == [20] * 5
    monkeypatch.setattr(fitted, "TASK_BYTES", 1)
    assert len(fitted._batches(client, trees, 1000, 10, 300)) == 100


def test_index_is_broadcast_when_it_is_a_small_part_of_a_worker(client):
    assert fitted.fits_every_worker(client, 500_000_000)
    assert not fitted.fits_every_worker(client, 500_000_001)


@pytest.mark.parametrize(
    ("value", "missing"), [(np.nan, "error"), (np.inf, "error"), (np.inf, "handle")]
)
def test_bad_number_names_its_partition(client, X, value, missing):
    X = X.copy()
    X[410, 2] = value
    with pytest.raises(ValueError, match=r"X, partition 4: .*(NaN|infinity)"):
        DaskURerF(client=client, missing=missing, **FEW).fit(da.from_array(X, chunks=(100, 10)))


@pytest.mark.parametrize("rows", [500, 5000], ids=["all rows are donors", "some rows are donors"])
def test_missing_values_are_filled_as_in_one_process(client, rows):
    X = add_noise(make_helix(rows, random_state=0).X, 4, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    settings = {**FEW, "n_estimators": 3, "max_samples": 200}
    local = URerF(**settings).fit(X)
    model = DaskURerF(client=client, **settings)
    model.fit(in_partitions(X, [rows // 3, rows - rows // 3]))
    assert_same(model._fitted.columns.donors, local._fitted.columns.donors)
    assert_same(np.concatenate(dask.compute(*model._fitted.matrices), axis=1), local._fitted.matrix)
    assert_same(model.feature_weights_, local.feature_weights_)
    assert_same_forest(model.forest_, local.forest_)
    for mine, theirs in zip(dask.compute(*model.kneighbors()), local.kneighbors()):
        assert_same(mine, theirs)
    for mine, theirs in zip(dask.compute(*model.kneighbors(X[40:90])), local.kneighbors(X[40:90])):
        assert_same(mine, theirs)


def test_query_with_a_missing_value_is_refused_if_asked_for(client, X):
    model = DaskURerF(client=client, missing="error", **FEW).fit(X)
    new = X[:9].copy()
    new[3, 3] = np.nan
    with pytest.raises(ValueError, match=r"X, partition 0: .*NaN"):
        model.kneighbors(new)


def test_trees_added_later_are_those_grown_at_once(client, index, X, new):
    model = DaskURerF(client=client, warm_start=True, **{**FEW, "n_estimators": 4})
    model.fit(in_partitions(X, [300, 200])).kneighbors()  # makes an index of the first trees
    local = URerF(**FEW).fit(X)
    for _ in range(2):  # the second time there is none to add
        model.set_params(n_estimators=FEW["n_estimators"]).fit(in_partitions(X, [100, 400]))
        assert_same_forest(model.forest_, local.forest_)
        for mine, theirs in zip(dask.compute(*model.kneighbors(new)), local.kneighbors(new)):
            assert_same(mine, theirs)


def test_trees_that_cannot_be_added(client, X):
    model = DaskURerF(client=client, warm_start=True, **FEW).fit(X)
    with pytest.raises(ValueError, match=r"X: with warm_start=True .* the same X"):
        model.fit(X[::-1].copy())
    with pytest.raises(
        ValueError, match="n_estimators: with warm_start=True it must be at least 7"
    ):
        model.set_params(n_estimators=6).fit(X)
    assert model.apply(X[:5]).compute().shape == (5, 7)  # still as it was
    with pytest.raises(ValueError, match=r"max_samples: must not change"):
        model.set_params(n_estimators=8, max_samples=0.5).fit(X)


def test_wrong_column_count_names_its_partition(client, X):
    parts = [dask.delayed(X[:100]), dask.delayed(X[100:200, :9])]
    bad = da.concatenate([da.from_delayed(part, (100, 10), float) for part in parts])
    with pytest.raises(
        ValueError, match=r"X, partition 1: has shape \(100, 9\), but the table has 10 columns"
    ):
        DaskURerF(client=client, **FEW).fit(bad)


def test_other_column_names_name_the_partition(client):
    frames = [
        pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
        pd.DataFrame({"a": [1.0, 2.0], "c": [3.0, 4.0]}),
    ]
    bad = dd.from_delayed([dask.delayed(f) for f in frames], meta=frames[0], verify_meta=False)
    with pytest.raises(
        ValueError, match=r"X, partition 1: has columns \['a', 'c'\], expected \['a', 'b'\]"
    ):
        DaskURerF(client=client, **FEW).fit(bad)


@pytest.mark.parametrize("missing", ["handle", "error"])
def test_values_beyond_float32_name_their_partition(client, X, missing):
    X = X.copy()
    X[250, 0] = 1e300
    with pytest.raises(ValueError, match=r"X, partition 2: has values too large for float32"):
        DaskURerF(client=client, feature_weighting="uniform", missing=missing, **FEW).fit(
            da.from_array(X, chunks=(100, 10))
        )


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1.0, 2.0]], TypeError, "X: must be a Dask array"),
        (da.ones(10), ValueError, "X: must have two dimensions"),
        (da.ones((1, 3)), ValueError, "X: must have at least 2 rows, got 1"),
        (np.array([["a"], ["b"]], dtype=object), ValueError, "X, partition 0: could not convert"),
    ],
)
def test_bad_data(client, X, error, message):
    with pytest.raises(error, match=message):
        DaskURerF(client=client).fit(X)


def test_constant_columns_warn(client):
    with pytest.warns(UserWarning, match="all columns are constant"):
        DaskURerF(client=client, **FEW).fit(da.ones((40, 3), chunks=(10, 3)))


def test_bad_queries(client, X):
    model = DaskURerF(client=client, **FEW).fit(X)
    with pytest.raises(ValueError, match="X: must have the 10 columns"):
        model.kneighbors(da.ones((5, 3)))
    with pytest.raises(
        ValueError, match="n_neighbors: 500 neighbors need at least 501 fitted rows"
    ):
        model.kneighbors(n_neighbors=500)
    with pytest.raises(ValueError, match="mode: must be one of"):
        model.kneighbors_graph(mode="both")


def test_settings_are_those_of_urerf(client):
    model = DaskURerF(11, client=client, max_depth=3)
    assert model.get_params() == URerF(11, max_depth=3).get_params()
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    assert DaskURerF.paper(client=client).get_params() == URerF.paper().get_params()
    with pytest.raises(TypeError, match="unexpected keyword argument 'trees'"):
        DaskURerF(trees=3)
    with pytest.raises(TypeError, match=r"client: must be a distributed\.Client"):
        DaskURerF(client="tcp://host").fit(da.ones((3, 3)))


def test_fitted_model_stays_on_its_cluster(client, X):
    with pytest.raises(TypeError, match=r"use to_local\(\)"):
        pickle.dumps(DaskURerF(client=client, **FEW).fit(X))
