"""The snippets of the page on settings run, and its table lists every parameter and its default."""

import re

import commands
from snippets import DOCS, run, snippets

PAGE = "settings.md"


def test_snippets_run(capsys):
    names: dict = {}
    for snippet in snippets(PAGE):
        names = run(PAGE, snippet, names)
    printed = capsys.readouterr().out
    assert "of the neighbors are the same with twice as many trees" in printed
    assert names["model"].forest_.n_trees == 80
    assert "no relation to any other column" in printed or "follows" in printed


def test_the_table_has_every_parameter_with_its_default():
    text = (DOCS / PAGE).read_text("utf-8").split("## All parameters")[1].split("\n## ")[0]
    lines = text.splitlines()
    first = [line.split("|")[1] for line in lines if line.startswith("|")]
    names = [name for cell in first for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(names) == sorted(commands.defaults())
    assert [commands.with_defaults(line) for line in lines] == lines, (
        "run `python tests/docs/commands.py`"
    )
