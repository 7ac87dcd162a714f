"""Bad input raises a ValueError or TypeError that names the argument, and nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from urerf import URerF, _memory
from urerf._messages import UnknownNameError
from urerf.graph import symmetrize

N = 40
NAN = float("nan")
INF = float("inf")
WRONG = (ValueError, TypeError)
QUERIES = ["kneighbors", "kneighbors_graph", "transform", "proximity", "apply"]
BAD_ROWS = [-1, N, [0, N], [[1]], 1.5, [0.0], "a", [True], [None], {"a": 1}, 2**40, -(10**30)]


def forest(**changes) -> URerF:
    settings = {"n_estimators": 3, "min_samples_split": 8, "n_neighbors": 5, "random_state": 0}
    return URerF.paper(**{**settings, **changes})


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(N, 3))


@pytest.fixture(scope="module")
def model(X):
    return forest().fit(X)


# -- The table -------------------------------------------------------------------------------------


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
    "sparse, no rows": sp.csr_matrix((0, 3)),
    "1-D": np.ones(N),
    "3-D": np.ones((N, 3, 2)),
    "a number": 5.0,
    "a word": "table",
    "None": None,
    "complex": with_value(1j, complex),
    "ragged": [[1.0, 2.0, 3.0], [1.0, 2.0]],
    "a dictionary": {"a": [1, 2, 3]},
}
TOO_LARGE = [name for name in TABLES if "beyond float32" in name]


def defaults(**changes) -> URerF:
    return URerF(**{"n_estimators": 3, "n_neighbors": 5, "random_state": 0, **changes})


# The defaults fill missing values, and they divide columns by their width, so that values that are
# too large for the paper's forest fit.
GAPS = [name for name in TABLES if "NaN" in name or name == "None inside"]
FITS = [(forest, name) for name in TABLES]
FITS += [(defaults, name) for name in TABLES if name not in (*TOO_LARGE, *GAPS)]


@pytest.mark.parametrize(("make", "name"), FITS)
def test_fit_refuses_a_bad_table(make, name):
    model = make()
    bad = TABLES[name]
    with pytest.raises(WRONG, match=r"\bX\b"):
        model.fit(bad)
    with pytest.raises(NotFittedError):
        model.kneighbors()


BAD_QUERIES = [(query, bad) for query in QUERIES for bad in TABLES.values() if bad is not None]


@pytest.mark.parametrize(("query", "bad"), [*BAD_QUERIES, ("transform", None), ("apply", None)])
def test_queries_refuse_a_bad_table(model, query, bad):
    with pytest.raises(WRONG, match=r"\bX\b"):
        getattr(model, query)(bad)


def test_a_single_row_is_refused(X):
    with pytest.raises(ValueError, match=r"^X: .*1 sample"):
        forest().fit(X[:1])


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_a_wrong_number_of_columns_is_refused(model, query, columns):
    message = rf"X has {columns} features, but URerF is expecting 3 features"
    with pytest.raises(ValueError, match=message):
        getattr(model, query)(np.ones((5, columns)))


def test_column_names_must_be_strings(X):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"^X: Feature names"):
        forest().fit(pandas.DataFrame(X, columns=["a", 1, 2.5]))


def test_values_near_the_limit_of_float32_are_accepted():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.6e38, 1.6e38], size=(N, 3)) * rng.uniform(0.5, 1, (N, 3))
    for projection in ("axis", "oblique"):
        distances, _ = forest(projection=projection, density=0.9).fit(X).kneighbors()
        assert np.isfinite(distances).all()


SIZES = [(size, np.float64) for size in (1e-320, 1e-300, 1e-30, 1e30, 1e38, 1e300, 1.5e308)]
SIZES += [(size, np.float32) for size in (1e-43, 1e-38, 1e-30, 1e30, 3.4e38)]


@pytest.mark.parametrize(("size", "dtype"), SIZES)
@pytest.mark.parametrize("everywhere", [True, False])
def test_values_of_any_size_fit_or_are_refused_with_the_defaults(size, dtype, everywhere):
    """Either the distances are finite or the error names X; neither case gives a warning."""
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
def test_a_query_before_fit_is_refused(query, X):
    with pytest.raises(NotFittedError):
        getattr(forest(), query)(X)


def test_saving_before_fit_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        forest().save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


# -- All columns constant --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    "settings",
    [{}, {"criterion": "two_means"}, {"criterion": "mclust_bic"}, {"projection": "axis"}],
)
def test_constant_columns_give_a_warning_and_distances_of_zero(make, settings):
    X = make(np.tile([3.0, 0.0, -1e30], (20, 1)))
    model = forest(**settings, min_samples_split=2)
    with pytest.warns(UserWarning, match=r"^X: all columns are constant"):
        model.fit(X)
    assert_all_distances_are_zero(model, X)


def test_constant_columns_with_the_defaults():
    X = np.full((20, 3), 0.1)
    with pytest.warns(UserWarning, match=r"^X: all columns are constant"):
        model = URerF(n_estimators=5, n_neighbors=5, random_state=0).fit(X)
    assert_all_distances_are_zero(model, X)


def assert_all_distances_are_zero(model, X):
    distances, ids = model.kneighbors()
    assert (distances == 0).all()
    assert all(len(set(row)) == 5 and i not in row for i, row in enumerate(ids))
    assert (model.kneighbors(X)[1][:, 0] == np.arange(20)).all()
    assert (model.proximity() == 1).all()
    assert model.kneighbors_graph().nnz == 20 * 6


# -- Parameters ------------------------------------------------------------------------------------


class Thing:
    """A value that no parameter accepts; its repr is the same in every process."""

    def __repr__(self):
        return "Thing()"


NOT_INTEGERS = [1.5, 2.0, True, np.True_, "3", NAN, INF, [3], (), 3j, np.array([3]), Thing(), b"3"]
NOT_INTEGERS += [2**31, 10**30]  # too large
NOT_COUNTS = [0, -1, -(10**30), None, *NOT_INTEGERS]
NOT_SHARES = [0.0, -0.5, 1.5, NAN, INF, -INF, np.float32(1.5)]
NOT_NUMBERS = [True, np.False_, [3], (), 3j, np.array([0.5]), Thing(), b"sqrt"]
NOT_CHOICES = ["", "gini", "RAW", None, True, 1, 0.5, ["axis"], b"axis", Thing()]
BAD = {
    "n_estimators": NOT_COUNTS,
    "n_neighbors": NOT_COUNTS,
    "criterion": [*NOT_CHOICES, "fast-bic", "FAST_BIC"],
    "split_score": [*NOT_CHOICES, "Gain"],
    "projection": [*NOT_CHOICES, "axes"],
    "flat_nodes": [*NOT_CHOICES, "worst"],
    "feature_weighting": [*NOT_CHOICES, "weights"],
    "similarity": [*NOT_CHOICES, "leaves"],
    "column_kinds": [*NOT_CHOICES, {0.5: "id"}, {True: "id"}, {0: 3}, {0: []}, {3: "id"}],
    "missing": [*NOT_CHOICES, "drop"],
    "max_features": [0, -1, None, "log2", "", 2**31, *NOT_SHARES, *NOT_NUMBERS],
    "density": [0, -1, None, "dense", "", 2**31, *NOT_SHARES, *NOT_NUMBERS],
    "min_samples_split": [1, 0, -1, None, "2", 2**31, 10**30, *NOT_SHARES, *NOT_NUMBERS],
    "min_samples_leaf": NOT_COUNTS,
    "max_depth": [0, -1, *NOT_INTEGERS],
    "max_samples": [0, 1, -1, N + 1, 10**30, "all", *NOT_SHARES, *NOT_NUMBERS],
    "bootstrap": [1, 0, None, "yes", "True", 1.0, [], np.array([True])],
    "warm_start": [1, 0, None, "yes", "True", 1.0, [], np.array([True])],
    "n_jobs": [0, np.int64(0), *NOT_INTEGERS],
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
    "min_samples_split": ["auto", 2, 10**6, 1e-9, 1.0, np.float32(0.5), np.int64(2)],
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


def test_every_parameter_is_tested():
    assert set(BAD) == set(GOOD) == set(URerF().get_params())


@pytest.mark.parametrize(("name", "value"), cases(BAD))
def test_a_bad_parameter_is_named(X, name, value):
    with pytest.raises(WRONG, match=rf"^{name}: ") as caught:
        forest(**{name: value}).fit(X)
    assert type(caught.value) in (*WRONG, UnknownNameError)


@pytest.mark.parametrize(("name", "value"), cases(GOOD))
def test_a_good_parameter_is_accepted(X, name, value):
    for bootstrap in (True, False):
        model = forest(**{"bootstrap": bootstrap, name: value}).fit(X)
        assert model.get_params()[name] is value
        assert np.isfinite(model.kneighbors()[0]).all()


@pytest.mark.parametrize("value", [v for v in NOT_COUNTS if v is not None], ids=repr)
def test_queries_refuse_a_bad_n_neighbors(model, X, value):
    for query in (model.kneighbors, model.kneighbors_graph):
        with pytest.raises(WRONG, match=r"^n_neighbors: "):
            query(n_neighbors=value)
        with pytest.raises(WRONG, match=r"^n_neighbors: "):
            query(X, n_neighbors=value)


def test_more_neighbors_than_rows_are_refused(X):
    model = forest(n_neighbors=15).fit(X[:10])
    message = r"^n_neighbors: 15 .* at least 16 fitted rows.* at most 9"
    for query in (model.kneighbors, model.kneighbors_graph, lambda: model.transform(X)):
        with pytest.raises(ValueError, match=message):
            query()
    with pytest.raises(ValueError, match=r"^n_neighbors: "):
        forest(n_neighbors=15).fit_transform(X[:10])


def test_all_other_rows_can_be_neighbors(X):
    few = X[:10]
    model = forest(n_neighbors=9).fit(few)
    everyone = [set(range(10))] * 10
    assert [set(row) for row in model.kneighbors(few, n_neighbors=10)[1]] == everyone
    assert [set(row) for row in model.kneighbors(X[20:30], n_neighbors=10)[1]] == everyone
    assert [{i, *row} for i, row in enumerate(model.kneighbors()[1])] == everyone
    assert model.transform(few).nnz == model.transform(X[20:30]).nnz == 100
    for queries, k in ((None, 10), (few, 11)):
        with pytest.raises(ValueError, match=r"^n_neighbors: "):
            model.kneighbors(queries, n_neighbors=k)


@pytest.mark.parametrize("value", ["", "distances", None, 1, ["distance"]])
def test_an_unknown_mode_is_refused(model, value):
    with pytest.raises(WRONG, match=r"^mode: .*'distance', 'connectivity'"):
        model.kneighbors_graph(mode=value)


@pytest.mark.parametrize("value", ["", "oob", None, 1, ["all"]])
def test_unknown_samples_are_refused(model, value):
    with pytest.raises(WRONG, match=r"^samples: .*'all', 'in_bag', 'out_of_bag'"):
        model.proximity(samples=value)


def test_in_bag_proximities_of_new_rows_are_refused(model, X):
    with pytest.raises(ValueError, match=r"^samples: 'in_bag'"):
        model.proximity(X, samples="in_bag")


@pytest.mark.parametrize("samples", ["all", "in_bag", "out_of_bag"])
def test_a_proximity_that_does_not_fit_into_memory_is_refused(model, monkeypatch, samples):
    monkeypatch.setattr(_memory, "available_memory", lambda: 1000.0)
    message = rf"{N} x {N} proximity needs [\d.]+ GiB, .*kneighbors_graph\(\)"
    with pytest.raises(ValueError, match=message):
        model.proximity(samples=samples)


def test_the_error_states_the_size_of_the_proximity(model, X, monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 2.0**30)
    monkeypatch.setattr(type(model._fitted), "n_samples", 100_000)
    with pytest.raises(ValueError, match=r"100000 x 100000 proximity needs (\d+)") as caught:
        model.proximity()
    gib = float(str(caught.value).split("needs ")[1].split(" GiB")[0])
    assert gib >= 8 * 100_000**2 / 2**30  # at least the float64 values returned
    monkeypatch.setattr(_memory, "available_memory", lambda: 2.0**20)
    with pytest.raises(ValueError, match=rf"{N} x 100000 proximity"):
        model.proximity(X)


@pytest.mark.parametrize("rows", BAD_ROWS, ids=repr)
def test_geodesic_distances_refuse_bad_rows(model, rows):
    with pytest.raises(WRONG, match=r"^rows: "):
        model.geodesic_distances(rows)


@pytest.mark.parametrize("value", NOT_COUNTS, ids=repr)
def test_geodesic_distances_refuse_a_bad_n_neighbors(model, value):
    with pytest.raises(WRONG, match=r"^n_neighbors: "):
        model.geodesic_distances(n_neighbors=value)


def test_geodesic_distances_refuse_other_bad_arguments(model, X, monkeypatch):
    with pytest.raises(TypeError, match=r"^bridge: "):
        model.geodesic_distances(bridge="yes")
    with pytest.raises(ValueError, match=r"^rows: pass either"):
        model.geodesic_distances([0], X=X)
    with pytest.raises(ValueError, match=r"X has 2 features"):
        model.geodesic_distances(X=X[:, :2])
    with pytest.raises(NotFittedError):
        forest().geodesic_distances()
    monkeypatch.setattr(_memory, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match=rf"{N} x {N}"):
        model.geodesic_distances()


def test_available_memory_is_plausible():
    assert 2**20 < _memory.available_memory() < 2**50


@pytest.mark.parametrize("shape", [(3, 4), (4, 3)])
def test_symmetrize_refuses_a_graph_that_is_not_square(shape):
    with pytest.raises(ValueError, match=r"^graph: must be square"):
        symmetrize(sp.csr_matrix(shape))


CELLS = {
    "infinity": (np.inf, "X: column 2 contains infinity in row 3"),
    "missing": (np.nan, "X: column 2 contains NaN, a missing value, in row 3"),
    "text": ("abc", "X: column 2 contains 'abc' in row 3, which is not a number"),
}


@pytest.mark.parametrize("cell", CELLS)
def test_the_error_names_the_column_and_the_row_of_an_array(cell):
    value, text = CELLS[cell]
    X = np.random.default_rng(0).normal(size=(20, 4)).astype(object)
    X[3, 2] = value
    if cell != "text":
        X = X.astype(float)
    with pytest.raises(ValueError, match=text):
        URerF(2, missing="error").fit(X)
    if cell == "infinity":
        with pytest.raises(ValueError, match=text):
            URerF(2).fit(sp.csr_matrix(X))
