"""Grow, apply and merge forests: all trees in flat arrays. Independent of scikit-learn.

A forest reads a *matrix*: columns x rows, float32, contiguous. `urerf.columns` makes it from the
user's table.

Everything random in tree t comes from ``tree_key[t]``, a hash of (seed, t): the rows it is grown on
(`Forest.rows`) and how it grows. Trees can therefore be grown anywhere, in any order, by any number
of threads or machines, and are the same bit for bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from ._memory import release_memory
from ._progress import progress
from ._threads import n_threads, row_blocks, run
from ._typing import Array
from .kernels.apply import apply_tree
from .kernels.rng import derive, sample_rows
from .kernels.settings import CRITERIA, FLOORS, PROJECTIONS, SPLIT_SCORES, Settings
from .kernels.tree import Tree, grow_tree
from .reading import Reading

# A node of more than twice as many rows ranks its candidates on a sample of this size. Fewer rows
# choose a worse column, more cost time: `urerf bench shortcuts` compares with all rows.
SCREENING_ROWS = 512
# Values that a tree may look at for splits that peel off a few extreme rows, and how many such
# splits may follow each other (see `urerf.kernels.tree`, also for what happens then). Both bound
# the time that is spent in nodes without structure: without them, trees of large clusters take 77
# times as long. The price, for `URerF.paper` only, is .01 to .12 of precision among noise columns
# (`urerf bench shortcuts`).
PEEL_WORK = 1 << 22
PEEL_CHAIN = 64
# Rows that go down all trees as one task. The values of up to APPLY_VALUES stay in the processor's
# cache, and a tree is then read from memory once for all of them: of 10^6 rows x 50, blocks of
# 16,384 rows take 3/4 of the time of blocks of 4096. Fewer than 1024 cost more calls than they keep
# threads busy.
LEAST_APPLY_ROWS = 1024
APPLY_ROWS = 4096
MOST_APPLY_ROWS = 16_384
APPLY_VALUES = 1 << 20
# No tree is deeper: depths are 32-bit integers.
UNLIMITED_DEPTH = 2**31 - 1


class Growth(NamedTuple):
    """How trees grow: the paper's d, f_A, splitting criterion and Theta, resolved to numbers."""

    max_features: int
    density: float
    min_samples_split: int
    max_samples: int
    bootstrap: bool
    projection: str = "oblique"
    criterion: str = "fast_bic"
    split_score: str = "gain"
    min_samples_leaf: int = 1
    max_depth: int = UNLIMITED_DEPTH
    random_flat_nodes: bool = False
    screening_rows: int = SCREENING_ROWS
    peel_work: int = PEEL_WORK
    peel_chain: int = PEEL_CHAIN

    def settings(self) -> Settings:
        """Return the settings of a tree as kernels read them."""
        return Settings(
            projection=PROJECTIONS[self.projection],
            max_features=self.max_features,
            criterion=CRITERIA[self.criterion],
            split_score=SPLIT_SCORES[self.split_score],
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            density=float(self.density),
            random_flat_nodes=self.random_flat_nodes,
            floor=FLOORS[self.split_score],
            screening_rows=self.screening_rows,
            peel_work=self.peel_work,
            peel_chain=self.peel_chain,
        )


def stream(key: int | np.uint64, branch: int) -> np.uint64:
    """Return the key of branch number ``branch`` of the random stream ``key``."""
    return np.uint64(derive(np.uint64(key), branch))


def tree_keys(seed: int, trees: Sequence[int] | Array) -> Array:
    """Return the keys of the trees with the given numbers."""
    keys = [stream(seed, int(t)) for t in trees]
    return np.array(keys, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Forest:
    """The arrays of all trees, one tree after the other.

    Tree t has the nodes node_start[t]:node_start[t + 1], and likewise its directions
    (``direction_start``) and their non-zeros (``nonzero_start``). ``begin`` has one entry more per
    tree than there are directions: the runs of non-zeros, counted from the first of the tree.
    """

    tree_key: Array
    n_fitted: int
    max_samples: int
    bootstrap: bool
    node_start: Array
    direction_start: Array
    nonzero_start: Array
    child: Array
    cut: Array
    size: Array
    direction: Array
    begin: Array
    columns: Array
    coefficients: Array

    @classmethod
    def grow(
        cls,
        data: Reading | Array,
        growth: Growth,
        *,
        seed: int,
        trees: Sequence[int],
        feature_weights: Array | None = None,
        n_jobs: int | None = None,
        show_progress: bool = False,
    ) -> "Forest":
        """Grow the trees with the given numbers; the same bits for any ``n_jobs``.

        ``data`` is a matrix, or a `Reading` of one that has categories or missing values.
        ``feature_weights`` is the chance in (0, 1] that a column is kept when it is drawn; 1 for
        all columns by default.
        """
        reading = _reading(data)
        matrix = reading.matrix
        if growth.projection == "axis" and growth.max_features > len(matrix):
            raise ValueError(
                f"growth: max_features must be at most {len(matrix)}, the number of columns, "
                f"got {growth.max_features}"
            )
        if feature_weights is None:
            feature_weights = np.ones(len(matrix))
        keys = tree_keys(seed, trees)
        tasks = [partial(_grow_one, reading, growth, feature_weights, key) for key in keys]
        grown = _run_anywhere(tasks, n_jobs, show_progress)
        n_fitted = matrix.shape[1]
        forest = cls.join(keys, n_fitted, growth.max_samples, growth.bootstrap, grown)
        del tasks, grown
        release_memory()
        return forest

    @classmethod
    def merge(cls, forests: Sequence["Forest"]) -> "Forest":
        """Join forests that were fitted on the same rows, tree after tree."""
        samplings = {(f.n_fitted, f.max_samples, f.bootstrap) for f in forests}
        if len(samplings) > 1:
            raise ValueError(
                "forests: must be fitted on the same rows, with the same max_samples and bootstrap"
            )
        keys = np.concatenate([f.tree_key for f in forests])
        trees = [f.tree(t) for f in forests for t in range(f.n_trees)]
        return cls.join(keys, *samplings.pop(), trees)

    @classmethod
    def join(
        cls,
        keys: Array,
        n_fitted: int,
        max_samples: int,
        bootstrap: bool,
        trees: Sequence[Tree],
    ) -> "Forest":
        """Join trees, given their keys and how their rows were drawn."""
        parts = [Tree.empty(), *trees]  # the empty one gives the arrays of no trees their types
        arrays = {}
        for name in Tree._fields:
            of_trees = [getattr(tree, name) for tree in parts]
            arrays[name] = np.concatenate(of_trees)
        return cls(
            tree_key=keys,
            n_fitted=n_fitted,
            max_samples=max_samples,
            bootstrap=bootstrap,
            node_start=starts_of([t.child.size for t in trees]),
            direction_start=starts_of([t.begin.size - 1 for t in trees]),
            nonzero_start=starts_of([t.columns.size for t in trees]),
            **arrays,
        )

    @property
    def n_trees(self) -> int:
        """Return the number of trees."""
        return len(self.tree_key)

    def tree(self, t: int) -> Tree:
        """Return tree t as views of the forest's arrays."""
        nodes = slice(*self.node_start[t : t + 2])
        nonzeros = slice(*self.nonzero_start[t : t + 2])
        first, last = self.direction_start[t : t + 2] + t
        runs = slice(first, last + 1)
        return Tree(
            child=self.child[nodes],
            cut=self.cut[nodes],
            size=self.size[nodes],
            direction=self.direction[nodes],
            begin=self.begin[runs],
            columns=self.columns[nonzeros],
            coefficients=self.coefficients[nonzeros],
        )

    def rows(self, t: int) -> Array:
        """Return the rows that tree t was grown on, ascending, repeated if drawn repeatedly."""
        return drawn_rows(self.tree_key[t], self.n_fitted, self.max_samples, self.bootstrap)

    def in_bag(self) -> Array:
        """Return for each tree and each fitted row whether the tree was grown on the row."""
        bag = np.zeros((self.n_trees, self.n_fitted), dtype=bool)

        def mark(t: int) -> None:
            bag[t, self.rows(t)] = True

        run([partial(mark, t) for t in range(self.n_trees)])
        return bag

    def apply(
        self,
        data: Reading | Array,
        n_jobs: int | None = None,
        show_progress: bool = False,
    ) -> Array:
        """Return the leaf numbers of all rows, (trees, rows), int32; -1 for rows without any value.

        Rows go down all trees block by block, so that a matrix on disk is read once.
        """
        reading = _reading(data)
        p, n = reading.matrix.shape
        leaves = np.empty((self.n_trees, n), dtype=np.int32)
        per_thread = -(-n // (4 * n_threads(n_jobs)))  # small enough that all threads stay busy
        most = min(max(APPLY_VALUES // p, APPLY_ROWS), MOST_APPLY_ROWS)
        block_rows = min(max(per_thread, LEAST_APPLY_ROWS), most)
        blocks = row_blocks(n, block_rows)
        tasks = [partial(_apply_block, self, reading, block, leaves) for block in blocks]
        run(tasks, n_jobs, "sending rows down the trees", show_progress)
        leaves[:, reading.empty_rows] = -1
        return leaves


def drawn_rows(tree_key: np.uint64, n: int, max_samples: int, bootstrap: bool) -> Array:
    """Return which of n rows a tree is grown on, ascending, repeated if drawn repeatedly."""
    return sample_rows(stream(tree_key, 0), n, max_samples, bootstrap)


def grow_on_drawn(
    matrix: Array, growth: Growth, feature_weights: Array, tree_key: np.uint64
) -> Tree:
    """Grow a tree on a matrix that has only the rows drawn for it."""
    rows = np.arange(growth.max_samples, dtype=np.int32)
    return grow_tree(matrix, rows, stream(tree_key, 1), feature_weights, growth.settings())


def starts_of(sizes: Sequence[int] | Array) -> Array:
    """Return where each of several arrays starts when they are joined, and where the last ends.

    >>> starts_of([2, 3])
    array([0, 2, 5])
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def _reading(data: Reading | Array) -> Reading:
    return Reading.of_numbers(data) if isinstance(data, np.ndarray) else data


def _run_anywhere(tasks: list[partial], n_jobs: int | None, show_progress: bool) -> list[Tree]:
    """Run tasks in threads of our own, or on joblib's active backend if it is somewhere else."""
    what = "growing trees"
    backend, _ = get_active_backend(prefer="threads")
    if getattr(backend, "supports_sharedmem", False):
        return run(tasks, n_jobs, what, show_progress)
    return_as = "generator" if backend.supports_return_generator else "list"  # Ray has only lists
    parallel = Parallel(n_jobs=n_jobs, return_as=return_as)
    results = parallel(delayed(task.func)(*task.args) for task in tasks)
    return list(progress(results, len(tasks), what, show_progress))


def _grow_one(
    reading: Reading,
    growth: Growth,
    feature_weights: Array,
    key: np.uint64,
) -> Tree:
    matrix = reading.matrix
    n = matrix.shape[1]
    rows = drawn_rows(key, n, growth.max_samples, growth.bootstrap)
    if not reading.is_plain:
        return grow_on_drawn(reading.rows(rows, key), growth, feature_weights, key)
    return grow_tree(matrix, rows, stream(key, 1), feature_weights, growth.settings())


def _apply_block(
    forest: Forest,
    reading: Reading,
    block: slice,
    leaves: Array,
) -> None:
    codes = np.ascontiguousarray(reading.matrix[:, block])
    values = codes if reading.is_plain else codes.copy()
    rows = np.arange(block.start, block.stop)
    for t in range(forest.n_trees):
        if not reading.is_plain:
            reading.draw(codes, values, rows, forest.tree_key[t])
        apply_tree(values, forest.tree(t), leaves[t, block])
