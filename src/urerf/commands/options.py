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


INPUT, FOREST = "The file", "The forest"
Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="CSV, TSV, NPY, NPZ, Parquet, Arrow or H5AD, also gzipped; - for stdin."),
]
Id = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column that names the rows; no feature.", rich_help_panel=INPUT)
]
Label = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column that labels the rows; no feature.", rich_help_panel=INPUT)
]
Ignore = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated.", rich_help_panel=INPUT)
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
        "--missing", help="Missing values: let the forest handle them, refuse, drop their rows.", rich_help_panel=INPUT
    ),
]
Neighbors = Annotated[int, typer.Option("-k", "--neighbors", min=1, metavar="K", help="Neighbours of every row.")]
Trees = Annotated[int, typer.Option(min=1, metavar="N", help="Trees of the forest.", rich_help_panel=FOREST)]
Weights = Annotated[
    Weighting,
    typer.Option(
        "--weighting", help="Trees look at columns that carry structure, or at all alike.", rich_help_panel=FOREST
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="The same seed, the same result.", rich_help_panel=FOREST)]
Jobs = Annotated[int, typer.Option(metavar="N", help="Threads; -1 for all cores.", rich_help_panel=FOREST)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No notices and no progress on stderr.")]


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
    """One run of a command: what it was told about file and forest, and what it says on stderr."""

    quiet: bool = False
    started: float = field(default_factory=time.perf_counter)

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

    def read(
        self,
        files: list[str],
        id: str | None,
        label: str | None,
        ignore: list[str],
        header: bool | None,
        missing: Missing,
    ) -> Table:
        """Read the table, and pass on what was noticed."""
        from urerf.files import read_table

        self.step("reading " + ", ".join("the standard input" if name == "-" else name for name in files))
        table = read_table(files, id=id, label=label, ignore=ignore, header=header, missing=missing.value)
        for notice in table.notices:
            self.say(notice)
        return table

    def fit(self, table: Table, trees: int, weighting: Weighting, seed: int, jobs: int, **settings: Any) -> URerF:
        """Grow the forest; the library's warnings become notices."""
        from urerf import URerF

        model = URerF(
            n_estimators=trees,
            feature_weighting=weighting.value,
            random_state=seed,
            n_jobs=jobs,
            verbose=int(not self.quiet),
            **settings,
        )
        rows, columns = table.values.shape
        self.step(f"growing {trees} trees on {rows} rows and {columns} columns")
        with self.warnings():
            return model.fit(table.values)

    @contextlib.contextmanager
    def warnings(self) -> Iterator[None]:
        """Within this block, say warnings as notices."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, *_, **__: self.say(" ".join(str(message).split()))
            yield

    def summary(self, facts: dict[str, Any], text: str, as_json: bool) -> None:
        """Print what was done, for people or for programs."""
        import json

        typer.echo(json.dumps({**facts, "seconds": self.seconds}) if as_json else f"{text} ({self.seconds} s)")


def structure(model: URerF) -> int:
    """Count the columns that carry structure."""
    return int((model.feature_relevance_ > 0).sum())


def count(n: int, what: str) -> str:
    """Write a number of things.

    >>> count(1, "row"), count(1000, "column")
    ('1 row', '1,000 columns')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"
