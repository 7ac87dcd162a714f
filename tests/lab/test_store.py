import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from urerf.lab import store
from urerf.lab.store import Store, forest_files, hash_key
from urerf.lab.trial import Trial


def small(method="euclidean", seed=0, **settings):
    return Trial("linear", method, seed, ks=(5,), n=60, **settings)


def test_a_result_is_found_again_by_its_settings(tmp_path):
    kept = Store(tmp_path)
    kept.put(small(), [{"k": 5}])
    assert kept.get(small())[0]["k"] == 5
    assert kept.get(small())[0]["dataset"] == "linear"
    assert not kept.has(small(seed=1))


def test_the_label_of_a_trial_is_not_part_of_its_key(tmp_path):
    kept = Store(tmp_path)
    kept.put(small(row="one"), [{"k": 5}])
    assert kept.get(small(row="two"))[0]["row"] == "two"


def test_a_file_records_exactly_what_it_is_keyed_by(tmp_path):
    kept = Store(tmp_path)
    trials = [small(), small("urerf", params={"density": 1}), small("umap")]
    for trial in trials:
        kept.put(trial, [])
    files = list(tmp_path.glob("*.json"))
    assert len(files) == 3
    for file in files:
        assert hash_key(json.loads(file.read_text())["key"]) == file.stem


@pytest.mark.parametrize("change", ["library", "code", "settings"])
def test_stale_results_are_not_found(tmp_path, monkeypatch, change):
    trial = small()
    Store(tmp_path).put(trial, [])
    if change == "library":
        monkeypatch.setattr(store, "library_version", lambda name: "99")
    elif change == "code":
        monkeypatch.setattr(store, "code_hash", lambda module, method: "other")
    else:
        trial = small(noise=1)
    assert not Store(tmp_path).has(trial)


def names_of(method, module="urerf.lab.trial"):
    import_module(module)
    files = store.code_files(module, method)
    return {str(path.relative_to(store.PACKAGE)) for path in files}


def test_only_our_methods_depend_on_the_code_of_the_forest():
    ours = {"estimator.py", "forest.py", "lab/methods/ours.py"}
    assert ours <= names_of("urerf_paper")
    for other in ("umap", "shi_cutler", "hsic"):
        assert not ours & names_of(other)
    assert "estimator.py" in names_of("")  # a test of the relevance
    assert "umap-learn" in store.provenance(small("umap"))


def test_other_methods_depend_on_their_file_and_on_what_it_imports():
    shared = {"metrics.py", "lab/trial.py", "lab/tables/made.py", "lab/methods/common.py"}
    assert shared | {"lab/methods/distances.py"} <= names_of("euclidean")
    assert "lab/methods/forests.py" not in names_of("euclidean")
    assert "lab/methods/registry.py" not in names_of("euclidean")
    dip = {"lab/selectors/single.py", "kernels/dip.py", "lab/methods/distances.py"}
    names = names_of("dip", "urerf.lab.arena.trial")
    assert shared | dip <= names
    assert not {"lab/selectors/pairs.py", "estimator.py"} & names


@pytest.mark.parametrize(
    ("study", "method", "needed"),
    [
        (
            "categories",
            "gower",
            {"lab/tables/categorical.py", "frames/dataframe.py", "kinds/recognize.py"},
        ),
        ("outliers", "isolation_forest", {"lab/tables/labeled.py", "lab/tables/categorical.py"}),
        ("outliers", "urerf", {"outliers.py"}),
        ("clusters", "euclidean", {"clusters.py", "lab/studies/outliers.py"}),
        ("shortcuts", "urerf_paper", {"lab/tables/speed.py"}),
    ],
)
def test_results_depend_on_what_the_study_of_the_trial_imports(study, method, needed):
    assert needed <= names_of(method, f"urerf.lab.studies.{study}")


def test_relative_imports_are_followed(tmp_path, monkeypatch):
    package = tmp_path / "urerf"
    (package / "inner").mkdir(parents=True)
    monkeypatch.setattr(store, "PACKAGE", package)
    texts = {
        "inner/one.py": "from .two import x\nfrom . import three\nfrom os import path",
        "inner/two.py": "from ..four import x",
        "inner/three.py": "from urerf.inner import one",
        "four.py": "import os",
        "inner/five.py": "",
    }
    for name, text in texts.items():
        (package / name).write_text(text)
    found = store.imported_files({package / "inner" / "one.py"})
    names = {str(path.relative_to(package)) for path in found}
    assert names == set(texts) - {"inner/five.py"}


def test_an_incomplete_file_is_never_seen(tmp_path):
    (tmp_path / ".urerf-0123.json").write_text('{"key": {"tri')  # left by a kill during a write
    assert not Store(tmp_path).has(small())


def test_results_depend_on_every_file_that_a_forest_runs():
    code = """
import sys, numpy as np, urerf
X = np.random.default_rng(0).normal(size=(50, 3))
model = urerf.URerF(n_estimators=2, random_state=0).fit(X)
model.kneighbors(), model.geodesic_distances()
print(*(module.__file__ for name, module in sys.modules.items() if name.startswith("urerf.")))
"""
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {Path(name) for name in ran} <= set(forest_files())


def test_layout_docstrings_and_names_of_modules_do_not_change_the_meaning(tmp_path):
    one = tmp_path / "one.py"
    two = tmp_path / "two.py"
    one.write_text('"""Text."""\nfrom urerf.lab.trial import Trial\nx = 1  # why\n')
    two.write_text("x   =   1\n")
    assert store.meaning(one) == store.meaning(two)
    for changed in ("x = 2\n", "import os\nx = 1\n"):
        two.write_text(changed)
        assert store.meaning(one) != store.meaning(two)
