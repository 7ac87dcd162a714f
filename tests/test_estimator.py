"""URerF as a scikit-learn estimator: checks, clone, pickle, pipelines, input types, import time."""

import ast
import inspect
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.compose import ColumnTransformer
from sklearn.manifold import Isomap
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from urerf import URerF
from urerf.datasets import add_noise, make_helix
from urerf.forest import Forest
from urerf.relevance import column_relevance
from urerf.schema import Column, Frame, Schema

# Few trees and small nodes: the tables of scikit-learn's checks have 10 to 30 rows, and every tree
# should still be split.
SETTINGS = [
    URerF(n_estimators=10),
    URerF.paper(n_estimators=10, min_samples_split=4),
    URerF(n_estimators=10, projection="axis", max_features=0.5, min_samples_split=0.1),
    URerF(
        n_estimators=10,
        criterion="two_means",
        split_score="raw",
        min_samples_split=5,
        n_neighbors=3,
    ),
    URerF(n_estimators=3, criterion="mclust_bic", min_samples_split=8, density=0.5),
    URerF(
        n_estimators=10, bootstrap=False, max_samples=0.6, min_samples_split=4, min_samples_leaf=2
    ),
    URerF(
        n_estimators=10,
        feature_weighting="uniform",
        similarity="leaf",
        flat_nodes="best",
        density=1,
    ),
    URerF(
        n_estimators=10,
        max_depth=1,
        density=2,
        max_features=3,
        min_samples_split=2,
        n_jobs=2,
        random_state=1,
    ),
]


@parametrize_with_checks(SETTINGS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def forest(**changes) -> URerF:
    settings = {"n_estimators": 20, "min_samples_split": 10, "n_neighbors": 5, "random_state": 0}
    return URerF.paper(**{**settings, **changes})


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(80, 4)) @ np.diag([1.0, 5.0, 0.2, 30.0])


@pytest.fixture(scope="module")
def new(X):
    return X[::-1][:30] + 0.05


def answers(model: URerF, new) -> list[np.ndarray]:
    """Return what a fitted model answers for its own rows and for new ones."""
    graph = model.transform(new)
    return [
        *model.kneighbors(),
        *model.kneighbors(new),
        model.apply(new),
        model.proximity(),
        model.proximity(new),
        graph.data,
        graph.indices,
    ]


def assert_same(a: list[np.ndarray], b: list[np.ndarray]) -> None:
    assert len(a) == len(b)
    for x, y in zip(a, b):
        np.testing.assert_array_equal(x, y)


# -- Parameters, clone, pickle ---------------------------------------------------------------------


def test_parameters_are_stored_untouched():
    values = {name: object() for name in URerF().get_params()}
    model = URerF(**values)
    assert all(vars(model)[name] is value for name, value in values.items())
    assert model.get_params() == values


@pytest.mark.parametrize("function", [URerF, column_relevance], ids=lambda f: f.__name__)
def test_defaults_are_those_of_the_documentation(function):
    documented = re.findall(r"^    (\w+) : .*default=(.+)$", function.__doc__, re.MULTILINE)
    parameters = inspect.signature(function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    assert {name: ast.literal_eval(text) for name, text in documented} == defaults


def test_set_params_refuses_unknown_names():
    with pytest.raises(ValueError, match="Invalid parameter 'n_trees'"):
        URerF().set_params(n_trees=3)


def test_paper_has_the_settings_of_the_paper():
    paper = URerF.paper().get_params()
    expected = {
        "n_estimators": 300,
        "criterion": "fast_bic",
        "split_score": "raw",
        "projection": "oblique",
        "flat_nodes": "best",
        "max_features": "sqrt",
        "density": 1,
        "min_samples_split": 100,
        "min_samples_leaf": 1,
        "max_depth": None,
        "max_samples": None,
        "bootstrap": True,
        "feature_weighting": "uniform",
        "similarity": "leaf",
    }
    assert {name: paper[name] for name in expected} == expected
    changed = URerF.paper(projection="axis", n_jobs=2).get_params()
    assert {k for k in paper if paper[k] != changed[k]} == {"projection", "n_jobs"}
    with pytest.raises(TypeError, match="n_trees"):
        URerF.paper(n_trees=3)


def test_clone_is_unfitted_and_equal(X):
    model = forest(max_depth=3).fit(X)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "forest_")
    assert not hasattr(copy, "n_features_in_")


def test_a_first_fit_that_fails_leaves_nothing_behind(X):
    """Not even what is known before the forest is grown."""
    model = URerF(n_estimators=2)
    with pytest.raises(ValueError, match="groups: must have one value per row"):
        model.fit(X, groups=[1])
    assert not hasattr(model, "n_features_in_")
    assert vars(model) == vars(URerF(n_estimators=2))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_model_gives_the_same_answers(X, new, protocol):
    model = forest().fit(X)
    before = pickle.dumps(model, protocol)
    expected = answers(model, new)
    assert_same(answers(pickle.loads(before), new), expected)
    # The neighbor index is built when it is first needed and is not pickled.
    assert len(pickle.dumps(model, protocol)) == len(before)


@pytest.mark.parametrize(
    "name",
    ["forest_", "n_estimators_", "n_samples_fit_", "schema_", "relevance_", "similarity_"],
)
def test_attributes_of_an_unfitted_model_ask_for_fit(name):
    for settings in ({}, {"similarity": "leaf"}):
        model = URerF(**settings)
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=r"not fitted yet\. Call 'fit'"):
            getattr(model, name)


def test_too_few_rows_name_the_estimator():
    for X in (np.ones((1, 2)), np.empty((0, 2))):
        with pytest.raises(ValueError, match="a minimum of 2 is required by URerF"):
            URerF().fit(X)


def test_an_unfitted_model_can_be_pickled():
    assert pickle.loads(pickle.dumps(forest())).get_params() == forest().get_params()


def test_fit_returns_self_and_ignores_y(X, new):
    model = forest()
    assert model.fit(X, y=np.arange(80)) is model
    assert_same(answers(model, new), answers(forest().fit(X), new))


def test_groups_have_one_value_per_row(X):
    groups = np.arange(80) // 2
    assert forest(feature_weighting="relevance").fit(X, groups=groups).relevance_.n_rows == 40
    with pytest.raises(ValueError, match=r"groups: must have one value per row, shape \(80,\)"):
        forest(feature_weighting="relevance").fit(X, groups=groups[:4])


def test_refitting_forgets_the_first_fit(X, new):
    model = forest().fit(X[:50, :3])
    model.kneighbors()
    model.fit(X)
    assert (model.n_samples_fit_, model.n_features_in_) == (80, 4)
    assert_same(answers(model, new), answers(forest().fit(X), new))


def test_n_neighbors_may_be_changed_after_fit(X):
    model = forest().fit(X)
    assert model.kneighbors()[1].shape == (80, 5)
    model.set_params(n_neighbors=7)
    assert model.kneighbors()[1].shape == (80, 7)
    assert model.transform(X).nnz == 80 * 8


def test_similarity_may_be_changed_after_fit(X):
    for index_exists in (True, False):
        model = forest(similarity="depth").fit(X)
        if index_exists:
            model.kneighbors()
        assert_same(answers(model.set_params(similarity="leaf"), X), answers(forest().fit(X), X))
    with pytest.raises(ValueError, match=r"^similarity: "):
        model.set_params(similarity="twig").kneighbors()


def test_feature_names_out_are_numbered(X):
    names = forest().fit(X).get_feature_names_out()
    assert list(names[:2]) == ["urerf0", "urerf1"]
    assert len(names) == 80


def test_distances_can_be_left_out(X):
    model = forest().fit(X)
    np.testing.assert_array_equal(model.kneighbors(return_distance=False), model.kneighbors()[1])


def test_verbose_prints_nothing_without_a_terminal(X, capsys):
    forest(verbose=1).fit(X)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "growing" not in captured.err


# -- Warm start ------------------------------------------------------------------------------------


FEW = {"n_neighbors": 8, "random_state": 3}


@pytest.fixture(scope="module")
def helix():
    return add_noise(make_helix(300).X, 20, random_state=0)


def assert_same_model(a: URerF, b: URerF) -> None:
    rows = np.random.default_rng(0).normal(size=(5, a.n_features_in_))
    assert_same(answers(a, rows), answers(b, rows))
    np.testing.assert_array_equal(a.forest_.child, b.forest_.child)
    np.testing.assert_array_equal(a.forest_.coefficients, b.forest_.coefficients)


@pytest.mark.parametrize("make", [URerF, URerF.paper])
def test_adding_trees_gives_the_forest_grown_at_once(helix, make):
    model = make(n_estimators=10, warm_start=True, **FEW).fit(helix)
    assert_same_model(model, make(n_estimators=10, **FEW).fit(helix))  # also builds the index
    for trees in (10, 15, 20):
        model.set_params(n_estimators=trees).fit(helix)
    assert_same_model(model, make(n_estimators=20, **FEW).fit(helix))
    assert hasattr(model, "relevance_") == (make is URerF)


def test_trees_can_be_added_to_a_loaded_model(helix, tmp_path):
    URerF(n_estimators=10, warm_start=True, **FEW).fit(helix).save(tmp_path / "m")
    model = URerF.load(tmp_path / "m").set_params(n_estimators=20).fit(helix)
    assert_same_model(model, URerF(n_estimators=20, **FEW).fit(helix))


def test_added_trees_use_the_first_seed_if_random_state_is_none(helix):
    model = URerF(n_estimators=5, warm_start=True).fit(helix)
    seed = model._fitted.seed
    assert model.set_params(n_estimators=9).fit(helix)._fitted.seed == seed
    assert len(set(model.forest_.tree_key.tolist())) == 9


def test_adding_trees_is_refused_for_other_rows_or_fewer_trees(helix):
    model = URerF(n_estimators=5, warm_start=True, **FEW).fit(helix)
    for other in (helix[:200], helix[::-1], helix + 1):
        with pytest.raises(ValueError, match="X: with warm_start=True"):
            model.set_params(n_estimators=8).fit(other)
    message = "n_estimators: with warm_start=True it must be at least 5"
    with pytest.raises(ValueError, match=message):
        model.set_params(n_estimators=4).fit(helix)
    model.set_params(n_estimators=5).fit(helix)
    assert_same_model(model, URerF(n_estimators=5, **FEW).fit(helix))


def test_adding_trees_is_refused_with_another_choice_of_columns(helix):
    model = URerF(n_estimators=5, warm_start=True, **FEW).fit(helix)
    message = "^feature_weighting: is 'uniform', but the relevance of the columns was tested"
    with pytest.raises(ValueError, match=message):
        model.set_params(n_estimators=8, feature_weighting="uniform").fit(helix)


@pytest.mark.parametrize("change", [{"max_depth": 1}, {"max_samples": 0.5}, {"density": 1}])
def test_adding_trees_is_refused_with_settings_that_the_first_trees_contradict(helix, change):
    model = URerF(n_estimators=5, warm_start=True, **FEW).fit(helix)
    (name,) = change
    with pytest.raises(ValueError, match=rf"^{name}: is .*, but the forest .*; set it back"):
        model.set_params(n_estimators=8, **change).fit(helix)
    assert model.n_estimators_ == 5


def test_an_interrupted_fit_changes_nothing(helix, monkeypatch):
    model = URerF(n_estimators=5, **FEW).fit(helix)
    before = {name: id(value) for name, value in vars(model).items()}
    fresh = URerF(n_estimators=5, **FEW)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Forest, "apply", interrupt)
    for estimator in (model, fresh):
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(helix[:, :10])
    assert {name: id(value) for name, value in vars(model).items()} == before
    assert not [name for name in vars(fresh) if name.endswith("_")]


# -- Types of input --------------------------------------------------------------------------------


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def strided(X):
    wide = np.full((2 * len(X), 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def swapped_bytes(X):
    return X.astype(X.dtype.newbyteorder())


KINDS = {
    "fortran": np.asfortranarray,
    "read-only": read_only,
    "strided": strided,
    "reversed": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "other byte order": swapped_bytes,
    "list": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
    "transposed": lambda X: np.ascontiguousarray(X.T).T,
    "csr": sp.csr_matrix,
    "csr array": sp.csr_array,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "lil": sp.lil_matrix,
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_every_kind_of_array_gives_the_same_answers(X, new, kind):
    X = np.where(np.abs(X) < 0.5, 0, X)
    new = np.where(np.abs(new) < 0.5, 0, new)
    expected = answers(forest().fit(X), new)
    given = kind(X)
    assert_same(answers(forest().fit(given), kind(new)), expected)
    unchanged = given.toarray() if sp.issparse(given) else given
    np.testing.assert_array_equal(np.asarray(unchanged, dtype=float), X)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
)
def test_every_type_of_number_gives_the_same_answers(dtype):
    values = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 100, (60, 4))
    X = values[:40].astype(dtype)
    new = values[40:].astype(dtype)
    expected = answers(forest().fit(X.astype(np.float64)), new.astype(np.float64))
    assert_same(answers(forest().fit(X), new), expected)
    assert_same(answers(forest().fit(sp.csr_matrix(X)), sp.csr_matrix(new)), expected)


@pytest.mark.parametrize(
    "model", [forest(), URerF(n_estimators=20, n_neighbors=5, random_state=0)], ids=repr
)
def test_float32_and_float64_give_the_same_answers(X, new, model):
    X = X.astype(np.float32)
    new = new.astype(np.float32)
    single = clone(model).fit(X)
    double = clone(model).fit(X.astype(np.float64))
    assert_same(answers(single, new), answers(double, new.astype(np.float64)))
    # The median of an even number of rows is the mean of two values, which float32 would round.
    np.testing.assert_array_equal(single._fitted.columns.center, double._fitted.columns.center)
    np.testing.assert_array_equal(single._fitted.columns.unit, double._fitted.columns.unit)


def test_a_large_offset_does_not_cost_precision(X, new):
    """Steps of 2**-10 at 2**40 are exact in float64 but far beyond the precision of float32."""
    X = np.round(X * 1024) / 1024
    new = np.round(new * 1024) / 1024
    assert_same(answers(forest().fit(X + 2.0**40), new + 2.0**40), answers(forest().fit(X), new))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_give_feature_names_that_must_match(X, new, library):
    frames = pytest.importorskip(library)
    columns = ["height", "b", "c", "d"]
    frame = frames.DataFrame(dict(zip(columns, X.T)))
    queries = frames.DataFrame(dict(zip(columns, new.T)))
    model = forest().fit(frame)
    assert list(model.feature_names_in_) == columns
    assert_same(answers(model, queries), answers(forest().fit(X), new))
    one_row = model.kneighbors(queries[:1])
    assert_same([one_row[0][0], one_row[1][0]], [found[0] for found in model.kneighbors(queries)])
    reordered = queries[["b", "height", "c", "d"]]
    names = {"d": "e"}
    renamed = queries.rename(names) if library == "polars" else queries.rename(columns=names)
    for name in ("kneighbors", "kneighbors_graph", "transform", "proximity", "apply"):
        method = getattr(model, name)
        by_name = method(reordered)
        in_order = method(queries)
        for one, other in zip(by_name, in_order, strict=True):
            assert abs(one - other).max() == 0
        for wrong in (renamed, queries[columns[:3]]):
            with pytest.raises(ValueError, match="X: column 'd' of the fitted table is missing"):
                method(wrong)
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            method(new)


def test_a_frame_of_other_columns_is_refused(X, new):
    schema = Schema(tuple(Column(name) for name in "abcd"))
    other = Schema(tuple(Column(name) for name in "abce"))
    model = forest().fit(Frame(X, schema))
    assert_same(answers(model, Frame(new, schema)), answers(forest().fit(X), new))
    with pytest.raises(ValueError, match="X: its columns, kinds or levels are not those"):
        model.kneighbors(Frame(new, other))
    by_array = forest().fit(X)  # has no names to compare
    assert_same(by_array.kneighbors(Frame(new, other)), by_array.kneighbors(new))


def test_a_data_frame_may_mix_types_of_numbers(X, new):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"a": X[:, 0].astype("float32"), "b": (X[:, 1] * 10).astype("int64"), "c": X[:, 2] > 0}
    )
    expected = forest().fit(frame.to_numpy(dtype=float)).kneighbors()
    assert_same(list(forest().fit(frame).kneighbors()), list(expected))


# -- Pipelines -------------------------------------------------------------------------------------


def test_a_pipeline_with_isomap(X):
    pipe = make_pipeline(
        StandardScaler(), forest(n_neighbors=20), Isomap(n_neighbors=20, metric="precomputed")
    )
    embedding = pipe.fit_transform(X)
    assert embedding.shape == (80, 2)
    assert np.isfinite(embedding).all()
    assert np.isfinite(pipe.transform(X[:7] + 0.1)).all()
    by_hand = forest(n_neighbors=20).fit(StandardScaler().fit_transform(X)).kneighbors_graph()
    np.testing.assert_array_equal(pipe[:-1].transform(X).toarray(), by_hand.toarray())


def test_a_pipeline_with_clustering():
    rng = np.random.default_rng(0)
    blob = rng.integers(0, 2, 100)
    X = rng.normal(size=(100, 3)) + 20 * blob[:, None]
    cluster = DBSCAN(eps=0.99, metric="precomputed")
    labels = make_pipeline(
        StandardScaler(), forest(n_neighbors=15, projection="axis"), cluster
    ).fit_predict(X)
    assert np.unique(labels[blob == 0]).size == np.unique(labels[blob == 1]).size == 1
    assert labels[blob == 0][0] != labels[blob == 1][0]


def test_grid_search_over_parameters():
    helix = make_helix(120)
    half = (helix.latent[:, 0] > np.median(helix.latent)).astype(int)
    pipe = make_pipeline(
        forest(n_neighbors=6), KNeighborsClassifier(n_neighbors=5, metric="precomputed")
    )
    grid = {"urerf__min_samples_split": [10, 40], "urerf__projection": ["axis", "oblique"]}
    search = GridSearchCV(pipe, grid, cv=3).fit(helix.X, half)
    assert search.best_score_ > 0.9


def test_a_column_transformer_accepts_the_forest(X):
    columns = ColumnTransformer(
        [("graph", forest(), [0, 1]), ("rest", "passthrough", [2, 3])], sparse_threshold=1.0
    )
    assert columns.fit_transform(X).shape == (80, 82)


# -- Import time -----------------------------------------------------------------------------------


def test_import_is_light():
    """scikit-learn may import pandas itself; urerf adds no heavy package to that."""
    heavy = ["numba", "llvmlite", "matplotlib", "pandas", "polars", "typer", "rich", "umap", "dask"]
    code = (
        "import sys, sklearn.base, sklearn.utils.validation\n"
        "before = set(sys.modules)\n"
        "import urerf\n"
        f"print(*[name for name in {heavy} if name in sys.modules and name not in before])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == []
