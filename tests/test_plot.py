"""Figures: what they show, and what they say when they cannot be drawn."""

import sys

import numpy as np
import pytest

import urerf
from urerf.datasets import add_noise, make_gaussian_mixture

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")

MIXTURE = make_gaussian_mixture(90, random_state=0)


@pytest.fixture(scope="module")
def model():
    X = add_noise(MIXTURE.X, 3, random_state=0)
    return urerf.URerF(20, random_state=0).fit(X)


@pytest.fixture(scope="module")
def points(model):
    return urerf.embed(model)


@pytest.fixture(autouse=True)
def _close():
    yield
    pyplot.close("all")


def drawn(axes) -> int:
    return sum(len(group.get_offsets()) for group in axes.collections)


def legend_texts(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_every_row_is_drawn(model):
    assert drawn(urerf.plot.map(model)) == 90


def test_numbers_have_a_scale_and_gaps_are_drawn_as_well(model, points):
    color = MIXTURE.X[:, 0].copy()
    color[:5] = np.nan
    axes = urerf.plot.map(model, color, points=points)
    assert drawn(axes) == 90
    assert len(axes.figure.axes) == 2


def test_categories_have_a_legend_with_the_name_of_the_column(model, points):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    labels = pandas.Series([f"group {label}" for label in MIXTURE.labels], name="group")
    labels[0] = None
    axes = urerf.plot.map(model, labels, points=points)
    assert legend_texts(axes) == ["group 0", "group 1", "group 2", "missing"]
    assert axes.get_legend().get_title().get_text() == "group"
    assert drawn(axes) == 90


def test_categories_beyond_the_looks_share_one(model, points):
    axes = urerf.plot.map(model, [f"c{i % 45}" for i in range(90)], points=points)
    texts = legend_texts(axes)
    assert texts[-1] == "18 more values"
    assert len(texts) == 28
    assert len({(m, c) for m, c in urerf.plot.LOOKS}) == 27
    assert drawn(axes) == 90


def test_dates_and_durations_have_a_scale(model, points):
    days = np.arange(90).astype("datetime64[D]")
    days[:5] = "NaT"
    for color in (days, days - days[-1]):
        axes = urerf.plot.map(model, color, points=points)
        assert drawn(axes) == 90
        assert len(axes.figure.axes) == 2


def test_numbers_and_dates_that_are_objects_have_a_scale(model, points):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    numbers = pandas.Series([1, None, 3] * 30, dtype="Int64")
    dates = pandas.date_range("2020-01-01", periods=90, tz="UTC")
    for color in (numbers, dates):
        axes = urerf.plot.map(model, color, points=points)
        assert axes.get_legend() is None
        assert drawn(axes) == 90


def test_dates_are_drawn_at_their_day(model, points):
    days = np.datetime64("2024-03-01") + np.arange(90)
    values = urerf.plot.map(model, days, points=points).collections[-1].get_array()
    assert matplotlib.dates.num2date(values.min()).date() == days[0].item()


def test_missing_booleans_of_pandas_are_a_category(model, points):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    color = pandas.Series([True, None, False] * 30, dtype="boolean")
    assert legend_texts(urerf.plot.map(model, color, points=points)) == ["False", "True", "missing"]


def test_the_word_none_is_a_category(model, points):
    axes = urerf.plot.map(model, ["None", "some", None] * 30, points=points)
    assert legend_texts(axes) == ["None", "missing", "some"]


def test_booleans_are_categories(model, points):
    axes = urerf.plot.map(model, MIXTURE.labels == 0, points=points)
    assert legend_texts(axes) == ["False", "True"]


def test_columns_are_ranked_by_strength(model):
    axes = urerf.plot.relevance(model, top=4)
    assert axes.get_title() == "3 of 6 columns carry structure"
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == sorted(widths, reverse=True)
    assert widths[3] == 0


def test_noise_has_no_bars():
    X = np.random.default_rng(0).normal(size=(100, 5))
    axes = urerf.plot.relevance(urerf.URerF(5, random_state=0).fit(X))
    assert axes.get_title() == "No structure found"
    assert all(bar.get_width() == 0 for bar in axes.patches)


def test_a_table_that_could_not_be_tested_is_not_said_to_have_no_structure():
    X = np.random.default_rng(0).normal(size=(6, 3))
    axes = urerf.plot.relevance(urerf.URerF(5, random_state=0).fit(X))
    assert axes.get_title() == "Too few rows or columns to find structure"


def test_columns_that_are_not_features_have_no_bar():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = pandas.DataFrame(MIXTURE.X, columns=list("abc")).assign(rownames=range(90))
    axes = urerf.plot.relevance(urerf.URerF(5, random_state=0).fit(X))
    assert sorted(label.get_text() for label in axes.get_yticklabels()) == ["a", "b", "c"]


def test_axes_that_are_given_are_used(model, points):
    _, axes = pyplot.subplots()
    assert urerf.plot.map(model, points=points, ax=axes) is axes


def test_bad_arguments_are_named(model, points):
    with pytest.raises(ValueError, match=r"color: must have one value per row.*X\['species'\]"):
        urerf.plot.map(model, "species", points=points)
    with pytest.raises(ValueError, match="color: must have one value for each of 90"):
        urerf.plot.map(model, [1, 2], points=points)
    with pytest.raises(ValueError, match=r"points: must have shape \(90, 2\)"):
        urerf.plot.map(model, points=points[:5])
    with pytest.raises(ValueError, match="top: must be at least 1, got 0"):
        urerf.plot.relevance(model, top=0)
    for draw in (urerf.plot.map, urerf.plot.relevance):
        with pytest.raises(TypeError, match="model: must be a fitted URerF, got ndarray"):
            draw(MIXTURE.X)


def test_without_matplotlib_one_line_says_what_to_install(model, points, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"^plot: needs matplotlib; install it with 'pip"):
        urerf.plot.map(model, points=points)
