"""Helpers for the tests of all commands, which run in process."""

import csv
import io

from typer.testing import CliRunner

from urerf.cli import app
from urerf.datasets import add_noise, make_helix

N = 150
K = 4
FAST = ["--trees", "10", "--jobs", "1"]
X = add_noise(make_helix(N, random_state=0).X, 10, random_state=0).round(4)
NAMES = ["h0", "h1", "h2", *(f"noise{i}" for i in range(10))]


def run(*arguments, **settings):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **settings)


def succeed(*arguments, **settings):
    result = run(*arguments, **settings)
    assert result.exit_code == 0, result.output
    return result


def records(text):
    return list(csv.DictReader(io.StringIO(text)))


def error_line(result):
    """Return the only line on stderr of a run that failed without a traceback."""
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    return result.stderr.strip()
