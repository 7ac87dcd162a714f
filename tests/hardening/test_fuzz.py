"""Inputs that once broke something, and the fuzzers themselves."""

import os
import signal
import tempfile
from pathlib import Path
from random import Random

import pytest

runner = pytest.importorskip("hardening.fuzz.runner")
if os.name == "nt":
    pytest.skip("the workers are forks", allow_module_level=True)
pytest.importorskip("anndata")
pytest.importorskip("pyreadstat")
from hardening.fuzz.mutate import mutate  # noqa: E402
from hardening.fuzz.targets import ALL  # noqa: E402

FOUND = sorted(path.name for path in runner.CORPUS.iterdir())


@pytest.mark.parametrize("name", FOUND)
def test_inputs_that_once_broke_something(name, tmp_path):
    contents = [path.read_bytes() for path in sorted((runner.CORPUS / name).iterdir())]
    assert runner.replay(ALL[name], contents, tmp_path) == []


class Broken:
    """A target with faults of every kind."""

    name = "broken"

    def prepare(self):
        pass

    def make(self, rng):
        return b"%d" % rng.randrange(10)

    def check(self, content, folder):
        kind = int(content)
        if kind == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == 2:
            raise KeyError("traceback")
        if kind == 3:
            bytearray(runner.MEMORY + 10**9)


def test_the_runner_finds_crashes_tracebacks_and_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "CORPUS", tmp_path / "corpus")
    outcome = runner.fuzz(Broken(), 1.5, seed=0, folder=tmp_path)
    assert outcome.n_inputs > 20
    assert sorted(int(fault.path.read_bytes()) for fault in outcome.faults) == [1, 2, 3]


def test_the_runner_finds_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_PER_INPUT", 0.3)
    monkeypatch.setattr(Broken, "check", lambda *_: __import__("time").sleep(60))
    (said,) = runner.replay(Broken(), [b"0"], tmp_path)
    assert "no answer within 0 s" in said


@pytest.mark.parametrize("name", ["text", "json", "archives", "numpy", "packed"])
def test_inputs_can_be_made_again_from_their_number(name):
    target = ALL[name]
    target.prepare()
    inputs = [runner.make(target, 7, number) for number in range(20)]
    assert inputs == [runner.make(target, 7, number) for number in range(20)]
    assert len(set(inputs)) > 10


def test_mutations_change_something():
    rng = Random(0)
    content = bytes(range(200))
    changed = [mutate(content, rng) for _ in range(100)]
    assert sum(new != content for new in changed) > 95
    assert mutate(b"", rng)


def test_a_folder_of_their_own(tmp_path):
    """Targets write only where they are told to."""
    before = set(Path(tempfile.gettempdir()).glob("input.bin"))
    ALL["text"].check(b"a,b\n1,2\n3,5\n", tmp_path)
    assert (tmp_path / "input.bin").exists()
    assert set(Path(tempfile.gettempdir()).glob("input.bin")) == before


def test_the_page_is_written_from_the_record(tmp_path, monkeypatch):
    page = pytest.importorskip("hardening.page")
    monkeypatch.setattr(page, "PAGE", tmp_path / "tried.md")
    page.main()
    written = Path(__file__).parents[2] / "docs" / "design" / "tried.md"
    assert (tmp_path / "tried.md").read_text() == written.read_text()
