"""The source archive and the wheel are built, and the wheel works in a clean environment."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

from urerf.datasets import add_noise, make_helix

ROOT = Path(__file__).parents[2]
PAGE = ("page.html", "base.css", "explorer.js")


def run(*command, **settings):
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(argument) for argument in command]
    done = subprocess.run(command, capture_output=True, text=True, env=env, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def lower_bounds() -> dict[str, str]:
    """Return the lower bound of every dependency in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    requirements = [*project["dependencies"], *(line for extra in extras for line in extra)]
    found = [re.match(r"([\w.-]+)(?:\[.*\])?>=([\d.]+)$", line) for line in requirements]
    return {match[1]: match[2] for match in found if match}


def test_the_oldest_versions_that_are_tested_are_the_lower_bounds():
    lines = (ROOT / "constraints-oldest.txt").read_text("utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    bounds = lower_bounds()
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.match(r"[\w.-]+", line)[0] for line in required["dependencies"]}
    assert names <= set(tested)
    wrong = {
        name: version
        for name, version in tested.items()
        if name in bounds and not f"{version}.".startswith(f"{bounds[name]}.")
    }
    assert wrong == {}


def test_citation_and_changelog_have_the_same_version_and_date():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    version = re.search(r"^version: (.+)$", citation, re.MULTILINE)[1]
    date = re.search(r"^date-released: (.+)$", citation, re.MULTILINE)[1]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## \[(\d.+)\] - (.+)$", changelog, re.MULTILINE)[0] == (version, date)


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The source archive and the wheel that was built from it."""
    pytest.importorskip("build", reason="build is not installed (urerf[test])")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (source,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return source, wheel


def workflows():
    if not (ROOT / ".github").exists():
        pytest.skip("not in the source archive")
    return {path.name: path.read_text() for path in (ROOT / ".github/workflows").glob("*.yml")}


def test_actions_are_pinned_by_commit():
    for name, text in workflows().items():
        used = re.findall(r"uses: (\S+)(.*)", text)
        assert used, name
        for action, comment in used:
            if not action.startswith("./"):
                assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}", action), f"{name}: {action}"
                assert re.fullmatch(r" # v[\d.]+", comment), f"{name}: {action}{comment}"


def test_only_the_job_that_pushes_keeps_credentials():
    for name, text in workflows().items():
        n_checkouts = text.count("actions/checkout@")
        n_pushes = text.count("gh-deploy")
        assert text.count("persist-credentials: false") == n_checkouts - n_pushes, name


def test_publishing_runs_the_tests_first():
    publish = workflows()["publish.yml"]
    assert re.search(r"test:\n    uses: \./\.github/workflows/ci\.yml", publish)
    assert re.search(r"build:\n    needs: test", publish)
    assert re.search(r"pypi:\n    needs: build", publish)
    assert "workflow_call:" in workflows()["ci.yml"]


def pinned(name):
    if not (ROOT / name).exists():
        pytest.skip("not in the source archive")
    lines = (ROOT / name).read_text().splitlines()
    return dict(re.match(r"([\w.-]+)==([^\s;]+)", line).groups() for line in lines if "==" in line)


def test_locked_packages_have_hashes_and_the_versions_of_the_constraints():
    locked = pinned("requirements.lock")
    constrained = pinned("constraints.txt")
    assert {"numpy", "numba", "pytest", "hatchling", "twine"} <= set(locked)
    differ = {name for name in locked if constrained.get(name, locked[name]) != locked[name]}
    assert differ == set()
    text = (ROOT / "requirements.lock").read_text()
    assert text.count("--hash=sha256:") > len(locked)
    assert "http" not in text


@pytest.mark.slow
def test_the_archives_are_complete(dist):
    source, wheel = dist
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    expected = {f"urerf/report/web/{name}" for name in PAGE}
    expected |= {"urerf/py.typed", "urerf/data/published.csv"}
    expected |= {"urerf/data/penguins/penguins.csv", "urerf/data/penguins/README.md"}
    assert expected <= set(names)
    assert all(name.startswith("urerf") for name in names)
    with tarfile.open(source) as archive:
        inside = {name.split("/", 1)[-1] for name in archive.getnames()}
    expected = {"README.md", "LICENSE", "pyproject.toml"}
    expected |= {"tests/oracle.py", "src/urerf/estimator.py"}
    assert expected <= inside


@pytest.mark.slow
def test_the_wheel_works_in_a_clean_environment(dist, tmp_path):
    _, wheel = dist
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    install = (programs / "python", "-m", "pip", "install", "--quiet")
    run(*install, "-c", ROOT / "constraints.txt", wheel)
    version = run(programs / "urerf", "--version", cwd=tmp_path)
    assert version.split()[1] == re.match(r"urerf-([^-]+)-", wheel.name)[1]
    X = add_noise(make_helix(200, random_state=0).X, 10, random_state=0)
    names = ",".join(f"c{i}" for i in range(13))
    np.savetxt(tmp_path / "data.csv", X, delimiter=",", header=names, comments="")
    printed = run(programs / "urerf", "report", "data.csv", cwd=tmp_path)
    assert "3 of 13 columns carry structure" in printed
    assert "class Explorer" in (tmp_path / "report.html").read_text("utf-8")
    code = (
        "import sys, urerf, urerf.cli\n"
        "print(sorted({'pandas', 'pyarrow', 'matplotlib'} & set(sys.modules)))"
    )
    assert run(programs / "python", "-c", code, cwd=tmp_path) == "[]\n"
