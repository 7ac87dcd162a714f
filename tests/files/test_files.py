"""Reading files of every format, and what becomes of their columns."""

import gzip
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from urerf.files import read_for_model, read_table

X = np.random.default_rng(0).normal(size=(30, 4)).round(3)
NAMES = ["a", "b", "c", "d"]
COLORS = ["blue", "green", "red"]


@pytest.fixture
def text(tmp_path):
    """A file with names of rows, a label, numbers, categories, and a column nothing can be made of."""
    lines = ["name,kind,a,b,c,d,color,day"]
    for i, row in enumerate(X):
        lines.append(f"r{i},k{i % 2},{','.join(map(str, row))},{COLORS[i % 3]},day {i}")
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines))
    return path


def test_text_with_everything(text):
    table = read_table([str(text)], id="name", label="kind", ignore=["d"])
    assert table.names == ["a", "b", "c", "color=blue|green|red"]
    np.testing.assert_array_equal(table.values, np.column_stack([X[:, :3], np.arange(30) % 3]))
    assert table.ids[:2] == list(table.keys()[:2]) == ["r0", "r1"]
    assert table.labels[:3] == ["k0", "k1", "k0"]
    assert table.source == "data.csv"
    assert table.notices == [
        "Categories turned into codes 0, 1, 2, ...: color=blue|green|red.",
        "Left out, neither numbers nor 2 to 10 categories: day.",
    ]


def test_gzip_is_told_by_content_not_by_name(text, tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    np.testing.assert_array_equal(read_table([str(packed)]).values, read_table([str(text)]).values)


def test_a_damaged_gzip_is_one_line(text, tmp_path):
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(text.read_bytes())[:-30])
    with pytest.raises(ValueError, match=r"^packed.gz: is damaged"):
        read_table([str(packed)])


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16, bool])
def test_npy(tmp_path, kind):
    path = tmp_path / "x.npy"
    np.save(path, X.astype(kind))
    table = read_table([str(path)])
    np.testing.assert_array_equal(table.values, X.astype(kind))
    assert table.names == ["x0", "x1", "x2", "x3"]
    assert table.values.dtype.kind == "f"


@pytest.mark.parametrize(
    ("array", "said"), [(np.zeros(3), "shape (3,)"), (np.zeros((2, 2), complex), "complex128")]
)
def test_an_npy_that_is_no_table(tmp_path, array, said):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(ValueError, match=r"^x.npy: an array of shape") as caught:
        read_table([str(tmp_path / "x.npy")])
    assert said in str(caught.value)


def test_no_pickle_is_opened(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"^x.npy: "):
        read_table([str(tmp_path / "x.npy")])


def test_npz_with_labels(tmp_path):
    path = str(tmp_path / "x.npz")
    np.savez(path, X=X, y=np.arange(30) % 2, other=X)
    assert read_table([path], label="y").labels[:3] == ["0", "1", "0"]
    np.savez(path, this=X, that=X)
    with pytest.raises(ValueError, match="which array is the table"):
        read_table([path])


def test_sparse_npz_stays_sparse(tmp_path):
    S = sp.random(30, 5, 0.3, format="csr", random_state=0)
    sp.save_npz(tmp_path / "s.npz", S)
    table = read_table([str(tmp_path / "s.npz")], ignore=["x1"])
    assert sp.issparse(table.values)
    np.testing.assert_array_equal(table.values.toarray(), S.toarray()[:, [0, 2, 3, 4]])


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_arrow_and_parquet(tmp_path, form):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    big = 2**60 + np.arange(30)
    columns = {
        "id": big,
        "a": X[:, 0],
        "n": [None, *range(29)],
        "flag": [i % 2 == 0 for i in range(30)],
    }
    table = pa.table(columns)
    path = tmp_path / f"x.{form}"
    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write(table)
    read = read_table([str(path)], id="id")
    assert read.ids == [str(i) for i in big]  # as floats they would be rounded
    assert read.names == ["a", "n", "flag=False|True"]
    np.testing.assert_array_equal(read.values[:, 1], [np.nan, *range(29)])
    np.testing.assert_array_equal(read.values[:, 2], [1.0, 0.0] * 15)


def test_without_pyarrow_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1....")
    with pytest.raises(ImportError, match=r"pip install urerf\[files\]"):
        read_table([str(tmp_path / "x.parquet")])


def test_a_broken_parquet_file_is_one_line(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "x.parquet").write_bytes(b"PAR1....")
    with pytest.raises(ValueError, match=r"^x.parquet: "):
        read_table([str(tmp_path / "x.parquet")])


@pytest.mark.filterwarnings("default")  # of anndata's own dependencies
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_h5ad(tmp_path, form):
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    def names(some):
        return pd.Index(some, dtype=object)  # not every anndata can write pandas' own strings

    obs = pd.DataFrame(
        {"cell": names([f"t{i % 3}" for i in range(30)])}, index=names([f"c{i}" for i in range(30)])
    )
    data = anndata.AnnData(form(X), obs=obs, var=pd.DataFrame(index=names(NAMES)))
    data.write_h5ad(tmp_path / "x.h5ad")
    table = read_table([str(tmp_path / "x.h5ad")], label="cell")
    assert (table.names, table.ids[1], table.labels[1]) == (NAMES, "c1", "t1")
    assert sp.issparse(table.values) == (form is sp.csr_matrix)
    np.testing.assert_array_equal(
        table.values.toarray() if sp.issparse(table.values) else table.values, X
    )


def test_several_files_are_one_table(tmp_path):
    for i, order in enumerate(([0, 1], [1, 0])):
        body = "\n".join(",".join(str(x) for x in row[order]) for row in X[10 * i : 10 * i + 10])
        (tmp_path / f"{i}.csv").write_text(",".join(np.array(NAMES)[order]) + "\n" + body)
    table = read_table([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])
    np.testing.assert_array_equal(table.values, X[:20, :2])
    assert table.source == "0.csv and 1 more"
    (tmp_path / "1.csv").write_text("a,c\n1,2\n3,4\n")
    with pytest.raises(
        ValueError, match=r"^1.csv: column 'b' is of numbers in one of 0.csv and 1.csv only"
    ):
        read_table([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])


@pytest.mark.parametrize("option", ["id", "label"])
def test_a_column_that_is_not_there(text, option):
    with pytest.raises(
        ValueError, match=f"^--{option}: data.csv has no column 'colour'; do you mean 'color'"
    ):
        read_table([str(text)], **{option: "colour"})


def test_nothing_left_says_why(tmp_path):
    (tmp_path / "x.csv").write_text(
        "a\nhello\nworld\nhello there\n" + "".join(f"t{i}\n" for i in range(20))
    )
    with pytest.raises(
        ValueError, match=r"^x.csv: no column of numbers is left. Left out, neither numbers"
    ):
        read_table([str(tmp_path / "x.csv")])


def test_a_spreadsheet_and_a_folder(tmp_path):
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="spreadsheet; save it as CSV"):
        read_table([str(tmp_path / "x.xlsx")])
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table([str(tmp_path)])


@pytest.fixture
def holes(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("id,a,b,gone\nr0,1,2,\nr1,,4,\nr2,5,6,\nr3,7,NA,\n")
    return str(path)


def test_missing_values_stay(holes):
    table = read_table([holes], id="id")
    np.testing.assert_array_equal(table.values, [[1, 2], [np.nan, 4], [5, 6], [7, np.nan]])
    assert table.notices == ["Left out, without any value: gone."]


def test_missing_values_refused(holes):
    with pytest.raises(
        ValueError, match=r"^holes.csv: line 3, column 'a': no value; 2 of 4 rows have gaps"
    ):
        read_table([holes], id="id", missing="error")


def test_rows_with_missing_values_dropped(holes):
    table = read_table([holes], id="id", missing="drop")
    np.testing.assert_array_equal(table.values, [[1, 2], [5, 6]])
    assert (table.ids, table.rows.tolist()) == (["r0", "r2"], [0, 2])
    assert table.notices[-1] == "Dropped 2 of 4 rows, which have missing values."


def test_a_model_gets_its_columns_by_name_and_its_codes(text, tmp_path):
    names = read_table([str(text)], id="name", label="kind").names
    new = tmp_path / "new.csv"
    new.write_text("color,d,c,b,a,more\nred,4,3,2,1,9\n,8,7,6,5,9\n")
    table = read_for_model([str(new)], names, id=None, header=None, missing="handle")
    np.testing.assert_array_equal(table.values, [[1, 2, 3, 4, 2], [5, 6, 7, 8, np.nan]])
    assert table.notices == ["Not among the model's columns, left out: more."]


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            "a,b,c,d,color\n1,2,3,4,pink\n",
            "line 2, column 'color': 'pink' is none of the model's categories",
        ),
        ("a,b,c,color\n1,2,3,red\n", "column 'd' is missing; the model was fitted on it"),
        ("a,b,c,d,color\n1,2,3,x,red\n", "column 'd' is text, where the model has numbers"),
    ],
)
def test_new_rows_that_do_not_fit_the_model(text, tmp_path, new, said):
    names = read_table([str(text)], id="name", label="kind").names
    (tmp_path / "new.csv").write_text(new)
    with pytest.raises(ValueError, match=r"^new.csv: ") as caught:
        read_for_model([str(tmp_path / "new.csv")], names, id=None, header=None, missing="handle")
    assert said in str(caught.value)
