import sys

import pytest

from urerf.cli import demo

from . import error_line, run, succeed

SMALL = ["helix", "--samples", "200", "--noise", "3", "--jobs", "1"]


def test_demo_shows_penguins_and_names_the_next_command(tmp_path):
    result = succeed("demo", "--out", tmp_path, "--noise", 10, "--jobs", 1)
    lines = result.stdout.splitlines()
    shares = {}
    for line in lines:
        if "│" in line:
            _, method, *cells, _ = line.split("│")
            shares[method.strip()] = [float(cell.strip(" %")) for cell in cells]
    assert set(shares) == {"chance", "Euclidean", "Euclidean, standardized", "URerF"}
    assert shares["URerF"] == [98, 98]
    assert shares["chance"] == [36, 36]
    used = "bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g"
    assert f"Columns with structure: {used}" in lines
    assert (tmp_path / "penguins.png").read_bytes().startswith(b"\x89PNG")
    *_, path, option, label = lines[-1].split()
    assert (tmp_path / "penguins.csv").read_text("utf-8").startswith("species,bill_length_mm")
    assert (path, option, label) == (str(tmp_path / "penguins.csv"), "--label", "species")


def test_samples_are_only_for_the_helix(tmp_path):
    result = run("demo", "--samples", "200", "--out", tmp_path / "demo")
    assert result.exit_code == 2
    assert "342 penguins" in result.stderr
    assert not (tmp_path / "demo").exists()


def test_the_helix_prints_a_table_and_writes_a_figure(tmp_path):
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
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("demo", "--out", tmp_path / "demo", *SMALL)
    assert result.exit_code == 1
    assert error_line(result) == "urerf: matplotlib is not installed: pip install urerf[plot]"
    assert not (tmp_path / "demo").exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = run("demo", "--out", tmp_path / "file" / "demo", *SMALL)
    assert result.exit_code == 1
    assert error_line(result).endswith("not a directory")


def test_an_unknown_distribution_is_one_line(tmp_path):
    result = run("demo", "--out", tmp_path, *SMALL, "--kind", "pink")
    assert result.exit_code == 2
    assert error_line(result).startswith("urerf: kind: must be one of 'gaussian', ")


@pytest.mark.parametrize(
    ("found", "called", "expected"),
    [
        (None, ".venv/bin/urerf", ".venv/bin/urerf"),
        ("/usr/bin/urerf", ".venv/bin/urerf", "urerf"),
        (None, "pytest", "urerf"),
    ],
)
def test_the_next_command_can_be_copied(monkeypatch, found, called, expected):
    """After `make demo`, the program is not on the PATH."""
    monkeypatch.setattr("shutil.which", lambda name: found)
    monkeypatch.setattr("sys.argv", [called])
    assert demo.program() == expected
