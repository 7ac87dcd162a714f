"""Every command on a user's own file, in process; as a process where the terminal matters."""

import csv
import io
import json

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from urerf import URerF
from urerf.cli import app
from urerf.datasets import add_noise, make_helix
from urerf.embedding import METHODS

N = 150
K = 4
FAST = ["--trees", "10", "--jobs", "1"]
X = add_noise(make_helix(N, random_state=0).X, 10, random_state=0).round(4)
NAMES = ["h0", "h1", "h2", *(f"noise{i}" for i in range(10))]


def run(*arguments, **settings):
    return CliRunner().invoke(app, [str(a) for a in arguments], **settings)


def good(*arguments, **settings):
    result = run(*arguments, **settings)
    assert result.exit_code == 0, result.output
    return result


def records(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    lines = ["name,kind," + ",".join(NAMES)]
    lines += [f"r{i},{'ab'[i % 2]}," + ",".join(map(str, row)) for i, row in enumerate(X)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def roles():
    return ["--id", "name", "--label", "kind"]


def expected():
    return URerF(n_estimators=10, random_state=0).fit(X)


# -- neighbors


def test_neighbors_are_the_librarys(data, roles):
    found = records(good("neighbors", data, "-k", K, *roles, *FAST).stdout)
    distances, ids = expected().kneighbors(n_neighbors=K)
    assert [row["neighbor"] for row in found] == [f"r{i}" for i in ids.ravel()]
    assert [row["row"] for row in found[::K]] == [f"r{i}" for i in range(N)]
    np.testing.assert_allclose(
        [float(row["distance"]) for row in found], distances.ravel(), rtol=1e-5
    )


def test_neighbors_as_a_matrix(data, roles, tmp_path):
    result = good("neighbors", data, "-k", K, "-o", tmp_path / "g.npz", "--json", *roles, *FAST)
    graph = sp.load_npz(tmp_path / "g.npz")
    want = expected().kneighbors_graph(n_neighbors=K)
    assert (graph.indices == want.indices).all()
    assert (graph.data == want.data).all()  # stored zeros as well
    facts = json.loads(result.stdout)
    assert (facts["rows"], facts["columns"], facts["structure"], facts["neighbors"]) == (
        N,
        13,
        3,
        K,
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet", "csv.gz"])
def test_neighbors_in_every_format_read_back(data, roles, tmp_path, ending):
    pd = pytest.importorskip("pandas")
    out = tmp_path / f"edges.{ending}"
    good("neighbors", data, "-k", K, "-o", out, *roles, *FAST)
    read = {
        "json": pd.read_json,
        "parquet": pd.read_parquet,
        "tsv": lambda p: pd.read_csv(p, sep="\t"),
    }
    table = read.get(ending, pd.read_csv)(out)
    assert list(table) == ["row", "neighbor", "distance"]
    assert len(table) == N * K
    assert list(table.neighbor[:K]) == [f"r{i}" for i in expected().kneighbors(n_neighbors=K)[1][0]]


def test_pipes(data, roles):
    through = good("neighbors", "-", "-k", K, *roles, *FAST, input=data.read_bytes())
    assert through.stdout == good("neighbors", data, "-k", K, *roles, *FAST).stdout
    assert through.stderr == ""
    assert (
        json.loads(good("neighbors", data, "-k", K, "--json", *roles, *FAST).stdout)[0]["row"]
        == "r0"
    )


def test_without_ids_rows_are_numbered_as_in_the_file(tmp_path):
    holed = X.copy()
    holed[[0, 7], 1] = np.nan
    np.save(tmp_path / "x.npy", holed)
    found = records(
        good("neighbors", tmp_path / "x.npy", "-k", 2, "--missing", "drop", "-q", *FAST).stdout
    )
    assert {row["row"] for row in found} == {str(i) for i in range(N) if i not in (0, 7)}
    assert {row["neighbor"] for row in found} <= {row["row"] for row in found}


def test_the_seed_decides(data, roles):
    one, two, three = (
        good("neighbors", data, "-k", K, "--seed", seed, *roles, *FAST).stdout for seed in (1, 1, 2)
    )
    assert one == two != three


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "-o: with --scheduler, name a folder"),
        (["-o", "graph", "--id", "name"], "--id: not with --scheduler"),
        (
            ["-o", "graph", "--label", "kind", "--missing", "drop"],
            "--label, --missing drop: not with --scheduler",
        ),
    ],
)
def test_what_a_cluster_cannot_do_is_refused(data, options, words):
    result = run("neighbors", data, "--scheduler", "tcp://there:1", *options)
    assert result.exit_code == 1
    assert words in result.stderr


# -- fit and query


def test_fit_then_query(data, roles, tmp_path):
    model = tmp_path / "m.urerf"
    result = good("fit", data, "-o", model, *roles, *FAST)
    assert f"10 trees on {N} rows; 3 of 13 columns carry structure" in result.stdout
    new = tmp_path / "new.csv"  # other order, one column more
    new.write_text(
        "\n".join(
            [",".join([*NAMES[::-1], "more"])]
            + [",".join(map(str, [*row[::-1], 1])) for row in X[:3]]
        )
    )
    asked = good("query", model, new, "-k", K, "--jobs", 1)
    want = expected().kneighbors(X[:3], n_neighbors=K)[1]
    assert [int(row["neighbor"]) for row in records(asked.stdout)] == want.ravel().tolist()
    assert want[:, 0].tolist() == [0, 1, 2]
    assert asked.stderr == "urerf: Not among the model's columns, left out: more.\n"
    good("query", model, new, "-k", K, "-o", tmp_path / "g.npz", "--jobs", 1)
    assert sp.load_npz(tmp_path / "g.npz").shape == (3, N)


def test_categories_keep_their_codes_in_a_model(tmp_path):
    rows = [f"{a},{b},{'rgb'[i % 3]}" for i, (a, b) in enumerate(X[:, :2])]
    (tmp_path / "t.csv").write_text("a,b,c\n" + "\n".join(rows))
    good("fit", tmp_path / "t.csv", "-o", tmp_path / "m.urerf", "--weighting", "uniform", *FAST)
    (tmp_path / "new.csv").write_text(f"c,b,a\nr,{X[3, 1]},{X[3, 0]}\n")
    asked = good("query", tmp_path / "m.urerf", tmp_path / "new.csv", "-k", 1, "--jobs", 1)
    assert records(asked.stdout) == [{"row": "0", "neighbor": "3", "distance": "0.0"}]


def test_a_file_that_is_no_model(data):
    assert "is not a urerf model" in run("query", data, data).stderr


# -- relevance


def test_relevance_ranks_the_columns(data, roles):
    ranked = json.loads(good("relevance", data, "--json", *roles, "--jobs", 1).stdout)
    assert {row["column"] for row in ranked[:3]} == set(NAMES[:3])
    assert [row["relevance"] for row in ranked] == [1.0] * 3 + [0.0] * 10
    assert ranked[0]["p_value"] < 1e-6 < 0.01 < ranked[3]["p_value"]
    assert ranked[0]["partner"] in NAMES[:3]
    as_csv = records(good("relevance", data, "--format", "csv", *roles, "--jobs", 1).stdout)
    assert [row["column"] for row in as_csv] == [row["column"] for row in ranked]


def test_relevance_as_text(data, roles, tmp_path):
    text = good("relevance", data, "--top", 4, *roles, "--jobs", 1).stdout
    assert text.startswith(f"data.csv: {N} rows, 13 columns. 3 columns depend on each other")
    assert text.count("│ ") == 4 * 5
    assert text.endswith("and 9 columns more, 0 of them with structure (--top, --format csv)\n")
    good("relevance", data, "-o", tmp_path / "r.csv", *roles, "--jobs", 1)
    assert len(records((tmp_path / "r.csv").read_text())) == 13


# -- embed


@pytest.mark.parametrize(
    "method", sorted(set(METHODS) - {"umap"})
)  # which compiles for half a minute: slow, below
def test_embed(data, roles, tmp_path, method):
    out = tmp_path / "e.csv"
    assert (
        f"{method} of {N} rows"
        in good("embed", data, "--method", method, "-o", out, *roles, *FAST).stdout
    )
    rows = records(out.read_text())
    assert [row["row"] for row in rows] == [f"r{i}" for i in range(N)]
    assert [row["label"] for row in rows[:2]] == ["a", "b"]
    assert np.ptp([[float(row["x"]), float(row["y"])] for row in rows], axis=0).min() > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_embed_by_umap(data, roles):
    pytest.importorskip("umap")
    assert len(records(good("embed", data, "--method", "umap", *roles, *FAST).stdout)) == N


# -- what all have in common

COMMANDS = ["relevance", "neighbors", "embed", "report", "fit", "query"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command):
    text = good(command, "--help", env={"COLUMNS": "80"}).stdout
    assert f"urerf {command} " in text.split("Examples:")[1]
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS[:-1])
def test_a_slip_in_the_file_is_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3,4\n5,6o\n")
    result = run(command, "bad.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("urerf: bad.csv: line 4, column 'b': '6o' is not a number")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize("command", COMMANDS[:-1])
def test_a_file_that_is_not_there(command):
    result = run(command, "no.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no.csv" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["neighbors", "-o", "x.doc"], "-o: 'x.doc' must end in one of .npz, .csv"),
        (["embed", "-o", "no/x.csv"], "-o: there is no folder 'no'"),
        (["report", "-o", "."], "-o: '.' is a folder"),
        (["neighbors", "-k", "500"], "n_neighbors: 500 neighbours need at least 501 fitted rows"),
        (
            ["neighbors", "--missing", "error", "--id", "nmae"],
            "--id: data.csv has no column 'nmae'; do you mean 'name'?",
        ),
    ],
)
def test_wrong_requests_are_one_line(data, arguments, said):
    command, *rest = arguments
    result = run(command, data, *rest, *FAST)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "wrong", [["-k", "0"], ["--method", "pca"], ["--missing", "guess"], ["--seed", "x"]]
)
def test_wrong_usage_has_exit_code_2(data, wrong):
    assert run("embed", data, *wrong).exit_code == 2


def test_quiet_says_nothing(data):
    assert good("neighbors", data, "-k", K, "-q", *FAST).stderr == ""
    assert "Left out" in good("neighbors", data, "-k", K, *FAST).stderr  # the names of the rows


def test_interrupted(data, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("urerf.files.read.read_raw", stop)
    result = run("neighbors", data)
    assert (result.exit_code, result.stderr) == (130, "urerf: stopped\n")


def test_completion_can_be_shown(monkeypatch):
    monkeypatch.setenv(
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1"
    )  # else it looks for a shell that called it
    assert "urerf" in good("--show-completion", "bash").stdout
