"""`python -m hardening.page`: write docs/design/tried.md from the recorded numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hardening import record
from urerf.lab.writing import markdown

PAGE = Path(__file__).parents[1] / "docs" / "design" / "tried.md"
WHAT = {
    "text": "separated text in all dialects",
    "json": "JSON and JSON lines",
    "packed": "gzip, bzip2, xz, zstd and ZIP",
    "archives": "XLSX, ODS and ZIP, repacked with correct checksums",
    "numpy": "NPY and NPZ, dense and sparse",
    "arrow": "Parquet and Arrow (Feather)",
    "statistics": "Stata, SPSS and SAS",
    "h5ad": "H5AD",
    "model": "model files with correct checksums",
    "fit": "arrays and parameters",
    "frame": "data frames with cells of any kind",
    "command": "command lines",
}
START = """# What has been tried

<!-- Written by `python -m hardening.page` from hardening/record.json; edit that module instead. -->

This page is for contributors. The folder `hardening` contains programs that try to break urerf.
Every number on this page was recorded by the command next to it.
"""
FUZZ = """## Hostile inputs

`make fuzz SECONDS=600`, or `python -m hardening.fuzz --seconds N --record`; the counts of all
recorded runs are added.
Each input runs in a worker process with
limits of 30 seconds and 3 GiB. A *fault* is a crash, a hang, a traceback, or a message that
does not name the file or the argument.
Inputs that showed a fault stay in `hardening/fuzz/corpus` and are replayed by
`tests/hardening/test_fuzz.py`. The faults in the table were found by
the recorded runs, and are fixed.
"""


def main() -> None:
    """Write the page."""
    numbers = record.load()
    sections = [
        START,
        FUZZ + _fuzz_table(numbers["fuzz"]),
        _soak(numbers["soak"]),
        _mutants(numbers["mutants"], numbers["explained"]),
        _coverage(numbers["coverage"]),
    ]
    PAGE.write_text("\n".join(sections))


def _fuzz_table(runs: dict[str, Any]) -> str:
    rows = []
    for name, what in WHAT.items():
        run = runs[name]
        rows.append([what, run["inputs"], run["seconds"], run["faults"]])
    _, *counts = zip(*rows)
    rows.append(["**all**", *map(sum, counts)])
    head = ["target", "inputs", "seconds", "faults found"]
    return "\n" + markdown(head, rows, _with_commas) + "\n"


def _with_commas(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int) else cell


def _soak(run: dict[str, Any]) -> str:
    memory = run["memory_mb"]
    handles = run["handles"]
    faults = "; ".join(run["faults"]) or "none"
    return f"""## Long runs

`make soak MINUTES=60`: fit, query, save, load and report in one process, with tables that grow
and shrink between 50 and 3,000 rows.
The recorded run took {run["minutes"]} minutes and {run["cycles"]} cycles. After a quarter of
the time and at the end, memory was
{memory[0]} and {memory[1]} MB, open handles {handles[0]} and {handles[1]}, threads
{run["threads"][0]} and {run["threads"][1]};
{run["files"]} temporary files were left. Faults: {faults}.
"""


def _mutants(run: dict[str, Any], explained: dict[str, str]) -> str:
    share = 100 * run["noticed"] / max(1, run["tried"])
    text = f"""## Planted faults

`make mutants`: a seeded sample of {run["sample"]} of {run["possible"]:,} small faults that can
be planted in relevance, columns, forest, graph, geodesic, fitted and estimator.
For each, those tests of its module run that execute the line.
Tried so far: {run["tried"]}; noticed: {run["noticed"]} ({share:.0f} %).
The command can be resumed. Tests were added for faults of this sample that survived at
first, so another sample (`--seed`) may do worse.
"""
    if run["survivors"]:
        text += "\nFaults that were not noticed, and why:\n\n"
        for key in run["survivors"]:
            text += f"- `{key}`: {explained.get(key, 'not yet explained')}\n"
    return text


def _coverage(run: dict[str, Any]) -> str:
    tests = "all tests that are not slow"
    if run["arguments"]:
        tests = f"a subset of the tests, with the arguments\n`{run['arguments']}`"
    text = f"""## Lines that tests execute

`make coverage`: {run["percent"]} % of {run["lines"]:,} statements outside the compiled kernels,
by {tests}.
The modules with the lowest coverage:
"""
    lowest = sorted(run["lowest"].items(), key=lambda item: item[1])
    return f"{text}\n{markdown(['module', '%'], lowest, str)}\n"


if __name__ == "__main__":
    main()
