"""Hypothesis without deadlines, and no compiled kernels that are older than their sources."""

import hashlib
import os
from pathlib import Path

from hypothesis import settings

# Workers share the cores, and OpenMP's threads burn time while they wait for each other: t-SNE
# takes five times longer with two. Before anything that reads it is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("urerf", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("urerf")

KERNELS = Path(__file__).parents[1] / "src" / "urerf" / "kernels"


def _drop_stale_machine_code() -> None:
    """Delete all compiled kernels if any of their sources has changed.

    Numba compiles a kernel again when its own file changes, but not when a file it calls does.
    """
    sources = b"".join(path.read_bytes() for path in sorted(KERNELS.glob("*.py")))
    digest = hashlib.sha256(sources).hexdigest()
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", KERNELS / "__pycache__"))
    stamp = cache / "sources.sha256"
    if stamp.exists() and stamp.read_text() == digest:
        return
    for path in cache.rglob("*.nb[ic]"):
        path.unlink(missing_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest)


_drop_stale_machine_code()
