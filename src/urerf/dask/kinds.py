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

from urerf.convert import Levels, Plain
from urerf.frames import check_any_used, naming, read_columns
from urerf.kind_notices import first_few, not_used
from urerf.kinds import Recognized, recognize
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
        attributes = getattr(block, "attrs", {})
        where = attributes.get(SOURCE, place(i))
        message = str(error).replace("X:", f"{where}:", 1)
        raise ValueError(message) from error


class Facts(NamedTuple):
    """What single partitions tell: their lengths, and which columns are certainly numbers."""

    lengths: list[int]
    is_number: np.ndarray


class Learned(NamedTuple):
    """The schema of a table, the lengths of its partitions, and what to tell the user."""

    schema: Schema
    lengths: list[int]
    notices: list[str]


def learn_schema(
    client: Client,
    blocks: Sequence[Any],
    names: Sequence[str],
    declared: Mapping[int, Any],
) -> Learned:
    """Recognize the columns of delayed partitions; ``declared`` are kinds by position."""
    columns = _declared_columns(names, declared)
    undecided = [i for i in range(len(names)) if i not in columns]
    facts = _facts(client, blocks, undecided)
    for i, certain in zip(undecided, facts.is_number):
        if certain and i not in declared:
            columns[i] = Column(names[i])
    rest = [i for i in undecided if i not in columns]
    recognized = _recognize_whole(client, blocks, names, declared, rest, facts)
    notices: list[str] = []
    for i, found in zip(rest, recognized):
        columns[i] = found.column
        notices.extend(found.notices)
    in_order = [columns[i] for i in range(len(names))]
    notices = [*not_used(in_order), *first_few(notices)]
    check_any_used(in_order, notices)
    return Learned(Schema(tuple(in_order)), facts.lengths, notices)


def _declared_columns(names: Sequence[str], declared: Mapping[int, Any]) -> dict[int, Column]:
    """Return the columns that are known without looking at them."""
    no_cells = np.empty(0)
    columns = {}
    for i, kind in declared.items():
        if kind in (ID, IGNORE, NUMBER):
            columns[i] = recognize(names[i], no_cells, kind).column
    return columns


def _facts(client: Client, blocks: Sequence[Any], positions: Sequence[int]) -> Facts:
    """Return what single partitions tell about some columns."""
    tasks = [delayed(partition_facts)(block, i, positions) for i, block in enumerate(blocks)]
    facts = fetch(client, tasks)
    lengths = [length for fact in facts for length in fact.lengths]
    is_number = [fact.is_number for fact in facts]
    return Facts(lengths, np.any(is_number, axis=0))


def partition_facts(block: Any, i: int, positions: Sequence[int]) -> Facts:
    """Return what partition i tells about some columns."""
    with at_partition(block, i):
        columns = read_columns(block, positions)
    is_number = [has_fractions(cells) for cells in columns]
    return Facts([len(block)], np.array(is_number, dtype=bool))


def _recognize_whole(
    client: Client,
    blocks: Sequence[Any],
    names: Sequence[str],
    declared: Mapping[int, Any],
    positions: Sequence[int],
    facts: Facts,
) -> list[Recognized]:
    """Recognize some columns, a group of them per task; the values stay on the workers."""
    column_bytes = 8 * max(1, sum(facts.lengths))
    group_size = max(1, GROUP_BYTES // column_bytes)
    tasks = []
    for start in range(0, len(positions), group_size):
        group = positions[start : start + group_size]
        group_names = [names[i] for i in group]
        group_kinds = [declared.get(i) for i in group]
        parts = [delayed(read_columns)(block, group) for block in blocks]
        tasks.append(delayed(recognize_group)(parts, group_names, group_kinds))
    return [found for group in fetch(client, tasks) for found in group]


def has_fractions(cells: Plain) -> bool:
    """Return whether a column holds different numbers that are not all whole."""
    if cells.kind != NUMBER:
        return False
    numbers = cells.values[np.isfinite(cells.values)]
    if not len(numbers) or (numbers == numbers[0]).all():
        return False
    return bool((numbers != np.floor(numbers)).any())


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
            found = recognize(name, join_cells(parts), kind)
        group.append(found._replace(values=no_values))
    return group


def join_cells(parts: Sequence[Plain]) -> Plain:
    """Return one column of which partitions hold parts; an empty part has no type of its own."""
    filled = [part for part in parts if not is_empty(part)]
    is_text = [part.is_text for part in filled]
    if not any(is_text):
        return _join_numbers(parts, filled)
    if not all(is_text):
        raise ValueError("holds text in some partitions and not in others; make all alike")
    return _join_levels(parts, filled)


def _join_numbers(parts: Sequence[Plain], filled: Sequence[Plain]) -> Plain:
    kinds = {part.kind for part in filled}
    kind = kinds.pop() if len(kinds) == 1 else NUMBER
    numbers = []
    for part in parts:
        if part.is_text:  # without any level
            numbers.append(np.full(_length(part), np.nan))
        else:
            numbers.append(part.values)
    return Plain(kind, np.concatenate(numbers))


def _join_levels(parts: Sequence[Plain], filled: Sequence[Plain]) -> Plain:
    """Join levels in the order of the parts; they stay ordered if all parts have the same order."""
    orders = {part.values.levels for part in filled if part.values.ordered}
    ordered = len(orders) == 1 and all(part.values.ordered for part in filled)
    code_of: dict[str, int] = {}
    codes = []
    for part in parts:
        if is_empty(part):
            codes.append(np.full(_length(part), -1))
            continue
        own = part.values
        new_codes = [code_of.setdefault(level, len(code_of)) for level in own.levels]
        codes.append(np.append(new_codes, -1)[own.codes])
    levels = Levels(np.concatenate(codes), tuple(code_of), ordered)
    return Plain(ORDINAL if ordered else CATEGORY, levels)


def is_empty(part: Plain) -> bool:
    """Return whether every cell is missing."""
    if part.is_text:
        return bool((part.values.codes < 0).all())
    return bool(np.isnan(part.values).all())


def _length(part: Plain) -> int:
    return len(part.values.codes) if part.is_text else len(part.values)
