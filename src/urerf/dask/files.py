"""``urerf neighbors --scheduler``: from Parquet files to a Parquet dataset of neighbors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import dask
import dask.dataframe as dd
import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from dask import delayed
from distributed import Client

from urerf.parameters import check_parameters

from .cluster import connect, fetch
from .dataset import new_dataset
from .estimator import DaskURerF
from .kinds import SOURCE
from .tasks import Pair, edges

PART_VALUES = 1 << 24  # values per partition (128 MB) if row groups are small enough


class Part(NamedTuple):
    """Some row groups of a Parquet file."""

    path: str
    groups: list[int]

    def __str__(self) -> str:
        return f"{self.path}, row groups {self.groups[0]} to {self.groups[-1]}"


def neighbors_to_parquet(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    scheduler: str,
    out: str | os.PathLike,
    n_neighbors: int | None = None,
    *,
    columns: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    security: str | os.PathLike | None = None,
    **settings: Any,
) -> int:
    """Find the neighbors of all rows of Parquet files and write them as a Parquet dataset.

    Parameters
    ----------
    paths : str, path or sequence of them
        Files, or patterns such as ``data/*.parquet``, in any place that fsspec knows (a shared
        folder, ``s3://...``) and every worker can read. Rows are numbered through all files, in the
        order given, a pattern's files by name.
    scheduler : str
        Address of a Dask scheduler, ``tcp://...``.
    out : str or path
        Folder for the dataset; must be empty or not yet there. Columns: row, neighbor, distance;
        n_neighbors rows for every row of the input, nearest first, itself left out. It is there
        only when it is complete (`urerf.dask.dataset`).
    n_neighbors : int or None, default=None
        Neighbors per row; None for the default of `URerF`.
    columns : sequence of str or None, default=None
        Columns to use; None for all.
    ignore : sequence of str, default=()
        Columns not to use, such as row names.
    security : str, path or None, default=None
        File with the certificates for a ``tls://`` scheduler; see `urerf.dask.cluster.connect`.
    **settings
        Parameters of `URerF`.

    Returns
    -------
    int
        Number of rows.
    """
    model = DaskURerF(**settings)
    check_parameters(model)
    files = _expand(paths)
    with new_dataset(out) as folder, connect(scheduler, security=security) as client:
        model.client = client
        model.fit(read_parts(files, columns, ignore, client))
        pairs, first = model._delayed_neighbors(None, n_neighbors)
        written = [
            delayed(_write)(pair, int(start), f"{folder}/part-{i:05d}.parquet")
            for i, (pair, start) in enumerate(zip(pairs, first))
        ]
        fetch(client, written)
    return model.n_samples_fit_


def read_parts(
    files: list[str],
    columns: Sequence[str] | None,
    ignore: Sequence[str],
    client: Client,
) -> dd.DataFrame:
    """Return Parquet files as a Dask DataFrame whose partitions are row groups.

    `dask.dataframe.read_parquet` would merge small files, and then no error could name the file.
    """
    first_names = delayed(_column_names)(files[0], columns, ignore)
    row_groups = [delayed(_row_groups)(path) for path in files]
    names, *sizes = fetch(client, [first_names, *row_groups])
    parts: list[Part] = []
    for path, rows in zip(files, sizes):
        parts.extend(_parts(path, rows, len(names)))
    meta = pd.DataFrame({name: np.empty(0) for name in names})
    with dask.config.set({"dataframe.convert-string": False}):  # objects stay what they are
        return dd.from_map(
            _read,
            parts,
            names=names,
            meta=meta,
            enforce_metadata=False,
        )


def _expand(paths: Any) -> list[str]:
    """Return the files that the paths and patterns stand for."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    files: list[str] = []
    for path in map(os.fspath, paths):
        matches = sorted(file.path for file in fsspec.open_files(path, "rb"))
        fs, _ = fsspec.core.url_to_fs(path)
        if not matches or not all(map(fs.isfile, matches)):
            raise FileNotFoundError(
                f"paths: there is no file {path!r}; pass Parquet files or a pattern"
            )
        files += map(fs.unstrip_protocol, matches)
    if not files:
        raise ValueError(
            "paths: must not be empty; pass Parquet files or a pattern such as data/*.parquet"
        )
    return files


def _open(path: str) -> Any:
    return fsspec.open(path, "rb").open()


def _footer(path: str) -> Any:
    """Return the description at the end of a Parquet file."""
    with _open(path) as file:
        try:
            return pq.ParquetFile(file).metadata
        except pa.ArrowInvalid as error:
            raise ValueError(f"paths: {path} is not a Parquet file ({error})") from error


def _row_groups(path: str) -> list[int]:
    """Return the number of rows in each row group of a file."""
    footer = _footer(path)
    return [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]


def _column_names(path: str, columns: Sequence[str] | None, ignore: Sequence[str]) -> list[str]:
    """Return the requested columns (None: all columns of the file) without the ignored ones."""
    in_file = list(_footer(path).schema.to_arrow_schema().names)
    for argument, names in (("columns", columns or ()), ("ignore", ignore)):
        if absent := [name for name in names if name not in in_file]:
            absent_names = ", ".join(map(repr, absent))
            known_names = ", ".join(map(repr, in_file))
            raise ValueError(
                f"{argument}: {path} has no column {absent_names}; its columns are {known_names}"
            )
    wanted = in_file if columns is None else columns
    names = [name for name in wanted if name not in ignore]
    if not names:
        raise ValueError("ignore: must not contain every column")
    return names


def _parts(path: str, rows: list[int], n_columns: int) -> Iterator[Part]:
    """Join row groups until a partition is large enough."""
    groups: list[int] = []
    n_rows = 0
    for i, more_rows in enumerate(rows):
        if groups and (n_rows + more_rows) * n_columns > PART_VALUES:
            yield Part(path, groups)
            groups = []
            n_rows = 0
        groups.append(i)
        n_rows += more_rows
    if groups:
        yield Part(path, groups)


def _read(part: Part, names: list[str]) -> pd.DataFrame:
    """Read a partition, and note where it comes from."""
    with _open(part.path) as file:
        source = pq.ParquetFile(file)
        in_file = source.schema_arrow.names
        if absent := [name for name in names if name not in in_file]:
            raise ValueError(
                f"{part}: has no column {', '.join(map(repr, absent))}, which the first file has"
            )
        table = source.read_row_groups(part.groups, columns=names)
        frame = table.to_pandas()[names]
    frame.attrs[SOURCE] = str(part)
    return frame


def _write(pair: Pair, first: int, path: str) -> None:
    """Write a partition of the result; a task that is repeated writes the same file again."""
    edges(pair, first).to_parquet(path, index=False)
