"""DaskURerF: `urerf.URerF` on a Dask cluster."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import partial, wraps
from itertools import pairwise
from typing import Any, NoReturn

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from urerf import fitting
from urerf import parameters as check
from urerf._checks import check_choice
from urerf._random import draw_seed
from urerf.columns import Columns, measured_rows
from urerf.estimator import URerF
from urerf.frames.tables import copy_seen
from urerf.ranking.similarity import get_similarity
from urerf.relevance import (
    Relevance,
    check_order,
    examine_rows,
    group_numbers,
    rows_examined,
)
from urerf.tree_settings import check_tested

from .._typing import Array
from . import tasks
from .cluster import current_client, fetch, keep
from .fitted import ClusterFitted, leaves_of, readings_of
from .partitions import Partitions

# Settings of trees that must stay when trees are added: otherwise no parameters would describe all
# trees of the model, and it could not be saved (`urerf.tree_settings`).
UNCHANGED = (
    "max_samples",
    "bootstrap",
    "projection",
    "min_samples_split",
    "min_samples_leaf",
    "max_depth",
)


def _by_local_model(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `URerF` that asks the model of `DaskURerF.to_local`."""

    @wraps(method)
    def ask(self: DaskURerF, *values: Any, **options: Any) -> Any:
        computed = {name: _compute(value) for name, value in options.items()}
        return method(self.to_local(), *map(_compute, values), **computed)

    return ask


class DaskURerF(URerF):
    """`urerf.URerF` on a Dask cluster: bit for bit the same forest on any number of workers.

    Parameters are those of `URerF` (``n_jobs`` has no effect: the cluster's threads do the work),
    and

    client : distributed.Client or None, default=None
        The cluster; None for the current client. It is not a setting: `sklearn.base.clone` does not
        copy it.

    With ``warm_start``, trees are added on the cluster of the first fit. Missing values are filled
    partition by partition, from the same donors as in `URerF`; with ``missing="error"`` the error
    names the partition.

    Methods take a Dask array, a Dask DataFrame or an ndarray; rows are numbered across all
    partitions. The kinds of columns are recognized across all partitions, as in `URerF`. `fit`
    reads the data three times, four times if it has columns of whole numbers, text, categories or
    dates, and keeps, spread over the workers, the chosen
    columns as float32 and every row's leaves as int32. `apply`, `kneighbors`, `kneighbors_graph`
    and `transform` compute when they are called, leave the result on the workers and return it as
    Dask collections with the partitions of the data. `proximity`, `geodesic_distances`,
    `neighbors_frame`, `neighbor_stability` and `save`, and neighbors with
    ``similarity="geodesic"``, go through `to_local`.

    Notes
    -----
    No worker holds the whole table or the leaves of all rows in all trees, unless that takes at
    most a quarter of the memory of the smallest worker: then the neighbor index is sent to every
    worker. Otherwise it is sharded by tree, and every block of rows gets only what it needs of each
    shard. The results are bit for bit the same.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> import dask.array as da
    >>> from urerf.dask import DaskURerF
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
    ...     model = DaskURerF(n_estimators=10, random_state=0, client=client).fit(X)
    ...     distances, indices = model.kneighbors(n_neighbors=5)
    ...     indices.chunks, indices.compute().shape
    (((100, 100, 100), (5,)), (300, 5))
    """

    _fitted: ClusterFitted  # type: ignore[assignment]

    def __init__(
        self, n_estimators: int | str = "auto", *, client: Client | None = None, **settings: Any
    ) -> None:
        super().__init__(n_estimators, **settings)
        self.client = client

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return URerF._get_param_names()

    def apply(self, X: Any) -> da.Array:  # type: ignore[override]
        """Return the leaf number of every row in every tree, (rows, n_estimators)."""
        data = self._partitions(X)
        fitted = self._fitted
        leaves = leaves_of(fitted.forests, readings_of(fitted.columns, data))
        blocks = [delayed(np.concatenate)(batches).T for batches in leaves]
        kept = keep(fitted.client, blocks)
        lengths = np.diff(data.first)
        return _stack(kept, lengths, fitted.n_trees, np.int32)

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return (distances, indices) of the nearest fitted rows as Dask arrays; see `URerF`."""
        pairs, first = self._delayed_neighbors(X, n_neighbors)
        pairs = keep(self._fitted.client, pairs)
        lengths = np.diff(first)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        id_blocks = [pair[1] for pair in pairs]
        ids = _stack(id_blocks, lengths, k, np.int32)
        if not return_distance:
            return ids
        distance_blocks = [pair[0] for pair in pairs]
        distances = _stack(distance_blocks, lengths, k, np.float64)
        return distances, ids

    def kneighbors_graph(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        mode: str = "distance",
    ) -> dd.DataFrame:
        """Return the neighbor graph as a Dask DataFrame with columns row, neighbor and distance.

        The entries are those of `URerF.kneighbors_graph`, in the same order: without X every row
        comes first among its neighbors, at distance 0. With ``mode="connectivity"`` all distances
        are 1.
        """
        check_choice("mode", mode, ("distance", "connectivity"))
        return self._edges(X, n_neighbors, ones=mode == "connectivity")

    def transform(self, X: Any) -> dd.DataFrame:
        """Return the ``n_neighbors + 1`` nearest fitted rows as `kneighbors_graph` does."""
        self._refuse_frames()
        k = self._check_n_neighbors(None, spare=1) + 1
        return self._edges(X, k)

    def _delayed_neighbors(
        self,
        X: Any,
        n_neighbors: int | None,
    ) -> tuple[list[Any], Array]:
        """Return a delayed (distances, ids) per partition, and the first row of each."""
        k = self._check_n_neighbors(n_neighbors, spare=1 if X is None else 0)
        data = None if X is None else self._partitions(X)
        first = self._fitted.first if data is None else data.first
        similarity = self.similarity_
        if get_similarity(similarity).ranking != "path":
            return self._fitted.neighbors(data, k, similarity), first
        # Paths may lead through every partition.
        distances, ids = self.to_local().kneighbors(_compute(X), k)
        blocks = [slice(start, stop) for start, stop in pairwise(first)]
        pairs = [delayed((distances[block], ids[block])) for block in blocks]
        return pairs, first

    proximity = _by_local_model(URerF.proximity)
    geodesic_distances = _by_local_model(URerF.geodesic_distances)
    neighbors_frame = _by_local_model(URerF.neighbors_frame)
    neighbor_stability = _by_local_model(URerF.neighbor_stability)
    save = _by_local_model(URerF.save)

    @classmethod
    def load(cls, path: str | os.PathLike) -> NoReturn:
        """Refuse: a saved model is a local one."""
        raise TypeError("load: a saved model is a local one; read it with URerF.load")

    def to_local(self) -> URerF:
        """Return the fitted model as a `URerF` in the memory of this process."""
        check_is_fitted(self)
        local = URerF(**self.get_params())
        local._fitted = self._fitted.to_local()
        copy_seen(self, local)
        return local

    # -- fitting ---------------------------------------------------------------------------------

    def _learn(  # type: ignore[override]
        self,
        X: Any,
        seen: BaseEstimator,
        groups: Any,
        ordered: bool,
    ) -> ClusterFitted:
        """Return what was learned; ``seen`` remembers the columns of X."""
        client = current_client(self.client)
        data = Partitions.to_fit(X, client, self.missing, self.column_kinds)
        if data.n_rows < 2:
            raise ValueError(f"X: must have at least 2 rows, got {data.n_rows}")
        fitting.tell(self, data.notices)
        numbers = group_numbers(_compute(groups), data.n_rows)
        check_order(ordered, numbers)
        seen.n_features_in_ = data.n_columns
        if data.names is not None:
            seen.feature_names_in_ = data.names
        seed = draw_seed(self.random_state)
        evidence, columns = self._learn_columns(client, data, seed, numbers, ordered)
        readings = keep(client, readings_of(columns, data))
        if _are_constant(client, readings):
            warnings.warn(fitting.ALL_CONSTANT, stacklevel=3)
        growth = check.growth_of(self, data.n_rows, len(columns.chosen))
        without_trees = ClusterFitted(
            client=client,
            columns=columns,
            growth=growth,
            forests=[],
            n_trees=0,
            readings=readings,
            leaves=[[] for _ in readings],
            first=data.first,
            seed=seed,
            relevance=evidence,
            n_features_in=data.n_columns,
            schema=data.schema,
        )
        n_trees = check.resolve_n_estimators(self, data.n_rows)
        return without_trees.with_more_trees(n_trees, growth)

    def _learn_columns(
        self,
        client: Client,
        data: Partitions,
        seed: int,
        groups: Array | None,
        ordered: bool,
    ) -> tuple[Relevance | None, Columns]:
        """Find and measure relevant columns on the same rows as `URerF`, in one pass."""
        samples = [data.take(measured_rows(data.n_rows))]
        if self.feature_weighting != "uniform":
            rows = rows_examined(data.n_rows, seed, groups, ordered)
            options = fitting.how_to_examine(self, rows, groups, ordered)
            table = data.take(rows)
            samples.append(delayed(examine_rows)(table, data.schema, **options))
        measured, *examined = fetch(client, samples)
        evidence = examined[0] if examined else None
        if evidence is not None:
            fitting.tell(self, evidence.notices)
        learn = partial(fitting.learn_columns, self, measured, data.schema, evidence)
        try:
            columns = learn(missing=self.missing)
        except ValueError:  # a donor is too large: the error should name its partition, later
            columns = learn(missing="error")
        return evidence, columns

    def _add_trees(self, X: Any) -> ClusterFitted:  # type: ignore[override]
        """Return the model with trees added up to ``n_estimators``."""
        fitted = self._fitted
        if not fitted.holds_rows_of(self._partitions(X)):
            raise ValueError(fitting.OTHER_ROWS)
        check_tested(self, fitted.relevance)
        growth = check.growth_of(self, fitted.n_samples, len(fitted.columns.chosen))
        for name in UNCHANGED:
            if getattr(growth, name) != getattr(fitted.growth, name):
                raise ValueError(
                    f"{name}: must not change with warm_start=True; set it back, or fit a new model"
                )
        n_trees = check.resolve_n_estimators(self, fitted.n_samples, fitted.n_trees)
        return fitted.with_more_trees(n_trees, growth)

    # -- helpers ---------------------------------------------------------------------------------

    def _partitions(self, X: Any) -> Partitions:
        """Return the partitions of a table that has the fitted columns."""
        check_is_fitted(self)
        data = Partitions.to_ask(X, self._fitted.client, self.missing, self.schema_)
        if data.n_columns != self.n_features_in_:
            raise ValueError(
                f"X: must have the {self.n_features_in_} columns the model was fitted on, "
                f"got {data.n_columns}"
            )
        return data

    def _edges(self, X: Any, n_neighbors: int | None, ones: bool = False) -> dd.DataFrame:
        """Return neighbors as edges; without X, every row comes first among its neighbors."""
        pairs, first = self._delayed_neighbors(X, n_neighbors)
        edges = [
            delayed(tasks.edges)(pair, int(start), X is None, ones)
            for pair, start in zip(pairs, first)
        ]
        no_rows = np.empty((0, 1)), np.empty((0, 1), np.int32)
        no_edges = tasks.edges(no_rows, 0)
        kept = keep(self._fitted.client, edges)
        return dd.from_delayed(kept, meta=no_edges, verify_meta=False)

    def __getstate__(self) -> dict[str, Any]:
        """Refuse to pickle what is on a cluster."""
        if self.__sklearn_is_fitted__():
            raise TypeError(
                "DaskURerF: a model on a cluster cannot be pickled or copied; use to_local()"
            )
        return {**super().__getstate__(), "client": None}


def _are_constant(client: Client, readings: list[Any]) -> bool:
    """Return whether no column has two different values."""
    ranges = [delayed(tasks.value_range)(reading.matrix) for reading in readings]
    low, high = zip(*fetch(client, ranges))
    lowest = np.min(low, axis=0)
    highest = np.max(high, axis=0)
    return bool((lowest >= highest).all())


def _stack(
    blocks: list[Any],
    lengths: Array,
    width: int,
    dtype: type,
) -> da.Array:
    """Stack delayed arrays of shape (length, width)."""
    arrays = [
        da.from_delayed(block, (int(length), width), dtype=dtype)
        for block, length in zip(blocks, lengths)
    ]
    return da.concatenate(arrays)


def _compute(X: Any) -> Any:
    """Return the values of a Dask collection."""
    return X.compute() if hasattr(X, "compute") else X
