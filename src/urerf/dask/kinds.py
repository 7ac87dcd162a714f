"""The kinds of the columns of partitions: those of the whole table, as `urerf.frames` finds them.

A column is recognized as a whole, by the same rules as in one process: its partitions are brought
together on one worker, 8 bytes per row for each column. Columns that hold fractions in some
partition are numbers whatever the other partitions hold, and stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from dask import delayed
from distributed import Client

from urerf._threads import row_blocks
from urerf.frames.dataframe import check_any_used, naming, read_columns
from urerf.kinds.convert import Levels, Plain, codes_of, merged, plain
from urerf.kinds.notices import about_columns, not_used
from urerf.kinds.recognize import Recognized, recognize
from urerf.schema import ID, IGNORE, NUMBER, Column, Schema

from .._typing import Array
from .cluster import fetch

GROUP_BYTES = 1 << 28  # columns recognized by one task: a worker of 4 GiB can hold several


# Where a reader of files leaves the name of a partition, for errors: a key of ``DataFrame.attrs``.
SOURCE = "urerf_source"


def in_each(blocks: Sequence[Any], task: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return the delayed results of a task for every partition, whose first argument it is."""
    return [delayed(in_one)(i, task, block, *arguments) for i, block in enumerate(blocks)]


def in_one(i: int, task: Callable[..., Any], block: Any, *arguments: Any) -> Any:
    """Run a task; an error about X names partition i, or the file that it was read from."""
    try:
        return task(block, *arguments)
    except (ValueError, TypeError) as error:
        attributes = getattr(block, "attrs", {})
        where = attributes.get(SOURCE, f"X, partition {i}")
        message = str(error).replace("X:", f"{where}:", 1)
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(message) from error


def learn_schema(
    client: Client,
    blocks: Sequence[Any],
    names: Sequence[str],
    declared: Mapping[int, Any],
) -> tuple[Schema, list[str], list[int]]:
    """Recognize the columns of delayed partitions; ``declared`` are kinds by position.

    Returns the schema, what to tell the user, and the lengths of the partitions.
    """
    kinds = [declared.get(i) for i in range(len(names))]
    undecided = [i for i, kind in enumerate(kinds) if kind not in (ID, IGNORE, NUMBER)]
    facts = fetch(client, in_each(blocks, length_and_fractions, undecided))
    lengths, fractions = zip(*facts)
    has_fractions = np.any(fractions, axis=0)
    rest = []
    for i, is_number in zip(undecided, has_fractions):
        if kinds[i] is not None or not is_number:
            rest.append(i)
    whole = _recognize_whole(client, blocks, names, kinds, rest, sum(lengths))
    recognized = dict(zip(rest, whole))
    columns: list[Column] = []
    about = []
    for i, name in enumerate(names):
        if i not in recognized:  # known without all of its values
            kind = kinds[i] or NUMBER
            recognized[i] = recognize(name, np.empty(0), kind)
        columns.append(recognized[i].column)
        about.append(recognized[i].about)
    notices = [*not_used(columns), *about_columns(about)]
    check_any_used(columns, notices)
    return Schema(tuple(columns)), notices, list(lengths)


def length_and_fractions(block: Any, positions: Sequence[int]) -> tuple[int, list[bool]]:
    """Return the number of rows of a partition, and which columns `has_fractions`."""
    columns = read_columns(block, positions)
    return len(block), [has_fractions(cells) for cells in columns]


def has_fractions(cells: Plain) -> bool:
    """Return whether a column holds different numbers that are not all whole."""
    if cells.kind != NUMBER:
        return False
    numbers = cells.values[np.isfinite(cells.values)]
    is_varied = (numbers != numbers[:1]).any()
    is_whole = (numbers == np.floor(numbers)).all()
    return bool(is_varied and not is_whole)


def _recognize_whole(
    client: Client,
    blocks: Sequence[Any],
    names: Sequence[str],
    kinds: Sequence[Any],
    positions: Sequence[int],
    n_rows: int,
) -> list[Recognized]:
    """Recognize some columns, a group of them per task; the values stay on the workers."""
    column_bytes = 8 * max(1, n_rows)
    group_size = max(1, GROUP_BYTES // column_bytes)
    tasks = []
    for block in row_blocks(len(positions), group_size):
        group = positions[block]
        group_names = [names[i] for i in group]
        group_kinds = [kinds[i] for i in group]
        parts = [delayed(read_columns)(block, group) for block in blocks]
        tasks.append(delayed(recognize_group)(parts, group_names, group_kinds))
    return list(chain(*fetch(client, tasks)))


def recognize_group(
    partitions: Sequence[Sequence[Plain]],
    names: Sequence[str],
    kinds: Sequence[Any],
) -> list[Recognized]:
    """Return the columns that all partitions together make, without their values."""
    no_values = np.empty(0)
    group = []
    for name, kind, parts in zip(names, kinds, zip(*partitions)):
        with naming(name):
            recognized = recognize(name, join_cells(parts), kind)
        group.append(recognized._replace(values=no_values))
    return group


def join_cells(parts: Sequence[Plain]) -> Plain:
    """Return one column of which partitions hold parts; an empty part has no type of its own."""
    numbers = []
    filled = []
    for part in parts:
        cells = codes_of(part.values) if part.is_text else part.values
        numbers.append(cells)
        if not np.isnan(cells).all():
            filled.append(part)
    is_text = {part.is_text for part in filled}
    if len(is_text) > 1:
        raise ValueError("holds text in some partitions and not in others; make all alike")
    if True in is_text:
        return _join_levels(parts, numbers)
    kinds = {part.kind for part in filled}
    kind = kinds.pop() if len(kinds) == 1 else NUMBER
    return Plain(kind, np.concatenate(numbers))


def _join_levels(parts: Sequence[Plain], numbers: Sequence[Array]) -> Plain:
    """Join levels in the order of the parts; they stay ordered if all parts have the same order.

    ``numbers`` are the codes of every part, with NaN for missing cells.
    """
    levels: list[str] = []
    codes = []
    orders = set()
    for part, cells in zip(parts, numbers):
        is_missing = np.isnan(cells)
        codes_in_all = cells + len(levels)
        codes.append(np.where(is_missing, -1, codes_in_all))
        if not is_missing.all():
            text = part.values
            levels.extend(text.levels)
            orders.add(text.levels if text.ordered else None)
    ordered = len(orders) == 1 and None not in orders
    all_codes = np.concatenate(codes).astype(int)
    joined = Levels(all_codes, tuple(levels), ordered)
    return plain(merged(joined))
