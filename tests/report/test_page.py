"""The page as a file: what it says, and that nothing of the table can act in it."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from urerf import URerF
from urerf.datasets import add_noise, make_helix
from urerf.files import Table
from urerf.report import find, findings, page

N = 120
K = 5
EVIL = "</script><script>alert(1)</script><b>&amp;"


def table(values, labels=None, ids=None, names=None):
    names = names or [f"c{i}" for i in range(values.shape[1])]
    return Table(
        values,
        names,
        np.arange(len(labels or range(values.shape[0]))),
        ids,
        labels,
        ["Note."],
        "data.csv",
    )


def found(data, **settings):
    model = URerF(n_estimators=10, random_state=0, **settings).fit(data.values)
    return find(data, model, K, step=lambda text: None)


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(N, random_state=0).X, 20, random_state=0)


class Elements(HTMLParser):
    """Counts the elements and keeps the text of scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.attributes = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


def test_the_page_says_what_was_found(X):
    text = page.render(found(table(X)), "urerf report data.csv")
    assert "<b>120</b><span>rows</span>" in text
    assert "<b>23</b><span>columns</span>" in text
    assert "<b>3</b><span>columns carry structure</span>" in text
    assert "They are: " in text
    assert "Note." in text
    assert "<code>urerf report data.csv</code>" in text
    assert "n_estimators" in text
    assert page._version("numpy") in text


def test_the_page_is_self_contained(X):
    elements = Elements(page.render(found(table(X)), ""))
    addresses = [value for name, value in elements.attributes if name in ("src", "href")]
    assert addresses == ["#explorer"]
    assert "link" not in elements.tags
    assert ("http-equiv", "Content-Security-Policy") in elements.attributes


def test_what_stands_in_the_table_stays_text(X):
    plain = Elements(page.render(found(table(X)), ""))
    data = table(
        X,
        labels=[EVIL] * N,
        ids=[f"{EVIL}{i}" for i in range(N)],
        names=[f"{EVIL}{i}" for i in range(23)],
    )
    text = page.render(found(data), EVIL)
    evil = Elements(text)
    assert [tag for tag in evil.tags if tag != "script"] == [
        tag for tag in plain.tags if tag != "script"
    ]
    assert evil.tags.count("script") == plain.tags.count("script") + 1  # the labels' array
    assert "alert(1)</script>" not in text
    meta = json.loads(re.search(r'id="meta">(.*?)</script>', text, re.S)[1])
    assert meta["ids"][0] == f"{EVIL}0"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_euclidean_neighbours_are_those_of_standardised_columns(X, form):
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    want = NearestNeighbors(n_neighbors=K).fit(scaled).kneighbors(return_distance=False)
    assert (
        findings.euclidean_neighbors(form(X), K) == want
    ).mean() > 0.99  # float32 may swap a near tie


def test_a_table_too_large_goes_without_euclidean_neighbours(X, monkeypatch):
    monkeypatch.setattr(findings, "MOST_PRODUCTS", 1.0)
    result = found(table(X))
    assert result.euclidean is None
    text = page.render(result, "")
    assert "too large to compare" in text
    assert "data-euclidean" not in text


def test_missing_values_and_constant_columns_have_no_say_in_euclidean_neighbours(X):
    more = np.column_stack([X, np.full(N, 3.0), np.full(N, np.nan)])
    more[:, -1][0] = 1.0
    assert (findings.euclidean_neighbors(more, K) == findings.euclidean_neighbors(X, K)).all()


def test_parts_are_numbered_from_the_largest():
    ids = np.array([[1], [0], [3], [4], [2]])
    part, sizes = findings.parts(np.ones((5, 1)), ids)
    assert part.tolist() == [1, 1, 0, 0, 0]
    assert sizes.tolist() == [3, 2]


def test_only_the_most_relevant_columns_of_a_large_table_go_into_the_page(X, monkeypatch):
    monkeypatch.setattr(findings, "MOST_VALUES", 4 * N)
    result = found(table(X))
    assert set(result.shown[:3]) == {0, 1, 2}
    assert len(result.shown) == 4
    assert len(page.meta(result)["names"]) == 4


def test_labels_are_classes_or_numbers():
    assert page.label_levels(["b", "a", "b"]) == ["b", "a"]
    assert page.label_levels(["1", "2"] * 20) == ["1", "2"]
    assert page.label_levels([str(i / 7) for i in range(30)]) is None
    assert page.label_levels(None) is None


def test_without_relevance_all_columns_count(X):
    text = page.render(found(table(X), feature_weighting="uniform"), "")
    assert "All columns counted alike" in text
