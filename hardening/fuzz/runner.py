"""Run a target in worker processes with limits, and find the inputs that break it.

Inputs are made from the seed and their number, so a worker that crashed tells by its last number
which input it was.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

CORPUS = Path(__file__).parent / "corpus"
SECONDS_PER_INPUT = 30.0
# Memory beyond what the worker has when it starts.
MEMORY = 3 * 2**30
# Inputs after which a worker is replaced: leaks and caches would otherwise add up.
INPUTS_PER_WORKER = 5000


class Target(Protocol):
    """What is tried."""

    name: str

    def prepare(self) -> None:
        """Do what is needed once, such as compiling."""

    def make(self, rng: Random) -> bytes:
        """Return an input."""

    def check(self, content: bytes, folder: Path) -> None:
        """Try an input; raise whatever is not expected. ``folder`` is for files."""


class Fault(NamedTuple):
    """An input that broke something."""

    path: Path
    what: str


class Outcome(NamedTuple):
    """What a run of a target found."""

    n_inputs: int
    seconds: float
    faults: list[Fault]


def fuzz(target: Target, seconds: float, seed: int, folder: Path) -> Outcome:
    """Try inputs for some time."""
    target.prepare()
    start = time.monotonic()
    faults: dict[str, Fault] = {}
    number = 0
    while time.monotonic() - start < seconds:
        ending = start + seconds
        first = number
        for number, what in _watch(target, seed, first, ending, folder):
            if what and _place(what) not in faults:
                faults[_place(what)] = save(target, make(target, seed, number), what)
        number += 1
    return Outcome(number, time.monotonic() - start, list(faults.values()))


def _place(what: str) -> str:
    """Return where an error occurred: many inputs show the same fault."""
    lines = [line for line in what.splitlines() if line.startswith('  File "')]
    return "".join(lines[-2:]) or what


def replay(target: Target, contents: list[bytes], folder: Path) -> list[str]:
    """Try given inputs, each with the limits; return what went wrong."""
    target.prepare()
    said = []
    for content in contents:
        fixed = _Fixed(target.name, target.check, content)
        for _, what in _watch(fixed, 0, 0, None, folder):
            if what:
                said.append(f"{target.name} {digest(content)}: {what}")
    return said


class _Fixed(NamedTuple):
    """A target with a single input."""

    name: str
    check: Callable[[bytes, Path], None]
    content: bytes

    def make(self, rng: Random) -> bytes:
        """Return the input."""
        return self.content


def make(target: Target, seed: int, number: int) -> bytes:
    """Return input ``number`` of a run."""
    return target.make(Random(f"{seed} {target.name} {number}"))


def save(target: Target, content: bytes, what: str) -> Fault:
    """Keep an input that broke something."""
    path = CORPUS / target.name / digest(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return Fault(path, what)


def digest(content: bytes) -> str:
    """Return the name of an input in the corpus."""
    return hashlib.sha256(content).hexdigest()[:16]


def _watch(
    target: Any, seed: int, first: int, ending: float | None, folder: Path
) -> Iterator[tuple[int, str]]:
    """Run one worker; yield the numbers of inputs that broke something, with a description.

    The last is the number of the last input that was tried, with an empty description.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    current = context.Value("q", first, lock=False)  # the input that the worker tries
    arguments = (target, seed, first, ending, folder, sender, current)
    work = context.Process(target=_work, args=arguments)
    work.start()
    sender.close()
    try:
        is_open = True
        while is_open:
            number = current.value
            is_open = yield from _faults(receiver)
            if is_open and current.value == number:
                work.kill()
                yield number, f"no answer within {SECONDS_PER_INPUT:.0f} s"
                yield number, ""
                return
        work.join()
        if work.exitcode != 0:
            yield current.value, f"the process ended with {work.exitcode}"
        yield current.value, ""
    finally:
        receiver.close()
        work.join()


def _faults(receiver: Connection) -> Generator[tuple[int, str], None, bool]:
    """Yield what a worker reports for `SECONDS_PER_INPUT`; return whether it may report more."""
    ending = time.monotonic() + SECONDS_PER_INPUT
    while receiver.poll(max(0.0, ending - time.monotonic())):
        try:
            yield receiver.recv()
        except EOFError:
            return False
    return True


def _work(
    target: Any,
    seed: int,
    first: int,
    ending: float | None,
    folder: Path,
    sender: Connection,
    current: Any,
) -> None:
    _limit_memory()
    last = first if ending is None else first + INPUTS_PER_WORKER - 1
    for number in range(first, last + 1):
        if ending is not None and number > first and time.monotonic() > ending:
            return
        content = make(target, seed, number)
        current.value = number
        try:
            target.check(content, folder)
        except BaseException:
            sender.send((number, traceback.format_exc(limit=-12)))


def _limit_memory() -> None:
    import resource  # POSIX only, as is fork

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
