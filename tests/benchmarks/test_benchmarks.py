"""The benchmarks measure what they say, on tiny tables."""

import math

import numpy as np
import pandas as pd
import pytest

from benchmarks import __main__ as command
from benchmarks import _methods, growth, kernels, leaves, mixed, peers, scale, waiting
from benchmarks._worker import CLEAR, Job, Worker, in_turns, measured
from urerf import URerF


class Held:
    """A task that holds some memory and spends some time."""

    def __init__(self, megabytes):
        self.megabytes = megabytes

    def load(self):
        self.loaded = np.ones(1 << 10)

    def run(self):
        return float(np.ones(self.megabytes << 17).sum())

    def score(self, result):
        return {"sum": result}


class Broken(Held):
    def run(self):
        raise ValueError("no such luck")


def nothing():
    pass


@pytest.mark.skipif(not CLEAR.exists(), reason="only Linux can forget the peak of memory")
def test_peak_memory_is_that_of_the_task_alone():
    large, small = (measured(Held(mb))["peak"] for mb in (400, 1))
    assert large - small > 300 << 20  # the peak of the first is forgotten


def test_tasks_run_in_their_own_process_and_take_turns(capsys):
    with Worker(nothing) as one, Worker(nothing) as two:
        first, second = in_turns([Job("a", one, Held(1)), Job("b", two, Held(2))], turns=2)
    assert (first["sum"], second["sum"]) == (1 << 17, 2 << 17)
    assert min(first["cpu"], first["wall"]) > 0
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "1/2 a",
        "1/2 b",
        "2/2 a",
        "2/2 b",
    ]


def test_a_failure_in_the_process_is_reported():
    with Worker(nothing) as one, pytest.raises(ValueError, match="no such luck"):
        one.measure(Broken(1))


@pytest.mark.filterwarnings("ignore:The number of connected components")  # Isomap, on clusters
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("method", [_methods.OURS, _methods.EUCLIDEAN, _methods.ISOMAP])
@pytest.mark.parametrize("new", [0, 20])
def test_methods_find_the_cluster(method, new):
    settings = {"n_estimators": 30} if method == _methods.OURS else {}
    task = _methods.FindNeighbors(method, 1000, 10, 3, 1, new=new, settings=settings)
    task.load()
    indices = task.run()
    assert indices.shape == (new or 1000, 3)
    scores = task.score(indices)
    # Two dimensions hold few of 100 clusters.
    assert scores["precision"] > (0.2 if method == _methods.ISOMAP else 0.9)
    assert math.isnan(scores["must_hold"]) == (method != _methods.OURS)


def test_what_must_be_held_counts_table_model_and_graph():
    settings = {"n_estimators": 3, "similarity": "blend"}
    task = _methods.FindNeighbors(_methods.OURS, 500, 4, 2, 1, settings=settings)
    task.load()
    held = task.score(task.run())["must_hold"]
    table = 500 * 4 * 4
    places = 8 * 3 * 500
    graph = 500 * 3 * 12 + 501 * 4
    assert 4 * table + places + graph < held < 2 * (4 * table + places + graph)


def test_all_methods_grow_trees():
    for method in (_methods.OURS, _methods.ISOLATION, _methods.RANDOM_TREES):
        for like_isolation in (False, True):
            task = _methods.GrowTrees(method, 300, 20, 2, like_isolation)
            task.load()
            assert task.score(task.run())["leaves"] > 1


def test_all_methods_fit_among_noise_columns():
    for method in (_methods.OURS, _methods.PAPER, _methods.ISOLATION, _methods.RANDOM_TREES):
        task = _methods.WideFit(method=method, n_trees=1)
        task.load()
        task.run()


def test_relevance_finds_the_helix_where_correlation_does_not():
    precision = {}
    for by_rank in (False, True):
        task = _methods.Dependence(10, n=300, by_rank=by_rank)
        task.load()
        precision[by_rank] = task.score(task.run())["precision"]
    assert precision[False] == 1
    assert precision[True] < 1


def test_tables_of_peers_begin_with_ours():
    for title, tasks in peers.tables().items():
        assert next(iter(tasks)).startswith("URerF"), title


def test_targets_say_whether_they_are_met():
    rows = [scale.memory({"above": mb << 20, "must_hold": 2 << 20}) for mb in (3, 1)]
    assert [row["verdict"] for row in rows] == ["**missed**", "met"]


def test_unknown_names_are_refused(capsys):
    assert command.main(["magic"]) == 2
    assert "got magic" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="got magic"):
        scale.chosen_targets(["magic", "--small"])
    assert scale.chosen_targets(["--small"]) == list(scale.TARGETS)


def test_foreign_trees_that_cannot_be_run_are_skipped(monkeypatch, capsys):
    monkeypatch.delenv("URERF_BENCH_TREEPLE", raising=False)
    assert scale.foreign("treeple", 10, 2, 1) is None
    assert "URERF_BENCH_TREEPLE" in capsys.readouterr().err


def test_kernels_are_timed_and_all_met_rows_counted():
    rows = list(kernels.tree_kernels(256))
    assert [row["kernel"] for row in rows] == ["gather", "sort", "scan", "cut by bins", "partition"]
    assert all(row["ns"] > 0 and row["limit"] > 0 for row in rows)
    X = np.random.default_rng(0).normal(size=(120, 3))
    model = URerF(n_estimators=4, similarity="leaf", random_state=0).fit(X)
    index = model._fitted._index("leaf", 1)
    leaf = model._fitted.leaves[:, 7]
    # Leaves weigh 1, so that this counts the rows met in all trees.
    shared = round(model.proximity()[7].sum() * index.perfect)
    assert kernels.met_in_all_trees(leaf, index) == shared
    rows = list(kernels.neighbor_kernels(model))
    assert [row["kernel"] for row in rows] == ["count", "top-k"]
    assert rows[0]["elements"] == sum(
        kernels.met_in_all_trees(leaf, index) for leaf in model._fitted.leaves.T
    )


def test_the_kernels_of_the_default_are_timed():
    X = np.random.default_rng(0).normal(size=(120, 3))
    model = URerF(n_estimators=4, random_state=0).fit(X)
    assert [row["kernel"] for row in kernels.neighbor_kernels(model)] == ["count", "top-k"]


def test_stages_are_clocked():
    with kernels.clocks() as taken:
        URerF(n_estimators=3, random_state=0).fit(
            np.random.default_rng(0).normal(size=(100, 3))
        ).kneighbors_graph()
    assert set(taken) == set(kernels.STAGES)
    assert all(seconds > 0 for seconds in taken.values())


def test_exponents_and_drawing(tmp_path):
    assert growth.exponent([1, 10, 100, 1000], [9.0, 2.0, 200.0, 20_000.0]) == pytest.approx(2)
    rows = [
        {"panel": panel, "method": method, "size": size, "cpu_seconds": size / 10}
        for panel in growth.PANELS
        for method in (*growth.STYLES, growth.NOISE)
        for size in (1, 10, 100)
    ]
    growth.draw(pd.DataFrame(rows), tmp_path / "growth.png")
    assert (tmp_path / "growth.png").stat().st_size > 10_000


def test_slow_methods_are_not_run_on_large_tables():
    small, large = (set(waiting.methods(waiting.Size(n, 0))) for n in (1000, 1_000_000))
    assert {*waiting.TREES, _methods.EUCLIDEAN} <= small
    assert small - large == {waiting.MANY, _methods.EUCLIDEAN}


def test_mixed_tables_have_categories_first_and_structure_in_all_columns():
    task = mixed.FitMixed(600, 10)
    task.load()
    kinds = [column.kind for column in task.frame.schema.columns]
    assert kinds == ["category"] * 10 + ["number"] * 10
    assert set(np.unique(task.frame.values[:, 0])) == set(range(mixed.N_LEVELS))
    assert task.score(task.run())["used"] == mixed.N_COLUMNS


def test_a_cluster_is_timed_in_all_stages():
    pytest.importorskip("distributed")
    from benchmarks import cluster

    rows = cluster.run(800, is_ordered=False, workers=1)
    assert [row["stage"] for row in rows] == ["fit", "graph, broadcast", "graph, sharded"]
    assert all(row["tasks"] > 0 and row["cpu_seconds"] > 0 for row in rows)


@pytest.mark.parametrize("name", leaves.SHAPES)
def test_leaves_are_compared_on_the_same_rows(name, monkeypatch):
    """In a small table, the default has the nodes of large leaves, so that both are as precise."""
    monkeypatch.setattr(leaves, "N", 600)
    monkeypatch.setitem(leaves.LARGE_LEAVES, "max_samples", 180)
    large, large_seconds, default, seconds = leaves.compare(name, 0)
    assert abs(large - default) < 0.05
    assert default > 2 * leaves.K / 600
    assert min(large_seconds, seconds) > 0
