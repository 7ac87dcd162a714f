"""The snippets of the page on settings run, and its table lists every parameter and its default."""

import re

from snippets import DOCS, run, snippets

from urerf import URerF

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
    text = (DOCS / PAGE).read_text("utf-8").split("## All parameters")[1]
    shown: dict = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and cells[1].startswith("`"):
            names = re.findall(r"`(\w+)`", cells[1])
            values = [value.strip(" `") for value in cells[2].split(",")]
            shown.update(zip(names, values))
    defaults = URerF().get_params()
    written = {name: f'"{v}"' if isinstance(v, str) else str(v) for name, v in defaults.items()}
    assert shown == written
