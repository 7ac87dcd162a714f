"""Command lines: exit code 0, 1 or 2, and never a traceback."""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from random import Random

import numpy as np
from typer.testing import CliRunner

from hardening.fuzz.targets.fit import FIT
from urerf import URerF, embedding
from urerf.cli import app

# What --traceback passes on.
EXPECTED = (ValueError, TypeError, OSError)
COMMANDS = [
    "relevance", "neighbors", "embed", "report", "fit", "query", "outliers", "cluster", "dmeo", "",
]  # fmt: skip
GROWING = ("neighbors", "embed", "report", "fit", "outliers", "cluster")  # take --trees
VALUES = [
    "", "-", "--", "0", "1", "-1", "3", "1e9", "nan", "x", "a", "b", "kind", "name", "tab", ",",
    "no/x.csv", ".", "/dev/null", "x.csv", "x.npz", "x.json", "x.parquet", "x.html", "data.csv",
    "utf-16", "\x1b[31m", "kind=a,b", "a=1", "=", "é", "a\nb", "\udcff", "*", "1" + "0" * 20,
    "zlib", "idna", "a\0b", "data.csv.", "/dev/full", "tls://127.0.0.1:1", "9" * 5000,
]  # fmt: skip
OPTIONS = [
    "-o", "-k", "--id", "--label", "--ignore", "--number", "--categorical", "--ordinal",
    "--datetime", "--missing", "--header", "--no-header", "--sep", "--decimal", "--thousands",
    "--encoding", "--na", "--skip", "--sheet", "--max-size", "--weighting", "--seed", "--jobs",
    "--json", "-q", "--method", "--format", "--top", "--help", "--version", "--traceback",
    "--group", "--ordered", "--security", "--min-cluster-size", "--resolution",
]  # fmt: skip
# Files and how often they are named.
FILES = {
    "data.csv": 8,
    "numbers.npy": 2,
    "no.csv": 1,
    "model.urerf": 1,
    ".": 1,
    "-": 1,
    "empty.csv": 1,
    "data.json": 1,
}


class Commands:
    """The input is the list of arguments, as JSON."""

    name = "command"

    def prepare(self) -> None:
        """Compile all kernels."""
        FIT.prepare()
        rng = np.random.default_rng(0)
        model = URerF(n_estimators=2, random_state=0).fit(rng.normal(size=(20, 3)))
        for method in ("layout", "isomap", "spectral"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                embedding.embed(model, method, n_neighbors=5)

    def make(self, rng: Random) -> bytes:
        """Return arguments."""
        arguments = [rng.choice(COMMANDS)]
        if arguments == ["query"]:
            arguments.append(rng.choice(["model.urerf", "model.urerf", "data.csv", "no"]))
        n_files = rng.choice([0, 1, 1, 2])
        arguments += rng.choices(list(FILES), list(FILES.values()), k=n_files)
        for _ in range(rng.randint(0, 4)):
            arguments.append(rng.choice(OPTIONS))
            if rng.random() < 0.8:
                arguments.append(rng.choice(VALUES))
        if arguments[0] in GROWING:
            arguments += ["--trees", rng.choice(["2", "2", "2", "0", "x"])]
        return json.dumps(arguments).encode()

    def check(self, content: bytes, folder: Path) -> None:
        """Run the command."""
        work = folder / "commands"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        os.chdir(work)
        write_inputs(work)
        arguments = json.loads(content)
        result = CliRunner().invoke(app, arguments, input="a,b\n1,2\n2,4\n3,5\n")
        error = result.exception
        if error and not isinstance(error, SystemExit):
            is_asked_for = "--traceback" in arguments and isinstance(error, EXPECTED)
            if not is_asked_for:
                raise error
        assert result.exit_code in (0, 1, 2), result.exit_code
        assert "Traceback" not in result.stderr
        assert "\x1b[31m" not in result.stderr
        left = [path.name for path in work.iterdir() if path.name.startswith(".urerf-")]
        assert left == [], left


def write_inputs(work: Path) -> None:
    """Write the files that the arguments name."""
    rng = np.random.default_rng(0)
    rows = [f"r{i},{'ab'[i % 2]},{i % 7},{i % 7 + rng.normal():.3f}" for i in range(30)]
    (work / "data.csv").write_text("name,kind,a,b\n" + "\n".join(rows) + "\n")
    (work / "data.json").write_text(json.dumps([{"a": i, "b": i * i} for i in range(20)]))
    (work / "empty.csv").write_text("")
    np.save(work / "numbers.npy", rng.normal(size=(20, 3)))
    (work / "model.urerf").write_bytes(model_file())


@functools.cache
def model_file() -> bytes:
    """Return the content of a model file."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.urerf"
        URerF(n_estimators=2, random_state=0).fit(X).save(path)
        return path.read_bytes()
