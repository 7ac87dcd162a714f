"""Neighbor stability: its definition, and that it falls when neighbors are chance."""

import numpy as np
import pytest

from urerf import URerF
from urerf.datasets import add_noise, make_helix
from urerf.stability import Stability, shared_neighbors, stability_if_quick


def forest(n_estimators=40, **settings) -> URerF:
    return URerF(n_estimators, random_state=0, **settings)


@pytest.fixture(scope="module")
def model():
    return forest().fit(make_helix(200).X)


def test_shared_neighbors_are_those_of_both_lists():
    rng = np.random.default_rng(0)
    lists = [np.array([rng.permutation(30)[:7] for _ in range(20)]) for _ in range(2)]
    expected = [len(set(a) & set(b)) / 7 for a, b in zip(*lists)]
    np.testing.assert_allclose(shared_neighbors(*lists, 30), expected)


def test_a_helix_has_stable_neighbors(model):
    stability = model.neighbor_stability()
    assert 0.7 < stability.overall <= 1
    assert stability.word == "stable"
    assert stability.per_row.shape == (200,)
    chance = 15 / 199
    expected = (stability.shared - chance) / (1 - chance)
    assert stability.overall == pytest.approx(expected)
    assert stability.per_row.mean() == pytest.approx(expected)


def test_neighbors_among_noise_are_not_stable():
    X = np.random.default_rng(0).normal(size=(200, 300))
    stability = forest().fit(X).neighbor_stability()
    assert stability.overall < 0.1
    assert stability.word == "not stable"


def test_it_falls_with_noise_and_with_fewer_trees():
    """Relevance is switched off: it would remove the noise columns."""
    X = make_helix(200).X
    settings = {"feature_weighting": "uniform", "similarity": "blend"}
    figures = {}
    for n_noise in (0, 10, 100):
        for n_trees in (10, 60):
            noisy = add_noise(X, n_noise, random_state=0)
            fitted = forest(n_trees, **settings).fit(noisy)
            figures[n_noise, n_trees] = fitted.neighbor_stability().overall
    for n_trees in (10, 60):
        assert figures[0, n_trees] > figures[10, n_trees] > figures[100, n_trees]
    assert figures[0, 60] > figures[0, 10] + 0.1


def test_some_rows_have_the_figures_they_have_among_all(model):
    rows = [5, 3, 190]
    every = model.neighbor_stability(10).per_row
    np.testing.assert_allclose(model.neighbor_stability(10, rows=rows).per_row, every[rows])


def test_equal_rows_do_not_count_themselves():
    X = np.repeat(make_helix(40).X, 2, axis=0)
    stability = forest().fit(X).neighbor_stability(5, rows=np.arange(80))
    assert stability.overall <= 1
    assert stability.per_row.max() <= 1


def test_the_result_is_the_same_for_any_number_of_threads_and_after_loading(model, tmp_path):
    expected = model.neighbor_stability(5).per_row
    threads = forest(n_jobs=2).fit(make_helix(200).X)
    np.testing.assert_array_equal(threads.neighbor_stability(5).per_row, expected)
    model.save(tmp_path / "model.urerf")
    loaded = URerF.load(tmp_path / "model.urerf")
    np.testing.assert_array_equal(loaded.neighbor_stability(5).per_row, expected)


def test_ties_do_not_count_as_agreement():
    """Trees of fewer rows than `min_samples_split` have no split: all rows are equally close."""
    fitted = forest(min_samples_split=1000, similarity="depth").fit(make_helix(100).X)
    assert fitted.neighbor_stability(10).overall < 0.1


def test_trees_without_splits_are_not_compared():
    """Straight distances alone ranked the neighbors: noise of 25 rows had a stability of 1."""
    X = np.random.default_rng(31060).normal(size=(25, 30))
    small = forest().fit(X)
    with pytest.raises(ValueError, match="neighbor_stability: 25 fitted rows are too few, since"):
        small.neighbor_stability(5)
    assert stability_if_quick(small, 5) is None
    whole = forest(max_samples=None).fit(X)
    assert whole.neighbor_stability(5).overall < 0.9


def test_all_rows_as_neighbors_say_nothing(model):
    assert model.neighbor_stability(199).overall == 0
    assert stability_if_quick(model, 199) is None


@pytest.mark.parametrize("settings", [{"max_samples": None}, {"max_samples": 180}])
def test_trees_of_all_rows_are_grown_on_a_half(settings):
    stability = forest(**settings).fit(make_helix(200).X).neighbor_stability()
    assert 0.5 < stability.overall <= 1


def test_missing_values_and_categories_are_read_as_by_the_model():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = make_helix(100).X
    frame = pandas.DataFrame(X, columns=["x", "y", "z"])
    frame.loc[::7, "x"] = np.nan
    frame["side"] = np.where(X[:, 1] > 0, "left", "right")
    assert forest().fit(frame).neighbor_stability(5).overall > 0.3


def test_bad_arguments_are_named(model):
    with pytest.raises(ValueError, match="n_neighbors: 200"):
        model.neighbor_stability(200)
    with pytest.raises(ValueError, match="rows: must lie between 0 and 199"):
        model.neighbor_stability(rows=[200])
    with pytest.raises(ValueError, match="rows: must not be empty"):
        model.neighbor_stability(rows=[])
    tiny = forest(5).fit(make_helix(8).X)
    with pytest.raises(ValueError, match="neighbor_stability: needs at least 10 fitted rows"):
        tiny.neighbor_stability(2)


def test_the_sentence_has_the_figure_and_its_word():
    text = repr(Stability(0.42, np.zeros(3), 0.456, 15))
    assert text.startswith("neighbors are partly stable: two forests")
    assert text.endswith("have 46% of them in common (0.42 corrected for chance)")
