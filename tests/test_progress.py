"""Progress is shown in a way that suits the place, and only if it takes long."""

import sys
import types

import pytest

from urerf import _progress


def run(capsys, **settings):
    items = list(_progress.progress(range(3), 3, "growing trees", **settings))
    assert items == [0, 1, 2]
    return capsys.readouterr().err


@pytest.fixture
def notebook(monkeypatch):
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(_progress, "NOTEBOOK_SECONDS", 0)


def test_a_file_gets_no_progress_of_what_takes_seconds(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert run(capsys, show=True) == ""


def test_a_file_gets_lines_with_the_time_that_is_left(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    seconds = iter([0.0, 4.0, 12.0, 13.0])
    clock = types.SimpleNamespace(perf_counter=lambda: next(seconds))
    monkeypatch.setattr(_progress, "time", clock)
    assert run(capsys, show=True) == "urerf: growing trees: 2 of 3, 6 s left\n"


@pytest.mark.parametrize(("seconds", "left"), [(1, "3 s"), (60, "3 min"), (3600, "3.0 h")])
def test_the_time_that_is_left_has_a_readable_unit(seconds, left):
    assert _progress._state(1000, 4000, seconds) == f"1,000 of 4,000, {left} left"


def test_a_notebook_shows_one_line_and_clears_it(capsys, notebook):
    text = run(capsys, show=True)
    assert "growing trees" in text
    assert "3 of 3" in text
    assert text.endswith(" \r")
    assert "\n" not in text


def test_a_quiet_model_shows_nothing_in_a_notebook(capsys, notebook):
    assert run(capsys, show=False) == ""


def test_a_shell_of_ipython_is_a_terminal(monkeypatch):
    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert not _progress.in_notebook()
