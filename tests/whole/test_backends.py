"""URerF with other joblib backends gives the same bits, wherever the trees grow."""

import joblib
import pytest
from distributed import Client, LocalCluster

from urerf import URerF
from urerf.datasets import add_noise, make_helix

pytestmark = pytest.mark.xdist_group("dask")


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(300, random_state=0).X, 5, random_state=0)


def answers(X, **settings):
    model = URerF(n_estimators=6, random_state=0, **settings).fit(X)
    return (
        *model.kneighbors(),
        model.forest_.cut,
        model.feature_weights_,
        model.apply(X),
        model.proximity(X[:5]),
    )


def assert_same(found, expected):
    for a, b in zip(found, expected):
        assert a.tobytes() == b.tobytes()


def test_dask_grows_the_same_trees(X):
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        client.get_task_stream()  # starts recording
        with joblib.parallel_config(backend="dask"):
            found = answers(X)
        keys = [record["key"] for record in client.get_task_stream()]
        trees = [key for key in keys if "_grow_one" in key]
        with joblib.parallel_config(backend="dask"):
            assert_same(answers(X, n_jobs=2, verbose=1), found)
    assert len(trees) > 1  # they were grown by the workers
    assert_same(found, answers(X))


def test_ray_grows_the_same_trees(X):
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False)
    try:
        register_ray()
        with joblib.parallel_config(backend="ray"):
            found = answers(X)
    finally:
        ray.shutdown()
    assert_same(found, answers(X))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_threads_and_processes_grow_the_same_trees(X, backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert_same(answers(X), answers(X, n_jobs=1))
