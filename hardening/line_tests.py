"""Which tests execute a line, and how long they take: the tests that a planted fault has to pass.

Tests run in forks of a process that has already imported the packages they need and loaded the
kernels. Each file of tests runs once under coverage without a fault. A fault is then tried with
the tests that execute its line, the quickest first: others cannot notice it. What a fixture
executes counts for all tests of its file. What a model that tests share computes only once counts
for the first of them alone, so such a fault may be noticed less often than by running all tests.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings

import coverage

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "mutants"
PACKAGE = WORK / "src" / "urerf"  # the copy in which faults are planted
PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]
PYTEST += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins are imported before
# With what these import; the modules of urerf themselves are then forgotten.
IMPORTED = ["urerf.cli", "urerf.estimator", "scipy.stats", "sklearn.datasets", "typer.testing"]
IMPORTED += ["pandas", "polars", "hypothesis.extra.numpy", "sklearn.utils.estimator_checks"]
# A test with a fault may run endlessly. The machine may be busier than when it was measured.
PATIENCE = 30.0  # seconds
SLOWER = 10.0  # times
MEMORY = 8 << 30  # bytes of address space: a fault must not take the machine with it


class Timing(NamedTuple):
    """The tests of one file: seconds of each, and which of them execute each line."""

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]  # module, line, names of tests


def warm_up() -> None:
    """Import what tests need, except for the modules of urerf in which faults are planted."""
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (PACKAGE.parent, ROOT, ROOT / "tests")))
    os.environ["NUMBA_CACHE_DIR"] = str(WORK / "cache")
    os.environ["OMP_NUM_THREADS"] = "1"
    os.chdir(ROOT)
    sys.path[:0] = [str(PACKAGE.parent), str(ROOT / "tests")]
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("urerf.warmup").compile_kernels()
    for name in [name for name in sys.modules if name.split(".")[0] == "urerf"]:
        if not name.startswith("urerf.kernels"):
            del sys.modules[name]
    gc.freeze()  # collecting what was imported takes a second in every fork
    # Shrinking makes a failure readable; here only the failure counts.
    settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),  # coverage is slow
    )


class _Measure:
    """Plugin of pytest: how long each test takes, and which lines it executes."""

    def __init__(self) -> None:
        self.coverage = coverage.Coverage(
            data_file=None,
            config_file=False,
            source=[str(PACKAGE)],
        )
        self.seconds: dict[str, float] = {}

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Forget cached results, which would hide lines from all tests but the first."""
        for name, module in list(sys.modules.items()):
            if name.startswith("urerf.relevance"):
                for value in vars(module).values():
                    if hasattr(value, "cache_clear"):
                        value.cache_clear()
        self.coverage.switch_context(f"{item.nodeid}|setup")

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Attribute lines to the test."""
        self.coverage.switch_context(f"{item.nodeid}|call")

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Attribute lines to nothing."""
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of the test and of its fixtures."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def timing(self) -> Timing:
        """Return what was measured."""
        data = self.coverage.get_data()
        lines: dict[str, dict[str, list[str]]] = {}
        for path in data.measured_files():
            module = str(Path(path).relative_to(PACKAGE))
            lines[module] = {
                str(line): sorted(self._tests(contexts))
                for line, contexts in data.contexts_by_lineno(path).items()
            }
        return Timing(self.seconds, lines)

    def _tests(self, contexts: list[str]) -> set[str]:
        """Return the tests of some contexts; fixtures may be shared by all tests of the file."""
        if any(context.endswith("|setup") for context in contexts):
            return set(self.seconds)
        return {context.rsplit("|", 1)[0] for context in contexts if context}


class _Select:
    """Plugin of pytest: run these tests, the quickest first; keep the name of one that fails."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort the tests."""
        items[:] = [item for item in items if item.nodeid in self.seconds]
        items.sort(key=lambda item: self.seconds[item.nodeid])

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Kill this process if the test takes far longer than without the fault."""
        signal.alarm(round(PATIENCE + SLOWER * self.seconds[item.nodeid]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name of the test that fails."""
        if report.failed:
            self.failed = report.nodeid


@functools.cache
def measure(tests: Path) -> Timing:
    """Run a file of tests without a fault, unless this was done for the same sources."""
    name = tests.relative_to(ROOT)
    digest = hashlib.sha256()
    for path in [tests, *sorted(PACKAGE.rglob("*.py"))]:
        digest.update(path.read_bytes())
    stored = WORK / "timing" / f"{str(name).replace('/', '-')}-{digest.hexdigest()[:16]}.json"
    if not stored.exists():
        stored.parent.mkdir(exist_ok=True)
        print("measure ", name, flush=True)

        def run() -> Any:
            plugin = _Measure()
            plugin.coverage.start()
            code = pytest.main([*PYTEST, str(tests)], plugins=[plugin])
            plugin.coverage.stop()
            if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                return None
            return plugin.timing()

        timing = forked(run)
        if timing is None:
            raise RuntimeError(f"{name}: fails without a fault; see {WORK / 'output.txt'}")
        stored.write_text(json.dumps(timing))
    return Timing(*json.loads(stored.read_text()))


def first_failure(module: str, lines: range, timings: list[Timing]) -> str | None:
    """Return the test that notices the fault in these lines of a module; None if there is none."""
    seconds: dict[str, float] = {}
    for timing in timings:
        executed = timing.lines.get(module, {})
        names = {name for line in lines for name in executed.get(str(line), [])}
        if not names and any(str(line) in executed for line in lines):
            # Executed while the module was imported: all tests, if one of them uses the module.
            names = set(timing.seconds) if any(executed.values()) else set()
        seconds.update({name: timing.seconds[name] for name in names})
    if not seconds:
        return None
    chosen = sorted({name.split("::")[0] for name in seconds})

    def run() -> str | None:
        plugin = _Select(seconds)
        code = pytest.main([*PYTEST, *chosen], plugins=[plugin])
        return plugin.failed or (None if code == pytest.ExitCode.OK else "collection")

    return forked(run, otherwise="time limit or crash")


def forked(function: Callable[[], Any], otherwise: Any = None) -> Any:
    """Return the result of a function that runs in a fork of this process, as JSON values.

    If the fork dies, return `otherwise`.
    """
    answer = WORK / f"answer-{os.getpid()}.json"
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        output = os.open(WORK / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        try:
            answer.write_text(json.dumps(function()))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    try:
        os.waitpid(child, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):  # what the tests started
            os.killpg(child, signal.SIGKILL)
    if not answer.exists():
        return otherwise
    result = json.loads(answer.read_text())
    answer.unlink()
    return result
