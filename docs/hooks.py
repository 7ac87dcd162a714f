"""MkDocs hook: pages that are files of the root folder, with links relative to docs/."""

from pathlib import Path
from typing import Any

FILES = {"contributing.md": "CONTRIBUTING.md", "releasing.md": "RELEASING.md"}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the text of a page."""
    name = page.file.src_uri
    if name not in FILES:
        return markdown
    text = Path(FILES[name]).read_text("utf-8").replace("](docs/", "](")
    for page_name, file in FILES.items():
        text = text.replace(f"]({file}", f"]({page_name}")
    return text
