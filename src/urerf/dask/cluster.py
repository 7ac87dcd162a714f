"""Compute on a cluster: return results, or a clear error when the scheduler is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from distributed import Client, Future, futures_of, get_client, wait
from distributed.comm import CommClosedError

# A scheduler that has been silent for this many seconds is asked whether it is alive,
SILENCE = 10.0
# and has this many seconds to answer: a scheduler that hangs is given up after a minute.
PATIENCE = 50.0


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


def connect(address: str, timeout: float = 10.0) -> Client:
    """Return a client of the scheduler at an address."""
    try:
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ConnectionError(
            f"scheduler: nothing answers at {address!r} within {timeout:.0f} s; start a scheduler "
            "(`dask scheduler`) or correct the address"
        ) from error


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
