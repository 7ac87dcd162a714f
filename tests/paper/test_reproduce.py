import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from urerf.cli import app
from urerf.paper import checks, published
from urerf.paper.experiment import KS, Plan
from urerf.paper.experiments import NAMES, load
from urerf.paper.reproduce import run
from urerf.paper.words import share

QUICK = Plan(True, 1)
FULL = Plan(False, 5)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    page = run(
        ["datasets", "noise", "connectome"],
        quick=True,
        seeds=2,
        out=folder,
        methods=["euclidean", "flann"],
    )
    return folder, page


def test_a_small_run_makes_tables_figures_and_a_page(results):
    folder, page = results
    assert page == folder / "index.html"
    for name in ("datasets", "noise_text", "noise_kinds", "connectome"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    table = pd.read_csv(folder / "noise.csv")
    assert set(table.method) == {"euclidean", "flann"}
    assert set(table.seed) == {0, 1}
    assert table.precision.between(0, 1).all()


def test_the_page_needs_nothing_but_itself(results):
    text = results[1].read_text("utf-8")
    assert (
        len(re.findall(r'<img src="data:image/png;base64,', text))
        == len(re.findall("<img", text))
        == 4
    )
    assert not re.search(r"<(script|link)\b", text)
    assert not re.search(r"\$[a-z]", text)  # no placeholder left
    for heading in (
        "What this is about",
        "The claims, checked",
        "Published, ours, difference",
        "its code part",
    ):
        assert heading in text
    assert "Euclidean" in text


def test_a_second_run_adds_to_the_page_and_computes_only_what_is_new(results):
    folder, page = results
    before = {path: path.stat().st_mtime_ns for path in (folder / "cells").iterdir()}
    run(["supplement"], quick=True, seeds=2, out=folder, methods=["euclidean", "flann"])
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())
    text = page.read_text("utf-8")
    assert 'id="supplement"' in text
    assert 'id="noise"' in text


def test_what_belongs_to_other_settings_is_not_on_the_page(results):
    folder, page = results
    run(["datasets"], quick=True, seeds=1, out=folder, methods=["isomap"])
    assert 'id="noise"' not in page.read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_says_what_it_is_and_has_cells(name):
    experiment = load(name)
    assert experiment.name == name
    assert experiment.asks
    assert experiment.reading
    assert 0 < len(experiment.cells(QUICK)) <= len(experiment.cells(FULL))


def test_the_issue_s_grids():
    noise = [cell for cell in load("noise").cells(FULL) if cell["kind"] == "gaussian"]
    assert {0, 10, 50, 100, 1000, 5000, 10_000} <= {cell["noise"] for cell in noise}
    assert {cell["variant"] for cell in noise} == {"text", "scripts"}
    assert {cell["noise"] for cell in load("rescaled").cells(FULL)} == {0, 2, 4, 6, 8, 10}
    assert {cell["noise"] for cell in load("supplement").cells(FULL)} == {2, 4, 6, 8, 10}
    assert {cell["n"] for cell in load("depth").cells(FULL)} == {100, 500, 1000, 5000}
    assert (KS[0], KS[-1]) == (2, 200)


def test_methods_filter():
    only = Plan(False, 1, ("umap",))
    assert {cell["method"] for cell in load("noise").cells(only)} == {"umap"}
    assert load("criteria").cells(only) == []
    assert load("connectome").cells(Plan(False, 1, ("urerf_scripts",))) == []


def test_command(tmp_path):
    arguments = ["datasets", "--quick", "--out", str(tmp_path), "--methods", "euclidean"]
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "index.html").exists()
    wrong = CliRunner().invoke(app, ["reproduce", "nosuch", "--out", str(tmp_path)])
    assert wrong.exit_code == 2
    assert "available: datasets" in wrong.output


def test_published_numbers_are_shipped():
    table = published.load()
    cell = table.query(
        "experiment == 'noise' and dataset == 'linear' and method == 'urerf' and noise == 1000"
    )
    assert cell.value.item() == pytest.approx(0.4054)
    assert published.curve("noise", "helix", "urerf_scripts", "scripts", "noise").value.iloc[
        0
    ] == pytest.approx(0.8314)
    assert published.curve(
        "noise", "gaussian_mixture", "urerf_paper", "text", "noise"
    ).empty  # another truth


def noise_table(**precision):
    rows = [
        {
            "dataset": "linear",
            "variant": variant,
            "method": method,
            "noise": noise,
            "k": 50,
            "precision": value,
        }
        for variant in ("text", "scripts")
        for method, value in precision.items()
        for noise in (10, 10_000)
    ]
    return pd.DataFrame(rows).assign(kind="gaussian", chance=0.05, recall=0.0)


def test_differences_from_the_published_numbers():
    both = published.compare("noise", noise_table(urerf_scripts=0.70, euclidean=0.05, urerf=0.9))
    assert set(both.method) == {"urerf_scripts", "euclidean"}
    row = both.query("method == 'urerf_scripts' and variant == 'scripts' and noise == 10").iloc[0]
    assert row.difference == pytest.approx(0.70 - 0.7514)


@pytest.mark.parametrize(
    ("ours", "holds"), [(0.75, [True, True, True]), (0.08, [False, False, False])]
)
def test_claims_are_judged(ours, holds):
    table = noise_table(urerf_paper=ours, urerf_scripts=ours, isomap=0.10)
    assert [check.holds for check in checks.check({"noise": table})] == holds


def test_a_claim_the_run_cannot_tell_about_stays_open():
    table = noise_table(isomap=0.10)
    assert {check.holds for check in checks.check({"noise": table})} == {None}


def test_connectome_claim_compares_at_equal_recall():
    ks = [50, 100, 150]
    rows = [
        {"method": "urerf_paper", "k": k, "recall": r, "precision": p}
        for k, r, p in zip(ks, [0.6, 0.8, 1], [0.8, 0.6, 0.4])
    ]
    below = [
        {"method": "isomap", "k": k, "recall": r, "precision": p}
        for k, r, p in zip(ks, [0.5, 0.7, 0.9], [0.9, 0.69, 0.49])
    ]
    assert checks.connectome(pd.DataFrame(rows + below), "urerf_paper").holds
    above = [row | {"precision": row["precision"] + 0.02} for row in below]
    assert not checks.connectome(pd.DataFrame(rows + above), "urerf_paper").holds


def test_short_numbers():
    assert [share(value) for value in (0.0, 0.5, 0.999, -0.1)] == [".00", ".50", "1.00", "-.10"]
