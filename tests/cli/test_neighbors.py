import json

import numpy as np
import pytest
import scipy.sparse as sp

from . import FAST, K, N, X, records, run, succeed


def test_neighbors_are_those_of_the_library(data, roles, expected):
    edges = records(succeed("neighbors", data, "-k", K, *roles, *FAST).stdout)
    distances, indices = expected.kneighbors(n_neighbors=K)
    assert [edge["neighbor"] for edge in edges] == [f"r{i}" for i in indices.ravel()]
    assert [edge["row"] for edge in edges[::K]] == [f"r{i}" for i in range(N)]
    written = [float(edge["distance"]) for edge in edges]
    np.testing.assert_allclose(written, distances.ravel(), rtol=1e-5)


def test_a_matrix_keeps_stored_zeros(data, roles, tmp_path, expected):
    out = tmp_path / "g.npz"
    result = succeed("neighbors", data, "-k", K, "-o", out, "--json", *roles, *FAST)
    graph = sp.load_npz(out)
    want = expected.kneighbors_graph(n_neighbors=K)
    assert (graph.indices == want.indices).all()
    assert (graph.data == want.data).all()
    facts = json.loads(result.stdout)
    del facts["seconds"]
    stability = expected.neighbor_stability(K).overall
    assert facts.pop("stability") == pytest.approx(stability, abs=1e-4)
    assert facts == {"rows": N, "columns": 13, "structure": 3, "neighbors": K, "out": str(out)}


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet", "csv.gz"])
def test_every_format_can_be_read_back(data, roles, tmp_path, ending, expected):
    pd = pytest.importorskip("pandas")
    out = tmp_path / f"edges.{ending}"
    succeed("neighbors", data, "-k", K, "-o", out, *roles, *FAST)
    readers = {
        "json": pd.read_json,
        "parquet": pd.read_parquet,
        "tsv": lambda path: pd.read_csv(path, sep="\t"),
    }
    table = readers.get(ending, pd.read_csv)(out)
    assert list(table) == ["row", "neighbor", "distance"]
    assert len(table) == N * K
    _, indices = expected.kneighbors(n_neighbors=K)
    assert list(table.neighbor[:K]) == [f"r{i}" for i in indices[0]]


def test_the_summary_has_the_right_plural(data, roles, tmp_path):
    result = succeed("neighbors", data, "-k", 1, "-o", tmp_path / "g.npz", *roles, *FAST)
    assert f"g.npz: 1 neighbor for each of {N} rows; neighbors are " in result.stdout


def test_pipes(data, roles):
    piped = succeed("neighbors", "-", "-k", K, *roles, *FAST, input=data.read_bytes())
    assert piped.stdout == succeed("neighbors", data, "-k", K, *roles, *FAST).stdout
    assert piped.stderr == ""
    as_json = succeed("neighbors", data, "-k", K, "--json", *roles, *FAST).stdout
    assert json.loads(as_json)[0]["row"] == "r0"


def test_without_ids_rows_are_numbered_as_in_the_file(tmp_path):
    incomplete = X.copy()
    incomplete[[0, 7], 1] = np.nan
    path = tmp_path / "x.npy"
    np.save(path, incomplete)
    result = succeed("neighbors", path, "-k", 2, "--missing", "drop", "-q", *FAST)
    edges = records(result.stdout)
    rows = {edge["row"] for edge in edges}
    assert rows == {str(i) for i in range(N) if i not in (0, 7)}
    assert {edge["neighbor"] for edge in edges} <= rows


def test_the_seed_decides(data, roles):
    def edges(seed):  # without a column of the helix, so that the forest ranks neighbors
        options = ["-k", K, "--seed", seed, "--ignore", "h1"]
        return succeed("neighbors", data, *options, *roles, *FAST).stdout

    assert edges(1) == edges(1)
    assert edges(1) != edges(2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "-o: with --scheduler, must be a folder"),
        (["-o", "graph", "--id", "name"], "--id: not supported with --scheduler"),
        (
            ["-o", "graph", "--label", "kind", "--missing", "drop"],
            "--label, --missing drop: not supported with --scheduler",
        ),
    ],
)
def test_what_a_cluster_cannot_do_is_refused(data, options, message):
    result = run("neighbors", data, "--scheduler", "tcp://there:1", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_neighbors_among_noise_are_not_called_stable(tmp_path):
    table = tmp_path / "noise.csv"
    table.write_text("\n".join(",".join(map(str, row)) for row in X[:, 3:6]))
    text = succeed("neighbors", table, "-k", K, "-o", tmp_path / "g.npz", "-q", *FAST).stdout
    assert "no structure found in 3 columns, so the neighbors may mean nothing" in text
    assert "stable" not in text
