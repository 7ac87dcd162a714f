"""Targets whose inputs are seeds: of a table, of a data frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random


@dataclass
class Seeded:
    """One attempt per seed; a few attempts compile all kernels."""

    name: str
    attempt: Callable[[Random], None]
    n_to_compile: int

    def prepare(self) -> None:
        """Compile all kernels."""
        rng = Random(0)
        for _ in range(self.n_to_compile):
            self.attempt(rng)

    def make(self, rng: Random) -> bytes:
        """Return a seed."""
        return rng.randbytes(8)

    def check(self, content: bytes, folder: Path) -> None:
        """Try a seed."""
        self.attempt(Random(content))
