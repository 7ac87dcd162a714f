"""Users are told why they wait for the compiler, whichever call needs it."""

import gc

import numba
import pytest

from urerf.kernels import _compiling
from urerf.kernels._jit import inner, leaf


@pytest.fixture
def compiling():
    """A counter for the kernels of this file."""
    counter = _compiling.Compiling(__name__)
    with numba.core.event.install_listener("numba:compile", counter):
        yield counter


def compile_one(function):
    """Compile a new kernel for one integer."""
    kernel = numba.njit(function)
    kernel(1)
    return kernel


def test_nobody_is_told_of_a_short_wait(compiling, monkeypatch, capfd):
    monkeypatch.setattr(_compiling, "PATIENCE", 600.0)
    compile_one(lambda x: x + 1)
    compiling.finish()
    assert capfd.readouterr().err == ""


def test_all_seconds_of_compiling_count(compiling, monkeypatch, capfd):
    compile_one(lambda x: x + 2)
    assert compiling.seconds > 0
    monkeypatch.setattr(_compiling, "PATIENCE", compiling.seconds)  # what is left is nothing
    was_collecting = []

    def watched(x):
        return x + 3

    kernel = numba.njit(watched)
    original = kernel._compiler.compile

    def compile_and_look(*args):
        was_collecting.append(gc.isenabled())
        compiling._timer.join()
        return original(*args)

    monkeypatch.setattr(kernel._compiler, "compile", compile_and_look)
    kernel(1)
    compiling.finish()
    first, second = capfd.readouterr().err.splitlines()
    assert first == "urerf: compiling its kernels for this machine; this happens once"
    assert second.startswith("urerf: compiled in ")
    assert was_collecting == [False]
    assert gc.isenabled()
    assert compiling.seconds == 0


def test_kernels_of_others_do_not_count():
    counter = _compiling.Compiling("urerf.kernels")
    with numba.core.event.install_listener("numba:compile", counter):
        compile_one(lambda x: x + 4)
    assert counter.seconds == 0


def test_an_inner_kernel_can_be_called_from_python_and_from_kernels():
    def twice(x):
        return 2 * x

    kernel = inner(twice)
    outer = leaf(lambda x: kernel(x) + 1)
    assert outer(3) == 7
    assert kernel(3) == 6
    assert kernel(1.5) == 3.0
    assert outer(1.5) == 4.0


def test_functions_of_others_need_no_module(compiling):
    """Those that pynndescent makes have none; with urerf imported, it could not be used."""

    def nameless(x):
        return x + 5

    nameless.__module__ = None
    kernel = numba.njit(nameless)
    assert kernel(1) == 6
    assert compiling.seconds == 0
