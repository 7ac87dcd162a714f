"""The page as a file: what it says, and that nothing from the table is executed in it."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import version

import numpy as np
import pytest

from urerf import URerF
from urerf.datasets import add_noise, make_helix
from urerf.files import FileData
from urerf.relevance.record import Why
from urerf.report import euclidean, find, findings, page, payload, sections, stored
from urerf.schema import CATEGORY, Column, Frame, Schema

N = 120
K = 5
EVIL = "</script><script>alert(1)</script><b>&amp;"


def file_data(values, labels=None, ids=None, names=None):
    names = names or [f"c{i}" for i in range(values.shape[1])]
    frame = Frame(values, Schema.of_numbers(names))
    return FileData(frame, np.arange(values.shape[0]), ids, labels, "data.csv", ["Note."])


def find_all(data, **settings):
    model = URerF(n_estimators=10, random_state=0, **settings).fit(data.frame)
    return find(data, model, K, step=lambda text: None)


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(N, random_state=0).X, 20, random_state=0)


class Elements(HTMLParser):
    """The tags and the attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.attributes = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


def meta_of(text):
    return json.loads(re.search(r'id="meta">(.*?)</script>', text, re.S)[1])


def test_the_page_says_what_was_found(X):
    text = page.render(find_all(file_data(X)), "urerf report data.csv")
    assert "<b>120</b><span>rows</span>" in text
    assert "<b>23</b><span>columns</span>" in text
    assert "<b>3</b><span>columns carry structure</span>" in text
    assert "Columns with structure: c" in text
    assert "Note." in text
    assert "<code>urerf report data.csv</code>" in text
    assert "n_estimators" in text
    assert f"numpy {version('numpy')}" in text


def test_rows_that_are_not_independent_are_told():
    walks = np.random.default_rng(0).normal(size=(N, 4)).cumsum(axis=0)
    text = page.render(find_all(file_data(walks)), "")
    assert "<b>rows may not be independent</b>" in text
    assert "<p>Rows that follow each other are alike, most of all in c" in text


def test_rows_without_a_label_are_told(X):
    labels = ["a", "b"] * (N // 2)
    assert "without label" not in page.render(find_all(file_data(X, labels)), "")
    text = page.render(find_all(file_data(X, ["", *labels[1:]])), "")
    assert "1 row without label is left out." in text
    text = page.render(find_all(file_data(X, ["", "", *labels[2:]])), "")
    assert "2 rows without label are left out." in text


def test_no_structure_is_not_called_structure():
    noise = np.random.default_rng(0).normal(size=(N, 14))
    result = find_all(file_data(noise))
    text = page.render(result, "")
    assert result.evidence.verdict != "structure"
    assert "<b>0</b><span>columns carry structure</span>" in text
    assert "with structure:" not in text
    assert "<b>No structure found</b>" in text
    assert 'data-structure="none"' in text
    assert '<svg class="track"' not in text  # no bars
    assert "clusters-title" not in text
    assert meta_of(text)["clusters"] == []
    assert not meta_of(text)["found"]


def test_weak_evidence_is_told_once(X, monkeypatch):
    result = find_all(file_data(X))
    hint = replace(
        result.evidence,
        verdict="hint",
        message="No structure found. Weak evidence: c1 and c2 may depend on each other.",
        strength=np.zeros(X.shape[1]),
    )
    monkeypatch.setattr(findings.Findings, "evidence", hint)
    text = page.render(result, "")
    assert text.count("No structure found") == 1
    assert "<p>Weak evidence: c1 and c2" in text
    assert "mean nothing" not in text


def test_the_number_of_rows_examined_is_told_if_it_is_not_all(X, monkeypatch):
    result = find_all(file_data(X))
    assert "The tests examined" not in page.render(result, "")
    fewer = replace(result.evidence, n_rows=20)
    monkeypatch.setattr(findings.Findings, "evidence", fewer)
    assert "The tests examined 20 rows." in page.render(result, "")
    untested = replace(fewer, why=np.full(len(fewer.why), Why.UNTESTED))
    monkeypatch.setattr(findings.Findings, "evidence", untested)
    assert "The tests examined" not in page.render(result, "")


def test_rows_that_depend_on_each_other_are_told(X, monkeypatch):
    result = find_all(file_data(X))
    assert "rows may not be independent" not in page.render(result, "")
    noticed = replace(result.evidence, notices=["rows are alike"])
    monkeypatch.setattr(findings.Findings, "evidence", noticed)
    text = page.render(result, "")
    assert "rows may not be independent" in text
    assert "<p>Rows are alike.</p>" in text


@pytest.mark.parametrize(("n_rows", "n_columns"), [(12, 3), (60, 1)])
def test_too_few_rows_or_columns_are_not_called_a_lack_of_structure(n_rows, n_columns):
    """The quartet of Anscombe, 11 rows, was said to have no dependence."""
    x = np.arange(n_rows, dtype=float)
    found = find_all(file_data(np.column_stack([x**2] * n_columns)))
    text = page.render(found, "")
    assert "<b>Too few rows or columns to find structure</b>" in text
    assert "at least 20 rows in which both have values" in text
    assert "No column depends" not in text
    assert "carry structure" not in text  # nothing was tested
    assert "carries structure" not in text


def test_missing_values_are_not_called_too_few_rows():
    """Of 200 rows with one value each, no two columns can be compared."""
    rng = np.random.default_rng(0)
    values = np.full((200, 8), np.nan)
    values[np.arange(200), rng.integers(8, size=200)] = rng.normal(size=200)
    found = find_all(file_data(values))
    text = page.render(found, "")
    assert "<b>Too few values to find structure</b>" in text
    assert "<p>The table has too few values to find structure.</p>" in text
    assert repr(found) == "Findings(200 rows; 8 columns, too few values to find structure)"


@pytest.mark.parametrize(("n_rows", "told"), [(30, True), (N, False)])
def test_few_rows_show_only_strong_relations(n_rows, told):
    """The map of 20 rows of counts was said to mean nothing."""
    noise = np.random.default_rng(1).normal(size=(n_rows, 5))
    text = page.render(find_all(file_data(noise)), "")
    assert "No column depends on another one" in text
    assert ("In 30 rows, only strong relations can be found." in text) == told


def test_the_share_of_rows_in_clusters_is_told_if_it_is_small(X):
    result = replace(find_all(file_data(X)), cluster=np.repeat([0, -1], [20, len(X) - 20]))
    assert f"cluster with {20 / len(X):.0%} of the rows" in sections.summary(result)
    most = replace(result, cluster=np.repeat([0, -1], [len(X) - 20, 20]))
    assert "<b>1</b><span>cluster</span>" in sections.summary(most)


def test_rows_are_equal_in_the_columns_that_can_be_used(X):
    """Columns that count the rows are all different, so that rows are not equal in every column."""
    result = find_all(file_data(np.vstack([X, X[:2]])))
    columns = f"the {X.shape[1]} columns that can be used"
    assert f"2 rows (2%) equal an earlier row in {columns}." in page.render(result, "")


def test_a_label_that_is_a_number_is_predicted(X):
    labels = [f"{value:.3f}" for value in X[:, 2]]
    text = page.render(find_all(file_data(X, labels=labels)), "")
    tile = re.search(r"<b>R² (0\.\d\d)</b><span>(.*?)</span>", text)
    assert float(tile[1]) > 0.5
    assert re.fullmatch(
        r"if label is predicted from neighbors \(Euclidean -?0\.\d\d, chance 0\.00\)", tile[2]
    )
    assert "Can label be predicted from neighbors?</h2>" in text
    assert "Do neighbors share" not in text


def test_without_relevance_all_columns_are_used_equally(X):
    text = page.render(find_all(file_data(X), feature_weighting="uniform"), "")
    assert "All columns were used equally" in text
    assert "carry structure</span>" not in text


def test_the_page_is_self_contained(X):
    elements = Elements(page.render(find_all(file_data(X)), ""))
    addresses = [value for name, value in elements.attributes if name in ("src", "href")]
    assert addresses == ["#explorer"]
    assert "link" not in elements.tags


def test_the_policy_allows_this_script_and_this_style_sheet_alone(X):
    text = page.render(find_all(file_data(X)), "")
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1]
    assert "unsafe" not in policy
    code = text[text.rindex("<script>") + len("<script>") : text.rindex("</script>")]
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    for kind, content in (("script", code), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    names = [name for name, _ in Elements(text).attributes]
    assert not [name for name in names if name == "style" or name.startswith("on")]


def test_text_of_the_table_stays_text(X):
    plain = Elements(page.render(find_all(file_data(X)), ""))
    data = file_data(
        X,
        labels=[EVIL] * N,
        ids=[f"{EVIL}{i}" for i in range(N)],
        names=[f"{EVIL}{i}" for i in range(23)],
    )
    text = page.render(find_all(data), EVIL)
    evil = Elements(text)
    assert [tag for tag in evil.tags if tag != "script"] == [
        tag for tag in plain.tags if tag != "script"
    ]
    assert evil.tags.count("script") == plain.tags.count("script") + 1  # the array of labels
    assert "alert(1)</script>" not in text
    assert meta_of(text)["ids"][0] == f"{EVIL}0"


def test_a_category_has_its_plain_name_its_kind_and_its_levels(X):
    values = X[:, :3].copy()
    values[:, 2] = values[:, 2] > np.median(values[:, 2])
    color = Column("color", CATEGORY, ("blue", "red"))
    frame = Frame(values, Schema((Column("a"), Column("b"), color)))
    data = FileData(frame, np.arange(N), None, None, "data.csv")
    text = page.render(find_all(data), "")
    assert '<th scope="row">color</th><td>category</td>' in text
    columns = meta_of(text)["columns"]
    known = [(one["name"], one["kind"], one["levels"]) for one in columns]
    assert ("color", "category", ["blue", "red"]) in known
    assert ("a", "number", None) in known


def test_numbers_far_from_zero_keep_their_digits(X):
    days = 18_262 + np.round(1440 * np.linspace(0, 900, N)) / 1440
    result = find_all(file_data(np.column_stack([X[:, 0], days]), names=["a", "day"]))
    (offset,) = (one["offset"] for one in payload.meta(result)["columns"] if one["name"] == "day")
    assert offset == 18_262
    stored = (days - offset).astype(np.float32).astype(float) + offset
    assert np.abs(stored - days).max() * 86_400 < 10  # seconds
    assert np.abs(days.astype(np.float32) - days).max() * 86_400 > 60


def test_only_the_most_relevant_columns_of_a_large_table_go_into_the_page(X, monkeypatch):
    monkeypatch.setattr(stored, "MOST_BYTES", 4 * 4 * N)  # four columns of float32
    result = find_all(file_data(X))
    shown = [column.position for column in result.stored]
    assert set(shown[:3]) == {0, 1, 2}
    assert len(shown) == 4
    assert len(payload.meta(result)["columns"]) == 4


def test_columns_of_few_bytes_leave_room_for_more(X, monkeypatch):
    monkeypatch.setattr(stored, "MOST_BYTES", 4 * N)
    digits = file_data(np.random.default_rng(0).integers(10, size=(N, 3)).astype(float)).frame
    assert [one.position for one in stored.stored_columns(digits, [2, 0, 1])] == [2, 0, 1]
    assert [one.position for one in stored.stored_columns(file_data(X).frame, [5, 0, 1])] == [5]


def test_a_small_component_is_not_said_to_have_no_rows(X):
    result = find_all(file_data(X))
    many = replace(result, points=np.zeros((10_000, 2)), component_sizes=np.array([9_990, 10]))
    assert '<td class="number">&lt;1%</td>' in sections.components(many)


def test_a_table_too_large_has_no_list_of_euclidean_neighbors(X, monkeypatch):
    monkeypatch.setattr(euclidean, "MOST_PRODUCTS", 1.0)
    monkeypatch.setattr(euclidean, "SAMPLE_ROWS", 50)
    result = find_all(file_data(X, labels=["a", "b"] * (N // 2)))
    assert result.euclidean is None
    text = page.render(result, "")
    assert "Euclidean neighbors: of 50 sampled rows." in text
    assert "data-euclidean" not in text
