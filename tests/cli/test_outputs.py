"""What commands write: never over their input, to pipes and devices, and nothing when stopped."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from urerf.files import write

from . import FAST, K, error_line, run, succeed

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX files")


@pytest.mark.parametrize("command", ["embed", "neighbors", "relevance", "report", "fit"])
def test_the_input_is_not_overwritten(command, data):
    before = data.read_bytes()
    result = run(command, data, "-o", data)
    assert result.exit_code == 2
    assert error_line(result).endswith("is also the input; choose another file")
    assert data.read_bytes() == before


@posix
def test_not_even_by_another_name(data):
    link = data.with_name("link.csv")
    link.symlink_to(data)
    assert run("embed", data, "-o", link).exit_code == 2
    hard = data.with_name("hard.csv")
    os.link(data, hard)
    assert run("embed", hard, "-o", data).exit_code == 2


def test_a_model_is_not_overwritten_by_its_answers(data, tmp_path):
    model = tmp_path / "m.csv"
    succeed("fit", data, "-o", model, *FAST)
    assert run("query", model, data, "-o", model).exit_code == 2
    assert run("query", model, data, "-o", data).exit_code == 2


@posix
@pytest.mark.parametrize("command", ["neighbors", "relevance", "fit"])
def test_a_device_needs_no_ending(command, data):
    out = "/dev/null"
    forest = [] if command == "relevance" else ["--trees", "2"]
    succeed(command, data, "-o", out, "--jobs", "1", *forest)
    assert not os.path.isfile(out)


@posix
def test_names_that_are_not_utf8_or_control_the_terminal(data):
    for name in (b"n\xff", b"n\x1b[31m"):
        out = os.fsdecode(os.fsencode(data.parent) + b"/" + name + b".csv")
        result = succeed("embed", data, "-o", out, "-k", K, *FAST)
        assert os.path.isfile(out)
        assert "\x1b" not in result.output
        assert "n\\udcff.csv" in result.output or "n\\x1b[31m.csv" in result.output
        result = succeed("relevance", out)
        assert "\x1b" not in result.output


@posix
def test_a_folder_whose_name_is_not_utf8(tmp_path):
    pytest.importorskip("pyarrow")
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    for ending in (".parquet", ".json", ".csv.gz"):
        out = os.fsdecode(folder + b"/x" + ending.encode())
        write.write_columns({"row": [0, 1], "distance": [0.5, 1.5]}, out)
        assert os.path.getsize(out) > 0


@posix
def test_a_report_about_a_name_that_is_not_utf8(data):
    source = os.fsdecode(os.fsencode(data.parent) + b"/\xff.csv")
    os.rename(data, source)
    out = data.parent / "report.html"
    succeed("report", source, "-o", out, "--trees", "2", "--jobs", "1")
    assert "\\udcff.csv" in out.read_text("utf-8")


def test_column_names_do_not_control_the_terminal(tmp_path):
    path = tmp_path / "x.csv"
    rows = "".join(f"{i % 7},{i % 7 + i % 2},{i % 5}\n" for i in range(40))
    path.write_text("a\x1b]0;title\x07,b\x1b[2J,c\n" + rows)
    for arguments in (["relevance", path], ["embed", path, *FAST, "-o", tmp_path / "e.csv"]):
        result = succeed(*arguments)
        assert "\x1b" not in result.output
        assert "\x07" not in result.output


@pytest.mark.parametrize("command", ["outliers", "cluster"])
def test_cells_do_not_control_the_terminal(command, tmp_path):
    path = tmp_path / "x.csv"
    levels = ("\x1b[2J\x07low", "\x1b]0;title\x07high")
    rows = [f"{i % 2 * 9 + i / 50},{levels[i % 2]},\x1b[5mid{i}" for i in range(60)]
    path.write_text("\n".join(["a,b,name", *rows]))
    for option in ("--id", "--label"):
        result = succeed(command, path, *FAST, option, "name")
        assert "\\x1b[2J\\x07low" in result.output
        assert "\x1b" not in result.output
        assert "\x07" not in result.output


def test_row_names_do_not_control_the_terminal(monkeypatch):
    class Terminal:
        text = ""

        def isatty(self):
            return True

        def write(self, text):
            self.text += text

    terminal = Terminal()
    monkeypatch.setattr(write.sys, "stdout", terminal)
    write.write_columns({"row": ["r\x1b[1m", "s"], "x": [1.0, 2.0]}, "-")
    assert terminal.text == "row,x\nr\\x1b[1m,1.0\ns,2.0\n"


SLOW_WRITE = """
import sys, time
from urerf.cli import app
import urerf.files.write as w
def write(columns, path):
    path.write_bytes(b"half")
    print("writing", flush=True)
    time.sleep(60)
w._write_parquet = write
sys.argv[1:] = {!r}
app()
"""


@posix
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, 143),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow),
        pytest.param(getattr(signal, "SIGHUP", 1), 129, marks=pytest.mark.slow),
    ],
)
def test_a_signal_leaves_no_partial_file(data, number, code):
    out = data.parent / "x.parquet"
    out.write_bytes(b"old")
    code_text = SLOW_WRITE.format(["relevance", str(data), "-o", str(out), "-q", "--jobs", "1"])
    process = subprocess.Popen(
        [sys.executable, "-c", code_text],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "writing\n"
        time.sleep(0.1)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == code
    assert said.splitlines()[-1] in ("urerf: terminated", "urerf: stopped")
    assert out.read_bytes() == b"old"
    assert sorted(path.name for path in data.parent.iterdir()) == [data.name, out.name]


def test_no_memory_is_one_line(data, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError("Unable to allocate 89.4 GiB")

    monkeypatch.setattr("urerf.files.read.read_raw", exhausted)
    result = run("neighbors", data)
    assert result.exit_code == 1
    assert error_line(result) == "urerf: not enough memory: Unable to allocate 89.4 GiB"


def test_json_of_a_strange_name_is_json(data):
    out = os.path.join(data.parent, "n\x1b.csv")
    if os.name == "nt":
        pytest.skip("not a name on Windows")
    result = succeed("embed", data, "-o", out, "--json", "-q", *FAST)
    assert json.loads(result.stdout)["out"] == out
