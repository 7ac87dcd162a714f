import json
import os
import signal
import subprocess
import sys
import time

import pytest

from urerf.lab import engine
from urerf.lab.store import Store
from urerf.lab.trial import Trial

SLOW_RUN = """
import sys, time
from dataclasses import dataclass
from pathlib import Path
from urerf.lab import engine
from urerf.lab.store import Store
from urerf.lab.trial import Trial

@dataclass(frozen=True)
class Slow(Trial):
    def score(self, n_jobs):
        time.sleep(0.1)
        print("computed", self.seed, flush=True)
        return [{"value": self.seed ** 2}]

engine.run([Slow("linear", seed=seed) for seed in range(20)], Store(Path(sys.argv[1])))
"""


def small(seed=0, **settings):
    return Trial("linear", "euclidean", seed, ks=(5,), n=60, **settings)


def run_all(trials, folder, jobs=1):
    done = []
    engine.run(trials, Store(folder), jobs, done.append)
    return done


def test_kill_9_loses_at_most_the_running_trial(tmp_path):
    command = [sys.executable, "-c", SLOW_RUN, str(tmp_path)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300  # on a busy machine the import alone takes its time
    while len(list(tmp_path.glob("[!.]*.json"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(first.pid, signal.SIGKILL)
    printed = set(first.communicate()[0].splitlines())
    complete = list(tmp_path.glob("[!.]*.json"))
    kept = len(complete)
    assert 4 <= kept < 20
    assert len(printed) <= kept + 1
    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(again) == 20 - kept  # only what was missing
    complete = list(tmp_path.glob("[!.]*.json"))
    values = [json.loads(path.read_text())["rows"][0]["value"] for path in complete]
    assert sorted(values) == [seed**2 for seed in range(20)]


def test_a_second_run_computes_nothing(tmp_path, monkeypatch):
    trials = [small(seed) for seed in range(3)]
    assert len(run_all(trials, tmp_path)) == 3
    monkeypatch.setattr(Trial, "score", lambda trial, n_jobs: pytest.fail("computed again"))
    assert run_all(trials, tmp_path) == trials


def test_equal_trials_are_computed_once(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(Trial, "score", lambda trial, n_jobs: calls.append(trial) or [])
    run_all([small(), small(), small(1)], tmp_path)
    assert len(calls) == 2


def test_processes_give_the_same_rows(tmp_path):
    trials = [small(seed) for seed in range(3)]
    assert len(run_all(trials, tmp_path / "two", jobs=2)) == 3
    run_all(trials, tmp_path / "one")
    for trial in trials:
        assert Store(tmp_path / "two").get(trial) == Store(tmp_path / "one").get(trial)


def test_timed_trials_run_last_and_in_this_process(tmp_path, monkeypatch):
    order = []
    compute = engine.compute

    def watched(trial, store, n_jobs):
        order.append(trial.measure)
        return compute(trial, store, n_jobs)

    monkeypatch.setattr(engine, "compute", watched)
    run_all([small(measure="runtime", cores=1), small()], tmp_path)
    assert order == ["precision", "runtime"]


def test_progress_is_silent_without_a_terminal(capsys):
    trials = [small(), small(1)]
    with engine.progress(trials) as done:
        for trial in trials:
            done(trial)
    assert capsys.readouterr() == ("", "")
