"""The arena on tiny tables, and its verdicts on results that were made up."""

import pandas as pd
import pytest

from urerf.lab import engine, run, store
from urerf.lab.arena.cases import CLEAN, HARD, Case, all_cases, quick_cases
from urerf.lab.arena.standings import CAUSES, CLOSE, share_close, standings
from urerf.lab.arena.trial import ArenaTrial
from urerf.lab.methods import SELECTORS
from urerf.lab.studies import arena, load
from urerf.lab.study import Plan

MOONS = Case(HARD, "rough_moons", 60, 5, 6, "gaussian", 1.0)
CONNECTOME = Case(CLEAN, "connectome", 1000, 10)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(arena, "quick_cases", lambda: [MOONS, CONNECTOME])
    monkeypatch.setattr("urerf.lab.arena.page.quick_cases", lambda: [MOONS, CONNECTOME])
    monkeypatch.setattr(arena, "ALL_COLUMNS", ("euclidean", "isomap", "pca"))
    monkeypatch.setattr(arena, "SELECTORS", ("variance", "xi"))
    monkeypatch.setattr(arena, "ON_CONNECTOME", ())


def test_the_arena_is_reported_and_only_we_play_again_when_we_change(tmp_path, monkeypatch, tiny):
    text = run.bench(load("arena"), quick=True, out=tmp_path).read_text()
    assert f"| {MOONS.label} |" in text.replace("*", "")
    assert "- With noise columns, URerF is first or within 0.01 of the first in" in text
    assert "## Connectome, more neighbors" in text
    assert "k = 150" in text
    assert (tmp_path / "arena.png").stat().st_size > 10_000
    table = pd.read_csv(tmp_path / "arena.csv", comment="#")
    assert set(table.method) == {"urerf", "euclidean", "isomap", "pca", "variance", "xi"}
    assert table.precision.between(0, 1).all()
    assert table[table.only_true].other_columns.eq(0).all()

    played = []
    monkeypatch.setattr(store, "forest_files", lambda: [])
    store.code_hash.cache_clear()
    compute = engine.compute
    monkeypatch.setattr(
        engine, "compute", lambda trial, *rest: played.append(trial.method) or compute(trial, *rest)
    )
    run.bench(load("arena"), quick=True, out=tmp_path)
    store.code_hash.cache_clear()
    assert set(played) == {"urerf"}


def test_a_selector_is_followed_by_distances_in_both_units():
    rows = ArenaTrial(method="xi", **MOONS.settings()).score(n_jobs=1)
    ways = ("Euclidean", "Isomap of 5", "Isomap of 15")
    assert [row["use"] for row in rows] == [*ways, *(f"{way}, standardized" for way in ways)]
    assert {row["true_columns"] + row["other_columns"] for row in rows} == {2}


def test_every_case_has_a_name_of_its_own_and_every_method_is_run():
    for cases in (all_cases(), quick_cases()):
        assert len({case.label for case in cases}) == len(cases)
    full = arena.trials(Plan(quick=False, seeds=1))
    assert {*SELECTORS, "umap", "shi_cutler", "urerf"} <= {trial.method for trial in full}
    clean = {trial.method for trial in full if trial.noise == 0}
    assert not clean & set(SELECTORS)  # nothing to select


def results(case=MOONS, **precision):
    """Return results of two seeds: a precision per method, `true_*` in the true columns alone."""
    rows = []
    for key, value in precision.items():
        name = key.removeprefix("true_")
        scale = "standardized" if name.endswith("_standardized") else ""
        for seed in (0, 1):
            rows.append(
                {
                    "row": case.label,
                    "k": case.k,
                    "seed": seed,
                    "method": name.removesuffix("_standardized"),
                    "use": f"Euclidean, {scale}".rstrip(", "),
                    "only_true": key.startswith("true_"),
                    "precision": value + 0.001 * seed,
                    "chance": 0.5,
                    "columns": 2,
                    "true_columns": 1,
                    "other_columns": 4,
                }
            )
    return pd.DataFrame(rows)


def test_the_best_use_of_the_best_other_method_is_first():
    table = results(urerf=0.9, xi=0.7, xi_standardized=0.8, dip=0.6)
    [result] = standings(table, [MOONS, CONNECTOME])
    assert result.rival == "Xi, Euclidean, standardized"
    assert result.lead == pytest.approx(0.1)
    assert not result.is_lost
    assert result.reason == ""


def test_close_is_not_lost():
    near = standings(results(urerf=0.9, xi=0.9 + 0.99 * CLOSE), [MOONS])
    far = standings(results(urerf=0.9, xi=0.9 + 1.01 * CLOSE), [MOONS])
    assert share_close(near) == 1
    assert share_close(far) == 0
    assert share_close(near + far) == 0.5


def test_our_other_settings_are_not_rivals():
    table = results(urerf=0.7, urerf_paper=0.9, xi=0.6)
    [result] = standings(table, [MOONS])
    assert result.theirs == pytest.approx(0.6005)
    assert standings(results(urerf=0.7, urerf_paper=0.9), [MOONS]) == []


@pytest.mark.parametrize(
    ("cause", "controls"),
    [
        ("columns", {"true_urerf": 0.895, "true_euclidean": 0.9}),
        ("ranking", {"true_urerf": 0.7, "true_euclidean": 0.9, "true_euclidean_standardized": 0.9}),
        ("units", {"true_urerf": 0.7, "true_euclidean": 0.9, "true_euclidean_standardized": 0.8}),
        ("method", {"true_urerf": 0.7, "true_euclidean": 0.8, "true_euclidean_standardized": 0.8}),
        ("not examined", {}),
    ],
)
def test_losses_are_explained_by_the_controls(cause, controls):
    [result] = standings(results(urerf=0.7, xi=0.9, **controls), [MOONS])
    assert result.is_lost
    assert result.reason.startswith(cause)
    assert cause in CAUSES or not controls
    if cause == "columns":
        assert "URerF used 1.0 of the 2 true columns and 4.0 others" in result.reason
