# %% [markdown]
# # A connectome: neurons that are wired alike
#
# The right mushroom body of a fly larva has 213 neurons of four types: Kenyon cells, input neurons, output neurons and projection
# neurons. Each is described by six numbers that summarize its connections. This is the real data set of the paper, and it is a table
# without noise columns in which the defaults are *not* the best choice. This tutorial shows why.
#
# The data come with urerf. You need `pip install "urerf[plot]" pandas`.

# %%
import pandas as pd

from urerf.datasets import load_connectome

neurons = load_connectome()
pd.Series(neurons.labels).value_counts().to_frame("neurons")

# %% [markdown]
# ## Neighbors of the same type

# %%
from sklearn.neighbors import NearestNeighbors

from urerf import URerF
from urerf.metrics import geodesic_precision

model = URerF(random_state=0).fit(neurons.X)
euclidean = NearestNeighbors().fit(neurons.X)


def precision(k):
    ours = model.kneighbors(n_neighbors=k, return_distance=False)
    theirs = euclidean.kneighbors(n_neighbors=k, return_distance=False)
    return {
        "k": k,
        "URerF": geodesic_precision(ours, neurons),
        "Euclidean": geodesic_precision(theirs, neurons),
    }


pd.DataFrame([precision(k) for k in (5, 10, 20, 50)]).round(3)

# %% [markdown]
# Close neighbors are right with either method. At k = 50, both get worse: there are only 21 input neurons and 29 output neurons, so 50
# neighbors of the same type do not exist for them, and the 100 Kenyon cells are spread wide.
#
# ## Labels that reward wide groups
#
# The precision at 50 asks whether all Kenyon cells count as similar, however different they are. The criterion of the paper separates
# the tight types first and leaves the wide one whole, which is what this label rewards.

# %%
paper = URerF.paper(
    similarity="depth", min_samples_split=15, max_features=12, density=0.4, random_state=0
).fit(neurons.X)
rows = []
for k in (5, 10, 20, 50):
    indices = paper.kneighbors(n_neighbors=k, return_distance=False)
    rows.append({"k": k, "paper's criterion by depth": geodesic_precision(indices, neurons)})
pd.DataFrame(rows).round(3)

# %% [markdown]
# If your labels are whole groups of very different width, try these settings. To find the most similar rows, keep the defaults.
#
# ## Find more neurons like these
#
# Five output neurons are known. Which neurons are most like them? We rank all others by their mean similarity to the five.

# %%
import numpy as np

known = np.flatnonzero(neurons.labels == "O")[:5]
similarity = paper.proximity()[known].mean(axis=0)
similarity[known] = -1
ranked = np.argsort(-similarity)
found = neurons.labels[ranked[:24]] == "O"
print("".join("O" if right else "." for right in found))
print(f"{found.sum()} of the first 24 are output neurons; there are 24 more among 208 neurons")

# %% [markdown]
# The [gallery](../gallery/vertex_nomination.md) repeats this with noise columns and other methods.
#
# ## A map

# %%
import matplotlib.pyplot as plt

from urerf import embed

names = {"K": "Kenyon cells", "I": "input", "O": "output", "P": "projection"}
points = embed(model, random_state=0)
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for code, name in names.items():
    axes.scatter(*points[neurons.labels == code].T, s=14, label=name)
axes.legend(frameon=False)
axes.set_axis_off()
