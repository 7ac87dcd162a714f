import sys

import pytest

from . import error_line, run, succeed

SMALL = ["--samples", "200", "--noise", "3", "--jobs", "1"]


def test_demo_prints_a_table_and_writes_a_figure(tmp_path):
    folder = tmp_path / "new" / "folder"
    result = succeed("demo", "--out", folder, "--seed", 1, *SMALL)
    rows = {}
    for line in result.stdout.splitlines():
        if "│" in line:
            _, method, precision, *_ = line.split("│")
            rows[method.strip()] = float(precision)
    assert set(rows) == {"chance", "Euclidean", "Isomap", "URerF, paper's settings", "URerF"}
    assert rows["chance"] == 0.25  # 50 of 199
    assert rows["URerF"] > rows["Euclidean"] > 0.3
    assert "Isomap ..." in result.stderr
    assert "Isomap ..." not in result.stdout
    assert (folder / "helix.png").read_bytes().startswith(b"\x89PNG")
    assert "helix.png" in result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "wrong", [["--sample", "3"], ["--samples", "3"], ["--seed", "-1"], ["--jobs", "two"], ["x"]]
)
def test_wrong_usage_shows_the_usage(wrong):
    result = run("demo", *wrong)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage" in result.stderr


def test_without_matplotlib_one_line_says_how_to_install_it(tmp_path, monkeypatch):
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


def test_an_unknown_distribution_is_one_line(tmp_path):
    result = run("demo", "--out", tmp_path, *SMALL, "--kind", "pink")
    assert result.exit_code == 2
    assert error_line(result).startswith("urerf: kind: must be one of 'gaussian', ")
