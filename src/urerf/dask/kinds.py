"""The kinds of the columns of partitions: those that `urerf.frames` finds for the whole table.

A column is recognized as a whole, by the same rules as in one process: its partitions are brought
together on one worker, 8 bytes per row for each column. Columns that hold fractions in some
partition are numbers whatever the other partitions hold, and stay where they are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from dask import delayed
from distributed import Client

from urerf.convert import Levels, Plain, factorize
from urerf.frames import check_any_used, naming, read_columns
from urerf.kinds import not_used, recognize
from urerf.schema import CATEGORY, ID, IGNORE, NUMBER, ORDINAL, Column, Schema

from .cluster import fetch

GROUP_BYTES = 1 << 28  # columns recognized by one task: a worker of 4 GiB can hold several


# Where a reader of files leaves the name of a partition, for errors: a key of ``DataFrame.attrs``.
SOURCE = "urerf_source"


def place(i: int) -> str:
    """Return how an error names partition i."""
    return f"X, partition {i}"


@contextlib.contextmanager
def at_partition(block: Any, i: int) -> Iterator[None]:
    """Within this block, an error about X names partition i, or the file that it was read from."""
    try:
        yield
    except ValueError as error:
        where = getattr(block, "attrs", {}).get(SOURCE, place(i))
        raise ValueError(str(error).replace("X:", f"{where}:", 1)) from error


class Facts(NamedTuple):
    """What a partition tells by itself: its length, and which columns are certainly numbers."""

    n_rows: int
    is_number: np.ndarray


class Learned(NamedTuple):
    """The schema of a table, the lengths of its partitions, and what to tell the user."""

    schema: Schema
    lengths: list[int]
    notices: list[str]


def learn_schema(
    client: Client, blocks: Sequence[Any], names: Sequence[str], declared: Mapping[int, Any]
) -> Learned:
    """Recognize the columns of delayed partitions; ``declared`` are kinds by position."""
    read = [i for i in range(len(names)) if declared.get(i) not in (ID, IGNORE)]
    tasks = [delayed(partition_facts)(block, i, read) for i, block in enumerate(blocks)]
    facts = fetch(client, tasks)
    lengths = [fact.n_rows for fact in facts]
    is_number = np.any([fact.is_number for fact in facts], axis=0)
    columns: dict[int, Column] = {}
    for i, kind in declared.items():
        if kind in (ID, IGNORE):
            columns[i] = recognize(names[i], np.empty(0), kind).column
    for i, certain in zip(read, is_number):
        if certain and i not in declared:
            columns[i] = Column(names[i])
    rest = [i for i in read if i not in columns]
    group_size = max(1, GROUP_BYTES // (8 * max(1, sum(lengths))))
    tasks = []
    for start in range(0, len(rest), group_size):
        group = rest[start : start + group_size]
        parts = [delayed(read_columns)(block, group) for block in blocks]
        kinds = [declared.get(i) for i in group]
        tasks.append(delayed(recognize_group)(parts, [names[i] for i in group], kinds))
    notices: list[str] = []
    found = [one for group in fetch(client, tasks) for one in group]
    for i, (column, told) in zip(rest, found):
        columns[i] = column
        notices.extend(told)
    in_order = [columns[i] for i in range(len(names))]
    notices = [*not_used(in_order), *notices]
    check_any_used(in_order, notices)
    return Learned(Schema(tuple(in_order)), lengths, notices)


def partition_facts(block: Any, i: int, positions: Sequence[int]) -> Facts:
    """Return what partition i tells about some of its columns."""
    with at_partition(block, i):
        cells = read_columns(block, positions)
    return Facts(len(block), np.array([has_fractions(column) for column in cells], dtype=bool))


def has_fractions(cells: Plain) -> bool:
    """Return whether a column holds different numbers that are not all whole."""
    if cells.kind != NUMBER:
        return False
    numbers = cells.values[np.isfinite(cells.values)]
    if not len(numbers) or (numbers == numbers[0]).all():
        return False
    return bool((numbers != np.floor(numbers)).any())


def recognize_group(
    partitions: Sequence[Sequence[Plain]], names: Sequence[str], kinds: Sequence[Any]
) -> list[tuple[Column, tuple[str, ...]]]:
    """Return the columns that all partitions together make, and what to tell the user."""
    found = []
    for name, kind, parts in zip(names, kinds, zip(*partitions)):
        with naming(name):
            recognized = recognize(name, join_cells(parts), kind)
        found.append((recognized.column, recognized.notices))
    return found


def join_cells(parts: Sequence[Plain]) -> Plain:
    """Return one column that partitions hold in parts."""
    filled = [part for part in parts if not is_empty(part)]
    kinds = {part.kind for part in filled}
    if not any(part.is_text for part in filled):
        kind = kinds.pop() if len(kinds) == 1 else NUMBER
        return Plain(kind, np.concatenate([_numbers(part) for part in parts]))
    if not all(part.is_text for part in filled):
        raise ValueError("holds text in some partitions and not in others; make all alike")
    if kinds == {ORDINAL} and len({part.values.levels for part in filled}) == 1:
        levels = filled[0].values.levels
        codes = [_codes(part, np.arange(len(levels))) for part in parts]
        return Plain(ORDINAL, Levels(np.concatenate(codes), levels, ordered=True))
    texts = [level for part in filled for level in part.values.levels]
    of_level, different = factorize(texts)
    ends = np.cumsum([len(part.values.levels) for part in filled])
    new_codes = iter(np.split(of_level, ends[:-1]))
    codes = [_codes(part, [] if is_empty(part) else next(new_codes)) for part in parts]
    return Plain(CATEGORY, Levels(np.concatenate(codes), tuple(different)))


def is_empty(part: Plain) -> bool:
    """Return whether every cell is missing, so that the type means nothing."""
    if part.is_text:
        return bool((part.values.codes < 0).all())
    return bool(np.isnan(part.values).all())


def _numbers(part: Plain) -> np.ndarray:
    return np.full(len(part.values.codes), np.nan) if part.is_text else part.values


def _codes(part: Plain, new_codes: Any) -> np.ndarray:
    """Return the codes of a part in the levels of the whole column."""
    if is_empty(part):
        n_rows = len(part.values.codes if part.is_text else part.values)
        return np.full(n_rows, -1)
    return np.append(new_codes, -1)[part.values.codes]
