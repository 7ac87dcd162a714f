"""The published tutorials are their scripts, executed without errors (`make notebooks`)."""

import json
import re

import pytest
from snippets import DOCS, snippets

from tutorials import NAMES

SOURCES = DOCS.parent / "tutorials"
PAGES = DOCS / "tutorials"
CELL = re.compile(r"^# %%", re.MULTILINE)


def code_cells(name: str) -> list[str]:
    """Return the code cells of a script."""
    cells = CELL.split((SOURCES / f"{name}.py").read_text("utf-8"))[1:]
    return [cell.strip() for cell in cells if not cell.startswith(" [markdown]")]


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def notebook_cells(name: str) -> list[dict]:
    notebook = json.loads((PAGES / f"{name}.ipynb").read_text("utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_has_the_code_of_the_script(name):
    assert ["".join(cell["source"]) for cell in notebook_cells(name)] == code_cells(name)


def test_the_page_has_the_code_of_the_script(name):
    shown = [snippet.code.strip() for snippet in snippets(f"tutorials/{name}.md")]
    assert shown == code_cells(name)


def test_every_cell_was_executed_without_errors(name):
    cells = notebook_cells(name)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {output["output_type"] for cell in cells for output in cell["outputs"]}
    assert "error" not in kinds


def test_every_script_is_listed_on_the_first_page():
    scripts = {path.stem for path in SOURCES.glob("[!_]*.py")}
    assert scripts == set(NAMES)
    index = (PAGES / "index.md").read_text("utf-8")
    assert all(f"]({name}.md)" in index for name in NAMES)
