"""The names of the package, and results with the names of rows."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn import config_context
from sklearn.manifold import Isomap
from sklearn.pipeline import make_pipeline

import urerf
from urerf import URerF
from urerf.datasets import make_helix

pandas = pytest.importorskip("pandas", reason="pandas is not installed")

NAMES = [f"row {i}" for i in range(60)]


@pytest.fixture(scope="module")
def frame():
    return pandas.DataFrame(make_helix(60).X, columns=["x", "y", "z"], index=NAMES)


@pytest.fixture(scope="module")
def model(frame):
    return URerF(10, random_state=0).fit(frame)


def test_dir_lists_what_there_is():
    listed = dir(urerf)
    expected = {"URerF", "embed", "outlier_score", "cluster", "write_report", "plot", "__version__"}
    assert set(listed) == expected
    assert all(getattr(urerf, name) is not None for name in listed)


def test_importing_urerf_imports_nothing_else():
    code = "import sys, urerf; print({'numba', 'sklearn', 'pandas'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'forests'"):
        getattr(urerf, "forests")  # noqa: B009


def test_neighbors_frame_has_index_labels_and_kneighbors_positions(frame, model):
    distances, indices = model.kneighbors(n_neighbors=3)
    assert indices.dtype.kind == "i"
    table = model.neighbors_frame(3)
    assert list(table.columns) == ["row", "neighbor", "distance"]
    assert list(table["row"][:4]) == ["row 0", "row 0", "row 0", "row 1"]
    assert list(table["neighbor"]) == [NAMES[i] for i in indices.ravel()]
    np.testing.assert_array_equal(table["distance"], distances.ravel())
    assert len(model.neighbors_frame()) == 60 * 15


def test_new_rows_have_their_own_labels(frame, model):
    new = frame.iloc[:2].set_axis(["a", "b"])
    table = model.neighbors_frame(2, X=new)
    assert list(table["row"]) == ["a", "a", "b", "b"]
    assert list(table["neighbor"][::2]) == ["row 0", "row 1"]  # fitted rows find themselves
    array = URerF(10, random_state=0).fit(frame.to_numpy())
    assert list(array.neighbors_frame(1, X=new.to_numpy())["row"]) == [0, 1]


@pytest.mark.parametrize(
    "index",
    [
        pandas.RangeIndex(60),
        pandas.RangeIndex(100, 160),
        pandas.date_range("2020-01-01", periods=60),
        pandas.MultiIndex.from_product([["a", "b"], range(30)]),
        pandas.Index(["twice"] * 60),
    ],
)
def test_any_index_will_do(frame, index):
    fitted = URerF(5, random_state=0).fit(frame.set_axis(index))
    table = fitted.neighbors_frame(2)
    assert list(table["row"][::2]) == list(index)
    assert set(table["neighbor"]) <= set(index)


def test_labels_survive_saving(frame, model, tmp_path):
    for index in (NAMES, range(7, 67)):
        fitted = URerF(5, random_state=0).fit(frame.set_axis(index))
        fitted.save(tmp_path / "model.urerf")
        loaded = URerF.load(tmp_path / "model.urerf")
        assert list(loaded.row_names_) == list(index)
        pandas.testing.assert_frame_equal(loaded.neighbors_frame(2), fitted.neighbors_frame(2))
    fitted = URerF(5, random_state=0).fit(frame.to_numpy())
    fitted.save(tmp_path / "model.urerf")
    assert not hasattr(URerF.load(tmp_path / "model.urerf"), "row_names_")


def test_labels_of_an_earlier_fit_are_forgotten(frame):
    fitted = URerF(5, random_state=0).fit(frame)
    assert list(fitted.row_names_) == NAMES
    assert not hasattr(fitted.fit(frame.to_numpy()), "row_names_")


def test_without_pandas_one_line_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for call in (model.neighbors_frame, model.relevance_.to_frame):
        with pytest.raises(ImportError, match=r"^\w+: needs pandas; install it with 'pip"):
            call()


def test_set_output_says_why_a_graph_is_not_a_frame(frame):
    text = r"set_output: must be 'default', got 'pandas'.*neighbors_frame\(\)"
    with pytest.raises(ValueError, match=text):
        URerF(5).set_output(transform="pandas").fit_transform(frame)
    with config_context(transform_output="pandas"), pytest.raises(ValueError, match=text):
        URerF(5, random_state=0).fit(frame).transform(frame)


def test_set_output_works_for_later_steps(frame):
    embedding = Isomap(n_neighbors=8, metric="precomputed").set_output(transform="pandas")
    result = make_pipeline(URerF(20, n_neighbors=8, random_state=0), embedding).fit_transform(frame)
    assert isinstance(result, pandas.DataFrame)
    assert result.shape == (60, 2)


def test_the_estimator_and_its_relevance_are_shown_in_a_notebook(model):
    assert "URerF" in model._repr_html_()
    hostile = pandas.DataFrame(make_helix(60).X, columns=["<script>alert(1)</script>", "b", "c"])
    html = URerF(5, random_state=0).fit(hostile).relevance_._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_write_report_writes_a_page(frame, model, tmp_path):
    urerf.write_report(model, tmp_path / "report.html", frame, label=["a", "b"] * 30)
    assert "<html" in (tmp_path / "report.html").read_text("utf-8")
