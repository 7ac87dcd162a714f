"""The files and commands of the page on data: what is printed is what the page shows."""

import re

import pytest
from snippets import DOCS
from typer.testing import CliRunner

from urerf.cli import app

PAGE = (DOCS / "data.md").read_text(encoding="utf-8")
FILE = re.compile(r"`(\w+\.csv)`[^`]*?:\n\n```\n(.*?)```", re.DOTALL)
BLOCK = re.compile(r"```\n(\$ urerf .*?)```", re.DOTALL)
SECONDS = re.compile(r"\(\d+\.\d s\)")
COMPILING = re.compile(r"^urerf: compil.*\n", re.MULTILINE)  # where kernels are not cached yet


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name, content in FILE.findall(PAGE):
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_all_files_are_found(folder):
    names = {path.name for path in folder.iterdir()}
    assert names == {"patients.csv", "orders.csv", "typo.csv", "new.csv"}


def test_commands_print_what_the_page_shows(folder, monkeypatch):
    monkeypatch.chdir(folder)
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == 5
    for block in blocks:
        for part in re.split(r"^\$ urerf ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            result = CliRunner().invoke(app, command.split())
            printed = COMPILING.sub("", result.output)
            assert SECONDS.sub("", printed) == SECONDS.sub("", shown)
