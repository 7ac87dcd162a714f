"""Names of columns, completed in the shell: ``urerf report data.csv --label sp<TAB>``."""

from __future__ import annotations

import contextlib
import os

import typer


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the file named so far that begin with what is typed.

    Whatever goes wrong, a shell that completes must not show an error.
    """
    with contextlib.suppress(Exception):
        from urerf.files.header import column_names  # start-up time

        # Of an option that still lacks its value, Typer leaves what was typed before it in args.
        parsed = ctx.params.get("files") or []
        typed = [*parsed, *ctx.args]
        files = [name for name in typed if os.path.isfile(name)]
        names = column_names(files[-1]) if files else []
        return [name for name in names if name.startswith(incomplete)]
    return []
