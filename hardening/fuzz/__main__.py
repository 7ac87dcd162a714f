"""`python -m hardening.fuzz [TARGET ...] [--seconds N] [--seed N] [--record]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # forks of a process with threads may hang


def main() -> int:
    """Run the targets one after the other, each for its share of the time."""
    from hardening import record
    from hardening.fuzz.runner import fuzz
    from hardening.fuzz.targets import ALL

    parser = argparse.ArgumentParser(prog="python -m hardening.fuzz", description=__doc__)
    parser.add_argument(
        "targets",
        nargs="*",
        default=list(ALL),
        help=", ".join(ALL),
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="for all targets together")
    parser.add_argument(
        "--seed",
        type=int,
        default=int(time.time()),
        help="default: the time",
    )
    parser.add_argument("--record", action="store_true", help="add the numbers to the docs page")
    options = parser.parse_args()
    unknown = [name for name in options.targets if name not in ALL]
    if unknown:
        parser.error(f"unknown target {unknown[0]!r}; there are {', '.join(ALL)}")
    print(f"seed {options.seed}", flush=True)
    n_faults = 0
    share = options.seconds / len(options.targets)
    for name in options.targets:
        with tempfile.TemporaryDirectory() as folder:
            outcome = fuzz(ALL[name], share, options.seed, Path(folder))
        print(
            f"{name:11} {outcome.n_inputs:9,} inputs in {outcome.seconds:6.0f} s, "
            f"{len(outcome.faults)} faults",
            flush=True,
        )
        for fault in outcome.faults:
            print(f"  {fault.path}\n{fault.what}", flush=True)
        n_faults += len(outcome.faults)
        if options.record:
            record.add_fuzz(name, outcome.n_inputs, outcome.seconds, len(outcome.faults))
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
