"""Reading files of every format, and which of their columns are used."""

import gzip
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from urerf._messages import UnknownNameError
from urerf.files import read_files, read_for_model
from urerf.schema import CATEGORY, Column, Schema

X = np.random.default_rng(0).normal(size=(30, 4)).round(3)
NAMES = ["a", "b", "c", "d"]
COLORS = ["blue", "green", "red"]


@pytest.fixture
def text(tmp_path):
    """A file with row names, labels, numbers, a category, and a text column that is not used."""
    lines = ["name,kind,a,b,c,d,color,day"]
    for i, row in enumerate(X):
        lines.append(f"r{i},k{i % 2},{','.join(map(str, row))},{COLORS[i % 3]},day {i}")
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines))
    return path


def test_text_with_everything(text):
    data = read_files([str(text)], id="name", label="kind", ignore=["d"])
    color = Column("color", CATEGORY, ("blue", "green", "red"))
    assert data.frame.schema == Schema((Column("a"), Column("b"), Column("c"), color))
    np.testing.assert_array_equal(data.frame.values, np.column_stack([X[:, :3], np.arange(30) % 3]))
    assert data.ids[:2] == list(data.keys()[:2]) == ["r0", "r1"]
    assert data.labels[:3] == ["k0", "k1", "k0"]
    assert data.source == "data.csv"
    assert data.notices == [
        "Read as categories: color (blue, green, red).",
        "Not used: day (text, but not 2 to 10 different values).",
    ]


def test_gzip_is_told_by_content_not_by_name(text, tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    np.testing.assert_array_equal(
        read_files([str(packed)]).frame.values, read_files([str(text)]).frame.values
    )


def test_a_damaged_gzip_is_one_line(text, tmp_path):
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(text.read_bytes())[:-30])
    with pytest.raises(ValueError, match=r"^packed.gz: is damaged"):
        read_files([str(packed)])


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16, bool])
def test_npy(tmp_path, kind):
    path = tmp_path / "x.npy"
    np.save(path, X.astype(kind))
    data = read_files([str(path)])
    np.testing.assert_array_equal(data.frame.values, X.astype(kind))
    assert data.names == ["x0", "x1", "x2", "x3"]
    assert data.frame.values.dtype.kind == "f"


@pytest.mark.parametrize(
    ("array", "said"), [(np.zeros(3), "shape (3,)"), (np.zeros((2, 2), complex), "complex128")]
)
def test_an_npy_that_is_no_table(tmp_path, array, said):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(ValueError, match=r"^x.npy: contains an array of shape") as caught:
        read_files([str(tmp_path / "x.npy")])
    assert said in str(caught.value)


def test_no_pickle_is_opened(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"^x.npy: "):
        read_files([str(tmp_path / "x.npy")])


def test_npz_with_labels(tmp_path):
    path = str(tmp_path / "x.npz")
    np.savez(path, X=X, y=np.arange(30) % 2, other=X)
    assert read_files([path], label="y").labels[:3] == ["0", "1", "0"]
    np.savez(path, this=X, that=X)
    with pytest.raises(ValueError, match="has no array X and more than one other"):
        read_files([path])


def test_sparse_npz_stays_sparse(tmp_path):
    S = sp.random(30, 5, 0.3, format="csr", random_state=0)
    sp.save_npz(tmp_path / "s.npz", S)
    data = read_files([str(tmp_path / "s.npz")], ignore=["x1"])
    assert sp.issparse(data.frame.values)
    np.testing.assert_array_equal(data.frame.values.toarray(), S.toarray()[:, [0, 2, 3, 4]])


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
    read = read_files([str(path)], id="id")
    assert read.ids == [str(i) for i in big]  # as floats they would be rounded
    assert read.names == ["a", "n", "flag"]
    assert read.frame.schema.columns[2].levels == ("False", "True")
    np.testing.assert_array_equal(read.frame.values[:, 1], [np.nan, *range(29)])
    np.testing.assert_array_equal(read.frame.values[:, 2], [1.0, 0.0] * 15)


def test_without_pyarrow_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1....")
    with pytest.raises(ImportError, match=r"pip install urerf\[files\]"):
        read_files([str(tmp_path / "x.parquet")])


def test_a_broken_parquet_file_is_one_line(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "x.parquet").write_bytes(b"PAR1....")
    with pytest.raises(ValueError, match=r"^x.parquet: "):
        read_files([str(tmp_path / "x.parquet")])


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
    data = read_files([str(tmp_path / "x.h5ad")], label="cell")
    assert (data.names, data.ids[1], data.labels[1]) == (NAMES, "c1", "t1")
    assert sp.issparse(data.frame.values) == (form is sp.csr_matrix)
    np.testing.assert_array_equal(
        data.frame.values.toarray() if sp.issparse(data.frame.values) else data.frame.values, X
    )


def test_several_files_are_one_table(tmp_path):
    for i, order in enumerate(([0, 1], [1, 0])):
        body = "\n".join(",".join(str(x) for x in row[order]) for row in X[10 * i : 10 * i + 10])
        (tmp_path / f"{i}.csv").write_text(",".join(np.array(NAMES)[order]) + "\n" + body)
    data = read_files([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])
    np.testing.assert_array_equal(data.frame.values, X[:20, :2])
    assert data.source == "0.csv and 1 more"
    (tmp_path / "1.csv").write_text("a,c\n1,2\n3,4\n")
    with pytest.raises(ValueError, match=r"^1.csv: column 'b' is numeric in only one of 0.csv and"):
        read_files([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])


@pytest.mark.parametrize("option", ["id", "label"])
def test_a_column_that_is_not_there(text, option):
    message = f"^--{option}: data.csv has no column 'colour'; did you mean 'color'"
    with pytest.raises(UnknownNameError, match=message):
        read_files([str(text)], **{option: "colour"})


def test_nothing_left_says_why(tmp_path):
    (tmp_path / "x.csv").write_text(
        "a\nhello\nworld\nhello there\n" + "".join(f"t{i}\n" for i in range(20))
    )
    message = r"^x.csv: no usable column is left. Not used: a \(text, but not 2 to 10"
    with pytest.raises(ValueError, match=message):
        read_files([str(tmp_path / "x.csv")])


def test_a_spreadsheet_and_a_folder(tmp_path):
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="spreadsheet; save it as CSV"):
        read_files([str(tmp_path / "x.xlsx")])
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_files([str(tmp_path)])


@pytest.fixture
def holes(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("id,a,b,gone\nr0,1,2,\nr1,,4,\nr2,5,6,\nr3,7,NA,\n")
    return str(path)


def test_missing_values_stay(holes):
    data = read_files([holes], id="id")
    np.testing.assert_array_equal(data.frame.values, [[1, 2], [np.nan, 4], [5, 6], [7, np.nan]])
    assert data.notices == ["Not used: gone (every cell is empty)."]


def test_missing_values_refused(holes):
    message = r"^holes.csv: line 3, column 'a': no value; missing values occur in 2 of 4 rows"
    with pytest.raises(ValueError, match=message):
        read_files([holes], id="id", missing="error")


def test_rows_with_missing_values_dropped(holes):
    data = read_files([holes], id="id", missing="drop")
    np.testing.assert_array_equal(data.frame.values, [[1, 2], [5, 6]])
    assert (data.ids, data.rows.tolist()) == (["r0", "r2"], [0, 2])
    assert data.notices[-1] == "Dropped 2 of 4 rows (missing values)."


@pytest.mark.parametrize("name", ["x1", "y"])
def test_a_numeric_array_can_name_the_rows(tmp_path, name):
    path = str(tmp_path / "x.npz")
    np.savez(path, X=np.arange(6.0).reshape(3, 2), y=np.array([1, 3, 5]))
    data = read_files([path], id=name, **({} if name == "y" else {"label": "y"}))
    assert data.ids == ["1", "3", "5"]
    assert data.names == (["x0", "x1"] if name == "y" else ["x0"])


@pytest.fixture
def schema(text):
    return read_files([str(text)], id="name", label="kind").frame.schema


def test_a_model_gets_its_columns_by_name_and_its_codes(schema, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("color,d,c,b,a,more\nred,4,3,2,1,9\n,8,7,6,5,9\n")
    data = read_for_model([str(new)], schema)
    np.testing.assert_array_equal(data.frame.values, [[1, 2, 3, 4, 2], [5, 6, 7, 8, np.nan]])
    assert data.frame.schema == schema
    assert data.notices == ["Not used: more (not in the model)."]


def test_levels_may_contain_any_character(tmp_path):
    levels = ("a=1", "b|c", "d, e")
    path = tmp_path / "x.csv"
    path.write_text("n,odd=name\n" + "".join(f'{i},"{levels[i % 3]}"\n' for i in range(6)))
    data = read_files([str(path)])
    assert data.frame.schema.columns[1] == Column("odd=name", CATEGORY, levels)
    again = read_for_model([str(path)], data.frame.schema)
    np.testing.assert_array_equal(again.frame.values, data.frame.values)


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            "a,b,c,d,color\n1,2,3,4,pink\n",
            "line 2, column 'color': 'pink' is not one of the model's categories (blue,",
        ),
        ("a,b,c,color\n1,2,3,red\n", "column 'd' is missing; the model needs it"),
        ("a,b,c,d,color\n1,2,3,x,red\n", "column 'd' is text; the model needs numbers"),
    ],
)
def test_new_rows_that_do_not_fit_the_model(schema, tmp_path, new, message):
    path = tmp_path / "new.csv"
    path.write_text(new)
    with pytest.raises(ValueError, match=r"^new.csv: ") as caught:
        read_for_model([str(path)], schema)
    assert message in str(caught.value)
