"""Options that several commands share; commands import them from here."""

from __future__ import annotations

from typing import Annotated

import typer

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help=(
            "CSV or other text, JSON, XLSX, ODS, Parquet, Arrow, NPY, NPZ, H5AD, Stata, SPSS or "
            "SAS, also compressed; - for stdin."
        ),
    ),
]
Neighbors = Annotated[
    int,
    typer.Option("-k", "--neighbors", min=1, metavar="K", help="Number of neighbors per row."),
]
Methods = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Only these methods, separated by commas."),
]
TableOut = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="Output file: .csv, .tsv, .json or .parquet; - for stdout.",
    ),
]
GraphOut = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help=(
            "Output file: .csv, .tsv, .json or .parquet for a list of edges, "
            ".npz for a SciPy sparse matrix; - for stdout."
        ),
    ),
]


def names_in(text: str | None) -> list[str] | None:
    """Return the names in a list separated by commas, or None.

    >>> names_in("urerf,euclidean"), names_in(None)
    (['urerf', 'euclidean'], None)
    """
    return text.split(",") if text else None


def examples(*lines: str) -> str:
    r"""Return the end of a help page.

    >>> print(examples("urerf fit data.csv"))
    <BLANKLINE>
    Examples:
    <BLANKLINE>
      urerf fit data.csv
    """
    return "\nExamples:\n" + "".join(f"\n  {line}" for line in lines)
