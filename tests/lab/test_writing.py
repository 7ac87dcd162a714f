import pandas as pd
import pytest

from urerf.lab import writing
from urerf.lab.writing import markdown, short, write_csv, write_page, write_text


def test_tables_show_short_numbers():
    assert markdown(["a", "b"], [["x", 0.5]]) == "| a | b |\n| --- | ---: |\n| x | .500 |"
    assert markdown(["a"], [[0.5]], show=str).endswith("| 0.5 |")


def test_short_numbers():
    values = (0.0, 0.5, 0.999, -0.1, 1.25, float("nan"), 3)
    assert [short(value, 2) for value in values] == [
        *(".00", ".50", "1.00", "-.10", "1.25", "-", "3")
    ]


def test_a_table_begins_with_the_command_that_made_it(tmp_path):
    path = tmp_path / "table.csv"
    write_csv(path, [{"a": 1, "b": 0.123456}], "urerf bench", float_format="%.4g")
    first = path.read_text().splitlines()[0]
    assert first.startswith("# Made by `urerf bench` with Python")
    assert pd.read_csv(path, comment="#").to_dict("records") == [{"a": 1, "b": 0.1235}]


def test_a_page_has_a_title_and_its_origin(tmp_path):
    lines = write_page(tmp_path / "page.md", "Title", "command", "Text.").read_text().split("\n\n")
    assert lines[0] == "# Title"
    assert lines[1].startswith("Made by `command`")
    assert lines[2] == "Text.\n"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    monkeypatch.setattr(writing.os, "fsync", lambda number: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_libraries_have_no_version():
    assert writing.library_version("no-such-library") == "none"
