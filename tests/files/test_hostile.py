"""Files from strangers: damaged, malicious or absurdly large ones are one line, never a crash."""

import bz2
import gzip
import io
import json
import lzma
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from urerf.files import ColumnOptions, ReadOptions, read_files, rows
from urerf.files import source as sources
from urerf.files.layout import Row
from urerf.files.names import unique_names
from urerf.kinds.convert import Levels

MESSY = Path(__file__).parent / "messy"
# Formats whose libraries run in this process; the others are read in a process of their own.
IN_PROCESS = [
    path
    for path in sorted(MESSY.iterdir())
    if path.suffix not in (".sav", ".dta", ".xpt", ".xlsx", ".ods")
]


@pytest.fixture
def refused(tmp_path):
    """Return the message about a file that cannot be read."""

    def message(content, name="x.bin", **options):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            read_files([str(path)], options=ReadOptions(**options))
        assert str(caught.value).startswith(name)
        return str(caught.value)

    return message


def saved(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


def npy_header(shape, descr="<f8"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def sparse(**changes):
    matrix = sp.random(12, 5, 0.4, format="csr", random_state=0)
    arrays = {
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
    }
    return saved(np.savez, **{**arrays, **changes})


def changed(array, position, value):
    array = array.copy()
    array[position] = value
    return array


INDICES = sp.random(12, 5, 0.4, format="csr", random_state=0).indices
INDPTR = sp.random(12, 5, 0.4, format="csr", random_state=0).indptr


@pytest.mark.parametrize(
    "changes",
    [
        {"indptr": changed(INDPTR, 3, -5)},
        {"indptr": changed(INDPTR, -1, 10**6)},
        {"indptr": INDPTR[:-2]},
        {"indices": changed(INDICES, 0, 10**8)},
        {"indices": changed(INDICES, 2, -3)},
        {"shape": np.array([12, 2 * 10**9])},
        {"shape": np.array([-12, 5])},
        {"shape": np.array([12])},
        {"shape": np.array(["a", "b"])},
        {"format": np.array(b"dia")},
        {"data": np.array(["a"] * len(INDICES))},
        {"data": np.zeros((2, 2))},
    ],
)
def test_a_malformed_sparse_matrix(refused, changes):
    assert "x.bin: " in refused(sparse(**changes))


def test_the_sparse_matrix_itself_is_fine(tmp_path):
    (tmp_path / "x.npz").write_bytes(sparse())
    assert read_files([str(tmp_path / "x.npz")]).shape == (12, 5)


@pytest.mark.parametrize(
    "content",
    [
        npy_header((20, 2 * 10**9)),
        npy_header((10**6, 10**4)) + b"\0" * 100,
        npy_header((10**30, 10**30)),
        npy_header((-3, 4)) + b"\0" * 100,
        npy_header((2, 2), "|O") + b"\0" * 100,
        npy_header((2, 2), "|V0") + b"\0" * 100,
        npy_header((3, 3), "<f8")[:20],
        npy_header("(" * 3000),
        saved(np.save, np.zeros((4, 4)))[:-5],
        saved(np.save, np.array([[np.inf, 1.0]])),
        saved(np.savez_compressed, X=np.zeros((4, 4)))[:-30],
    ],
)
def test_a_malformed_array(refused, content):
    refused(content)


def test_an_array_without_columns(refused):
    assert "no usable column is left" in refused(saved(np.save, np.zeros((4, 0))))


def test_an_array_that_needs_more_memory_than_there_is(refused, monkeypatch):
    monkeypatch.setattr("urerf._memory.available_memory", lambda: 1000.0)
    said = refused(saved(np.save, np.zeros((100, 100))))
    assert "GiB is available" in said


def test_a_compressed_array_may_not_unpack_to_more_than_it_declares(refused):
    header = npy_header((20, 10**8))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", header + b"\0" * 1000)
    assert "has not that many bytes" in refused(file.getvalue())


def test_arrays_that_together_unpack_to_too_much(refused, monkeypatch):
    """Each of them alone is within the limit."""
    monkeypatch.setattr(sources, "SMALLEST_LIMIT", 1_000_000)
    monkeypatch.setattr("urerf.files.arrays._read_arrays", lambda *_: pytest.fail("was read"))
    arrays = {f"x{i}": np.zeros((100, 1000)) for i in range(3)}
    content = saved(np.savez_compressed, **arrays)
    assert len(content) * sources.LARGEST_RATIO < 2_400_000
    said = refused(content)
    assert "unpacks to more than 1 MB" in said
    assert "--max-size" in said


def test_a_stream_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "available_memory", lambda: 5e6)
    with pytest.raises(ValueError, match=r"^zero: does not end within 0\.0 GiB"):
        read_files(["/dev/zero"])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_stopped(refused, pack, monkeypatch):
    monkeypatch.setattr(sources, "SMALLEST_LIMIT", 10_000)
    bomb = pack(b"a,b\n" + b"0,0\n" * 500_000)
    assert len(bomb) * sources.LARGEST_RATIO < 2_000_000
    assert "unpacks to more than" in refused(bomb)


def test_a_bomb_costs_no_reading(refused, monkeypatch):
    """Three megabytes that unpack to gigabytes were parsed for minutes up to the limit."""
    monkeypatch.setattr(sources, "SMALLEST_LIMIT", 10_000)
    monkeypatch.setattr("urerf.files.read.reader_of", lambda source: pytest.fail("was read"))
    assert "unpacks to more than" in refused(gzip.compress(b"a,b\n" + b"0,0\n" * 500_000))


def test_the_limit_can_be_raised_and_lowered(tmp_path, refused, monkeypatch):
    monkeypatch.setattr(sources, "SMALLEST_LIMIT", 10_000)
    rows = b"".join(b"%d,%d\n" % (i % 7, i % 5) for i in range(500_000))
    bomb = gzip.compress(b"a,b\n" + rows)
    (tmp_path / "x.gz").write_bytes(bomb)
    options = ReadOptions(max_size=10_000_000)
    assert read_files([str(tmp_path / "x.gz")], options=options).shape == (500_000, 2)
    assert "unpacks to more than" in refused(bomb, max_size=1000)


def test_a_spreadsheet_that_unpacks_to_too_much(refused, monkeypatch):
    pytest.importorskip("python_calamine")
    content = (MESSY / "sheet.xlsx").read_bytes()
    assert "unpacks to more than" in refused(content, max_size=1000)


def test_a_text_file_that_does_not_fit_into_memory(refused, monkeypatch):
    monkeypatch.setattr("urerf._memory.available_memory", lambda: 1e6)
    said = refused(b"a,b\n" + b"1,2\n3,4\n" * 100_000)
    assert "GiB is available" in said


def test_compressed_too_often(refused):
    content = b"a,b\n1,2\n3,4\n5,7\n"
    for _ in range(4):
        content = gzip.compress(content)
    assert "is compressed more than 3 times" in refused(content)


def test_compressed_twice_is_fine(tmp_path):
    (tmp_path / "x").write_bytes(gzip.compress(bz2.compress(b"a,b\n1,2\n3,4\n5,7\n")))
    assert read_files([str(tmp_path / "x")]).shape == (3, 2)


def zipped(members, **settings):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped({}), "is an empty ZIP file"),
        (zipped({"..": "a", ".": "b"}), ""),
        (zipped({"a.csv": "a\n1", "b.csv": "a\n1"}), "has 2 files (a.csv, b.csv); unpack it"),
        (b"PK\x03\x04 and nothing else", "is damaged"),
        (b"\x1f\x8b and nothing else", "is damaged"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6], "is damaged"),
        (b"\x28\xb5\x2f\xfd nonsense", "is damaged"),
        (b"BZh9 nonsense nonsense", "is damaged"),
        (b"\xfd7zXZ\x00 nonsense nonsense", "is damaged"),
        (zipped({"[Content_Types].xml": "<a/>"}), "cannot be read as a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "cannot be read as a spreadsheet"),
        (b"PAR1" + b"\0" * 60, "cannot be read"),
        (b"ARROW1\0\0" + b"\xff" * 60, "cannot be read"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 60, "is an HDF5 file, but not H5AD"),
        (b"$FL2" + b"\0" * 300, "cannot be read"),
        (b"<stata_dta><header>" + b"\0" * 300, "cannot be read"),
        (b"%PDF-1.7\n", "is a PDF document, not a table"),
        (b"<!DOCTYPE html><p>", "is a web page or XML, not a table"),
        (b"% Iris\n%\n@RELATION iris\n@DATA\n1,a\n", "is an ARFF file, which is not supported"),
        (b'{"a": ', "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b"[1, 2, 3]", "must be a list of records"),
        (b"[{}, {}]", "has records, but no columns"),
        (b'{"a": 1}\n{"a": \n', "line 2 is not valid JSON"),
        (b'{"a": 1}\n[2]\n', "line 2 is not a record"),
        (b'[{"a": 1' + b"0" * 5000 + b"}]", ""),
        (b'[{"a": 1, "b": 1}, {"a": 1e999, "b": 2}, {"a": 2, "b": 7}]', "'inf' is infinite"),
    ],
)
def test_what_is_not_a_table(refused, content, said):
    pytest.importorskip("pyarrow")
    pytest.importorskip("anndata")
    assert said in refused(content)


@pytest.mark.parametrize("form", ["list", "lines", "columns"])
def test_records_without_a_common_column(refused, form):
    """The table would have as many cells as the square of the number of records."""
    n = 4000
    if form == "columns":
        content = json.dumps({f"c{i}": {f"r{i}": i} for i in range(n)})
    else:
        records = [{f"c{i}": i} for i in range(n)]
        content = json.dumps(records) if form == "list" else "\n".join(map(json.dumps, records))
    assert "nearly all of the table would be empty" in refused(content.encode())


def test_records_of_which_most_cells_are_empty_are_fine(tmp_path):
    records = [{"a": i % 7, f"c{i % 40}": i % 5} for i in range(400)]
    (tmp_path / "x.json").write_text(json.dumps(records))
    assert read_files([str(tmp_path / "x.json")]).shape[0] == 400


def test_more_columns_than_fit_into_memory(refused, monkeypatch):
    monkeypatch.setattr("urerf._memory.available_memory", lambda: 1e6)
    assert "GiB is available" in refused(b"1," * 2000 + b"1\n" + b"2," * 2000 + b"2\n")


def test_many_columns_of_one_name_are_named_at_once():
    """Each of them tried the numbers of all others before."""
    start = time.process_time()
    names, _, notices = unique_names(["a"] * 30_000)
    assert time.process_time() - start < 2.0
    assert len(set(names)) == 30_000
    assert names[-1] == "a.29999"
    assert len(notices) == 1


def test_many_names_that_appear_twice_are_a_few_lines():
    _, _, notices = unique_names([f"a{i // 2}" for i in range(1000)])
    assert len(notices) == 6
    assert notices[-1] == "495 other names appear more than once."


def test_columns_that_change_one_after_the_other_are_not_read_once_each(monkeypatch):
    monkeypatch.setattr(rows, "CHUNK", 10)
    monkeypatch.setattr(rows, "SAMPLE_CELLS", 1)
    n_columns = 60
    table = [[f"c{i}" for i in range(n_columns)]]
    for r in range(700):
        table.append(["word" if r > 30 + 5 * i else str(r % 7) for i in range(n_columns)])
    opened = []

    def open_rows():
        opened.append(True)
        return iter([Row(line, cells) for line, cells in enumerate(table, start=1)])

    raw = rows.read_rows(open_rows, "x.csv", ReadOptions(), ColumnOptions())
    assert len(opened) == 3  # the first rows, all rows, and all rows for the columns of text
    assert len(raw.columns) == n_columns
    assert all(isinstance(values, Levels) for values in raw.columns.values())


def test_losing_every_measurement_is_an_error(refused):
    rows = [f"{'ab'[i % 2]},{i}/{i * 7 % 50},{i * 3 % 40}:{i}:{i}:{i}" for i in range(30)]
    said = refused(("kind,ratio,time\n" + "\n".join(rows)).encode())
    assert "no column could be read as numbers, although ratio, time look like numbers" in said


def test_every_measurement_kept_apart_by_a_wrong_separator_is_an_error(refused):
    rows = [f"{i / 7:.3f}~{i / 3:.3f}" for i in range(30)]
    refused(("a~b\n" + "\n".join(rows)).encode())


def test_a_table_of_categories_only_is_fine(tmp_path):
    rows = [f"{'ab'[i % 2]},{'xyz'[i % 3]},{10 * (i % 4)}-{10 * (i % 4) + 9}" for i in range(60)]
    (tmp_path / "x.csv").write_text("a,b,age\n" + "\n".join(rows))
    assert read_files([str(tmp_path / "x.csv")]).n_features == 3


def test_no_code_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    """A table from a stranger may lie beside a module that is called like one of ours."""
    for name in ("python_calamine", "numpy", "urerf", "pickle"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w').close()")
    content = (MESSY / "sheet.xlsx").read_bytes()
    (tmp_path / "x.xlsx").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert read_files(["x.xlsx"]).shape[0] > 1
    assert not (tmp_path / "executed").exists()


def test_a_spreadsheet_of_17_billion_cells(refused):
    """Two cells, in opposite corners: the library makes an array of all between them."""
    members = {}
    with zipfile.ZipFile(MESSY / "sheet.xlsx") as archive:
        for name in archive.namelist():
            members[name] = archive.read(name)
    sheet = "xl/worksheets/sheet1.xml"
    corner = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    members[sheet] = members[sheet].replace(b"</sheetData>", corner)
    refused(zipped(members))


def test_a_hang_is_stopped(refused, monkeypatch):
    monkeypatch.setattr("urerf.files.apart.SECONDS", 0.0)
    monkeypatch.setattr("urerf.files.apart.SECONDS_PER_MB", 0.0)
    assert "could not be read within 0 seconds" in refused(b"$FL2" + b"\0" * 300)


def said_about(path):
    """Return the error message about a file, or its name if it can be read."""
    try:
        read_files([str(path)])
    except ValueError as error:
        return str(error)
    return f"{path.name}: "


@settings(max_examples=300)
@given(st.data())
def test_damaged_files_are_read_or_refused_by_name(tmp_path_factory, data):
    path = data.draw(st.sampled_from(IN_PROCESS))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        n_removed = data.draw(st.integers(0, 8))
        content[start : start + n_removed] = data.draw(st.binary(max_size=8))
    damaged = tmp_path_factory.getbasetemp() / path.name
    damaged.write_bytes(content)
    assert said_about(damaged).startswith(path.name)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_read_or_refused_by_name(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "x.json"
    path.write_text(json.dumps(value))
    assert said_about(path).startswith("x.json: ")


@pytest.mark.parametrize("offset", [2**31 - 1, -5, 10**8])
def test_a_text_column_whose_offsets_lead_out_of_the_file(refused, offset):
    """Arrow reads memory at any offset, unless the table is validated in full."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"kind": ["ab"] * 40, "value": np.arange(40.0)})
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    offsets = np.arange(0, 82, 2, dtype="<i4")
    damaged = changed(offsets, 10, offset)
    assert offsets.tobytes() in file.getvalue()
    content = file.getvalue().replace(offsets.tobytes(), damaged.tobytes())
    assert "cannot be read" in refused(content, "x.arrow")


@pytest.mark.parametrize("index_type", ["uint8", "uint64", "int32"])
def test_dictionaries_with_codes_of_any_type(tmp_path, index_type):
    """Unsigned codes became floats, or could not be missing."""
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    codes = pa.array([0, 1, None, 1, 0] * 6, type=index_type)
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x", "y"]))
    table = pa.table({"kind": column, "value": np.arange(30.0) % 7})
    feather.write_feather(table, str(tmp_path / "x.feather"), compression="uncompressed")
    frame = read_files([str(tmp_path / "x.feather")]).frame
    kind = frame.values[:5, frame.schema.names.index("kind")]
    np.testing.assert_array_equal(kind, [0, 1, np.nan, 1, 0])
