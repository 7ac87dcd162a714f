"""`python -m benchmarks [NAME...] [--small]`: run benchmarks, each in a process of its own.

Without a name those of speed run. The others, which other pages rest on, run by their names.
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import benchmarks

SPEED = ("scale", "peers", "growth", "kernels", "shortcuts", "speed", "startup")


def main(arguments: list[str]) -> int:
    """Run the named benchmarks; return an exit code."""
    names = [word for word in arguments if not word.startswith("-")]
    options = [word for word in arguments if word.startswith("-")]
    known = [
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if not module.name.startswith("_")
    ]
    unknown = sorted(set(names) - set(known)) + sorted(set(options) - {"--small"})
    if unknown:
        print(
            f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(known)}, --small",
            file=sys.stderr,
        )
        return 2
    return max(
        subprocess.call([sys.executable, "-m", f"benchmarks.{name}", *options])
        for name in names or SPEED
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
