"""Saved models: the same answers after loading, and nothing but a valid model is loaded."""

import re
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from json_values import JSON
from urerf import URerF, model_file, storage

ARRAYS = {**model_file.FOREST, **model_file.COLUMNS, **model_file.ROWS}


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).normal(size=(40, 4))


@pytest.fixture(scope="module")
def model(data):
    # Every tree must be split, so that the tests below can damage it.
    settings = {"n_estimators": 3, "min_samples_split": 8, "n_neighbors": 5, "random_state": 0}
    fitted = URerF.paper(**settings).fit(data)
    assert np.diff(fitted.forest_.node_start).min() >= 5
    return fitted


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.urerf"
    model.save(path)
    return path


def structured(data):
    """Return seven columns: the first two carry structure, the last one is constant."""
    t = np.linspace(0, 1, 40)
    return np.column_stack([t, t**2, data, np.ones(40)])


@pytest.fixture(scope="module")
def saved_defaults(data, tmp_path_factory):
    """A model with the evidence for the relevance of columns."""
    path = tmp_path_factory.mktemp("defaults") / "model.urerf"
    model = URerF(n_estimators=3, n_neighbors=5, max_samples=0.5, random_state=0)
    fitted = model.fit(structured(data))
    assert fitted.relevance_.verdict == "structure"
    assert 2 <= len(fitted._fitted.columns.chosen) < 7
    fitted.save(path)
    return path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A file that Hypothesis overwrites."""
    return tmp_path_factory.mktemp("fuzz") / "model.urerf"


def assert_same(a: URerF, b: URerF, X: np.ndarray) -> None:
    for rows in (None, X):
        for x, y in zip(a.kneighbors(rows), b.kneighbors(rows)):
            np.testing.assert_array_equal(x, y)


# -- Saving and loading ----------------------------------------------------------------------------


def test_a_loaded_model_equals_the_saved_one(model, saved, data):
    loaded = URerF.load(saved)
    assert_same(model, loaded, data[::-1] + 0.1)
    assert loaded.get_params() == model.get_params()
    assert loaded.n_features_in_ == 4
    assert loaded.n_samples_fit_ == 40
    assert list(loaded.get_feature_names_out()) == list(model.get_feature_names_out())
    assert not hasattr(loaded, "feature_names_in_")


def test_every_array_is_checked_when_a_model_is_loaded(saved):
    header, arrays = storage.read(saved)
    assert set(arrays) == set(ARRAYS)
    assert set(header["parameters"]) == set(URerF().get_params())


def test_the_relevance_is_saved(saved_defaults, data):
    loaded = URerF.load(saved_defaults)
    fitted = clone(loaded).fit(structured(data))
    np.testing.assert_array_equal(loaded.feature_relevance_, fitted.feature_relevance_)
    for name, value in vars(fitted.relevance_).items():
        np.testing.assert_array_equal(getattr(loaded.relevance_, name), value)
    assert repr(loaded.relevance_) == repr(fitted.relevance_)
    np.testing.assert_array_equal(loaded.geodesic_distances(), fitted.geodesic_distances())


def test_feature_names_are_saved(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data, columns=["a", "b", "é", "d d"])
    fitted = URerF.paper(n_estimators=2, n_neighbors=3).fit(frame)
    fitted.save(tmp_path / "m")
    loaded = URerF.load(tmp_path / "m")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert loaded.feature_names_in_.dtype == object
    reordered = frame[frame.columns[::-1]]
    np.testing.assert_array_equal(loaded.kneighbors(reordered)[1], fitted.kneighbors(frame)[1])
    with pytest.raises(ValueError, match="X: column 'é' of the fitted table is missing"):
        loaded.kneighbors(frame.drop(columns="é"))


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ({"random_state": np.int64(7)}, 7),
        ({"max_features": np.float32(0.5)}, 0.5),
        ({"max_samples": Fraction(1, 2)}, 0.5),
        ({"bootstrap": np.bool_(False)}, False),
        ({"criterion": np.str_("two_means")}, "two_means"),
        ({"max_depth": None}, None),
    ],
)
def test_parameters_are_saved_as_python_values(data, tmp_path, parameter, expected):
    URerF.paper(n_estimators=2, **parameter).fit(data).save(tmp_path / "m")
    value = URerF.load(tmp_path / "m").get_params()[next(iter(parameter))]
    assert value == expected
    assert type(value) is type(expected)


def test_a_model_whose_random_state_is_a_generator_can_be_saved(data, tmp_path):
    generator = np.random.RandomState(3)
    fitted = URerF.paper(n_estimators=2, n_neighbors=3, random_state=generator).fit(data)
    fitted.save(tmp_path / "m")
    assert_same(fitted, URerF.load(tmp_path / "m"), data)
    assert isinstance(URerF.load(tmp_path / "m").random_state, int)


def test_a_model_without_any_split_can_be_saved(tmp_path):
    with pytest.warns(UserWarning, match="constant"):
        fitted = URerF.paper(n_estimators=2, n_neighbors=3).fit(np.ones((10, 2)))
    fitted.save(tmp_path / "m")
    assert_same(fitted, URerF.load(tmp_path / "m"), np.ones((2, 2)))


def test_a_model_with_bad_parameters_is_not_saved(data, tmp_path):
    fitted = URerF.paper(n_estimators=2).fit(data).set_params(max_features="many")
    with pytest.raises(ValueError, match=r"^max_features"):
        fitted.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


# -- Files that are not valid models ---------------------------------------------------------------


def set_value(name, at, value):
    def change(header, arrays):
        arrays[name][at] = value

    return change


def replace_array(name, make):
    def change(header, arrays):
        arrays[name] = make(arrays[name])

    return change


def set_header(*keys, value):
    def change(header, arrays):
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


def drop_header(key):
    def change(header, arrays):
        del header[key]

    return change


def drop_array(name):
    def change(header, arrays):
        del arrays[name]

    return change


def crafted(child, size, **forest):
    """Return a change to a model of one tree that is valid except for one fault."""

    def change(header, arrays):
        one_tree(header, arrays, child, size)
        header["forest"] |= forest

    return change


def no_trees(header, arrays):
    one_tree(header, arrays, child=[], size=[])
    arrays["tree_key"] = arrays["tree_key"][:0]
    arrays["leaves"] = arrays["leaves"][:0]
    arrays["node_start"] = arrays["direction_start"] = arrays["nonzero_start"] = np.array([0])
    arrays["begin"] = arrays["begin"][:0]


def one_tree(header, arrays, child, size):
    nodes = len(child)
    header["parameters"]["n_estimators"] = 1
    arrays["tree_key"] = arrays["tree_key"][:1]
    arrays["leaves"] = arrays["leaves"][:1] * 0
    arrays["node_start"] = np.array([0, nodes])
    arrays["direction_start"] = np.array([0, 1])
    arrays["nonzero_start"] = np.array([0, 1])
    arrays["child"] = np.array(child, np.int32)
    arrays["size"] = np.array(size, np.int32)
    arrays["cut"] = np.zeros(nodes, np.float32)
    arrays["begin"] = np.array([0, 1])
    arrays["direction"] = np.where(arrays["child"] < 0, -1, 0).astype(np.int32)
    arrays["columns"] = np.zeros(1, np.int32)
    arrays["coefficients"] = np.ones(1, np.float32)


def test_a_valid_crafted_tree_is_loaded(saved, tmp_path):
    """So that the trees below are refused only for their fault."""
    header, arrays = storage.read(saved)
    one_tree(header, arrays, child=[2, -1, 4, -2, -3], size=[40, 20, 20, 10, 10])
    storage.write(tmp_path / "m", header, arrays)
    assert URerF.load(tmp_path / "m").kneighbors()[1].shape == (40, 5)


def test_the_number_of_threads_stays_on_the_machine_that_saved(data, tmp_path):
    path = tmp_path / "m"
    URerF.paper(n_estimators=2, n_jobs=2).fit(data).save(path)
    header, arrays = storage.read(path)
    assert header["parameters"]["n_jobs"] is None
    header["parameters"]["n_jobs"] = 2**30
    storage.write(path, header, arrays)
    assert URerF.load(path).n_jobs is None


CONTRADICTIONS = {
    "n_estimators": (7, "was grown with 3"),
    "max_samples": (0.5, "was grown with 40"),
    "bootstrap": (False, "was grown with True"),
    "max_depth": (1, "has a tree of depth"),
    "min_samples_leaf": (20, "has a leaf of"),
    "min_samples_split": (0.9, "has split a node of"),
    "projection": ("axis", "has candidates that combine columns"),
    "density": ("auto", "has a tree without random directions"),
    "feature_weighting": ("relevance", "relevance of the columns was not tested"),
}


@pytest.mark.parametrize("parameter", CONTRADICTIONS)
def test_settings_and_trees_must_agree(saved, tmp_path, parameter):
    value, found = CONTRADICTIONS[parameter]
    header, arrays = storage.read(saved)
    header["parameters"][parameter] = value
    storage.write(tmp_path / "m", header, arrays)
    message = rf"^path: .* \({parameter}: is .*, but .*{found}.*; set it back, or fit a new model\)"
    with pytest.raises(ValueError, match=message):
        URerF.load(tmp_path / "m")


def test_random_directions_are_not_signs_of_columns(saved_defaults, tmp_path):
    header, arrays = storage.read(saved_defaults)
    header["parameters"]["density"] = 1
    storage.write(tmp_path / "m", header, arrays)
    with pytest.raises(ValueError, match=r"\(density: is 1, but the forest has a tree of random"):
        URerF.load(tmp_path / "m")


GROWING = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["fast_bic", "two_means", "mclust_bic"]),
        "split_score": st.sampled_from(["gain", "raw"]),
        "projection": st.sampled_from(["oblique", "axis"]),
        "density": st.sampled_from(["auto", 1, 2, 0.5, 1.0]),
        "max_features": st.sampled_from(["sqrt", 1, 0.5, 40]),
        "min_samples_split": st.sampled_from([2, 10, 0.3]),
        "min_samples_leaf": st.sampled_from([1, 3, 30]),
        "max_depth": st.sampled_from([None, 1, 2, 5]),
        "max_samples": st.sampled_from(["auto", None, 0.5, 30]),
        "bootstrap": st.booleans(),
        "feature_weighting": st.sampled_from(["relevance", "all_groups", "uniform"]),
        "n_estimators": st.integers(1, 4),
        "random_state": st.integers(0, 9),
    }
)


@settings(max_examples=60)
@given(
    parameters=GROWING,
    has_gaps=st.booleans(),
    changes=GROWING,
    changed=st.sets(st.integers(0, 12)),
)
def test_what_was_grown_can_be_saved_and_what_was_saved_can_be_loaded(
    data, scratch, parameters, has_gaps, changes, changed
):
    """Also after parameters were changed: then saving may be refused, but never loading."""
    table = np.where(data > 1.5, np.nan, data) if has_gaps else data.round(1)
    model = URerF(**parameters, warm_start=True).fit(table)
    model.save(scratch)
    assert URerF.load(scratch).get_params() == model.get_params()
    model.set_params(n_estimators=parameters["n_estimators"] + 2).fit(table).save(scratch)
    assert URerF.load(scratch).forest_.n_trees == model.n_estimators
    model.set_params(**{name: changes[name] for i, name in enumerate(changes) if i in changed})
    message = ""
    try:
        model.save(scratch)
    except ValueError as error:
        message = str(error)
    if message:
        assert re.match(r"[a-z_]+: is .*; set it back, or fit a new model$", message)
    else:
        assert URerF.load(scratch).get_params() == model.get_params()


def test_a_changed_setting_is_refused_when_saving(data, tmp_path):
    fitted = URerF.paper(n_estimators=2).fit(data).set_params(n_estimators=5)
    with pytest.raises(ValueError, match=r"^n_estimators: is 5, but the forest was grown with 2"):
        fitted.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_name_of_73000_characters_costs_no_memory(data, tmp_path):
    """A file of 100 kB needed 2 GB once: names were taken apart at every equals sign."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(data)
    frame.columns = ["=" * 73_000, *(f"x{i}" for i in range(1, data.shape[1]))]
    URerF(n_estimators=2, random_state=0).fit(frame).save(tmp_path / "m")
    tracemalloc.start()
    loaded = URerF.load(tmp_path / "m")
    loaded.kneighbors(frame[:3])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_a_hundred_thousand_trees_are_checked_at_once(saved, tmp_path):
    """A loop over the trees took ten seconds for a file of six megabytes."""
    header, arrays = storage.read(saved)
    n = 100_000
    one_tree(header, arrays, child=[-1], size=[40])
    header["parameters"]["n_estimators"] = n
    arrays["leaves"] = np.zeros((n, 40), np.int32)
    for name in ("tree_key", "child", "size", "cut", "direction"):
        arrays[name] = np.repeat(arrays[name], n)
    for name in ("node_start", "direction_start", "nonzero_start"):
        arrays[name] = np.arange(n + 1)
    arrays["begin"] = np.tile([0, 1], n)
    arrays["columns"] = np.repeat(arrays["columns"], n)
    arrays["coefficients"] = np.repeat(arrays["coefficients"], n)
    arrays["direction"][:] = -1
    storage.write(tmp_path / "m", header, arrays)
    start = time.process_time()
    assert URerF.load(tmp_path / "m").forest_.n_trees == n
    assert time.process_time() - start < 3.0


INVALID = {
    "absurd number of columns": set_header("n_features_in", value=2**40),
    "child out of range": set_value("child", 0, 10**6),
    "child beyond all nodes": set_value("child", 0, 2**31 - 1),
    "child before its parent": set_value("child", 0, 0),
    "left child twice": set_value("child", 0, 1),
    "leaf number out of range": set_value("child", slice(None), -(2**31)),
    "all nodes are leaves": set_value("child", slice(None), -1),
    "no node is a leaf": set_value("child", slice(None), 1),
    "loop": crafted([2, -1, 0, -2, -3], [40, 20, 20, 10, 10]),
    # Every node is a child exactly once and comes after its parent, but not in preorder.
    "crossed tree": crafted([4, 5, 6, -1, -2, -3, -4], [40, 30, 20, 10, 10, 10, 10]),
    "root is a leaf, but other nodes follow": crafted([-1, 2, -2], [40, 20, 20]),
    "two roots": crafted([-1, -2], [40, 40]),
    "tree without nodes": crafted([], []),
    "right child missing": crafted([2, -1], [40, 20]),
    "leaf number twice": crafted([2, -1, 4, -2, -2], [40, 20, 20, 10, 10]),
    "leaf number skipped": crafted([2, -1, 4, -2, -4], [40, 20, 20, 10, 10]),
    "leaves numbered from the right": crafted([2, -2, -1], [40, 20, 20]),
    "root of too few rows": crafted([-1], [39]),
    "root of too many rows": crafted([-1], [10**6], max_samples=10**6),
    "root of one row": crafted([-1], [1], max_samples=1),
    "children of negative size": crafted([2, -1, -2], [40, 41, -1]),
    "arrays of zero trees": no_trees,
    "column too large": set_value("columns", 0, 4),
    "column negative": set_value("columns", -1, -1),
    "leaf of a row too large": set_value("leaves", (0, 0), 10**6),
    "leaf of a row negative": set_value("leaves", (1, 3), -2),
    "projection too long": set_value("begin", 1, 2**60),
    "projection begins below zero": set_value("begin", 0, -1),
    "projections overflow": set_value("begin", slice(1, 3), [2**63 - 1, -(2**63)]),
    "trees overlap": set_value("node_start", 1, 0),
    "trees overflow": set_value("node_start", slice(1, 3), [2**63 - 1, -(2**63)]),
    "tree beyond the end": set_value("node_start", -1, 10**9),
    "tree before the start": set_value("node_start", 0, -5),
    "direction too large": set_value("direction", 0, 10**6),
    "direction negative": set_value("direction", 0, -2),
    "direction of a leaf": set_value("direction", slice(None), 0),
    "one direction missing": replace_array("direction", lambda a: a[1:]),
    "directions beyond the end": set_value("direction_start", -1, 10**9),
    "directions of another tree": set_value("direction_start", 1, 0),
    "non-zeros beyond the end": set_value("nonzero_start", -1, 10**9),
    "non-zeros shifted": set_value("nonzero_start", 1, 0),
    "size negative": set_value("size", 0, -1),
    "size too large": set_value("size", 2, 2**31 - 1),
    "center not a number": set_value("center", 0, np.nan),
    "no trees": replace_array("tree_key", lambda a: a[:0]),
    "one tree missing": replace_array("tree_key", lambda a: a[:-1]),
    "no columns": replace_array("center", lambda a: a[:0]),
    "fewer columns": replace_array("center", lambda a: a[:1]),
    "no cuts": replace_array("cut", lambda a: a[:0]),
    "one cut missing": replace_array("cut", lambda a: a[1:]),
    "one size missing": replace_array("size", lambda a: a[1:]),
    "one child missing": replace_array("child", lambda a: a[1:]),
    "one projection missing": replace_array("begin", lambda a: a[:-1]),
    "one coefficient missing": replace_array("coefficients", lambda a: a[:-1]),
    "one fingerprint missing": replace_array("fingerprints", lambda a: a[:-1]),
    "rows missing": replace_array("leaves", lambda a: a[:, :-1]),
    "trees missing": replace_array("leaves", lambda a: a[:-1]),
    "flat leaves": replace_array("leaves", np.ravel),
    "two-dimensional child": replace_array("child", lambda a: a[None]),
    "child as int64": replace_array("child", lambda a: a.astype(np.int64)),
    "cut as float64": replace_array("cut", lambda a: a.astype(np.float64)),
    "columns as float": replace_array("columns", lambda a: a.astype(np.float32)),
    "key signed": replace_array("tree_key", lambda a: a.astype(np.int64)),
    "rows drawn negative": set_header("forest", "max_samples", value=-1),
    "rows drawn too many": set_header("forest", "max_samples", value=41),
    "rows drawn huge": set_header("forest", "max_samples", value=2**62),
    "rows drawn a float": set_header("forest", "max_samples", value=40.0),
    "rows fitted a float": set_header("forest", "n_fitted", value=40.0),
    "rows fitted too many": set_header("forest", "n_fitted", value=41),
    "rows fitted a bool": set_header("forest", "n_fitted", value=True),
    "bootstrap a number": set_header("forest", "bootstrap", value=1),
    "forest with another number": set_header("forest", "extra", value=1),
    "forest hides an array": set_header("forest", "child", value=[1]),
    "forest a list": set_header("forest", value=[1]),
    "forest missing": drop_header("forest"),
    "seed negative": set_header("seed", value=-1),
    "seed huge": set_header("seed", value=2**64),
    "seed a string": set_header("seed", value="0"),
    "seed missing": drop_header("seed"),
    "names too few": set_header("feature_names_in", value=["a"]),
    "names a string": set_header("feature_names_in", value="abcd"),
    "names of numbers": set_header("feature_names_in", value=[1, 2, 3, 4]),
    "names missing": drop_header("feature_names_in"),
    "parameters missing": drop_header("parameters"),
    "parameters a list": set_header("parameters", value=["n_jobs"]),
    "parameter unknown": set_header("parameters", "__class__", value="os.system"),
    "parameter out of range": set_header("parameters", "n_estimators", value=0),
    "parameter of wrong type": set_header("parameters", "n_neighbors", value="5"),
    "parameter nested": set_header("parameters", "max_features", value={"a": []}),
    "parameter not among the choices": set_header(
        "parameters", "criterion", value="__import__('os')"
    ),
    "random state a string": set_header("parameters", "random_state", value="0"),
}
INVALID |= {f"no {name}": drop_array(name) for name in ARRAYS}


def assert_refused_after(change, model, path):
    header, arrays = storage.read(model)
    change(header, arrays)
    storage.write(path, header, arrays)
    message = r"^path: .* does not hold a valid urerf model .*; save it again"
    with pytest.raises(ValueError, match=message):
        URerF.load(path)


@pytest.mark.parametrize("change", INVALID.values(), ids=INVALID.keys())
def test_an_invalid_model_is_refused(saved, tmp_path, change):
    assert_refused_after(change, saved, tmp_path / "m")


INVALID_COLUMNS = {
    "column chosen too large": set_value("chosen", -1, 7),
    "column chosen negative": set_value("chosen", 0, -1),
    "column chosen twice": set_value("chosen", slice(None), 1),
    "unit zero": set_value("unit", 0, 0.0),
    "unit not a number": set_value("unit", 0, np.nan),
    "unit infinite": set_value("unit", 0, np.inf),
    "feature_weights zero": set_value("feature_weights", 0, 0.0),
    "feature_weights above one": set_value("feature_weights", 0, 1.5),
    "feature_weights not a number": set_value("feature_weights", 0, np.nan),
    "matrix infinite": set_value("matrix", (0, 0), np.inf),
    "matrix transposed": replace_array("matrix", np.transpose),
    "matrix flat": replace_array("matrix", np.ravel),
    "relevance negative": set_value("relevance_strength", 0, -0.5),
    "relevance not a number": set_value("relevance_weight", 0, np.nan),
    "relevance of fewer columns": replace_array("relevance_strength", lambda a: a[:1]),
    "evidence of fewer columns": replace_array("relevance_p_value", lambda a: a[:-1]),
    "evidence of another type": replace_array("relevance_p_value", lambda a: a.astype("float32")),
    "evidence in two dimensions": replace_array("relevance_p_value", lambda a: a[:, None]),
    "partner too large": set_value("relevance_partner", 0, 7),
    "partner negative": set_value("relevance_partner", 0, -2),
    "pair too large": set_value("relevance_pairs", (0, 0), 7),
    "pair negative": set_value("relevance_pairs", (0, 1), -1),
    "pairs of three": replace_array("relevance_pairs", lambda a: np.hstack([a, a[:, :1]])),
    "pairs flat": replace_array("relevance_pairs", np.ravel),
    "no pairs": drop_array("relevance_pairs"),
    "no partner": drop_array("relevance_partner"),
    "evidence without verdict": lambda header, arrays: header["relevance"].pop("verdict"),
    "test unknown": set_value("relevance_test_code", 0, 99),
    "reason unknown": set_value("relevance_why", 0, -1),
    "group too large": set_value("relevance_group", 0, 7),
    "rows as text": set_header("relevance", "n_rows", value="9"),
    "evidence with another text": set_header("relevance", "more", value="x"),
    "evidence hides an array": set_header("relevance", "pairs", value="x"),
    "evidence with a number": set_header("relevance", "message", value=3),
    "evidence a list": set_header("relevance", value=["dependence"]),
    "evidence missing": drop_header("relevance"),
}


@pytest.mark.parametrize("change", INVALID_COLUMNS.values(), ids=INVALID_COLUMNS.keys())
def test_invalid_columns_are_refused(saved_defaults, tmp_path, change):
    assert_refused_after(change, saved_defaults, tmp_path / "m")


@settings(max_examples=200)
@given(change=st.data())
def test_any_value_in_the_header_is_refused_or_gives_a_model_that_works(
    saved, saved_defaults, scratch, change
):
    header, arrays = storage.read(change.draw(st.sampled_from([saved, saved_defaults])))
    place = header
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = change.draw(st.sampled_from(keys))
        if isinstance(place[key], (dict, list)) and place[key] and change.draw(st.booleans()):
            place = place[key]
        else:
            break
    place[key] = change.draw(JSON)
    storage.write(scratch, header, arrays)
    assert_refused_or_works(scratch)


@settings(max_examples=300)
@given(change=st.data())
def test_any_number_in_an_array_is_refused_or_gives_a_model_that_works(
    saved, saved_defaults, scratch, change
):
    header, arrays = storage.read(change.draw(st.sampled_from([saved, saved_defaults])))
    names = sorted(name for name in arrays if arrays[name].size)
    array = arrays[change.draw(st.sampled_from(names))].reshape(-1)
    bits = array.view(f"u{array.itemsize}")
    at = change.draw(st.integers(0, len(bits) - 1))
    limit = 2 ** (8 * array.itemsize)
    near = st.integers(-3, 3).map(lambda step: (int(bits[at]) + step) % limit)
    bits[at] = change.draw(near | st.integers(0, limit - 1))
    storage.write(scratch, header, arrays)
    assert_refused_or_works(scratch)


def assert_refused_or_works(path: Path) -> None:
    loaded = None
    message = ""
    try:
        loaded = URerF.load(path)
    except ValueError as error:
        message = str(error)
    if loaded is None:
        assert message.startswith("path: ")
        return
    loaded.set_params(n_jobs=1, n_neighbors=5)
    # New rows near the fitted ones, for any center and unit in the file.
    new = np.zeros((3, loaded.n_features_in_))
    new[:, loaded._fitted.columns.chosen] = loaded._fitted.columns.center
    for rows in (None, new):
        distances, ids = loaded.kneighbors(rows)
        assert ((ids >= 0) & (ids < 40)).all()
        assert ((distances >= 0) & (distances <= 1)).all()
    assert loaded.forest_.in_bag().shape == loaded._fitted.leaves.shape
