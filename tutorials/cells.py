# %% [markdown]
# # Single cells: neighbors for scanpy
#
# 700 blood cells with 765 genes, a small part of a well-known data set that comes with scanpy. We use the forest in place of
# scanpy's own neighbor search, find clusters, and see what happens when uninformative genes are added.
#
# You need `pip install "urerf[plot,interop]" pandas`.

# %%
import warnings

import scanpy

warnings.filterwarnings("ignore", category=FutureWarning)
reduced = scanpy.datasets.pbmc68k_reduced()
cells = reduced.raw.to_adata()  # logarithms of normalized counts
cells

# %% [markdown]
# ## Which values to use
#
# Give the forest normalized counts on a logarithmic scale (`scanpy.pp.normalize_total`, `scanpy.pp.log1p`), and the genes themselves, not
# principal components: `use_rep="X"`. Principal components mix uninformative genes into every column, and relevance could no longer
# leave them out.

# %%
from urerf import URerF

forest = URerF(n_neighbors=15, random_state=0)
scanpy.pp.neighbors(cells, n_neighbors=15, use_rep="X", transformer=forest)
cells.obsp["distances"].shape

# %% [markdown]
# Everything in scanpy that uses neighbors now uses these, for example Leiden clustering:

# %%
scanpy.tl.leiden(cells, flavor="igraph", n_iterations=2, directed=False, random_state=0)
cells.obs["leiden"].value_counts().to_frame()

# %% [markdown]
# ## Do neighbors have the same cell type?
#
# `bulk_labels` are cell types that were assigned by comparison with purified cells. They were not used above.

# %%
import numpy as np
from sklearn.neighbors import NearestNeighbors

types = cells.obs["bulk_labels"].to_numpy()


def share_of_same_type(indices):
    return (types[indices] == types[:, None]).mean()


genes = cells.to_df()
X = genes.to_numpy()
model = URerF(random_state=0).fit(genes)
ours = model.kneighbors(n_neighbors=10, return_distance=False)
euclidean = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(return_distance=False)
print(f"URerF {share_of_same_type(ours):.3f}, Euclidean {share_of_same_type(euclidean):.3f}")

# %% [markdown]
# ## Which genes carry structure?

# %%
columns = model.relevance_.to_frame()
print(f"{columns['used'].sum()} of {len(columns)} genes are used")
columns[["column", "strength", "partner"]].head(8).round(2)

# %% [markdown]
# The strongest pairs are markers of the same cell type: FCER1A and CLEC10A of dendritic cells, MS4A1 and CD79B of B cells.
#
# ## Uninformative genes
#
# We append 1,000 shuffled copies of genes: each has the values of a real gene in random order, so it carries no information about the cell.

# %%
rng = np.random.default_rng(0)
copied = rng.choice(X.shape[1], 1000)
noise = rng.permuted(X[:, copied], axis=0)
noisy = np.hstack([X, noise])
again = URerF(random_state=0).fit(noisy)
ours = again.kneighbors(n_neighbors=10, return_distance=False)
euclidean = NearestNeighbors(n_neighbors=10).fit(noisy).kneighbors(return_distance=False)
print(f"URerF {share_of_same_type(ours):.3f}, Euclidean {share_of_same_type(euclidean):.3f}")
print(f"{(again.feature_relevance_[X.shape[1] :] > 0).sum()} of 1,000 shuffled genes are used")

# %% [markdown]
# Shuffled genes are no wider than real ones, so they do little harm to either method. With
# [wider noise](../accuracy.md#single-cells), Euclidean neighbors are lost and ours are not.
#
# ## A map

# %%
import matplotlib.pyplot as plt

from urerf import embed

points = embed(model, random_state=0)
figure, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
for name in sorted(set(types)):
    axes.scatter(*points[types == name].T, s=10, label=name)
axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
axes.set_axis_off()
