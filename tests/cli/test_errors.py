"""Exit codes and messages of all commands: one line, one meaning per code."""

import pytest

from . import FAST, K, error_line, run, succeed

COMMANDS = ["relevance", "neighbors", "embed", "report", "fit", "query"]
FROM_A_FILE = COMMANDS[:-1]


@pytest.mark.parametrize("command", FROM_A_FILE)
def test_a_bad_cell_is_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3,4\n5,6o\n")
    result = run(command, "bad.csv")
    assert result.exit_code == 1
    message = error_line(result)
    assert message.startswith("urerf: bad.csv: line 4, column 'b': '6o' is not a number")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize("command", FROM_A_FILE)
def test_a_file_that_does_not_exist_is_one_line(command):
    result = run(command, "no.csv")
    assert result.exit_code == 1
    assert error_line(result) == "urerf: no.csv: no such file or directory"


def test_a_table_with_fewer_rows_than_neighbors_gets_all_of_them_with_a_notice(tmp_path):
    """`urerf neighbors` on a table of 12 rows failed unless -k was given."""
    path = tmp_path / "small.csv"
    path.write_text("a,b\n1,2\n3,9\n7,6\n")
    told = "every row gets 2 neighbors instead of 15"
    for command in ("neighbors", "embed", "cluster"):
        result = succeed(command, path, *FAST)
        assert f"urerf: there are only 2 other rows, so {told}" in result.stderr
    assert len(succeed("neighbors", path, "-q", *FAST).stdout.splitlines()) == 1 + 3 * 2
    succeed("fit", path, "-o", tmp_path / "m.urerf", *FAST)
    result = succeed("query", tmp_path / "m.urerf", path)
    assert "there are only 3 fitted rows, so every row gets 3 neighbors" in result.stderr
    path.write_text("a,b\n1,2\n3,9\n")
    result = succeed("neighbors", path, *FAST)
    assert "there is only 1 other row, so every row gets 1 neighbor instead of 15" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["neighbors", "-o", "x.doc"], 2, "-o: must end in one of .npz, .csv"),
        (["embed", "-o", "no/x.csv"], 1, "-o: folder 'no' does not exist"),
        (["report", "-o", "."], 1, "-o: '.' is a folder"),
        (
            ["neighbors", "--missing", "error", "--id", "nmae"],
            2,
            "--id: data.csv has no column 'nmae'; did you mean 'name'?",
        ),
    ],
)
def test_a_wrong_request_is_one_line(data, arguments, code, message):
    command, *rest = arguments
    result = run(command, data, *rest, *FAST)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["dmeo"],
        ["embed", "data.csv", "--nieghbors", "3"],
        ["embed", "data.csv", "-k", "0"],
        ["embed", "data.csv", "--seed", "x"],
        ["embed", "data.csv", "--missing", "guess"],
        ["embed", "data.csv", "--method", "pca"],
        ["relevance", "data.csv", "--format", "xml"],
        ["demo", "--kind", "pink"],
        ["reproduce", "nosuch"],
        ["reproduce", "--methods", "magic"],
        ["bench", "speeed"],
        ["bench", "accuracy", "--methods", "magic"],
    ],
)
def test_unknown_names_and_wrong_values_have_exit_code_2(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_quiet_prints_no_notices(data):
    assert succeed("neighbors", data, "-k", K, "-q", *FAST).stderr == ""
    notices = succeed("neighbors", data, "-k", K, *FAST).stderr
    assert "urerf: Row names: name (every value is different).\n" in notices


def test_interrupted(data, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("urerf.files.read.read_raw", stop)
    result = run("neighbors", data)
    assert (result.exit_code, result.stderr) == (130, "urerf: stopped\n")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("urerf.lab.run.reproduce", ["reproduce", "datasets"]),
        ("urerf.lab.run.bench", ["bench", "accuracy"]),
    ],
)
def test_interrupted_long_runs_say_how_to_continue(function, arguments, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(function, stop)
    result = run(*arguments)
    assert result.exit_code == 130
    assert result.stderr == "urerf: stopped; run the same command again to continue\n"


def test_traceback_shows_where_an_error_occurred(tmp_path):
    result = run("--traceback", "relevance", tmp_path / "no.csv")
    assert isinstance(result.exception, FileNotFoundError)
