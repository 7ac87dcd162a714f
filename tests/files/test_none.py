"""The word "none": a level among words, a missing value elsewhere, the same in frames and files."""

import numpy as np
import pandas as pd
import pytest

from urerf.files import ReadOptions, read_files
from urerf.frames.dataframe import read_frame


def read(tmp_path, text, **options):
    path = tmp_path / "table.csv"
    path.write_text(text)
    return read_files([str(path)], options=ReadOptions(**options)).frame


@pytest.mark.parametrize("word", ["none", "None", "NONE"])
def test_a_level_among_words_as_in_a_frame(tmp_path, word):
    data = pd.DataFrame({"size": [1.5, 2, 3, 5], "hair": ["brown", word, "blond", word]})
    frame = read(tmp_path, data.to_csv(index=False))
    assert frame.schema == read_frame(data).frame.schema
    assert frame.schema.columns[1].levels == ("brown", word, "blond")
    np.testing.assert_array_equal(frame.values, read_frame(data).frame.values)


@pytest.mark.parametrize(
    "cells",
    [["1.5", "2", "3"], ["2024-01-01", "2024-02-01", "2024-03-05"], ["true", "false", "true"]],
)
def test_missing_among_numbers_dates_and_booleans(tmp_path, cells):
    rows = "".join(f"{i}.5,{cell}\n" for i, cell in enumerate([*cells, "None"]))
    frame = read(tmp_path, f"x,y\n{rows}")
    assert frame.schema.columns[1].kind != "category"
    assert np.isnan(frame.values[:, 1]).tolist() == [False, False, False, True]


def test_a_user_may_declare_it_as_missing(tmp_path):
    frame = read(tmp_path, "x,y\n1.5,a\n2,none\n3,b\n4,a\n", na=["none"])
    assert frame.schema.columns[1].levels == ("a", "b")


def test_no_answer_in_german_is_missing_in_any_column(tmp_path):
    frame = read(tmp_path, "x;y\n1,5;a\nk. A.;b\n3;k. A.\n4;a\n")
    assert np.isnan(frame.values).tolist() == [
        [False] * 2,
        [True, False],
        [False, True],
        [False] * 2,
    ]
    assert frame.schema.columns[1].levels == ("a", "b")
