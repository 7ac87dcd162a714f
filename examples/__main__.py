"""`python -m examples [NAME...]`: run examples and write their pages; all if none is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from examples import NAMES, Result
from urerf.lab.canvas import save
from urerf.lab.writing import made_by, markdown, write_text

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"


def table(rows: Sequence[dict[str, Any]], score: str) -> str:
    """Return one of the scores as a Markdown table with one column per number of noise columns."""
    noises = list(dict.fromkeys(row["noise columns"] for row in rows))
    lines: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        line = lines.setdefault((row["data"], row["method"]), [])
        line.append(f"{row[score]:.2f}")
    head = ["data", "method", *(f"{noise:,}" for noise in noises)]
    return markdown(head, [[*names, *values] for names, values in sorted_by_data(lines)])


def sorted_by_data(lines: dict[tuple[str, str], list[str]]) -> list[Any]:
    """Return the lines of each data set together, in the order of their first occurrence."""
    data = list(dict.fromkeys(name for name, _ in lines))
    return sorted(lines.items(), key=lambda line: data.index(line[0][0]))


def tables(rows: Sequence[dict[str, Any]]) -> str:
    """Return one table per score."""
    scores = [key for key in rows[0] if key not in ("data", "method", "noise columns")]
    return "\n\n".join(
        f"{score[0].upper()}{score[1:]}, by the number of noise columns:\n\n{table(rows, score)}"
        for score in scores
    )


def page(name: str, module: ModuleType, result: Result) -> str:
    """Return the page of an example: its docstring, figure, numbers and code."""
    title, _, text = (module.__doc__ or "").partition("\n")
    code = Path(str(module.__file__)).read_text(encoding="utf-8").split('"""\n', 1)[1].strip()
    sections = [
        f"# {title.rstrip('.')}",
        text.strip(),
        f"![{title}]({name}.png)",
        tables(result.rows),
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
        print(f"{name}\n\n{tables(result.rows)}\n")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
