"""Options that several commands share, and what they all do with them."""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.files import Table


class Missing(StrEnum):
    """What to do with missing values."""

    handle = "handle"
    error = "error"
    drop = "drop"


class Weighting(StrEnum):
    """How columns are drawn."""

    relevance = "relevance"
    uniform = "uniform"


INPUT = "The file"
FOREST = "The forest"
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, NPY, NPZ, Parquet, Arrow or H5AD, also gzipped; - for stdin.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column that names the rows; no feature.", rich_help_panel=INPUT
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column that labels the rows; no feature.", rich_help_panel=INPUT
    ),
]
Ignore = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN", help="Column to leave out; may be repeated.", rich_help_panel=INPUT
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="The first line names the columns, or not (default: judged by the first two lines).",
        show_default=False,
        rich_help_panel=INPUT,
    ),
]
MissingValues = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Missing values: let the forest handle them, refuse, drop their rows.",
        rich_help_panel=INPUT,
    ),
]
Neighbors = Annotated[
    int, typer.Option("-k", "--neighbors", min=1, metavar="K", help="Neighbours of every row.")
]
Trees = Annotated[
    int, typer.Option(min=1, metavar="N", help="Trees of the forest.", rich_help_panel=FOREST)
]
Weights = Annotated[
    Weighting,
    typer.Option(
        "--weighting",
        help="Trees look at columns that carry structure, or at all alike.",
        rich_help_panel=FOREST,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="The same seed, the same result.", rich_help_panel=FOREST
    ),
]
Jobs = Annotated[
    int, typer.Option(metavar="N", help="Threads; -1 for all cores.", rich_help_panel=FOREST)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No notices and no progress on stderr.")]
TableOut = Annotated[
    str,
    typer.Option(
        "-o", "--out", metavar="FILE", help="Where to: .csv, .tsv, .json, .parquet; - for stdout."
    ),
]
GraphOut = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="Where to: .csv, .tsv, .json or .parquet for a list of edges, .npz for a SciPy sparse matrix, "
        "- for stdout.",
    ),
]


@dataclass
class FileOptions:
    """How to read the file."""

    id: Id = None
    label: Label = None
    ignore: Ignore = field(default_factory=list)
    header: Header = None
    missing: MissingValues = Missing.handle


@dataclass
class ForestOptions:
    """How to grow the forest."""

    trees: Trees = 300
    weighting: Weights = Weighting.relevance
    seed: Seed = 0
    jobs: Jobs = -1


def examples(*lines: str) -> str:
    r"""Make the end of a help page.

    >>> print(examples("urerf fit data.csv"))
    <BLANKLINE>
    Examples:
    <BLANKLINE>
      urerf fit data.csv
    """
    return "\nExamples:\n" + "".join(f"\n  {line}" for line in lines)


@dataclass
class Session:
    """One run of a command: what it says, and how."""

    json: Json = False
    quiet: Quiet = False
    started: float = field(default_factory=time.perf_counter, init=False)

    def say(self, text: str) -> None:
        """Say what the user should know."""
        if not self.quiet:
            typer.echo(f"urerf: {text}", err=True)

    def step(self, text: str) -> None:
        """Say what is being done, to somebody who is watching."""
        if sys.stderr.isatty():
            self.say(f"{text} ...")

    @property
    def seconds(self) -> float:
        """Time since the command began."""
        return round(time.perf_counter() - self.started, 1)

    def read(self, files: list[str], how: FileOptions) -> Table:
        """Read the table, and pass on what was noticed."""
        from urerf.files import read_table

        self.step(
            "reading " + ", ".join("the standard input" if name == "-" else name for name in files)
        )
        table = read_table(files, **{**vars(how), "missing": how.missing.value})
        for notice in table.notices:
            self.say(notice)
        return table

    def fit(self, table: Table, how: ForestOptions) -> URerF:
        """Grow the forest; the library's warnings become notices."""
        from urerf import URerF

        model = URerF(
            n_estimators=how.trees,
            feature_weighting=how.weighting.value,
            random_state=how.seed,
            n_jobs=how.jobs,
            verbose=int(not self.quiet),
        )
        rows, columns = table.values.shape
        self.step(f"growing {how.trees} trees on {rows} rows and {columns} columns")
        with self.warnings():
            return model.fit(table.values)

    @contextlib.contextmanager
    def warnings(self) -> Iterator[None]:
        """Within this block, say warnings as notices."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, *_, **__: self.say(
                " ".join(str(message).split())
            )
            yield

    def summary(self, facts: dict[str, Any], text: str) -> None:
        """Print what was done, for people or for programs."""
        import json

        typer.echo(
            json.dumps({**facts, "seconds": self.seconds})
            if self.json
            else f"{text} ({self.seconds} s)"
        )


def structure(model: URerF) -> int:
    """Count the columns that carry structure."""
    return int((model.feature_relevance_ > 0).sum())


def count(n: int, what: str) -> str:
    """Write a number of things.

    >>> count(1, "row"), count(1000, "column")
    ('1 row', '1,000 columns')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"
