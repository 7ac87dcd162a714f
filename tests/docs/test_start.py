"""The snippets of the first page run one after the other and give the results that it states."""

import numpy as np
import pytest
from snippets import DOCS, run, snippets

PAGE = "start.md"


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("start"))  # the page saves a model
        found: dict = {}
        for snippet in snippets(PAGE):
            found = run(PAGE, snippet, found)
    return found


def test_precision_is_as_the_page_says(names):
    ours = f"{names['ours']:.0%} of the 50 neighbors are correct"
    theirs = f"{names['theirs']:.0%} by Euclidean distance"
    assert f"# {ours}, {theirs}" in (DOCS / PAGE).read_text(encoding="utf-8")


def test_relevant_columns_are_those_that_the_page_names(names):
    assert names["model"].relevance_.message == "3 columns depend on each other."
    np.testing.assert_array_equal(names["model"].feature_relevance_.nonzero()[0], [0, 1, 2])


def test_loaded_model_equals_the_saved_one(names):
    np.testing.assert_array_equal(names["again"].kneighbors()[1], names["model"].kneighbors()[1])


def test_lengths_and_scores_are_finite(names):
    assert np.isfinite(names["lengths"]).all()
    assert np.isfinite(names["scores"]).all()
    assert names["embedding"].shape == (1000, 2)
