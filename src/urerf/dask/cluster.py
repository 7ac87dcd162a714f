"""Waiting for a cluster: results, or a clear error when there is nobody to wait for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from distributed import Client, Future, futures_of, get_client, wait

PATIENCE = 60.0  # seconds without a scheduler after which waiting ends
LOOK = 1.0  # seconds between two looks at the connection


def the_client(client: Client | None) -> Client:
    """Return the client, or the current one."""
    if client is not None:
        if not isinstance(client, Client):
            raise TypeError(f"client: must be a distributed.Client, got {client!r}")
        return client
    try:
        return get_client()
    except ValueError as error:
        raise ValueError("client: there is none; make one, distributed.Client('tcp://...'), and pass it") from error


def connect(address: str, timeout: float = 10.0) -> Client:
    """Return a client of the scheduler at an address."""
    try:
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ConnectionError(
            f"scheduler: nobody answers at {address!r} within {timeout:.0f} s; start one (`dask scheduler`) or correct "
            "the address"
        ) from error


def keep(client: Client, tasks: Sequence[Any]) -> list[Any]:
    """Compute tasks, keep the results on the cluster, and return them as tasks that are done."""
    kept = list(client.persist(list(tasks)))
    _wait(client, futures_of(kept))
    return kept


def fetch(client: Client, tasks: Sequence[Any]) -> list[Any]:
    """Compute tasks and bring the results here."""
    futures = client.compute(list(tasks))
    _wait(client, futures)
    return client.gather(futures)


def _wait(client: Client, futures: list[Future]) -> None:
    """Wait until all are done, raise the error of one that failed, and do not wait for a scheduler that is gone."""
    last_seen = time.monotonic()
    while True:
        try:
            pending = wait(futures, timeout=LOOK).not_done
        except TimeoutError:
            pending = {f for f in futures if not f.done()}
        lost = any(f.cancelled() for f in futures)
        if client.status == "running" and not lost:
            last_seen = time.monotonic()
        elif lost or client.status == "closed" or time.monotonic() - last_seen > PATIENCE:
            raise ConnectionError(
                f"client: the scheduler at {client._scheduler_identity.get('address', 'unknown')} went away while "
                "working; results that were on its workers are lost: start it again and fit again"
            )
        for future in futures:
            if future.status == "error":
                future.result()
        if not pending:
            return
