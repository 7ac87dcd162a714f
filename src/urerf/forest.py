"""All trees of a forest in flat arrays: grow over threads, apply, merge. No scikit-learn in here.

A forest sees a *table*: columns x rows, float32, contiguous. `urerf.estimator` makes it from the
user's data.

Tree t's numbers come from ``tree_key[t]``, a hash of (seed, t): which rows it saw (`Forest.rows`)
and how it grew. So trees can be grown anywhere, in any order, by any number of threads or machines,
and the bits are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from ._memory import give_back
from ._progress import progress
from ._threads import n_threads, row_blocks, run
from .kernels.projection import AXIS, DIRECTION, OBLIQUE
from .kernels.rng import derive, sample_rows
from .kernels.split import FAST_BIC, GAIN, MCLUST_BIC, RAW, TWO_MEANS
from .kernels.tree import apply_tree, grow_tree

CRITERIA = {"two_means": TWO_MEANS, "fast_bic": FAST_BIC, "mclust_bic": MCLUST_BIC}
SCORES = {"gain": GAIN, "raw": RAW}
PROJECTIONS = {"axis": AXIS, "oblique": OBLIQUE, "direction": DIRECTION}
# The variance floor of `urerf.kernels.split`. Raw BIC owes much to tight clusters, the gain is led
# astray by ties (counts, pixels, the rings of a sphere's grid): benchmarks/floor.py has the
# numbers.
FLOORS = {"gain": 1e-2, "raw": 1e-6}
SCREENING_ROWS = 512
PEEL_WORK = 1 << 22
PEEL_CHAIN = 64
PRESORT_ROWS = 4096
APPLY_BLOCK = 4096


class Growth(NamedTuple):
    """How trees grow: the paper's d, f_A, splitting criterion and Theta, as numbers."""

    n_candidates: int
    density: float
    min_split: int
    n_drawn: int
    replace: bool
    projection: str = "oblique"
    criterion: str = "fast_bic"
    score: str = "gain"
    min_leaf: int = 1
    max_depth: int = 2**31 - 1
    random_cuts: bool = False
    screening_rows: int = SCREENING_ROWS
    peel_work: int = PEEL_WORK
    peel_chain: int = PEEL_CHAIN

    def for_kernel(self) -> tuple:
        """Return the settings as `urerf.kernels.tree.grow_tree` takes them."""
        return (
            PROJECTIONS[self.projection],
            self.n_candidates,
            CRITERIA[self.criterion],
            SCORES[self.score],
            self.min_split,
            self.min_leaf,
            self.max_depth,
            float(self.density),
            self.peel_work,
            self.random_cuts,
            FLOORS[self.score],
            self.peel_chain,
        )


class Tree(NamedTuple):
    """One tree as views of the forest's arrays; see `urerf.kernels.tree`."""

    child: np.ndarray
    cut: np.ndarray
    size: np.ndarray
    direction: np.ndarray
    begin: np.ndarray
    columns: np.ndarray
    weights: np.ndarray


NO_TREE = Tree(*(np.empty(0, dtype=kind) for kind in ("i4", "f4", "i4", "i4", "i8", "i4", "f4")))


def stream(key: int | np.uint64, branch: int) -> np.uint64:
    """Return the key of the stream that hangs off ``key`` at ``branch``."""
    return np.uint64(derive(np.uint64(key), branch))


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees one after the other: tree t has the nodes node_start[t]:node_start[t + 1].

    Likewise its directions (``direction_start``) and their non-zeros (``nonzero_start``). ``begin``
    has one entry more a tree than there are directions: the runs of non-zeros, counted from the
    tree's first.
    """

    tree_key: np.ndarray
    n_fitted: int
    n_drawn: int
    replace: bool
    node_start: np.ndarray
    direction_start: np.ndarray
    nonzero_start: np.ndarray
    child: np.ndarray
    cut: np.ndarray
    size: np.ndarray
    direction: np.ndarray
    begin: np.ndarray
    columns: np.ndarray
    weights: np.ndarray

    @classmethod
    def grow(
        cls,
        table: np.ndarray,
        growth: Growth,
        *,
        seed: int,
        trees: Sequence[int],
        chance: np.ndarray | None = None,
        n_jobs: int | None = None,
        show_progress: bool = False,
    ) -> "Forest":
        """Grow the trees with the given numbers; the same bits for any ``n_jobs``.

        ``chance`` is the chance of every column to be drawn, 1 for all unless it is given.
        """
        if growth.projection == "axis" and growth.n_candidates > len(table):
            raise ValueError(
                f"growth: {growth.n_candidates} candidates cannot be drawn from {len(table)} columns"
            )
        chance = np.ones(len(table)) if chance is None else chance
        keys = np.array([stream(seed, t) for t in trees], dtype=np.uint64)
        order = _presorted(table, growth)
        tasks = [partial(_grow_one, table, order, growth, chance, key) for key in keys]
        backend, _ = get_active_backend(prefer="threads")
        if getattr(backend, "supports_sharedmem", False):
            grown = run(tasks, n_jobs, "growing trees", show_progress)
        else:  # other processes or machines
            as_they_come = (
                "generator" if backend.supports_return_generator else "list"
            )  # Ray's has only lists
            work = Parallel(n_jobs=n_jobs, return_as=as_they_come)
            results = work(delayed(_grow_one)(*task.args) for task in tasks)
            grown = list(progress(results, len(keys), "growing trees", show_progress))
        forest = cls._join(keys, table.shape[1], growth.n_drawn, growth.replace, grown)
        del tasks, grown
        give_back()
        return forest

    @classmethod
    def merge(cls, forests: Sequence["Forest"]) -> "Forest":
        """Put forests that were fitted on the same rows together, tree after tree."""
        first = forests[0]
        for f in forests[1:]:
            if (f.n_fitted, f.n_drawn, f.replace) != (first.n_fitted, first.n_drawn, first.replace):
                raise ValueError(
                    "forests: can merge only forests that were fitted on the same rows in the same way"
                )
        keys = np.concatenate([f.tree_key for f in forests])
        trees = [f.tree(t) for f in forests for t in range(f.n_trees)]
        return cls._join(keys, first.n_fitted, first.n_drawn, first.replace, trees)

    @classmethod
    def _join(
        cls, keys: np.ndarray, n_fitted: int, n_drawn: int, replace: bool, trees: Sequence[Tree]
    ) -> "Forest":
        def starts(sizes: list[int]) -> np.ndarray:
            return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

        # An empty tree gives the arrays their types where there is no tree.
        arrays = {
            f.name: np.concatenate([getattr(t, f.name) for t in (NO_TREE, *trees)])
            for f in fields(cls)[7:]
        }
        sizes = (
            [t.child.size for t in trees],
            [t.begin.size - 1 for t in trees],
            [t.columns.size for t in trees],
        )
        return cls(keys, n_fitted, n_drawn, replace, *map(starts, sizes), **arrays)

    @property
    def n_trees(self) -> int:
        """Return T."""
        return len(self.tree_key)

    def tree(self, t: int) -> Tree:
        """Return tree t."""
        nodes = slice(self.node_start[t], self.node_start[t + 1])
        runs = slice(self.direction_start[t] + t, self.direction_start[t + 1] + t + 1)
        nonzeros = slice(self.nonzero_start[t], self.nonzero_start[t + 1])
        return Tree(
            self.child[nodes],
            self.cut[nodes],
            self.size[nodes],
            self.direction[nodes],
            self.begin[runs],
            self.columns[nonzeros],
            self.weights[nonzeros],
        )

    def rows(self, t: int) -> np.ndarray:
        """Return the rows that tree t was grown on, ascending, a row as often as it was drawn."""
        return sample_rows(stream(self.tree_key[t], 0), self.n_fitted, self.n_drawn, self.replace)

    def in_bag(self) -> np.ndarray:
        """Return (trees, fitted rows): whether the tree was grown on the row."""
        bag = np.zeros((self.n_trees, self.n_fitted), dtype=bool)

        def mark(t: int) -> None:
            bag[t, self.rows(t)] = True

        run([partial(mark, t) for t in range(self.n_trees)])
        return bag

    def apply(
        self, table: np.ndarray, n_jobs: int | None = None, show_progress: bool = False
    ) -> np.ndarray:
        """Return the leaf numbers, (trees, rows of the table), int32.

        Rows go down all trees block by block, so that a table on disk is read once.
        """
        n = table.shape[1]
        leaves = np.empty((self.n_trees, n), dtype=np.int32)
        blocks = row_blocks(n, max(1, min(APPLY_BLOCK, -(-n // (4 * n_threads(n_jobs))))))
        tasks = [partial(_apply_block, self, table, block, leaves) for block in blocks]
        run(tasks, n_jobs, "sending rows down the trees", show_progress)
        return leaves


def _presorted(table: np.ndarray, growth: Growth) -> np.ndarray:
    """Return what sorts every column, where trees gain from it: few rows, candidates of one column."""
    if growth.projection == "direction" or table.shape[1] > PRESORT_ROWS:
        return np.empty((len(table), 0), dtype=np.int32)
    return np.argsort(table, axis=1).astype(np.int32)


def _grow_one(
    table: np.ndarray, order: np.ndarray, growth: Growth, chance: np.ndarray, key: np.uint64
) -> Tree:
    rows = sample_rows(stream(key, 0), table.shape[1], growth.n_drawn, growth.replace)
    return Tree(
        *grow_tree(
            table, order, rows, stream(key, 1), chance, growth.for_kernel(), growth.screening_rows
        )
    )


def _apply_block(forest: Forest, table: np.ndarray, block: slice, leaves: np.ndarray) -> None:
    some = np.ascontiguousarray(table[:, block])
    for t in range(forest.n_trees):
        child, cut, _, direction, begin, columns, weights = forest.tree(t)
        apply_tree(some, child, cut, direction, begin, columns, weights, leaves[t, block])
