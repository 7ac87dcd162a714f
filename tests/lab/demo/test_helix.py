import numpy as np
import pytest

from urerf.lab import canvas
from urerf.lab.demo.helix import Result, make_data
from urerf.lab.demo.helix_figure import helix_figure


@pytest.fixture(scope="module")
def helix():
    return make_data(200, 0, seed=0)[0]


def found(helix, label):
    """A result whose neighbors are the truly nearest."""
    indices = np.argsort(helix.distances(), axis=1)[:, 1:51]
    return Result(label, "#d00000", 1.0, 0.1, indices)


def test_right_neighbors_are_counted_right(helix):
    right = found(helix, "URerF")
    farthest = np.argsort(helix.distances(), axis=1)[:, -50:]
    for result, text in ((right, "50 of 50 right"), (right._replace(indices=farthest), "0 of 50")):
        figure = helix_figure(helix, [result], chance=0.25)
        assert text in figure.axes[0].texts[1].get_text()


def test_the_figure_has_two_panels_per_method_and_one_of_bars(helix):
    results = [
        found(helix, "Euclidean"),
        found(helix, "URerF, paper's settings"),
        found(helix, "URerF"),
    ]
    figure = helix_figure(helix, results, chance=0.25)
    assert len(figure.axes) == 2 * 2 + 1
    assert len(figure.axes[-1].patches) == 3
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert {"URerF", "50 of 50 right", "1.00"} <= texts


def test_no_text_overlaps_or_leaves_the_figure(helix):
    results = [
        found(helix, name) for name in ("Euclidean", "Isomap", "URerF, paper's settings", "URerF")
    ]
    figure = helix_figure(helix, results, chance=0.25)
    figure.draw_without_rendering()
    labels = [
        t
        for axes in figure.axes
        for t in (*axes.texts, axes.title, axes.xaxis.label)
        if t.get_text()
    ]
    labels += figure.axes[-1].get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
    assert all(figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes)
    pairs = [
        (a.get_text(), b.get_text())
        for i, a in enumerate(labels)
        for b in labels[:i]
        if overlap(a, b)
    ]
    assert pairs == []


def overlap(a, b):
    return a.get_window_extent().overlaps(b.get_window_extent())


def test_equal_figures_are_equal_files(helix, tmp_path):
    for name in ("a.png", "b.png"):
        figure = helix_figure(helix, [found(helix, "URerF")], 0.25)
        canvas.save(figure, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
