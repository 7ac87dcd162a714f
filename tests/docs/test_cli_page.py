"""The commands of the page on the command line print what it shows."""

import commands


def test_commands_print_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # tables are as wide as in a file
    commands.make_files()
    blocks = commands.BLOCK.findall(commands.PAGE.read_text("utf-8"))
    assert len(blocks) == 8
    for block in blocks:
        for command, shown in commands.commands(block):
            now = commands.SECONDS.sub("", commands.printed(command))
            hint = f"{command}: run `python tests/docs/commands.py`"
            assert now == commands.SECONDS.sub("", shown), hint
