"""Commands of a page and what they print; `python tests/docs/commands.py` rewrites the pages.

A block of commands begins with ``$ urerf``, and below each command is its output on stdout.
"""

import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from urerf import URerF
from urerf.cli import app
from urerf.lab.demo import penguins

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "cli.md"
SETTINGS = DOCS / "settings.md"
BLOCK = re.compile(r"```\n(\$ urerf .*?)```", re.DOTALL)
HEAD = re.compile(r" \| head -(\d+)$")
SECONDS = re.compile(r'\(\d+\.\d s\)|"seconds": [\d.]+')


def make_files() -> None:
    """Write the table of `urerf demo` to the current folder."""
    Path("demo").mkdir()
    penguins.write_csv(*penguins.make_data(), Path("demo/penguins.csv"))


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield every command of a block with its output."""
    for part in re.split(r"^\$ urerf ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def printed(command: str) -> str:
    """Run a command; return its output on stdout."""
    head = HEAD.search(command)
    words = shlex.split(HEAD.sub("", command))
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines(keepends=True)
    return "".join(lines[: int(head[1])] if head else lines)


def rewritten(block: str) -> str:
    """Return a block with what its commands print now."""
    return "".join(f"$ urerf {command}\n{printed(command)}" for command, _ in commands(block))


def defaults() -> dict[str, str]:
    """Return the default of every parameter as Python writes it, with double quotes."""
    values = URerF().get_params()
    return {name: f'"{v}"' if isinstance(v, str) else str(v) for name, v in values.items()}


def with_defaults(line: str) -> str:
    """Return a line of the table of parameters with the present defaults in its second column."""
    cells = line.split("|")
    names = re.findall(r"`(\w+)`", cells[1]) if len(cells) == 6 else []
    known = defaults()
    if not names or not set(names) <= set(known):
        return line
    shown = [f"`{known[name]}`" if '"' in known[name] else known[name] for name in names]
    return "|".join([*cells[:2], f" {', '.join(shown)} ", *cells[3:]])


def main() -> None:
    """Rewrite the pages."""
    settings = SETTINGS.read_text("utf-8").split("\n")
    SETTINGS.write_text("\n".join(with_defaults(line) for line in settings), "utf-8")
    page = PAGE.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        page = BLOCK.sub(lambda found: f"```\n{rewritten(found[1])}```", page)
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
