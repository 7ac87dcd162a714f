"""What runs in another environment: `PYTHON _foreign.py NAME N P TREES`.

treeple needs scikit-learn < 1.7, and rerf a compiler and Eigen, so that neither can be installed in
our environment; both grow TREES trees. "before" is an earlier version of urerf, which fits and
finds the graph of 15 neighbors with its default number of trees. Imports nothing of ours, except
for that version. Prints one line of JSON.
"""

import json
import sys
import time

import numpy as np
from sklearn.datasets import make_blobs

MIN_SPLIT = 100
CANDIDATES = 10


def treeple_forest(trees):
    """Return treeple's forest without the dense similarity matrix that its fit also computes."""
    from treeple import UnsupervisedObliqueRandomForest

    class TreesAlone(UnsupervisedObliqueRandomForest):
        def compute_similarity_matrix(self, X):
            return None

        def _assign_labels(self, similarity_matrix):
            return None

    return TreesAlone(
        n_estimators=trees,
        criterion="fastbic",
        max_features=CANDIDATES,
        min_samples_split=MIN_SPLIT,
        bootstrap=True,
        random_state=0,
    )


def rerf_forest(trees):
    """Return rerf's forest; it only has two-means."""
    from rerf.urerf import UnsupervisedRandomForest

    return UnsupervisedRandomForest(
        projection_matrix="Base",
        n_estimators=trees,
        max_features=CANDIDATES,
        min_samples_split=MIN_SPLIT,
        random_state=1,
    )


class EarlierGraph:
    """The fit and the graph of an earlier version, compiled before."""

    def __init__(self, trees):
        self.fit(make_blobs(3000, 20, random_state=0)[0].astype(np.float32))

    def fit(self, X):
        from urerf import URerF

        model = URerF(random_state=0, n_jobs=2).fit(X)
        model.kneighbors_graph(n_neighbors=15)


FORESTS = {"treeple": treeple_forest, "rerf": rerf_forest, "before": EarlierGraph}


def main(name, n, p, trees):
    """Grow the trees once; print the seconds."""
    centers = 100 if name == "before" else 10
    X = make_blobs(n, p, centers=centers, random_state=0)[0].astype(np.float32)
    forest = FORESTS[name](trees)
    wall = time.perf_counter()
    cpu = time.process_time()
    forest.fit(X)
    taken = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }
    if name == "treeple":
        taken["leaves"] = round(
            float(np.mean([(tree.tree_.children_left < 0).sum() for tree in forest.estimators_]))
        )
    print(json.dumps(taken))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
