"""`python -m examples [NAME...]`: run examples and write their pages; all if none is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas as pd

from examples import NAMES, Result
from urerf.lab.canvas import save
from urerf.lab.writing import fixed, made_by, write_frame, write_text

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"


def tables(table: pd.DataFrame) -> str:
    """Return one table per score, with one column per number of noise columns."""
    parts = []
    for score in table.columns[3:]:
        means = table.pivot_table(score, ["data", "method"], "noise columns", sort=False)
        means = means.rename(columns="{:,}".format)
        parts.append(f"{score[0].upper()}{score[1:]}, by the number of noise columns:")
        parts.append(write_frame(means, fixed(2)))
    return "\n\n".join(parts)


def page(name: str, module: ModuleType, result: Result) -> str:
    """Return the page of an example: its docstring, figure, numbers and code."""
    title, _, text = (module.__doc__ or "").partition("\n")
    code = Path(str(module.__file__)).read_text(encoding="utf-8").split('"""\n', 1)[1].strip()
    sections = [
        f"# {title.rstrip('.')}",
        text.strip(),
        f"![{title}]({name}.png)",
        tables(result.table),
        made_by(f"python -m examples {name}"),
        "## The code",
        f"```python\n{code}\n```",
    ]
    return "\n\n".join(sections) + "\n"


def main(names: Sequence[str]) -> int:
    """Run the named examples; return an exit code."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        message = f"must be one of {', '.join(NAMES)}, got {', '.join(unknown)}"
        print(message, file=sys.stderr)
        return 2
    GALLERY.mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        module = import_module(f"examples.{name}")
        result = module.run()
        save(result.figure, GALLERY / f"{name}.png")
        write_text(GALLERY / f"{name}.md", page(name, module, result))
        print(f"{name}\n\n{tables(result.table)}\n")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
