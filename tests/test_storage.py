"""The format of model files: written completely or not at all, and refused if damaged."""

import io
import json
import os
import pickle
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from json_values import JSON
from urerf import URerF, _memory, storage

HEADER = {"name": "é", "numbers": [1, 2.5, None]}
ARRAYS = {
    "values": np.linspace(0, 1, 300, dtype=np.float32),
    "table": np.arange(200).reshape(20, 10),
    "empty": np.zeros((0, 3)),
    "key": np.array([2**64 - 1], dtype=np.uint64),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model.urerf"
    storage.write(path, HEADER, ARRAYS)
    return path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A file that Hypothesis overwrites."""
    return tmp_path_factory.mktemp("fuzz") / "model.urerf"


def sealed(header: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    """Return a file with the right magic and checksum around any header and data."""
    if length is None:
        length = len(header)
    body = storage.MAGIC + length.to_bytes(8, "little") + header + data
    return body + sha256(body).digest()


def assert_refused(path: Path, message: str = "^path: ") -> None:
    with pytest.raises(ValueError, match=message):
        storage.read(path)


def assert_holds(path: Path, header: dict, arrays: dict[str, np.ndarray]) -> None:
    found, found_arrays = storage.read(path)
    assert found == header
    assert list(found_arrays) == list(arrays)
    for name, expected in arrays.items():
        assert found_arrays[name].dtype == expected.dtype.newbyteorder("=")
        np.testing.assert_array_equal(found_arrays[name], expected)


# -- Writing ---------------------------------------------------------------------------------------


def test_header_and_arrays_can_be_read_back(saved):
    assert [path.name for path in saved.parent.iterdir()] == ["model.urerf"]
    assert_holds(saved, HEADER, ARRAYS)


@pytest.mark.parametrize("change", [np.asfortranarray, lambda a: a[::2, ::-1], lambda a: a.T])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", ">i4", "bool"])
def test_any_memory_layout_can_be_written(tmp_path, change, dtype):
    arrays = {"a": change(ARRAYS["table"].astype(dtype))}
    storage.write(tmp_path / "m", {}, arrays)
    assert_holds(tmp_path / "m", {}, arrays)


def test_the_file_is_a_header_raw_arrays_and_a_checksum(saved):
    blob = saved.read_bytes()
    assert blob.startswith(storage.MAGIC)
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(blob)
    length = int.from_bytes(blob[8:16], "little")
    header = json.loads(blob[16 : 16 + length])
    sizes = [np.dtype(a["dtype"]).itemsize * int(np.prod(a["shape"])) for a in header["arrays"]]
    assert 16 + length + sum(sizes) + 32 == len(blob)


@pytest.mark.parametrize("as_path", [str, Path])
def test_a_path_may_be_a_string_or_a_path(tmp_path, as_path):
    path = as_path(tmp_path / "with blank é.urerf")
    storage.write(path, HEADER, ARRAYS)
    assert_holds(path, HEADER, ARRAYS)


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"something else")
    storage.write(path, {}, {})
    storage.write(path, HEADER, ARRAYS)
    assert_holds(path, HEADER, ARRAYS)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^path: folder .*nowhere.* does not exist"):
        storage.write(tmp_path / "nowhere" / "m.urerf", {}, {})
    assert not list(tmp_path.iterdir())


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"^path: .* is a folder"):
        storage.write(tmp_path, {}, {})


@pytest.mark.parametrize("path", [None, 3, b"m.urerf", ["m"]])
def test_anything_but_a_path_is_refused(path):
    with pytest.raises(TypeError, match=r"^path: must be a string or a path"):
        storage.write(path, {}, {})
    with pytest.raises(TypeError, match=r"^path: must be a string or a path"):
        storage.read(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        storage.read(tmp_path / "nothing")


# -- Crashes while writing -------------------------------------------------------------------------


def break_replace(monkeypatch, error):
    def fail(*args):
        raise error

    monkeypatch.setattr(os, "replace", fail)


def break_fsync(monkeypatch, error):
    def fail(*args):
        raise error

    monkeypatch.setattr(os, "fsync", fail)


def break_write(monkeypatch, error, after=1000):
    """Fill the disk after some bytes."""

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
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, broken, error, old
):
    path = tmp_path / "m"
    if old:
        path.write_bytes(b"old")
    with monkeypatch.context() as context:
        broken(context, error)
        with pytest.raises(type(error)):
            storage.write(path, HEADER, ARRAYS)
    assert [p.name for p in tmp_path.iterdir()] == (["m"] if old else [])
    if old:
        assert path.read_bytes() == b"old"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_killed_process_leaves_the_old_file(tmp_path, step):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    code = (
        "import os, sys, numpy as np\n"
        "from urerf import storage\n"
        f"os.{step} = lambda *args: os._exit(9)\n"
        "storage.write(sys.argv[1], {}, {'a': np.zeros(100000)})\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9
    assert path.read_bytes() == b"old"


# -- Damaged files ---------------------------------------------------------------------------------


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
    ids=[
        "empty",
        "zero",
        "first bytes of the magic",
        "most of the magic",
        "random",
        "csv",
        "npy",
        "zip",
    ],
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    assert_refused(tmp_path / "m", r"^path: .* is not a urerf model")


class Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, flag: Path) -> None:
        self.flag = flag

    def __reduce__(self):
        return Path.touch, (self.flag,)


def test_a_pickle_is_refused_and_not_run(tmp_path):
    payload = pickle.dumps(Touch(tmp_path / "ran"))
    path = tmp_path / "m"
    contents = [payload, storage.MAGIC + payload]
    contents += [sealed(payload), sealed(b"{}", payload), sealed(b"", payload)]
    for content in contents:
        path.write_bytes(content)
        assert_refused(path)
        with pytest.raises(ValueError, match=r"^path: "):
            URerF.load(path)
    assert not (tmp_path / "ran").exists()
    pickle.loads(payload)  # it would have run
    assert (tmp_path / "ran").exists()


def positions(length: int) -> list[int]:
    """Return all positions near the ends of a file, and every seventh between them."""
    return sorted({*range(100), *range(100, length, 7), *range(length - 100, length)})


def test_truncated_files_are_refused(saved, tmp_path):
    blob = saved.read_bytes()
    path = tmp_path / "m"
    assert len(blob) > 2000
    for length in positions(len(blob)):
        path.write_bytes(blob[:length])
        assert_refused(path, r"^path: .* (is damaged|is not a urerf model)")


def test_a_flipped_bit_is_detected(saved, tmp_path):
    blob = saved.read_bytes()
    path = tmp_path / "m"
    for at in positions(len(blob)):
        path.write_bytes(blob[:at] + bytes([blob[at] ^ (1 << at % 8)]) + blob[at + 1 :])
        assert_refused(path, r"^path: .* (is damaged|is not a urerf model)")


@pytest.mark.parametrize("more", [b"\x00", b"junk" * 100])
def test_additional_bytes_are_detected(saved, tmp_path, more):
    (tmp_path / "m").write_bytes(saved.read_bytes() + more)
    assert_refused(tmp_path / "m", "is damaged")


# -- Malformed files with the right checksum -------------------------------------------------------


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
def test_malformed_headers_are_refused(tmp_path, header, length):
    (tmp_path / "m").write_bytes(sealed(header, length=length))
    assert_refused(tmp_path / "m", r"^path: .* has a malformed header")


def test_a_header_that_is_too_long_is_refused(saved, monkeypatch):
    """Its objects take about twelve times as much memory as its text."""
    monkeypatch.setattr(storage, "LONGEST_HEADER", 50)
    assert_refused(saved, r"^path: .* has a malformed header .*longer than 50 bytes")
    monkeypatch.undo()
    monkeypatch.setattr(_memory, "available_memory", lambda: 1000.0)
    assert_refused(saved, r"^path: .* needs .* GiB, but only .* GiB is available")


@pytest.mark.parametrize("version", [0, 2, -1, 10**20, "1", None, [1], {"a": 1}, 1.5])
def test_other_versions_of_the_format_are_refused(tmp_path, version):
    (tmp_path / "m").write_bytes(sealed(json.dumps({"format": version, "arrays": []}).encode()))
    assert_refused(tmp_path / "m", r"^path: .* has model format .* this version reads 1; install")


ENTRY = {"name": "a", "dtype": "float64", "shape": [8]}
WRONG_FIELDS = {
    "name": [["a"], None],
    "dtype": ["object", "O", ">f8", ["float64"], None],
    "shape": [
        *([-1], [-2, -4], [9], [7], [2**62, 4], [2**70, 0], [2**31, 2**31], [8.0], [True, 8]),
        *(["8"], "8", 8, None, {}, [1] * 70 + [8]),
    ],
}
WRONG_ENTRIES = [
    *({**ENTRY, field: value} for field, values in WRONG_FIELDS.items() for value in values),
    *({key: ENTRY[key] for key in ENTRY if key != absent} for absent in ENTRY),
    {"name": "a", "dtype": "float64,object", "shape": [4]},
    *("float64", None, []),
]
ENTRY_TWICE = [{"name": "a", "dtype": "int8", "shape": [32]}] * 2


@pytest.mark.parametrize(
    "listing",
    [*([entry] for entry in WRONG_ENTRIES), None, 5, "ab", {"a": 1}, ENTRY_TWICE],
)
def test_a_malformed_list_of_arrays_is_refused(tmp_path, listing):
    header = json.dumps({"format": 1, "arrays": listing}).encode()
    (tmp_path / "m").write_bytes(sealed(header, bytes(64)))
    assert_refused(tmp_path / "m", r"^path: .* has a wrong list of arrays")


@settings(max_examples=200)
@given(value=JSON, field=st.sampled_from(["name", "dtype", "shape", None]), at=st.integers(0, 3))
def test_any_value_in_the_list_of_arrays_is_read_or_refused(saved, scratch, value, field, at):
    blob = saved.read_bytes()
    end = 16 + int.from_bytes(blob[8:16], "little")
    header = json.loads(blob[16:end])
    if field is None:
        header["arrays"][at] = value
    else:
        header["arrays"][at][field] = value
    scratch.write_bytes(sealed(json.dumps(header).encode(), blob[end:-32]))
    message = None
    try:
        _, arrays = storage.read(scratch)
    except ValueError as error:
        message = str(error)
    if message is None:
        assert sum(a.nbytes for a in arrays.values()) == len(blob) - end - 32
    else:
        assert "has a wrong list of arrays" in message


@settings(max_examples=200)
@given(text=st.binary(max_size=60), data=st.binary(max_size=60))
def test_any_bytes_are_refused(scratch, text, data):
    for content in (text, storage.MAGIC + text, sealed(text, data)):
        scratch.write_bytes(content)
        assert_refused(scratch)
