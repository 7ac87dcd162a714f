"""The same bits for any number of threads and any block size, and after saving or pickling."""

import pickle
import subprocess
import sys
from dataclasses import fields
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from urerf import URerF, fitted
from urerf.ranking import index

FEW = {"n_estimators": 15, "n_neighbors": 8, "random_state": 5}
SETTINGS = {
    "defaults": URerF(**FEW),
    "paper": URerF.paper(**FEW, min_samples_split=10),
    "axis": URerF.paper(**FEW, min_samples_split=10, projection="axis", split_score="gain"),
    "two-means": URerF.paper(**FEW, min_samples_split=10, criterion="two_means", density=0.5),
    "mclust": URerF.paper(**FEW, min_samples_split=30, criterion="mclust_bic"),
    "without replacement": URerF.paper(
        **FEW, min_samples_split=10, bootstrap=False, max_samples=0.5
    ),
}


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5)) * [1, 2, 4, 8, 16]
    return np.round(X, 1)  # with ties


@pytest.fixture(scope="module")
def new():
    return np.random.default_rng(1).normal(size=(40, 5)) * [1, 2, 4, 8, 16]


@pytest.fixture(scope="module", params=SETTINGS.values(), ids=SETTINGS.keys())
def settings(request):
    return request.param


def bits(model: URerF, new) -> dict[str, bytes]:
    """Return the trees and all answers of a model as bytes."""
    forest = {f.name: np.asarray(getattr(model.forest_, f.name)) for f in fields(model.forest_)}
    answers = {
        "distances": model.kneighbors()[0],
        "ids": model.kneighbors()[1],
        "distances of new rows": model.kneighbors(new)[0],
        "ids of new rows": model.kneighbors(new)[1],
        "leaves": model.apply(new),
        "proximity": model.proximity(),
        "proximity of new rows": model.proximity(new),
        "out of bag": model.proximity(samples="out_of_bag"),
        "graph": model.transform(new).data,
        "graph's columns": model.transform(new).indices,
    }
    return {name: np.ascontiguousarray(a).tobytes() for name, a in (forest | answers).items()}


def differing(a: dict[str, bytes], b: dict[str, bytes]) -> list[str]:
    return [name for name in a if a[name] != b[name]]


@pytest.fixture(scope="module")
def reference(settings, X, new):
    return bits(clone(settings).fit(X), new)


@pytest.mark.parametrize("n_jobs", [1, 2, 4, -1])
def test_the_number_of_threads_changes_nothing(settings, reference, X, new, n_jobs):
    assert differing(bits(clone(settings).set_params(n_jobs=n_jobs).fit(X), new), reference) == []


@pytest.mark.parametrize("block_rows", [1, 7, 64, 10_000])
def test_the_block_size_changes_nothing(settings, reference, X, new, monkeypatch, block_rows):
    monkeypatch.setattr(index, "BLOCK_ROWS", block_rows)
    in_blocks = partial(index.nearest_rows, block_rows=block_rows)
    monkeypatch.setattr(fitted, "nearest_rows", in_blocks)
    assert differing(bits(clone(settings).set_params(n_jobs=2).fit(X), new), reference) == []


def test_saving_and_loading_changes_nothing(settings, reference, X, new, tmp_path):
    clone(settings).fit(X).save(tmp_path / "m")
    loaded = URerF.load(tmp_path / "m")
    assert differing(bits(loaded, new), reference) == []
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
    assert differing(bits(clone(loaded).fit(X), new), reference) == []


def test_pickling_changes_nothing(settings, reference, X, new):
    model = clone(settings).fit(X)
    assert differing(bits(pickle.loads(pickle.dumps(model)), new), reference) == []


def test_fitting_a_clone_gives_the_same_forest(settings, reference, X, new):
    model = clone(settings).fit(X)
    assert differing(bits(clone(model).fit(X), new), reference) == []
    assert differing(bits(model.fit(X), new), reference) == []


def test_another_seed_gives_another_forest(settings, reference, X, new):
    other = bits(clone(settings).set_params(random_state=6).fit(X), new)
    assert "tree_key" in differing(other, reference)
    assert "ids" in differing(other, reference)


def test_the_global_generator_of_numpy_is_not_used(reference, settings, X, new):
    generator = np.random.mtrand._rand
    generator.random_sample(7)
    before = generator.get_state(legacy=False)["state"]
    assert differing(bits(clone(settings).fit(X), new), reference) == []
    after = generator.get_state(legacy=False)["state"]
    assert before["pos"] == after["pos"]
    assert (before["key"] == after["key"]).all()


def test_without_a_seed_every_forest_is_different(X):
    model = SETTINGS["paper"]
    a, b = (clone(model).set_params(random_state=None).fit(X).forest_.tree_key for _ in range(2))
    assert (a != b).all()


def test_a_generator_advances_with_every_fit(X):
    def keys(generator):
        return clone(SETTINGS["paper"]).set_params(random_state=generator).fit(X).forest_.tree_key

    one = np.random.RandomState(0)
    first = keys(one)
    second = keys(one)
    assert (first != second).all()
    assert (first == keys(np.random.RandomState(0))).all()


def test_a_larger_forest_starts_with_the_trees_of_a_smaller_one(X):
    small = clone(SETTINGS["paper"]).fit(X)
    large = clone(SETTINGS["paper"]).set_params(n_estimators=30).fit(X)
    np.testing.assert_array_equal(large.apply(X)[:, :15], small.apply(X))


def test_another_process_grows_the_same_forest(X, tmp_path):
    model = clone(SETTINGS["paper"]).fit(X)
    model.save(tmp_path / "here")
    np.save(tmp_path / "X.npy", X)
    code = (
        "import sys, numpy as np\n"
        "from sklearn.base import clone\n"
        "from urerf import URerF\n"
        "here, X, there = sys.argv[1:]\n"
        "model = clone(URerF.load(here)).set_params(n_jobs=2).fit(np.load(X))\n"
        "model.set_params(n_jobs=None).save(there)\n"
    )
    files = [str(tmp_path / name) for name in ("here", "X.npy", "there")]
    subprocess.run([sys.executable, "-c", code, *files], check=True, capture_output=True)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
