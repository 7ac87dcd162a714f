"""Settings of all tests: Hypothesis without deadlines, one OpenMP thread, no silent skips."""

import os

from hypothesis import settings

# Workers share the cores, and OpenMP's threads burn time while they wait for each other: t-SNE
# takes five times longer with two. Before anything that reads it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("urerf", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True)
settings.load_profile("urerf")  # --hypothesis-profile=quick chooses the other one

# How the reason of a skipped test in the browser begins (tests/report/browser.py).
NO_BROWSER = "no browser: "


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
