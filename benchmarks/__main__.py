"""`python -m benchmarks [NAME...] [--small]`: run benchmarks, each in its own process.

Without a name, all benchmarks in `USUAL` run; the others take long and run by name.
"""

from __future__ import annotations

import subprocess
import sys

USUAL = ("scale", "peers", "growth", "kernels", "startup")
KNOWN = (*USUAL, "waiting", "cluster", "memmap", "mixed", "leaves")


def main(arguments: list[str]) -> int:
    """Run the named benchmarks; return an exit code."""
    names = [word for word in arguments if not word.startswith("-")]
    options = [word for word in arguments if word.startswith("-")]
    unknown = sorted({*names, *options} - {*KNOWN, "--small"})
    if unknown:
        options = [*KNOWN, "--small"]
        print(
            f"must be one of {', '.join(options)}, got {', '.join(unknown)}",
            file=sys.stderr,
        )
        return 2
    commands = [[sys.executable, "-m", f"benchmarks.{name}", *options] for name in names or USUAL]
    return max(subprocess.call(command) for command in commands)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
