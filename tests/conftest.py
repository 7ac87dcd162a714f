"""Settings of all tests: Hypothesis without deadlines, fresh kernels, no silent skips."""

import hashlib
import os
from pathlib import Path

from hypothesis import settings

settings.register_profile("urerf", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("urerf")

# How the reason of a skipped test in the browser begins (tests/report/browser.py).
NO_BROWSER = "no browser: "
KERNELS = Path(__file__).parents[1] / "src" / "urerf" / "kernels"


def _drop_stale_machine_code() -> None:
    """Delete all compiled kernels if any of their sources has changed.

    Numba compiles a kernel again when its own file changes, but not when a file it calls does.
    """
    sources = b"".join(path.read_bytes() for path in sorted(KERNELS.glob("*.py")))
    digest = hashlib.sha256(sources).hexdigest()
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", KERNELS / "__pycache__"))
    stamp = cache / "sources.sha256"
    if stamp.exists() and stamp.read_text() == digest:
        return
    for path in cache.rglob("*.nb[ic]"):
        path.unlink(missing_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest)


_drop_stale_machine_code()


def pytest_unconfigure(config):
    """Say, as the last line, that tests in the browser were skipped and how to run them."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    skipped = [reason for reason in reasons if NO_BROWSER in reason]
    if skipped:
        reason = skipped[0].split(NO_BROWSER, 1)[1].rstrip("')")
        reporter.write_line(f"{len(skipped)} tests in the browser were skipped: {reason}")
