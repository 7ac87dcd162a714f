"""Workers that are killed while they work, and one that joins: the same bits, and nothing is lost."""

import importlib
import os
import signal
from contextlib import suppress

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from urerf import URerF
from urerf.dask import DaskURerF, fitted
from urerf.datasets import add_noise, make_helix

pytestmark = pytest.mark.xdist_group("dask")

FEW = {"n_estimators": 6, "n_neighbors": 5, "random_state": 5}


@pytest.fixture(scope="module")
def client():
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="2GB"
    )
    # A LocalCluster loses count of workers that were killed more than once: it would give them up
    # after 15 s, ...
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        Client(cluster) as client,
    ):
        yield client
    with suppress(KeyError):  # ... and says so when it is closed
        cluster.close()


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(400, random_state=0).X, 5, random_state=0)


@pytest.fixture(scope="module")
def expected(X):
    return URerF(**FEW).fit(X).kneighbors()


def plant_bomb(task: str, fallen: str) -> None:
    """Run in a worker: its next task of that name kills it, unless one has fallen before. A new worker has no bomb."""
    tasks = importlib.import_module("urerf.dask.tasks")
    harmless = getattr(tasks, task)

    def bomb(*arguments):
        try:
            os.close(os.open(fallen, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return harmless(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(tasks, task, bomb)


def neighbours(model):
    return dask.compute(*model.kneighbors())


def assert_same(found, expected):
    for a, b in zip(found, expected):
        assert a.tobytes() == b.tobytes()


def test_workers_killed_while_fitting(client, X, expected, tmp_path):
    """One while it grows trees, the other while it finds leaves."""
    for task in ("grow_trees", "apply_trees"):
        client.run(plant_bomb, task, str(tmp_path / task))
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(90, 8)))
    assert (tmp_path / "grow_trees").exists()
    assert (tmp_path / "apply_trees").exists()
    assert_same(neighbours(model), expected)


@pytest.mark.parametrize("task", ["nearest_in_index", "nearest_in_cuts"])
def test_worker_killed_while_making_the_graph(client, X, expected, task, tmp_path, monkeypatch):
    """What the worker held of the fitted model dies with it, and is made again."""
    monkeypatch.setattr(
        fitted, "fits_every_worker", lambda client, size: task == "nearest_in_index"
    )
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(90, 8)))
    client.wait_for_workers(2)
    client.run(plant_bomb, task, str(tmp_path / "fallen"))
    assert_same(neighbours(model), expected)
    assert (tmp_path / "fallen").exists()


def test_all_workers_killed_between_fit_and_neighbours(client, X, expected):
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(90, 8)))
    before = client.run(os.getpid)
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)
    assert_same(neighbours(model), expected)
    assert not set(client.run(os.getpid).values()) & set(before.values())


def test_worker_joins(client, X, expected):
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(30, 8)))
    client.cluster.scale(3)
    assert_same(neighbours(model), expected)
    client.wait_for_workers(3)
    again = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(30, 8)))
    np.testing.assert_array_equal(again.forest_.cut, model.forest_.cut)
    assert_same(neighbours(again), expected)
