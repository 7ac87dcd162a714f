import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from urerf.cli import app

SMALL = ["--samples", "200", "--noise", "3", "--jobs", "1"]


def run(*arguments, **settings):
    return CliRunner().invoke(app, [str(a) for a in arguments], **settings)


def error_line(result):
    """The one line on stderr, of a run that failed without a traceback."""
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    return result.stderr.strip()


def test_the_program_runs_as_a_process_and_help_names_every_command():
    program = Path(sys.executable).with_name("urerf")
    done = subprocess.run([program, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""
    for word in (
        "relevance",
        "neighbors",
        "embed",
        "report",
        "fit",
        "query",
        "demo",
        "reproduce",
        "bench",
        "--version",
    ):
        assert word in done.stdout


def test_help_imports_nothing_heavy():
    code = "import sys, urerf.cli; print(sorted({'numba', 'matplotlib', 'numpy', 'sklearn'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )


def test_version():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"urerf {version('urerf')}\n"


def test_without_a_command_help_is_shown():
    result = run()
    assert result.exit_code in (0, 2)  # typer changed its mind about this one
    assert "demo" in result.output


def test_demo_prints_a_table_and_writes_a_figure(tmp_path):
    result = run("demo", "--out", tmp_path / "new" / "folder", "--seed", 1, *SMALL)
    assert result.exit_code == 0, result.output
    rows = {
        line.split("│")[1].strip(): line.split("│")[2:4]
        for line in result.stdout.splitlines()
        if "│" in line
    }
    assert set(rows) == {"chance", "Euclidean", "Isomap", "URerF, paper's settings", "URerF"}
    assert float(rows["chance"][0]) == 0.25  # 50 of 199
    assert float(rows["URerF"][0]) > float(rows["Euclidean"][0]) > 0.3
    assert "Isomap ..." in result.stderr
    assert "Isomap ..." not in result.stdout
    figure = tmp_path / "new" / "folder" / "helix.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "helix.png" in result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "wrong", [["--sample", "3"], ["--samples", "3"], ["--seed", "-1"], ["--jobs", "two"], ["x"]]
)
def test_wrong_usage_has_exit_code_2(wrong):
    result = run("demo", *wrong)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage" in result.stderr


def test_an_unknown_command_has_exit_code_2():
    assert run("dmeo").exit_code == 2


def test_without_matplotlib_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("demo", "--out", tmp_path / "demo", *SMALL)
    assert result.exit_code == 1
    assert error_line(result) == "urerf: matplotlib is needed for figures: pip install urerf[plot]"
    assert not (tmp_path / "demo").exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = run("demo", "--out", tmp_path / "file" / "demo", *SMALL)
    assert result.exit_code == 1
    assert "Not a directory" in error_line(result)


def test_an_error_of_the_library_is_one_line(tmp_path):
    result = run("demo", "--out", tmp_path, *SMALL, "--kind", "pink")
    assert result.exit_code == 1
    assert error_line(result).startswith("urerf: kind: must be one of 'gaussian', ")


def test_traceback_shows_where_an_error_arose(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = run("--traceback", "demo", "--out", tmp_path / "file", *SMALL)
    assert isinstance(result.exception, FileExistsError)
