"""Hypothesis without deadlines, and compiled kernels that are never older than their sources."""

import hashlib
import os
from pathlib import Path

from hypothesis import settings

settings.register_profile("urerf", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("urerf")

KERNELS = Path(__file__).parents[1] / "src" / "urerf" / "kernels"


def _drop_stale_machine_code() -> None:
    """Numba compiles a kernel anew when its own file changed, not when a file that it calls did: drop all then."""
    digest = hashlib.sha256(
        b"".join(path.read_bytes() for path in sorted(KERNELS.glob("*.py")))
    ).hexdigest()
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", KERNELS / "__pycache__"))
    stamp = cache / "sources.sha256"
    if stamp.exists() and stamp.read_text() == digest:
        return
    for path in cache.rglob("*.nb[ic]"):
        path.unlink(missing_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest)


_drop_stale_machine_code()
