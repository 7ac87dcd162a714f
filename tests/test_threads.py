"""Tasks in threads: in order, all or none, and ended at once by Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from functools import partial

import joblib
import pytest

from urerf._threads import in_order, n_threads, run


def test_results_come_in_the_order_of_the_tasks():
    gate = threading.Event()

    def first():
        assert gate.wait(10)
        return "first"

    def second():
        gate.set()
        return "second"

    assert run([first, second], 2) == ["first", "second"]
    assert run([partial(int, x) for x in range(100)], 3) == list(range(100))
    assert run([], 2) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_task_runs_in_the_main_thread(n_jobs):
    found = run([threading.current_thread] * 6, n_jobs)
    assert threading.main_thread() not in found
    assert len(set(found)) <= n_jobs
    assert not any(thread.is_alive() for thread in found)


def test_one_task_at_a_time_needs_no_thread_elsewhere():
    found = []
    other = threading.Thread(target=lambda: found.extend(run([threading.current_thread] * 2, 1)))
    other.start()
    other.join()
    assert found == [other, other]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_error_of_a_task_is_raised_and_ends_the_others(n_jobs):
    begun = []

    def task(x):
        begun.append(x)
        time.sleep(0.01 * x)
        return 1 // x

    with pytest.raises(ZeroDivisionError):
        run([partial(task, x) for x in [1, 0, *[1] * 1000]], n_jobs)
    assert len(begun) < 1000


def test_no_task_is_begun_after_closing():
    begun = []
    gate = threading.Event()

    def task(x):
        begun.append(x)
        return x if x < 3 else gate.wait(10)

    with closing(in_order([partial(task, x) for x in range(100)], 1)) as results:
        assert [next(results) for _ in range(3)] == [0, 1, 2]
    gate.set()
    for thread in threading.enumerate():
        if thread.name.startswith("urerf"):
            thread.join(10)
    assert begun in ([0, 1, 2], [0, 1, 2, 3])


def test_joblib_says_how_many_threads():
    assert n_threads(None) == 1
    assert n_threads(3) == 3
    assert n_threads(-1) == joblib.cpu_count()
    with joblib.parallel_config(backend="threading", n_jobs=4):
        assert n_threads(None) == 4
        assert n_threads(2) == 2
    with joblib.parallel_config(backend="loky", n_jobs=4):
        assert n_threads(2) == 2


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from urerf import URerF

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
ONE_TREE = dict(n_estimators=1, min_samples_split=2, max_samples=None)
n_jobs = int(sys.argv[1])
X = np.random.default_rng(0).normal(size=(20_000, 10)).astype(np.float32)
few = dict(feature_weighting="uniform", n_jobs=n_jobs, random_state=0)
fitted = URerF(300, max_samples=60, **few).fit(X)
fitted.kneighbors(X[:5])
many = np.tile(X, (25, 1))
gaps = np.where(X > 1.0, np.nan, X)
wide = np.random.default_rng(0).normal(size=(2000, 6000)).astype(np.float32)
works = {
    "growing": lambda model: model.set_params(n_estimators=100_000, max_samples=60).fit(X),
    "applying": lambda model: model.set_params(n_estimators=300, max_samples=60).fit(many),
    "filling": lambda model: model.fit(gaps),
    "relevance": lambda model: model.set_params(feature_weighting="relevance").fit(wide),
    "neighbors": lambda model: fitted.kneighbors(),
    "paths": lambda model: fitted.geodesic_distances(),
    # last, because its thread goes on for a while
    "one large tree": lambda model: model.set_params(**ONE_TREE).fit(many),
}
for name, work in works.items():
    for wait in (0.02, 0.2):
        model, sent = URerF(**few), []

        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(wait, interrupt)
        try:
            timer.start()  # on a busy machine, the signal may arrive before this returns
            work(model)
            print(name, "was too short")
        except KeyboardInterrupt:
            took = time.monotonic() - sent[0]
            ended = "ended late" if took > 5.0 else "ended"  # a second on an idle machine
            print(name, ended, hasattr(model, "forest_"))
        except BaseException as error:
            print(name, repr(error))
        timer.join()
print("through", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c(n_jobs):
    """Real SIGINTs during long fits: KeyboardInterrupt, soon, and nothing half fitted."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(n_jobs)], stdout=subprocess.PIPE, text=True
    )
    try:
        said, _ = process.communicate(timeout=120)
    finally:
        process.send_signal(signal.SIGKILL)
    *ended, last = said.splitlines()
    assert last == "through"
    assert len(ended) == 14
    assert {" ".join(line.split()[-2:]) for line in ended} == {"ended False"}, ended
    assert process.returncode == 0


@pytest.fixture
def limited(monkeypatch):
    """Return a function that limits the number of threads that can be started."""

    def limit(n):
        start = threading.Thread.start
        left = [n]

        def start_if_allowed(thread):
            if not left[0]:
                raise RuntimeError("can't start new thread")
            left[0] -= 1
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", start_if_allowed)

    return limit


def test_fewer_threads_than_asked_for_are_enough(limited):
    limited(1)
    assert run([partial(int, x) for x in range(20)], 4) == list(range(20))


def test_no_thread_at_all_is_a_clear_error(limited):
    limited(0)
    with pytest.raises(OSError, match=r"^n_jobs: the system starts no more threads; raise its"):
        run([partial(int, x) for x in range(20)], 4)


def test_threads_that_die_silently_do_not_hang(monkeypatch):
    """As happens when memory is exhausted: not even the error can be passed on."""
    monkeypatch.setattr(threading.Thread, "run", lambda thread: None)
    with pytest.raises(MemoryError, match="all threads ended"):
        run([partial(int, x) for x in range(20)], 2)
