"""Real cells with 1000 noise genes: scanpy's clusters survive on our graph."""

import numpy as np
import pytest

pytest.importorskip("scanpy", reason="scanpy is not installed; pip install urerf[interop]")
pytest.importorskip("igraph", reason="igraph is not installed; pip install urerf[interop]")

from benchmarks.pbmc import EUCLIDEAN, NONE, OURS, PCA, SHUFFLED, WIDE, measure, tables, with_noise

pytestmark = pytest.mark.xdist_group("umap")  # scanpy calls UMAP, which compiles in every process


@pytest.fixture(scope="module")
def scores():
    data, labels = tables()
    return {
        (row["noise"], row["method"]): row
        for row in measure(data["log"], labels, (NONE, WIDE), seed=0)
    }


def test_clusters_are_kept_three_times_better_than_by_scanpys_own_neighbours(scores):
    ours = scores[WIDE, OURS]["clusters_kept"]
    assert ours > 0.8
    assert all(ours > 3 * scores[WIDE, other]["clusters_kept"] for other in (EUCLIDEAN, PCA))


def test_labels_of_neighbours_survive_the_noise(scores):
    plain, noisy = (scores[noise, OURS]["label_precision"] for noise in (NONE, WIDE))
    assert noisy > 0.97 * plain
    assert plain > scores[NONE, EUCLIDEAN]["label_precision"] - 0.01


def test_shuffled_genes_have_the_values_of_genes():
    X = np.random.default_rng(0).poisson(2.0, (30, 4)).astype(float)
    noise = with_noise(X, SHUFFLED, seed=0)[:, 4:]
    known = {tuple(np.sort(column)) for column in X.T}
    assert {tuple(np.sort(column)) for column in noise.T} == known
    assert not any((column == noise.T).all(axis=1).any() for column in X.T)
