"""A column of numbers in a text file, filled chunk by chunk."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from .._typing import Array
from .cells import Context, ReinterpretError, is_mistake, shown
from .number_formats import CODE, NumberFormat, find_format, parse_all, parse_one

# Cells that do not fit the format, kept for a message and as evidence for another format.
MOST_BAD = 50


class NumberColumn:
    """A column of numbers in one format.

    ``evidence`` are cells that the format has to explain. ``declared`` columns are numbers whatever
    their cells are.
    """

    def __init__(
        self,
        name: str,
        context: Context,
        form: NumberFormat,
        evidence: tuple[str, ...],
        declared: bool = False,
    ) -> None:
        self.name = name
        self.context = context
        self.missing = context.missing.of(name)
        self.form = form
        self.evidence = evidence
        self.declared = declared
        self.parts: list[Array] = []
        self.bad_cells: list[str] = []
        self.first_bad_line = 0
        self.n_bad = 0

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add the next cells, which are on the given lines."""
        if not self.declared and CODE.search("\n".join(cells)):
            raise ReinterpretError(self.name)  # as text; all cells together decide what they are
        values = parse_all(cells, self.form)
        if values is None:
            usual = self.missing.usual
            filled = ["nan" if cell in usual else cell for cell in cells]
            values = parse_all(filled, self.form)
        if values is None:
            values = self._parse_each(cells, lines)
        if np.isinf(values).any():
            i = int(np.isinf(values).argmax())
            cell = shown(cells[i].strip())
            raise ValueError(
                f"{self.context.place(lines[i], self.name)}: {cell!r} is infinite; values must be "
                f"finite, or missing (--na {shlex.quote(cell)})"
            )
        self.parts.append(values)

    def _parse_each(self, cells: Sequence[str], lines: Sequence[int]) -> Array:
        """Parse cell by cell, and remember those that are not numbers."""
        values = np.full(len(cells), np.nan)
        bad = []
        first_line = 0
        for i, cell in enumerate(cells):
            if self.missing.in_numbers(cell):
                continue
            cell = self.context.repair(cell.strip())
            value = parse_one(cell, self.form)
            if value is not None:
                values[i] = value
                continue
            first_line = first_line or lines[i]
            bad.append(cell)
        if bad:
            self._try_other_formats(bad)
            self.first_bad_line = self.first_bad_line or first_line
        return values

    def _try_other_formats(self, bad: list[str]) -> None:
        """Look for another format that explains all cells so far; remember these if none does."""
        evidence = (*self.evidence, *bad[:MOST_BAD])
        form, n_read = find_format(evidence, self.context.formats)
        if n_read == len(evidence) and form != self.form:
            raise ReinterpretError(self.name, form, evidence)
        self.n_bad += len(bad)
        self.bad_cells += bad[: MOST_BAD - len(self.bad_cells)]

    def finish(self, lines: Array) -> Array:
        """Return all values."""
        values = np.concatenate(self.parts)
        self.parts = []
        if self.n_bad:
            n_filled = int(np.isfinite(values).sum()) + self.n_bad
            if not self.declared and not is_mistake(self.name, self.n_bad, n_filled):
                raise ReinterpretError(self.name)
            raise self.context.not_a_number(
                self.name,
                self.first_bad_line,
                self.bad_cells,
                self.n_bad,
            )
        return self.missing.remove_from(values)
