import numpy as np
import pytest

from urerf.relevance import column_relevance, waves
from urerf.relevance.basis import Basis
from urerf.relevance.waves import wave_evidence


def helix_of_ten_turns(n, n_noise, rng):
    t = rng.uniform(0, 2 * np.pi, n)
    helix = np.column_stack([np.cos(10 * t), np.sin(10 * t), t])
    return np.hstack([helix, rng.random((n, n_noise))])


def evidence_of(X):
    return wave_evidence(Basis.of(np.ascontiguousarray(X.T), None, 1))


def test_a_wavy_column_is_found():
    X = helix_of_ten_turns(600, 30, np.random.default_rng(0))
    found = column_relevance(X)
    assert np.flatnonzero(found.structured).tolist() == [0, 1, 2]
    evidence = evidence_of(X)
    assert (evidence.p_value[:3] < 1e-20).all()
    assert evidence.partner[2] in (0, 1)
    assert evidence.strength[2] > 0.5


def test_gaps_leave_the_waves():
    rng = np.random.default_rng(0)
    X = helix_of_ten_turns(600, 30, rng)
    X[rng.random(X.shape) < 0.2] = np.nan
    assert (evidence_of(X).p_value[:3] < 1e-9).all()


@pytest.mark.parametrize("kind", ["normal", "rounded", "gaps"])
def test_independent_columns_are_not_wavy(kind):
    rng = np.random.default_rng(0)
    smallest = []
    for _ in range(40):
        X = rng.normal(size=(150, 15))
        if kind == "rounded":
            X = X.round(2)
        if kind == "gaps":
            X[X > 1] = np.nan
        smallest.append(evidence_of(X).p_value.min())
    assert np.min(smallest) > 1e-4
    assert np.mean(np.array(smallest) < 0.05) < 0.15


def test_wide_tables_are_not_tested(monkeypatch):
    X = helix_of_ten_turns(300, 10, np.random.default_rng(0))
    monkeypatch.setattr(waves, "MAX_WORK", 1e6)
    assert (evidence_of(X).p_value == 1).all()
