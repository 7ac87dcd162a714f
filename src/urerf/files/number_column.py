"""A column of numbers in a text file, filled chunk by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np

from .._typing import Array
from .cells import Context
from .number_formats import CODE, NumberFormat, parse_all


class NumberColumn:
    """A column of numbers in one format.

    ``fits`` is false once a cell is neither such a number nor missing; all cells are then lost, and
    the column has to be read as text. Codes, which begin with zeros, are numbers only if that is
    ``declared``.
    """

    def __init__(self, name: str, context: Context, form: NumberFormat, declared: bool) -> None:
        self.context = context
        self.missing = context.missing.of(name)
        self.form = form
        self.declared = declared
        self.fits = True
        self.parts: list[Array] = []

    def add(self, cells: Sequence[str]) -> None:
        """Add the next cells."""
        values = None
        if self.fits:
            values = self._parse(cells)
        if values is None:
            self.fits = False
            self.parts.clear()
        else:
            self.parts.append(values)

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

    def finish(self, lines: Array) -> Array:
        """Return all values."""
        values = np.concatenate(self.parts)
        self.parts.clear()
        return self.missing.remove_from(values)
