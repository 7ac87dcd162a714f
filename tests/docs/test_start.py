"""The first page a user follows: its snippets run one after the other, and what they say comes out does."""

import numpy as np
import pytest
from snippets import DOCS, run, snippets

PAGE = "start.md"


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("start"))  # a model is saved
        found: dict = {}
        for snippet in snippets(PAGE):
            found = run(PAGE, snippet, found)
    return found


def test_neighbours_are_as_right_as_the_page_says(names):
    said = f"# {names['ours']:.2f} of 50 neighbours are right, {names['theirs']:.2f} by Euclidean distance"
    assert said in (DOCS / PAGE).read_text(encoding="utf-8")


def test_relevant_columns_are_those_the_page_names(names):
    np.testing.assert_array_equal(names["model"].feature_relevance_.nonzero()[0], [0, 1, 2])


def test_loaded_model_is_the_saved_one(names):
    np.testing.assert_array_equal(names["again"].kneighbors()[1], names["model"].kneighbors()[1])


def test_lengths_and_scores_are_finite(names):
    assert np.isfinite(names["lengths"]).all()
    assert np.isfinite(names["scores"]).all()
    assert names["embedding"].shape == (1000, 2)


def test_snippets_of_the_first_page_run():
    (snippet,) = snippets("index.md")
    np.testing.assert_array_equal(run("index.md", snippet, {})["indices"].shape, (5, 50))
