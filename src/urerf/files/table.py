"""From columns as read to a table of numbers: what is a feature, a name or a label, what is encoded or left out.

A column of text with few categories becomes one column of codes 0, 1, 2, ... in alphabetical order,
and its name carries the categories, ``color=blue|green|red``, so that a saved model knows the
codes. Not one column a category: those depend on each other whatever the data are, and would be
taken for structure.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .raw import Raw, is_missing

MOST_CATEGORIES = 10
SHOWN = 5


@dataclass(frozen=True, eq=False)
class Table:
    """A table of numbers with what is known about its rows and columns.

    Attributes
    ----------
    values : ndarray or CSR matrix of shape (rows, columns)
        NaN where there is no value.
    names : list of str
        Names of the columns.
    rows : ndarray of int
        Number of each row in its file, from 0; without gaps unless rows were dropped.
    ids, labels : list of str or None
        Names and labels of the rows.
    notices : list of str
        What the user should know: columns encoded or left out, rows dropped.
    source : str
        The file's name.
    """

    values: Any
    names: list[str]
    rows: np.ndarray
    ids: list[str] | None
    labels: list[str] | None
    notices: list[str]
    source: str

    def keys(self) -> np.ndarray:
        """Return what rows are called in results: their ids, or else their numbers."""
        return self.rows if self.ids is None else np.array(self.ids, dtype=object)


def make_table(
    raw: Raw, *, id: str | None, label: str | None, ignore: Collection[str], missing: str
) -> Table:
    """Decide about every column of a table that is to be fitted."""
    texts = dict(raw.texts)
    for option, name in (
        ("--id", id),
        ("--label", label),
        *(("--ignore", name) for name in ignore),
    ):
        _check_name(raw, option, name)
    ids = raw.ids if id is None else texts.pop(id)
    labels = None if label is None else texts[label]
    texts = {name: cells for name, cells in texts.items() if name != label and name not in ignore}
    keep = [i for i, name in enumerate(raw.names) if name not in ignore]
    numbers = raw.numbers[:, keep]
    names = [raw.names[i] for i in keep]
    notices: list[str] = []
    numbers, names = _drop_empty(numbers, names, notices)
    codes, code_names = _encode_texts(texts, notices)
    if codes:
        numbers = _beside(numbers, codes)
        names = names + code_names
    if not names:
        raise ValueError(f"{raw.source}: no column of numbers is left. {' '.join(notices)}".strip())
    return _handle_missing(
        raw, Table(numbers, names, np.arange(raw.n_rows), ids, labels, notices, raw.source), missing
    )


def make_table_for(raw: Raw, names: Sequence[str], *, id: str | None, missing: str) -> Table:
    """Pick the columns that a model was fitted on, by name, categories with the codes they had then."""
    _check_name(raw, "--id", id)
    place = {name: i for i, name in enumerate(raw.names)}
    columns = [_column_for(raw, name, place) for name in names]
    if all(name in place for name in names):
        numbers = raw.numbers[:, [place[name] for name in names]]
    else:
        numbers = np.column_stack(
            [_dense_column(raw, c) if isinstance(c, int) else c for c in columns]
        )
    used = {raw.names[c] for c in columns if isinstance(c, int)} | {
        category_base(n, raw.texts) for n in names
    }
    extra = [name for name in (*raw.names, *raw.texts) if name not in used and name != id]
    notices = [f"Not among the model's columns, left out: {listed(extra)}."] if extra else []
    ids = raw.ids if id is None else raw.texts[id]
    return _handle_missing(
        raw,
        Table(numbers, [*names], np.arange(raw.n_rows), ids, None, notices, raw.source),
        missing,
    )


def category_base(name: str, columns: Collection[str]) -> str | None:
    """Return the column of text that an encoded column was made from."""
    bases = [name[:i] for i, letter in enumerate(name) if letter == "=" and name[:i] in columns]
    return bases[-1] if bases else None


def listed(names: Sequence[str]) -> str:
    """Write some names, the first few if there are many.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _check_name(raw: Raw, option: str, name: str | None) -> None:
    known = [*raw.names, *raw.texts]
    if name is None or name in known or option == "--ignore":
        return
    near = difflib.get_close_matches(name, known, 1)
    hint = f"do you mean {near[0]!r}?" if near else f"there are: {listed(known)}"
    raise ValueError(f"{option}: {raw.source} has no column {name!r}; {hint}")


def _drop_empty(numbers: Any, names: list[str], notices: list[str]) -> tuple[Any, list[str]]:
    if sp.issparse(numbers) or not len(names):
        return numbers, names
    empty = np.isnan(numbers).all(axis=0)
    if not empty.any():
        return numbers, names
    notices.append(
        f"Left out, without any value: {listed([names[i] for i in np.flatnonzero(empty)])}."
    )
    return numbers[:, ~empty], [name for name, gone in zip(names, empty) if not gone]


def _encode_texts(
    texts: dict[str, list[str]], notices: list[str]
) -> tuple[list[np.ndarray], list[str]]:
    """Make codes of columns with few categories, and note which columns that were, and which are left out."""
    codes = []
    names = []
    many = []
    for name, cells in texts.items():
        levels = sorted({cell for cell in cells if not is_missing(cell)})
        if 1 < len(levels) <= MOST_CATEGORIES and not any("|" in level for level in levels):
            codes.append(_codes(cells, levels, lambda row: np.nan))
            names.append(f"{name}={'|'.join(levels)}")
        else:
            many.append(name)
    if names:
        notices.append(f"Categories turned into codes 0, 1, 2, ...: {listed(names)}.")
    if many:
        notices.append(
            f"Left out, neither numbers nor 2 to {MOST_CATEGORIES} categories: {listed(many)}."
        )
    return codes, names


def _codes(
    cells: Sequence[str], levels: Sequence[str], unknown: Callable[[int], float]
) -> np.ndarray:
    code = {level: float(i) for i, level in enumerate(levels)}
    code |= {cell: np.nan for cell in cells if is_missing(cell)}
    return np.array(
        [code[cell] if cell in code else unknown(row) for row, cell in enumerate(cells)]
    )


def _beside(numbers: Any, codes: list[np.ndarray]) -> Any:
    block = np.column_stack(codes)
    return (
        sp.hstack([numbers, block]).tocsr() if sp.issparse(numbers) else np.hstack([numbers, block])
    )


def _column_for(raw: Raw, name: str, place: dict[str, int]) -> int | np.ndarray:
    """Return where a column of the model is among the numbers, or its codes."""
    if name in place:
        return place[name]
    base = category_base(name, raw.texts)
    if base is None:
        kind = "is text, where the model has numbers" if name in raw.texts else "is missing"
        raise ValueError(f"{raw.source}: column {name!r} {kind}; the model was fitted on it")
    levels = name[len(base) + 1 :].split("|")

    def refuse(row: int) -> float:
        cell = raw.texts[base][row]
        known = ", ".join(levels)
        raise ValueError(
            f"{raw.place(row, base)}: {cell!r} is none of the model's categories ({known})"
        )

    return _codes(raw.texts[base], levels, refuse)


def _dense_column(raw: Raw, column: int) -> np.ndarray:
    values = raw.numbers[:, column]
    return values.toarray().ravel() if sp.issparse(values) else values


def _handle_missing(raw: Raw, table: Table, missing: str) -> Table:
    """Refuse missing values, drop their rows, or leave them to the forest."""
    gaps = _gaps(table.values)
    if missing == "handle" or not gaps.any():
        return table
    if missing == "error":
        row = int(gaps.argmax())
        values = table.values[[row]].toarray() if sp.issparse(table.values) else table.values[[row]]
        column = table.names[int(np.isnan(values).argmax())]
        raise ValueError(
            f"{raw.place(row, column)}: no value; {gaps.sum()} of {len(gaps)} rows have gaps. Use --missing drop to "
            "leave these rows out, or --missing handle to let the forest deal with them"
        )
    keep = np.flatnonzero(~gaps)
    if not len(keep):
        raise ValueError(
            f"{raw.source}: every row has a missing value, so --missing drop leaves none"
        )
    notice = f"Dropped {gaps.sum()} of {len(gaps)} rows, which have missing values."
    ids, labels = (
        None if kept is None else [kept[i] for i in keep] for kept in (table.ids, table.labels)
    )
    return Table(
        table.values[keep], table.names, keep, ids, labels, [*table.notices, notice], table.source
    )


def _gaps(values: Any) -> np.ndarray:
    """Tell which rows have a missing value."""
    if sp.issparse(values):
        holes = sp.csr_matrix(
            (np.isnan(values.data).astype(float), values.indices, values.indptr), shape=values.shape
        )
        return np.asarray(holes.sum(axis=1)).ravel() > 0
    return np.isnan(values).any(axis=1)
