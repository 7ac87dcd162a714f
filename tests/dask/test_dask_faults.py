"""DaskURerF gives the same bits if workers are killed or join while it runs."""

import os
import pkgutil
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

# Neighbors that are ranked by paths are found in one process.
FEW = {"n_estimators": 6, "n_neighbors": 5, "similarity": "blend", "random_state": 5}


@pytest.fixture(scope="module")
def client():
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="2GB"
    )
    # A LocalCluster loses track of workers that are killed more than once: it would give them up
    # after 15 seconds, and raises a KeyError when it is closed.
    patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
    with patience, Client(cluster) as client:
        yield client
    with suppress(KeyError):
        cluster.close()


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(400, random_state=0).X, 5, random_state=0)


@pytest.fixture(scope="module")
def expected(X):
    return URerF(**FEW).fit(X).kneighbors()


def die_in(owner: str, task: str, flag: str) -> None:
    """Make the next task of that name kill its worker; to be run on every worker.

    ``owner`` is the module or the class that the task belongs to.

    Only the first worker that can create the file ``flag`` dies. Workers that start later run the
    task as usual.
    """
    tasks = pkgutil.resolve_name(owner)
    original = getattr(tasks, task)

    def deadly(*arguments, **options):
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return original(*arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(tasks, task, deadly)


def neighbors(model):
    return dask.compute(*model.kneighbors())


def assert_same(found, expected):
    for a, b in zip(found, expected):
        assert a.tobytes() == b.tobytes()


def test_workers_killed_while_fitting(client, X, expected, tmp_path):
    """One dies while it grows trees, the other while it finds leaves."""
    for owner, task in (("urerf.dask.tasks", "grow_trees"), ("urerf.forest:Forest", "apply")):
        client.run(die_in, owner, task, str(tmp_path / task))
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(90, 8)))
    assert (tmp_path / "grow_trees").exists()
    assert (tmp_path / "apply").exists()
    assert_same(neighbors(model), expected)


@pytest.mark.parametrize("task", ["nearest_in_index", "nearest_in_cuts"])
def test_a_worker_killed_while_finding_neighbors(client, X, expected, task, tmp_path, monkeypatch):
    """The part of the model that the worker held is computed again."""
    broadcast = task == "nearest_in_index"
    monkeypatch.setattr(fitted, "fits_every_worker", lambda client, size: broadcast)
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(90, 8)))
    client.wait_for_workers(2)
    client.run(die_in, "urerf.dask.tasks", task, str(tmp_path / "killed"))
    assert_same(neighbors(model), expected)
    assert (tmp_path / "killed").exists()


def test_all_workers_killed_between_fit_and_kneighbors(client, X, expected):
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(90, 8)))
    before = client.run(os.getpid)
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)
    assert_same(neighbors(model), expected)
    assert not set(client.run(os.getpid).values()) & set(before.values())


def test_a_worker_that_joins(client, X, expected):
    model = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(30, 8)))
    client.cluster.scale(3)
    assert_same(neighbors(model), expected)
    client.wait_for_workers(3)
    again = DaskURerF(client=client, **FEW).fit(da.from_array(X, chunks=(30, 8)))
    np.testing.assert_array_equal(again.forest_.cut, model.forest_.cut)
    assert_same(neighbors(again), expected)


def test_a_client_that_was_closed_is_an_error():
    with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        model = DaskURerF(client=client, **FEW).fit(np.arange(80.0).reshape(40, 2))
    with pytest.raises(ConnectionError, match=r"client: the scheduler at .* is gone"):
        model.kneighbors(n_neighbors=3)
