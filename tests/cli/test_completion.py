"""The shell completes names of columns, and never shows an error."""

import pytest
from typer.testing import CliRunner

from urerf.cli import app
from urerf.files import header


def completed(*words: str) -> list[str]:
    """Return what bash offers for the last word."""
    environment = {
        "_URERF_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("urerf", *words)),
        "COMP_CWORD": str(len(words)),
    }
    return CliRunner().invoke(app, [], prog_name="urerf", env=environment).stdout.split()


@pytest.mark.parametrize("option", ["--id", "--label", "--ignore", "--number", "--ordinal"])
def test_columns_of_the_file_are_offered(data, option):
    assert completed("report", str(data), option, "k") == ["kind"]
    assert completed("neighbors", str(data), "--id", "name", option, "h") == ["h0", "h1", "h2"]


def test_columns_of_new_rows_are_offered(data, tmp_path):
    model = tmp_path / "m.urerf"
    model.write_bytes(b"")
    assert completed("query", str(model), str(data), "--id", "n")[0] == "name"


def test_nothing_is_offered_where_nothing_can_be_read(tmp_path):
    assert completed("report", "absent.csv", "--label", "k") == []
    assert completed("report", "--label", "k") == []
    damaged = tmp_path / "x.parquet"
    damaged.write_bytes(b"PAR1 damaged")
    assert completed("report", str(damaged), "--label", "k") == []


def test_only_the_start_of_a_text_is_read(tmp_path, monkeypatch):
    path = tmp_path / "long.csv"
    path.write_text("name,size\n" + "a,1\n" * 1000)
    monkeypatch.setattr(header, "HEADER_BYTES", 100)
    assert header.column_names(str(path)) == ["name", "size"]


def test_a_large_file_of_another_format_is_left_alone(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"a": [1, 2], "b": [1, 2]}), path)
    assert header.column_names(str(path)) == ["a", "b"]
    monkeypatch.setattr(header, "MOST_BYTES", 10)
    assert header.column_names(str(path)) == []
