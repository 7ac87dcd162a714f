"""The studies of ``urerf bench`` on tiny tables."""

import numpy as np
import pandas as pd
import pytest

from urerf import parameters
from urerf.datasets import SIMULATIONS
from urerf.lab import engine, run
from urerf.lab.studies import _size, ablation, accuracy, floor, load, other, ranking, shortcuts
from urerf.lab.study import Plan

TINY = _size.Size(n=100, k=10, counts=(100,), trees=10, with_slow=False)
METHODS = ("urerf", "euclidean", "screen", "isomap")


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(_size, "QUICK", TINY)
    monkeypatch.setattr(accuracy, "KINDS", [("gaussian", 70.0)])
    monkeypatch.setattr(accuracy, "VARIANCES", [])


def bench(name, folder, **settings):
    return run.bench(load(name), quick=True, out=folder, **settings)


def test_accuracy_writes_its_results_and_resumes(tmp_path, monkeypatch, tiny):
    text = bench("accuracy", tmp_path).read_text()
    assert "## Targets" in text
    assert "Euclidean after normality test" in text
    assert (tmp_path / "accuracy.png").stat().st_size > 10_000
    table = pd.read_csv(tmp_path / "accuracy.csv", comment="#")
    assert set(table.dataset) == set(SIMULATIONS)
    assert set(table.method) == set(METHODS)
    assert table.precision.between(0, 1).all()
    first = (tmp_path / "accuracy.csv").read_text().splitlines()[0]
    assert "`urerf bench accuracy --quick`" in first
    monkeypatch.setattr(engine, "compute", lambda *args: pytest.fail("computed again"))
    bench("accuracy", tmp_path)
    assert "(" not in first.split("`")[1]


def test_an_incomplete_run_says_so(tmp_path, tiny):
    bench("accuracy", tmp_path, methods=["euclidean"])
    text = bench("accuracy", tmp_path, jobs=0).read_text()
    assert "trials so far)`" in text


def test_nothing_computed_is_an_error(tmp_path, tiny):
    with pytest.raises(ValueError, match=r"--jobs: nothing has been computed in .*trials"):
        bench("accuracy", tmp_path, jobs=0)


def test_ablation_has_a_row_per_departure(tmp_path, monkeypatch, tiny):
    monkeypatch.setattr(ablation, "PUT_BACK", {"default": {}, "density=1": {"density": 1}})
    monkeypatch.setattr(ablation, "ADDED", {"paper": {}})
    text = bench("ablation", tmp_path).read_text()
    rows = ("default", "`density=1`", "paper")
    assert all(f"| {row} |" in text for row in rows)
    table = pd.read_csv(tmp_path / "ablation.csv", comment="#")
    assert set(table.row) == {"default", "density=1", "paper"}


def test_every_departure_is_a_valid_parameter():
    from urerf.lab.trial import Trial

    for changes in [*ablation.PUT_BACK.values(), *ablation.ADDED.values()]:
        params = {"n_estimators": 2, **changes}
        Trial("linear", "urerf", n=60, ks=(5,), params=params).score(n_jobs=1)


def test_other_tables_are_reported(tmp_path, monkeypatch, tiny):
    monkeypatch.setattr(other, "CONNECTOME_RIVALS", ("euclidean",))
    rolls = [("swiss_roll", {}), ("swiss_roll", {"noise": 20, "kind": "mixed"})]
    monkeypatch.setattr(other, "other_settings", lambda size: rolls)
    wines = [("wine", {"ks": (10,)}), ("wine", {"ks": (10,), "noise": 20, "kind": "matched"})]
    monkeypatch.setattr(other, "real_settings", lambda size: wines)
    text = bench("other", tmp_path).read_text()
    assert "| swiss roll | mixed, 20 |" in text
    assert "| wine | 20 matched |" in text
    assert "published urerf" in text
    assert "of 200 tables of 200 x 50" in text


def test_floors_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(floor, "SIMULATIONS", {"linear": None})
    monkeypatch.setattr(floor, "QUICK_NOISE", (0,))
    monkeypatch.setattr(floor, "QUICK_TREES", 2)
    text = bench("floor", tmp_path).read_text()
    assert "| 1e-06 * |" in text
    assert "| published | .811 | .811 |" in text
    table = pd.read_csv(tmp_path / "floor.csv", comment="#")
    assert set(table.floor) == set(floor.FLOORS)
    assert set(table.split_score) == {"raw", "gain"}


def test_verdicts_count_what_is_missed():
    assert _size.verdict(np.array([True, False])) == "missed by 1 of 2"
    assert _size.verdict(np.array([True, True])) == "met"
    assert _size.verdict(np.array([np.nan]) >= 0.5) == "missed by 1 of 1"


def test_bounds_of_growth_are_changed_only_inside():
    from urerf import URerF

    model = URerF()
    with shortcuts.growing(screening_rows=0, peel_chain=3):
        inside = parameters.growth_of(model, 1000, 5)
    assert (inside.screening_rows, inside.peel_chain) == (0, 3)
    assert parameters.growth_of(model, 1000, 5).screening_rows == shortcuts.SCREENING_ROWS


def test_without_a_screen_small_nodes_choose_the_same():
    matrix = np.random.default_rng(0).normal(size=(12, 300)).astype(np.float32)
    screened = shortcuts.winners(matrix, shortcuts.SCREENING_ROWS)
    assert (screened == shortcuts.winners(matrix, 0)).all()


def test_shortcuts_are_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(shortcuts, "N_ROOTS", 3)
    full = shortcuts.trials

    def few(plan):
        chosen = {}
        for trial in full(plan):
            if trial.n <= 5000:
                key = (trial.measure, trial.dataset, trial.row)
                chosen[key] = trial
        bins = shortcuts.ShortcutTrial("skewed", n=20_000, measure="bins")
        return [*chosen.values(), bins]

    study = load("shortcuts")
    object.__setattr__(study, "trials", few)
    try:
        text = bench("shortcuts", tmp_path).read_text()
    finally:
        object.__setattr__(study, "trials", full)
    assert "| URerF(), screened |" in text
    assert "| skewed | 20,000 |" in text
    assert "| no bound at all |" in text


def test_quick_plans_of_shortcuts_are_smaller():
    quick, full = (shortcuts.trials(Plan(is_quick, 1)) for is_quick in (True, False))
    assert max(trial.n for trial in quick) < max(trial.n for trial in full)


def test_rankings_are_compared_with_the_forest_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(ranking, "CHOSEN_ON", ("wine",))
    monkeypatch.setattr(ranking, "REPORTED_ON", ("linear",))
    monkeypatch.setattr(ranking, "QUICK_ROWS", (100,))
    text = bench("ranking", tmp_path).read_text()
    assert "## Chosen on: wine" in text
    assert "## Reported on: linear" in text
    depth = next(line for line in text.splitlines() if "| 100 | `depth` |" in line)
    assert "+0.000 (+0.000)" in depth.replace("-0.000", "+0.000")
    table = pd.read_csv(tmp_path / "ranking.csv", comment="#")
    assert set(table.similarity) == set(ranking.SIMILARITIES)
