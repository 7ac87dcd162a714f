"""Parquet files in, a Parquet dataset of neighbors out, on a cluster of separate processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from urerf import URerF
from urerf.cli import app
from urerf.dask import DaskURerF, cluster, files, neighbors_to_parquet
from urerf.datasets import add_noise, make_helix

pytestmark = pytest.mark.xdist_group("dask")

FEW = {"n_estimators": 6, "random_state": 5}
HERE = ("--host", "127.0.0.1", "--no-dashboard")


def start(*command):
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", *command], **silent)


def start_scheduler(folder):
    """Return the process and the address at which it listens."""
    file = folder / "scheduler.json"
    options = ("--port", "0", "--scheduler-file", file)
    process = start("distributed.cli.dask_scheduler", *HERE, *options)
    while not file.exists():
        assert process.poll() is None
        time.sleep(0.05)
    return process, json.loads(file.read_text())["address"]


def start_worker(address):
    return start("distributed.cli.dask_worker", address, *HERE, "--nthreads", "1", "--no-nanny")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a scheduler with two workers."""
    scheduler, address = start_scheduler(tmp_path_factory.mktemp("scheduler"))
    processes = [start_worker(address), start_worker(address), scheduler]
    with cluster.connect(address) as client:
        client.wait_for_workers(2)
    yield address
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def table():
    X = add_noise(make_helix(300, random_state=0).X, 5, random_state=0)
    return pd.DataFrame(X, columns=[f"c{i}" for i in range(8)])


@pytest.fixture
def data(table, tmp_path):
    """Three files of 100 rows, in row groups of 40."""
    for i in range(3):
        rows = table[100 * i : 100 * i + 100]
        rows.to_parquet(tmp_path / f"{i}.parquet", row_group_size=40, index=False)
    return tmp_path


@pytest.mark.parametrize(
    "values",
    [files.PART_VALUES, 8 * 40],
    ids=["one partition per file", "one partition per row group"],
)
def test_the_dataset_has_the_neighbors_of_every_row(address, table, data, values, monkeypatch):
    monkeypatch.setattr(files, "PART_VALUES", values)
    distances, ids = URerF(**FEW).fit(table).kneighbors(n_neighbors=4)
    assert neighbors_to_parquet(str(data / "*.parquet"), address, data / "graph", 4, **FEW) == 300
    found = pd.read_parquet(data / "graph")
    assert list(found.columns) == ["row", "neighbor", "distance"]
    np.testing.assert_array_equal(found["row"], np.repeat(np.arange(300), 4))
    np.testing.assert_array_equal(found["neighbor"], ids.ravel())
    assert found["distance"].to_numpy().tobytes() == distances.tobytes()


def test_columns_and_files_keep_the_order_given(address, table, data):
    paths = [data / "2.parquet", str(data / "0.parquet")]
    columns = ["c2", "c0", "c1"]
    rows = pd.concat([table[200:], table[:100]])[columns]
    ids = URerF(**FEW).fit(rows).kneighbors()[1]
    assert neighbors_to_parquet(paths, address, data / "graph", columns=columns, **FEW) == 200
    np.testing.assert_array_equal(pd.read_parquet(data / "graph")["neighbor"], ids.ravel())


def test_a_bad_file_is_named(address, table, data):
    paths = str(data / "*.parquet")
    bad = table[:100].copy()
    bad.iloc[70, 3] = np.nan
    bad.to_parquet(data / "1.parquet", row_group_size=40, index=False)
    with pytest.raises(ValueError, match=r"1\.parquet, row groups 0 to 2: .*NaN"):
        neighbors_to_parquet(paths, address, data / "graph", missing="error", **FEW)
    table[:100].drop(columns="c7").to_parquet(data / "1.parquet", index=False)
    with pytest.raises(ValueError, match=r"1\.parquet, row groups 0 to 0: has no column 'c7'"):
        neighbors_to_parquet(paths, address, data / "graph", **FEW)
    (data / "1.parquet").write_text("row,neighbor")
    with pytest.raises(ValueError, match=r"paths: .*1\.parquet is not a Parquet file"):
        neighbors_to_parquet(paths, address, data / "graph", **FEW)


def test_missing_values_in_files_are_filled(address, table, data):
    gaps = table.mask(np.random.default_rng(0).random(table.shape) < 0.05)
    gaps[:100].to_parquet(data / "0.parquet", index=False)
    ids = URerF(**FEW).fit(pd.concat([gaps[:100], table[100:]])).kneighbors(n_neighbors=4)[1]
    neighbors_to_parquet(str(data / "*.parquet"), address, data / "graph", 4, **FEW)
    np.testing.assert_array_equal(pd.read_parquet(data / "graph")["neighbor"], ids.ravel())


def urerf(*arguments):
    """Run the command line in another process."""
    command = [sys.executable, "-c", "from urerf.cli import app; app()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_command_line_runs_on_a_cluster(address, table, data):
    files = sorted(data.glob("*.parquet"))
    for path in files:
        frame = pd.read_parquet(path)
        frame = frame.assign(name="text", pair=[[1, 2]] * len(frame))
        frame.to_parquet(path, index=False)
    command = ["neighbors", "--scheduler", address, *files, "-o", data / "graph"]
    command += ["-k", 4, "--trees", 6, "--seed", 5]
    refused = CliRunner().invoke(app, [*map(str, command)])
    assert (refused.exit_code, refused.stdout) == (1, "")
    message = "0.parquet, row groups 0 to 0: column 'pair': has values such as"
    assert message in refused.stderr
    done = urerf(*command, "--ignore", "pair", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    expected = {"rows": 300, "neighbors": 4, "out": str(data / "graph")}
    assert json.loads(done.stdout).items() >= expected.items()
    distances, ids = URerF(**FEW).fit(table).kneighbors(n_neighbors=4)
    found = pd.read_parquet(data / "graph")
    np.testing.assert_array_equal(found["neighbor"], ids.ravel())
    assert found["distance"].to_numpy().tobytes() == distances.tobytes()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"paths": "no/*.parquet"}, FileNotFoundError, r"paths: there is no file 'no/\*.parquet'"),
        ({"paths": "no.parquet"}, FileNotFoundError, "paths: there is no file 'no.parquet'"),
        ({"paths": []}, ValueError, "paths: must not be empty"),
        (
            {"columns": ["c0", "height"]},
            ValueError,
            "columns: .*0.parquet has no column 'height'; its columns are 'c0', 'c1'",
        ),
        (
            {"ignore": ["height"]},
            ValueError,
            "ignore: .*0.parquet has no column 'height'; its columns are 'c0', 'c1'",
        ),
        (
            {"columns": ["c0"], "ignore": ["c0"]},
            ValueError,
            "ignore: must not contain every column",
        ),
        ({"n_neighbors": 300}, ValueError, "n_neighbors: 300 neighbors need at least 301"),
        ({"n_estimators": 0}, ValueError, "n_estimators: must be at least 1"),
    ],
)
def test_bad_arguments_are_named(address, data, change, error, message):
    arguments = {"paths": str(data / "*.parquet"), "scheduler": address, "out": data / "graph"}
    with pytest.raises(error, match=message):
        neighbors_to_parquet(**{**arguments, **FEW, **change})


def test_a_folder_that_is_not_empty_is_left_unchanged(address, data):
    with pytest.raises(FileExistsError, match="is not an empty folder"):
        neighbors_to_parquet(str(data / "*.parquet"), address, data, **FEW)
    assert len(list(data.iterdir())) == 3


def test_an_address_without_a_scheduler_is_refused():
    message = r"scheduler: nothing answers at 'tcp://127.0.0.1:9' within 1 s"
    with pytest.raises(ConnectionError, match=message):
        cluster.connect("tcp://127.0.0.1:9", timeout=1.0)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
def test_the_loss_of_the_scheduler_is_an_error(how, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "SILENCE", 1.0)
    monkeypatch.setattr(cluster, "PATIENCE", 2.0)
    scheduler, address = start_scheduler(tmp_path)
    worker = start_worker(address)

    def stop_the_scheduler(block, pid=scheduler.pid):
        os.kill(pid, how)
        time.sleep(30)
        return block

    try:
        client = cluster.connect(address)
        message = f"client: the scheduler at {address} is gone"
        X = da.ones((40, 3), chunks=(20, 3)).map_blocks(stop_the_scheduler, meta=np.empty((0, 0)))
        for _ in range(2):  # the second time, it is gone before the fit starts
            with pytest.raises(ConnectionError, match=message):
                DaskURerF(client=client, **FEW).fit(X)
        client.close(timeout=1)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


KILLED = """
import os, signal, sys
from urerf.dask import files
fetch = files.fetch
def fetch_and_die(client, tasks):
    if "_write" not in str(tasks[0].key):
        return fetch(client, tasks)
    fetch(client, tasks[:1])
    os.kill(os.getpid(), signal.SIGKILL)
files.fetch = fetch_and_die
files.neighbors_to_parquet(sys.argv[1], sys.argv[2], sys.argv[3], 4, n_estimators=2)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
def test_a_killed_client_leaves_no_dataset_and_the_next_run_makes_it(address, data):
    out = data / "graph"
    pattern = str(data / "*.parquet")
    command = [sys.executable, "-c", KILLED, pattern, address, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = data.glob(".graph.partial-*")
    assert list(left.glob("part-*.parquet"))
    assert not out.exists()
    assert neighbors_to_parquet(pattern, address, out, 4, **FEW) == 300
    assert len(pd.read_parquet(out)) == 1200
    assert list(data.glob(".graph.*")) == []


@pytest.mark.parametrize(
    "address", ["", "host", "tcp://", "tcp://:8786", "x://h:1", "inproc://1/2"]
)
def test_what_is_not_an_address_is_refused_at_once(address):
    """Dask made a client of it, which showed a traceback when it could not be closed."""
    with pytest.raises(ValueError, match=r"^scheduler: must be an address such as .*, got"):
        cluster.connect(address)


def test_tls_needs_certificates():
    with pytest.raises(ValueError, match=r"^scheduler: 'tls://127.0.0.1:9' needs certificates"):
        cluster.connect("tls://127.0.0.1:9")


def test_a_security_file_that_is_wrong_is_refused(tmp_path):
    path = tmp_path / "security.yaml"
    for content, message in (
        ("a: [", "is not a YAML file"),
        ("[]", "must have the keys ca-file, cert, key and no other"),
        ("ca-file: a\ncert: b\n", "must have the keys ca-file, cert, key and no other"),
        ("ca-file: a\ncert: b\nkey: c\n", "there is no file .*a'"),
    ):
        path.write_text(content)
        with pytest.raises((ValueError, OSError), match=f"^security: .*{message}"):
            cluster.connect("tls://127.0.0.1:9", security=path)
    for name in "abc":
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match=r"^scheduler: .* must begin with tls://"):
        cluster.connect("tcp://127.0.0.1:9", security=path)


@pytest.mark.slow
def test_a_scheduler_with_tls(data, table):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", data / "key.pem", "-out", data / "cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    (data / "security.yaml").write_text("ca-file: cert.pem\ncert: cert.pem\nkey: key.pem\n")
    tls = ["--tls-ca-file", data / "cert.pem", "--tls-cert", data / "cert.pem"]
    tls += ["--tls-key", data / "key.pem", "--protocol", "tls"]
    file = data / "scheduler.json"
    options = [*HERE, "--port", "0", "--scheduler-file", file, *tls]
    scheduler = start("distributed.cli.dask_scheduler", *options)
    while not file.exists():
        assert scheduler.poll() is None
        time.sleep(0.05)
    address = json.loads(file.read_text())["address"]
    worker = start("distributed.cli.dask_worker", address, *HERE, "--nthreads", "1", *tls)
    try:
        assert address.startswith("tls://")
        command = ["neighbors", "--scheduler", address, *sorted(data.glob("?.parquet"))]
        command += ["-o", data / "graph", "-k", 4, "--trees", 6, "--seed", 5]
        done = urerf(*command, "--security", data / "security.yaml")
        assert done.returncode == 0, done.stderr
        assert len(pd.read_parquet(data / "graph")) == 1200
        refused = urerf(*command[:-1], 6, "-o", data / "other")  # without a certificate
        assert refused.returncode == 1
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
