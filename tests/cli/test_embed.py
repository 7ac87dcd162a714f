import numpy as np
import pytest

from urerf.embedding import METHODS

from . import FAST, N, records, run, succeed


# UMAP compiles for half a minute: see the slow test below.
@pytest.mark.parametrize("method", sorted(set(METHODS) - {"umap"}))
def test_embed(data, roles, tmp_path, method):
    out = tmp_path / "e.csv"
    result = succeed("embed", data, "--method", method, "-o", out, *roles, *FAST)
    assert f"{method} of {N} rows" in result.stdout
    rows = records(out.read_text())
    assert [row["row"] for row in rows] == [f"r{i}" for i in range(N)]
    assert [row["label"] for row in rows[:2]] == ["a", "b"]
    points = [[float(row["x"]), float(row["y"])] for row in rows]
    assert np.ptp(points, axis=0).min() > 0


def test_the_help_lists_every_method():
    text = succeed("embed", "--help").stdout
    assert all(method in text for method in METHODS)


def test_an_unknown_method_is_refused_before_the_file_is_read():
    result = run("embed", "no.csv", "--method", "pca")
    assert result.exit_code == 2
    assert "method: must be one of 'layout', " in result.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_embed_by_umap(data, roles):
    pytest.importorskip("umap")
    result = succeed("embed", data, "--method", "umap", *roles, *FAST)
    assert len(records(result.stdout)) == N
