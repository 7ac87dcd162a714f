"""Files are replaced completely or not at all."""

import errno
import os
import tempfile
import threading
from pathlib import Path

import pytest

from urerf._output import check_folder, is_stream, replacing


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


posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX files")


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_permissions_of_a_replaced_file_are_kept(tmp_path, mode):
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(mode)
    write(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == mode


@posix
def test_nobody_else_can_read_the_partial_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(0o600)
    with replacing(path) as partial:
        assert partial.stat().st_mode & 0o777 == 0o600
        partial.write_text("new")


@posix
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    said = []
    reader = threading.Thread(target=lambda: said.append(path.read_text()))
    reader.start()
    write(path, "new")
    reader.join(10)
    assert said == ["new"]
    assert is_stream(path)
    assert names(tmp_path) == ["pipe.csv"]


@posix
def test_a_device_is_written_to_and_stays_a_device():
    write("/dev/null", "new")
    assert is_stream("/dev/null")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write("/dev/full", "new")


@posix
def test_a_full_disk_names_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / "x.csv"
    with pytest.raises(OSError, match=r"No space left on device: '.*x\.csv'$"), replacing(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(IsADirectoryError, match=r"'.*x\.csv'$"), replacing(path) as partial:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(partial))
    assert names(tmp_path) == []


def test_a_folder_that_does_not_exist_names_the_file_that_was_asked_for(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"x\.csv'$"),
        replacing(tmp_path / "none" / "x.csv"),
    ):
        pass


@posix
def test_a_link_that_leads_to_itself_or_nowhere_is_refused(tmp_path):
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(OSError, match=r"^-o: .* is a link that leads to itself"):
        check_folder("-o", tmp_path / "loop.csv")
    (tmp_path / "nowhere.csv").symlink_to("no/x.csv")
    with pytest.raises(FileNotFoundError, match=r"^-o: folder .*no' does not exist"):
        check_folder("-o", tmp_path / "nowhere.csv")


def test_a_null_character_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^-o: a file name cannot contain a null character"):
        check_folder("-o", f"{tmp_path}/a\0.csv")


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="only on Linux")
def test_a_file_in_shared_memory_is_a_file():
    """It lies below /dev, but a reader must not see it half written."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "x.csv"
        path.write_text("old")
        assert not is_stream(path)
        with replacing(path) as partial:
            partial.write_text("new")
            assert path.read_text() == "old"
        assert path.read_text() == "new"
