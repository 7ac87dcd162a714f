"""DaskURerF: the face of `urerf.URerF` on a Dask cluster. The order of the work is here, the work is in `tasks`."""

from __future__ import annotations

import os
import warnings
from typing import Any, NoReturn

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.utils.validation import check_is_fitted

from urerf import parameters as check
from urerf.columns import Columns, available_memory, look_rows
from urerf.estimator import URerF
from urerf.forest import Forest, Growth, row_blocks
from urerf.kernels.table import row_fingerprints
from urerf.relevance import Relevance, examine_rows, rows_examined

from . import tasks
from .cluster import fetch, keep, the_client
from .partitions import Partitions, place

TASK_BYTES = 1 << 28  # what the inputs of one task may take, where the task can be made smaller
UNKNOWN_MEMORY = 1 << 32  # what a worker is taken to have when none has a limit
INDEX_SHARE = 0.25  # of a worker's memory that the whole leaf index may take


class DaskURerF(URerF):
    """`urerf.URerF` on a Dask cluster: the same forest, bit for bit, for any number of workers and partitions.

    Parameters are those of `URerF` (``n_jobs`` has no effect: the cluster's threads work), and

    client : distributed.Client or None, default=None
        The cluster; None for the current client. It is no setting: `sklearn.base.clone` does not
        copy it.

    With ``warm_start`` trees are added on the cluster of the first fit. Missing values are filled
    partition by partition, from the donors that `URerF` has; with ``missing="error"`` the error
    names the partition.

    Methods take a Dask array, a Dask DataFrame, or an ndarray; rows are numbered through all
    partitions. `fit` reads the data three times and keeps, spread over the workers, the chosen
    columns as float32 and every row's leaves as int32. `apply`, `kneighbors`, `kneighbors_graph`
    and `transform` work when they are called, leave the result on the workers and return it as Dask
    collections with the partitions of the data. `proximity`, `geodesic_distances` and `save` go
    through `to_local`.

    Notes
    -----
    No worker holds the whole table or the leaves of all rows in all trees, unless that takes no
    more than a quarter of the memory of the smallest worker: then the leaf index is sent to every
    worker. Otherwise it is sharded by tree, and every block of rows gets the part of each shard
    that it touches. Both give the same bits.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> import dask.array as da
    >>> from urerf.dask import DaskURerF
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as
    client:
    ...     X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
    ...     model = DaskURerF(n_estimators=10, random_state=0, client=client).fit(X)
    ...     distances, indices = model.kneighbors(n_neighbors=5)
    ...     indices.chunks, indices.compute().shape
    (((100, 100, 100), (5,)), (300, 5))
    """

    def __init__(
        self, n_estimators: int = 300, *, client: Client | None = None, **settings: Any
    ) -> None:
        super().__init__(n_estimators, **settings)
        self.client = client

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return URerF._get_param_names()

    def fit(self, X: Any, y: Any = None) -> DaskURerF:
        """Grow the forest on the rows of X; y is ignored."""
        self._check_parameters()
        if self.warm_start and hasattr(self, "_forests"):
            return self._add_trees(X)
        client = the_client(self.client)
        data = Partitions.of(X, client, self.missing)
        if data.n_rows < 2:
            raise ValueError(f"X: has {data.n_rows} rows; at least 2 are needed")
        seed = check.draw_seed(self.random_state)
        found, columns = self._learn_columns(client, data, seed)
        tables = keep(client, _tables(columns, data))
        self._warn_if_constant(client, tables, data)
        growth = self._growth(data.n_rows, len(columns.chosen))
        trees = np.arange(self.n_estimators)
        forests, leaves = self._grow(
            client, tables, data.first, growth, columns.chance, seed, trees
        )
        # All or nothing, as in URerF.fit.
        self._forests = forests
        self._leaf_parts = leaves
        self._n_trees = len(trees)
        self._drawn = growth.n_drawn, growth.replace
        self._columns = columns
        self._table_parts = tables
        self._seed = seed
        self._first = data.first
        self._fitted_with = client
        self.n_features_in_ = data.n_columns
        self.n_samples_fit_ = data.n_rows
        self._n_features_out = data.n_rows
        _set_or_delete(self, "feature_names_in_", data.names)
        _set_or_delete(self, "relevance_", found)
        self.feature_relevance_ = np.ones(data.n_columns) if found is None else found.relevance
        self._kept: dict[Any, list[Any]] = {}  # what `_once` has kept
        return self

    def apply(self, X: Any) -> da.Array:  # type: ignore[override]
        """Return the leaf number of every row in every tree, (rows, n_estimators)."""
        data, tables = self._query(X)
        parts = [delayed(np.concatenate)(part).T for part in _apply(self._forests, tables)]
        return _stack(keep(self._fitted_with, parts), np.diff(data.first), self._n_trees, np.int32)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return (distances, indices) of the nearest fitted rows, nearest first, as Dask arrays; see `URerF`."""
        check_is_fitted(self)
        k = self._check_n_neighbors(n_neighbors, spare=1 if X is None else 0)
        pairs, first = self._pairs(X, k)
        pairs = keep(self._fitted_with, pairs)
        lengths = np.diff(first)
        ids = _stack([pair[1] for pair in pairs], lengths, k, np.int32)
        return (
            (_stack([pair[0] for pair in pairs], lengths, k, np.float64), ids)
            if return_distance
            else ids
        )

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "distance"
    ) -> dd.DataFrame:
        """Return the entries of the neighbour graph as a Dask DataFrame with the columns row, neighbor, distance.

        They are those of `URerF.kneighbors_graph`, in its order: without X every row comes first
        among its neighbours, at distance 0. With ``mode="connectivity"`` distances are 1.
        """
        check_is_fitted(self)
        check.check_choice("mode", mode, ("distance", "connectivity"))
        k = self._check_n_neighbors(n_neighbors, spare=1 if X is None else 0)
        return self._edges(X, k, with_self=X is None, ones=mode == "connectivity")

    def transform(self, X: Any) -> dd.DataFrame:
        """Return the edges to the ``n_neighbors + 1`` nearest fitted rows, in the format of `kneighbors_graph`."""
        check_is_fitted(self)
        return self._edges(
            X, self._check_n_neighbors(None, spare=1) + 1, with_self=False, ones=False
        )

    def proximity(self, X: Any = None, samples: str = "all") -> np.ndarray:
        """Return the dense similarity with the fitted rows, by `to_local`."""
        return self.to_local().proximity(_here(X), samples)

    def geodesic_distances(self, rows: Any = None, *, X: Any = None, **options: Any) -> np.ndarray:
        """Return distances along the manifold, by `to_local`."""
        return self.to_local().geodesic_distances(rows, X=_here(X), **options)

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to one file that `URerF.load` reads, by `to_local`."""
        self.to_local().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> NoReturn:
        """Refuse: a model from a file is a local one."""
        raise TypeError("load: a saved model is a local one; read it by URerF.load")

    def to_local(self) -> URerF:
        """Return the fitted model as a plain `URerF`, its table and leaves in the memory of this process."""
        check_is_fitted(self)
        need = 4 * self.n_samples_fit_ * (2 * self._n_trees + 2 * len(self._columns.chosen) + 2)
        if need > (have := available_memory()):
            raise ValueError(
                f"to_local: the model needs about {need / 2**30:.1f} GiB here and {have / 2**30:.1f} GiB are free"
            )
        local = URerF(**self.get_params())
        client = self._fitted_with
        local.forest_ = self.forest_
        local._table = np.concatenate(fetch(client, self._table_parts), axis=1)
        leaves = [delayed(np.concatenate)(part) for part in self._leaf_parts]
        local._leaves = np.concatenate(fetch(client, leaves), axis=1)
        local._columns = self._columns
        local._seed = self._seed
        local._cache = {}
        local._fingerprints = row_fingerprints(local._table)
        for name in (
            "feature_relevance_",
            "relevance_",
            "feature_names_in_",
            "n_features_in_",
            "n_samples_fit_",
        ):
            _set_or_delete(local, name, getattr(self, name, None))
        local._n_features_out = self._n_features_out
        return local

    @property
    def forest_(self) -> Forest:
        """All trees, brought here from the cluster."""
        check_is_fitted(self)
        return Forest.merge(fetch(self._fitted_with, self._forests))

    # -- growing
    # -----------------------------------------------------------------------------------------------------

    def _learn_columns(
        self, client: Client, data: Partitions, seed: int
    ) -> tuple[Relevance | None, Columns]:
        """Find relevant columns and measure them, on the rows on which `URerF` does; one pass over the data."""
        some = [data.take(look_rows(data.n_rows))]
        if self.feature_weighting == "relevance":
            some.append(delayed(examine_rows)(data.take(rows_examined(data.n_rows, seed))))
        look, *found = fetch(client, some)
        relevance = found[0].relevance if found else np.ones(data.n_columns)
        scaled = self._draws_directions()
        missing = self.missing == "handle"
        try:
            columns = Columns.learn(look, relevance, scaled=scaled, missing=missing)
        except (
            ValueError
        ):  # if a donor is too large, the table of its partition will be refused by name
            columns = Columns.learn(look, relevance, scaled=scaled)
        return (found[0] if found else None), columns

    def _warn_if_constant(self, client: Client, tables: list[Any], data: Partitions) -> None:
        some = int(np.argmax(np.diff(data.first) > 0))
        (first,) = fetch(client, [tables[some][:, 0]])
        if not any(fetch(client, [delayed(tasks.is_varied)(table, first) for table in tables])):
            warnings.warn(
                "X: all columns are constant, so every row is equally near to every other",
                stacklevel=3,
            )

    def _grow(
        self,
        client: Client,
        tables: list[Any],
        first: np.ndarray,
        growth: Growth,
        chance: np.ndarray,
        seed: int,
        trees: np.ndarray,
    ) -> tuple[list[Any], list[list[Any]]]:
        """Grow trees in batches, each where its rows are gathered; return them, and their leaves by partition."""
        forests = []
        n = int(first[-1])
        for batch in _batches(client, trees, n, len(chance), growth.n_drawn):
            keys = tasks.tree_keys(seed, batch)
            drawn = delayed(tasks.draw_rows)(keys, n, growth)
            pieces = [
                delayed(tasks.take_drawn)(t, int(start), drawn) for t, start in zip(tables, first)
            ]
            forests.append(delayed(tasks.grow_trees)(pieces, keys, n, growth, chance))
        forests = keep(client, forests)
        leaves = _apply(forests, tables)
        kept = iter(keep(client, [leaf for part in leaves for leaf in part]))
        return forests, [[next(kept) for _ in part] for part in leaves]

    def _add_trees(self, X: Any) -> DaskURerF:
        """Grow the trees that ``n_estimators`` has more than there are, on the fitted rows; X must be these."""
        client = self._fitted_with
        growth = self._growth(self.n_samples_fit_, len(self._columns.chosen))
        _, tables = self._query(X)
        prints = [delayed(tasks.fingerprints)(table) for table in tables]
        if not fetch(client, [delayed(tasks.same_rows)(prints, self._known_prints())])[0]:
            raise ValueError(
                "X: with warm_start=True trees are added to the fitted rows; pass the same X, or a new model"
            )
        if (growth.n_drawn, growth.replace) != self._drawn:
            raise ValueError(
                "max_samples, bootstrap: with warm_start=True they must stay as they were"
            )
        if self.n_estimators < self._n_trees:
            raise ValueError(
                f"n_estimators: with warm_start=True it cannot be less than the {self._n_trees} trees there are, "
                f"got {self.n_estimators}"
            )
        trees = np.arange(self._n_trees, self.n_estimators)
        if len(trees) == 0:
            return self
        rows = self._table_parts, self._first
        forests, leaves = self._grow(client, *rows, growth, self._columns.chance, self._seed, trees)
        self._leaf_parts = [old + new for old, new in zip(self._leaf_parts, leaves)]
        self._forests, self._n_trees = self._forests + forests, self.n_estimators
        self._kept = {name: kept for name, kept in self._kept.items() if name == "prints"}
        return self

    # -- neighbours
    # --------------------------------------------------------------------------------------------------

    def _query(self, X: Any) -> tuple[Partitions, list[Any]]:
        """Return the partitions of X and their delayed tables."""
        check_is_fitted(self)
        data = Partitions.of(X, self._fitted_with, self.missing)
        if data.n_columns != self.n_features_in_:
            raise ValueError(
                f"X: has {data.n_columns} columns, but the model was fitted on {self.n_features_in_}; pass the same"
            )
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is not None and data.names is not None and list(fitted) != list(data.names):
            raise ValueError(
                f"X: its columns are {list(data.names)}, the model was fitted on {list(fitted)}"
            )
        return data, _tables(self._columns, data)

    def _pairs(self, X: Any, k: int) -> tuple[list[Any], np.ndarray]:
        """Return a delayed (distances, ids) for every partition, and the numbers of their first rows.

        Without X, of the fitted rows, themselves left out; with X, a row that was fitted finds
        itself first.
        """
        if X is None:
            return self._nearest_pairs(self._leaf_parts, self._first, k, fitted=True), self._first
        data, tables = self._query(X)
        pairs = self._nearest_pairs(_apply(self._forests, tables), data.first, k, fitted=False)
        known = self._known_prints()
        return [
            delayed(tasks.itself_first)(pair, delayed(tasks.fingerprints)(table), known, int(first))
            for pair, table, first in zip(pairs, tables, data.first)
        ], data.first

    def _known_prints(self) -> Any:
        prints = [delayed(tasks.fingerprints)(table) for table in self._table_parts]
        (known,) = self._once("prints", [delayed(tasks.sort_prints)(prints)])
        return known

    def _edges(self, X: Any, k: int, *, with_self: bool, ones: bool) -> dd.DataFrame:
        pairs, first = self._pairs(X, k)
        parts = [
            delayed(tasks.edges)(pair, int(start), with_self, ones)
            for pair, start in zip(pairs, first)
        ]
        none = np.empty((0, 1)), np.empty((0, 1), np.int32)
        return dd.from_delayed(
            keep(self._fitted_with, parts), meta=tasks.edges(none, 0), verify_meta=False
        )

    def _nearest_pairs(
        self, leaves: list[list[Any]], first: np.ndarray, k: int, fitted: bool
    ) -> list[Any]:
        similarity = check.check_choice("similarity", self.similarity, check.CHOICES["similarity"])
        selves = [int(x) if fitted else None for x in first]
        if fits_a_worker(self._fitted_with, 8 * self.n_samples_fit_ * self._n_trees):
            built = delayed(tasks.build_whole)(self._forests, self._leaf_parts, similarity)
            (whole,) = self._once(("whole", similarity), [built])
            return [
                delayed(tasks.nearest_of_whole)(whole, part, k, own, self._seed)
                for part, own in zip(leaves, selves)
            ]
        built = [
            delayed(tasks.build_shard)(forest, list(batch), self._n_trees, similarity)
            for forest, batch in zip(self._forests, zip(*self._leaf_parts))
        ]
        shards = self._once(("shards", similarity), built)
        return self._pairs_of_shards(shards, leaves, np.diff(first), selves, k)

    def _pairs_of_shards(
        self,
        shards: list[Any],
        leaves: list[list[Any]],
        lengths: np.ndarray,
        selves: list[int | None],
        k: int,
    ) -> list[Any]:
        client = self._fitted_with
        n = self.n_samples_fit_
        orders = [delayed(tasks.coherent_order)(part[0]) for part in leaves]
        probes = [
            delayed(tasks.rows_a_block)(shards[0], part[0], order, self._n_trees, TASK_BYTES)
            for part, order in zip(leaves, orders)
        ]
        perfect, *sizes = fetch(client, [shards[0].perfect, *probes])
        pairs = []
        for part, order, length, own, size in zip(leaves, orders, lengths, selves, sizes):
            blocks = []
            for block in row_blocks(int(length), size):
                cuts = [
                    delayed(tasks.cut_shard)(shard, leaf, order, block)
                    for shard, leaf in zip(shards, part)
                ]
                blocks.append(
                    delayed(tasks.nearest_of_cuts)(
                        cuts, order, block, k, n, own, self._seed, perfect
                    )
                )
            pairs.append(delayed(tasks.restore_order)(blocks, order, k))
        return pairs

    def _once(self, name: Any, built: list[Any]) -> list[Any]:
        """Compute tasks on the cluster when they are first asked for, and keep the results there."""
        if name not in self._kept:
            self._kept[name] = keep(self._fitted_with, built)
        return self._kept[name]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_forests")

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "_forests"):
            raise TypeError(
                "DaskURerF: a model on a cluster cannot be pickled or copied; to_local() can"
            )
        return {**super().__getstate__(), "client": None}


def fits_a_worker(client: Client, size: int) -> bool:
    """Whether so many bytes are a small part of every worker's memory."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [
        worker["memory_limit"] for worker in workers if worker["memory_limit"]
    ]  # 0: no limit is known
    return size <= INDEX_SHARE * min(limits, default=UNKNOWN_MEMORY)


def _batches(client: Client, trees: np.ndarray, n: int, p: int, m: int) -> list[np.ndarray]:
    """Cut the trees into batches: work for every thread, and no more than `TASK_BYTES` where a tree needs less."""
    a_tree = max(4 * p * m, 8 * n)  # its rows when it grows, its leaves and members in the index
    size = min(TASK_BYTES // a_tree, -(-len(trees) // max(1, sum(client.nthreads().values()))))
    return np.array_split(trees, -(-len(trees) // max(1, size)))


def _tables(columns: Columns, data: Partitions) -> list[Any]:
    """Return the delayed table of every partition."""
    return [
        delayed(tasks.make_table)(columns, block, place(i)) for i, block in enumerate(data.blocks)
    ]


def _apply(forests: list[Any], tables: list[Any]) -> list[list[Any]]:
    """Return the delayed leaf numbers of every partition, a batch of trees each."""
    return [[delayed(tasks.apply_trees)(forest, table) for forest in forests] for table in tables]


def _set_or_delete(model: URerF, name: str, value: Any) -> None:
    """Set an attribute, or see to it that there is none."""
    if value is not None:
        setattr(model, name, value)
    elif hasattr(model, name):
        delattr(model, name)


def _stack(parts: list[Any], lengths: np.ndarray, width: int, dtype: type) -> da.Array:
    """Put delayed arrays of (length, width) under each other."""
    return da.concatenate(
        [da.from_delayed(part, (int(n), width), dtype=dtype) for part, n in zip(parts, lengths)]
    )


def _here(X: Any) -> Any:
    """Return a Dask collection's values."""
    return X.compute() if hasattr(X, "compute") else X
