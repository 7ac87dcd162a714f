"""Files are replaced completely or not at all."""

import os

import pytest

from urerf._output import replacing


def write(path, text):
    with replacing(path) as partial:
        partial.write_text(text)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written(tmp_path):
    write(tmp_path / "a.csv", "new")
    assert (tmp_path / "a.csv").read_text() == "new"
    assert names(tmp_path) == ["a.csv"]


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with replacing(path) as partial:
        assert partial.parent == tmp_path
        assert partial.suffix == ".csv"  # some writers choose the format by the suffix
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("error", [ValueError("bad value"), OSError("disk"), KeyboardInterrupt()])
@pytest.mark.parametrize("begun", [True, False])
def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, error, begun):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def fail(partial):
        if begun:
            partial.write_text("new")
        raise error

    with pytest.raises(type(error)), replacing(path) as partial:
        fail(partial)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_data_are_flushed_before_the_file_is_renamed(tmp_path, monkeypatch):
    steps = []
    for step in ("fsync", "replace"):
        original = getattr(os, step)

        def record(*arguments, step=step, original=original):
            steps.append(step)
            return original(*arguments)

        monkeypatch.setattr(os, step, record)
    write(tmp_path / "a.csv", "new")
    assert steps == ["fsync", "replace"]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX links")
def test_a_symbolic_link_is_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.csv").write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(elsewhere / "a.csv")
    write(link, "new")
    assert link.is_symlink()
    assert (elsewhere / "a.csv").read_text() == "new"
    assert names(elsewhere) == ["a.csv"]
    assert names(tmp_path) == ["elsewhere", "link.csv"]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_text("")
    write(tmp_path / "a.csv", "new")
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode
