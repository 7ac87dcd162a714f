"""The data section: what it counts, and what it tells."""

import numpy as np
import pytest
import scipy.sparse as sp

from urerf.files import FileData
from urerf.report.data_section import data_line
from urerf.report.profile import column_profile, n_duplicates, profile
from urerf.schema import BOOLEAN, CATEGORY, ID, IGNORE, Column, Frame, Schema


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    size = np.round(rng.normal(20, 3, size=40), 2)
    size[:3] = -999.0
    size[3:5] = np.nan
    color = np.repeat([0.0, 1.0], [30, 10])
    size[[30, 31]] = 7.5
    nothing = np.full(40, np.nan)
    columns = (
        Column("size"),
        Column("color", CATEGORY, ("red", "blue")),
        Column("name", ID, reason="every value is different"),
        Column("kind", IGNORE, reason="declared"),
        Column("empty", IGNORE, reason="constant"),
    )
    frame = Frame(np.column_stack([size, color, nothing, nothing, nothing]), Schema(columns))
    ids = ["twice", "twice", *(f"r{i}" for i in range(38))]
    return FileData(frame, np.arange(40), ids, ["x", "y"] * 20, "data.csv")


def test_everything_is_counted(data):
    found = profile(data, np.array([0, 1]), "kind")
    assert (found.n_missing, found.n_cells) == (2, 80)
    assert found.n_duplicates == 4  # of the sentinels two, of the missing values one, of 7.5 one
    assert found.repeated_ids == ["twice"]
    assert found.n_repeated == 2
    size, color, name, kind, empty = found.columns
    assert (size.n_missing, sum(size.bars)) == (2, 38)
    assert size.remark == "-999 in 3 cells: may stand for missing"
    assert color.summary == "red 75%, blue 25%"
    assert name.remark == "every value is different"
    assert kind.remark == "the label: not used as a feature"
    assert empty.remark == "constant"


def test_true_and_false_are_counted_like_levels():
    values = np.array([[0.0], [0.0], [0.0], [1.0], [np.nan]])
    one = column_profile(Column("smoker", BOOLEAN), values, 0)
    assert one.summary == "false 75%, true 25%"


def test_the_table_in_one_line(data):
    line = data_line(profile(data, np.array([0, 1]), "kind"))
    assert line == (
        "1 number, 1 category, 1 id, 1 not used, label kind · 2 missing cells (2%) · "
        "4 duplicate rows · 1 constant · 1 column with numbers that may stand for missing · "
        "1 row name not unique"
    )


def test_duplicates_of_sparse_rows_and_of_signed_zeros():
    rows = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 0.0]])
    assert n_duplicates(rows) == 1
    assert n_duplicates(sp.csr_matrix(rows)) == 1
