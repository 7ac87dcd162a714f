"""Columns of text cells, filled chunk by chunk: numbers, or text as levels."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count as counter
from typing import Any

import numpy as np

from urerf._messages import count
from urerf.convert import Levels, merged

from .encoding import Repair
from .missing import Missing
from .number_formats import NumberFormat, find_format, looks_numeric, parse_all, parse_one

# A column is numeric if at least this share of its filled cells are numbers.
NUMERIC_SHARE = 0.8
# Cells that do not fit the format, kept for a message and as evidence for another format.
MOST_BAD = 50
# Levels that are looked at to see whether a text column contains numbers at all.
SAMPLED_LEVELS = 1000


class ReinterpretError(Exception):
    """A column has to be read in another way, from the beginning; None is text."""

    def __init__(
        self, name: str, form: NumberFormat | None = None, evidence: tuple[str, ...] = ()
    ) -> None:
        super().__init__(name)
        self.name = name
        self.form = form
        self.evidence = evidence


@dataclass
class Context:
    """What all columns of a file share."""

    source: str
    missing: Missing
    repair: Repair
    formats: Sequence[NumberFormat]
    unit_of_lines: str = "line"
    notices: list[str] = field(default_factory=list)

    def place(self, line: int, name: str) -> str:
        """Return the position of a cell for an error message."""
        return f"{self.source}: {self.unit_of_lines} {line}, column {name!r}"


class NumberColumn:
    """A column of numbers in one format.

    ``evidence`` are cells that the format has to explain.
    ``declared`` columns are numbers whatever their cells are.
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
        self.form = form
        self.evidence = evidence
        self.declared = declared
        self.parts: list[np.ndarray] = []
        self.bad: list[tuple[int, str]] = []
        self.n_bad = 0

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add the next cells, which are on the given lines."""
        values = parse_all(cells, self.form)
        if values is None:
            usual = self.context.missing.usual
            filled = ["nan" if cell in usual else cell for cell in cells]
            values = parse_all(filled, self.form)
        if values is None:
            values = self._parse_each(cells, lines)
        if np.isinf(values).any():
            i = int(np.isinf(values).argmax())
            place = self.context.place(lines[i], self.name)
            raise ValueError(
                f"{place}: {cells[i].strip()!r} is infinite; values must be finite, or missing "
                f"(--na {shlex.quote(cells[i].strip())})"
            )
        self.parts.append(values)

    def _parse_each(self, cells: Sequence[str], lines: Sequence[int]) -> np.ndarray:
        values = np.full(len(cells), np.nan)
        bad = []
        for i, cell in enumerate(cells):
            if self.context.missing.in_numbers(cell):
                continue
            cell = self.context.repair(cell.strip())
            value = parse_one(cell, self.form)
            if value is None:
                bad.append((lines[i], cell))
            else:
                values[i] = value
        if bad:
            self._explain(bad)
        return values

    def _explain(self, bad: list[tuple[int, str]]) -> None:
        """Look for another format that explains all cells so far."""
        evidence = (*self.evidence, *(cell for _, cell in bad[:MOST_BAD]))
        form, n_read = find_format(evidence, self.context.formats)
        if n_read == len(evidence) and form != self.form:
            raise ReinterpretError(self.name, form, evidence)
        self.n_bad += len(bad)
        self.bad += bad[: MOST_BAD - len(self.bad)]

    def finish(self, lines: np.ndarray) -> np.ndarray:
        """Return all values."""
        values = np.concatenate(self.parts) if self.parts else np.empty(0)
        self.parts = []
        n_filled = int(np.isfinite(values).sum()) + self.n_bad
        if self.n_bad:
            if not (self.declared or is_mistake(self.n_bad, n_filled)):
                raise ReinterpretError(self.name)
            line, cell = self.bad[0]
            others = [other for _, other in self.bad]
            raise ValueError(not_a_number(self.context, self.name, line, cell, self.n_bad, others))
        return without(values, self.context.missing)


class LevelColumn:
    """A column of text; ``declared`` columns stay text even if all cells are numbers."""

    def __init__(self, name: str, context: Context, declared: bool = False) -> None:
        self.name = name
        self.context = context
        self.declared = declared
        self.code_of: defaultdict[str, int] = defaultdict(counter().__next__)
        self.parts: list[np.ndarray] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add the next cells."""
        codes = map(self.code_of.__getitem__, cells)
        self.parts.append(np.fromiter(codes, dtype=np.int32, count=len(cells)))

    def finish(self, lines: np.ndarray) -> Any:
        """Return the levels, or numbers if that is what the cells are."""
        codes = np.concatenate(self.parts) if self.parts else np.empty(0, np.int32)
        self.parts = []
        missing = self.context.missing
        new_code = np.empty(len(self.code_of), dtype=np.int64)
        levels: list[str] = []
        for i, cell in enumerate(self.code_of):
            if missing(cell):
                new_code[i] = -1
            else:
                new_code[i] = len(levels)
                levels.append(self.context.repair(cell.strip()))
        text = merged(Levels(new_code[codes], tuple(levels)))
        return text if self.declared else self._numbers(text, lines)

    def _numbers(self, text: Levels, lines: np.ndarray) -> Any:
        """Return numbers if nearly all cells are, in one format."""
        sample = text.levels[:SAMPLED_LEVELS]
        if sum(map(looks_numeric, sample)) <= (1 - NUMERIC_SHARE) * len(sample):
            return text
        form, _ = find_format(text.levels, self.context.formats)
        numbers = [parse_one(level, form) for level in text.levels]
        gaps = [self.context.missing.in_numbers(level) for level in text.levels]
        n_cells = np.bincount(text.codes[text.codes >= 0], minlength=len(numbers))
        is_bad = np.array([a is None and not gap for a, gap in zip(numbers, gaps)], dtype=bool)
        n_bad = int(n_cells[is_bad].sum())
        n_filled = int(n_cells[~np.array(gaps, dtype=bool)].sum())
        if n_bad == 0 and n_filled:
            values = np.array([np.nan if a is None else a for a in [*numbers, None]])
            return without(values[text.codes], self.context.missing)
        if is_mistake(n_bad, n_filled):
            row = int(is_bad[text.codes].argmax())
            cell = text.levels[text.codes[row]]
            others = [text.levels[i] for i in np.flatnonzero(is_bad)]
            raise ValueError(
                not_a_number(self.context, self.name, int(lines[row]), cell, n_bad, others)
            )
        if n_bad < NUMERIC_SHARE * n_filled:
            self._say_mixed(text, is_bad, n_bad, n_filled)
        return text

    def _say_mixed(self, text: Levels, is_bad: np.ndarray, n_bad: int, n_filled: int) -> None:
        examples = [repr(text.levels[i]) for i in np.flatnonzero(is_bad)[:3]]
        self.context.notices.append(
            f"{self.name}: {n_bad:,} of {count(n_filled, 'cell')} are not numbers "
            f"({', '.join(examples)}), so the column is read as text."
        )


class SkippedColumn:
    """A column that is not read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Do nothing."""

    def finish(self, lines: np.ndarray) -> np.ndarray:
        """Return missing values."""
        return np.full(len(lines), np.nan)


AnyColumn = NumberColumn | LevelColumn | SkippedColumn


def is_mistake(n_bad: int, n_filled: int) -> bool:
    """Return whether so few of the filled cells are not numbers that they are mistakes."""
    return n_bad <= (1 - NUMERIC_SHARE) * n_filled or (n_bad == 1 and n_filled > 2)


def without(values: np.ndarray, missing: Missing) -> np.ndarray:
    """Replace numbers that the user declared as missing."""
    if missing.numbers:
        values[np.isin(values, list(missing.numbers))] = np.nan
    return values


def not_a_number(
    context: Context, name: str, line: int, cell: str, n_bad: int, bad: Sequence[str]
) -> str:
    """Return the message about a cell that should be a number, and others of its column."""
    others = ""
    if n_bad > 1:
        examples = [repr(other[:40]) for other in dict.fromkeys(bad) if other != cell]
        like = f", such as {', '.join(examples[:3])}" if examples else ""
        others = f" (and {count(n_bad - 1, 'more cell')} of the column{like})"
    quoted = shlex.quote(name)
    return (
        f"{context.place(line, name)}: {cell[:40]!r} is not a number{others}; fix it, or use "
        f"--na {shlex.quote(cell[:40])} (missing), --categorical {quoted} or --ignore {quoted}"
    )
