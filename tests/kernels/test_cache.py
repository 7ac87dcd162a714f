"""Machine code on disk: never stale, never damaged, never in the way."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from urerf.kernels import _cache
from urerf.kernels.rng import mix

# A small package whose kernels lie in two files, as those of urerf do.
INNER = """
from ._jit import jit

@jit
def inner(x):
    return x + 1
"""
OUTER = """
from ._jit import jit
from .inner import inner

@jit
def outer(x):
    return inner(x) * 10
"""
CALL = "import sys; sys.path.insert(0, {!r}); from kernels.outer import outer; print(outer(1)); "
COUNT = "print(sum(outer.stats.cache_misses.values()))"


@pytest.fixture
def package(tmp_path):
    """A folder with the package, which is installed where it can be written."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    source = Path(_cache.__file__).parent
    for name in ("__init__.py", "_jit.py", "_cache.py", "_compiling.py", "_garbage.py"):
        shutil.copy(source / name, kernels / name)
    # A busy machine takes longer than a user is left without a message, which is not tested here.
    patient = (source / "_compiling.py").read_text().replace("PATIENCE = 2.0", "PATIENCE = 600.0")
    (kernels / "_compiling.py").write_text(patient)
    (kernels / "inner.py").write_text(INNER)
    (kernels / "outer.py").write_text(OUTER)
    return kernels


def environment(package):
    """Return an environment in which the user's cache folder is beside the package."""
    home = str(package.parent / "home")
    ours = {"HOME": home, "XDG_CACHE_HOME": home, "LOCALAPPDATA": home}
    unset = ("NUMBA_CACHE_DIR", "PYTHONPATH")
    return {**{name: os.environ[name] for name in os.environ if name not in unset}, **ours}


def run(package):
    """Call the kernel in a new process; return its result, how often it compiled, and stderr."""
    code = CALL.format(str(package.parent)) + COUNT
    command = [sys.executable, "-c", code]
    env = environment(package)
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    result, n_compiled = map(int, done.stdout.split())
    return result, n_compiled, done.stderr


def stored(folder):
    return sorted(folder.rglob("*.nbc"))


def test_the_second_process_loads_what_the_first_compiled(package):
    assert run(package) == (20, 1, "")
    assert stored(package / "__pycache__")
    assert run(package) == (20, 0, "")


def test_a_kernel_is_compiled_again_when_one_that_it_calls_changes(package):
    assert run(package)[0] == 20
    (package / "inner.py").write_text(INNER.replace("x + 1", "x + 2"))
    assert run(package) == (30, 1, "")
    assert run(package) == (30, 0, "")


def flip_a_bit(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_damaged_files_are_replaced(package):
    run(package)
    for path in stored(package):
        damage = flip_a_bit if "outer" in path.name else lambda content: content[:50]
        path.write_bytes(damage(path.read_bytes()))
    assert run(package) == (20, 1, "")
    assert run(package) == (20, 0, "")


def block(folder):
    """Make a folder impossible to create: permissions do not stop the superuser."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("not a folder")


def test_a_read_only_installation_compiles_once_per_user(package):
    block(package / "__pycache__")
    assert run(package) == (20, 1, "")
    assert stored(package.parent / "home")
    assert run(package) == (20, 0, "")


def test_without_any_folder_there_is_one_line(package):
    block(package / "__pycache__")
    block(package.parent / "home")
    result, n_compiled, said = run(package)
    assert (result, n_compiled) == (20, 1)
    assert said.startswith("urerf: cannot store compiled code in ")
    assert said.count("\n") == 1


def test_the_reason_is_that_of_the_folder_that_is_named(monkeypatch, capsys):
    def refuse(folder, **_):
        raise OSError(errno.EROFS, f"no {folder}")

    monkeypatch.setattr(_cache, "folders", lambda: (Path("first"), Path("second")))
    monkeypatch.setattr(_cache.Path, "mkdir", refuse)
    monkeypatch.setattr(_cache, "_gave_up", False)
    assert _cache._found_folder.__wrapped__() is None
    assert "in 'first' (no first)" in capsys.readouterr().err


def test_a_full_disk_is_one_line(package):
    folder = package.parent / "cache"
    env = {**environment(package), "NUMBA_CACHE_DIR": str(folder)}
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    code += CALL.format(str(package.parent)) + COUNT
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, env=env
    )
    assert done.stdout.split() == ["20", "1"], done.stderr
    assert done.stderr.startswith("urerf: cannot store compiled code in ")
    assert done.stderr.count("\n") == 1
    assert stored(folder) == []
    assert [path.name for path in folder.rglob("*") if path.is_file()] == []


@pytest.mark.slow
def test_two_processes_at_once_agree(package):
    code = CALL.format(str(package.parent)) + COUNT
    command = [sys.executable, "-c", code]
    settings = {"stdout": subprocess.PIPE, "text": True, "env": environment(package)}
    processes = [subprocess.Popen(command, **settings) for _ in range(3)]
    results = [process.communicate(timeout=120)[0].split()[0] for process in processes]
    assert results == ["20"] * 3
    assert run(package) == (20, 0, "")


@pytest.mark.slow
def test_code_of_old_versions_is_deleted(package):
    for i in range(6):
        (package / "__pycache__" / f"urerf-{i}").mkdir(parents=True)
    run(package)
    assert len(list((package / "__pycache__").glob("urerf-*"))) == _cache.KEPT + 1


def test_all_kernels_of_urerf_are_stored_this_way():
    assert isinstance(mix._cache, _cache.KernelCache)
