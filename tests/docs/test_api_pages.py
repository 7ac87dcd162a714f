"""The API reference documents every public name."""

import re

import pytest
from snippets import DOCS

import urerf

NAMES = set(dir(urerf)) - {"__version__", "plot"}


def documented():
    """Return the objects that the pages ask mkdocstrings for."""
    found = set()
    for page in (DOCS / "api").glob("*.md"):
        text = page.read_text("utf-8")
        for target, options in re.findall(r"^::: (\S+)((?:\n    .*)*)", text, re.MULTILINE):
            members = re.search(r"members: \[(.*)\]", options)
            names = members[1].split(", ") if members else []
            found |= {f"{target}.{name}" for name in names} or {target}
    return found


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_documented(name):
    place = getattr(urerf, name)
    assert documented() & {f"{place.__module__}.{name}", f"urerf.{name}"}


@pytest.mark.parametrize("name", ["map", "relevance"])
def test_every_figure_is_documented(name):
    assert f"urerf.plot.{name}" in documented()
