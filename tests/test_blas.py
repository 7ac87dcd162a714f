"""The number of BLAS threads is restored, also by fits that overlap."""

import threading
from unittest import mock

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


def test_the_last_to_leave_may_be_another_thread_than_the_first():
    """Of all threads, threadpoolctl lets only the first set the number, as long as it lives."""
    entered = threading.Event()
    leave = threading.Event()
    left = threading.Event()
    end = threading.Event()

    def first():
        with one_blas_thread():
            entered.set()
            leave.wait(10)
        left.set()
        end.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(10)
    with one_blas_thread():
        leave.set()
        left.wait(10)
        assert n_threads() == {1}
    assert thread.is_alive()
    assert n_threads() == {2}
    end.set()
    thread.join()


def test_a_limit_of_the_caller_ends_as_it_began():
    with threadpool_limits(3, user_api="blas"):
        URerF(n_estimators=1).fit(np.random.default_rng(0).normal(size=(30, 3)))
        assert n_threads() == {3}
    assert n_threads() == {2}


class OfEveryThread:
    """A library that has a number of its own for every thread, as MKL."""

    internal_api = "mkl"
    check_symbols = ("MKL_Set_Num_Threads_Local",)

    def __init__(self):
        self.of = threading.local()

    @property
    def num_threads(self):
        return getattr(self.of, "number", 4)

    def set_num_threads(self, number):
        self.of.number = number


def test_a_number_of_every_thread_is_restored_by_that_thread(monkeypatch):
    library = OfEveryThread()
    controller = mock.Mock()
    controller.select.return_value.lib_controllers = [library]
    monkeypatch.setattr("threadpoolctl.ThreadpoolController", lambda: controller)
    first = one_blas_thread()
    first.__enter__()
    said = []

    def second():
        with one_blas_thread():
            said.append(library.num_threads)
        said.append(library.num_threads)

    thread = threading.Thread(target=second)
    thread.start()
    thread.join()
    assert said == [1, 4]
    assert library.num_threads == 1
    first.__exit__(None, None, None)
    assert library.num_threads == 4


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
