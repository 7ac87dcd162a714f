"""``write_report``: a table in memory gives the page of the command."""

import numpy as np
import pandas as pd
import pytest

from urerf import URerF
from urerf.datasets import make_gaussian_mixture
from urerf.report import payload, write_report

N = 90


@pytest.fixture(scope="module")
def table():
    shape = make_gaussian_mixture(N, random_state=0)
    frame = pd.DataFrame(shape.X, columns=["a", "b", "c"])
    frame["kind"] = [f"type {label}" for label in shape.labels]
    frame.index = [f"s{i}" for i in range(N)]
    return frame


@pytest.fixture(scope="module")
def model(table):
    return URerF(n_estimators=20, random_state=0).fit(table[["a", "b", "c"]])


def test_a_data_frame_with_a_column_of_labels(model, table, tmp_path):
    found = write_report(model, tmp_path / "r.html", table, label="kind", title="My <table>")
    meta = payload.meta(found)
    assert meta["ids"][:2] == ["s0", "s1"]
    assert meta["label"] == "kind"
    assert {column["name"] for column in meta["columns"]} == {"a", "b", "c"}
    text = (tmp_path / "r.html").read_text("utf-8")
    assert "<h1>My &lt;table&gt;</h1>" in text
    assert "of neighbors share kind" in text
    assert repr(found) == f"Findings({N} rows; 3 of 3 columns carry structure)"


def test_rows_are_named_by_an_index_that_does_not_count_them(model, table, tmp_path):
    for first, ids in ((0, None), (10, [str(i) for i in range(10, 10 + N)])):
        renamed = table.set_axis(pd.RangeIndex(first, first + N))
        assert write_report(model, tmp_path / "r.html", renamed).data.ids == ids


def test_labels_that_were_fitted_are_not_compared(table, tmp_path):
    fitted = URerF(n_estimators=20, random_state=0).fit(table)
    for label in ("kind", table["kind"]):
        with pytest.warns(UserWarning, match="label: the model was fitted on 'kind'"):
            found = write_report(fitted, tmp_path / "r.html", table, label=label)
        assert found.labels is None
        text = (tmp_path / "r.html").read_text("utf-8")
        assert "of neighbors share kind" not in text
        assert "The model was fitted on kind, so it is no evidence that neighbors share it." in text


def test_labels_may_be_an_array_and_the_table_too(model, table, tmp_path):
    X = table[["a", "b", "c"]].to_numpy()
    plain = URerF(n_estimators=20, random_state=0).fit(X)
    path = tmp_path / "r.html"
    found = write_report(plain, path, X, label=table["kind"], n_neighbors=4)
    assert found.label == "kind"
    assert found.neighbors.shape == (N, 4)
    assert found.data.ids is None
    assert write_report(plain, path, X, label=table["kind"].to_list()).label == "label"


def test_more_neighbors_than_rows_become_all_rows_with_a_notice(tmp_path):
    X = np.random.default_rng(0).normal(size=(9, 3))
    model = URerF(n_estimators=5, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="only 9 rows, so the report shows 8 neighbors"):
        found = write_report(model, tmp_path / "r.html", X)
    assert found.neighbors.shape == (9, 8)


def test_errors_name_the_argument(model, table, tmp_path):
    path = tmp_path / "r.html"
    with pytest.raises(ValueError, match="X: must be the table that the model was fitted on"):
        write_report(model, path, table[:50])
    with pytest.raises(ValueError, match="label: X has no column 'kin'; did you mean 'kind'"):
        write_report(model, path, table, label="kin")
    with pytest.raises(ValueError, match="label: must have one entry per row, 90, got 3"):
        write_report(model, path, table, label=["a", "b", "c"])
    assert not path.exists()


def test_a_model_without_a_fixed_seed(table, tmp_path):
    X = table[["a", "b", "c"]]
    for seed in (None, np.random.RandomState(0)):
        model = URerF(n_estimators=5, random_state=seed).fit(X)
        write_report(model, tmp_path / "r.html", X)
