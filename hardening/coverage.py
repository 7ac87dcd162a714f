"""`python -m hardening.coverage [-n N]`: which lines the tests execute, except for kernels.

Other arguments go to pytest.

Kernels are compiled, so Python does not see their lines; their twins in `tests/oracle.py` and
`make test-bounds` are what guards them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from hardening import record

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "build" / "coverage.json"
SETTINGS = """
[run]
source = urerf
omit = */urerf/kernels/*
parallel = true
sigterm = true
patch = subprocess
[report]
exclude_also =
    if TYPE_CHECKING:
    raise AssertionError
    ^ *\\.\\.\\.$
"""
LOWEST = 15  # modules on the page


def main() -> int:
    """Run the tests that are not slow under coverage; record the result."""
    parser = argparse.ArgumentParser(prog="python -m hardening.coverage", description=__doc__)
    parser.add_argument("-n", type=int, default=0, help="processes that run the tests")
    options, selected = parser.parse_known_args()
    REPORT.parent.mkdir(exist_ok=True)
    settings = REPORT.with_name("coveragerc")
    settings.write_text(SETTINGS)
    environment = {**os.environ, "COVERAGE_FILE": str(REPORT.with_name(".coverage"))}
    coverage = [sys.executable, "-m", "coverage"]
    common = [f"--rcfile={settings}"]
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *selected]
    if options.n:
        tests += ["-n", str(options.n), "--dist", "loadgroup"]
    code = subprocess.call([*coverage, "run", *common, *tests], cwd=ROOT, env=environment)
    for command in (["combine"], ["json", "-q", "-o", str(REPORT)]):
        subprocess.check_call([*coverage, *command, *common], cwd=ROOT, env=environment)
    files = json.loads(REPORT.read_text())
    shares = {
        path.split("urerf/", 1)[1]: round(file["summary"]["percent_covered"], 1)
        for path, file in files["files"].items()
        if file["summary"]["num_statements"]
    }
    lowest = dict(sorted(shares.items(), key=lambda item: item[1])[:LOWEST])
    numbers = {
        "percent": round(files["totals"]["percent_covered"], 1),
        "lines": files["totals"]["num_statements"],
        "arguments": " ".join(selected),
        "lowest": lowest,
    }
    print(json.dumps(numbers, indent=1))
    record.save("coverage", numbers)
    return code


if __name__ == "__main__":
    sys.exit(main())
