import re

import pandas as pd
import pytest

from urerf.lab import run
from urerf.lab.studies import BENCH, PAPER, load
from urerf.lab.study import KS, Plan

QUICK = Plan(True, 1)
FULL = Plan(False, 5)
METHODS = ["euclidean", "flann"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    names = ["datasets", "noise", "connectome"]
    page = run.reproduce(names, quick=True, seeds=2, out=folder, methods=METHODS)
    return folder, page


def test_a_small_run_makes_tables_figures_and_a_page(results):
    folder, page = results
    assert page == folder / "index.html"
    for name in ("datasets", "noise_text", "noise_kinds", "connectome"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    table = pd.read_csv(folder / "noise.csv", comment="#")
    assert set(table.method) == set(METHODS)
    assert set(table.seed) == {0, 1}
    assert table.precision.between(0, 1).all()


def test_the_page_is_self_contained(results):
    text = results[1].read_text("utf-8")
    n_inline = len(re.findall(r'<img src="data:image/png;base64,', text))
    assert n_inline == len(re.findall("<img", text)) == 4
    assert not re.search(r"<(script|link)\b", text)
    assert not re.search(r"\$[a-z]", text)  # no placeholder left
    headings = ("What this is about", "The claims, checked", "published numbers", "code differ")
    assert all(heading in text for heading in headings)
    assert "Euclidean" in text


def test_a_second_run_extends_the_page_and_computes_only_what_is_new(results):
    folder, page = results
    before = {path: path.stat().st_mtime_ns for path in (folder / "trials").iterdir()}
    run.reproduce(["supplement"], quick=True, seeds=2, out=folder, methods=METHODS)
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())
    text = page.read_text("utf-8")
    assert 'id="supplement"' in text
    assert 'id="noise"' in text


def test_results_of_other_settings_are_not_on_the_page(results):
    folder, page = results
    run.reproduce(["datasets"], quick=True, seeds=1, out=folder, methods=["isomap"])
    assert 'id="noise"' not in page.read_text("utf-8")


@pytest.mark.parametrize("name", [*PAPER, *BENCH])
def test_each_study_has_its_name_and_trials(name):
    study = load(name)
    assert study.name == name
    assert study.title
    assert 0 < len(study.trials(QUICK)) <= len(study.trials(FULL))


@pytest.mark.parametrize("name", PAPER)
def test_each_section_says_what_it_asks_and_how_to_read_it(name):
    study = load(name)
    assert study.asks.endswith(("?", "."))
    assert study.reading.endswith(".")


def test_grids_of_the_paper():
    noise = [trial for trial in load("noise").trials(FULL) if trial.kind == "gaussian"]
    assert {0, 10, 50, 100, 1000, 5000, 10_000} <= {trial.noise for trial in noise}
    assert {trial.variant for trial in noise} == {"text", "scripts"}
    assert {trial.noise for trial in load("rescaled").trials(FULL)} == {0, 2, 4, 6, 8, 10}
    assert {trial.noise for trial in load("supplement").trials(FULL)} == {2, 4, 6, 8, 10}
    assert {trial.n for trial in load("depth").trials(FULL)} == {100, 500, 1000, 5000}
    assert (KS[0], KS[-1]) == (2, 200)


def test_methods_filter():
    only = Plan(False, 1, ("umap",))
    assert {trial.method for trial in load("noise").trials(only)} == {"umap"}
    assert load("criteria").trials(only) == []
    assert load("connectome").trials(Plan(False, 1, ("urerf_scripts",))) == []


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"experiment: must be one of datasets, .* got magic"):
        run.reproduce(["magic"], out=tmp_path)
    with pytest.raises(ValueError, match=r"method: must be one of .* got magic"):
        run.bench(load("accuracy"), out=tmp_path, methods=["magic"])
    with pytest.raises(ValueError, match="no trial of accuracy uses flann"):
        run.bench(load("accuracy"), out=tmp_path, methods=["flann"])


def test_the_command_that_makes_the_same_results():
    command = run.command_line("accuracy", True, 2, ["urerf", "umap"])
    assert command == "urerf bench accuracy --quick --seeds 2 --methods urerf,umap"
