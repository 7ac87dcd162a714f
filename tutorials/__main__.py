"""`python -m tutorials [NAME...]`: execute tutorials and write their pages; all if none is named."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

from tutorials import NAMES

SOURCES = Path(__file__).parent
PAGES = SOURCES.parent / "docs" / "tutorials"
SECONDS = 600
# How pandas styles tables; the site has its own style.
STYLE = re.compile(
    r'<style scoped>.*?</style>\n|(?<=<table) border="1" class="dataframe"', re.DOTALL
)


def execute(name: str) -> Any:
    """Execute a tutorial in a folder of its own; an error in a cell is an error."""
    notebook = jupytext.read(SOURCES / f"{name}.py")
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=where)
        client.execute()
    return without_traces(notebook)


def without_traces(notebook: Any) -> Any:
    """Drop what differs between equal runs: times, cell numbers, messages about progress."""
    notebook.metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
    return notebook


def write(name: str, notebook: Any, folder: Path = PAGES) -> None:
    """Write the executed notebook, its page and its figures."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    resources = {"output_files_dir": f"{name}_files"}
    page, resources = MarkdownExporter().from_notebook_node(notebook, resources)
    title, _, rest = STYLE.sub("", page).strip().partition("\n")
    link = f"Download this page as a notebook: [{name}.ipynb]({name}.ipynb)."
    (folder / f"{name}.md").write_text(f"{title}\n\n{link}\n{rest}\n", encoding="utf-8")
    for path, content in resources["outputs"].items():
        target = folder / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(content)


def main(names: Sequence[str]) -> int:
    """Execute the named tutorials; return an exit code."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"must be one of {', '.join(NAMES)}, got {', '.join(unknown)}", file=sys.stderr)
        return 2
    for name in names or NAMES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        write(name, execute(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
