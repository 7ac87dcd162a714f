"""MkDocs hook: the page "Contributing" is CONTRIBUTING.md, with links relative to docs/."""

from pathlib import Path
from typing import Any


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the text of a page."""
    if page.file.src_uri != "contributing.md":
        return markdown
    return Path("CONTRIBUTING.md").read_text("utf-8").replace("](docs/", "](")
