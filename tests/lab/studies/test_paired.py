"""Paired differences between the defaults and 300 trees by depth."""

import numpy as np
import pandas as pd
import pytest

from urerf.lab import run
from urerf.lab.studies import load, paired
from urerf.lab.study import FIRST_SEED, Plan
from urerf.lab.words import student_interval


def results(differences, dataset="helix"):
    """Precision of both methods, with the given differences."""
    rows = []
    for seed, difference in enumerate(differences):
        setting = {"dataset": dataset, "noise": 0, "kind": "none", "variance": 70.0}
        setting |= {"rescaled": False, "seed": FIRST_SEED + seed, "n": 1000, "k": 50}
        rows.append({**setting, "method": "urerf", "precision": 0.9 + difference})
        rows.append({**setting, "method": "urerf_300", "precision": 0.9})
    return pd.DataFrame(rows)


def test_intervals_are_those_of_student():
    (one,) = paired.differences(results([0.01, 0.02, 0.03]))
    assert one.mean == pytest.approx(0.02)
    low, high = student_interval(one.gains, 0.025)
    width = 4.30265 * 0.01 / np.sqrt(3)
    assert (low, high) == pytest.approx((0.02 - width, 0.02 + width), abs=1e-6)


@pytest.mark.parametrize(
    ("differences", "n_below"),
    [
        ([-0.1, -0.11, -0.09, -0.1], 1),
        ([-0.1, 0.1, -0.1, 0.05], 0),
        ([-0.006] * 4, 1),
        ([-0.004] * 4, 0),
    ],
)
def test_a_case_is_below_the_target_if_its_whole_interval_is(differences, n_below):
    table = pd.concat([results(differences), results([0.0, 0.001, 0.0, 0.001], "sphere")])
    _, verdict, _ = paired.sections(table)
    assert f"below -0.005: {n_below} of 2, {'missed' if n_below else 'met'}." in verdict


def test_every_case_is_run_by_both_methods_with_the_same_seeds():
    trials = paired.trials(Plan(quick=False, seeds=10))
    methods = [trial.method for trial in trials]
    assert methods.count("urerf") == methods.count("urerf_300") == len(trials) / 2
    assert {trial.seed for trial in trials} == set(range(FIRST_SEED, FIRST_SEED + 10))
    assert {trial.dataset for trial in trials} > {"helix", "torus", "digits", "connectome"}


def test_the_page_lists_every_case(tmp_path, monkeypatch):
    monkeypatch.setattr(paired, "cases", lambda size: [("linear", {}), ("wine", {"ks": (10,)})])
    text = run.bench(load("paired"), quick=True, out=tmp_path).read_text()
    assert "| linear |" in text
    assert "| wine |" in text
    assert "Cases whose interval lies wholly below -0.005: 0 of 2, met" in text
