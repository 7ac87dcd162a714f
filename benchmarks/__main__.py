"""`python -m benchmarks [NAME...]`: run benchmarks, each in a process of its own; without a name all of them."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import benchmarks


def main(names: list[str]) -> int:
    """Run the named benchmarks; return an exit code."""
    known = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not module.name.startswith("_")]
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    codes = [subprocess.call([sys.executable, "-m", f"benchmarks.{name}"]) for name in names or known]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
