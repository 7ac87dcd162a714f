"""The benchmarks of speed measure what they say, on tables too small to mean anything."""

import math

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import _methods, growth, kernels, scale, shortcuts
from benchmarks._worker import Worker, in_turns, measured
from urerf import URerF


class Held:
    """A work that holds some memory and spends some time."""

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


def test_peak_memory_is_that_of_the_work_alone():
    large, small = (measured(Held(mb))["peak"] for mb in (400, 1))
    if _is_linux():
        assert large - small > 300 << 20  # the peak of the first is forgotten


def _is_linux():
    from benchmarks._worker import CLEAR

    return CLEAR.exists()


def test_works_run_in_a_process_of_their_own_and_take_turns(capsys):
    with Worker(nothing) as one, Worker(nothing) as two:
        first, second = in_turns(
            [("a", one, Held, {"megabytes": 1}), ("b", two, Held, {"megabytes": 2})], turns=2
        )
    assert (first["sum"], second["sum"]) == (1 << 17, 2 << 17)
    assert min(first["cpu"], first["wall"]) > 0
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "1/2 a",
        "1/2 b",
        "2/2 a",
        "2/2 b",
    ]


def test_a_failure_in_the_process_is_told():
    with Worker(nothing) as one, pytest.raises(RuntimeError, match="no such luck"):
        one.measure(Broken, megabytes=1)


@pytest.mark.filterwarnings(
    "ignore:The number of connected components"
)  # Isomap's words on clusters
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("method", [_methods.OURS, _methods.BRUTE, _methods.ISOMAP])
@pytest.mark.parametrize("new", [0, 20])
def test_methods_find_the_cluster(method, new):
    settings = {"n_estimators": 30} if method == _methods.OURS else {}
    work = _methods.Neighbours(method, n=1000, p=10, k=3, threads=1, new=new, settings=settings)
    work.load()
    ids = work.run()
    assert ids.shape == (new or 1000, 3)
    scores = work.score(ids)
    assert scores["precision"] > (
        0.2 if method == _methods.ISOMAP else 0.9
    )  # two dimensions hold few of 100 clusters
    assert math.isnan(scores["must_hold"]) == (method != _methods.OURS)


def test_what_must_be_held_counts_table_model_and_graph():
    work = _methods.Neighbours(
        _methods.OURS, n=500, p=4, k=2, threads=1, settings={"n_estimators": 3}
    )
    work.load()
    held = work.score(work.run())["must_hold"]
    table = 500 * 4 * 4
    places = 8 * 3 * 500
    graph = 500 * 3 * 12 + 501 * 4
    assert 3 * table + places + graph < held < 2 * (3 * table + places + graph)


def test_every_tree_work_grows():
    for method in (_methods.OURS, _methods.ISOLATION, _methods.RANDOM_TREES):
        for like in ("", _methods.ISOLATION):
            work = _methods.Trees(method, n=300, p=20, trees=2, like=like)
            work.load()
            assert work.score(work.run())["leaves"] > 1


def test_relevance_and_correlation_find_the_helix():
    for method in (_methods.OURS, "spearmanr"):
        work = _methods.Relevance(method, n=300, p=10, threads=1)
        work.load()
        assert work.score(work.run())["precision"] >= (1 if method == _methods.OURS else 0)


def test_bars_say_whether_they_are_met():
    bars = scale.Bars("rows")
    bars.memory("it", {"above": 3 << 20, "must_hold": 2 << 20})
    bars.memory("it", {"above": 1 << 20, "must_hold": 2 << 20})
    assert [line["verdict"] for line in bars.lines] == ["**missed**", "met"]
    bars.keep("URerF", {"wall": 1.0, "cpu": 2.0, "peak": 1 << 20, "precision": 0.5}, n=10)
    assert bars.measures[0]["peak_mb"] == 1
    assert bars.measures[0]["precision"] == 0.5


def test_unknown_names_are_refused(capsys):
    assert command.main(["magic"]) == 2
    assert "no such benchmark: magic" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="no such row: magic"):
        scale.chosen_rows(["magic", "--small"])
    assert scale.chosen_rows(["--small"]) == list(scale.ROWS)


def test_foreign_trees_are_skipped_with_a_word(monkeypatch, capsys):
    monkeypatch.delenv("URERF_BENCH_TREEPLE", raising=False)
    assert scale.foreign("treeple", 10, 2, 1) is None
    assert "URERF_BENCH_TREEPLE" in capsys.readouterr().err


def test_kernels_are_timed_and_all_met_rows_counted():
    rows = list(kernels.tree_kernels(256))
    assert [row["kernel"] for row in rows] == ["gather", "sort", "scan", "cut by bins", "partition"]
    assert all(row["ns"] > 0 and row["limit"] > 0 for row in rows)
    X = np.random.default_rng(0).normal(size=(120, 3))
    model = URerF(n_estimators=4, similarity="leaf", random_state=0).fit(X)
    index = model._index()
    leaf = model._fitted.leaves[:, 7]
    shared = round(
        model.proximity()[7].sum() * index.perfect
    )  # leaves weigh 1, so this counts the rows met in all trees
    assert kernels.met_in_all_trees(leaf, index) == shared
    rows = list(kernels.neighbour_kernels(model))
    assert [row["kernel"] for row in rows] == ["count", "top-k"]
    assert rows[0]["elements"] == sum(
        kernels.met_in_all_trees(leaf, index) for leaf in model._fitted.leaves.T
    )


def test_stages_are_clocked():
    with kernels.clocks() as taken:
        URerF(n_estimators=3, random_state=0).fit(
            np.random.default_rng(0).normal(size=(100, 3))
        ).kneighbors_graph()
    assert set(taken) == set(kernels.STAGES)
    assert all(seconds > 0 for seconds in taken.values())


def test_bounds_of_growth_are_changed_only_inside():
    model = URerF()
    with shortcuts.growing(screening_rows=0, peel_chain=3):
        inside = model._growth(1000, 5)
    assert (inside.screening_rows, inside.peel_chain) == (0, 3)
    assert model._growth(1000, 5).screening_rows == shortcuts.SCREENING_ROWS


def test_without_a_screen_small_nodes_choose_the_same():
    table = np.random.default_rng(0).normal(size=(12, 300)).astype(np.float32)
    assert (shortcuts.winners(table, shortcuts.SCREENING_ROWS) == shortcuts.winners(table, 0)).all()


def test_exponents_and_drawing(tmp_path, monkeypatch):
    assert growth.exponent([1, 10, 100, 1000], [9.0, 2.0, 200.0, 20_000.0]) == pytest.approx(2)
    monkeypatch.setattr(growth, "RESULTS", tmp_path)
    rows = [
        {"panel": panel, "line": line, "size": size, "cpu_seconds": size / 10}
        for panel in growth.PANELS
        for line in growth.LOOKS
        for size in (1, 10, 100)
    ]
    growth.draw(rows)
    assert (tmp_path / "growth.png").stat().st_size > 10_000
