"""Each example runs at a small size, URerF withstands noise, and pages show the current code."""

from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed; pip install urerf[plot]")

from examples import NAMES, compare
from examples.__main__ import GALLERY, main, page, tables
from examples.pictures import DRAWINGS, PICTURES

UMAP = pytest.mark.xdist_group("umap")  # it compiles in every process
FEW = (0, 100)
USUAL = {
    *("Isomap", "UMAP", "Euclidean", "k-means", "HDBSCAN, Euclidean", "spectral, Euclidean"),
    *("IsolationForest", "LocalOutlierFactor", "nearest labeled row", "LabelSpreading, Euclidean"),
    "Euclidean, all columns",
}
# Its small size, the method of the forest, and the least mean score that it must reach with noise.
SMALL = {
    "manifold_learning": ({"sizes": (400,), "noises": FEW}, "URerF, geodesics", 0.6),
    "clustering": ({"n_samples": 150, "noises": FEW}, "spectral, URerF", 0.6),
    "outliers": ({"n_samples": 300, "n_draws": 1, "noises": FEW}, "outlier_score", 0.75),
    "vertex_nomination": ({"n_draws": 3, "noises": FEW}, "URerF", 0.7),
    "labels": ({"n_samples": 600, "n_draws": 2, "noises": FEW}, "LabelSpreading, URerF", 0.7),
    "controls": ({"n_samples": 200, "noises": FEW}, "URerF", 0.85),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=UMAP if name == "manifold_learning" else ()) for name in NAMES],
)
def test_forest_keeps_its_score_under_noise(name):
    if name == "manifold_learning":
        pytest.importorskip("umap", reason="umap is not installed; pip install urerf[interop]")
    module = import_module(f"examples.{name}")
    size, ours, least = SMALL[name]
    result = module.run(**size)
    score = result.table.columns[3]
    noisy = result.table[result.table["noise columns"] == FEW[-1]]
    mean = noisy.groupby("method")[score].mean()
    assert mean[ours] >= least, mean
    assert all(mean[ours] > mean[method] for method in USUAL & set(mean.index)), mean
    assert set(module.COLORS) == set(result.table.method)
    assert result.figure.axes
    assert page(name, module, result).startswith("# ")


def test_table_has_a_line_for_each_method_and_a_column_for_each_noise():
    scores = {0: 0.25, 1000: 0.5}

    def score(_, noise):
        for method in "ab":
            yield {"method": method, "score": scores[noise] - 0.25}
            yield {"method": method, "score": scores[noise] + 0.25}

    table = compare("d", scores, score)
    assert tables(table).splitlines()[2:] == [
        "| data | method | 0 | 1,000 |",
        "| --- | ---: | ---: | ---: |",
        "| d | a | 0.25 | 0.50 |",
        "| d | b | 0.25 | 0.50 |",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_committed_page_has_figure_and_present_code(name):
    module = import_module(f"examples.{name}")
    code = Path(module.__file__).read_text(encoding="utf-8").split('"""\n', 1)[1].strip()
    assert (GALLERY / f"{name}.png").stat().st_size > 0
    text = (GALLERY / f"{name}.md").read_text(encoding="utf-8")
    assert code in text, f"run `python -m examples {name}` again"
    assert module.__doc__.split("\n\n", 1)[1].strip() in text


def test_unknown_example_is_named(capsys):
    assert main(["no_such"]) == 2
    assert "no_such" in capsys.readouterr().err


@pytest.mark.parametrize("name", DRAWINGS)
def test_pictures_of_the_guide_can_be_drawn(name):
    assert DRAWINGS[name]().axes
    assert (PICTURES / f"{name}.png").stat().st_size > 0
