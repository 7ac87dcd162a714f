"""The number of BLAS threads is restored, also by fits that overlap."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from urerf import URerF
from urerf._blas import one_blas_thread


def n_threads():
    return {part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


def test_one_thread_inside_and_the_old_number_outside():
    with one_blas_thread():
        assert n_threads() == {1}
    assert n_threads() == {2}


def test_blocks_that_overlap():
    """First in, first out: the second must not restore the limit of the first."""
    first = one_blas_thread()
    second = one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert n_threads() == {1}
    second.__exit__(None, None, None)
    assert n_threads() == {2}


def test_an_error_restores_the_number():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        1 / 0  # noqa: B018
    assert n_threads() == {2}


def test_fits_in_several_threads():
    X = np.random.default_rng(0).normal(size=(200, 20))
    models = [URerF(n_estimators=1, random_state=i) for i in range(4)]
    threads = [
        threading.Thread(target=model.fit, args=(X[:, : 5 + 5 * i],))
        for i, model in enumerate(models)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert n_threads() == {2}
