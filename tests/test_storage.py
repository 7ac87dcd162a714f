"""A model file: one file, atomic, and nothing but a sound model is ever read from it."""

import io
import json
import os
import pickle
import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from urerf import URerF, model_file, storage


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).normal(size=(40, 4))


@pytest.fixture(scope="module")
def model(data):
    # No tree may be a lonely root, or the crafted files below would have nothing to bend.
    fitted = URerF.paper(n_estimators=3, min_samples_split=8, n_neighbors=5, random_state=0).fit(
        data
    )
    assert np.diff(fitted.forest_.node_start).min() >= 5
    return fitted


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.urerf"
    model.save(path)
    return path


def structured(data):
    """Seven columns: the first two carry structure, the last is constant."""
    t = np.linspace(0, 1, 40)
    return np.column_stack([t, t**2, data, np.ones(40)])


@pytest.fixture(scope="module")
def saved_defaults(data, tmp_path_factory):
    """With the evidence for the relevance of columns."""
    path = tmp_path_factory.mktemp("defaults") / "model.urerf"
    fitted = URerF(n_estimators=3, n_neighbors=5, max_samples=0.5, random_state=0).fit(
        structured(data)
    )
    assert fitted.relevance_.verdict == "structure"
    assert 2 <= len(fitted._fitted.columns.chosen) < 7
    fitted.save(path)
    return path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A file that Hypothesis writes over and over."""
    return tmp_path_factory.mktemp("fuzz") / "model.urerf"


def sealed(header: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    """A file with the right magic and checksum around any header and data."""
    body = (
        storage.MAGIC
        + (len(header) if length is None else length).to_bytes(8, "little")
        + header
        + data
    )
    return body + sha256(body).digest()


def refused(path: Path, message: str = "^path: ") -> None:
    with pytest.raises(ValueError, match=message):
        URerF.load(path)


def same(a: URerF, b: URerF, X: np.ndarray) -> bool:
    pairs = zip((*a.kneighbors(X), *a.kneighbors()), (*b.kneighbors(X), *b.kneighbors()))
    return all(np.array_equal(x, y) for x, y in pairs)


# -- what is written
# ---------------------------------------------------------------------------------------------------


def test_one_file_and_back(model, saved, data):
    assert [p.name for p in saved.parent.iterdir()] == ["model.urerf"]
    loaded = URerF.load(saved)
    assert same(model, loaded, data[::-1] + 0.1)
    assert loaded.get_params() == model.get_params()
    assert loaded.n_features_in_ == 4
    assert loaded.n_samples_fit_ == 40
    assert list(loaded.get_feature_names_out()) == list(model.get_feature_names_out())
    assert not hasattr(loaded, "feature_names_in_")


def test_it_is_no_pickle(saved):
    blob = saved.read_bytes()
    assert blob.startswith(storage.MAGIC)
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(blob)
    length = int.from_bytes(blob[8:16], "little")
    header = json.loads(blob[16 : 16 + length])
    sizes = [np.dtype(a["dtype"]).itemsize * int(np.prod(a["shape"])) for a in header["arrays"]]
    assert 16 + length + sum(sizes) + 32 == len(blob)  # header, raw arrays, checksum: nothing else


def test_every_array_of_the_forest_is_checked_on_reading(saved):
    header, arrays = storage.read(saved)
    assert set(arrays) == set(model_file.ARRAYS)
    assert set(header["parameters"]) == set(URerF().get_params())


def test_relevance_comes_back(saved_defaults, data):
    loaded = URerF.load(saved_defaults)
    fitted = clone(loaded).fit(structured(data))
    np.testing.assert_array_equal(loaded.feature_relevance_, fitted.feature_relevance_)
    np.testing.assert_array_equal(loaded.feature_weights_, fitted.feature_weights_)
    for name, value in vars(fitted.relevance_).items():
        np.testing.assert_array_equal(getattr(loaded.relevance_, name), value)
    assert repr(loaded.relevance_) == repr(fitted.relevance_)
    np.testing.assert_array_equal(loaded.geodesic_distances(), fitted.geodesic_distances())


@pytest.mark.parametrize("as_path", [str, Path])
def test_path_may_be_a_string_or_a_path(model, tmp_path, as_path):
    path = as_path(tmp_path / "with blank é.urerf")
    assert model.save(path) is None
    assert URerF.load(path).n_samples_fit_ == 40


def test_feature_names_come_back(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data, columns=["a", "b", "é", "d d"])
    fitted = URerF.paper(n_estimators=2, n_neighbors=3).fit(frame)
    fitted.save(tmp_path / "m")
    loaded = URerF.load(tmp_path / "m")
    assert list(loaded.feature_names_in_) == list(frame.columns)
    assert loaded.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match=r"^X: .*feature names"):
        loaded.kneighbors(frame[frame.columns[::-1]])


@pytest.mark.parametrize(
    ("given_as", "kept_as"),
    [
        ({"random_state": np.int64(7)}, 7),
        ({"max_features": np.float32(0.5)}, 0.5),
        ({"max_samples": Fraction(1, 2)}, 0.5),
        ({"bootstrap": np.bool_(False)}, False),
        ({"criterion": np.str_("two_means")}, "two_means"),
        ({"max_depth": None}, None),
    ],
)
def test_parameters_come_back_as_python_values(data, tmp_path, given_as, kept_as):
    URerF.paper(n_estimators=2, **given_as).fit(data).save(tmp_path / "m")
    value = URerF.load(tmp_path / "m").get_params()[next(iter(given_as))]
    assert value == kept_as
    assert type(value) is type(kept_as)


def test_a_generator_as_random_state_can_be_saved(data, tmp_path):
    fitted = URerF.paper(n_estimators=2, n_neighbors=3, random_state=np.random.RandomState(3)).fit(
        data
    )
    fitted.save(tmp_path / "m")
    assert same(fitted, URerF.load(tmp_path / "m"), data)
    assert isinstance(URerF.load(tmp_path / "m").random_state, int)


def test_a_model_without_any_split(tmp_path):
    with pytest.warns(UserWarning, match="constant"):
        fitted = URerF.paper(n_estimators=2, n_neighbors=3).fit(np.ones((10, 2)))
    fitted.save(tmp_path / "m")
    assert same(fitted, URerF.load(tmp_path / "m"), np.ones((2, 2)))


def test_saving_a_model_with_spoilt_parameters_names_them(data, tmp_path):
    fitted = URerF.paper(n_estimators=2).fit(data).set_params(max_features="many")
    with pytest.raises(ValueError, match=r"^max_features"):
        fitted.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


# -- where it is written
# -----------------------------------------------------------------------------------------------


def test_overwriting(model, data, tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"something longer than nothing")
    model.save(path)
    model.save(path)
    assert same(model, URerF.load(path), data)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions and links")
def test_permissions_and_links_are_those_of_any_new_file(model, tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    model.save(tmp_path / "m")
    assert (tmp_path / "m").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "link").symlink_to(tmp_path / "m")
    model.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()


def test_a_missing_folder_is_named(model, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^path: there is no folder .*nowhere"):
        model.save(tmp_path / "nowhere" / "m.urerf")
    assert not list(tmp_path.iterdir())


def test_a_folder_is_no_file(model, tmp_path):
    with pytest.raises(IsADirectoryError, match=r"^path: .* is a folder"):
        model.save(tmp_path)


@pytest.mark.parametrize("path", [None, 3, b"m.urerf", ["m"]])
def test_no_path_at_all(model, path):
    with pytest.raises(TypeError, match=r"^path: must be a string or a path"):
        model.save(path)
    with pytest.raises(TypeError, match=r"^path: must be a string or a path"):
        URerF.load(path)


def test_loading_what_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        URerF.load(tmp_path / "nothing")


# -- a crash in the middle
# ---------------------------------------------------------------------------------------------


def break_replace(monkeypatch, error):
    def fail(*args):
        raise error

    monkeypatch.setattr(os, "replace", fail)


def break_fsync(monkeypatch, error):
    def fail(*args):
        raise error

    monkeypatch.setattr(os, "fsync", fail)


def break_write(monkeypatch, error, after=1000):
    """The disk is full after some bytes."""

    class SmallDisk(io.FileIO):
        def write(self, part):
            super().write(bytes(part)[: max(0, after - self.tell())])
            if self.tell() >= after:
                raise error

    monkeypatch.setattr(storage, "open", SmallDisk, raising=False)


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()]
)
@pytest.mark.parametrize("broken", [break_replace, break_fsync, break_write])
@pytest.mark.parametrize("old", [True, False])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    model, saved, tmp_path, monkeypatch, broken, error, old
):
    path = tmp_path / "m"
    if old:
        path.write_bytes(saved.read_bytes())
    with monkeypatch.context() as context:
        broken(context, error)
        with pytest.raises(type(error)):
            model.save(path)
    assert [p.name for p in tmp_path.iterdir()] == (["m"] if old else [])
    if old:
        assert path.read_bytes() == saved.read_bytes()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_killed_process_leaves_the_old_file(saved, tmp_path, step):
    path = tmp_path / "m"
    path.write_bytes(saved.read_bytes())
    code = (
        "import os, sys, numpy as np\n"
        "from urerf import storage\n"
        f"os.{step} = lambda *args: os._exit(9)\n"
        "storage.write(sys.argv[1], {}, {'a': np.zeros(100000)})\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9
    assert path.read_bytes() == saved.read_bytes()


# -- what is refused: any file that was not written so
# -----------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"urerf",
        storage.MAGIC[:-1],
        np.random.default_rng(0).bytes(5000),
        b"a,b,c\n1,2,3\n",
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        b"PK\x03\x04" + bytes(100),
    ],
    ids=["empty", "zero", "part of the magic", "most of the magic", "random", "csv", "npy", "zip"],
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    refused(tmp_path / "m", r"^path: .* is not a urerf model")


class Bomb:
    def __init__(self, flag: Path) -> None:
        self.flag = flag

    def __reduce__(self):
        return Path.touch, (self.flag,)


def test_a_pickle_is_refused_and_not_run(tmp_path):
    payload = pickle.dumps(Bomb(tmp_path / "ran"))
    path = tmp_path / "m"
    for content in (
        payload,
        storage.MAGIC + payload,
        sealed(payload),
        sealed(b"{}", payload),
        sealed(b"", payload),
    ):
        path.write_bytes(content)
        refused(path)
    assert not (tmp_path / "ran").exists()
    pickle.loads(payload)  # the bomb works
    assert (tmp_path / "ran").exists()


def places(length: int) -> list[int]:
    """All of the start and of the end of a file, and every seventh byte between."""
    return sorted({*range(100), *range(100, length, 7), *range(length - 100, length)})


def test_truncated(saved, tmp_path):
    blob = saved.read_bytes()
    path = tmp_path / "m"
    assert len(blob) > 2000
    for length in places(len(blob)):
        path.write_bytes(blob[:length])
        refused(path, r"^path: .* (is damaged|is not a urerf model)")


def test_one_flipped_bit(saved, tmp_path):
    blob = saved.read_bytes()
    path = tmp_path / "m"
    for at in places(len(blob)):
        path.write_bytes(blob[:at] + bytes([blob[at] ^ (1 << at % 8)]) + blob[at + 1 :])
        refused(path, r"^path: .* (is damaged|is not a urerf model)")


@pytest.mark.parametrize("more", [b"\x00", b"junk" * 100])
def test_bytes_at_the_end(saved, tmp_path, more):
    (tmp_path / "m").write_bytes(saved.read_bytes() + more)
    refused(tmp_path / "m", "is damaged")


# -- what is refused: files with a right checksum
# ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "length"),
    [
        (b"", None),
        (b"{", None),
        (b"null", None),
        (b"[]", None),
        (b"3", None),
        (b'"format"', None),
        (b"{}", None),
        (b'{"format": 1}', None),
        (b'{"arrays": []}', None),
        (b"\xff\xfe", None),
        (b'{"format": NaN, "arrays": []}', None),
        (b"[" * 100_000, None),
        (b'{"a":' * 100_000, None),
        (b'{"format": ' + b"9" * 10_000 + b', "arrays": []}', None),
        (b'{"format": 1, "arrays": []}', 2**64 - 1),
        (b'{"format": 1, "arrays": []}', 2**63),
        (b'{"format": 1, "arrays": []}', 28),
    ],
)
def test_malformed_headers(tmp_path, header, length):
    (tmp_path / "m").write_bytes(sealed(header, length=length))
    refused(tmp_path / "m", r"^path: .* has a malformed header")


@pytest.mark.parametrize("version", [0, 2, -1, 10**20, "1", None, [1], {"a": 1}, 1.5])
def test_another_format_version(tmp_path, version):
    (tmp_path / "m").write_bytes(sealed(json.dumps({"format": version, "arrays": []}).encode()))
    refused(tmp_path / "m", r"^path: .* has model format .* this version reads 1; install")


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "a", "dtype": "float64", "shape": [-1]},
        {"name": "a", "dtype": "float64", "shape": [-2, -4]},
        {"name": "a", "dtype": "float64", "shape": [9]},
        {"name": "a", "dtype": "float64", "shape": [7]},
        {"name": "a", "dtype": "float64", "shape": [2**62, 4]},
        {"name": "a", "dtype": "float64", "shape": [2**70, 0]},
        {"name": "a", "dtype": "float64", "shape": [2**31, 2**31]},
        {"name": "a", "dtype": "float64", "shape": [8.0]},
        {"name": "a", "dtype": "float64", "shape": [True, 8]},
        {"name": "a", "dtype": "float64", "shape": ["8"]},
        {"name": "a", "dtype": "float64", "shape": "8"},
        {"name": "a", "dtype": "float64", "shape": 8},
        {"name": "a", "dtype": "float64", "shape": None},
        {"name": "a", "dtype": "float64", "shape": {}},
        {"name": "a", "dtype": "float64", "shape": [1] * 70 + [8]},
        {"name": "a", "dtype": "object", "shape": [8]},
        {"name": "a", "dtype": "O", "shape": [8]},
        {"name": "a", "dtype": ">f8", "shape": [8]},
        {"name": "a", "dtype": "float64,object", "shape": [4]},
        {"name": "a", "dtype": ["float64"], "shape": [8]},
        {"name": "a", "dtype": None, "shape": [8]},
        {"name": ["a"], "dtype": "float64", "shape": [8]},
        {"name": None, "dtype": "float64", "shape": [8]},
        {"dtype": "float64", "shape": [8]},
        {"name": "a", "shape": [8]},
        {"name": "a", "dtype": "float64"},
        "float64",
        None,
        [],
    ],
)
def test_arrays_listed_wrongly(tmp_path, entry):
    header = json.dumps({"format": 1, "arrays": [entry]}).encode()
    (tmp_path / "m").write_bytes(sealed(header, bytes(64)))
    refused(tmp_path / "m", r"^path: .* has a wrong list of arrays")


@pytest.mark.parametrize(
    "listing", [None, 5, "ab", {"a": 1}, [{"name": "a", "dtype": "int8", "shape": [32]}] * 2]
)
def test_no_list_of_arrays(tmp_path, listing):
    header = json.dumps({"format": 1, "arrays": listing}).encode()
    (tmp_path / "m").write_bytes(sealed(header, bytes(64)))
    refused(tmp_path / "m", r"^path: .* has a wrong list of arrays")


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


def crafted(child, size, **forest):
    """The model of one tree, which is whole but for the fault it is crafted to have."""

    def change(header, arrays):
        one_tree(header, arrays, child, size)
        header["forest"] |= forest

    return change


def no_trees(header, arrays):
    one_tree(header, arrays, child=[], size=[])
    arrays["tree_key"], arrays["leaves"] = arrays["tree_key"][:0], arrays["leaves"][:0]
    arrays["node_start"] = arrays["direction_start"] = arrays["nonzero_start"] = np.array([0])
    arrays["begin"] = arrays["begin"][:0]


def one_tree(header, arrays, child, size):
    nodes = len(child)
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


def test_the_smallest_crafted_tree_is_read(saved, tmp_path):
    """So that the trees above are refused for their one fault, and not for how they are made."""
    header, arrays = storage.read(saved)
    one_tree(header, arrays, child=[2, -1, 4, -2, -3], size=[40, 20, 20, 10, 10])
    storage.write(tmp_path / "m", header, arrays)
    assert URerF.load(tmp_path / "m").kneighbors()[1].shape == (40, 5)


UNSOUND = {
    "child out of range": set_value("child", 0, 10**6),
    "child of another tree": set_value("child", 0, 2**31 - 1),
    "child before its parent": set_value("child", 0, 0),
    "left child twice": set_value("child", 0, 1),
    "leaf number out of range": set_value("child", slice(None), -(2**31)),
    "all nodes are leaves": set_value("child", slice(None), -1),
    "no node is a leaf": set_value("child", slice(None), 1),
    "loop": crafted([2, -1, 0, -2, -3], [40, 20, 20, 10, 10]),
    # Every node is a child exactly once and stands after its parent, yet this is not preorder.
    "crossed tree": crafted([4, 5, 6, -1, -2, -3, -4], [40, 30, 20, 10, 10, 10, 10]),
    "leaf for a root": crafted([-1, 2, -2], [40, 20, 20]),
    "two roots": crafted([-1, -2], [40, 40]),
    "tree without a node": crafted([], []),
    "right child missing": crafted([2, -1], [40, 20]),
    "leaf number twice": crafted([2, -1, 4, -2, -2], [40, 20, 20, 10, 10]),
    "leaf number left out": crafted([2, -1, 4, -2, -4], [40, 20, 20, 10, 10]),
    "leaves from the right": crafted([2, -2, -1], [40, 20, 20]),
    "root without its rows": crafted([-1], [39]),
    "root of more rows than there are": crafted([-1], [10**6], max_samples=10**6),
    "root of one row": crafted([-1], [1], max_samples=1),
    "children of negative size": crafted([2, -1, -2], [40, 41, -1]),
    "not a single tree": no_trees,
    "column too large": set_value("columns", 0, 4),
    "column negative": set_value("columns", -1, -1),
    "leaf of a row too large": set_value("leaves", (0, 0), 10**6),
    "leaf of a row negative": set_value("leaves", (1, 3), -1),
    "run of a projection too long": set_value("begin", 1, 2**60),
    "run of a projection negative": set_value("begin", 0, -1),
    "runs overflow": set_value("begin", slice(1, 3), [2**63 - 1, -(2**63)]),
    "trees overlap": set_value("node_start", 1, 0),
    "trees overflow": set_value("node_start", slice(1, 3), [2**63 - 1, -(2**63)]),
    "tree beyond the end": set_value("node_start", -1, 10**9),
    "tree before the start": set_value("node_start", 0, -5),
    "direction too large": set_value("direction", 0, 10**6),
    "direction negative": set_value("direction", 0, -2),
    "direction of a leaf": set_value("direction", slice(None), 0),
    "one direction less": replace_array("direction", lambda a: a[1:]),
    "directions beyond the end": set_value("direction_start", -1, 10**9),
    "directions of another tree": set_value("direction_start", 1, 0),
    "non-zeros beyond the end": set_value("nonzero_start", -1, 10**9),
    "non-zeros shifted": set_value("nonzero_start", 1, 0),
    "size negative": set_value("size", 0, -1),
    "size too large": set_value("size", 2, 2**31 - 1),
    "center not a number": set_value("center", 0, np.nan),
    "no trees": replace_array("tree_key", lambda a: a[:0]),
    "one tree less": replace_array("tree_key", lambda a: a[:-1]),
    "no columns": replace_array("center", lambda a: a[:0]),
    "fewer columns": replace_array("center", lambda a: a[:1]),
    "no cuts": replace_array("cut", lambda a: a[:0]),
    "one cut less": replace_array("cut", lambda a: a[1:]),
    "one size less": replace_array("size", lambda a: a[1:]),
    "one child less": replace_array("child", lambda a: a[1:]),
    "one run less": replace_array("begin", lambda a: a[:-1]),
    "one weight less": replace_array("coefficients", lambda a: a[:-1]),
    "one fingerprint less": replace_array("fingerprints", lambda a: a[:-1]),
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
    "rows fitted a truth value": set_header("forest", "n_fitted", value=True),
    "bootstrap a number": set_header("forest", "bootstrap", value=1),
    "forest with more": set_header("forest", "extra", value=1),
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
    "parameter no choice": set_header("parameters", "criterion", value="__import__('os')"),
    "random state a string": set_header("parameters", "random_state", value="0"),
}
UNSOUND |= {
    f"no {name}": (lambda header, arrays, name=name: arrays.pop(name))
    for name in model_file.ARRAYS
}


def refused_if_changed(model, path, change):
    header, arrays = storage.read(model)
    change(header, arrays)
    storage.write(path, header, arrays)
    refused(path, r"^path: .* does not hold a valid urerf model .*; save it again")


@pytest.mark.parametrize("change", UNSOUND.values(), ids=UNSOUND.keys())
def test_a_model_that_is_not_sound_is_refused(saved, tmp_path, change):
    refused_if_changed(saved, tmp_path / "m", change)


UNSOUND_COLUMNS = {
    "column chosen too large": set_value("chosen", -1, 7),
    "column chosen negative": set_value("chosen", 0, -1),
    "column chosen twice": set_value("chosen", slice(None), 1),
    "unit zero": set_value("unit", 0, 0.0),
    "unit not a number": set_value("unit", 0, np.nan),
    "unit infinite": set_value("unit", 0, np.inf),
    "feature_weights zero": set_value("feature_weights", 0, 0.0),
    "feature_weights above one": set_value("feature_weights", 0, 1.5),
    "feature_weights not a number": set_value("feature_weights", 0, np.nan),
    "matrix not a number": set_value("matrix", (0, 0), np.nan),
    "matrix infinite": set_value("matrix", (0, 0), np.inf),
    "matrix turned": replace_array("matrix", np.transpose),
    "matrix flat": replace_array("matrix", np.ravel),
    "relevance negative": set_value("relevance_strength", 0, -0.5),
    "relevance not a number": set_value("relevance_weight", 0, np.nan),
    "relevance of fewer columns": replace_array("relevance_strength", lambda a: a[:1]),
    "evidence of fewer columns": replace_array("relevance_p_value", lambda a: a[:-1]),
    "evidence of another type": replace_array(
        "relevance_p_value", lambda a: a.astype(np.float32)
    ),
    "evidence in two dimensions": replace_array(
        "relevance_p_value", lambda a: np.stack([a, a], axis=1)
    ),
    "partner too large": set_value("relevance_partner", 0, 7),
    "partner negative": set_value("relevance_partner", 0, -2),
    "pair too large": set_value("relevance_pairs", (0, 0), 7),
    "pair negative": set_value("relevance_pairs", (0, 1), -1),
    "pairs of three": replace_array("relevance_pairs", lambda a: np.hstack([a, a[:, :1]])),
    "pairs flat": replace_array("relevance_pairs", np.ravel),
    "no pairs": lambda header, arrays: arrays.pop("relevance_pairs"),
    "no partner": lambda header, arrays: arrays.pop("relevance_partner"),
    "evidence without verdict": lambda header, arrays: header["relevance"].pop("verdict"),
    "test unknown": set_value("relevance_test_code", 0, 99),
    "reason unknown": set_value("relevance_why", 0, -1),
    "group too large": set_value("relevance_group", 0, 7),
    "rows as text": set_header("relevance", "n_rows", value="9"),
    "evidence with more": set_header("relevance", "more", value="x"),
    "evidence hides an array": set_header("relevance", "pairs", value="x"),
    "evidence with a number": set_header("relevance", "message", value=3),
    "evidence a list": set_header("relevance", value=["dependence"]),
    "evidence missing": drop_header("relevance"),
}


@pytest.mark.parametrize("change", UNSOUND_COLUMNS.values(), ids=UNSOUND_COLUMNS.keys())
def test_columns_that_are_not_sound_are_refused(saved_defaults, tmp_path, change):
    refused_if_changed(saved_defaults, tmp_path / "m", change)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=200)
@given(change=st.data())
def test_fuzz_headers(saved, saved_defaults, scratch, change):
    """Whatever stands in one place of the header: refused, or a model that works."""
    blob = change.draw(st.sampled_from([saved, saved_defaults])).read_bytes()
    end = 16 + int.from_bytes(blob[8:16], "little")
    header = json.loads(blob[16:end])
    place = header
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = change.draw(st.sampled_from(keys))
        if isinstance(place[key], (dict, list)) and place[key] and change.draw(st.booleans()):
            place = place[key]
        else:
            break
    place[key] = change.draw(JSON)
    scratch.write_bytes(sealed(json.dumps(header).encode(), blob[end:-32]))
    loads_or_refuses(scratch)


@settings(max_examples=300)
@given(change=st.data())
def test_fuzz_arrays(saved, saved_defaults, scratch, change):
    """Whatever number stands in one place of one array: refused, or a model that works."""
    header, arrays = storage.read(change.draw(st.sampled_from([saved, saved_defaults])))
    array = arrays[
        change.draw(st.sampled_from(sorted(name for name in arrays if arrays[name].size)))
    ].reshape(-1)
    bits = array.view(f"u{array.itemsize}")
    at = change.draw(st.integers(0, len(bits) - 1))
    limit = 2 ** (8 * array.itemsize)
    near = st.integers(-3, 3).map(lambda step: (int(bits[at]) + step) % limit)
    bits[at] = change.draw(near | st.integers(0, limit - 1))
    storage.write(scratch, header, arrays)
    loads_or_refuses(scratch)


@settings(max_examples=200)
@given(text=st.binary(max_size=60), data=st.binary(max_size=60))
def test_fuzz_whole_files(scratch, text, data):
    for content in (
        text,
        storage.MAGIC + text,
        sealed(text, data),
        sealed(b'{"format": 1, "arrays": ' + text, data),
    ):
        scratch.write_bytes(content)
        refused(scratch)


def loads_or_refuses(path: Path) -> None:
    try:
        loaded = URerF.load(path)
        message = None
    except ValueError as error:
        loaded = None
        message = str(error)
    if loaded is None:
        assert message.startswith("path: ")
        return
    loaded.set_params(n_jobs=1, n_neighbors=5)
    # New rows that are near the fitted ones, wherever the centre and unit in the file put those.
    new = np.zeros((3, loaded.n_features_in_))
    new[:, loaded._fitted.columns.chosen] = loaded._fitted.columns.center
    for rows in (None, new):
        distances, ids = loaded.kneighbors(rows)
        assert ((ids >= 0) & (ids < 40)).all()
        assert ((distances >= 0) & (distances <= 1)).all()
    assert loaded.forest_.in_bag().shape == loaded._fitted.leaves.shape
