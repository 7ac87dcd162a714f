import json
import os
import signal
import subprocess
import sys
import time

import pytest

from urerf.paper import engine, store, tasks
from urerf.paper.store import Store
from urerf.paper.tasks import score_cell

SLOW_RUN = """
import sys, time
from pathlib import Path
from urerf.paper import engine, tasks
from urerf.paper.store import Store

def slow(cell, n_jobs):
    time.sleep(0.1)
    print("computed", cell["seed"], flush=True)
    return [{"seed": cell["seed"], "value": cell["seed"] ** 2}]

tasks.TASKS["slow"] = slow
cells = [{"task": "slow", "seed": seed, "n": 1, "noise": 0} for seed in range(20)]
if __name__ == "__main__":
    with engine.open_lanes(1) as lanes:
        engine.run(cells, Store(Path(sys.argv[1])), lanes, lambda cell: None)
"""


def small(method="euclidean", seed=0, **settings):
    return score_cell("linear", method, seed=seed, ks=[5], n=60, **settings)


def run_all(cells, folder, jobs=1):
    done = []
    with engine.open_lanes(jobs) as lanes:
        engine.run(cells, Store(folder), lanes, done.append)
    return done


def test_kill_9_loses_at_most_the_running_cell(tmp_path):
    command = [sys.executable, "-c", SLOW_RUN, str(tmp_path)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300  # on a busy machine the import alone takes its time
    while len(list(tmp_path.glob("*.json"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(first.pid, signal.SIGKILL)
    said = set(first.communicate()[0].splitlines())
    kept = len(list(tmp_path.glob("*.json")))
    assert 4 <= kept < 20
    assert len(said) <= kept + 1
    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(again) == 20 - kept  # only what was missing
    results = [json.loads(path.read_text()) for path in tmp_path.glob("*.json")]
    assert sorted(result["rows"][0]["value"] for result in results) == [
        seed**2 for seed in range(20)
    ]


def test_a_second_run_computes_nothing(tmp_path, monkeypatch):
    cells = [small(seed=seed) for seed in range(3)]
    assert len(run_all(cells, tmp_path)) == 3
    monkeypatch.setitem(tasks.TASKS, "score", lambda cell, n_jobs: pytest.fail("computed again"))
    assert run_all(cells, tmp_path) == cells


def test_cells_shared_by_experiments_are_computed_once(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setitem(tasks.TASKS, "score", lambda cell, n_jobs: calls.append(cell) or [])
    run_all([small(), small(), small(seed=1)], tmp_path)
    assert len(calls) == 2


@pytest.mark.parametrize("change", ["version", "library", "code", "settings"])
def test_stale_results_are_not_found(tmp_path, monkeypatch, change):
    cell = small()
    run_all([cell], tmp_path)
    assert Store(tmp_path).has(cell)
    if change == "version":
        monkeypatch.setattr(store, "library_version", lambda name: "99" if name == "urerf" else "1")
    elif change == "library":
        monkeypatch.setattr(
            store, "library_version", lambda name: "99" if name == "scikit-learn" else "1"
        )
    elif change == "code":
        monkeypatch.setattr(store, "code_hash", lambda forest: "other")
    else:
        cell = cell | {"noise": 1}
    assert not Store(tmp_path).has(cell)


def test_only_the_forest_depends_on_the_forest_code(monkeypatch):
    monkeypatch.setattr(store, "code_hash", lambda forest: "forest" if forest else "common")
    assert store.provenance(small("urerf_paper"))["code"] == "forest"
    assert store.provenance(small("umap"))["code"] == "common"
    assert "umap-learn" in store.provenance(small("umap"))


def test_a_torn_file_is_never_seen(tmp_path):
    (tmp_path / "0123.77.tmp").write_text(
        '{"cell": {"task"'
    )  # what a kill in mid-write leaves behind
    cell = small()
    run_all([cell], tmp_path)
    assert Store(tmp_path).get(cell)[0]["k"] == 5


def test_processes_give_the_same_rows_and_compiled_methods_share_one(tmp_path):
    cells = [small(seed=seed) for seed in range(3)]
    assert len(run_all(cells, tmp_path / "two", jobs=2)) == 3
    run_all(cells, tmp_path / "one")
    for cell in cells:
        assert Store(tmp_path / "two").get(cell) == Store(tmp_path / "one").get(cell)


def test_lanes_keep_umap_in_the_first_process(tmp_path, monkeypatch):
    where = []

    class Lane:
        def __init__(self, number):
            self.number = number

        def submit(self, function, cell, *rest):
            from concurrent.futures import Future

            where.append((cell["method"], self.number))
            future = Future()
            future.set_result(None)
            return future

    cells = [
        small(method, seed=seed)
        for seed in range(4)
        for method in ("umap", "euclidean", "pynndescent")
    ]
    engine.run(cells, Store(tmp_path), [Lane(0), Lane(1)], lambda cell: None)
    assert len(where) == 12
    assert {lane for method, lane in where if method != "euclidean"} == {0}


def test_progress_is_silent_without_a_terminal(capsys):
    cells = [small(), small(seed=1)]
    with engine.progress(cells) as done:
        for cell in cells:
            done(cell)
    assert capsys.readouterr() == ("", "")
