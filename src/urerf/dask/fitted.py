"""What was fitted on a cluster: a frozen record of what its workers hold, and the work on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from dask import delayed
from distributed import Client

from urerf._memory import check_memory
from urerf._threads import row_blocks
from urerf.columns import Columns
from urerf.fitted import Fitted
from urerf.forest import Forest, Growth, tree_keys
from urerf.gaps import fingerprints_of
from urerf.ranking.blend import Blend, n_candidates
from urerf.ranking.dimension import MOST_ROWS
from urerf.ranking.index import leaf_order
from urerf.ranking.known_rows import KnownRows
from urerf.ranking.similarity import get_similarity
from urerf.relevance import Relevance
from urerf.schema import Schema

from .._typing import Array
from . import tasks
from .cluster import count_threads, fetch, keep, memory_limits
from .kinds import in_each
from .partitions import Partitions

TASK_BYTES = 1 << 28  # inputs of one task: a worker of 4 GiB can hold those of all its threads
UNKNOWN_MEMORY = 1 << 32  # assumed memory of a worker that reports no limit
INDEX_SHARE = 0.25  # share of a worker's memory that the whole neighbor index may take


@dataclass(frozen=True, eq=False)
class ClusterFitted:
    """A fitted forest, spread over the workers of a cluster.

    Attributes
    ----------
    client : distributed.Client
        The cluster.
    columns : Columns
        Which columns trees read, and how these are measured.
    growth : Growth
        How the trees were grown.
    forests : list of delayed Forest
        Batches of trees.
    n_trees : int
        Number of trees in all batches.
    readings : list of delayed Reading
        The fitted rows of every partition as trees read them.
    leaves : list of list of delayed ndarray
        For every partition and batch of trees, the leaves of the rows, (trees, rows).
    first : ndarray of int64
        Position of the first row of every partition, and the number of rows.
    seed : int
        Seed of the trees and of the tie-breaks.
    relevance : Relevance or None
        The evidence for the columns chosen.
    n_features_in : int
        Number of columns of the user's table.
    schema : Schema or None
        Names and kinds of the user's columns; None for arrays.
    """

    client: Client
    columns: Columns
    growth: Growth
    forests: list[Any]
    n_trees: int
    readings: list[Any]
    leaves: list[list[Any]]
    first: Array
    seed: int
    relevance: Relevance | None
    n_features_in: int
    schema: Schema | None

    @property
    def n_samples(self) -> int:
        """Number of fitted rows."""
        return int(self.first[-1])

    @cached_property
    def auto_similarity(self) -> str:
        """What ranks neighbors best here, as `Fitted.auto_similarity` has it."""
        return "blend" if self.n_samples > MOST_ROWS else self.to_local().auto_similarity

    @property
    def forest(self) -> Forest:
        """All trees, brought here from the cluster."""
        return Forest.merge(fetch(self.client, self.forests))

    def with_more_trees(self, n_trees: int, growth: Growth) -> ClusterFitted:
        """Return the same model with ``n_trees`` trees in all.

        Trees are grown in batches, each where its rows are gathered, and stay on the cluster.
        """
        trees = range(self.n_trees, n_trees)
        if not trees:
            return self
        n = self.n_samples
        weights = self.columns.feature_weights
        forests = []
        for batch in batches(self.client, trees, n, len(weights), growth.max_samples):
            keys = tree_keys(self.seed, batch)
            drawn = delayed(tasks.draw_rows)(keys, n, growth)
            pieces = [
                delayed(tasks.take_drawn)(reading, int(start), drawn, keys)
                for reading, start in zip(self.readings, self.first)
            ]
            forest = delayed(tasks.grow_trees)(pieces, keys, n, growth, weights)
            forests.append(forest)
        forests = keep(self.client, forests)
        new_leaves = leaves_of(forests, self.readings)
        every_block = [block for blocks in new_leaves for block in blocks]
        kept = iter(keep(self.client, every_block))
        all_leaves = []
        for blocks in self.leaves:
            new_blocks = islice(kept, len(forests))
            all_leaves.append([*blocks, *new_blocks])
        return replace(
            self,
            forests=self.forests + forests,
            n_trees=n_trees,
            leaves=all_leaves,
        )

    def to_local(self) -> Fitted:
        """Bring everything into the memory of this process."""
        n_columns = len(self.columns.chosen)
        values_per_row = 2 * self.n_trees + 2 * n_columns + 2
        n_bytes = 4 * self.n_samples * values_per_row
        check_memory(n_bytes, "to_local: the model", "use a machine with more memory")
        readings = fetch(self.client, self.readings)
        matrix = np.concatenate([reading.matrix for reading in readings], axis=1)
        joined = [delayed(np.concatenate)(batches) for batches in self.leaves]
        by_partition = fetch(self.client, joined)
        leaves = np.concatenate(by_partition, axis=1)
        return Fitted.of(
            self.columns,
            self.forest,
            matrix,
            leaves,
            seed=self.seed,
            n_features_in=self.n_features_in,
            relevance=self.relevance,
            schema=self.schema,
        )

    def neighbors(self, data: Partitions | None, k: int, similarity: str) -> list[Any]:
        """Return a delayed (distances, ids) for every partition of a table.

        None asks about the fitted rows, each row itself left out. With a table, a row that was
        fitted finds itself first.
        """
        if data is None:
            readings = self.readings
            leaves = self.leaves
            first = self.first
            starts = self.first[:-1].tolist()
        else:
            readings = readings_of(self.columns, data)
            leaves = leaves_of(self.forests, readings)
            first = data.first
            starts = [None] * len(readings)
        nodes, ranking = get_similarity(similarity)
        is_blended = ranking == "blend"
        count = k
        if is_blended:
            count = n_candidates(k, self.n_samples, new_rows=data is not None)
        lengths = np.diff(first)
        pairs = self._nearest(leaves, lengths, starts, count, nodes)
        if is_blended:
            if data is not None:
                pairs = self._fitted_rows_first(pairs, readings, first)  # none is crowded out
            pairs = [self._rank(pair, reading, k) for pair, reading in zip(pairs, readings)]
        if data is None:
            return pairs
        return self._fitted_rows_first(pairs, readings, first)

    def _fitted_rows_first(self, pairs: list[Any], readings: list[Any], first: Array) -> list[Any]:
        """Return the delayed neighbors of a table, rows that were fitted in front of their own."""
        return [
            delayed(tasks.fitted_row_first)(pair, reading, self.known_rows, int(start))
            for pair, reading, start in zip(pairs, readings, first)
        ]

    def _rank(self, pair: Any, reading: Any, k: int) -> Any:
        """Return the delayed k nearest candidates of a partition by the blended distance."""
        no_points = np.empty((0, len(self.columns.chosen)), dtype=np.float32)
        blend = Blend.of(self.columns, no_points, self.n_trees)
        queries = delayed(tasks.points_of)(self.columns, [reading])
        lengths = [
            delayed(tasks.measure_candidates)(pair, queries, points, start, blend.step)
            for start, points in self._points
        ]
        return delayed(tasks.rank_candidates)(pair, lengths, blend, k)

    @cached_property
    def _points(self) -> list[tuple[int, Any]]:
        """The fitted rows as points, kept on the cluster, and the position of the first of them.

        They are in one piece if workers can hold it, else in partitions.
        """
        starts = self.first[:-1].tolist()
        groups = [[reading] for reading in self.readings]
        n_bytes = 4 * self.n_samples * len(self.columns.chosen)
        if fits_every_worker(self.client, n_bytes):
            starts = [0]
            groups = [self.readings]
        points = [delayed(tasks.points_of)(self.columns, group) for group in groups]
        return list(zip(starts, keep(self.client, points)))

    def holds_rows_of(self, data: Partitions) -> bool:
        """Return whether a table has the fitted rows, in their order."""
        prints = fingerprints(readings_of(self.columns, data))
        are_same = delayed(np.array_equal)(prints, self.known_rows.fingerprints)
        (answer,) = fetch(self.client, [are_same])
        return answer

    @cached_property
    def known_rows(self) -> Any:
        """The delayed `KnownRows`, kept on the cluster."""
        known_rows = delayed(KnownRows.of)(fingerprints(self.readings))
        (kept,) = keep(self.client, [known_rows])
        return kept

    @cached_property
    def _indexes(self) -> dict[tuple[str, bool], list[Any]]:
        """Neighbor indexes asked for so far, kept on the cluster: by similarity, whole or not."""
        return {}

    def _nearest(
        self,
        leaves: list[list[Any]],
        lengths: Array,
        starts: Sequence[int | None],
        k: int,
        similarity: str,
    ) -> list[Any]:
        """Return the delayed neighbors of rows, given their leaves.

        ``lengths`` are the numbers of rows of the partitions; ``starts`` the positions of their
        first rows among the fitted rows, None for new rows.
        """
        n_bytes = 8 * self.n_samples * self.n_trees
        if fits_every_worker(self.client, n_bytes):
            (index,) = self._index(similarity, whole=True)
            return [
                delayed(tasks.nearest_in_index)(index, blocks, k, start, self.seed)
                for blocks, start in zip(leaves, starts)
            ]
        shards = self._index(similarity, whole=False)
        orders = [delayed(leaf_order)(blocks[0]) for blocks in leaves]
        probes = [
            delayed(tasks.rows_per_block)(shards[0], blocks[0], order, self.n_trees, TASK_BYTES)
            for blocks, order in zip(leaves, orders)
        ]
        sizes = fetch(self.client, probes)
        return [
            self._nearest_in_shards(shards, *partition, k)
            for partition in zip(leaves, orders, lengths, starts, sizes)
        ]

    def _nearest_in_shards(
        self,
        shards: list[Any],
        leaves: list[Any],
        order: Any,
        length: int,
        start: int | None,
        block_size: int,
        k: int,
    ) -> Any:
        """Return the delayed neighbors of one partition, block by block."""
        pairs = []
        for block in row_blocks(int(length), block_size):
            rows = order[block]
            cuts = [
                delayed(tasks.cut_shard)(shard, own_leaves, rows)
                for shard, own_leaves in zip(shards, leaves)
            ]
            n = self.n_samples
            pair = delayed(tasks.nearest_in_cuts)(cuts, rows, k, start, n, self.seed)
            pairs.append(pair)
        return delayed(tasks.restore_order)(pairs, order, k)

    def _index(self, similarity: str, whole: bool) -> list[Any]:
        """Return the whole index or one shard per batch of trees, built when first needed."""
        key = (similarity, whole)
        if key in self._indexes:
            return self._indexes[key]
        if whole:
            built = [delayed(tasks.build_whole)(self.forests, self.leaves, similarity)]
        else:
            built = [
                delayed(tasks.build_shard)(forest, leaves, self.n_trees, similarity)
                for forest, *leaves in zip(self.forests, *self.leaves)  # of one batch of trees
            ]
        self._indexes[key] = keep(self.client, built)
        return self._indexes[key]


def readings_of(columns: Columns, data: Partitions) -> list[Any]:
    """Return every partition of a table as trees read it, delayed."""
    return in_each(data.blocks, tasks.make_reading, columns)


def leaves_of(forests: list[Any], readings: list[Any]) -> list[list[Any]]:
    """Return the delayed leaves of every partition, one array per batch of trees."""
    leaves = []
    for reading in readings:
        of_partition = [forest.apply(reading, n_jobs=1) for forest in forests]
        leaves.append(of_partition)
    return leaves


def fingerprints(readings: list[Any]) -> Any:
    """Return the delayed fingerprints of all rows."""
    prints = [delayed(fingerprints_of)(reading.matrix) for reading in readings]
    return delayed(np.concatenate)(prints)


def fits_every_worker(client: Client, size: int) -> bool:
    """Return whether so many bytes are a small share of every worker's memory."""
    return size <= INDEX_SHARE * min(memory_limits(client), default=UNKNOWN_MEMORY)


def batches(
    client: Client,
    trees: range,
    n: int,
    n_columns: int,
    max_samples: int,
) -> list[Array]:
    """Split the trees into batches: work for every thread, and at most `TASK_BYTES` each."""
    bytes_to_grow = 4 * n_columns * max_samples  # the rows of a tree
    bytes_in_index = 8 * n  # its leaves and members
    bytes_per_tree = max(bytes_to_grow, bytes_in_index)
    n_threads = max(1, count_threads(client))
    trees_per_thread = math.ceil(len(trees) / n_threads)
    trees_per_batch = max(1, min(TASK_BYTES // bytes_per_tree, trees_per_thread))
    n_batches = math.ceil(len(trees) / trees_per_batch)
    return np.array_split(trees, n_batches)
