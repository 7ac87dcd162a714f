"""The Python code of a Markdown page, block by block, with the heading above each block."""

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[2] / "docs"
PART = re.compile(
    r"^#+ (?P<title>[^\n]+)$|^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Snippet(NamedTuple):
    """A block of code, its heading, and the line on which it begins."""

    title: str
    code: str
    line: int


def snippets(page: str) -> list[Snippet]:
    """Return the code blocks of docs/PAGE in order."""
    text = (DOCS / page).read_text(encoding="utf-8")
    title = ""
    found = []
    for part in PART.finditer(text):
        if part["title"]:
            title = part["title"]
        else:
            found.append(Snippet(title, part["code"], text.count("\n", 0, part.start()) + 2))
    return found


def run(page: str, snippet: Snippet, names: dict) -> dict:
    """Run a block with the given names defined; return these and the new ones.

    Errors show the line of the page.
    """
    code = compile("\n" * (snippet.line - 1) + snippet.code, str(DOCS / page), "exec")
    names = dict(names)
    exec(code, names)
    return names
