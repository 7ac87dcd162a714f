"""What one run of a command reads, fits and prints. Results go to stdout, notices to stderr."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count, one_line

from .column_options import ColumnChoices
from .file_options import FileChoices
from .forest_options import ForestChoices

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.files import FileData


@dataclass
class Session:
    """One run of a command."""

    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
    quiet: Annotated[
        bool,
        typer.Option("-q", "--quiet", help="Print no notices and no progress."),
    ] = False
    started: float = field(default_factory=time.perf_counter, init=False)

    def notify(self, *texts: str) -> None:
        """Print notices to stderr."""
        if not self.quiet:
            for text in texts:
                typer.echo(f"urerf: {one_line(text)}", err=True)

    def step(self, text: str) -> None:
        """Tell a user at a terminal what is being done."""
        if sys.stderr.isatty():
            self.notify(f"{text} ...")

    def limit_neighbors(self, k: int, n_rows: int, rows: str = "other row") -> int:
        """Return k, at most the number of rows that can be neighbors; say so if it is fewer."""
        if k <= n_rows:
            return k
        is_or_are = "is" if n_rows == 1 else "are"
        self.notify(
            f"there {is_or_are} only {count(n_rows, rows)}, so every row gets "
            f"{count(n_rows, 'neighbor')} instead of {k:,}"
        )
        return n_rows

    @contextlib.contextmanager
    def warnings(self) -> Iterator[None]:
        """Within this block, print warnings as notices."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, *_, **__: self.notify(str(message))
            yield

    def write(self, columns: dict[str, Any], out: str, labels: Any = None) -> None:
        """Write columns, and the labels of the rows if there are any."""
        from urerf.files.write import write_columns  # start-up time

        if labels is not None:
            columns["label"] = labels
        write_columns(columns, out, self.json)

    def summarize(self, out: str, text: str, **facts: Any) -> None:
        """Say what was written to a file, for people or, with --json, for programs."""
        if out == "-":
            return
        seconds = round(time.perf_counter() - self.started, 1)
        if self.json:
            record = {**facts, "out": out, "seconds": seconds}
            typer.echo(json.dumps(record))
        else:
            written = one_line(f"{out}: {text}")
            typer.echo(f"{written} ({seconds} s)")


@dataclass
class ReadingSession(FileChoices, ColumnChoices, Session):
    """A run that reads a table."""

    def read(self, files: list[str]) -> FileData:
        """Read the files and print the notices about them."""
        from urerf.files import read_files  # start-up time

        names = ["the standard input" if name == "-" else name for name in files]
        self.step(f"reading {', '.join(names)}")
        missing = self.missing.value
        columns = self.column_options()
        data = read_files(files, columns, self.file_options(), missing=missing)
        self.notify(*data.notices)
        return replace(data, ordered=self.ordered)


@dataclass
class FittingSession(ForestChoices, ReadingSession):
    """A run that grows a forest on a table."""

    def fit(self, data: FileData) -> URerF:
        """Grow the forest; the library's warnings become notices."""
        from urerf import URerF  # start-up time
        from urerf.parameters import resolve_n_estimators

        model = URerF(
            n_estimators=self.trees,
            feature_weighting=self.weighting.value,
            random_state=self.seed,
            n_jobs=self.jobs,
            verbose=int(not self.quiet),
        )
        n_rows = len(data.rows)
        trees = count(resolve_n_estimators(model, n_rows), "tree")
        rows = count(n_rows, "row")
        self.step(f"growing {trees} on {rows} and {count(data.n_features, 'column')}")
        with self.warnings():
            frame = data.frame._replace(row_names=data.row_names())
            return model.fit(frame, groups=data.groups, ordered=data.ordered)
