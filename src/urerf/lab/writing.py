"""Write results: Markdown tables and pages, CSV files, and the line that says what made them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from urerf._output import replacing

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# Names that are not the key with spaces.
SHORT_NAMES = {
    "gaussian_mixture": "mixture",
    "heavy_tailed": "heavy-tailed",
    "helix_in_20": "helix in 20 columns",
    "ten_turns": "helix of ten turns",
}


@cache
def library_version(name: str) -> str:
    """Return the version of an installed distribution, "none" if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def made_by(command: str) -> str:
    """Return a sentence with the command and the versions that made a result."""
    python = platform.python_version()
    versions = ", ".join(f"{name} {library_version(name)}" for name in PACKAGES)
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    return f"Made by `{command}` with Python {python}, {versions}; {machine}."


def short_name(name: str) -> str:
    """Return the name of a data set or of a kind of noise as used in text."""
    return SHORT_NAMES.get(name, name.replace("_", " "))


def short(value: Any, digits: int = 3) -> str:
    """Return a number without its leading zero; anything else as it is.

    Examples
    --------
    >>> short(0.9849), short(1.0), short(-0.05, 2), short(float("nan")), short("text")
    ('.985', '1.000', '-.05', '-', 'text')
    """
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return "-"
    text = f"{value:.{digits}f}"
    if abs(value) < 1:
        text = text.replace("0.", ".", 1)
    return text


def markdown(
    head: Sequence[str],
    rows: Iterable[Sequence[Any]],
    show: Callable[[Any], str] = short,
) -> str:
    """Return a Markdown table, its first column left-aligned and the others right-aligned."""
    alignment = ["---"] + ["---:"] * (len(head) - 1)
    lines = []
    for cells in (head, alignment, *rows):
        shown = " | ".join(map(show, cells))
        lines.append(f"| {shown} |")
    return "\n".join(lines)


def write_frame(frame: Any, show: Callable[[Any], str] = short) -> str:
    """Return a DataFrame as a Markdown table, its index first."""
    flat = frame.reset_index()
    return markdown(list(flat), flat.to_numpy(dtype=object), show)


def met(is_met: bool) -> str:
    """Say whether a target is met."""
    return "met" if is_met else "missed"


def fixed(digits: int) -> Callable[[Any], str]:
    """Return a function that writes numbers with so many digits, and everything else as it is."""

    def write(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.{digits}f}"
        return str(value)

    return write


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is seen complete or not at all."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_csv(
    path: Path,
    rows: Any,
    command: str,
    float_format: str | None = None,
) -> None:
    """Write a DataFrame or a list of dicts; the first line is a comment with the command."""
    import pandas as pd  # optional

    table = pd.DataFrame(rows)
    text = table.to_csv(
        index=False,
        float_format=float_format,
        lineterminator="\n",
    )
    write_text(path, f"# {made_by(command)}\n{text}")


def write_page(path: Path, title: str, command: str, *sections: str) -> Path:
    """Write a Markdown page of sections."""
    parts = [f"# {title}", made_by(command), *sections]
    write_text(path, "\n\n".join(parts) + "\n")
    return path
