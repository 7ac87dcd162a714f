"""The programs that compute the evidence for the tests of relevance."""

import numpy as np
import pytest

from urerf.lab import error_rates, hard_cases, null_distributions
from urerf.lab.null_distributions import dip_table, dips_of_uniform, eigenvalue
from urerf.relevance import spectral
from urerf.relevance.marginals import QUANTILES, SIZES


def run(module, monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["program", *arguments])
    module.main()
    return capsys.readouterr().out.splitlines()


def test_error_rates_are_printed_with_their_interval(monkeypatch, capsys):
    lines = run(error_rates, monkeypatch, capsys, "noise", "3", "1000", "gaussian", "category")
    assert lines == [
        "| gaussian | 0 of 3 | 0.00% | 0.00% to 70.76% | 0.0% |",
        "| category | 0 of 3 | 0.00% | 0.00% to 70.76% | 0.0% |",
    ]


def test_dependent_rows_are_noticed_if_they_are_not_declared(monkeypatch, capsys):
    lines = run(error_rates, monkeypatch, capsys, "rows", "2", "1000", "walk", "patients")
    assert lines[1::2] == ["  noticed, if not declared: 2 of 2"] * 2


def test_hard_cases_count_verdicts_and_columns(monkeypatch, capsys):
    (line,) = run(hard_cases, monkeypatch, capsys, "rough_moons_60", "9000", "3")
    assert line == "| rough_moons_60 | 0.810 +- 0.129 | 2 structure, 1 none | 1.3 of 2 | 0.0 |"


def test_simulated_dips_have_the_quantiles_of_the_table(capsys):
    values = np.empty(4000)
    dips_of_uniform(SIZES[2], len(values), 0, values)
    assert np.quantile(values, (0.5, 0.8, 0.9)) == pytest.approx(QUANTILES[2, :3], rel=0.03)
    dip_table(samples=100)
    assert len(capsys.readouterr().out.splitlines()) == len(SIZES)


def test_simulated_eigenvalues_have_the_mean_of_the_table():
    rng = np.random.default_rng(0)
    values = [eigenvalue(spectral.ROWS[3], spectral.COLUMNS[1], rng) for _ in range(60)]
    assert np.mean(values) == pytest.approx(spectral.MEANS[3, 1], abs=0.1)


def test_programs_refuse_what_they_do_not_know(monkeypatch):
    monkeypatch.setattr("sys.argv", ["program", "magic"])
    for module in (error_rates, hard_cases, null_distributions):
        with pytest.raises(SystemExit):
            module.main()
