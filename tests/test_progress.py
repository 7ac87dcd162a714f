"""Progress is shown where somebody can see it, and nowhere else."""

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


def test_a_file_gets_no_progress(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert run(capsys, show=True) == ""


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
