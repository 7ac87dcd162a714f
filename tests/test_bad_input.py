"""Bad input: a ValueError or TypeError that names the argument, and nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from urerf import URerF, fitted
from urerf.graph import symmetrize

N = 40
NAN = float("nan")
INF = float("inf")
WRONG = (ValueError, TypeError)
QUERIES = ["kneighbors", "kneighbors_graph", "transform", "proximity", "apply"]
BAD_ROWS = [-1, N, [0, N], [[1]], 1.5, [0.0], "a", [True], [None], {"a": 1}, 2**40, -(10**30)]


def forest(**changes) -> URerF:
    return URerF.paper(
        **{
            "n_estimators": 3,
            "min_samples_split": 8,
            "n_neighbors": 5,
            "random_state": 0,
            **changes,
        }
    )


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(N, 3))


@pytest.fixture(scope="module")
def model(X):
    return forest().fit(X)


# -- the table
# ---------------------------------------------------------------------------------------------------------


def with_value(value, dtype=np.float64):
    X = np.ones((N, 3), dtype=dtype)
    X[7, 1] = value
    return X


TABLES = {
    "NaN": with_value(NAN),
    "NaN in float32": with_value(NAN, np.float32),
    "inf": with_value(INF),
    "-inf": with_value(-INF),
    "None inside": with_value(None, object),
    "text inside": with_value("a", object),
    "NaN in a sparse table": sp.csr_matrix(with_value(NAN)),
    "beyond float32": with_value(1e39),
    "far beyond float32": with_value(-1e308),
    "no rows": np.empty((0, 3)),
    "no columns": np.empty((N, 0)),
    "sparse without rows": sp.csr_matrix((0, 3)),
    "1-D": np.ones(N),
    "3-D": np.ones((N, 3, 2)),
    "a number": 5.0,
    "a word": "table",
    "no table": None,
    "complex": with_value(1j, complex),
    "ragged": [[1.0, 2.0, 3.0], [1.0, 2.0]],
    "a dictionary": {"a": [1, 2, 3]},
}


TOO_LARGE = [name for name in TABLES if "beyond float32" in name]


def defaults(**changes) -> URerF:
    return URerF(**{"n_estimators": 3, "n_neighbors": 5, "random_state": 0, **changes})


GAPS = [name for name in TABLES if "NaN" in name or name == "None inside"]  # the defaults fill them
# The defaults divide columns by their width, so what is too large for the paper's forest fits.
FITS = [(forest, name) for name in TABLES] + [
    (defaults, name) for name in TABLES if name not in (*TOO_LARGE, *GAPS)
]


@pytest.mark.parametrize(("make", "name"), FITS)
def test_fit_refuses_the_table(make, name):
    model = make()
    bad = TABLES[name]
    with pytest.raises(WRONG, match=r"\bX\b"):
        model.fit(bad)
    with pytest.raises(NotFittedError):
        model.kneighbors()


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("bad", [v for k, v in TABLES.items() if k != "no table"])
def test_queries_refuse_the_table(model, query, bad):
    with pytest.raises(WRONG, match=r"\bX\b"):
        getattr(model, query)(bad)


@pytest.mark.parametrize("query", ["transform", "apply"])
def test_queries_that_need_a_table(model, query):
    with pytest.raises(WRONG, match=r"\bX\b"):
        getattr(model, query)(None)


def test_one_row(X):
    with pytest.raises(ValueError, match=r"^X: .*1 sample"):
        forest().fit(X[:1])


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_wrong_number_of_columns(model, query, columns):
    with pytest.raises(
        ValueError, match=rf"X has {columns} features, but URerF is expecting 3 features"
    ):
        getattr(model, query)(np.ones((5, columns)))


def test_names_that_are_no_strings(X):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"^X: Feature names"):
        forest().fit(pandas.DataFrame(X, columns=["a", 1, 2.5]))


def test_values_at_the_edge_of_float32():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.6e38, 1.6e38], size=(N, 3)) * rng.uniform(0.5, 1, (N, 3))
    for projection in ("axis", "oblique"):
        distances, _ = forest(projection=projection, density=0.9).fit(X).kneighbors()
        assert np.isfinite(distances).all()


SIZES = [(size, np.float64) for size in (1e-320, 1e-300, 1e-30, 1e30, 1e38, 1e300, 1.5e308)]
SIZES += [(size, np.float32) for size in (1e-43, 1e-38, 1e-30, 1e30, 3.4e38)]


@pytest.mark.parametrize(("size", "dtype"), SIZES)
@pytest.mark.parametrize("everywhere", [True, False])
def test_values_of_any_size_with_the_defaults(size, dtype, everywhere):
    """Either they fit, and distances are finite, or X is named; no warning in either case."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(N, 3)) * (size if everywhere else [1, size, 1])
    try:
        distances = defaults().fit(X.astype(dtype)).kneighbors()[0]
        message = None
    except ValueError as error:
        distances = None
        message = str(error)
    if message is None:
        assert np.isfinite(distances).all()
    else:
        assert message.startswith("X: has values too large")
        assert size > 1e300


@pytest.mark.parametrize("query", QUERIES)
def test_query_before_fit(query, X):
    with pytest.raises(NotFittedError):
        getattr(forest(), query)(X)


def test_save_before_fit(tmp_path):
    with pytest.raises(NotFittedError):
        forest().save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


# -- all columns constant
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    "settings",
    [{}, {"criterion": "two_means"}, {"criterion": "mclust_bic"}, {"projection": "axis"}],
)
def test_all_columns_constant(make, settings):
    X = make(np.tile([3.0, 0.0, -1e30], (20, 1)))
    model = forest(**settings, min_samples_split=2)
    with pytest.warns(UserWarning, match=r"^X: all columns are constant"):
        model.fit(X)
    all_near_each_other(model, X)


def test_all_columns_constant_with_the_defaults():
    X = np.full((20, 3), 0.1)
    with pytest.warns(UserWarning, match=r"^X: all columns are constant"):
        model = URerF(n_estimators=5, n_neighbors=5, random_state=0).fit(X)
    all_near_each_other(model, X)


def all_near_each_other(model, X):
    distances, ids = model.kneighbors()
    assert (distances == 0).all()
    assert all(len(set(row)) == 5 and i not in row for i, row in enumerate(ids))
    assert (model.kneighbors(X)[1][:, 0] == np.arange(20)).all()
    assert (model.proximity() == 1).all()
    assert model.kneighbors_graph().nnz == 20 * 6


# -- parameters
# --------------------------------------------------------------------------------------------------------


class Thing:
    """Something that is no setting; its name is the same in every process."""

    def __repr__(self):
        return "Thing()"


NO_INTEGERS = [
    1.5,
    2.0,
    True,
    np.True_,
    "3",
    NAN,
    INF,
    [3],
    (),
    3j,
    np.array([3]),
    Thing(),
    b"3",
    2**31,
    10**30,
]
NO_COUNTS = [0, -1, -(10**30), None, *NO_INTEGERS]
NO_SHARES = [0.0, -0.5, 1.5, NAN, INF, -INF, np.float32(1.5)]
NO_NUMBERS = [True, np.False_, [3], (), 3j, np.array([0.5]), Thing(), b"sqrt"]
NO_CHOICE = ["", "gini", "RAW", None, True, 1, 0.5, ["axis"], b"axis", Thing()]
BAD = {
    "n_estimators": NO_COUNTS,
    "n_neighbors": NO_COUNTS,
    "criterion": [*NO_CHOICE, "fast-bic", "FAST_BIC"],
    "split_score": [*NO_CHOICE, "Gain"],
    "projection": [*NO_CHOICE, "axes"],
    "flat_nodes": [*NO_CHOICE, "worst"],
    "feature_weighting": [*NO_CHOICE, "weights"],
    "similarity": [*NO_CHOICE, "leaves"],
    "column_kinds": [*NO_CHOICE, {0.5: "id"}, {True: "id"}, {0: 3}, {0: []}, {3: "id"}, {"a": "id"}],
    "missing": [*NO_CHOICE, "drop"],
    "max_features": [0, -1, None, "log2", "", 2**31, *NO_SHARES, *NO_NUMBERS],
    "density": [0, -1, None, "dense", "", 2**31, *NO_SHARES, *NO_NUMBERS],
    "min_samples_split": [1, 0, -1, None, "2", 2**31, 10**30, *NO_SHARES, *NO_NUMBERS],
    "min_samples_leaf": NO_COUNTS,
    "max_depth": [0, -1, *NO_INTEGERS],
    "max_samples": [0, 1, -1, N + 1, 10**30, "all", *NO_SHARES, *NO_NUMBERS],
    "bootstrap": [1, 0, None, "yes", "True", 1.0, [], np.array([True])],
    "warm_start": [1, 0, None, "yes", "True", 1.0, [], np.array([True])],
    "n_jobs": [0, np.int64(0), *NO_INTEGERS],
    "random_state": [-1, 2**32, 1.5, NAN, "0", [1, 2], Thing(), np.random.default_rng(0)],
    "verbose": [-1, 1.5, None, "1", [1], NAN],
}
GOOD = {
    "n_estimators": [1, np.int8(2), np.uint64(3)],
    "n_neighbors": [1, np.int32(3)],
    "criterion": ["two_means", np.str_("mclust_bic")],
    "split_score": ["gain", np.str_("raw")],
    "projection": ["axis", np.str_("oblique")],
    "flat_nodes": ["random", np.str_("best")],
    "feature_weighting": ["relevance", np.str_("uniform")],
    "similarity": ["depth", np.str_("leaf")],
    "column_kinds": ["auto", {}, {0: "category"}, {np.int64(1): np.str_("ignore")}],
    "missing": ["handle", np.str_("error")],
    "max_features": [1, 50, 0.01, 1.0, np.float32(0.5), np.int64(2), np.str_("sqrt")],
    "density": [1, 50, 1e-9, 1.0, np.float32(0.5), np.int64(2), "auto"],
    "min_samples_split": [2, 10**6, 1e-9, 1.0, np.float32(0.5), np.int64(2)],
    "min_samples_leaf": [1, 10**6, np.int64(2)],
    "max_depth": [None, 1, 2**31 - 1, np.int64(2)],
    "max_samples": [None, "auto", 2, N, 1e-9, 1.0, np.float32(0.5), np.int64(20)],
    "bootstrap": [False, np.False_, np.True_],
    "warm_start": [False, np.False_, np.True_],
    "n_jobs": [None, 1, 2, -1, -100, np.int64(2)],
    "random_state": [None, 0, 2**32 - 1, np.int64(3), np.random.RandomState(0)],
    "verbose": [0, 1, 10, True, np.int64(1)],
}


def cases(table: dict[str, list]) -> list:
    return [
        pytest.param(name, v, id=f"{name}={v!r:.20}")
        for name, values in table.items()
        for v in values
    ]


def test_every_parameter_is_tried():
    assert set(BAD) == set(GOOD) == set(URerF().get_params())


@pytest.mark.parametrize(("name", "value"), cases(BAD))
def test_a_bad_parameter_is_named(X, name, value):
    with pytest.raises(WRONG, match=rf"^{name}: ") as caught:
        forest(**{name: value}).fit(X)
    assert type(caught.value) in WRONG


@pytest.mark.parametrize(("name", "value"), cases(GOOD))
def test_a_good_parameter_is_taken(X, name, value):
    for bootstrap in (True, False):
        model = forest(**{"bootstrap": bootstrap, name: value}).fit(X)
        assert model.get_params()[name] is value
        assert np.isfinite(model.kneighbors()[0]).all()


@pytest.mark.parametrize("value", [v for v in NO_COUNTS if v is not None], ids=repr)
def test_n_neighbors_of_a_query(model, X, value):
    for query in (model.kneighbors, model.kneighbors_graph):
        with pytest.raises(WRONG, match=r"^n_neighbors: "):
            query(n_neighbors=value)
        with pytest.raises(WRONG, match=r"^n_neighbors: "):
            query(X, n_neighbors=value)


def test_more_neighbours_than_rows(X):
    model = forest(n_neighbors=15).fit(X[:10])
    for query in (model.kneighbors, model.kneighbors_graph, lambda: model.transform(X)):
        with pytest.raises(
            ValueError, match=r"^n_neighbors: 15 .* at least 16 fitted rows.* at most 9"
        ):
            query()
    with pytest.raises(ValueError, match=r"^n_neighbors: "):
        forest(n_neighbors=15).fit_transform(X[:10])


def test_as_many_neighbours_as_there_are(X):
    few = X[:10]
    model = forest(n_neighbors=9).fit(few)
    everyone = [set(range(10))] * 10
    assert [set(row) for row in model.kneighbors(few, n_neighbors=10)[1]] == everyone
    assert [set(row) for row in model.kneighbors(X[20:30], n_neighbors=10)[1]] == everyone
    assert [{i, *row} for i, row in enumerate(model.kneighbors()[1])] == everyone
    assert model.transform(few).nnz == model.transform(X[20:30]).nnz == 100
    for X_asked, k in ((None, 10), (few, 11)):
        with pytest.raises(ValueError, match=r"^n_neighbors: "):
            model.kneighbors(X_asked, n_neighbors=k)


@pytest.mark.parametrize("value", ["", "distances", None, 1, ["distance"]])
def test_mode(model, value):
    with pytest.raises(WRONG, match=r"^mode: .*'distance', 'connectivity'"):
        model.kneighbors_graph(mode=value)


@pytest.mark.parametrize("value", ["", "oob", None, 1, ["all"]])
def test_samples(model, value):
    with pytest.raises(WRONG, match=r"^samples: .*'all', 'in_bag', 'out_of_bag'"):
        model.proximity(samples=value)


def test_new_rows_are_in_no_bag(model, X):
    with pytest.raises(ValueError, match=r"^samples: 'in_bag'"):
        model.proximity(X, samples="in_bag")


@pytest.mark.parametrize("samples", ["all", "in_bag", "out_of_bag"])
def test_a_proximity_that_does_not_fit_in_memory(model, monkeypatch, samples):
    monkeypatch.setattr(fitted, "available_memory", lambda: 1000.0)
    with pytest.raises(
        ValueError, match=rf"{N} x {N} proximity needs [\d.]+ [KMG]iB, .*kneighbors_graph\(\)"
    ):
        model.proximity(samples=samples)


def test_how_large_a_proximity_would_be(model, X, monkeypatch):
    monkeypatch.setattr(fitted, "available_memory", lambda: 2.0**30)
    monkeypatch.setattr(type(model._fitted), "n_samples", 100_000)
    with pytest.raises(ValueError, match=r"100000 x 100000 proximity needs (\d+)") as caught:
        model.proximity()
    gib = float(str(caught.value).split("needs ")[1].split(" GiB")[0])
    assert gib >= 8 * 100_000**2 / 2**30  # at least the float64 that are handed back
    monkeypatch.setattr(fitted, "available_memory", lambda: 2.0**20)
    with pytest.raises(ValueError, match=rf"{N} x 100000 proximity"):
        model.proximity(X)


@pytest.mark.parametrize("rows", BAD_ROWS, ids=repr)
def test_rows_of_geodesic_distances(model, rows):
    with pytest.raises(WRONG, match=r"^rows: "):
        model.geodesic_distances(rows)


@pytest.mark.parametrize("value", NO_COUNTS, ids=repr)
def test_n_neighbors_of_geodesic_distances(model, value):
    with pytest.raises(WRONG, match=r"^n_neighbors: "):
        model.geodesic_distances(n_neighbors=value)


def test_other_arguments_of_geodesic_distances(model, X, monkeypatch):
    with pytest.raises(TypeError, match=r"^bridge: "):
        model.geodesic_distances(bridge="yes")
    with pytest.raises(ValueError, match=r"^rows: pass either"):
        model.geodesic_distances([0], X=X)
    with pytest.raises(ValueError, match=r"X has 2 features"):
        model.geodesic_distances(X=X[:, :2])
    with pytest.raises(NotFittedError):
        forest().geodesic_distances()
    monkeypatch.setattr(fitted, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=rf"{N} x {N}"):
        model.geodesic_distances()


def test_memory_is_measured():
    assert 2**20 < fitted.available_memory() < 2**50


@pytest.mark.parametrize("shape", [(3, 4), (4, 3)])
def test_symmetrize_needs_a_square(shape):
    with pytest.raises(ValueError, match=r"^graph: must be square"):
        symmetrize(sp.csr_matrix(shape))
