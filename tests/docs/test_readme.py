"""The README does what it says: its code runs, its numbers are those of `urerf demo`."""

import re

import pytest
from snippets import DOCS, run, snippets

from urerf.lab.demo import penguins

PAGES = ["../README.md", "index.md"]


@pytest.fixture(scope="module")
def findings():
    return penguins.find(n_noise=1000, seed=0, jobs=1)


@pytest.mark.parametrize("page", PAGES)
def test_the_snippet_prints_what_its_comment_says(page, capsys):
    (snippet,) = snippets(page)
    run(page, snippet, {})
    printed = capsys.readouterr().out.strip()
    assert snippet.code.strip().endswith(f"# {printed}")


@pytest.mark.parametrize("page", PAGES)
def test_the_three_numbers_are_those_of_the_demonstration(page, findings):
    text = (DOCS / page).read_text("utf-8")
    shares = findings.steps[-1].shares
    ours = round(100 * shares["URerF"])
    euclidean = round(100 * shares["Euclidean, standardized"])
    n_used = len(findings.used)
    shown = re.findall(r"^- \*\*([^*]+)\*\*", text, re.MULTILINE)[:3]
    assert shown == [f"{ours} %", f"{euclidean} %", f"{n_used} of {findings.X.shape[1]:,}"]
    assert f"Chance is {100 * findings.chance:.0f} %" in text
    assert findings.steps[0].shares["URerF"] == pytest.approx(shares["URerF"], abs=0.005)


def test_every_link_of_the_readme_exists():
    root = DOCS.parent
    text = (root / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if not link.startswith("http")]
    assert len(local) > 15
    assert [link for link in local if not (root / link).exists()] == []
