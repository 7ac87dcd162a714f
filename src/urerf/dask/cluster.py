"""Compute on a cluster: return results, or a clear error when the scheduler is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from distributed import Client, Future, Security, futures_of, get_client, wait
from distributed.comm import CommClosedError, parse_address, parse_host_port

# A scheduler that has been silent for this many seconds is asked whether it is alive,
SILENCE = 10.0
# and has this many seconds to answer: a scheduler that hangs is given up after a minute.
PATIENCE = 50.0
# Keys of a security file, and what Dask calls them.
SECURITY = {"ca-file": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}
# How a scheduler in another process can be reached.
SCHEMES = ("tcp", "tls", "ws")


def current_client(client: Client | None) -> Client:
    """Return the given client, or the active one."""
    if client is not None:
        if not isinstance(client, Client):
            raise TypeError(f"client: must be a distributed.Client, got {client!r}")
        return client
    try:
        return get_client()
    except ValueError as error:
        raise ValueError(
            "client: no Dask client is active; create one, distributed.Client('tcp://...'), "
            "and pass it"
        ) from error


def connect(
    address: str,
    timeout: float = 10.0,
    security: str | os.PathLike | None = None,
) -> Client:
    """Return a client of the scheduler at an address.

    ``security`` is a YAML file with the keys ``ca-file``, ``cert`` and ``key``: the certificate of
    the authority, that of this client, and its key, as paths relative to the file. The address must
    then begin with ``tls://``, and connections are encrypted and authenticated in both directions.
    """
    certificates = None if security is None else read_security(security)
    if certificates is not None and not address.startswith("tls://"):
        raise ValueError(
            f"scheduler: with a security file, the address must begin with tls://, got {address!r}"
        )
    _check_address(address, certificates or Security())
    try:
        return Client(address, timeout=timeout, set_as_default=False, security=certificates)
    except (OSError, TimeoutError) as error:
        raise ConnectionError(
            f"scheduler: nothing answers at {address!r} within {timeout:.0f} s; start a scheduler "
            "(`dask scheduler`) or correct the address"
        ) from error


def _check_address(address: str, security: Security) -> None:
    """Refuse what is not an address, before a client that cannot be closed is made of it."""
    try:
        scheme, place = parse_address(address)
        host, _ = parse_host_port(place)
        is_address = scheme in SCHEMES and host != ""
    except ValueError:
        is_address = False
    if not is_address:
        raise ValueError(
            f"scheduler: must be an address such as 'tcp://host:8786', got {address!r}"
        )
    if scheme == "tls":
        connection = security.get_connection_args("client")
        if connection.get("ssl_context") is None:
            raise ValueError(
                f"scheduler: {address!r} needs certificates; name them in a security file "
                "(--security)"
            )


def read_security(path: str | os.PathLike) -> Security:
    """Return the certificates that a YAML file names."""
    try:
        content = yaml.safe_load(Path(path).read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"security: {os.fspath(path)!r} is not a YAML file: {error}") from None
    if not isinstance(content, dict) or set(content) != set(SECURITY):
        raise ValueError(
            f"security: {os.fspath(path)!r} must have the keys {', '.join(SECURITY)} and no other"
        )
    folder = Path(path).parent
    files = {}
    for key, name in SECURITY.items():
        file = folder / str(content[key])
        if not file.is_file():
            raise FileNotFoundError(f"security: there is no file {str(file)!r}")
        files[name] = str(file)
    return Security(require_encryption=True, **files)


def keep(client: Client, tasks: Sequence[Any]) -> list[Any]:
    """Compute tasks and keep the results on the cluster, as tasks that are done."""
    with _lost_scheduler(client):
        kept = list(client.persist(list(tasks)))
    _wait(client, futures_of(kept, client=client))
    return kept


def fetch(client: Client, tasks: Sequence[Any]) -> list[Any]:
    """Compute tasks and bring the results here."""
    with _lost_scheduler(client):
        futures = client.compute(list(tasks))
    _wait(client, futures)
    with _lost_scheduler(client):
        return client.gather(futures)


def memory_limits(client: Client) -> list[int]:
    """Return the memory of the workers that have a limit, in bytes."""
    with _lost_scheduler(client):
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    return [limit for limit in limits if limit]  # 0 if no limit is known


def count_threads(client: Client) -> int:
    """Return the number of threads of all workers."""
    with _lost_scheduler(client):
        return sum(client.nthreads().values())


def _wait(client: Client, futures: list[Future]) -> None:
    """Wait until all are done or one has failed; check now and then that the scheduler is alive."""
    while not all(future.done() for future in futures):
        with _lost_scheduler(client), client.as_current():
            try:
                wait(futures, timeout=SILENCE)
            except TimeoutError:
                client.sync(_ask, client, callback_timeout=PATIENCE)
        for future in futures:
            if future.status == "error":
                future.result()  # raises what the task raised


async def _ask(client: Client) -> None:
    if client.scheduler is None:
        raise CommClosedError("not connected")
    await client.scheduler.identity(n_workers=0)


@contextmanager
def _lost_scheduler(client: Client) -> Iterator[None]:
    """Turn every sign of a lost scheduler into one clear error."""
    try:
        yield
    except (CancelledError, CommClosedError, TimeoutError) as error:
        raise ConnectionError(_gone(client)) from error
    except Exception as error:  # what a closed client raises differs between versions
        if client.status == "running":
            raise
        raise ConnectionError(_gone(client)) from error


def _gone(client: Client) -> str:
    where = client.scheduler.address if client.scheduler is not None else "its address"
    return (
        f"client: the scheduler at {where} is gone, and with it what its workers held; "
        "start it again and fit again"
    )
