"""Reader for separated text, which needs only the standard library and NumPy."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from itertools import chain, islice

from urerf._messages import UnknownNameError

from .layout import Row
from .options import ReadOptions, Roles
from .rows import read_rows
from .separators import DIRECTIVE, find_separator, make_reader
from .source import Source
from .table import RawTable

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Lines that are examined: enough for a title and a typical page of data.
SAMPLE_LINES = 200
# Characters in the lines that are examined: with thousands of columns a few lines are enough.
SAMPLE_CHARACTERS = 1 << 16
FEWEST_LINES = 5
# A ruled line below the column names, as in Markdown and in what databases print.
RULE = re.compile(r"(?:[ |+:]*+[-=]{3,}+| *+\|[ :]*+-{1,2}[ :]*+\|)[-=|+: ]*+\s*+")
NAMES = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


def read_text(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read separated text of any encoding, separator and number format."""
    encoding = find_encoding(source, options.encoding)
    separator = _given_separator(options.sep)
    if separator is None:
        lines = _first_lines(source, encoding, options.skip)
        separator = find_separator(lines, options.decimal)

    def open_rows() -> Iterator[Row]:
        return _rows(source, encoding, separator, options.skip)

    return read_rows(open_rows, source.name, options, roles, separator=separator)


def find_encoding(source: Source, given: str | None) -> str:
    """Return the encoding of a file: that of its byte order mark, or else UTF-8."""
    if given is not None:
        try:
            io.TextIOWrapper(io.BytesIO(), encoding=given)
        except (LookupError, ValueError):  # also codecs that are not for text, such as zlib
            raise UnknownNameError(
                f"--encoding: {given!r} is not a known encoding; use utf-8, cp1252 or utf-16"
            ) from None
        return "utf-8-sig" if codecs.lookup(given).name == "utf-8" else given
    start = source.start(256)
    for mark, encoding in MARKS:
        if start.startswith(mark):
            return encoding
    # Text in UTF-16 without a mark: every other byte of Latin letters is zero.
    fewest_zeros = len(start) / 3
    if start[1::2].count(0) > fewest_zeros:
        return "utf-16-le"
    if start[0::2].count(0) > fewest_zeros:
        return "utf-16-be"
    return "utf-8"


def _open(source: Source, encoding: str) -> io.TextIOWrapper:
    """Open as text; a byte that is not UTF-8 becomes a lone surrogate, repaired later."""
    errors = "surrogateescape" if encoding.startswith("utf-8") else "strict"
    beginning = source.start(SAMPLE_CHARACTERS)
    newline = "\n" if b"\n" in beginning else ""
    return io.TextIOWrapper(source.open(), encoding=encoding, errors=errors, newline=newline)


def _given_separator(text: str | None) -> str | None:
    if text is None:
        return None
    separator = NAMES.get(text.lower(), text)
    if len(separator) != 1 or separator in '\r\n"':
        raise UnknownNameError(f"--sep: must be one character, tab or space, got {text!r}")
    return separator


def _first_lines(source: Source, encoding: str, n_skipped: int) -> list[str]:
    with _open(source, encoding) as text:
        lines = []
        n_characters = 0
        all_lines = _lines(text, source.name, n_skipped)
        for line in filter(str.strip, all_lines):
            lines.append(line)
            n_lines = len(lines)
            n_characters += len(line)
            is_enough = n_characters > SAMPLE_CHARACTERS and n_lines >= FEWEST_LINES
            if is_enough or n_lines == SAMPLE_LINES:
                break
    return lines


def _lines(text: io.TextIOWrapper, name: str, n_skipped: int) -> Iterator[str]:
    try:
        for line in islice(text, n_skipped, None):
            if "\0" in line:  # some programs write it for an empty cell
                line = line.replace("\0", "")
            if RULE.fullmatch(line):
                line = "\n"
            if "\r" in line and '"' not in line:  # in a cell of a file with other line ends
                line = line.rstrip("\r\n").replace("\r", " ") + "\n"
            yield line
    except UnicodeError:
        raise ValueError(
            f"{name}: is not {text.encoding} text; say what it is with --encoding"
        ) from None


def _rows(
    source: Source,
    encoding: str,
    separator: str,
    n_skipped: int,
) -> Iterator[Row]:
    """Yield every row; a blank line has no cells, but a quoted empty cell is one."""
    with _open(source, encoding) as text:
        lines = _lines(text, source.name, n_skipped)
        if separator == " ":
            lines = (line.strip() + "\n" for line in lines)
        first = next(lines, "")
        if DIRECTIVE.fullmatch(first):
            first = "\n"
        reader = make_reader(chain([first], lines), separator)
        try:
            for cells in reader:
                is_blank_line = len(cells) == 1 and cells[0].isspace()
                yield Row(n_skipped + reader.line_num, [] if is_blank_line else cells)
        except csv.Error as error:
            line = n_skipped + reader.line_num
            raise ValueError(f"{source.name}: line {line}: {error}") from None
