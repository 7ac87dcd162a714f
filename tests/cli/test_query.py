"""`urerf fit` and `urerf query`: a model goes to a file and is asked about new rows."""

import pytest
import scipy.sparse as sp

from urerf import URerF
from urerf.schema import CATEGORY, Column

from . import FAST, NAMES, K, N, X, records, run, succeed


@pytest.fixture
def new_rows(tmp_path):
    """Three fitted rows with the columns in another order, and one more column."""
    path = tmp_path / "new.csv"
    lines = [",".join([*NAMES[::-1], "more"])]
    for row in X[:3]:
        lines.append(",".join(map(str, [*row[::-1], 1])))
    path.write_text("\n".join(lines))
    return path


def test_fit_then_query(data, roles, tmp_path, new_rows, expected):
    model = tmp_path / "m.urerf"
    fitted = succeed("fit", data, "-o", model, *roles, *FAST)
    assert f"10 trees on {N} rows; 3 of 13 columns carry structure" in fitted.stdout
    asked = succeed("query", model, new_rows, "-k", K, "--jobs", 1)
    _, want = expected.kneighbors(X[:3], n_neighbors=K)
    edges = records(asked.stdout)
    assert [edge["neighbor"] for edge in edges] == [f"r{i}" for i in want.ravel()]
    assert want[:, 0].tolist() == [0, 1, 2]
    assert asked.stderr == "urerf: Not used: more (not in the model).\n"
    succeed("query", model, new_rows, "-k", K, "-o", tmp_path / "g.npz", "--jobs", 1)
    assert sp.load_npz(tmp_path / "g.npz").shape == (3, N)


def test_a_model_fitted_on_a_data_frame_is_asked_by_name(tmp_path, new_rows):
    pd = pytest.importorskip("pandas")
    model = URerF(n_estimators=10, random_state=0).fit(pd.DataFrame(X, columns=NAMES))
    model.save(tmp_path / "m.urerf")
    asked = succeed("query", tmp_path / "m.urerf", new_rows, "-k", 1, "--jobs", 1)
    assert [edge["neighbor"] for edge in records(asked.stdout)] == ["0", "1", "2"]


def test_categories_keep_their_codes_in_a_model(tmp_path):
    table = tmp_path / "t.csv"
    model = tmp_path / "m.urerf"
    levels = ["a=1", "b|c", "d"]
    rows = [f"{a},{b},{levels[i % 3]}" for i, (a, b) in enumerate(X[:, :2])]
    table.write_text("a,b,c\n" + "\n".join(rows))
    succeed("fit", table, "-o", model, "--weighting", "uniform", *FAST)
    column = Column("c", CATEGORY, tuple(levels))
    assert URerF.load(model).schema_.columns[2] == column
    (tmp_path / "new.csv").write_text(f"c,b,a\nb|c,{X[4, 1]},{X[4, 0]}\n")
    asked = succeed("query", model, tmp_path / "new.csv", "-k", 1, "--jobs", 1)
    assert records(asked.stdout) == [{"row": "0", "neighbor": "4", "distance": "0.0"}]


def test_a_file_that_is_not_a_model(data):
    result = run("query", data, data)
    assert result.exit_code == 1
    assert "is not a urerf model; write one with urerf fit" in result.stderr


def test_no_structure_is_not_called_structure(tmp_path):
    table = tmp_path / "noise.csv"
    table.write_text("\n".join(",".join(map(str, row)) for row in X[:, 3:]))
    fitted = succeed("fit", table, "-o", tmp_path / "m.urerf", "-q", *FAST)
    assert "10 trees on 150 rows; no structure found in 10 columns" in fitted.stdout


def test_the_number_of_trees(data, tmp_path):
    out = tmp_path / "m.urerf"
    assert f"150 trees on {N} rows" in succeed("fit", data, "-o", out, "--jobs", 1).stdout
    assert URerF.load(out).n_estimators == "auto"
    for wrong in ("0", "many", "2.5"):
        result = run("fit", data, "-o", out, "--trees", wrong)
        assert result.exit_code == 2
        assert "must be 'auto' or a number of at least 1" in " ".join(result.stderr.split())
