"""Blood cells with 1000 noise genes: scanpy's clusters survive on our graph."""

import numpy as np
import pytest

pytest.importorskip("scanpy", reason="scanpy is not installed; pip install urerf[interop]")
pytest.importorskip("igraph", reason="igraph is not installed; pip install urerf[interop]")

from urerf.lab.studies.cells import PCA, CellTrial
from urerf.lab.tables.made import with_noise

pytestmark = pytest.mark.xdist_group("umap")  # scanpy calls UMAP, which compiles in every process


@pytest.fixture(scope="module")
def scores():
    found = {}
    for method in ("urerf", "euclidean", PCA):
        for row in CellTrial("log", method, noises=("none", "gaussian")).score(n_jobs=1):
            found[row["noise"], method] = row
    return found


def test_clusters_are_kept_three_times_better_than_by_scanpys_own_neighbors(scores):
    ours = scores["gaussian", "urerf"]["clusters_kept"]
    assert ours > 0.8
    for other in ("euclidean", PCA):
        assert ours > 3 * scores["gaussian", other]["clusters_kept"]


def test_labels_of_neighbors_survive_the_noise(scores):
    clean, noisy = (scores[noise, "urerf"]["label_precision"] for noise in ("none", "gaussian"))
    assert noisy > 0.97 * clean
    assert clean > scores["none", "euclidean"]["label_precision"] - 0.01


def test_shuffled_genes_have_the_values_of_genes():
    X = np.random.default_rng(0).poisson(2.0, (30, 4)).astype(float)
    noise = with_noise(X, 1000, "permuted", 70.0, seed=0)[:, 4:]
    known = {tuple(np.sort(column)) for column in X.T}
    assert {tuple(np.sort(column)) for column in noise.T} == known
    assert not any((column == noise.T).all(axis=1).any() for column in X.T)
