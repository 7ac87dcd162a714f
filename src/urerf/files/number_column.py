"""A column of numbers in a text file, filled chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

import numpy as np

from urerf.schema import NUMBER

from .._typing import Array
from .cells import Context
from .level_column import LevelColumn
from .number_formats import CODE, NumberFormat, lacks_unit, parse_all


class NumberColumn:
    """A column of numbers in one format.

    Once a cell is neither such a number nor missing, it and all that follow are in ``rest``, and
    those before it have to be read again, as text. Codes, which begin with zeros, are numbers only
    if that is ``declared``.
    """

    def __init__(self, name: str, context: Context, form: NumberFormat, declared: bool) -> None:
        self.name = name
        self.context = context
        self.missing = context.missing.of(name)
        self.form = form
        self.declared = declared
        self.rest: LevelColumn | None = None
        self.n_without_unit = 0
        self.parts: list[Array] = []

    def add(self, cells: Sequence[str]) -> None:
        """Add the next cells."""
        if self.rest is None:
            values = self._parse(cells)
            if values is not None:
                self.parts.append(values)
                self.n_without_unit += sum(self._lacks_unit(cells, values))
                return
            self.rest = self.as_text()
        self.rest.add(cells)

    def as_text(self) -> LevelColumn:
        """Return an empty column of text, in which all cells together decide what they are."""
        kind = NUMBER if self.declared else None
        return LevelColumn(self.name, self.context, kind, began_with_numbers=True)

    def _parse(self, cells: Sequence[str]) -> Array | None:
        """Return the numbers that all cells are, or None; the fastest way comes first."""
        if not self.declared:
            text = "\n".join(cells)
            if CODE.search(text):
                return None
        values = parse_all(cells, self.form)
        if values is None:
            usual = self.missing.usual
            is_filled = [cell not in usual for cell in cells]
            values = self._parse_filled(cells, is_filled)
        if values is None:
            is_filled = [not self.missing.in_numbers(cell) for cell in cells]
            cells = [self.context.repair(cell.strip()) for cell in cells]
            values = self._parse_filled(cells, is_filled)
        return values

    def _parse_filled(self, cells: Sequence[str], is_filled: Sequence[bool]) -> Array | None:
        """Return the numbers that the filled cells are, with NaN for the others, or None."""
        filled = list(compress(cells, is_filled))
        numbers = parse_all(filled, self.form)
        if numbers is None:
            return None
        values = np.full(len(cells), np.nan)
        values[np.array(is_filled)] = numbers
        return values

    def _lacks_unit(self, cells: Sequence[str], values: Array) -> Iterable[bool]:
        """Return which of the cells are numbers without the unit of the others."""
        if not self.form.unit:
            return []
        numbers = compress(cells, np.isfinite(values))
        return (lacks_unit(cell, self.form) for cell in numbers)

    def finish(self, lines: Array) -> Array:
        """Return all values."""
        values = np.concatenate(self.parts)
        self.parts.clear()
        n_numbers = int(np.isfinite(values).sum())
        self.context.tell_units(self.name, self.form.unit, self.n_without_unit, n_numbers)
        return self.missing.remove_from(values)
