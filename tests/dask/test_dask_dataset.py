"""Datasets in several files are complete or not there."""

import pytest

fsspec = pytest.importorskip("fsspec")
pd = pytest.importorskip("pandas")
pytest.importorskip("distributed")
from urerf.dask.dataset import MARKER, new_dataset  # noqa: E402


def write(folder, n_files=2):
    for i in range(n_files):
        pd.DataFrame({"row": [i]}).to_parquet(f"{folder}/part-{i:05d}.parquet")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


COMPLETE = [MARKER, "part-00000.parquet", "part-00001.parquet"]


@pytest.mark.parametrize("exists", [True, False])
def test_all_files_appear_at_once(tmp_path, exists):
    out = tmp_path / "graph"
    if exists:
        out.mkdir()
    with new_dataset(out) as folder:
        write(folder)
        assert not exists or names(out) == []
        assert out.exists() == exists
    assert names(out) == COMPLETE
    assert names(tmp_path) == ["graph"]
    assert list(pd.read_parquet(out)["row"]) == [0, 1]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_nothing(tmp_path, error):
    def fail():
        with new_dataset(tmp_path / "graph") as folder:
            write(folder)
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == []


def test_what_a_killed_run_left_is_replaced(tmp_path):
    killed = new_dataset(tmp_path / "graph")
    write(killed.__enter__())  # and never ends
    assert not (tmp_path / "graph").exists()
    with pytest.raises(FileNotFoundError):
        pd.read_parquet(tmp_path / "graph")
    other = new_dataset(tmp_path / "graph2")
    other.__enter__()
    with new_dataset(tmp_path / "graph") as folder:
        write(folder)
    assert names(tmp_path / "graph") == COMPLETE
    assert [name for name in names(tmp_path) if name.startswith(".graph.")] == []
    assert len([name for name in names(tmp_path) if name.startswith(".graph2.")]) == 1


def test_a_complete_dataset_is_not_replaced(tmp_path):
    with new_dataset(tmp_path / "graph") as folder:
        write(folder)
    with (
        pytest.raises(FileExistsError, match="is not an empty folder"),
        new_dataset(tmp_path / "graph"),
    ):
        pass
    assert names(tmp_path / "graph") == COMPLETE


@pytest.fixture
def store():
    """A store that cannot rename folders."""
    fs = fsspec.filesystem("memory")
    yield fs
    fs.rm("/urerf", recursive=True)


def test_a_store_gets_the_marker_last(store):
    out = "memory://urerf/graph"
    with new_dataset(out) as folder:
        write(folder)
        assert [name for name in store.find("/urerf/graph") if "/_partial-" not in name] == []
    assert store.find("/urerf/graph") == [f"/urerf/graph/{name}" for name in COMPLETE]


def test_an_interrupted_move_to_a_store_is_replaced(store):
    out = "memory://urerf/graph"
    write(new_dataset(out).__enter__())
    store.touch("/urerf/graph/part-00000.parquet")  # the first of two was moved
    with new_dataset(out) as folder:
        write(folder)
    assert store.find("/urerf/graph") == [f"/urerf/graph/{name}" for name in COMPLETE]
    with pytest.raises(FileExistsError), new_dataset(out):
        pass


def test_files_of_others_in_a_store_are_kept(store):
    store.makedirs("/urerf/graph")
    store.touch("/urerf/graph/part-of-mine.txt")
    with pytest.raises(FileExistsError), new_dataset("memory://urerf/graph"):
        pass
    assert store.exists("/urerf/graph/part-of-mine.txt")
