import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from urerf.bench import ablation, accuracy, grids, other, runner, tables, tasks
from urerf.bench.store import FOREST, PACKAGE, BenchStore
from urerf.cli import app
from urerf.paper import engine
from urerf.paper.tasks import SIMULATIONS

TINY = grids.Size(n=100, k=10, seeds=1, counts=(100,), trees=10, slow=False)
METHODS = ("urerf", "euclidean", "screen", "isomap")


@pytest.fixture
def one_kind(monkeypatch):
    monkeypatch.setattr(grids, "KINDS", (("gaussian", 70.0),))
    monkeypatch.setattr(grids, "VARIANCES", ())


def forbid_work(monkeypatch):
    def refuse(*args):
        raise AssertionError("computed again")

    monkeypatch.setattr(engine, "compute", refuse)


def test_accuracy_writes_its_results_and_resumes(tmp_path, monkeypatch, one_kind):
    page = accuracy.bench(
        tmp_path, size=TINY, methods=METHODS, jobs=1, command="urerf bench accuracy"
    )
    text = page.read_text()
    assert "## The bars" in text
    assert "normality screen" in text
    assert (tmp_path / "accuracy.png").stat().st_size > 10_000
    table = pd.read_csv(tmp_path / "accuracy.csv", comment="#")
    assert set(table.dataset) == set(SIMULATIONS)
    assert set(table.method) == set(METHODS)
    assert table.precision.between(0, 1).all()
    assert (tmp_path / "accuracy.csv").read_text().startswith("# urerf bench accuracy\n")
    forbid_work(monkeypatch)
    runner.run(grids.accuracy_cells(TINY, METHODS), tmp_path, jobs=1)


def test_ablation_has_a_row_a_departure(tmp_path, monkeypatch):
    monkeypatch.setattr(grids, "PUT_BACK", {"default": {}, "density=1": {"density": 1}})
    monkeypatch.setattr(grids, "ADDED", {"paper": {}})
    text = ablation.bench(tmp_path, size=TINY, jobs=1, command="urerf bench ablation").read_text()
    assert all(f"| {row} |" in text for row in ("default", "`density=1`", "paper"))
    assert set(pd.read_csv(tmp_path / "ablation.csv", comment="#").row) == {
        "default",
        "density=1",
        "paper",
    }


def test_other_tables_are_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(grids, "CONNECTOME_RIVALS", ("euclidean",))
    chosen = [("swiss_roll", {}), ("swiss_roll", {"noise": 20, "kind": "mixed"})]
    monkeypatch.setattr(grids, "other_settings", lambda size: chosen)
    monkeypatch.setattr(
        grids,
        "real_settings",
        lambda size: [("wine", {}), ("wine", {"noise": 20, "kind": "matched"})],
    )
    text = other.bench(tmp_path, size=TINY, jobs=1, command="urerf bench other").read_text()
    assert "| swiss roll | mixed, 20 |" in text
    assert "| wine | 20 matched |" in text
    assert "published urerf" in text
    assert "of 200 tables of 200 x 50" in text


@pytest.mark.parametrize("name", ["swiss_roll", "torus", "moons", "helix_in_20"])
def test_true_distances_of_other_manifolds(name):
    manifold = tables.MANIFOLDS[name](60, 3)
    D = manifold.distances()
    np.testing.assert_allclose(D, D.T)
    assert (np.diag(D) == 0).all()
    if manifold.labels is None:  # no way along the manifold is shorter than the straight one
        straight = np.sqrt(((manifold.X[:, None] - manifold.X[None]) ** 2).sum(axis=2))
        assert (straight * (1 - 1e-2) - 1e-9 <= D).all()
        near = (straight < 1) & (straight > 0)
        np.testing.assert_allclose(D[near], straight[near], rtol=0.1)


@pytest.mark.parametrize("kind", tables.NOISES)
def test_noise_is_appended(kind):
    X = np.arange(30.0)[:, None]
    Z = tables.with_noise(X, 25, kind, 70.0, 0)
    assert Z.shape == (30, 26)
    assert (Z[:, 0] == X[:, 0]).all()
    assert (tables.with_noise(X, 25, kind, 70.0, 0) == Z).all()


def test_matched_noise_has_the_variance_of_the_table():
    X = np.random.default_rng(0).normal(0, 5, size=(2000, 3))
    assert tables.with_noise(X, 50, "matched", 70.0, 0)[:, 3:].var() == pytest.approx(25, rel=0.1)


def test_geodesic_errors_are_free_of_scale():
    points = np.random.default_rng(0).random((50, 1))
    true = np.abs(points - points.T)
    row = tasks.geodesic_errors(7 * true, true, seed=0)
    assert row["reached"] == 1
    assert row["spearman_far"] == pytest.approx(1)
    assert row["error_all"] == pytest.approx(0, abs=1e-12)
    cut = np.where(np.add.outer(points[:, 0] > 0.5, points[:, 0] > 0.5) == 1, np.inf, true)
    assert tasks.geodesic_errors(cut, true, seed=0)["reached"] < 0.7


def test_screen_keeps_what_is_not_gaussian():
    rng = np.random.default_rng(0)
    t = rng.permutation(np.linspace(0, 1, 300))
    X = np.column_stack([t, rng.normal(0, 10, size=(300, 50))])
    found = tasks.screened_euclidean(X, 5, random_state=0, n_jobs=1)
    assert np.abs(t[found] - t[:, None]).max() < 0.05


def test_a_cell_is_known_by_its_settings(tmp_path):
    store = BenchStore(tmp_path)
    a, b = (tasks.score_cell("linear", "urerf", seed) for seed in (0, 1))
    assert store.path(a) != store.path(b)
    assert store.path(a) == store.path(dict(a))


def test_command_line(tmp_path):
    bench = ["bench", "accuracy", "--out", str(tmp_path)]
    assert CliRunner().invoke(app, ["bench", "--help"]).exit_code == 0
    wrong = CliRunner().invoke(app, [*bench, "--methods", "magic"])
    assert wrong.exit_code == 2
    assert "unknown method: magic" in wrong.output


def test_numbers_are_shown_short():
    assert runner.markdown(["a", "b"], [[0.5, "x"]]) == "| a | b |\n| --- | --- |\n| .500 | x |"
    assert runner.met([0.9, 0.8], [0.85, 0.85]) == "missed by 1 of 2"


def test_results_depend_on_every_file_that_a_forest_runs():
    ask = """
import sys, numpy as np, urerf
model = urerf.URerF(n_estimators=2, random_state=0).fit(np.random.default_rng(0).normal(size=(50, 3)))
model.kneighbors(), model.geodesic_distances()
print(*(module.__file__ for name, module in sys.modules.items() if name.startswith("urerf.")))
"""
    ran = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True
    ).stdout.split()
    files = {Path(name).relative_to(PACKAGE) for name in ran}
    assert {file.parts[0] for file in files} - {"_progress.py", "warmup.py"} == set(FOREST)


def test_nothing_computed_is_told(tmp_path):
    with pytest.raises(
        ValueError, match=r"--jobs 0: nothing is computed yet in .*cells; run it with --jobs 1"
    ):
        accuracy.bench(tmp_path, size=TINY, methods=METHODS, jobs=0, command="urerf bench accuracy")
