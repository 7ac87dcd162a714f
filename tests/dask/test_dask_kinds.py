"""Kinds of columns on a cluster: the same schema and the same bits as for the whole table."""

import itertools

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from urerf import URerF
from urerf.dask import DaskURerF, kinds
from urerf.dask.kinds import join_cells
from urerf.kinds.convert import Plain, plain

pytestmark = pytest.mark.xdist_group("dask")

FEW = {"n_estimators": 6, "n_neighbors": 5, "random_state": 3}
N = 240
CUTS = [[0, 240], [0, 100, 101, 101, 240], [0, 60, 120, 180, 240]]


@pytest.fixture(scope="module")
def client():
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="2GB"
    )
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(size=N))  # so that partitions hold different levels
    color = np.array([f"color {i}" for i in range(20)], dtype=object)[(20 * t).astype(int)]
    color[::17] = None
    clarity = pd.Categorical.from_codes((3 * t).astype(int), ["I1", "SI", "VS"], ordered=True)
    return pd.DataFrame(
        {
            "id": np.arange(N) * 3 + 7,
            "name": [f"row {i}" for i in range(N)],
            "x": np.sin(6 * t),
            "count": (20 * t).astype(int),
            "color": color,
            "shape": pd.Categorical(rng.choice(["round", "oval", "pear"], N)),
            "clarity": clarity,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta((300 * t).astype(int), unit="D"),
            "date": [f"{1 + int(27 * u)}/{1 + i % 3}/2021" for i, u in enumerate(t)],
            "flag": t > 0.5,
            "gap": np.where(np.arange(N) < 110, np.nan, rng.normal(size=N)),
            "unit": "mm",
        }
    )


def in_partitions(frame, cuts):
    parts = [frame.iloc[start:stop] for start, stop in itertools.pairwise(cuts)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0])


def assert_same_model(model, local, new, delayed_new):
    assert model.schema_ == local.schema_
    np.testing.assert_array_equal(model.feature_relevance_, local.feature_relevance_)
    for mine, theirs in zip(dask.compute(*model.kneighbors()), local.kneighbors(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    mine = dask.compute(*model.kneighbors(delayed_new))
    for one, other in zip(mine, local.kneighbors(new), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("cuts", CUTS, ids=["one", "uneven", "even"])
def test_same_bits_as_the_whole_table(client, frame, cuts):
    local = URerF(**FEW).fit(frame)
    assert [column.kind for column in local.schema_.columns] == [
        *("id", "id", "number", "number", "category", "category"),
        *("ordinal", "datetime", "datetime", "boolean", "number", "ignore"),
    ]
    model = DaskURerF(client=client, **FEW).fit(in_partitions(frame, cuts))
    assert list(model.feature_names_in_) == list(frame.columns)
    new = frame[frame.columns[::-1]].iloc[50:150].assign(shape="square")
    assert_same_model(model, local, new, in_partitions(new, [0, 40, 100]))
    assert model.to_local().schema_ == local.schema_


@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
def test_categoricals(client, frame, unknown):
    frame = frame.assign(color=frame["color"].astype("category"))
    collection = dd.from_pandas(frame, npartitions=4)
    if unknown:
        # every partition has categories of its own
        text = dd.from_pandas(frame.astype({"color": object, "shape": object}), npartitions=4)
        collection = text.astype({"color": "category", "shape": "category"})
        assert not collection["color"].cat.known
    local = URerF(**FEW).fit(frame)
    model = DaskURerF(client=client, **FEW).fit(collection)
    assert_same_model(model, local, frame, collection)


def test_small_groups_of_columns(client, frame, monkeypatch):
    monkeypatch.setattr(kinds, "GROUP_BYTES", 1)
    model = DaskURerF(client=client, **FEW).fit(in_partitions(frame, CUTS[2]))
    assert model.schema_ == URerF(**FEW).fit(frame).schema_


def test_declared_kinds(client, frame):
    declared = {
        "id": "number",
        "count": "category",
        "shape": ["pear", "oval", "round"],
        "x": "ignore",
        6: "category",
    }
    local = URerF(column_kinds=declared, **FEW).fit(frame)
    model = DaskURerF(client=client, column_kinds=declared, **FEW)
    model.fit(in_partitions(frame, CUTS[1]))
    assert_same_model(model, local, frame, in_partitions(frame, CUTS[2]))


def test_arrays(client):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=N), rng.integers(0, 9, N) * 1.5, np.arange(N)])
    declared = {1: "category", 2: "id"}
    local = URerF(column_kinds=declared, **FEW).fit(X)
    model = DaskURerF(client=client, column_kinds=declared, **FEW)
    model.fit(da.from_array(X, chunks=(70, 2)))
    assert_same_model(model, local, X, da.from_array(X, chunks=(100, 3)))
    with pytest.raises(ValueError, match="column_kinds: an array has no column names, got 'x1'"):
        DaskURerF(client=client, column_kinds={"x1": "id"}).fit(da.from_array(X))


def test_verbose_says_which_columns_are_not_used(client, frame, capsys):
    DaskURerF(client=client, verbose=1, **FEW).fit(in_partitions(frame, CUTS[2]))
    assert (
        "Not used: id, name (every value is different); unit (constant)." in capsys.readouterr().err
    )


def test_errors_name_the_partition(client, frame):
    mixed = frame.astype({"x": object})
    mixed.iloc[200, 2] = "high"
    with dask.config.set({"dataframe.convert-string": False}):
        objects = in_partitions(mixed, CUTS[2])
    with pytest.raises(ValueError, match="X, partition 3: column 'x': has values of different"):
        DaskURerF(client=client, **FEW).fit(objects)
    texts = [frame[:120], frame[120:].assign(x="high")]
    different = dd.from_delayed(
        [dask.delayed(part) for part in texts], meta=frame[:0], verify_meta=False
    )
    with pytest.raises(ValueError, match="X, partition 1: column 'x': has text that is not a num"):
        DaskURerF(client=client, **FEW).fit(different)
    missing = {**FEW, "missing": "error"}
    with pytest.raises(ValueError, match=r"X, partition \d: column 'color' contains NaN"):
        DaskURerF(client=client, **missing).fit(in_partitions(frame, CUTS[2]))


# -- columns in parts ----------------------------------------------------------------------------

CELLS = {
    "number": st.one_of(st.none(), st.floats(-9, 9)),
    "text": st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d", " "])),
    "flag": st.one_of(st.none(), st.booleans()),
}


@given(
    st.sampled_from(sorted(CELLS)).flatmap(lambda kind: st.lists(CELLS[kind], max_size=30)),
    st.data(),
)
def test_parts_make_the_whole_column(cells, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(cells)), max_size=4)))
    parts = [
        plain(np.array(cells[start:stop], dtype=object))
        for start, stop in zip([0, *cuts], [*cuts, len(cells)])
    ]
    joined = join_cells(parts)
    whole = plain(np.array(cells, dtype=object))
    if joined.is_text:
        assert joined.values.levels == whole.values.levels
        np.testing.assert_array_equal(joined.values.codes, whole.values.codes)
    elif not whole.is_text:
        assert joined.kind == whole.kind
        np.testing.assert_array_equal(joined.values, whole.values)
    else:  # without a value there is no type
        assert not whole.values.levels
        assert np.isnan(joined.values).all()


def test_text_and_numbers_in_one_column():
    parts = [plain(np.array(["a"], dtype=object)), Plain("number", np.array([1.0]))]
    with pytest.raises(ValueError, match="holds text in some partitions and not in others"):
        join_cells(parts)
