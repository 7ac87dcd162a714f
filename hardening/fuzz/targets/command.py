"""Command lines: exit code 0, 1 or 2, and never a traceback."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import typer

from hardening.fuzz.targets.fit import FIT
from urerf import URerF, embedding
from urerf.cli import app

COMMAND = typer.main.get_command(app)

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
FILES = ["data.csv", "numbers.npy", "no.csv", "model.urerf", ".", "-", "empty.csv", "data.json"]


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
        arguments += rng.choices(
            FILES, weights=[8, 2, 1, 1, 1, 1, 1, 1], k=rng.choice([0, 1, 1, 2])
        )
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
        _write_inputs(work)
        arguments = json.loads(content)
        code, said = run(arguments)
        assert code in (0, 1, 2), code
        assert "Traceback" not in said
        assert "\x1b[31m" not in said
        left = [path.name for path in work.iterdir() if path.name.startswith(".urerf-")]
        assert left == [], left


def run(arguments: list[str]) -> tuple[Any, str]:
    """Run the command in this process; return its exit code and what it printed to stderr."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8")
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n2,4\n3,5\n"), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            COMMAND.main(arguments, prog_name="urerf")
        code: Any = 0
    except SystemExit as ended:
        code = ended.code or 0
    except (ValueError, TypeError, OSError):
        if "--traceback" not in arguments:
            raise
        code = 1
    finally:
        sys.stdin = stdin
    err.flush()
    return code, err.buffer.getvalue().decode()  # type: ignore[attr-defined]


def _write_inputs(work: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"r{i},{'ab'[i % 2]},{i % 7},{i % 7 + rng.normal():.3f}" for i in range(30)]
    (work / "data.csv").write_text("name,kind,a,b\n" + "\n".join(rows) + "\n")
    (work / "data.json").write_text(json.dumps([{"a": i, "b": i * i} for i in range(20)]))
    (work / "empty.csv").write_text("")
    np.save(work / "numbers.npy", rng.normal(size=(20, 3)))
    if not _MODEL:
        URerF(n_estimators=2, random_state=0).fit(rng.normal(size=(20, 3))).save(work / "m")
        _MODEL.append((work / "m").read_bytes())
        (work / "m").unlink()
    (work / "model.urerf").write_bytes(_MODEL[0])


_MODEL: list[bytes] = []
