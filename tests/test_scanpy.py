"""`urerf.scanpy.neighbors` writes what scanpy's own tools read."""

import numpy as np
import pytest
import scipy.sparse as sp

from urerf import URerF
from urerf import scanpy as ours
from urerf.datasets import add_noise, make_gaussian_mixture

scanpy = pytest.importorskip("scanpy", reason="scanpy is not installed; pip install urerf[interop]")
pytestmark = [
    pytest.mark.xdist_group("umap"),  # scanpy calls UMAP, which compiles in every process
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def table():
    mixture = make_gaussian_mixture(150, random_state=0)
    return add_noise(mixture.X, 20, random_state=0).astype(np.float32)


@pytest.fixture(scope="module")
def cells(table):
    adata = scanpy.AnnData(table)
    ours.neighbors(adata, 12, model=URerF(60, random_state=0))
    return adata


def test_the_entries_are_those_of_scanpy(table, cells):
    theirs = scanpy.AnnData(table)
    scanpy.pp.neighbors(theirs, n_neighbors=12, use_rep="X")
    assert cells.uns["neighbors"] == theirs.uns["neighbors"]
    for key in ("distances", "connectivities"):
        assert cells.obsp[key].shape == theirs.obsp[key].shape
        assert sp.issparse(cells.obsp[key])
    assert set(cells.obsp["distances"].getnnz(axis=1)) == {11}
    assert set(theirs.obsp["distances"].getnnz(axis=1)) == {11}
    assert (cells.obsp["connectivities"] != cells.obsp["connectivities"].T).nnz == 0


def test_distances_are_those_of_the_forest(table, cells):
    _, indices = URerF(60, random_state=0).fit(table).kneighbors(n_neighbors=11)
    stored = cells.obsp["distances"]
    for row in range(0, 150, 30):
        assert set(stored[row].indices) == set(indices[row])


def test_the_genes_with_structure_are_marked(cells):
    relevance = cells.var["urerf_relevance"].to_numpy()
    assert (relevance[:3] > 0).all()
    assert (relevance[3:] == 0).all()


def test_scanpy_goes_on_with_the_graph(cells):
    pytest.importorskip("igraph", reason="igraph is not installed; pip install urerf[interop]")
    settings = {"flavor": "igraph", "n_iterations": 2, "directed": False}
    scanpy.tl.leiden(cells, **settings, resolution=0.3, random_state=0)
    assert cells.obs["leiden"].nunique() >= 2


def test_layers_keys_and_copies(table):
    adata = scanpy.AnnData(np.zeros_like(table), layers={"logarithms": sp.csr_matrix(table)})
    settings = {"layer": "logarithms", "model": URerF(20, random_state=0)}
    copied = ours.neighbors(adata, 12, key_added="forest", copy=True, **settings)
    assert "forest" not in adata.uns
    assert copied.uns["forest"]["distances_key"] == "forest_distances"
    assert "forest_connectivities" in copied.obsp
    with pytest.raises(ValueError, match=r"layer: .* did you mean 'logarithms'\?"):
        ours.neighbors(adata, layer="logarithm")


def test_raw_counts_are_pointed_out():
    counts = np.random.default_rng(0).negative_binomial(2, 0.05, (60, 10)).astype(np.float32)
    adata = scanpy.AnnData(counts)
    with pytest.warns(UserWarning, match="adata: holds raw counts"):
        ours.neighbors(adata, 5, model=URerF(10, random_state=0))


def test_a_neighborhood_has_more_than_the_cell_itself(table):
    adata = scanpy.AnnData(table)
    with pytest.raises(ValueError, match="n_neighbors: must be at least 2, got 1"):
        ours.neighbors(adata, 1)
    with pytest.raises(TypeError, match=r"^model: must be a URerF, got str$"):
        ours.neighbors(adata, model="blend")
    assert not adata.uns  # nothing was written
    assert not adata.obsp
