"""How much memory there is: the least of machine, container and process."""

import errno
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from urerf import URerF, _memory
from urerf._memory import available_memory

MIB = 2**20
resource = pytest.importorskip("resource", reason="Windows has no such limits")


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Return a function that writes the files by which Linux describes limits."""
    monkeypatch.setattr(_memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(_memory, "CONTROL_GROUPS", tmp_path / "cgroup")

    def write(**files):
        for name, content in {"proc/meminfo": "MemAvailable: 8388608 kB\n", **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        _memory._limiting_groups.cache_clear()
        return available_memory() / MIB

    yield write
    _memory._limiting_groups.cache_clear()


def test_without_limits_it_is_what_the_machine_has(system):
    assert system() == 8192
    assert system(**{"proc/self/cgroup": "0::/\n", "cgroup/memory.max": "max\n"}) == 8192


def test_a_control_group_of_version_2(system):
    files = {
        "proc/self/cgroup": "0::/a/b\n",
        "cgroup/a/b/memory.max": f"{1024 * MIB}\n",
        "cgroup/a/b/memory.current": f"{300 * MIB}\n",
        "cgroup/a/b/memory.stat": f"anon 1\ninactive_file {100 * MIB}\n",
    }
    assert system(**files) == 824
    files["cgroup/a/memory.max"] = f"{512 * MIB}\n"
    files["cgroup/a/memory.current"] = f"{500 * MIB}\n"
    assert system(**files) == 12


def test_a_control_group_of_version_1(system):
    files = {
        "proc/self/cgroup": "5:cpu:/\n4:memory:/docker/x\n0::/\n",
        "cgroup/memory/memory.limit_in_bytes": f"{1024 * MIB}\n",
        "cgroup/memory/memory.usage_in_bytes": f"{1000 * MIB}\n",
        "cgroup/memory/memory.stat": f"total_inactive_file {76 * MIB}\n",
    }
    assert system(**files) == 100
    files["cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n"
    assert system(**files) == 8192


def test_a_full_group_leaves_nothing(system):
    files = {
        "proc/self/cgroup": "0::/\n",
        "cgroup/memory.max": f"{100 * MIB}\n",
        "cgroup/memory.current": f"{120 * MIB}\n",
    }
    assert system(**files) == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_the_limit_of_the_address_space():
    code = """
import resource
from urerf._memory import available_memory
before = available_memory()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
print(before, available_memory())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(float, done.stdout.split())
    assert after <= min(before, 2**30)
    assert after > min(before, 2**29)


def test_nothing_known_is_no_limit(system, monkeypatch, tmp_path):
    system()
    (tmp_path / "proc" / "meminfo").unlink()
    monkeypatch.setattr(os, "sysconf", lambda name: 1 / 0 if name == "x" else 1000)
    assert available_memory() == 1e6
    monkeypatch.setattr(os, "name", "nt")
    assert math.isinf(_memory._of_machine())


@pytest.fixture
def on_disk(monkeypatch):
    monkeypatch.setattr("urerf.columns.available_memory", lambda: 100.0)


def test_a_table_on_disk_gives_the_same_forest(on_disk):
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = URerF.paper(n_estimators=2, n_neighbors=3, random_state=0)
    assert isinstance(model.fit(X)._fitted.matrix.base, np.memmap)
    assert model.kneighbors()[1].shape == (50, 3)


def test_space_on_disk_is_reserved_first(on_disk, monkeypatch):
    """Otherwise the first write beyond the free space ends the process by SIGBUS."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(OSError, match=r"^X: needs 0 MB of disk space in .*; set TMPDIR to"):
        URerF.paper(n_estimators=2).fit(np.random.default_rng(0).normal(size=(50, 3)))


@pytest.mark.parametrize("exists", [True, False])
def test_without_fallocate_zeros_are_written(tmp_path, monkeypatch, exists):
    def unsupported(*_):
        raise OSError(errno.EOPNOTSUPP, "not supported")

    if exists:
        monkeypatch.setattr(os, "posix_fallocate", unsupported, raising=False)
    else:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    with open(tmp_path / "x", "w+b") as file:
        _memory.reserve_on_disk(file, 3 * MIB + 5)
        assert os.fstat(file.fileno()).st_size == 3 * MIB + 5
        assert os.fstat(file.fileno()).st_blocks * 512 >= 3 * MIB
