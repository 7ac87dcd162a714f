"""What one run of a command reads, fits and prints. Results go to stdout, notices to stderr."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import typer

from urerf._messages import count, one_line

from .options import FileOptions, ForestOptions, InputOptions, Json, Quiet

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.files import FileData
    from urerf.stability import Stability


@dataclass
class Session:
    """One run of a command."""

    json: Json = False
    quiet: Quiet = False
    started: float = field(default_factory=time.perf_counter, init=False)

    def notify(self, text: str) -> None:
        """Print a notice to stderr."""
        if not self.quiet:
            typer.echo(f"urerf: {one_line(text)}", err=True)

    def step(self, text: str) -> None:
        """Tell a user at a terminal what is being done."""
        if sys.stderr.isatty():
            self.notify(f"{text} ...")

    def read(self, files: list[str], columns: InputOptions, layout: FileOptions) -> FileData:
        """Read the files and print the notices about them."""
        from urerf.files import read_files  # start-up time

        names = ["the standard input" if name == "-" else name for name in files]
        self.step(f"reading {', '.join(names)}")
        missing = columns.missing.value
        data = read_files(files, columns.columns(), layout.options(), missing=missing)
        data = replace(data, ordered=columns.ordered)
        self.notify_all(data)
        return data

    def notify_all(self, data: FileData) -> None:
        """Print the notices of a file."""
        for notice in data.notices:
            self.notify(notice)

    def fit(self, data: FileData, options: ForestOptions) -> URerF:
        """Grow the forest; the library's warnings become notices."""
        from urerf import URerF  # start-up time
        from urerf.parameters import resolve_n_estimators

        model = URerF(
            n_estimators=options.trees,
            feature_weighting=options.weighting.value,
            random_state=options.seed,
            n_jobs=options.jobs,
            verbose=int(not self.quiet),
        )
        n_rows = len(data.rows)
        trees = count(resolve_n_estimators(model, n_rows), "tree")
        rows = count(n_rows, "row")
        self.step(f"growing {trees} on {rows} and {count(data.n_features, 'column')}")
        with self.warnings():
            frame = data.frame._replace(row_names=data.row_names())
            return model.fit(frame, groups=data.groups, ordered=data.ordered)

    def limit_neighbors(self, k: int, n_rows: int, rows: str = "other row") -> int:
        """Return k, at most the number of rows that can be neighbors; say so if it is fewer."""
        if k <= n_rows:
            return k
        self.notify(
            f"there are only {count(n_rows, rows)}, so every row gets "
            f"{count(n_rows, 'neighbor')} instead of {k:,}"
        )
        return n_rows

    def stability(self, model: URerF, n_neighbors: int) -> Stability | None:
        """Return how repeatable the neighbors are; None for a table too small or too large."""
        from urerf.stability import stability_if_quick  # start-up time

        self.step("growing two more forests to see how stable the neighbors are")
        return stability_if_quick(model, n_neighbors)

    @contextlib.contextmanager
    def warnings(self) -> Iterator[None]:
        """Within this block, print warnings as notices."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = self._show_warning
            yield

    def _show_warning(self, message: Any, *_: Any, **__: Any) -> None:
        self.notify(str(message))

    def summarize(self, facts: dict[str, Any], text: str) -> None:
        """Print what was done, for people or, with --json, for programs."""
        seconds = round(time.perf_counter() - self.started, 1)
        if self.json:
            typer.echo(json.dumps({**facts, "seconds": seconds}))
        else:
            typer.echo(f"{one_line(text)} ({seconds} s)")
