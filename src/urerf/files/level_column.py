"""A column of text in a text file, filled chunk by chunk."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from itertools import compress
from itertools import count as counter
from typing import Any

import numpy as np

from urerf._messages import count
from urerf.kinds.convert import Levels, keep_levels, merged, number_text, per_level
from urerf.kinds.dates import parse_dates
from urerf.schema import NUMBER

from .._typing import Array
from .cells import MOST_EXAMPLES, NUMERIC_SHARE, Context, is_mistake, shown
from .missing import NONE
from .number_formats import (
    CODE,
    PLAIN,
    are_codes,
    find_format,
    lacks_unit,
    looks_numeric,
    parse_one,
)
from .options import LABEL

# Levels that are looked at to see whether a text column contains numbers at all.
SAMPLED_LEVELS = 1000
# A number with something after it: 5.2K, 1.5 ± 0.1, 170 cm; but 15A is a name.
MEASURE = re.compile(r"\W{0,3}\d+(?:[.,]\d+(?:[^\d.,]+\d+[.,]\d+)?\D*| (?P<word>[A-Za-zµ°]+))")
TRUE_OR_FALSE = {"true", "false"}


class LevelColumn:
    """A column of text; all cells together decide whether it is one of numbers.

    Only different cells are kept, so that a category costs four bytes per row. ``kind`` is what was
    declared, if anything; ``began_with_numbers`` says that the first rows are numbers.
    """

    def __init__(
        self,
        name: str,
        context: Context,
        kind: Any = None,
        began_with_numbers: bool = False,
    ) -> None:
        self.name = name
        self.context = context
        self.missing = context.missing.of(name)
        self.kind = kind
        self.began_with_numbers = began_with_numbers
        self.form = PLAIN  # of the numbers, if it is a column of numbers
        self.code_of: defaultdict[str, int] = defaultdict(counter().__next__)
        self.parts: list[Array] = []

    def add(self, cells: Sequence[str]) -> None:
        """Add the next cells."""
        codes = map(self.code_of.__getitem__, cells)
        part = np.fromiter(codes, dtype=np.int32, count=len(cells))
        self.parts.append(part)

    def extend(self, other: LevelColumn) -> None:
        """Add all cells of another column."""
        own_codes = [self.code_of[cell] for cell in other.code_of]
        codes = np.array(own_codes, dtype=np.int32)
        self.parts += [codes[part] for part in other.parts]

    def finish(self, lines: Array) -> Any:
        """Return the levels, or numbers if that is what the cells are."""
        text = self._text()
        if self.kind == NUMBER:
            return self._as_numbers(text, lines)
        if self.kind == LABEL:
            return self._with_plain_numbers(text)
        if self.kind is not None:
            return text
        if are_codes(text.levels):
            self._tell_codes(text)
        elif self.began_with_numbers or _may_be_numbers(text):
            return self._as_numbers(text, lines)
        else:
            self._tell_measures(text)
        return text

    def _text(self) -> Levels:
        """Return the cells as levels."""
        codes = np.concatenate(self.parts)
        self.parts.clear()
        cells = self.code_of
        stripped = (cell.strip() for cell in cells)
        levels = tuple(map(self.context.repair, stripped))
        is_filled = [not self.missing.in_words(cell, among=cells) for cell in cells]
        text = Levels(codes, levels)
        filled = keep_levels(text, is_filled)
        different = merged(filled)
        return _without_none(different)

    def _as_numbers(self, text: Levels, lines: Array) -> Any:
        """Return numbers if nearly all cells are, in one format; otherwise the text."""
        form, _ = find_format(text.levels, self.context.formats)
        parsed = [parse_one(level, form) for level in text.levels]
        numbers = np.array(parsed, dtype=np.float64)
        is_filled = [not self.missing.in_numbers(level) for level in text.levels]
        is_bad = np.isnan(numbers) & is_filled
        bad_rows = per_level(text, is_bad)
        filled_rows = per_level(text, is_filled)
        n_bad = int(np.nansum(bad_rows))
        n_filled = int(np.nansum(filled_rows))
        if n_bad == 0 and n_filled:
            self.form = form
            values = per_level(text, numbers)
            self._tell_units(text, np.array(is_filled))
            return self.missing.remove_from(values)
        bad_levels = list(compress(text.levels, is_bad))
        if self.kind == NUMBER or is_mistake(self.name, n_bad, n_filled):
            first_row = np.nanargmax(bad_rows)
            line = int(lines[first_row])
            raise self.context.not_a_number(self.name, line, bad_levels, n_bad)
        has_numbers = n_bad < NUMERIC_SHARE * n_filled
        if has_numbers:
            self._tell_text(bad_levels, n_bad, n_filled)
        return text

    def _tell_units(self, text: Levels, is_number: Array) -> None:
        lack_unit = [lacks_unit(level, self.form) for level in text.levels]
        without_unit = per_level(text, is_number & lack_unit)
        n_without = int(np.nansum(without_unit))
        n_numbers = int(np.nansum(per_level(text, is_number)))
        self.context.tell_units(self.name, self.form.unit, n_without, n_numbers)

    def _with_plain_numbers(self, text: Levels) -> Levels:
        """Return labels such as 1,5 or $5 as 1.5 and 5, if all of them are numbers but no codes."""
        form, n_read = find_format(text.levels, self.context.formats)
        are_plain = form == PLAIN
        if are_plain or n_read < len(text.levels) or are_codes(text.levels):
            return text
        numbers = [parse_one(level, form) for level in text.levels]
        levels = [number_text(number) for number in numbers if number is not None]
        self.form = form
        self._tell_units(text, np.ones(len(levels), bool))
        return merged(text._replace(levels=tuple(levels)))

    def _tell_codes(self, text: Levels) -> None:
        codes = filter(CODE.fullmatch, text.levels)
        example = shown(next(codes))
        column = shlex.quote(self.name)
        self.context.notices.append(
            f"{self.name}: digits such as {example} are read as codes; if they are "
            f"numbers, use --number {column}."
        )

    def _tell_measures(self, text: Levels) -> None:
        measures = _measures(text)
        if measures and parse_dates(text.levels) is None:
            quoted = [repr(shown(level)) for level in measures[:2]]
            examples = " and ".join(quoted)
            self.context.notices.append(
                f"{self.name}: is read as text, although cells such as {examples} begin with "
                "numbers; write them as numbers in one unit to use them as such."
            )

    def _tell_text(self, bad: Sequence[str], n_bad: int, n_filled: int) -> None:
        quoted = [repr(shown(level)) for level in bad[:MOST_EXAMPLES]]
        examples = ", ".join(quoted)
        remedy = ""
        if len(bad) == 1:
            na = shlex.quote(f"{self.name}={bad[0]}")
            remedy = f"; if that stands for a missing value, use --na {na}"
        cells = count(n_filled, "cell")
        self.context.notices.append(
            f"{self.name}: {n_bad:,} of {cells} are not numbers "
            f"({examples}), so the column is read as text{remedy}."
        )


def _without_none(text: Levels) -> Levels:
    """Leave "none" out where it is not a level: among dates, and among true and false."""
    is_kept = [level.lower() != NONE for level in text.levels]
    others = keep_levels(text, is_kept)
    in_lower_case = {level.lower() for level in others.levels}
    are_true_or_false = in_lower_case == TRUE_OR_FALSE
    if are_true_or_false or parse_dates(others.levels) is not None:
        return others
    return text


def _measures(text: Levels) -> list[str]:
    """Return the levels that are numbers with something after them, if most are; otherwise none.

    Units repeat; in 0 Control, 1 Treated and 2 Placebo, every code has its own word.
    """
    sample = text.levels[:SAMPLED_LEVELS]
    matches = list(filter(None, map(MEASURE.fullmatch, sample)))
    words = [match["word"] or "" for match in matches]  # none after 1.5
    are_different = len(set(words)) == len(words)
    are_labels = "" not in words and are_different
    are_most = 2 * len(matches) > len(sample) > 1
    if are_labels or not are_most:
        return []
    return [match[0] for match in matches]


def _may_be_numbers(text: Levels) -> bool:
    """Return whether enough of the levels are numbers to look at all of them."""
    sample = text.levels[:SAMPLED_LEVELS]
    n_numeric = sum(map(looks_numeric, sample))
    fewest = (1 - NUMERIC_SHARE) * len(sample)
    return n_numeric > fewest
