"""Reading files of every format, and what becomes of their columns."""

import bz2
import gzip
import lzma
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from urerf._messages import UnknownNameError
from urerf.files import ColumnOptions, ReadOptions, read_files, read_for_model
from urerf.schema import BOOLEAN, CATEGORY, DATETIME, ID, IGNORE, ORDINAL, Column, Schema

X = np.random.default_rng(0).normal(size=(30, 4)).round(3)
NAMES = ["a", "b", "c", "d"]
COLORS = ["blue", "green", "red"]


def read(path, **columns):
    """Read a file in which columns are declared."""
    declared = {
        name: (value,) if isinstance(value, str) and name != "label" else value
        for name, value in columns.items()
    }
    return read_files([str(path)], ColumnOptions(**declared))


@pytest.fixture
def text(tmp_path):
    """A file with row names, labels, numbers, a category, dates and free text."""
    lines = ["name,kind,a,b,c,d,color,day,comment"]
    for i, row in enumerate(X):
        numbers = ",".join(map(str, row))
        comment = f"the row with the number {i} of the table"
        lines.append(f"r{i},k{i % 2},{numbers},{COLORS[i % 3]},2020-01-{i + 1:02d},{comment}")
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines))
    return path


def test_text_with_everything(text):
    data = read(text, id="name", label="kind", ignore="d")
    assert data.frame.schema == Schema(
        (
            Column("name", ID, reason="declared"),
            Column("kind", IGNORE, reason="declared"),
            *(Column(name) for name in "abc"),
            Column("d", IGNORE, reason="declared"),
            Column("color", CATEGORY, ("blue", "green", "red")),
            Column("day", DATETIME),
            Column("comment", IGNORE, reason="free text"),
        )
    )
    missing = np.full(30, np.nan)
    colors = np.arange(30) % 3
    days = 18262 + np.arange(30)
    expected = [missing, missing, *X[:, :3].T, missing, colors, days, missing]
    np.testing.assert_array_equal(data.frame.values, np.column_stack(expected))
    assert data.n_features == 5
    assert data.ids[:2] == list(data.keys()[:2]) == ["r0", "r1"]
    assert data.labels[:3] == ["k0", "k1", "k0"]
    assert data.source == "data.csv"
    assert data.notices == [
        "Not used: comment (free text).",
        "Read as categories: color (blue, green, red); as dates or times: day.",
    ]


def test_text_of_which_every_value_is_different_names_the_rows(text):
    data = read(text)
    assert data.ids[:2] == ["r0", "r1"]
    assert data.notices[:2] == [
        "Row names: name (every value is different).",
        "Not used: comment (free text).",
    ]


def test_gzip_is_told_by_content_not_by_name(text, tmp_path):
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    np.testing.assert_array_equal(
        read_files([str(packed)]).frame.values, read_files([str(text)]).frame.values
    )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_array_is_not_read_as_it_is_on_disk(tmp_path, pack):
    path = tmp_path / "x.npy"
    np.save(path, X)
    packed = tmp_path / "packed"
    packed.write_bytes(pack(path.read_bytes()))
    np.testing.assert_array_equal(read_files([str(packed)]).frame.values, X)


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


def test_an_infinite_value_of_an_array_can_be_declared_as_missing(tmp_path):
    path = str(tmp_path / "x.npy")
    np.save(path, np.array([[1.0, 2.0], [3.0, -np.inf], [5.0, 4.0]]))
    with pytest.raises(ValueError, match=r"^x.npy: row 1, column 'x1': '-inf' is infinite; .*--na"):
        read_files([path])
    values = read_files([path], options=ReadOptions(na=("-inf",))).frame.values
    np.testing.assert_array_equal(values[:, 1], [2, np.nan, 4])


def test_no_pickle_is_opened(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"^x.npy: "):
        read_files([str(tmp_path / "x.npy")])


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1,50", "2,25", "1,5", "NA"], ["1.5", "2.25", "1.5", ""]),
        (["$5", "$1,200.50", "", "$7"], ["5", "1200.5", "", "7"]),
        (["10 %", "12 %", "7 %", "7 %"], ["10", "12", "7", "7"]),
        (["1.50", "2.0", "3", "4"], ["1.50", "2.0", "3", "4"]),  # numbers as they are
        (["007", "012", "013", "101"], ["007", "012", "013", "101"]),
        (["1,5", "a", "2,5", "3,5"], ["1,5", "a", "2,5", "3,5"]),
    ],
)
def test_labels_that_are_numbers_in_another_format_are_plain_numbers(tmp_path, cells, labels):
    path = tmp_path / "labels.csv"
    rows = [f"{i}.5;{i % 3};{cell}" for i, cell in enumerate(cells)]
    path.write_text("\n".join(["a;b;label", *rows]))
    assert read(path, label="label").labels == labels


def test_a_label_that_lacks_the_percent_sign_of_the_others_is_told(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("x,label\n1,12 %\n2,0.12\n4,13 %\n7,0.12\n")
    data = read(path, label="label")
    assert data.labels == ["12", "0.12", "13", "0.12"]
    assert data.notices == ["label: % is missing from 2 of 4 numbers; read as if it were there."]


def test_npz_with_labels(tmp_path):
    path = str(tmp_path / "x.npz")
    np.savez(path, X=X, y=np.arange(30) % 2, other=X)
    assert read(path, label="y").labels[:3] == ["0", "1", "0"]
    np.savez(path, this=X, that=X)
    with pytest.raises(ValueError, match="has no array X and more than one other"):
        read_files([path])


def test_arrays_beside_the_table_can_be_declared_as_anything(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, X=X, kind=np.arange(30) % 3, patient=np.arange(30) % 5)
    assert read(path).names == ["x0", "x1", "x2", "x3"]
    data = read_files([str(path)], ColumnOptions(categorical=("kind",), group="patient"))
    assert data.names == ["x0", "x1", "x2", "x3", "kind", "patient"]
    assert data.frame.schema.kinds[4:] == [CATEGORY, IGNORE]
    assert data.groups[:6] == ["0", "1", "2", "3", "4", "0"]
    assert read(path, ignore="kind").names == ["x0", "x1", "x2", "x3"]
    with pytest.raises(ValueError, match=r"--label: x\.npz has no column 'size'"):
        read(path, label="size")


def test_sparse_npz_stays_sparse(tmp_path):
    S = sp.random(30, 5, 0.3, format="csr", random_state=0)
    sp.save_npz(tmp_path / "s.npz", S)
    data = read(tmp_path / "s.npz", ignore="x1")
    assert sp.issparse(data.frame.values)
    assert data.frame.schema.is_feature == [True, False, True, True, True]
    np.testing.assert_array_equal(data.frame.values.toarray(), S.toarray() * [1, 0, 1, 1, 1])


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_arrow_and_parquet(tmp_path, form):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    days = np.datetime64("2020-01-01") + np.arange(30)
    columns = {
        "id": [f"r{i}" for i in range(30)],
        "a": X[:, 0],
        "n": [None, *(i * i for i in range(29))],
        "flag": [None, *(i % 2 == 0 for i in range(29))],
        "color": pa.array([COLORS[i % 3] for i in range(30)]).dictionary_encode(),
        "day": days,
    }
    table = pa.table(columns)
    path = tmp_path / f"x.{form}"
    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write(table)
    data = read(path)
    assert data.ids == columns["id"]
    color = Column("color", CATEGORY, tuple(COLORS))
    day = Column("day", DATETIME)
    flag = Column("flag", BOOLEAN)
    assert data.frame.schema.columns[1:] == (Column("a"), Column("n"), flag, color, day)
    np.testing.assert_array_equal(data.frame.values[:, 2], [np.nan, *(i * i for i in range(29))])
    np.testing.assert_array_equal(data.frame.values[:, 3], [np.nan, *([1.0, 0.0] * 15)[:29]])
    np.testing.assert_array_equal(data.frame.values[:, 4], np.arange(30) % 3)
    np.testing.assert_array_equal(data.frame.values[:, 5], 18262 + np.arange(30))


def test_ids_too_large_for_floats_are_not_rounded(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    big = 2**60 + np.arange(30)[::-1]
    table = pa.table({"key": big, "a": X[:, 0], "none": pa.array([""] * 30)})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet", row_group_size=7)
    data = read(tmp_path / "x.parquet", id="key")
    assert data.ids == [str(i) for i in big]
    assert data.frame.schema.columns[2].reason == "every cell is empty"


def test_categories_of_several_row_groups(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    color = pa.array([COLORS[i // 10] for i in range(30)]).dictionary_encode()
    pyarrow.parquet.write_table(pa.table({"c": color}), tmp_path / "x.parquet", row_group_size=4)
    data = read(tmp_path / "x.parquet")
    assert data.frame.schema.columns == (Column("c", CATEGORY, tuple(COLORS)),)
    np.testing.assert_array_equal(data.frame.values[:, 0], np.arange(30) // 10)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_table_without_rows(tmp_path, form):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    table = pa.table({"a": pa.array([], pa.float64()), "b": pa.array([], pa.string())})
    path = tmp_path / "x"
    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write(table)
    with pytest.raises(ValueError, match=r"^x: no usable column is left"):
        read(path)


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


@pytest.mark.filterwarnings("default", "ignore:Variable names are not unique")
def test_genes_with_the_same_name_are_different_columns(tmp_path):
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    genes = pd.DataFrame(index=pd.Index(["g", "g", "h", "cell"], dtype=object))
    cells = pd.DataFrame({"cell": np.arange(30) % 3})
    cells.index = pd.Index([f"c{i}" for i in range(30)], dtype=object)
    anndata.AnnData(X, obs=cells, var=genes).write_h5ad(tmp_path / "x.h5ad")
    data = read(tmp_path / "x.h5ad")
    assert data.names == ["g", "g.1", "h", "cell"]
    assert data.notices[0] == "2 columns are named 'g'; the second is called g.1."
    np.testing.assert_array_equal(data.frame.values, X)


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
    assert "Not used: cell (describes the rows; in obs)." in read(tmp_path / "x.h5ad").notices
    data = read(tmp_path / "x.h5ad", label="cell")
    assert (data.names, data.ids[1], data.labels[1]) == ([*NAMES, "cell"], "c1", "t1")
    values = data.frame.values
    assert sp.issparse(values) == (form is sp.csr_matrix)
    values = values.toarray() if sp.issparse(values) else values
    np.testing.assert_array_equal(values[:, :4], X)


def test_several_files_are_one_table(tmp_path):
    for i, order in enumerate(([0, 1], [1, 0])):
        body = "\n".join(",".join(str(x) for x in row[order]) for row in X[10 * i : 10 * i + 10])
        (tmp_path / f"{i}.csv").write_text(",".join(np.array(NAMES)[order]) + "\n" + body)
    data = read_files([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])
    np.testing.assert_array_equal(data.frame.values, X[:20, :2])
    assert data.source == "0.csv and 1 more"
    (tmp_path / "1.csv").write_text("a,c\n1,2\n3,4\n")
    with pytest.raises(
        ValueError, match=r"^1.csv: does not have the columns of 0.csv \(column 'b'"
    ):
        read_files([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])


def test_columns_of_any_kind_are_joined(tmp_path):
    first = "color,day,x,gone,ok\nred,2020-01-01,1,,true\nblue,2020-01-02,2,,false\n"
    second = "x,ok,day,gone,color\n3,,2020-01-05,new,teal\n5,true,,old,red\n"
    (tmp_path / "0.csv").write_text(first)
    (tmp_path / "1.csv").write_text(second)
    data = read_files([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])
    assert data.frame.schema.columns == (
        Column("color", CATEGORY, ("red", "blue", "teal")),
        Column("day", DATETIME),
        Column("x"),
        Column("gone", CATEGORY, ("new", "old")),
        Column("ok", BOOLEAN),
    )
    gap = np.nan
    expected = [
        [0, 18262, 1, gap, 1],
        [1, 18263, 2, gap, 0],
        [2, 18266, 3, 0, gap],
        [0, gap, 5, 1, 1],
    ]
    np.testing.assert_array_equal(data.frame.values, expected)
    (tmp_path / "1.csv").write_text(second.replace("3,,", "three,,"))
    with pytest.raises(ValueError, match=r"^[01].csv: column 'x' is not of the same kind"):
        read_files([str(tmp_path / "0.csv"), str(tmp_path / "1.csv")])


@pytest.mark.parametrize(
    "option", ["id", "label", "ignore", "number", "categorical", "ordinal", "datetime"]
)
def test_a_column_that_is_not_there(text, option):
    message = f"^--{option}: data.csv has no column 'colour'; did you mean 'color'"
    with pytest.raises(UnknownNameError, match=message):
        read(text, **{option: "colour"})


@pytest.mark.parametrize("option", ["ordinal", "datetime"])
def test_a_column_that_is_not_there_with_a_value(text, option):
    with pytest.raises(UnknownNameError, match="has no column 'colour'"):
        read(text, **{option: "colour=red,blue"})


def test_a_column_that_is_declared_twice(text):
    with pytest.raises(UnknownNameError, match=r"^--categorical: column 'a' is also in --number"):
        read(text, number="a", categorical="a")


def test_nothing_left_says_why(tmp_path):
    (tmp_path / "x.csv").write_text("a\n" + "".join(f"t{i}\n" for i in range(20)))
    message = r"^x.csv: no usable column is left. Row names: a \(every value is different"
    with pytest.raises(ValueError, match=message):
        read_files([str(tmp_path / "x.csv")])


def test_a_separator_that_is_not_looked_for_is_suggested(tmp_path):
    (tmp_path / "x.csv").write_text("a^b\n" + "".join(f"{i}^{2 * i}\n" for i in range(20)))
    with pytest.raises(ValueError, match=r"If \^ separates columns, use --sep '\^'\.$"):
        read_files([str(tmp_path / "x.csv")])


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_files([str(tmp_path)])


@pytest.fixture
def holes(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("id,a,b,gone\nr0,1,2,\nr1,,4,\nr2,5,6,\nr3,7,NA,\n")
    return str(path)


def test_missing_values_stay(holes):
    data = read_files([holes], ColumnOptions(id=("id",)))
    expected = [[1, 2], [np.nan, 4], [5, 6], [7, np.nan]]
    np.testing.assert_array_equal(data.frame.values[:, 1:3], expected)
    assert data.notices == ["Not used: gone (every cell is empty)."]


def test_missing_values_refused(holes):
    message = r"^holes.csv: line 3, column 'a': no value; missing values occur in 2 of 4 rows"
    with pytest.raises(ValueError, match=message):
        read_files([holes], missing="error")


def test_rows_with_missing_values_dropped(holes):
    data = read_files([holes], ColumnOptions(id=("id",)), missing="drop")
    np.testing.assert_array_equal(data.frame.values[:, 1:3], [[1, 2], [5, 6]])
    assert (data.ids, data.rows.tolist()) == (["r0", "r2"], [0, 2])
    assert data.notices[-1] == "Dropped 2 of 4 rows (missing values)."


@pytest.mark.parametrize("name", ["x1", "y"])
def test_a_numeric_array_can_name_the_rows(tmp_path, name):
    path = tmp_path / "x.npz"
    np.savez(path, X=np.arange(6.0).reshape(3, 2), y=np.array([1, 3, 5]))
    data = read(path, id=name)
    assert data.ids == ["1", "3", "5"]
    assert data.frame.schema.is_feature == ([True, True, False] if name == "y" else [True, False])


def test_arrays_are_not_examined(tmp_path):
    np.save(tmp_path / "x.npy", np.column_stack([np.arange(9), np.ones(9)]))
    assert read(tmp_path / "x.npy").frame.schema.is_feature == [True, True]


@pytest.fixture
def schema(text):
    return read(text, label="kind").frame.schema


HEAD = "color,d,c,b,a,day,more,name\n"


def test_a_model_gets_its_columns_by_name_and_its_codes(schema, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(HEAD + "red,4,3,2,1,1970-01-11,9,anna\n,8,7,6,5,,9,bert\n")
    data = read_for_model([str(new)], schema)
    used = data.frame.values[:, schema.is_feature]
    gap = np.nan
    np.testing.assert_array_equal(used, [[1, 2, 3, 4, 2, 10], [5, 6, 7, 8, gap, gap]])
    assert data.frame.schema == schema
    assert data.notices == ["Not used: more (not in the model)."]
    assert data.ids == ["anna", "bert"]


def test_levels_that_the_model_does_not_know_are_missing_and_told(schema, tmp_path):
    new = tmp_path / "new.csv"
    rows = [f"{color},4,3,2,1,1970-01-11\n" for color in ("teal", "red", "mauve", "teal")]
    new.write_text("color,d,c,b,a,day\n" + "".join(rows))
    data = read_for_model([str(new)], schema)
    assert np.isnan(data.frame.values[:, 6]).tolist() == [True, False, True, True]
    told = "color: 3 cells have levels the model does not know: teal, mauve"
    assert data.notices == [told]
    assert data.ids is None


def test_dates_of_new_rows_are_read_like_those_of_the_model(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("x,day\n1,31/12/2020\n2,1/2/2020\n")
    schema = read(path).frame.schema
    (tmp_path / "new.csv").write_text("x,day\n1,1/2/2020\n")
    data = read_for_model([str(tmp_path / "new.csv")], schema)
    assert data.frame.values[0, 1] == np.datetime64("2020-02-01").astype(int)


def test_levels_may_contain_any_character(tmp_path):
    levels = ("a=1", "b|c", "d, e")
    path = tmp_path / "x.csv"
    path.write_text("n,odd=name\n" + "".join(f'{i * i},"{levels[i % 3]}"\n' for i in range(6)))
    data = read(path)
    assert data.frame.schema.columns[1] == Column("odd=name", CATEGORY, levels)
    again = read_for_model([str(path)], data.frame.schema)
    np.testing.assert_array_equal(again.frame.values, data.frame.values)
    ordered = read(path, ordinal='odd=name="d, e",b|c,a=1')
    assert ordered.frame.schema.columns[1] == Column("odd=name", ORDINAL, levels[::-1])


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("a,b,c,color,day\n1,2,3,red,2020-01-01\n", "column 'd' is missing; the model needs it"),
        ("a,b\n1,2\n", "columns 'c', 'd', 'color', 'day' are missing; the model needs them"),
        ("a,b,c,d,color,day\n1,2,3,x,red,\n", "line 2, column 'd': 'x' is not a number"),
        ("a,b,c,d,color,day\n1,2,3,4,red,soon\n", "column 'day': has values that are not dates"),
    ],
)
def test_new_rows_that_do_not_fit_the_model(schema, tmp_path, new, message):
    path = tmp_path / "new.csv"
    path.write_text(new)
    with pytest.raises(ValueError, match=r"^new.csv: ") as caught:
        read_for_model([str(path)], schema)
    assert message in str(caught.value)


def test_options_reach_the_reader(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("first line\nsecond line\na:b\n1.5:-999\n2.5:7\n0:8\n")
    options = ReadOptions(skip=2, sep=":", na=("-999",))
    values = read_files([str(path)], options=options).frame.values
    np.testing.assert_array_equal(values, [[1.5, np.nan], [2.5, 7], [0, 8]])


def test_cells_that_were_merged_down_a_column_all_have_its_value():
    calamine = pytest.importorskip("python_calamine")
    if not hasattr(calamine.CalamineSheet, "merged_cell_ranges"):
        pytest.skip("needs a version of calamine that knows merged cells")
    data = read(Path(__file__).parent / "merged.xlsx")
    region, date = data.frame.schema.columns[:2]
    assert region == Column("region", CATEGORY, ("north", "south"))
    assert date.kind == DATETIME
    np.testing.assert_array_equal(data.frame.values[:, 0], np.repeat([0.0, 1.0], 6))
    np.testing.assert_allclose(data.frame.values[:, 2], np.arange(12) / 20)
