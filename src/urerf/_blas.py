"""One BLAS thread while we run threads of our own.

`threadpoolctl.threadpool_limits` remembers the number of threads when it begins. Of two fits at the
same time, the second one remembers the limit of the first, and restores that for good. Here all
fits of a process share one limit, which the last to end lifts.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

_lock = threading.Lock()
_n_users = 0
_limit: Any = None


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this block, in any thread, BLAS uses one thread per call."""
    global _n_users, _limit
    with _lock:
        if _n_users == 0:
            _limit = threadpool_limits(1, user_api="blas")
        _n_users += 1
    try:
        yield
    finally:
        with _lock:
            _n_users -= 1
            if _n_users == 0:
                _limit.restore_original_limits()
                _limit = None
