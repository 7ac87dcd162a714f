import csv

import numpy as np
import pytest

from urerf.lab.demo import penguins, penguins_figure


@pytest.fixture(scope="module")
def findings():
    return penguins.find(n_noise=30, seed=0, jobs=1)


def test_noise_columns_do_not_change_our_neighbors_but_the_euclidean_ones(findings):
    first = findings.steps[0].shares
    last = findings.steps[-1].shares
    assert [step.n_noise for step in findings.steps] == [0, 10, 30]
    assert last["URerF"] > 0.95
    assert abs(last["URerF"] - first["URerF"]) < 0.01
    assert last["Euclidean, standardized"] < first["Euclidean, standardized"] - 0.2


def test_only_the_measurements_are_used(findings):
    assert findings.used == list(penguins.MEASUREMENTS)


def test_chance_is_the_share_of_pairs_of_the_same_species(findings):
    species = findings.penguins.labels
    same = species[:, None] == species
    off_diagonal = ~np.eye(len(species), dtype=bool)
    assert findings.chance == pytest.approx(same[off_diagonal].mean())


def test_the_csv_holds_the_table(findings, tmp_path):
    path = tmp_path / "penguins.csv"
    penguins.write_csv(findings.penguins, findings.X, path)
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[:6] == ["species", *penguins.MEASUREMENTS, "noise1"]
    assert len(head) == 1 + 4 + 30
    values = np.array([row[1:] for row in rows], dtype=float)
    np.testing.assert_allclose(values, findings.X, atol=6e-4)
    assert [row[0] for row in rows] == findings.penguins.labels.tolist()


def test_the_figure_states_the_shares(findings):
    figure = penguins_figure.penguins_figure(findings)
    left, middle, right = figure.axes
    share = findings.steps[-1].shares
    assert f"{share['Euclidean, standardized']:.0%} of the same" in left.get_title()
    assert f"{share['URerF']:.0%} of the same" in middle.get_title()
    assert len(right.lines) == 4
    np.testing.assert_allclose(right.lines[0].get_ydata()[-1], share["URerF"])
